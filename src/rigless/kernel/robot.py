"""The base of robots: frozen config, plain state, and behaviour declared by `@every` and `@on`.

A robot file reads like a datasheet: its ports, inputs, sensors and actuators, its periodic work,
and its handlers of messages. Time and randomness are passed to a robot. It reads no clock and does
no I/O.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from rigless.kernel import faults as fault_models
from rigless.kernel.body import Body
from rigless.kernel.documents import Document
from rigless.kernel.documents.requirements import Requirement
from rigless.kernel.documents.validation import examine
from rigless.kernel.drawing import View
from rigless.kernel.drawing.generic_view import GenericView
from rigless.kernel.events import Event, Severity
from rigless.kernel.faults import Fault, Params, Targets
from rigless.kernel.fleet.shard import NOWHERE, Membership, Whereabouts
from rigless.kernel.fleet.together import Group
from rigless.kernel.inputs import Inject
from rigless.kernel.ports import Link, Port
from rigless.kernel.problems import Problem
from rigless.kernel.streams import Streams
from rigless.kernel.timing.agenda import Agenda
from rigless.kernel.timing.rate import to_ns
from rigless.kernel.world import World

Method = TypeVar("Method", bound=Callable[..., Any])
RateOf = float | Callable[[Any], float]
_delay_ns = lru_cache(maxsize=1024)(to_ns)  # most timers have one of a few delays


class Config(BaseModel):
    """Base of robot configs: frozen; unknown keys, infinity and NaN are errors.

    class ThermostatConfig(rigless.Config):
        report_hz: float = 1.0
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, validate_default=True
    )

    # Settings with functions that the defaults do not use: `rigless compile` uses them too.
    also_compile: ClassVar[tuple[str, ...]] = ()


@dataclass
class NoState:
    """The state of robots that keep none."""


@dataclass(frozen=True)
class Defaults:
    """World, speed and seed of a robot's config, used where the scenario has none. Seed 0 is any.

    Robots whose worlds have the same name share one world. A robot whose world differs from the
    first robot's has a world of its own.
    """

    world: World | None = None
    speed: float | None = None
    seed: int | None = None
    world_name: str = ""


@dataclass(frozen=True)
class VirtualInput:
    """An input that a user or a scenario can set. The type of the default is its type.

    `low` and `high` bound a number, `choices` lists the values of a text. Inputs that the host sets
    by itself (`by_host`) are hidden. `clock_key` is for the origin of stamps that follow the wall
    clock: it names the config key that publishes the simulated clock instead.

        inputs = {"window_open": rigless.VirtualInput(False, "the window is open")}
    """

    default: bool | int | float | str
    help: str = ""
    low: float | None = None
    high: float | None = None
    by_host: bool = False
    clock_key: str = ""
    choices: tuple[str, ...] = ()


def every(
    hz: RateOf, fast_forward: str = "", together: str = "", look_ahead: str = ""
) -> Callable[[Method], Method]:
    """Call the method at this rate, first one period after the start.

    The rate is a number or a function of the config. `fast_forward` names a method that does many
    ticks at once while no output is needed. It gets the number of ticks that are due before any
    other event, does as many as it can, exactly as the method would, and returns how many.
    `together` names a class method that makes groups of robots which tick together (together.py).
    `look_ahead` names a class method that lets robots of one rate be fast-forwarded past each
    other. It gets such robots and a number of ticks, and returns how many of these have no output
    and no effect on another robot. `fast_forward` then does exactly as many.

        @rigless.every(lambda config: config.report_hz)
        def report(self): ...
    """

    def mark(method: Method) -> Method:
        method.__rigless_every__ = hz  # type: ignore[attr-defined]
        method.__rigless_fast_forward__ = fast_forward  # type: ignore[attr-defined]
        method.__rigless_look_ahead__ = look_ahead  # type: ignore[attr-defined]
        method.__rigless_together__ = together  # type: ignore[attr-defined]
        return method

    return mark


def on(*messages: type) -> Callable[[Method], Method]:
    """Call the method with (message, link) when a message of one of these types arrives.

    @rigless.on(SetTarget)
    def set_target(self, message, link): ...
    """

    def mark(method: Method) -> Method:
        method.__rigless_on__ = messages  # type: ignore[attr-defined]
        return method

    return mark


