"""Base classes and messages for drivers of real robot parts.

Driver authors import from here; see docs/how-to/write-an-agv-driver.md.

    class MyMotor(rigless.hardware.MotorDriver):
        async def command(self, command):
            await self.bus.write(command.speed)
"""

from rigless.hardware.drivers import (
    DeviceDriver,
    DevicePart,
    Driver,
    IoDriver,
    MotorDriver,
    MotorPart,
    Part,
    SignalPart,
)
from rigless.hardware.messages import DeviceReading, MotorCommand, MotorReading, MotorState

__all__ = [
    "DeviceDriver",
    "DevicePart",
    "DeviceReading",
    "Driver",
    "IoDriver",
    "MotorCommand",
    "MotorDriver",
    "MotorPart",
    "MotorReading",
    "MotorState",
    "Part",
    "SignalPart",
]
