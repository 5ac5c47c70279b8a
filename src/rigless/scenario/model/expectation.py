"""The `[[expect]]` of a scenario: conditions on robots and programs, as data."""

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from rigless.scenario.model.table import Seconds, Table

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]

COMMON = {"name", "robot"}
WINDOW = {"from_s", "to_s"}
SAMPLED = {*WINDOW, "every_s"}
COUNTED = {"seen", "min_count", "max_count"}
MESSAGE = {"port", "message", "where", "direction"}
TRIGGER = {"after", "after_fault", "min_count"}
FACTS = ("exit", "alive", "output", "restarts_max", "memory_max_mb", "cpu_max_s")
# Each subject with the keys that belong to it.
SUBJECTS: dict[str, set[str]] = {
    "value": {*SAMPLED, "at_s", "eventually", "min", "max", "equals"},
    "region": {*SAMPLED, "at_s", "eventually"},
    "event": {*WINDOW, *COUNTED},
    "port": {*WINDOW, *COUNTED, *MESSAGE, "min_hz", "max_hz"},
    "program": {*WINDOW, *COUNTED, *FACTS},
    "reacts_within_ms": {*WINDOW, *MESSAGE, *TRIGGER},
    "no_collision": WINDOW,
    "keeps_distance_m": SAMPLED,
    "stops_within_m": {*SAMPLED, *TRIGGER},
    "reaches": SAMPLED,
    "coverage_min": {*SAMPLED, "by"},
    "path_length_max_m": SAMPLED,
    "standstill_max_s": SAMPLED,
}


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
    """A condition with one subject of SUBJECTS.

    It must hold at a time, over a window, or at the end.
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
    direction: Literal["in", "out"] | None = None
    message: str | None = None
    where: dict[str, bool | float | str] = {}
    min_count: Count | None = None
    max_count: Count | None = None
    min_hz: NotNegative | None = None
    max_hz: NotNegative | None = None
    reacts_within_ms: Positive | None = None
    after: str | None = None
    after_fault: str | None = None
    no_collision: Literal[True] | None = None
    keeps_distance_m: Positive | None = None
    stops_within_m: NotNegative | None = None
    reaches: Region | None = None
    coverage_min: Annotated[float, Field(gt=0, le=1)] | None = None
    by: Literal["swept", "lidar"] = "swept"
    path_length_max_m: NotNegative | None = None
    standstill_max_s: NotNegative | None = None
    program: str | None = None
    exit: Annotated[int, Field(ge=0, le=255)] | None = None
    alive: Literal[True] | None = None
    output: str | None = None
    restarts_max: Count | None = None
    memory_max_mb: Positive | None = None
    cpu_max_s: Positive | None = None

    @property
    def subjects(self) -> list[str]:
        """The keys that say what the expectation is about; one in a valid expectation."""
        found = [key for key in SUBJECTS if getattr(self, key) is not None]
        return [key for key in found if key != "port" or "reacts_within_ms" not in found]

    @property
    def subject(self) -> str:
        return self.subjects[0]

    @property
    def message_direction(self) -> Literal["in", "out"]:
        """The direction of the messages of the port, as the robot has it."""
        return self.direction or ("in" if self.reacts_within_ms is not None else "out")

    @property
    def has_rate(self) -> bool:
        return self.min_hz is not None or self.max_hz is not None

    @field_validator("output")
    @classmethod
    def is_expression(cls, output: str) -> str:
        try:
            re.compile(output)
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        return output

    @model_validator(mode="after")
    def one_subject(self) -> "Expectation":
        if len(self.subjects) != 1:
            raise ValueError(f"an expectation needs exactly one of: {', '.join(SUBJECTS)}")
        if self.subject == "value" and (self.min, self.max, self.equals) == (None, None, None):
            raise ValueError("a value needs min, max or equals")
        if self.port is None and (self.message is not None or self.where):
            raise ValueError("message and where choose among the messages of a port: name the port")
        if self.where and self.message is None:
            raise ValueError("where is about the fields of one type of message: name the message")
        if self.at_s is not None and self.subject in ("event", "port"):
            raise ValueError(
                "events and messages are counted over a window: give from_s and to_s, not at_s"
            )
        if self.at_s is not None and (self.from_s is not None or self.to_s is not None):
            raise ValueError("give at_s, or from_s and to_s, not both")
        if self.from_s is not None and self.to_s is not None and self.to_s < self.from_s:
            raise ValueError("to_s is before from_s")
        return self

    @model_validator(mode="after")
    def fitting_keys(self) -> "Expectation":
        allowed = {self.subject, *SUBJECTS[self.subject], *COMMON}
        for key in sorted(self.model_fields_set - allowed):
            raise ValueError(f"{key} does not belong to {self.subject}")
        self._check_that_it_can_fail()
        if self.subject == "port":
            self._check_port()
        elif self.subject == "program":
            self._check_program()
        elif "after" in SUBJECTS[self.subject]:
            if (self.after is None) == (self.after_fault is None):
                raise ValueError(
                    f"{self.subject} needs after (an event) or after_fault (a target or a program)"
                )
            if self.subject == "reacts_within_ms" and self.port is None:
                raise ValueError("reacts_within_ms needs the port of the messages that react")
        return self

    def _check_that_it_can_fail(self) -> None:
        counted = "min_count" not in SUBJECTS[self.subject] or "after" in SUBJECTS[self.subject]
        if not counted and self.min_count == 0 and self.max_count is None:
            raise ValueError("min_count = 0 always holds: give max_count, or a larger number")
        if self.min_hz == 0 and self.max_hz is None:
            raise ValueError("min_hz = 0 always holds: give max_hz, or a larger number")
        if not self.seen and (self.min_count, self.max_count) != (None, None):
            raise ValueError("seen = false is max_count = 0: give one of them, without min_count")
        least = self.min_count or 0
        if self.max_count is not None and self.max_count < least:
            raise ValueError("max_count is less than min_count, so that it never holds")

    def _check_port(self) -> None:
        counts = self.min_count is not None or self.max_count is not None
        if self.has_rate and (counts or not self.seen):
            raise ValueError("give min_hz and max_hz, or min_count and max_count, not both")
        if self.has_rate and self.to_s is not None and self.to_s <= (self.from_s or 0.0):
            raise ValueError("a rate needs a window: to_s after from_s")
        if not self.has_rate and self.message is None and not counts:
            raise ValueError("a port needs message, min_count or max_count, or min_hz or max_hz")

    def _check_program(self) -> None:
        given = [key for key in FACTS if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError(f"a program needs exactly one of: {', '.join(FACTS)}")
        extra = sorted(self.model_fields_set & {*WINDOW, *COUNTED})
        if self.output is None and extra:
            raise ValueError(f"{extra[0]} belongs to the output of a program, not to {given[0]}")
        if self.robot is not None:
            raise ValueError("an expectation on a program has no robot")
