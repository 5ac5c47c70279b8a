"""The registers of the PLC, for the drivers and the simulator.

Every drive has a block of 16 registers from its base; 32 bit numbers have the high word first.

| holding register | what it is |
|---|---|
| base + 0 | control word: 1 enable, 2 position mode (else velocity), 4 reset (rising edge) |
| base + 1, 2 | setpoint, int32, in counts/s or counts |
| base + 3, 4 | largest speed in position mode, counts/s |
| base + 5, 6 | acceleration, counts/s² |
| base + 7, 8 | deceleration, counts/s² |
| base + 9 | watchdog, ms without a write to the control word until it brakes; 0: off |

| input register | what it is |
|---|---|
| base + 0 | status word: 1 enabled, 2 moving, 4 fault, 8 braked by its watchdog |
| base + 1, 2 | position, int32, counts |
| base + 3, 4 | velocity, int32, counts/s |
| base + 5 | fault code; 0: none |
| base + 6 | current, 0.01 A |
| base + 7 | temperature, int16, 0.1 °C |

Discrete inputs are the robot's inputs, coils its outputs.
"""

import struct
from dataclasses import dataclass

ENABLE, POSITION_MODE, RESET = 1, 2, 4
ENABLED, MOVING, FAULT, WATCHDOG = 1, 2, 4, 8
BLOCK = 16
CONTROL, SPEED, STATUS = 0, 3, 0  # offsets in a block
CONTROL_FORMAT, LIMITS_FORMAT, STATUS_FORMAT = ">Hi", ">iiiH", ">HiiHHh"


def pack(layout: str, *values: int) -> list[int]:
    """Return numbers as registers."""
    data = struct.pack(layout, *values)
    return list(struct.unpack(f">{len(data) // 2}H", data))


def unpack(layout: str, registers: list[int]) -> tuple[int, ...]:
    return struct.unpack(layout, struct.pack(f">{len(registers)}H", *registers))


def size(layout: str) -> int:
    """Return the number of registers of a layout."""
    return struct.calcsize(layout) // 2


@dataclass(frozen=True)
class Status:
    word: int
    position: int
    velocity: int
    fault: int
    centiamperes: int
    decidegrees: int
