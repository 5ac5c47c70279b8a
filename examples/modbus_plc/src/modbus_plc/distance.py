"""A distance sensor in an input register: the free distance ahead."""

from typing import Any

from modbus_plc.bus import Bus
from modbus_plc.settings import DistanceSettings
from rigless.hardware import DeviceDriver, DevicePart, DeviceReading

NOTHING = 0xFFFF


class DistanceSensor(DeviceDriver):
    poll_s = 0.04

    def __init__(self, part: DevicePart, shared: dict[Any, Any]):
        super().__init__(part, shared)
        self.settings = DistanceSettings.model_validate(part.config)
        self.bus = Bus.of(shared, self.settings)

    async def open(self) -> None:
        await self.bus.open(self)

    async def close(self) -> None:
        await self.bus.close(self)

    async def read(self) -> DeviceReading:
        (counts,) = await self.bus.read_status(self.settings.unit, self.settings.address, 1)
        if counts == NOTHING:
            return DeviceReading({"obstacle_m": None, "field_violation": False})
        distance_m = counts * self.settings.metresPerCount
        return DeviceReading(
            {"obstacle_m": distance_m, "field_violation": distance_m < self.settings.fieldMetres}
        )
