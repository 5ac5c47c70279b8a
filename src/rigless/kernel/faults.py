"""Faults as data: one vocabulary for what goes wrong on the wire, in a sensor and in an actuator, plus what a robot declares.

A fault is a target, a kind and parameters. What it must remember (the value a stuck sensor holds, the state of a lag) is in
its `memory`, so snapshots carry it. Draws come from the fault's own random stream and shift nobody else's noise.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rigless.kernel.problems import InputError, Problem, did_you_mean


@dataclass(frozen=True)
class Param:
    """A parameter of a fault kind with its default and bounds; text parameters list their choices instead."""

    default: float | str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    def check(self, where: str, value: Any) -> float | str | Problem:
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

KINDS: dict[str, dict[str, dict[str, Param]]] = {
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
    """Given to `@on(Injected)` when a fault begins, for robots that act on it at once."""

    target: str
    kind: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Cleared:
    """Given to `@on(Cleared)` when a fault has ended."""

    target: str
    kind: str


@dataclass(frozen=True)
class Targets:
    """What can go wrong on one robot: target → kind → seam ('own' for kinds that the robot declares itself)."""

    seams: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(
        cls,
        ports: Iterable[str],
        sensors: Iterable[str],
        actuators: Iterable[str],
        own: Mapping[str, Iterable[str]],
    ) -> "Targets":
        seams: dict[str, dict[str, str]] = {}
        for seam, names in (("wire", ports), ("sensor", sensors), ("actuator", actuators)):
            for name in names:
                for kind in KINDS[seam]:
                    seams.setdefault(name, {}).setdefault(kind, seam)
        for name, kinds in own.items():
            seams[name] = {**dict.fromkeys(kinds, "own"), **seams.get(name, {})}
        return cls(seams)

    def resolve(
        self, robot: str, target: str, kind: str, params: Mapping[str, Any]
    ) -> tuple[str, str, dict[str, Any]]:
        """Check a request; gives (kind, seam, full parameters). An empty kind means the target's first."""
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
        if seam == "own":
            return kind, seam, dict(params)
        known = KINDS[seam][kind]
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
    """A sensor's value through one fault; None means that the sensor gives nothing."""
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
    """What an actuator really does with a command; `full` is its largest, `before` what it did until now."""
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
            last += (command - last) * (1.0 - math.exp(-dt_s / tau) if tau > 0 else 1.0)
            fault.memory["value"] = last
            return last


def transmit(
    fault: Fault, packets: list[tuple[int, bytes]], rng: np.random.Generator
) -> list[tuple[int, bytes]]:
    """Packets as (extra delay in ns, bytes) through one wire fault."""
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
