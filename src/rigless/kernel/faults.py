"""Faults as data: one vocabulary for wires, sensors and actuators, and a robot's own faults.

A fault is a target, a kind and parameters. Its state (the value of a stuck sensor, the state of a
lag) is in `memory`, so that snapshots hold it. Random draws come from a stream of its own, so that
a fault does not shift the noise of any sensor.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rigless.kernel.elementary import exp
from rigless.kernel.problems import InputError, Problem, did_you_mean


@dataclass(frozen=True)
class Param:
    """A parameter of a fault kind: its default and bounds, or its choices if it is text."""

    default: float | str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    def check(self, where: str, value: Any) -> float | str | Problem:
        """Return the value in its own type, or the problem with it."""
        if self.choices:
            return (
                value
                if value in self.choices
                else Problem(
                    where, f"{value!r} is not a choice", did_you_mean(str(value), self.choices)
                )
            )
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return Problem(where, f"{value!r} is not a number", f"for example {self.default}")
        if not (math.isfinite(number) and self.low <= number <= self.high):
            return Problem(
                where, f"{number:g} is out of range", f"between {self.low:g} and {self.high:g}"
            )
        return number


PROBABILITY = Param(1.0, 0.0, 1.0)
DIRECTION = Param("both", choices=("in", "out", "both"))

Params = Mapping[str, Param]
KINDS: dict[str, dict[str, Params]] = {
    "wire": {
        "drop": {"probability": PROBABILITY, "direction": DIRECTION},
        "delay": {
            "ms": Param(100.0, 0.0, 3.6e6),
            "jitter_ms": Param(0.0, 0.0, 3.6e6),
            "direction": DIRECTION,
        },
        "duplicate": {"probability": PROBABILITY, "direction": DIRECTION},
        "corrupt": {
            "probability": PROBABILITY,
            "bits": Param(1.0, 1.0, 1024.0),
            "direction": DIRECTION,
        },
        "disconnect": {},
    },
    "sensor": {
        "off": {},
        "stuck": {},
        "bias": {"value": Param(1.0, -1e12, 1e12)},
        "noise": {"stddev": Param(1.0, 0.0, 1e12)},
        "dropout": {"probability": Param(0.5, 0.0, 1.0)},
        "wrong": {"value": Param(0.0, -1e12, 1e12)},
    },
    "actuator": {
        "stall": {},
        "weak": {"factor": Param(0.5, 0.0, 1.0)},
        "inverted": {},
        "runaway": {"level": Param(1.0, -1.0, 1.0)},
        "lag": {"tau_s": Param(0.5, 0.0, 3600.0)},
    },
}


@dataclass
class Fault:
    """An active fault. `seam` is where it acts: wire, sensor, actuator, or own (in the robot).

    sim.inject("vacuum", "lidar", "dropout", probability=0.2)
    sim.robots["vacuum"].faults
    """

    id: int
    robot: str
    target: str
    kind: str
    seam: str
    params: dict[str, Any]
    since_ns: int
    until_ns: int | None = None
    memory: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Injected:
    """Passed to `@on(Injected)` when a fault begins, for robots that react at once."""

    target: str
    kind: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Cleared:
    """Passed to `@on(Cleared)` when a fault has ended."""

    target: str
    kind: str


@dataclass(frozen=True)
class Targets:
    """The possible faults of one robot: target → kind → seam.

    `own` has the parameters of the robot's own kinds, if it declares them: target → kind → params.
    """

    seams: Mapping[str, Mapping[str, str]]
    own: Mapping[str, Mapping[str, Params]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ports: Iterable[str],
        sensors: Iterable[str],
        actuators: Iterable[str],
        own: Mapping[str, Iterable[str] | Mapping[str, Params]],
    ) -> "Targets":
        """Return the targets of a robot with these ports, sensors, actuators and own faults.

        Own kinds of a target come first. Own kinds with declared parameters come last.
        """
        seams: dict[str, dict[str, str]] = {}
        for seam, names in (("wire", ports), ("sensor", sensors), ("actuator", actuators)):
            for name in names:
                for kind in KINDS[seam]:
                    seams.setdefault(name, {}).setdefault(kind, seam)
        for name, kinds in own.items():
            declared, others = dict.fromkeys(kinds, "own"), seams.get(name, {})
            seams[name] = (
                {**others, **declared} if isinstance(kinds, Mapping) else declared | others
            )
        return cls(seams, {name: of for name, of in own.items() if isinstance(of, Mapping)})

    def params(self, target: str, kind: str) -> Params:
        """Return the declared parameters of a kind of fault on a target."""
        seam = self.seams[target][kind]
        return self.own.get(target, {}).get(kind, {}) if seam == "own" else KINDS[seam][kind]

    def resolve(
        self, robot: str, target: str, kind: str, params: Mapping[str, Any]
    ) -> tuple[str, str, dict[str, Any]]:
        """Return kind, seam and all parameters of a request. An empty kind is the first one."""
        if target not in self.seams:
            raise InputError(
                Problem(robot, f"unknown fault target {target!r}", did_you_mean(target, self.seams))
            )
        kinds = self.seams[target]
        kind = kind or next(iter(kinds))
        if kind not in kinds:
            raise InputError(
                Problem(
                    f"{robot} {target}", f"unknown fault kind {kind!r}", did_you_mean(kind, kinds)
                )
            )
        seam = kinds[kind]
        if seam == "own" and kind not in self.own.get(target, {}):
            return kind, seam, dict(params)
        known = self.params(target, kind)
        where = f"{robot} {target} {kind}"
        problems = [
            Problem(where, f"unknown parameter {name!r}", did_you_mean(name, known))
            for name in params
            if name not in known
        ]
        full: dict[str, Any] = {}
        for name, param in known.items():
            value = param.check(f"{where} {name}", params.get(name, param.default))
            if isinstance(value, Problem):
                problems.append(value)
            else:
                full[name] = value
        if problems:
            raise InputError(problems)
        return kind, seam, full


def sense(fault: Fault, value: Any, rng: np.random.Generator) -> Any:
    """Return a sensor's value under one fault; None means that there is no reading."""
    match fault.kind:
        case "off":
            return None
        case "dropout":
            return None if rng.random() < fault.params["probability"] else value
        case "stuck":
            held = fault.memory.setdefault(
                "value", value.copy() if isinstance(value, np.ndarray) else value
            )
            return held.copy() if isinstance(held, np.ndarray) else held
        case "bias":
            return value + fault.params["value"]
        case "noise":
            return value + fault.params["stddev"] * rng.standard_normal(np.shape(value) or None)
        case _:  # wrong
            wrong = fault.params["value"]
            return (
                np.full_like(value, wrong) if isinstance(value, np.ndarray) else type(value)(wrong)
            )


