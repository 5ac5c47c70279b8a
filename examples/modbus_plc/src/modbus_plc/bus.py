"""One connection to a PLC, shared by all parts behind it.

It is opened with the first part, reopened after a failure, and closed with the last part.
"""

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any

from pymodbus import ModbusException
from pymodbus.client import AsyncModbusTcpClient

from modbus_plc.settings import Place

logging.getLogger("pymodbus").addHandler(logging.NullHandler())  # rigless reports errors


class Bus:
    @classmethod
    def of(cls, shared: dict[Any, Any], place: Place) -> "Bus":
        """Return the connection for this address."""
        key = ("modbus", place.host, place.port)
        if key not in shared:
            shared[key] = cls(place)
        found: Bus = shared[key]
        return found

    def __init__(self, place: Place):
        self.place = place
        self._client: AsyncModbusTcpClient | None = None
        self._users: set[object] = set()
        self._opening = asyncio.Lock()

    async def open(self, user: object) -> None:
        self._users.add(user)
        async with self._opening:
            if self._client is not None and self._client.connected:
                return
            place = self.place
            client = AsyncModbusTcpClient(
                place.host,
                port=place.port,
                timeout=place.timeoutMs / 1000,
                retries=0,
                reconnect_delay=0,
            )
            if not await client.connect():
                raise ConnectionError(f"no PLC answers at {place.host}:{place.port}")
            self._client = client

    async def close(self, user: object) -> None:
        self._users.discard(user)
        if not self._users:
            self._drop()

    async def read_status(self, unit: int, address: int, count: int) -> list[int]:
        return list(
            (
                await self._ask("read_input_registers", address, count=count, device_id=unit)
            ).registers
        )

    async def write(self, unit: int, address: int, registers: list[int]) -> None:
        await self._ask("write_registers", address, registers, device_id=unit)

    async def read_input(self, unit: int, address: int) -> bool:
        return bool(
            (await self._ask("read_discrete_inputs", address, count=1, device_id=unit)).bits[0]
        )

    async def read_output(self, unit: int, address: int) -> bool:
        return bool((await self._ask("read_coils", address, count=1, device_id=unit)).bits[0])

    async def write_output(self, unit: int, address: int, value: bool) -> None:
        await self._ask("write_coil", address, value, device_id=unit)

    async def _ask(self, method: str, address: int, *args: Any, **named: Any) -> Any:
        client = self._client
        if client is None or not client.connected:
            raise ConnectionError(
                f"the connection to the PLC at {self.place.host}:{self.place.port} is broken"
            )
        request: Awaitable[Any] = getattr(client, method)(address, *args, **named)
        try:
            answer = await asyncio.shield(
                request
            )  # after a timeout, drop the connection with its open request
        except ModbusException as error:
            self._drop()
            raise ConnectionError(
                f"the PLC at {self.place.host}:{self.place.port} does not answer: {error}"
            ) from None
        if answer.isError():
            raise ValueError(
                f"the PLC refuses {method} at {address}: exception {answer.exception_code}"
            )
        return answer

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()
