"""The configuration of a robot, `robot_config.json`: identity, runtime, link, parts and behaviour.

Names are those of the file, so that a key is spelled the same in the file, in errors, in settings
and here. Unknown keys are errors, except in the free-form tables: `extensions`, a motor's
`metadata`, a driver's `config`, a device's `settings`.

A config without `schemaVersion` overrides keys of the robot that comes with rigless
(robot_config.json in this folder). A config with it is complete.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from rigless.kernel.problems import InputError, Problem
from rigless.robots.agv.fields import (
    ID,
    Bucket,
    Cooldown,
    Hz,
    Id,
    Kilograms,
    Margin,
    Metres,
    Millimetres,
    Milliseconds,
    Number,
    Offset,
    Part,
    Seconds,
    Text,
    Ticks,
    Truth,
    Version,
    nullable,
)
from rigless.robots.agv.profile import SimulationProfile
from rigless.robots.agv.vda5050_model.settings import Vda5050

ROW = 20  # robots of a fleet in a row
GOLDEN = 0.6180339887498949  # s between phases of two robots: spreads any number evenly
PHASES = 100  # phases in a second: robots that share one are cheaper
SCHEMA_VERSION = 1
OWN = Path(__file__).with_name("robot_config.json")
LONGEST_ID = 64

__all__ = ["ID", "OWN", "SCHEMA_VERSION", "RobotConfig", "complete", "own"]


class Identity(Part):
    """The identity of the robot."""

    robotId: Id = Field(
        description="Stable id, used in the robot's subjects and as its name in rigless."
    )
    robotCode: Text = Field(description="Display id, such as RB-001.")
    name: Text = Field(description="Display name.")
    vendor: str | None = Field(None, description="Manufacturer.")
    model: str | None = Field(None, description="Model name.")
    firmwareVersion: str | None = Field(None, description="Version of its firmware.")


class StartupPolicy(Part):
    """Behaviour at boot."""

    settingsBootstrapMode: Literal["ROBOT_WINS", "BACKEND_WINS"] = Field(
        "ROBOT_WINS",
        description="Which settings apply at boot: the robot's own, or the backend's last ones.",
    )
    resumePose: Truth = Field(
        False, description="Start where the last run on the network has left the robot."
    )


class HealthPolicy(Part):
    """Rules for motion with faulty parts or without a link."""

    allowDriveInWarning: Truth = Field(
        True, description="Drive while a functional motor is unhealthy."
    )
    requireNatsForMotion: Truth = Field(
        True, description="Stop and be OFFLINE without a connection to the backend."
    )


class Runtime(Part):
    """Mode, rates and policies."""

    mode: Literal["REAL", "MOCK"] = Field(
        description="REAL: the drivers named below. MOCK: everything is simulated."
    )
    tickHz: Ticks = Field(description="Rate of the main loop; 50 to 200 is usual.")
    startupPolicy: StartupPolicy = Field(StartupPolicy(), description="Behaviour at boot.")
    healthPolicy: HealthPolicy = Field(
        HealthPolicy(), description="Rules for motion with faulty parts or without a link."
    )
    simulationProfile: SimulationProfile | None = Field(
        None, description="The script of a simulated robot."
    )


class Timeouts(Part):
    """Timeouts of the connection."""

    connectTimeoutMs: Milliseconds | None = Field(None, description="For a connection.")
    publishTimeoutMs: Milliseconds | None = Field(
        None, description="For the acknowledgement of a message."
    )


class JetStream(Part):
    """The JetStream streams; created if they do not exist."""

    streamIn: Id | None = Field(
        None, description="Stream for messages to robots; default ROBOT_IN."
    )
    streamOut: Id | None = Field(
        None, description="Stream for messages of robots; default ROBOT_OUT."
    )
    streamState: Id | None = Field(
        None,
        description="Stream for state, telemetry, heartbeat and traffic.state, if streamOut does "
        "not take them; default ROBOT_STATE.",
    )


class Nats(Part):
    """The link to the backend."""

    servers: Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        description="nats:// or tls://HOST:PORT; the first reachable one is used."
    )
    credsFilePath: str = Field(
        description='Credentials of the robot; "" for a server without authentication.'
    )
    clientName: str | None = Field(None, description="Name of the connection on the server.")
    timeouts: Timeouts = Field(Timeouts(), description="Timeouts of the connection.")
    jetStream: JetStream = Field(JetStream(), description="The streams.")


class Corner(Part):
    """A corner of the footprint, in the frame of the robot: x ahead, y to the left."""

    xMm: Offset = Field(description="Ahead of the middle between the drive wheels.")
    yMm: Offset = Field(description="To the left.")


class Dimensions(Part):
    """The size of the robot."""

    lengthMm: Millimetres = Field(description="Along its heading.")
    widthMm: Millimetres = Field(description="Across.")
    heightMm: Millimetres = Field(description="From the floor.")
    wheelBaseMm: Millimetres | None = Field(None, description="Between the axles.")
    trackWidthMm: Millimetres | None = Field(
        None, description="Between the drive wheels; default: the width."
    )
    footprint: Annotated[tuple[Corner, ...], Field(max_length=12)] | None = Field(
        None,
        description="Corners of a convex footprint, in order; default: length by width.",
    )
    payloadMaxKg: Kilograms | None = Field(None, description="Maximum payload.")


class Modules(Part):
    """The message groups that the robot supports."""

    task: Truth = Field(True, description="task.*")
    traffic: Truth = Field(True, description="traffic.*")
    route: Truth = Field(True, description="route.*")
    teach: Truth = Field(True, description="teach.*")
    settings: Truth = Field(True, description="settings.*")


class Capabilities(Part):
    """Commands and modules that the robot supports."""

    flags: dict[str, Truth] = Field({}, description="For the backend, such as hasBarcodeScanner.")
    supportedCommands: tuple[str, ...] | None = Field(
        None, description="The commands that it accepts; default: all."
    )
    supportedModules: Modules = Field(Modules(), description="The message groups that it supports.")


class Quantity(Part):
    """A number with its unit."""

    unit: Text = Field(description="For example mps, mmps2, mm, deg, rpm.")
    value: Number = Field(description="The value in that unit.")


class Limits(Part):
    """The limits of a motor, in units of your choice."""

    maxSpeed: Quantity = Field(description="Top speed.")
    maxAcceleration: Quantity = Field(description="Acceleration.")
    maxDeceleration: Quantity = Field(description="Deceleration.")
    positionMin: Quantity | None = Field(None, description="Lowest position of an axis.")
    positionMax: Quantity | None = Field(None, description="Highest position of an axis.")


class ResetPolicy(Part):
    """The effect of RESET_MOTOR."""

    supportsReset: Truth = Field(description="Whether RESET_MOTOR can reset an error of the motor.")
    resetCooldownMs: Cooldown | None = Field(None, description="Minimum time between resets.")


class MotorDriver(Part):
    """The driver of a motor."""

    type: Literal["PLC", "CANOPEN", "SERIAL", "MOCK"] = Field(
        description="Entry point in rigless.agv.motors."
    )
    config: Bucket = Field({}, description="Configuration of the driver.")


class IoDriver(Part):
    """The driver of a digital line."""

    type: Literal["PLC", "GPIO", "MOCK"] = Field(description="Entry point in rigless.agv.io.")
    config: Bucket = Field(
        {},
        description="For the driver; for a limit sensor also motorId, functionKey, edge.",
    )


class DeviceDriver(Part):
    """The driver of a device."""

    type: Literal["ETHERNET", "USB", "SERIAL", "MOCK"] = Field(
        description="Entry point in rigless.agv.devices."
    )
    config: Bucket = Field({}, description="Configuration of the driver.")


class Motor(Part):
    """A motor that drives the robot, or a functional axis."""

    motorId: Id = Field(description="Unique in the robot.")
    role: Literal["DRIVE", "FUNCTIONAL"] = Field(
        description="DRIVE moves the robot, FUNCTIONAL another axis."
    )
    functionKey: Text | None = Field(
        None, description="Function of a FUNCTIONAL motor: GRIPPER, HOIST, or your own."
    )
    driver: MotorDriver = Field(description="Its driver in mode REAL.")
    limits: Limits = Field(description="Its limits.")
    resetPolicy: ResetPolicy = Field(description="Effect of RESET_MOTOR.")
    metadata: Bucket = Field(
        {},
        description="Free-form; rigless reads wheelDiameterMm, gearRatio and ratedCurrentA.",
    )


class DigitalInput(Part):
    """A digital input."""

    ioId: Id = Field(description="Unique in the robot.")
    type: Text = Field(
        description="ESTOP_CHAIN, LIMIT_SENSOR, or your own; OBSTACLE, BUMPER or LIDAR for a guard."
    )
    driver: IoDriver = Field(description="Its driver in mode REAL.")
    required: Truth = Field(False, description="If true, the robot does not move without it.")


class DigitalOutput(Part):
    """A digital output."""

    ioId: Id = Field(description="Unique in the robot.")
    type: Text = Field(description="MOTOR_ENABLE, BUZZER, or your own.")
    driver: IoDriver = Field(description="Its driver in mode REAL.")


class Device(Part):
    """A device with more data than a digital line."""

    deviceId: Id = Field(description="Unique in the robot.")
    type: Text = Field(description="LIDAR, BARCODE_SCANNER, or your own.")
    driver: DeviceDriver = Field(description="Its driver in mode REAL.")
    required: Truth = Field(False, description="If true, the robot does not move without it.")
    settings: Bucket = Field({}, description="Free-form settings of the device.")


class Io(Part):
    """Inputs, outputs and devices."""

    digitalInputs: tuple[DigitalInput, ...] = Field((), description="Digital inputs.")
    digitalOutputs: tuple[DigitalOutput, ...] = Field((), description="Digital outputs.")
    devices: tuple[Device, ...] = Field((), description="Scanners, lidars and other devices.")


class Streams(Part):
    """The rates of the published streams."""

    heartbeatHz: Hz = Field(description="heartbeat")
    stateHz: Hz = Field(description="state, in addition to changes")
    telemetryHz: Hz = Field(description="telemetry")
    trafficHz: Hz = Field(description="traffic.state")
    taskHz: Hz | None = Field(
        None, description="task.progress while a task runs, in addition to changes; default 1"
    )


class Safety(Part):
    """Conditions in which the robot stops by itself."""

    stopOnEstop: Truth = Field(description="Stop when the emergency stop is pressed.")
    estopAcknowledge: Literal["MANUAL", "AUTO"] = Field(
        "MANUAL",
        description="After the release of the emergency stop. MANUAL: stay stopped until RESUME or"
        " CLEAR_FAULT. AUTO: continue.",
    )
    stopOnObstacle: Truth = Field(description="Stop for obstacles.")
    obstacleStopDistanceMeters: Metres | None = Field(
        None, description="Distance at which the robot stops."
    )
    obstacleWarnDistanceMeters: Metres | None = Field(
        None, description="Distance at which it warns."
    )
    fieldMarginMeters: Margin | None = Field(
        None,
        description="How much wider than the footprint its field is, on each side; default 0.05.",
    )
    rerouteAfterSeconds: Seconds | None = Field(
        None,
        description="Ask for another route when an obstacle has blocked a motion for this time,"
        " and again after it; default 10, 0: never.",
    )
    stopOnCollision: Truth = Field(
        True,
        description="Stop at a contact with a robot, an obstacle or a wall, until RESUME or"
        " CLEAR_FAULT.",
    )


class RobotConfig(Part):
    """The configuration of one robot."""

    model_config = ConfigDict(title="robot_config.json", json_schema_extra=nullable)

    also_compile: ClassVar[tuple[str, ...]] = (
        "runtime.simulationProfile.map=hall",
        "runtime.simulationProfile.robotsAreObstacles=true",
    )

    schemaVersion: Version = Field(description=f"Version of this format: {SCHEMA_VERSION}.")
    identity: Identity = Field(description="The identity of the robot.")
    runtime: Runtime = Field(description="Mode, rates and policies.")
    nats: Nats = Field(description="The link to the backend.")
    dimensions: Dimensions = Field(description="The size of the robot.")
    capabilities: Capabilities = Field(description="Commands and modules that the robot supports.")
    motors: tuple[Motor, ...] = Field(description="The motors.")
    io: Io = Field(description="Inputs, outputs and devices.")
    streams: Streams = Field(description="The rates of the published streams.")
    safety: Safety = Field(description="Conditions in which the robot stops by itself.")
    vda5050: Vda5050 | None = Field(None, description="The VDA 5050 front end, over MQTT.")
    extensions: Bucket = Field({}, description="Free-form, for your own tools.")

    @model_validator(mode="before")
    @classmethod
    def _of_the_own_robot(cls, given: Any) -> Any:
        whole = complete(given)
        if isinstance(whole, Mapping) and whole["schemaVersion"] is None:
            return {key: value for key, value in whole.items() if key != "schemaVersion"}
        return whole

    def fleet_member(self, number: int) -> "RobotConfig":
        """Return the config of one robot of a fleet: the same robot with its own robotId."""
        own = self.identity
        robot_id = f"{own.robotId}-{number}"
        if len(robot_id) > LONGEST_ID:
            what = f"{robot_id!r} has more than {LONGEST_ID} characters"
            raise InputError(
                Problem(
                    "identity.robotId",
                    what,
                    "a fleet counts its robots in it; choose a shorter one",
                )
            )
        identity = own.model_copy(
            update={"robotId": robot_id, "robotCode": f"{own.robotCode}-{number}"}
        )
        return self.model_copy(update={"identity": identity})

    def offset_from(self, others: int) -> "RobotConfig":
        """Return the config of a robot after `others` of its kind: it has a phase of its own."""
        profile = self.runtime.simulationProfile or SimulationProfile()
        if not others or profile.phaseS is not None:
            return self
        return self._with_profile(profile, phaseS=int(others * GOLDEN % 1.0 * PHASES) / PHASES)

    def with_map(self, name: str) -> "RobotConfig":
        """Return the config with another map of its world."""
        return self._with_profile(self.runtime.simulationProfile or SimulationProfile(), map=name)

    def _with_profile(self, profile: SimulationProfile, **keys: Any) -> "RobotConfig":
        changed = {"simulationProfile": profile.model_copy(update=keys)}
        return self.model_copy(update={"runtime": self.runtime.model_copy(update=changed)})

    def row_start(self, others: int) -> tuple[float, float, float]:
        """Return the start on an open plane of a robot after `others` of its kind."""
        row, place = divmod(others, ROW)
        pitch_m = 2.0 * self.dimensions.lengthMm / 1000
        return pitch_m * row, 0.0 - pitch_m * place, 0.0


@cache
def _own_text() -> str:
    return OWN.read_text("utf-8")


def own() -> dict[str, Any]:
    """Return the configuration of the robot that comes with rigless."""
    found: dict[str, Any] = json.loads(_own_text())
    return found


def complete(given: Any) -> Any:
    """Return a complete config.

    One without schemaVersion overrides the robot that comes with rigless. A null version stands for
    a file without one.
    """
    return (
        given if not isinstance(given, Mapping) or "schemaVersion" in given else _over(own(), given)
    )


def with_name(given: Any, name: str) -> Any:
    """Return a config with this robotId, if it has none and the name is valid in subjects."""
    if not isinstance(given, Mapping) or "schemaVersion" in given or not re.fullmatch(ID, name):
        return given
    identity = given.get("identity", {})
    return (
        {**given, "identity": {"robotId": name, **identity}}
        if isinstance(identity, Mapping)
        else given
    )


def _over(below: Any, above: Any) -> Any:
    """Return one value with another on top of it.

    Tables are merged key by key; lists are replaced, or merged by index.
    """
    if isinstance(below, list) and isinstance(above, Mapping):
        numbers = {str(number): number for number in range(len(below))}
        if above.keys() <= numbers.keys():
            merged = list(below)
            for key, value in above.items():
                merged[numbers[key]] = _over(below[numbers[key]], value)
            return merged
    if not isinstance(below, Mapping) or not isinstance(above, Mapping):
        return above
    return {**below, **{key: _over(below.get(key), value) for key, value in above.items()}}