def actuate(fault: Fault, command: float, dt_s: float, full: float, before: float = 0.0) -> float:
    """Return the output of an actuator under one fault.

    `full` is the largest command, `before` the output until now.
    """
    match fault.kind:
        case "stall":
            return 0.0
        case "weak":
            return command * float(fault.params["factor"])
        case "inverted":
            return -command
        case "runaway":
            return full * float(fault.params["level"])
        case _:  # lag: first order, exact for a held command
            tau = fault.params["tau_s"]
            last: float = fault.memory.get("value", before)
            last += (command - last) * (1.0 - exp(-dt_s / tau) if tau > 0 else 1.0)
            fault.memory["value"] = last
            return last


def transmit(
    fault: Fault, packets: list[tuple[int, bytes]], rng: np.random.Generator
) -> list[tuple[int, bytes]]:
    """Return the packets, each (extra delay in ns, bytes), after one wire fault."""
    match fault.kind:
        case "drop":
            return [packet for packet in packets if rng.random() >= fault.params["probability"]]
        case "duplicate":
            return [
                copy
                for packet in packets
                for copy in (
                    (packet, packet) if rng.random() < fault.params["probability"] else (packet,)
                )
            ]
        case "corrupt":
            chance = fault.params["probability"]
            return [
                (
                    delay,
                    _flip(data, int(fault.params["bits"]), rng) if rng.random() < chance else data,
                )
                for delay, data in packets
            ]
        case "delay":
            extra_ms, jitter_ms = fault.params["ms"], fault.params["jitter_ms"]
            return [
                (delay + round((extra_ms + jitter_ms * rng.random()) * 1e6), data)
                for delay, data in packets
            ]
        case _:  # disconnect: nothing passes while it lasts
            return []


def _flip(data: bytes, bits: int, rng: np.random.Generator) -> bytes:
    if not data:
        return data
    flipped = bytearray(data)
    for place in rng.integers(0, len(data) * 8, size=bits):
        flipped[place >> 3] ^= 1 << (place & 7)
    return bytes(flipped)
