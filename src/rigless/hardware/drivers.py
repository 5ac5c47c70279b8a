"""Base classes for drivers: one class for each kind of real motor, input, output or device.

rigless creates one driver object for each part and calls it on its event loop:

    open → (read … read, and command or write when there is something new) → close

`read` may be waiting while `command` or `write` is called; no other calls to one driver overlap.
If any call raises an exception, the part counts as lost: the robot gets the reason, `close` is
called, and `open` is retried after a delay. A driver therefore needs no retries of its own. No
call may block the event loop: use an asyncio library, or `asyncio.to_thread`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from rigless.hardware.messages import DeviceReading, Kind, MotorCommand, MotorReading


class Part(Struct, frozen=True, kw_only=True):
    """A part of the robot, from its config.

    `type` is the type of driver (PLC, CANOPEN, …). `config` is `driver.config` without the keys
    that rigless itself uses. `poll_s` is the key `pollMs`. `watchdog_s` is the key `watchdogMs`:
    after this time without a command a motor must stop.
    """

    kind: Kind
    id: str
    type: str
    config: Mapping[str, Any]
    poll_s: float | None = None
    watchdog_s: float = 0.5


class MotorPart(Part, frozen=True, kw_only=True):
    """A motor. Limits are in SI units: metres or radians, as `unit` says."""

    role: str = "DRIVE"
    unit: str = "m"
    max_speed: float
    max_acceleration: float
    max_deceleration: float
    position_min: float | None = None
    position_max: float | None = None


class SignalPart(Part, frozen=True, kw_only=True):
    """A digital input or output. `signal` is its type (ESTOP_CHAIN, BUZZER, …)."""

    signal: str = ""


class DevicePart(Part, frozen=True, kw_only=True):
    """A device. `device` is its type (LIDAR, BARCODE_SCANNER, …)."""

    device: str = ""
    settings: Mapping[str, Any] = {}


class Driver(ABC):
    """Base class of MotorDriver, IoDriver and DeviceDriver.

    The constructor does no I/O. If `part.config` is wrong, it raises a ValueError whose text tells
    the user what to change; a pydantic ValidationError is fine. `shared` is one dict for all
    drivers of the robot, for example for a connection that several parts use.

    `poll_s` is the time between calls of `read`. With 0, `read` is called again as soon as it
    returns, and waits for new data itself.
    """

    poll_s: ClassVar[float] = 0.02

    def __init__(self, part: Any, shared: dict[Any, Any]):
        self.part = part
        self.shared = shared

    @abstractmethod
    async def open(self) -> None:
        """Connect to the part. Must work again after `close`."""

    @abstractmethod
    async def close(self) -> None:
        """Leave the part in a safe state and disconnect.

        Also called if `open` failed or the part was lost.
        """


class MotorDriver(Driver):
    """A driver for one motor."""

    part: MotorPart

    @abstractmethod
    async def read(self) -> MotorReading:
        """Return the state of the motor."""

    @abstractmethod
    async def command(self, command: MotorCommand) -> None:
        """Send a command to the motor.

        Called when the command changes, and again several times per `part.watchdog_s`, so that a
        drive with its own watchdog keeps running.
        """


class IoDriver(Driver):
    """A driver for one digital input or output."""

    part: SignalPart

    @abstractmethod
    async def read(self) -> bool:
        """Return the state of the input or output."""

    async def write(self, value: bool) -> None:
        """Switch the output. Called for outputs only."""
        raise TypeError(f"{type(self).__name__} has no outputs")


class DeviceDriver(Driver):
    """A driver for one device, such as a scanner."""

    part: DevicePart

    @abstractmethod
    async def read(self) -> DeviceReading:
        """Return the device's data."""
