"""A simulated PLC for the drivers: `python -m modbus_plc.simulator`.

It serves Modbus TCP on loopback, unit 1, with drives at registers 0, 16, 32, …. In addition to
`registers` it has discrete input 0, the e-stop chain (1: closed), and input register 900, a
distance sensor in mm (65535: nothing ahead). These coils and a register simulate an operator:

| | |
|---|---|
| coil 64 | the e-stop is pressed: the chain opens and the drives lose power |
| coils 65, 66, … | a fault of the first drive, the second, …: it trips until cleared |
| holding register 900 | what the distance sensor sees |
"""

import argparse
import asyncio
import time
from typing import Any

from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from modbus_plc import registers as r
from modbus_plc.drive import Drive

CHAIN = 0
PRESSED, TRIPS = 64, 65
DISTANCE, NOTHING = 900, 0xFFFF
READ_INPUTS, READ_STATUS, WRITE_COIL, WRITE_REGISTER, WRITE_COILS, WRITE_REGISTERS = (
    2,
    4,
    5,
    6,
    15,
    16,
)
WRITES = (WRITE_COIL, WRITE_REGISTER, WRITE_COILS, WRITE_REGISTERS)


class Plc:
    """The PLC. Before each reply the drives are advanced to the present."""

    def __init__(self, drives: int = 3):
        self.drives = [Drive() for _ in range(drives)]
        self.pressed = False
        self.trips = [False] * drives
        self.distance = NOTHING
        self._then = time.monotonic()

    def device(self) -> SimDevice:
        size = r.BLOCK * len(self.drives)
        bits = [SimData(0, values=[False] * 128, datatype=DataType.BITS)]
        words = [
            SimData(0, count=size, datatype=DataType.REGISTERS),
            SimData(DISTANCE, datatype=DataType.REGISTERS),
        ]
        inputs = [
            SimData(0, count=size, datatype=DataType.REGISTERS),
            SimData(DISTANCE, datatype=DataType.REGISTERS),
        ]
        return SimDevice(1, simdata=(bits, list(bits), words, inputs), action=self.act)

    async def act(
        self, code: int, start: int, address: int, count: int, memory: list[int], given: Any
    ) -> None:
        self.advance()
        if code in WRITES and given is None:  # pymodbus reads back what it has written
            return
        if code in (WRITE_REGISTER, WRITE_REGISTERS):
            held = list(memory)
            held[address - start : address - start + count] = given
            self._written(address, count, held)
        elif code in (WRITE_COIL, WRITE_COILS):
            self._switched(address, given)
        elif code == READ_INPUTS:
            memory[0] = 0 if self.pressed else 1 << CHAIN
        elif code == READ_STATUS:
            for number, drive in enumerate(self.drives):
                status = drive.status(not self.pressed)
                memory[r.BLOCK * number : r.BLOCK * number + len(status)] = status
            memory[DISTANCE] = self.distance

    def advance(self) -> None:
        now = time.monotonic()
        for drive, trip in zip(self.drives, self.trips, strict=True):
            drive.advance(min(now - self._then, 1.0), trip, not self.pressed)
        self._then = now

    def _written(self, address: int, count: int, held: list[int]) -> None:
        if address == DISTANCE:
            self.distance = held[DISTANCE]
            return
        number = address // r.BLOCK
        drive, base = self.drives[number], r.BLOCK * number
        speed, acceleration, deceleration, watchdog = r.unpack(
            r.LIMITS_FORMAT, held[base + r.SPEED : base + r.SPEED + r.size(r.LIMITS_FORMAT)]
        )
        drive.max_speed, drive.acceleration, drive.deceleration = (
            speed or 1,
            acceleration,
            deceleration,
        )
        drive.watchdog_s = watchdog / 1000
        if address == base + r.CONTROL:
            control, setpoint = r.unpack(
                r.CONTROL_FORMAT, held[base : base + r.size(r.CONTROL_FORMAT)]
            )
            drive.write(control, setpoint, self.trips[number])

    def _switched(self, address: int, values: list[bool]) -> None:
        for place, value in enumerate(values, address):
            if place == PRESSED:
                self.pressed = value
            elif TRIPS <= place < TRIPS + len(self.drives):
                self.trips[place - TRIPS] = value


async def serve(host: str, port: int, drives: int) -> None:
    server = ModbusTcpServer(Plc(drives).device(), address=(host, port))
    await server.serve_forever(background=True)
    print(
        f"plc modbus://{host}:{server.transport.sockets[0].getsockname()[1]} {drives} drives",
        flush=True,
    )
    await server.serving


def main() -> None:
    words = argparse.ArgumentParser(
        prog="python -m modbus_plc.simulator", description="A simulated PLC on Modbus TCP."
    )
    words.add_argument("--host", default="127.0.0.1")
    words.add_argument("--port", type=int, default=5020, help="0: any free one")
    words.add_argument("--drives", type=int, default=3, choices=range(1, 33), metavar="1..32")
    given = words.parse_args()
    try:
        asyncio.run(serve(given.host, given.port, given.drives))
    except KeyboardInterrupt:
        print("stopped")
    except RuntimeError as error:
        words.exit(2, f"{given.host}:{given.port} cannot be served: {error}\n")


if __name__ == "__main__":
    main()
