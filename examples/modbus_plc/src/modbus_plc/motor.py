"""A drive behind the PLC, as the robot's motor."""

from typing import Any

from modbus_plc import registers as r
from modbus_plc.bus import Bus
from modbus_plc.settings import MotorSettings
from rigless.hardware import MotorCommand, MotorDriver, MotorPart, MotorReading

INT32 = 2**31 - 1


class PlcMotor(MotorDriver):
    def __init__(self, part: MotorPart, shared: dict[Any, Any]):
        super().__init__(part, shared)
        self.settings = MotorSettings.model_validate(part.config)
        self.bus = Bus.of(shared, self.settings)
        self.counts = self.settings.countsPerUnit * (-1 if self.settings.reversed else 1)
        ends = abs(part.position_min or 0.0), abs(part.position_max or 0.0)
        largest = max(part.max_speed, part.max_acceleration, part.max_deceleration, *ends)
        if largest * self.settings.countsPerUnit > INT32:
            raise ValueError(
                f"countsPerUnit {self.settings.countsPerUnit:g} makes its limits exceed 32 bits"
            )

    async def open(self) -> None:
        await self.bus.open(self)
        part, scale = self.part, self.settings.countsPerUnit
        limits = [
            round(scale * most)
            for most in (part.max_speed, part.max_acceleration, part.max_deceleration)
        ]
        watchdog_ms = min(round(part.watchdog_s * 1000), 65535)
        await self._write(r.SPEED, r.pack(r.LIMITS_FORMAT, *limits, watchdog_ms))

    async def close(self) -> None:
        await self.bus.close(self)

    async def read(self) -> MotorReading:
        found = await self.bus.read_status(
            self.settings.unit, self.settings.base + r.STATUS, r.size(r.STATUS_FORMAT)
        )
        status = r.Status(*r.unpack(r.STATUS_FORMAT, found))
        return MotorReading(
            position=status.position / self.counts,
            velocity=status.velocity / self.counts,
            state=_state(status.word),
            fault=f"0x{status.fault:04x}" if status.fault else "",
            current_a=status.centiamperes / 100,
            temperature_c=status.decidegrees / 10,
        )

    async def command(self, command: MotorCommand) -> None:
        if command.kind == "RESET":
            await self._set(r.RESET, 0)
            await self._set(0, 0)
            return
        setpoint = max(-INT32, min(round(command.value * self.counts), INT32))
        await self._set(r.ENABLE | (r.POSITION_MODE if command.kind == "POSITION" else 0), setpoint)

    async def _set(self, control: int, setpoint: int) -> None:
        await self._write(r.CONTROL, r.pack(r.CONTROL_FORMAT, control, setpoint))

    async def _write(self, offset: int, values: list[int]) -> None:
        await self.bus.write(self.settings.unit, self.settings.base + offset, values)


def _state(word: int) -> Any:
    if word & r.FAULT:
        return "ERROR"
    if not word & r.ENABLED:
        return "DISABLED"
    return "RUNNING" if word & r.MOVING else "IDLE"
