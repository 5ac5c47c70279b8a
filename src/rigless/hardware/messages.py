"""Messages on a robot's hardware port: commands to parts, readings from parts, driver states.

Units are SI: metres or radians (depending on the motor's limits), seconds, amperes, degrees
Celsius. The subject names the part (`motor/drive_left`, `input/estop`,
`driver/motor/drive_left`); the payload is JSON. `id` is the part's id. Drivers need not set it.
"""

from typing import Any, Literal

from msgspec import Struct

Kind = Literal["motor", "input", "output", "device"]
MotorState = Literal["IDLE", "RUNNING", "ERROR", "DISABLED"]


class HardwareMessage(Struct, frozen=True, omit_defaults=True):
    """Base class of the messages on the hardware port."""


class MotorCommand(HardwareMessage, frozen=True):
    """A command to a motor.

    VELOCITY: run at `value`, within the acceleration limit. POSITION: move to `value` and hold.
    STOP: brake within the deceleration limit and hold. RESET: clear the fault. VELOCITY and
    POSITION also enable a motor that is DISABLED.
    """

    kind: Literal["VELOCITY", "POSITION", "STOP", "RESET"]
    value: float = 0.0
    id: str = ""


class OutputCommand(HardwareMessage, frozen=True):
    """A command to switch a digital output."""

    value: bool
    id: str = ""


class MotorReading(HardwareMessage, frozen=True):
    """The state of a motor. If `state` is ERROR, `fault` is the drive's own text or number."""

    position: float
    velocity: float
    state: MotorState
    fault: str = ""
    current_a: float = 0.0
    temperature_c: float = 0.0
    id: str = ""


class InputReading(HardwareMessage, frozen=True):
    """The state of a digital input."""

    value: bool
    id: str = ""


class OutputReading(HardwareMessage, frozen=True):
    """The state of a digital output, read back from the hardware."""

    value: bool
    id: str = ""


class DeviceReading(HardwareMessage, frozen=True):
    """Data from a device.

    The robot interprets three keys: `code` (text that a scanner has just read), `obstacle_m` (free
    distance ahead) and `field_violation` (something is inside the protective field). All keys go
    into its telemetry.
    """

    data: dict[str, Any]
    id: str = ""


class DriverState(HardwareMessage, frozen=True):
    """A driver came up, or was lost and why.

    Commands from before a loss are discarded. The driver of a part without periodic readings
    repeats that it is up.
    """

    up: bool
    reason: str = ""
    kind: Kind = "motor"
    id: str = ""


Command = MotorCommand | OutputCommand
Reading = MotorReading | InputReading | OutputReading | DeviceReading
FROM_DRIVERS: tuple[type[HardwareMessage], ...] = (
    MotorReading,
    InputReading,
    OutputReading,
    DeviceReading,
    DriverState,
)
