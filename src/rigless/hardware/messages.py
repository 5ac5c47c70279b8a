"""What is said on a robot's hardware port: commands to its parts, readings of them, and how their drivers are. SI units: metres or radians
(as the motor's limits are lengths or angles), seconds, amperes, degrees Celsius.

A subject says which part it is (`motor/drive_left`, `input/estop`, `driver/motor/drive_left`), the payload is JSON. `id` is the part's; who
drives a part need not fill it in.
"""

from typing import Any, Literal

from msgspec import Struct

Kind = Literal["motor", "input", "output", "device"]
MotorState = Literal["IDLE", "RUNNING", "ERROR", "DISABLED"]


class Said(Struct, frozen=True, omit_defaults=True):
    """Base of all of them."""


class MotorCommand(Said, frozen=True):
    """VELOCITY: turn at `value`, within the motor's acceleration. POSITION: go to `value` and hold. STOP: brake within its deceleration and
    hold. RESET: forget the fault. The first two also switch a motor on that is DISABLED."""

    kind: Literal["VELOCITY", "POSITION", "STOP", "RESET"]
    value: float = 0.0
    id: str = ""


class OutputCommand(Said, frozen=True):
    value: bool
    id: str = ""


class MotorReading(Said, frozen=True):
    """A motor that says ERROR says why in `fault`, in its own words or numbers."""

    position: float
    velocity: float
    state: MotorState
    fault: str = ""
    current_a: float = 0.0
    temperature_c: float = 0.0
    id: str = ""


class InputReading(Said, frozen=True):
    value: bool
    id: str = ""


class OutputReading(Said, frozen=True):
    """What an output is, as read back."""

    value: bool
    id: str = ""


class DeviceReading(Said, frozen=True):
    """What a device says, as it says it. The robot knows `code` (text that a scanner has just read), `obstacle_m` (the free way ahead) and
    `field_violation` (something is inside the protective field); all of it goes into its telemetry."""

    data: dict[str, Any]
    id: str = ""


class DriverState(Said, frozen=True):
    """A driver is up, or has been lost and why; what was commanded before a loss is forgotten. A part that speaks only when it has news says
    again and again that it is up."""

    up: bool
    reason: str = ""
    kind: Kind = "motor"
    id: str = ""


Command = MotorCommand | OutputCommand
Reading = MotorReading | InputReading | OutputReading | DeviceReading
HEARD: tuple[type[Said], ...] = (
    MotorReading,
    InputReading,
    OutputReading,
    DeviceReading,
    DriverState,
)  # by the robot
