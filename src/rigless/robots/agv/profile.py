"""`runtime.simulationProfile`: what happens to a robot that is simulated, as data. Without one, nothing goes wrong.

Times are seconds since boot, lengths metres, angles radians.
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from rigless.robots.agv.fields import (
    Amount,
    Bucket,
    Chance,
    Coordinate,
    Part,
    Positive,
    Seconds,
    Truth,
    nullable,
)

TRIGGERS = ("atS", "afterDistanceM", "onCommand", "chancePerS")


def _given(*names: str) -> dict[str, Any]:
    """JSON Schema for: these keys are there, and not null."""
    return {
        "required": list(names),
        "properties": {name: {"not": {"type": "null"}} for name in names},
    }


def _one_trigger(schema: dict[str, Any]) -> None:
    nullable(schema)
    schema["oneOf"] = [_given(name) for name in TRIGGERS]


def _one_place(schema: dict[str, Any]) -> None:
    nullable(schema)
    placed = {"anyOf": [_given("x"), _given("y")]}
    schema["oneOf"] = [
        {**_given("distanceM"), "not": placed},
        {**_given("x", "y"), "not": _given("distanceM")},
    ]


class InitialPose(Part):
    """Where the robot is when it starts."""

    x: Coordinate = Field(0.0, description="Metres.")
    y: Coordinate = Field(0.0, description="Metres.")
    theta: Coordinate = Field(0.0, description="Heading in radians, counter-clockwise from x.")
    mapId: str = Field("map", description="The map that x and y are of, as the backend calls it.")


class FaultRule(Part):
    """A fault that begins at a time, after a distance driven, when a command of a type begins, or by chance each second; it ends after
    `durationS`, or stays until it is cleared."""

    model_config = ConfigDict(json_schema_extra=_one_trigger)

    target: str = Field(description="A motorId, ioId or deviceId, or `nats`.")
    kind: str = Field(
        "", description="One of the target's faults; the first of them, if none is named."
    )
    atS: Seconds | None = Field(None, description="Begins at this time.")
    afterDistanceM: Amount | None = Field(
        None, description="Begins when the robot has driven this far."
    )
    onCommand: str | None = Field(None, description="Begins when a command of this type begins.")
    chancePerS: Chance | None = Field(None, description="Begins with this chance each second.")
    durationS: Seconds | None = Field(
        None, description="Ends after this time; without it, it stays."
    )
    params: Bucket = Field({}, description="What this kind of fault can be given.")

    @model_validator(mode="after")
    def _has_one_trigger(self) -> "FaultRule":
        if sum(getattr(self, name) is not None for name in TRIGGERS) != 1:
            raise ValueError(f"a rule begins in one way; give one of {', '.join(TRIGGERS)}")
        return self


class ObstacleEntry(Part):
    """Something in the way: at a distance ahead of the robot wherever it is (`distanceM`), or at a place (`x`, `y`)."""

    model_config = ConfigDict(json_schema_extra=_one_place)

    atS: Seconds = Field(0.0, description="Appears at this time.")
    untilS: Seconds | None = Field(None, description="Is gone at this time; without it, it stays.")
    distanceM: Amount | None = Field(
        None, description="Distance ahead of the robot, from its front."
    )
    x: Coordinate | None = Field(None, description="Its place, metres.")
    y: Coordinate | None = Field(None, description="Its place, metres.")
    radiusM: Positive = Field(0.25, description="How big it is at its place.")

    @model_validator(mode="after")
    def _is_somewhere(self) -> "ObstacleEntry":
        placed = self.x is not None and self.y is not None
        if placed == (self.distanceM is not None) or (self.x is None) != (self.y is None):
            raise ValueError("an obstacle is somewhere; give distanceM ahead, or x and y")
        return self


class BarcodeEntry(Part):
    """A code that a scanner reads at a time."""

    atS: Seconds = Field(description="Read at this time.")
    code: str = Field(description="What is read.")
    deviceId: str | None = Field(
        None, description="The scanner that reads it; the first, if none is named."
    )


class Marker(Part):
    """A code on the floor, read by every scanner that passes over it."""

    code: str = Field(description="What is read.")
    x: Coordinate = Field(description="Its place, metres.")
    y: Coordinate = Field(description="Its place, metres.")
    radiusM: Positive = Field(0.05, description="How close a scanner must come.")


class Battery(Part):
    """A cell that empties with time and with driving, and fills on a charger."""

    capacityWh: Positive = Field(960.0, description="Energy of the full battery.")
    initialSoc: Chance = Field(1.0, description="How full it is at boot, 0 to 1.")
    idleW: Amount = Field(30.0, description="Power at rest.")
    driveWPerMps: Amount = Field(150.0, description="Power for each m/s driven.")
    chargeW: Amount = Field(500.0, description="Power on the charger.")


class SimulationProfile(Part):
    """What happens to the simulated robot."""

    name: str = Field("ideal", description="For people.")
    initialPose: InitialPose | None = Field(
        None,
        description="Where the robot starts; without it at 0, 0, and robots of a fleet beside each other.",
    )
    phaseS: Seconds | None = Field(
        None,
        description="How much earlier than at whole periods its ticks and streams come; without it 0, and robots of a fleet differ.",
    )
    kinematics: Literal["DIFFERENTIAL", "TRACK"] | None = Field(
        None,
        description="How it moves; without it DIFFERENTIAL with two or more drive motors, TRACK with one.",
    )
    faultInjectionRules: tuple[FaultRule, ...] = Field((), description="What fails, and when.")
    obstacleScript: tuple[ObstacleEntry, ...] = Field(
        (), description="What gets in the way, and when."
    )
    robotsAreObstacles: Truth = Field(
        False, description="Whether the other robots of its world get in the way."
    )
    barcodeScript: tuple[BarcodeEntry, ...] = Field(
        (), description="What the scanners read, and when."
    )
    markers: tuple[Marker, ...] = Field((), description="Codes on the floor.")
    battery: Battery | None = Field(
        None, description="The battery; without it, one that never gets low."
    )
    map: str | None = Field(
        None,
        description="A map that comes with rigless, or a map_server .yaml beside the file: its walls are obstacles.",
    )
