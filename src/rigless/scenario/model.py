"""The scenario format: world, robots, pace, timeline, faults and expectations."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"
Name = Annotated[str, Field(pattern=NAME, max_length=64)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
Speed = Annotated[float, Field(ge=0.1, le=100)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


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
    """The world. `map` is a map YAML or the name of a bundled map; a robot may bring its own."""

    map: str | None = None
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


class TimelineEntry(Table):
    """One action at a time: send a message or bytes, set inputs, clear faults, move an obstacle."""

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

    @model_validator(mode="after")
    def one_action(self) -> "TimelineEntry":
        actions = [
            key
            for key in ("message", "wire", "wire_hex", "set", "clear", "obstacle")
            if getattr(self, key) is not None
        ]
        if len(actions) != 1:
            raise ValueError(
                "an entry needs exactly one of: message, wire, wire_hex, set, clear, obstacle"
            )
        if actions[0] in ("message", "wire", "wire_hex") and self.port is None:
            raise ValueError(f"{actions[0]} needs the port it goes to")
        if actions[0] == "obstacle" and (self.x is None or self.y is None):
            raise ValueError("moving an obstacle needs x and y")
        if self.message is not None and "type" not in self.message:
            raise ValueError("message needs a type, for example { type = 'Set', celsius = 21 }")
        return self


class FaultEntry(BaseModel):
    """A fault from `at_s` to `until_s`. Further keys are the parameters of its kind."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)
    at_s: Seconds = 0.0
    until_s: Seconds | None = None
    robot: str | None = None
    target: str
    kind: str = ""


class Region(Table):
    """A rectangle (x and y ranges) or a circle (center and radius_m)."""

    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    center: tuple[float, float] | None = None
    radius_m: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def one_shape(self) -> "Region":
        ranges = self.x is not None or self.y is not None
        if (self.center is None) != (self.radius_m is None) or ranges == (self.center is not None):
            raise ValueError("a region has x and/or y ranges, or center and radius_m")
        return self


class Expectation(Table):
    """A condition on a value, a region, an event or a number of messages.

    It must hold at a time or over a window.
    """

    name: str = ""
    robot: str | None = None
    at_s: Seconds | None = None
    from_s: Seconds | None = None
    to_s: Seconds | None = None
    every_s: Annotated[float, Field(ge=1e-6)] = 0.05
    eventually: bool = False
    value: str | None = None
    min: float | None = None
    max: float | None = None
    equals: bool | float | str | None = None
    region: Region | None = None
    event: str | None = None
    seen: bool = True
    port: str | None = None
    message: str | None = None
    where: dict[str, bool | float | str] = {}
    min_count: Annotated[int, Field(ge=0)] | None = None
    max_count: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def one_subject(self) -> "Expectation":
        subjects = [
            key for key in ("value", "region", "event", "port") if getattr(self, key) is not None
        ]
        if len(subjects) != 1:
            raise ValueError("an expectation needs exactly one of: value, region, event, port")
        if self.value is not None and self.min is None and self.max is None and self.equals is None:
            raise ValueError("a value needs min, max or equals")
        if self.port is None and (self.message is not None or self.where):
            raise ValueError("message and where choose among the messages of a port: name the port")
        if self.where and self.message is None:
            raise ValueError("where is about the fields of one type of message: name the message")
        if (
            self.port is not None
            and self.message is None
            and self.min_count is None
            and self.max_count is None
        ):
            raise ValueError("a port needs message, min_count or max_count")
        if self.at_s is not None and (self.event is not None or self.port is not None):
            raise ValueError(
                "events and messages are counted over a window: give from_s and to_s, not at_s"
            )
        if self.at_s is not None and (self.from_s is not None or self.to_s is not None):
            raise ValueError("give at_s, or from_s and to_s, not both")
        if self.from_s is not None and self.to_s is not None and self.to_s < self.from_s:
            raise ValueError("to_s is before from_s")
        return self


class Scenario(Table):
    """The whole of a scenario file."""

    name: Name = "scenario"
    description: str = ""
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    duration_s: Annotated[float, Field(gt=0, le=1e9)] | None = None
    speed: Speed | Literal["fast", "lockstep"] = 1.0
    world: WorldEntry = WorldEntry()
    robots: Annotated[list[RobotEntry], Field(min_length=1)]
    timeline: list[TimelineEntry] = []
    faults: list[FaultEntry] = []
    expect: list[Expectation] = []