class Robot:
    """Base of all robots. The first part is for a robot to declare, the second for it to use.

    class Beacon(rigless.Robot):
        ports = (rigless.Port("out", LineCodec, "tcp", "127.0.0.1:7000", emits=(Beat,)),)

        @rigless.every(10)
        def beat(self):
            self.emit("out", Beat(self.now_ns))
    """

    Config: ClassVar[type[Config]] = Config
    State: ClassVar[type] = NoState
    ports: tuple[Port, ...] = ()
    inputs: Mapping[str, VirtualInput] = {}
    sensors: tuple[str, ...] = ()
    actuators: tuple[str, ...] = ()
    own_faults: Mapping[str, tuple[str, ...] | Mapping[str, Params]] = {}
    event_codes: tuple[str, ...] | None = None  # all codes of `event()`; None: not declared
    random_streams: tuple[str, ...] | None = None  # names or patterns; None: not declared
    metric_names: tuple[str, ...] | None = None  # all names of `count()`; None: not declared
    collision_codes: tuple[str, ...] = ("collision",)  # those of contacts, as far as it has them

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | Document | None:
        """Return the config in a native file of this robot, or None if it is another file.

        Raises InputError if the file has errors.
        """
        return None

    @classmethod
    def check_config(cls, given: Any) -> tuple[Any, list[Problem]]:
        """Return the config, or None if it is not valid, and all findings about it."""
        return examine(cls.Config, given)

    @classmethod
    def requirements(cls, given: Any, config: Any) -> list[Requirement]:
        """Return the files, drivers and the like that a config requires of the computer.

        `config` is the valid config, or None if it has errors.
        """
        return []

    def defaults(self) -> Defaults:
        """Return the world, speed and seed of this config. Raises InputError."""
        return Defaults()

    def footprint(self) -> tuple[float, float, float] | None:
        """Return x, y and radius of the disc that other robots collide with, or None."""
        return None

    def heading_rad(self) -> float | None:
        """Return the direction it faces, for drawings: by default that of a box, or None."""
        body = self.body()
        return body.theta if body is not None and body.size_m else None

    def corners(self) -> list[tuple[float, float]] | None:
        """Return the corners of its outline in its own frame, for drawings; None for a disc."""
        body = self.body()
        return replace(body, x=0.0, y=0.0, theta=0.0).corners if body and body.size_m else None

    def body(self) -> Body | None:
        """Return the shape that obstacles must not be placed on; by default the footprint."""
        disc = self.footprint()
        return None if disc is None else Body(disc[0], disc[1], radius_m=disc[2])

    @property
    def can_relocate(self) -> bool:
        """Return True if the robot has a `relocate`. Override it together with that."""
        return False

    def relocate(self, x_m: float, y_m: float, theta_rad: float) -> None:
        """Stand at another pose, at rest, as if lifted by hand.

        Sensors that measure motion do not notice it.
        """
        raise NotImplementedError

    def whereabouts(self) -> Whereabouts:
        """Return pose, velocity and load, for processes that step other robots of the fleet."""
        disc = self.footprint()
        if disc is None:
            return NOWHERE
        theta_rad = float(getattr(self.truth(), "pose", (0.0, 0.0, 0.0))[2])
        return Whereabouts(float(disc[0]), float(disc[1]), theta_rad)

    def follow_pose(self, place: Whereabouts) -> None:
        """Be where another process has moved this robot. Override it for more than the pose."""
        if self.can_relocate:
            self.relocate(place.x_m, place.y_m, place.theta_rad)

    def why_no_collisions(self) -> str:
        """Return why this robot never logs a collision with its config, or "" if it does.

        An expectation that there is none would always hold.
        """
        return ""

    def beams(self) -> NDArray[np.float64] | None:
        """Return the beams of the lidar's last turn that had an echo, in the world.

        A row is x, y, to_x, to_y. None if the robot has no lidar.
        """
        return None

    def start(self) -> None:
        """Set up. Called at time zero, after config, state and `start_pose` are set."""

    def truth(self) -> Any:
        """Return the ground truth as plain data, for recordings, expectations and the panel."""
        return self.state

    def status(self) -> str:
        """Return the robot's condition in one word, for people."""
        if self.input.get("estop"):
            return "e-stop"
        return "fault" if self.faults else "ok"

    def view(self) -> View:
        """Return the page for the panel; by default one made from the ground truth."""
        return GenericView(self)

    # ----------------------------------------------------------------------------------------

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
        self.actuated: dict[str, float] = {}  # the last output of each actuator
        self.fault_targets = Targets.of(
            (port.name for port in self.ports), self.sensors, self.actuators, self.own_faults
        )
        self.group: Group | None = None  # robots that tick together with this one
        self._core: Services = None  # type: ignore[assignment]  # set when it joins a simulation

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {type(self).__name__}>"

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
    def membership(self) -> Membership:
        """The shards of the simulation."""
        return self._core.membership

    @property
    def world(self) -> World:
        """The world that the robot moves in."""
        return self._core.worlds.get(self.name, self._core.world)

    def neighbours(self) -> list[tuple[float, float, float]]:
        """Return the footprints of the other robots in this robot's world."""
        others = [
            robot
            for robot in self._core.robots.values()
            if robot is not self and robot.world is self.world
        ]
        return [disc for robot in others if (disc := robot.footprint()) is not None]

    def random(self, stream: str) -> np.random.Generator:
        """Return the robot's random stream of that name."""
        return self._core.streams.get(f"{self.name}/{stream}")

    def noise_key(self, stream: str) -> NDArray[np.uint64]:
        """Return the key of the robot's random stream of that name, for `sensors.noise.block`."""
        return self._core.streams.key(f"{self.name}/{stream}")

    def read_only_copy(self) -> Self:
        """Return a copy whose sensors can be read without a change of this robot or its noise."""
        clone = copy.copy(self)
        clone.faults = copy.deepcopy(self.faults)
        clone.random = self._core.streams.copies_for(self.name)  # type: ignore
        return clone

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None:
        """Log an event. Its code is one of `event_codes`."""
        self._core.log(Event(self.now_ns, self.name, code, severity, text, data))

    def count(self, metric: str, amount: float = 1) -> None:
        """Add to a metric. Its name is one of `metric_names`."""
        self.metrics[metric] = self.metrics.get(metric, 0) + amount

    # Messages

    def wanted(self, port: str) -> bool:
        """Return True if a message on this port would be used. Check it before a costly message."""
        return self._core.wanted(self, port)

    def emit(self, port: str, message: Any, to: Link | None = None) -> None:
        """Send a message to one link, or to all links of the port."""
        self._core.emit(self, port, message, to)

    def open(self, port: str, address: str) -> Link:
        """Register a peer to send to, by its datagram address; `close` ends it."""
        return self._core.links.open(self, port, address)

    def close(self, link: Link) -> None:
        """Close a link."""
        self._core.links.close(self, link)

    def links(self, port: str) -> list[Link]:
        """Return the open links of a port."""
        return list(self._core.links.by_port[self.name, port].values())

    # Timers

    def after(self, seconds: float, method: Callable[..., Any], *args: Any) -> int:
        """Call a method of this robot once, later. Return the number that cancels it.

        A timer is data (a name and arguments), so that snapshots hold it.
        """
        # One call from here to the queue: each more costs a tenth of a timer.
        core, delay_ns = self._core, _delay_ns(seconds)
        if self.name in core.membership.elsewhere:
            return 0
        agenda = core.agenda
        due_ns = agenda.now_ns + delay_ns if delay_ns > 0 else agenda.now_ns
        return agenda.add_timer(due_ns, self.name, method, args)

    def cancel(self, timer: int) -> None:
        """Cancel a timer."""
        self._core.agenda.cancel(timer)

    def set_rate(self, method: Callable[..., Any], hz: float) -> None:
        """Change the rate of an `@every` method; zero stops it.

        Ticks stay on the n/hz grid, shifted by the robot's phase.
        """
        self._core.set_rate(self, method.__name__, hz)

    # Faults

    def sense(self, sensor: str, value: Any) -> Any:
        """Return a measured value under the faults of its sensor; None means no reading."""
        for fault in self.faults:
            if fault.target == sensor and fault.seam == "sensor" and value is not None:
                value = fault_models.sense(fault, value, self.random(f"fault/{sensor}"))
        return value

    def actuate(self, actuator: str, command: float, dt_s: float, full: float = 1.0) -> float:
        """Return the output of an actuator under its faults; `full` is the largest command."""
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
        """Return the active fault on a target, of this kind if one is named, or None."""
        return next(
            (fault for fault in self.faults if fault.target == target and kind in ("", fault.kind)),
            None,
        )


class Services(Protocol):
    """The parts of a simulation that its robots use."""

    agenda: Agenda
    seed: int
    robots: dict[str, Robot]
    world: World
    worlds: dict[str, World]
    membership: Membership
    streams: Streams

    @property
    def links(self) -> "RobotLinks": ...

    @property
    def input_handler(self) -> "RobotFaults": ...

    def log(self, event: Event, /) -> None: ...

    def wanted(self, robot: Robot, port: str, /) -> bool: ...

    def emit(self, robot: Robot, port: str, message: Any, to: Link | None, /) -> None: ...

    def set_rate(self, robot: Robot, method: str, hz: float, /) -> None: ...


class RobotLinks(Protocol):
    """The links of a simulation, as robots use them."""

    by_port: dict[tuple[str, str], dict[int, Link]]

    def open(self, robot: Robot, port: str, address: str, /) -> Link: ...

    def close(self, robot: Robot, link: Link, /) -> None: ...


class RobotFaults(Protocol):
    """The beginning of a fault from a robot's own code."""

    def begin_fault(self, robot: Robot, given: Inject, /) -> None: ...
