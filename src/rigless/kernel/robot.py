"""What a robot is: frozen config, plain state, and behaviour declared with `@every(hz)` and `@on(Message)`.

A robot file reads like a datasheet: what it offers (ports, inputs, sensors, actuators), what happens every 1/110 s, what
happens on which message. A robot is given time and randomness; it never asks a clock and does no I/O.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict

from rigless.kernel import faults as fault_models
from rigless.kernel.documents import Document
from rigless.kernel.events import Event, Severity
from rigless.kernel.faults import Fault, Targets
from rigless.kernel.inputs import Inject
from rigless.kernel.ports import Link, Port
from rigless.kernel.problems import Problem
from rigless.kernel.rate import to_ns
from rigless.kernel.requirements import Requirement
from rigless.kernel.validation import examine
from rigless.kernel.world import World

if TYPE_CHECKING:
    from rigless.kernel.core import Core
    from rigless.kernel.drawing import View

Method = TypeVar("Method", bound=Callable[..., Any])
RateOf = float | Callable[[Any], float]


class Config(BaseModel):
    """Base of robot configs: frozen, unknown keys are errors, impossible numbers too."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, validate_default=True
    )


@dataclass
class NoState:
    """For robots that remember nothing."""


@dataclass(frozen=True)
class Defaults:
    """What a robot's config asks of the simulation, where the scenario does not say: its world, pace and seed (0: any).

    Robots that ask for worlds of the same name share one; one that asks for another than the first robot has it to itself."""

    world: World | None = None
    speed: float | None = None
    seed: int | None = None
    world_name: str = ""


@dataclass(frozen=True)
class VirtualInput:
    """An input that a person or a scenario can set: its type, where it starts, what it is for, and of a number what it may be. What the
    host gives by itself (`by_host`) is not shown among the others."""

    default: bool | int | float | str
    help: str = ""
    low: float | None = None
    high: float | None = None
    by_host: bool = False


def every(hz: RateOf, fast_forward: str = "") -> Callable[[Method], Method]:
    """Call the method at this rate, first one period after the start. A function of the config may give the rate.

    `fast_forward` names a method that may do many ticks at once while nobody listens: given how many are due before anything else
    happens, it does as many of them, silently and exactly as the method would, as it can, and gives their number (0: none)."""

    def mark(method: Method) -> Method:
        method.__rigless_every__ = hz  # type: ignore[attr-defined]
        method.__rigless_fast_forward__ = fast_forward  # type: ignore[attr-defined]
        return method

    return mark


def on(*messages: type) -> Callable[[Method], Method]:
    """Call the method with (message, link) when a message of one of these types arrives."""

    def mark(method: Method) -> Method:
        method.__rigless_on__ = messages  # type: ignore[attr-defined]
        return method

    return mark


