"""The robot's own configuration, `robot_config.json`: what it is, what it is made of, whom it talks to and how it behaves.

Names are those of the file, so that a key is spelled the same in the file, in errors, in settings and here. Unknown keys are errors, but
for the buckets that are meant for others: `extensions`, a motor's `metadata`, a driver's `config`, a device's `settings`.

A config without `schemaVersion` changes the robot that comes with rigless (robot_config.json beside this file); one with it is whole.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, model_validator

from rigless.kernel.robot import Config
from rigless.robots.agv.profile import SimulationProfile

SCHEMA_VERSION = 1
OWN = Path(__file__).with_name("robot_config.json")
ID = r"^[A-Za-z0-9_-]{1,64}$"  # what can stand in a subject

Id = Annotated[str, Field(pattern=ID)]
Text = Annotated[str, Field(min_length=1, max_length=256)]
Bucket = dict[str, Any]
Positive = Annotated[float, Field(gt=0)]
Millimetres = Annotated[int, Field(gt=0, le=1_000_000)]
Hz = Annotated[float, Field(gt=0, le=1000)]


class Identity(Config):
    robotId: Id
    robotCode: Text
    name: Text
    vendor: str | None = None
    model: str | None = None
    firmwareVersion: str | None = None


class StartupPolicy(Config):
    settingsBootstrapMode: Literal["ROBOT_WINS", "BACKEND_WINS"] = "ROBOT_WINS"


class HealthPolicy(Config):
    allowDriveInWarning: StrictBool = True
    requireNatsForMotion: StrictBool = True


class Runtime(Config):
    mode: Literal["REAL", "MOCK"]
    tickHz: Annotated[int, Field(ge=1, le=1000, description="Rate of the main loop; 50 to 200 is usual.")]
    startupPolicy: StartupPolicy = StartupPolicy()
    healthPolicy: HealthPolicy = HealthPolicy()
    simulationProfile: SimulationProfile | None = None


class Timeouts(Config):
    connectTimeoutMs: Annotated[int, Field(ge=1, le=600_000)] | None = None
    publishTimeoutMs: Annotated[int, Field(ge=1, le=600_000)] | None = None


class JetStream(Config):
    streamIn: Id | None = None
    streamOut: Id | None = None


class Nats(Config):
    servers: Annotated[tuple[Text, ...], Field(min_length=1)]
    credsFilePath: str
    clientName: str | None = None
    timeouts: Timeouts = Timeouts()
    jetStream: JetStream = JetStream()


class Dimensions(Config):
    lengthMm: Millimetres
    widthMm: Millimetres
    heightMm: Millimetres
    wheelBaseMm: Millimetres | None = None
    trackWidthMm: Millimetres | None = None
    payloadMaxKg: Annotated[float, Field(ge=0)] | None = None


class Modules(Config):
    """The groups of messages that the robot takes part in."""

    task: StrictBool = True
    traffic: StrictBool = True
    route: StrictBool = True
    teach: StrictBool = True
    settings: StrictBool = True


class Capabilities(Config):
    flags: dict[str, StrictBool] = {}
    supportedCommands: tuple[str, ...] | None = None
    supportedModules: Modules = Modules()


class Quantity(Config):
    unit: Text
    value: float


class Limits(Config):
    maxSpeed: Quantity
    maxAcceleration: Quantity
    maxDeceleration: Quantity
    positionMin: Quantity | None = None
    positionMax: Quantity | None = None


class ResetPolicy(Config):
    supportsReset: StrictBool
    resetCooldownMs: Annotated[int, Field(ge=0, le=3_600_000)] | None = None


class MotorDriver(Config):
    type: Literal["PLC", "CANOPEN", "SERIAL", "MOCK"]
    config: Bucket = {}


class IoDriver(Config):
    type: Literal["PLC", "GPIO", "MOCK"]
    config: Bucket = {}


class DeviceDriver(Config):
    type: Literal["ETHERNET", "USB", "SERIAL", "MOCK"]
    config: Bucket = {}


class Motor(Config):
    motorId: Id
    role: Literal["DRIVE", "FUNCTIONAL"]
    functionKey: Text | None = None
    driver: MotorDriver
    limits: Limits
    resetPolicy: ResetPolicy
    metadata: Bucket = {}


class DigitalInput(Config):
    ioId: Id
    type: Text
    driver: IoDriver
    required: StrictBool = False


class DigitalOutput(Config):
    ioId: Id
    type: Text
    driver: IoDriver


class Device(Config):
    deviceId: Id
    type: Text
    driver: DeviceDriver
    required: StrictBool = False
    settings: Bucket = {}


class Io(Config):
    digitalInputs: tuple[DigitalInput, ...] = ()
    digitalOutputs: tuple[DigitalOutput, ...] = ()
    devices: tuple[Device, ...] = ()


class Streams(Config):
    """How often the robot speaks of itself."""

    heartbeatHz: Hz
    stateHz: Hz
    telemetryHz: Hz
    trafficHz: Hz
    taskHz: Hz | None = None


class Safety(Config):
    stopOnEstop: StrictBool
    stopOnObstacle: StrictBool
    obstacleStopDistanceMeters: Positive | None = None
    obstacleWarnDistanceMeters: Positive | None = None


class RobotConfig(Config):
    """The whole file."""

    schemaVersion: Annotated[int, Field(ge=1)]
    identity: Identity
    runtime: Runtime
    nats: Nats
    dimensions: Dimensions
    capabilities: Capabilities
    motors: tuple[Motor, ...]
    io: Io
    streams: Streams
    safety: Safety
    extensions: Bucket = {}

    @model_validator(mode="before")
    @classmethod
    def _of_the_own_robot(cls, given: Any) -> Any:
        return given if not isinstance(given, Mapping) or "schemaVersion" in given else _over(own(), given)


@cache
def _own_text() -> str:
    return OWN.read_text("utf-8")


def own() -> dict[str, Any]:
    """The configuration of the robot that comes with rigless."""
    found: dict[str, Any] = json.loads(_own_text())
    return found


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """One table laid over another; lists are replaced."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _over(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return merged
