"""The `[[expect]]` of a scenario: conditions on robots and programs, as data."""

from typing import Annotated

from pydantic import Field, model_validator

from rigless.scenario.table import Seconds, Table


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

    @property
    def subject(self) -> str:
        """The key that says what the expectation is about."""
        subjects = ("value", "region", "event", "port")
        return next(key for key in subjects if getattr(self, key) is not None)

    @property
    def message_direction(self) -> str:
        """The direction of the messages of the port, as the robot has it."""
        return "out"

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
