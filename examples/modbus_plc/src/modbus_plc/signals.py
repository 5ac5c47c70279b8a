"""An input or output of the PLC, as one of the robot's."""

from typing import Any

from modbus_plc.bus import Bus
from modbus_plc.settings import SignalSettings
from rigless.hardware import IoDriver, SignalPart


class PlcSignal(IoDriver):
    def __init__(self, part: SignalPart, shared: dict[Any, Any]):
        super().__init__(part, shared)
        self.settings = SignalSettings.model_validate(part.config)
        self.bus = Bus.of(shared, self.settings)

    async def open(self) -> None:
        await self.bus.open(self)

    async def close(self) -> None:
        await self.bus.close(self)

    async def read(self) -> bool:
        read = self.bus.read_input if self.part.kind == "input" else self.bus.read_output
        return await read(self.settings.unit, self.settings.address) != self.settings.inverted

    async def write(self, value: bool) -> None:
        await self.bus.write_output(
            self.settings.unit, self.settings.address, value != self.settings.inverted
        )