class Robot:
    """Base of all robots. Everything above the line is for a robot to declare; what is below it is there to be used."""

    Config: ClassVar[type[Config]] = Config
    State: ClassVar[type] = NoState
    ports: tuple[Port, ...] = ()
    inputs: Mapping[str, VirtualInput] = {}
    sensors: tuple[str, ...] = ()
    actuators: tuple[str, ...] = ()
    own_faults: Mapping[str, tuple[str, ...]] = {}

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | Document | None:
        """The config in a robot's own native file, or None if the file is not this robot's. Raises InputError."""
        return None

    @classmethod
    def check_config(cls, given: Any) -> tuple[Any, list[Problem]]:
        """Return the config, or None if it is not valid, and all findings about it."""
        return examine(cls.Config, given)

    @classmethod
    def requirements(cls, given: Any, config: Any) -> list[Requirement]:
        """Return the files, drivers and the like that a config requires of the computer.

        `config` is the valid config, or None if it has errors."""
        return []

    def defaults(self) -> Defaults:
        """What this robot's config asks of the simulation around it. Raises InputError, for a map that is not there."""
        return Defaults()

    def footprint(self) -> tuple[float, float, float] | None:
        """x, y and radius of the disc that other robots see and bump into, or None."""
        return None

    def start(self) -> None:
        """Called once at time zero, with config, state and `start_pose` in place."""

    def truth(self) -> Any:
        """Ground truth for recordings, expectations and the panel; plain data."""
        return self.state

    def status(self) -> str:
        """One word for people: how the robot is."""
        return "fault" if self.faults else "ok"

    def view(self) -> "View":
        """What its page in the panel shows; without a view of its own, what can be told from its truth."""
        from rigless.kernel.generic_view import GenericView

        return GenericView(self)

    # --------------------------------------------------------------------------------------------------------------------

    def __init__(
        self, name: str, config: Any = None, start_pose: tuple[float, float, float] | None = None
    ):
        self.name = name
        self.config = config if config is not None else self.Config()
        self.start_pose = start_pose
        self.state = self.State()
        self.metrics: dict[str, int | float] = {}
        self.input: dict[str, Any] = {key: spec.default for key, spec in self.inputs.items()}
        self.faults: list[Fault] = []
        self.actuated: dict[str, float] = {}  # what each actuator last did
        self.fault_targets = Targets.of(
            (port.name for port in self.ports), self.sensors, self.actuators, self.own_faults
        )
        self._core: Core = None  # type: ignore[assignment]  # set when it joins a simulation

    def __repr__(self) -> str:
        kind = type(self).__module__.removeprefix("rigless.robots.").partition(".")[0]
        return f"<Robot {self.name} ({kind}.{type(self).__name__}): {self.status()}>"

    @property
    def now_ns(self) -> int:
        """The simulated time in nanoseconds."""
        return self._core.agenda.now_ns

    @property
    def seed(self) -> int:
        """The seed of the simulation."""
        return self._core.seed

    @property
    def all_robots(self) -> Mapping[str, "Robot"]:
        """All robots of the simulation by name, this one included."""
        return self._core.robots

    @property
    def world(self) -> World:
        """The world that the robot moves in."""
        return self._core.worlds.get(self.name, self._core.world)

    def neighbours(self) -> list[tuple[float, float, float]]:
        """The footprints of the other robots in this robot's world."""
        others = [
            robot
            for robot in self._core.robots.values()
            if robot is not self and robot.world is self.world
        ]
        return [seen for robot in others if (seen := robot.footprint()) is not None]

    def random(self, stream: str) -> np.random.Generator:
        """The robot's own random stream of that name."""
        return self._core.streams.get(f"{self.name}/{stream}")

    def read_only_copy(self) -> Self:
        """A double of this robot for looking at: it can be asked what its sensors read without leaving a trace in the robot."""
        double = copy.copy(self)
        double.faults = copy.deepcopy(self.faults)
        double.random = self._core.streams.peek_of(self.name)  # type: ignore[assignment, method-assign]
        return double

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None:
        self._core.log(Event(self.now_ns, self.name, code, severity, text, data))

    def count(self, metric: str, amount: float = 1) -> None:
        self.metrics[metric] = self.metrics.get(metric, 0) + amount

    # Messages

    def wanted(self, port: str) -> bool:
        """Whether anybody listens on the port: ask before building an expensive message."""
        return self._core.wanted(self, port)

    def emit(self, port: str, message: Any, to: Link | None = None) -> None:
        """Send a message to one link, or to all links of the port."""
        self._core.emit(self, port, message, to)

    def open(self, port: str, address: str) -> Link:
        """Register a peer to send to (a datagram address); `close` ends it."""
        return self._core.links.open(self, port, address)

    def close(self, link: Link) -> None:
        """Hang up on a peer."""
        self._core.links.close(self, link)

    def links(self, port: str) -> list[Link]:
        return list(self._core.links.by_port[self.name, port].values())

    # Timers

    def after(self, seconds: float, method: Callable[..., Any], *args: Any) -> int:
        """Call a method of this robot once, later. The timer is data (a name and arguments), so snapshots hold it."""
        return self._core.set_timer(self, to_ns(seconds), method, args)

    def cancel(self, timer: int) -> None:
        self._core.agenda.cancel(timer)

    def set_rate(self, method: Callable[..., Any], hz: float) -> None:
        """Change the rate of an `@every` method from now on, whole periods (less the phase) counted from the start; zero stops it."""
        self._core.set_rate(self, method.__name__, hz)

    # Faults

    def sense(self, sensor: str, value: Any) -> Any:
        """A measured value as the faults of this sensor leave it; None means it gives nothing."""
        for fault in self.faults:
            if fault.target == sensor and fault.seam == "sensor" and value is not None:
                value = fault_models.sense(fault, value, self.random(f"fault/{sensor}"))
        return value

    def actuate(self, actuator: str, command: float, dt_s: float, full: float = 1.0) -> float:
        """What the actuator really does with a command under its faults; `full` is its largest command."""
        before = self.actuated.get(actuator, 0.0)
        for fault in self.faults:
            if fault.target == actuator and fault.seam == "actuator":
                command = fault_models.actuate(fault, command, dt_s, full, before)
        self.actuated[actuator] = command
        return command

    def begin_fault(self, fault: Inject) -> None:
        """Begin a fault on this robot now, from its own code."""
        self._core.input_handler.begin_fault(self, fault)

    def fault(self, target: str, kind: str = "") -> Fault | None:
        """The active fault on a target, if there is one (of that kind)."""
        return next(
            (fault for fault in self.faults if fault.target == target and kind in ("", fault.kind)),
            None,
        )
