"""Bytes of the hardware port, both ways: the robot's end is a codec, the drivers' end two functions."""

from dataclasses import dataclass
from typing import Any

import msgspec

from rigless.hardware.messages import (
    Command,
    DeviceReading,
    DriverState,
    InputReading,
    Kind,
    MotorCommand,
    MotorReading,
    OutputCommand,
    OutputReading,
    Reading,
)
from rigless.kernel.plain import why_not_plain
from rigless.kernel.ports import WireError

LONGEST = 64 * 1024
FARTHEST = 1e9  # metres or radians, also a second
READINGS: dict[str, Any] = {
    "motor": MotorReading,
    "input": InputReading,
    "output": OutputReading,
    "device": DeviceReading,
}
COMMANDS: dict[str, Any] = {"motor": MotorCommand, "output": OutputCommand}
_encoder = msgspec.json.Encoder()
_readers = {kind: msgspec.json.Decoder(shape) for kind, shape in READINGS.items()}
_orders = {kind: msgspec.json.Decoder(shape) for kind, shape in COMMANDS.items()}
_states = msgspec.json.Decoder(DriverState)


@dataclass
class HardwareCodec:
    """The robot's end: readings in, commands out. It remembers nothing."""

    def decode(self, data: bytes, subject: str = "") -> list[Any]:
        kind, _, part_id = subject.partition("/")
        try:
            if len(data) > LONGEST:
                raise ValueError(f"{len(data)} bytes are more than {LONGEST}")
            if kind == "driver":
                kind, _, part_id = part_id.partition("/")
                return [
                    msgspec.structs.replace(_states.decode(data), kind=_known(kind), id=part_id)
                ]
            found = msgspec.structs.replace(_readers[_known(kind)].decode(data), id=part_id)
        except (
            ValueError,
            UnicodeDecodeError,
            RecursionError,
        ) as error:  # msgspec's errors are ValueErrors
            raise WireError(f"{subject[:80]!r}: {error}", hang_up=False) from None
        if (
            isinstance(found, MotorReading)
            and max(abs(found.position), abs(found.velocity)) > FARTHEST
        ):
            raise WireError(f"{subject[:80]!r}: no motor is, or goes, as far", hang_up=False)
        if isinstance(found, DeviceReading) and (what := why_not_plain(found.data)):
            raise WireError(f"{subject[:80]!r}: {what}", hang_up=False)
        return [found]

    def encode(self, message: Command) -> tuple[str, bytes]:
        kind = "motor" if isinstance(message, MotorCommand) else "output"
        return f"{kind}/{message.id}", _encoder.encode(message)


def _known(kind: str) -> str:
    if kind not in READINGS:
        raise ValueError("there is no such part")
    return kind


def encode_reading(kind: Kind, id: str, reading: Reading) -> tuple[str, bytes]:
    """Subject and bytes of what a driver says; ValueError if it is not what such a part says."""
    if type(reading) is not READINGS[kind]:
        raise ValueError(f"the driver said {type(reading).__name__}, not {READINGS[kind].__name__}")
    try:
        data = _encoder.encode(reading)
        _readers[kind].decode(data)
        if isinstance(reading, DeviceReading) and (what := why_not_plain(reading.data)):
            raise ValueError(what)
    except (TypeError, OverflowError, ValueError) as error:
        raise ValueError(f"the driver said what cannot be told: {error}") from None
    return f"{kind}/{id}", data


def encode_state(kind: Kind, id: str, up: bool, reason: str = "") -> tuple[str, bytes]:
    return f"driver/{kind}/{id}", _encoder.encode(DriverState(up, reason[:500], kind, id))


def decode_command(data: bytes, subject: str) -> tuple[str, str, Command]:
    """Kind and id of the part that is meant, and what it shall do."""
    kind, _, part_id = subject.partition("/")
    return kind, part_id, _orders[kind].decode(data)
