"""The scenario format: world, robots, noise, pace, programs, timeline, faults and expectations."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from rigless.kernel.streams import OFF
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.model.program import ProgramEntry
from rigless.scenario.model.table import Name, Seconds, Table

Speed = Annotated[float, Field(ge=0.1, le=100)]
PROGRAM_FAULTS = ("kill", "pause", "starve", "restart")


class Pose(Table):
    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0


class ObstacleEntry(Table):
    """A disc (radius_m) or a box (size_m)."""

    name: Name
    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0
    radius_m: Annotated[float, Field(gt=0)] | None = None
    size_m: tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]] | None = None

    @model_validator(mode="after")
    def one_shape(self) -> "ObstacleEntry":
        if (self.radius_m is None) == (self.size_m is None):
            raise ValueError("an obstacle is either a disc (radius_m) or a box (size_m)")
        return self


class WorldEntry(Table):
    """The world. `map` is a map YAML, the name of a bundled map, or "open" for an open plane.

    `layout` is a layout file or a LIF file, if it is not that of the map. Without either, a robot
    may bring its own world. `doors` puts the doors of the layout into the world; by default this is
    so in the warehouse of a fleet that names no world.
    """

    map: Annotated[str, Field(min_length=1)] | None = None
    layout: Annotated[str, Field(min_length=1)] | None = None
    doors: bool | None = None
    obstacles: list[ObstacleEntry] = []


class RobotEntry(Table):
    """One robot, or `count` of them.

    `kind` is an installed robot, a dotted package path, or a folder relative to the scenario.
    """

    kind: str
    name: Name = ""
    config: str | dict[str, Any] = {}
    count: Annotated[int, Field(ge=1, le=10_000)] = 1
    start: Pose | None = None
    ports: dict[str, str | int] = {}


ACTIONS = (
    *("message", "wire", "wire_hex", "set", "clear", "obstacle", "door"),
    *("lift", "conveyor"),
)


class TimelineEntry(Table):
    """One action at a time: a message, bytes, inputs, faults cleared, something moved or set."""

    at_s: Seconds
    robot: str | None = None
    port: str | None = None
    message: dict[str, Any] | None = None
    wire: str | None = None
    wire_hex: str | None = None
    set: dict[str, bool | int | float | str] | None = None
    clear: str | None = None
    obstacle: str | None = None
    x: float | None = None
    y: float | None = None
    theta: float = 0.0
    over_s: Seconds = 0.0
    door: str | None = None
    open: bool = True
    lift: str | None = None
    floor: str | None = None
    conveyor: str | None = None
    running: bool | None = None

    @model_validator(mode="after")
    def one_action(self) -> "TimelineEntry":
        actions = [key for key in ACTIONS if getattr(self, key) is not None]
        if len(actions) != 1:
            raise ValueError(f"an entry needs exactly one of: {', '.join(ACTIONS)}")
        if actions[0] == "lift" and (self.floor is None) == (self.running is None):
            raise ValueError("a lift needs either a floor or running")
        if actions[0] == "conveyor" and self.running is None:
            raise ValueError("a conveyor needs running = true or false")
        if actions[0] in ("message", "wire", "wire_hex") and self.port is None:
            raise ValueError(f"{actions[0]} needs the port it goes to")
        if actions[0] == "obstacle" and (self.x is None or self.y is None):
            raise ValueError("moving an obstacle needs x and y")
        if self.message is not None and "type" not in self.message:
            raise ValueError("message needs a type, for example { type = 'Set', celsius = 21 }")
        return self


class FaultEntry(BaseModel):
    """A fault from `at_s` to `until_s`. Further keys are the parameters of its kind.

    It is on a `target` of a `robot`, or on a `program`.
    """

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)
    at_s: Seconds = 0.0
    until_s: Seconds | None = None
    robot: str | None = None
    target: str = ""
    program: str | None = None
    kind: str = ""

    @model_validator(mode="after")
    def one_subject(self) -> "FaultEntry":
        if self.program is None and not self.target:
            raise ValueError("a fault needs the target of a robot, or a program")
        if self.program is not None and (self.target or self.robot is not None):
            raise ValueError("a fault is on a robot's target or on a program, not both")
        if self.program is not None and self.kind not in PROGRAM_FAULTS:
            raise ValueError(f"a program's fault is one of: {', '.join(PROGRAM_FAULTS)}")
        return self


def _seed_or_off(value: Any) -> Any:
    if value == OFF or (type(value) is int and 0 <= value < 2**63):
        return value
    raise ValueError('it should be a seed (a whole number from 0) or "off"')


class Scenario(Table):
    """The whole of a scenario file."""

    name: Name = "scenario"
    description: str = ""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    duration_s: Annotated[float, Field(gt=0, le=1e9)] | None = None
    speed: Speed | Literal["fast", "lockstep"] = 1.0
    late_max_ms: Annotated[float, Field(gt=0)] = 100.0
    settle_s: Seconds | None = None
    world: WorldEntry = WorldEntry()
    robots: Annotated[list[RobotEntry], Field(min_length=1)]
    noise: dict[str, Annotated[int | str, BeforeValidator(_seed_or_off)]] = {}
    programs: list[ProgramEntry] = []
    timeline: list[TimelineEntry] = []
    faults: list[FaultEntry] = []
    expect: list[Expectation] = []
    shard: Annotated[str, Field(pattern=r"^[0-9]{1,3}/[0-9]{1,3}$")] | None = None  # of --shard
    vary: dict[str, Any] = {}  # the axes of a sweep: a list, a range or a distribution for a key
