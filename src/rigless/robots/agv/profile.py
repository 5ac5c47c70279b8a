"""`runtime.simulationProfile`: what happens to a robot that is simulated, as data. Without one, nothing goes wrong.

Times are seconds since boot, lengths metres, angles radians.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rigless.kernel.robot import Config

Seconds = Annotated[float, Field(ge=0, le=1e9)]
Chance = Annotated[float, Field(ge=0, le=1)]


class InitialPose(Config):
    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0
    mapId: str = "map"


class FaultRule(Config):
    """A fault that begins at a time, after a distance driven, when a command of a type begins, or by chance each second; it ends after
    `durationS`, or stays until it is cleared. `target` is a motorId, ioId or deviceId; `kind` one of its faults (the first, if none)."""

    target: str
    kind: str = ""
    atS: Seconds | None = None
    afterDistanceM: Annotated[float, Field(ge=0)] | None = None
    onCommand: str | None = None
    chancePerS: Chance | None = None
    durationS: Seconds | None = None
    params: dict[str, Any] = {}

    @model_validator(mode="after")
    def _has_one_trigger(self) -> "FaultRule":
        triggers = ("atS", "afterDistanceM", "onCommand", "chancePerS")
        if sum(getattr(self, name) is not None for name in triggers) != 1:
            raise ValueError(f"a rule begins in one way: give one of {', '.join(triggers)}")
        return self


class ObstacleEntry(Config):
    """Something in the way: at a distance ahead of the robot wherever it is (`distanceM`), or at a place (`x`, `y`)."""

    atS: Seconds = 0.0
    untilS: Seconds | None = None
    distanceM: Annotated[float, Field(ge=0)] | None = None
    x: float | None = None
    y: float | None = None
    radiusM: Annotated[float, Field(gt=0)] = 0.25

    @model_validator(mode="after")
    def _is_somewhere(self) -> "ObstacleEntry":
        placed = self.x is not None and self.y is not None
        if placed == (self.distanceM is not None) or (self.x is None) != (self.y is None):
            raise ValueError("an obstacle is at distanceM ahead, or at x and y")
        return self


class BarcodeEntry(Config):
    """A code that a scanner reads at a time; the first scanner, if none is named."""

    atS: Seconds
    code: str
    deviceId: str | None = None


class Marker(Config):
    """A code on the floor, read by every scanner that passes over it."""

    code: str
    x: float
    y: float
    radiusM: Annotated[float, Field(gt=0)] = 0.05


class Battery(Config):
    """A cell that empties with time and with driving, and fills on a charger."""

    capacityWh: Annotated[float, Field(gt=0)] = 960.0
    initialSoc: Chance = 1.0
    idleW: Annotated[float, Field(ge=0)] = 30.0
    driveWPerMps: Annotated[float, Field(ge=0)] = 150.0
    chargeW: Annotated[float, Field(ge=0)] = 500.0


class SimulationProfile(Config):
    name: str = "ideal"
    initialPose: InitialPose = InitialPose()
    kinematics: Literal["DIFFERENTIAL", "TRACK"] | None = None  # by the number of drive motors: two or more, or one
    faultInjectionRules: tuple[FaultRule, ...] = ()
    obstacleScript: tuple[ObstacleEntry, ...] = ()
    barcodeScript: tuple[BarcodeEntry, ...] = ()
    markers: tuple[Marker, ...] = ()
    battery: Battery = Battery()
    map: str | None = None  # a map of rigless's or a map_server file: its walls are obstacles
