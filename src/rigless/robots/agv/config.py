"""The robot's own configuration, `robot_config.json`: what it is, what it is made of, whom it talks to and how it behaves.

Names are those of the file, so that a key is spelled the same in the file, in errors, in settings and here. Unknown keys are errors, but
for the buckets that are meant for others: `extensions`, a motor's `metadata`, a driver's `config`, a device's `settings`.

A config without `schemaVersion` changes the robot that comes with rigless (robot_config.json beside this file); one with it is whole.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from rigless.kernel.problems import InputError, Problem
from rigless.robots.agv.fields import (
    ID,
    Bucket,
    Cooldown,
    Hz,
    Id,
    Millimetres,
    Milliseconds,
    NotNegative,
    Number,
    Part,
    Positive,
    Text,
    Ticks,
    Truth,
    Version,
    nullable,
)
from rigless.robots.agv.profile import InitialPose, SimulationProfile

ROW = 20  # robots of a fleet that start beside each other
GOLDEN = 0.6180339887498949  # of a second from one robot of a fleet to the next: however many there are, they are spread evenly
PHASES = 100  # in a second: every waking of the computer and every write to a socket costs, and what is alike is quicker together
SCHEMA_VERSION = 1
OWN = Path(__file__).with_name("robot_config.json")
LONGEST_ID = 64

__all__ = ["ID", "OWN", "SCHEMA_VERSION", "RobotConfig", "complete", "own"]


class Identity(Part):
    """Who the robot is."""

    robotId: Id = Field(
        description="Stable id, in the robot's subjects; what it is called in rigless too."
    )
    robotCode: Text = Field(description="Id for people, such as RB-001.")
    name: Text = Field(description="Name for people.")
    vendor: str | None = Field(None, description="Who made it.")
    model: str | None = Field(None, description="What it is one of.")
    firmwareVersion: str | None = Field(None, description="What runs on it.")


class StartupPolicy(Part):
    """What happens at boot."""

    settingsBootstrapMode: Literal["ROBOT_WINS", "BACKEND_WINS"] = Field(
        "ROBOT_WINS",
        description="Whose settings count at boot: the robot's own, or the last that the backend wished.",
    )


class HealthPolicy(Part):
    """What the robot may do when not all is well."""

    allowDriveInWarning: Truth = Field(
        True, description="Drive while a functional motor is unhealthy."
    )
    requireNatsForMotion: Truth = Field(
        True, description="Stand still, and be OFFLINE, without a way to the backend."
    )


class Runtime(Part):
    """How the program runs."""

    mode: Literal["REAL", "MOCK"] = Field(
        description="REAL: the drivers named below. MOCK: everything is simulated."
    )
    tickHz: Ticks = Field(description="Rate of the main loop; 50 to 200 is usual.")
    startupPolicy: StartupPolicy = Field(StartupPolicy(), description="What happens at boot.")
    healthPolicy: HealthPolicy = Field(
        HealthPolicy(), description="What is allowed when not all is well."
    )
    simulationProfile: SimulationProfile | None = Field(
        None, description="What happens to a simulated robot."
    )


class Timeouts(Part):
    """How long to wait for the server."""

    connectTimeoutMs: Milliseconds | None = Field(None, description="For a connection.")
    publishTimeoutMs: Milliseconds | None = Field(
        None, description="For a message to be acknowledged."
    )


class JetStream(Part):
    """The streams; made if they are not there."""

    streamIn: Id | None = Field(None, description="Messages to robots; ROBOT_IN if not named.")
    streamOut: Id | None = Field(None, description="Messages of robots; ROBOT_OUT if not named.")


class Nats(Part):
    """The way to the backend."""

    servers: Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        description="nats:// or tls://HOST:PORT; the first in reach is used."
    )
    credsFilePath: str = Field(
        description='Credentials of the robot; "" for a server that wants none.'
    )
    clientName: str | None = Field(None, description="Name of the connection on the server.")
    timeouts: Timeouts = Field(Timeouts(), description="How long to wait for the server.")
    jetStream: JetStream = Field(JetStream(), description="The streams.")


class Dimensions(Part):
    """How big the robot is."""

    lengthMm: Millimetres = Field(description="Along its heading.")
    widthMm: Millimetres = Field(description="Across.")
    heightMm: Millimetres = Field(description="From the floor.")
    wheelBaseMm: Millimetres | None = Field(None, description="Between the axles.")
    trackWidthMm: Millimetres | None = Field(
        None, description="Between the drive wheels; the width if not given."
    )
    payloadMaxKg: NotNegative | None = Field(None, description="What it can carry.")


class Modules(Part):
    """The groups of messages that the robot takes part in."""

    task: Truth = Field(True, description="task.*")
    traffic: Truth = Field(True, description="traffic.*")
    route: Truth = Field(True, description="route.*")
    teach: Truth = Field(True, description="teach.*")
    settings: Truth = Field(True, description="settings.*")


class Capabilities(Part):
    """What the robot can do."""

    flags: dict[str, Truth] = Field({}, description="For the backend, such as hasBarcodeScanner.")
    supportedCommands: tuple[str, ...] | None = Field(
        None, description="The only commands it takes; all, if not given."
    )
    supportedModules: Modules = Field(
        Modules(), description="The groups of messages it takes part in."
    )


class Quantity(Part):
    """A number and what it is counted in."""

    unit: Text = Field(description="For example mps, mmps2, mm, deg, rpm.")
    value: Number = Field(description="How many of them.")


class Limits(Part):
    """What a motor can do, in units of its own choice."""

    maxSpeed: Quantity = Field(description="Fastest.")
    maxAcceleration: Quantity = Field(description="When it gets faster.")
    maxDeceleration: Quantity = Field(description="When it gets slower.")
    positionMin: Quantity | None = Field(None, description="Lowest position of an axis.")
    positionMax: Quantity | None = Field(None, description="Highest position of an axis.")


class ResetPolicy(Part):
    """What RESET_MOTOR does."""

    supportsReset: Truth = Field(
        description="Whether an error of the motor can be reset from afar."
    )
    resetCooldownMs: Cooldown | None = Field(
        None, description="Time that must pass between resets."
    )


class MotorDriver(Part):
    """What moves a motor."""

    type: Literal["PLC", "CANOPEN", "SERIAL", "MOCK"] = Field(
        description="Entry point in rigless.agv.motors."
    )
    config: Bucket = Field({}, description="What the driver needs to know.")


class IoDriver(Part):
    """What reads or sets a digital line."""

    type: Literal["PLC", "GPIO", "MOCK"] = Field(description="Entry point in rigless.agv.io.")
    config: Bucket = Field(
        {}, description="What the driver needs; of a limit sensor motorId and edge (MIN, MAX)."
    )


class DeviceDriver(Part):
    """What talks to a device."""

    type: Literal["ETHERNET", "USB", "SERIAL", "MOCK"] = Field(
        description="Entry point in rigless.agv.devices."
    )
    config: Bucket = Field({}, description="What the driver needs to know.")


class Motor(Part):
    """A motor: one that drives the robot, or an axis that does something else."""

    motorId: Id = Field(description="Unique in the robot.")
    role: Literal["DRIVE", "FUNCTIONAL"] = Field(
        description="Whether it moves the robot or something on it."
    )
    functionKey: Text | None = Field(
        None, description="What a FUNCTIONAL motor is for: GRIPPER, HOIST, your own."
    )
    driver: MotorDriver = Field(description="What moves it in mode REAL.")
    limits: Limits = Field(description="What it can do.")
    resetPolicy: ResetPolicy = Field(description="What RESET_MOTOR does.")
    metadata: Bucket = Field(
        {},
        description="Yours; rigless looks at wheelDiameterMm, gearRatio and ratedCurrentA, where they are.",
    )


class DigitalInput(Part):
    """A line that the robot reads."""

    ioId: Id = Field(description="Unique in the robot.")
    type: Text = Field(
        description="ESTOP_CHAIN, LIMIT_SENSOR, your own; with OBSTACLE, BUMPER or LIDAR in it, it stops."
    )
    driver: IoDriver = Field(description="What reads it in mode REAL.")
    required: Truth = Field(False, description="Whether the robot may not move without it.")


class DigitalOutput(Part):
    """A line that the robot sets."""

    ioId: Id = Field(description="Unique in the robot.")
    type: Text = Field(description="MOTOR_ENABLE, BUZZER, or your own.")
    driver: IoDriver = Field(description="What sets it in mode REAL.")


class Device(Part):
    """Something with more to say than on and off."""

    deviceId: Id = Field(description="Unique in the robot.")
    type: Text = Field(description="LIDAR, BARCODE_SCANNER, or your own.")
    driver: DeviceDriver = Field(description="What talks to it in mode REAL.")
    required: Truth = Field(False, description="Whether the robot may not move without it.")
    settings: Bucket = Field({}, description="The device's own.")


class Io(Part):
    """What the robot senses and switches."""

    digitalInputs: tuple[DigitalInput, ...] = Field((), description="Lines that it reads.")
    digitalOutputs: tuple[DigitalOutput, ...] = Field((), description="Lines that it sets.")
    devices: tuple[Device, ...] = Field((), description="Scanners, lidars and the like.")


class Streams(Part):
    """How often the robot speaks of itself."""

    heartbeatHz: Hz = Field(description="heartbeat")
    stateHz: Hz = Field(description="state, besides its changes")
    telemetryHz: Hz = Field(description="telemetry")
    trafficHz: Hz = Field(description="traffic.state")
    taskHz: Hz | None = Field(
        None, description="task.progress while a task is done, besides its changes; 1 if not given"
    )


class Safety(Part):
    """When the robot stops by itself."""

    stopOnEstop: Truth = Field(description="When the emergency stop is pressed.")
    stopOnObstacle: Truth = Field(description="When something is in the way.")
    obstacleStopDistanceMeters: Positive | None = Field(None, description="How near it may come.")
    obstacleWarnDistanceMeters: Positive | None = Field(
        None, description="How near it is worth a word."
    )


class RobotConfig(Part):
    """The configuration of one robot."""

    model_config = ConfigDict(title="robot_config.json", json_schema_extra=nullable)

    schemaVersion: Version = Field(description=f"Version of this format: {SCHEMA_VERSION}.")
    identity: Identity = Field(description="Who the robot is.")
    runtime: Runtime = Field(description="How the program runs.")
    nats: Nats = Field(description="The way to the backend.")
    dimensions: Dimensions = Field(description="How big the robot is.")
    capabilities: Capabilities = Field(description="What the robot can do.")
    motors: tuple[Motor, ...] = Field(description="What moves.")
    io: Io = Field(description="What the robot senses and switches.")
    streams: Streams = Field(description="How often the robot speaks of itself.")
    safety: Safety = Field(description="When the robot stops by itself.")
    extensions: Bucket = Field({}, description="Yours, by a name of yours.")

    @model_validator(mode="before")
    @classmethod
    def _of_the_own_robot(cls, given: Any) -> Any:
        whole = complete(given)
        if isinstance(whole, Mapping) and whole["schemaVersion"] is None:
            return {key: value for key, value in whole.items() if key != "schemaVersion"}
        return whole

    def fleet_member(self, number: int) -> "RobotConfig":
        """The config of one robot of a fleet: the same robot under a name of its own."""
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
        """The config of a robot that comes after so many others: where nobody says where and when it starts, at a place and an instant of its own."""
        profile = self.runtime.simulationProfile or SimulationProfile()
        row, place = divmod(others, ROW)
        pitch_m = 2.0 * self.dimensions.lengthMm / 1000
        starts: dict[str, Any] = {}
        if profile.initialPose is None and profile.map is None:  # on a map there may be walls
            starts["initialPose"] = InitialPose(x=pitch_m * row, y=-pitch_m * place)
        if profile.phaseS is None:
            starts["phaseS"] = int(others * GOLDEN % 1.0 * PHASES) / PHASES
        runtime = self.runtime.model_copy(
            update={"simulationProfile": profile.model_copy(update=starts)}
        )
        return self.model_copy(update={"runtime": runtime}) if others else self


@cache
def _own_text() -> str:
    return OWN.read_text("utf-8")


def own() -> dict[str, Any]:
    """The configuration of the robot that comes with rigless."""
    found: dict[str, Any] = json.loads(_own_text())
    return found


def complete(given: Any) -> Any:
    """A config without a version is laid over the own robot's; one with it (null stands for one that a file forgot) is as it is."""
    return (
        given if not isinstance(given, Mapping) or "schemaVersion" in given else _over(own(), given)
    )


def with_name(given: Any, name: str) -> Any:
    """What is laid over the own robot's config, with that robotId if it has none and the name can stand in a subject."""
    if not isinstance(given, Mapping) or "schemaVersion" in given or not re.fullmatch(ID, name):
        return given
    identity = given.get("identity", {})
    return (
        {**given, "identity": {"robotId": name, **identity}}
        if isinstance(identity, Mapping)
        else given
    )


def _over(below: Any, above: Any) -> Any:
    """One value laid over another: tables key by key, lists whole or by the numbers of their elements."""
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
