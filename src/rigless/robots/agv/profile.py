"""`runtime.simulationProfile`: faults, obstacles, codes and battery of a simulated robot, as data.

Without a profile nothing fails. Times are seconds since boot, lengths metres, angles radians.
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from rigless.robots.agv.fields import (
    Amount,
    Bucket,
    Chance,
    Coordinate,
    Metres,
    Part,
    Seconds,
    Truth,
    WattHours,
    Watts,
    nullable,
)

TRIGGERS = ("atS", "afterDistanceM", "onCommand", "chancePerS")


def _given(*names: str) -> dict[str, Any]:
    """Return the JSON Schema for: these keys are present and not null."""
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
    """The pose at boot."""

    x: Coordinate = Field(0.0, description="Metres.")
    y: Coordinate = Field(0.0, description="Metres.")
    theta: Coordinate = Field(0.0, description="Heading in radians, counter-clockwise from x.")
    mapId: str = Field("map", description="Id of the map in the backend.")


class FaultRule(Part):
    """A fault with one trigger: a time, a distance, a command, or a chance per second.

    It ends after `durationS`, or when it is cleared.
    """

    model_config = ConfigDict(json_schema_extra=_one_trigger)

    target: str = Field(description="A motorId, ioId or deviceId, or `nats`.")
    kind: str = Field("", description="One of the target's faults; default: the first one.")
    atS: Seconds | None = Field(None, description="Begins at this time.")
    afterDistanceM: Amount | None = Field(None, description="Begins after this distance.")
    onCommand: str | None = Field(None, description="Begins when a command of this type begins.")
    chancePerS: Chance | None = Field(None, description="Begins with this chance each second.")
    durationS: Seconds | None = Field(None, description="Ends after this time; default: never.")
    params: Bucket = Field({}, description="Parameters of the fault.")

    @model_validator(mode="after")
    def _has_one_trigger(self) -> "FaultRule":
        if sum(getattr(self, name) is not None for name in TRIGGERS) != 1:
            raise ValueError(f"a rule begins in one way; give one of {', '.join(TRIGGERS)}")
        return self


class ObstacleEntry(Part):
    """An obstacle at a distance ahead of the robot (`distanceM`), or at a point (`x`, `y`)."""

    model_config = ConfigDict(json_schema_extra=_one_place)

    atS: Seconds = Field(0.0, description="Appears at this time.")
    untilS: Seconds | None = Field(None, description="Disappears at this time; default: never.")
    distanceM: Amount | None = Field(
        None, description="Distance ahead of the robot, from its front."
    )
    x: Coordinate | None = Field(None, description="Position, metres.")
    y: Coordinate | None = Field(None, description="Position, metres.")
    radiusM: Metres = Field(0.25, description="Radius of an obstacle at a point.")

    @model_validator(mode="after")
    def _is_somewhere(self) -> "ObstacleEntry":
        placed = self.x is not None and self.y is not None
        if placed == (self.distanceM is not None) or (self.x is None) != (self.y is None):
            raise ValueError("an obstacle is somewhere; give distanceM ahead, or x and y")
        return self


class BarcodeEntry(Part):
    """A code that a scanner reads at a time."""

    atS: Seconds = Field(description="Read at this time.")
    code: str = Field(description="The code.")
    deviceId: str | None = Field(
        None, description="The scanner that reads it; default: the first one."
    )


class Marker(Part):
    """A code on the floor, read by every scanner that passes over it."""

    code: str = Field(description="The code.")
    x: Coordinate = Field(description="Position, metres.")
    y: Coordinate = Field(description="Position, metres.")
    radiusM: Metres = Field(0.05, description="Reading distance.")


class Battery(Part):
    """A battery that is discharged by time and driving, and charged on a charger."""

    capacityWh: WattHours = Field(960.0, description="Energy of the full battery.")
    initialSoc: Chance = Field(1.0, description="State of charge at boot, 0 to 1.")
    idleW: Watts = Field(30.0, description="Power at rest.")
    driveWPerMps: Watts = Field(150.0, description="Power for each m/s driven.")
    chargeW: Watts = Field(500.0, description="Most power that it takes on a charger.")
    taperFromSoc: Chance = Field(
        0.8, description="Charge from which the power falls; 1: it is constant."
    )
    lowSoc: Chance = Field(0.15, description="Charge below which BATTERY_LOW is published.")
    whenLow: Literal["REPORT", "CHARGE"] = Field(
        "REPORT",
        description="CHARGE: an idle robot with a low battery drives to a charger of the layout.",
    )
    chargeToSoc: Chance = Field(0.95, description="Charge at which it stops charging then.")


class SimulationProfile(Part):
    """The script of a simulated robot."""

    name: str = Field("ideal", description="Display name.")
    initialPose: InitialPose | None = Field(
        None,
        description="Pose at boot; default: a place of the layout, or 0, 0 and side by side.",
    )
    phaseS: Seconds | None = Field(
        None,
        description="Phase of ticks and streams; default 0, and spread for robots of a fleet.",
    )
    kinematics: Literal["DIFFERENTIAL", "TRACK"] | None = Field(
        None,
        description="Default: DIFFERENTIAL with two or more drive motors, TRACK with one.",
    )
    faultInjectionRules: tuple[FaultRule, ...] = Field(
        (), description="Faults with their triggers."
    )
    obstacleScript: tuple[ObstacleEntry, ...] = Field((), description="Obstacles with their times.")
    robotsAreObstacles: Truth = Field(
        True, description="Whether other robots of its world are obstacles."
    )
    barcodeScript: tuple[BarcodeEntry, ...] = Field((), description="Codes with their times.")
    markers: tuple[Marker, ...] = Field((), description="Codes on the floor.")
    battery: Battery | None = Field(
        None, description="The battery; default: one that never gets low."
    )
    map: str | None = Field(
        None,
        description="A bundled map, or a map_server .yaml in the file's folder; for its walls.",
    )
