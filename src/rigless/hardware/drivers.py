"""What somebody writes who has a real part: a class for one of its motors, inputs and outputs, or devices. rigless makes one object for
each part, and calls it on its event loop:

    open → (read … read, and command or write whenever there is something new) → close

`read` may be waiting while `command` or `write` is called; no other two of one driver's calls overlap. Whatever any of them raises counts as
the loss of the part: the robot is told the reason, `close` is called, and after a while `open` again. So a driver needs no retries of its own.
Nothing may block: use a library for asyncio, or `asyncio.to_thread`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from rigless.hardware.messages import DeviceReading, Kind, MotorCommand, MotorReading


class Part(Struct, frozen=True, kw_only=True):
    """A part of the robot as its config has it. `config` is `driver.config` without what rigless itself reads there."""

    kind: Kind
    id: str
    type: str  # of driver: PLC, CANOPEN, …
    config: Mapping[str, Any]
    poll_s: float | None = None  # config `pollMs`
    watchdog_s: float = (
        0.5  # config `watchdogMs`: so long without a command, and the motor is to stand
    )


class MotorPart(Part, frozen=True, kw_only=True):
    """Limits are in SI units: metres or radians by `unit`."""

    role: str = "DRIVE"
    unit: str = "m"
    max_speed: float
    max_acceleration: float
    max_deceleration: float
    position_min: float | None = None
    position_max: float | None = None


class SignalPart(Part, frozen=True, kw_only=True):
    """An input or an output; `signal` is its type (ESTOP_CHAIN, BUZZER, …)."""

    signal: str = ""


class DevicePart(Part, frozen=True, kw_only=True):
    """A device; `device` is its type (LIDAR, BARCODE_SCANNER, …)."""

    device: str = ""
    settings: Mapping[str, Any] = {}


class Driver(ABC):
    """Base of the three. Making one does no I/O, and raises ValueError with a sentence if `part.config` is wrong (what pydantic raises will
    do). `shared` is one dict for all drivers of the robot: the place for a connection that several parts are behind."""

    poll_s: ClassVar[float] = (
        0.02  # `read` is called this often; 0: again as soon as it has returned, because it waits for news itself
    )

    def __init__(self, part: Any, shared: dict[Any, Any]):
        self.part = part
        self.shared = shared

    @abstractmethod
    async def open(self) -> None:
        """Reach the part. Must be possible again after `close`."""

    @abstractmethod
    async def close(self) -> None:
        """Leave the part safe and let go of it; also called when `open` failed or the part is lost."""


class MotorDriver(Driver):
    part: MotorPart

    @abstractmethod
    async def read(self) -> MotorReading: ...

    @abstractmethod
    async def command(self, command: MotorCommand) -> None:
        """Comes when it changes and again several times in `part.watchdog_s`: a drive with a watchdog of its own is kept awake by it."""


class IoDriver(Driver):
    """Of one input or one output."""

    part: SignalPart

    @abstractmethod
    async def read(self) -> bool: ...

    async def write(self, value: bool) -> None:
        """Outputs only."""
        raise TypeError(f"{type(self).__name__} has no outputs")


class DeviceDriver(Driver):
    part: DevicePart

    @abstractmethod
    async def read(self) -> DeviceReading: ...
