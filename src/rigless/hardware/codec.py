"""Bytes of the hardware port: a codec for the robot's side, functions for the drivers' side."""

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

MAX_BYTES = 64 * 1024
MAX_VALUE = 1e9  # of a position or a velocity
READINGS: dict[str, Any] = {
    "motor": MotorReading,
    "input": InputReading,
    "output": OutputReading,
    "device": DeviceReading,
}
COMMANDS: dict[str, Any] = {"motor": MotorCommand, "output": OutputCommand}
_encoder = msgspec.json.Encoder()
_reading_decoders = {kind: msgspec.json.Decoder(shape) for kind, shape in READINGS.items()}
_command_decoders = {kind: msgspec.json.Decoder(shape) for kind, shape in COMMANDS.items()}
_state_decoder = msgspec.json.Decoder(DriverState)


@dataclass
class HardwareCodec:
    """The robot's side: decode readings and driver states, encode commands. Has no state."""

    def decode(self, data: bytes, subject: str = "") -> list[Any]:
        kind, _, part_id = subject.partition("/")
        try:
            if len(data) > MAX_BYTES:
                raise ValueError(f"{len(data)} bytes are more than {MAX_BYTES}")
            if kind == "driver":
                kind, _, part_id = part_id.partition("/")
                state = _state_decoder.decode(data)
                return [msgspec.structs.replace(state, kind=_known(kind), id=part_id)]
            reading = _reading_decoders[_known(kind)].decode(data)
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            raise WireError(f"{subject[:80]!r}: {error}", hang_up=False) from None
        if reason := _implausible(reading):
            raise WireError(f"{subject[:80]!r}: {reason}", hang_up=False)
        return [msgspec.structs.replace(reading, id=part_id)]

    def encode(self, message: Command) -> tuple[str, bytes]:
        kind = "motor" if isinstance(message, MotorCommand) else "output"
        return f"{kind}/{message.id}", _encoder.encode(message)


def _implausible(reading: Reading) -> str:
    """Return why a well-formed reading cannot be used; empty if it can."""
    if isinstance(reading, MotorReading):
        if max(abs(reading.position), abs(reading.velocity)) > MAX_VALUE:
            return f"position or velocity is out of range (at most {MAX_VALUE:g})"
    elif isinstance(reading, DeviceReading):
        return why_not_plain(reading.data)
    return ""


def _known(kind: str) -> str:
    if kind not in READINGS:
        raise ValueError(f"unknown kind of part; choose from: {', '.join(READINGS)}")
    return kind


def encode_reading(kind: Kind, id: str, reading: Reading) -> tuple[str, bytes]:
    """Return the subject and the bytes of a driver's reading.

    Raises ValueError if it is not a valid reading for this kind of part.
    """
    wanted = READINGS[kind]
    if type(reading) is not wanted:
        raise ValueError(
            f"the driver's read() returned {type(reading).__name__}, not {wanted.__name__}"
        )
    try:
        data = _encoder.encode(reading)
        _reading_decoders[kind].decode(data)
        if isinstance(reading, DeviceReading) and (reason := why_not_plain(reading.data)):
            raise ValueError(reason)
    except (TypeError, OverflowError, ValueError) as error:
        raise ValueError(f"the driver's reading cannot be sent: {error}") from None
    return f"{kind}/{id}", data


def encode_state(kind: Kind, id: str, up: bool, reason: str = "") -> tuple[str, bytes]:
    """Return the subject and the bytes of a driver's state."""
    return f"driver/{kind}/{id}", _encoder.encode(DriverState(up, reason[:500], kind, id))


def decode_command(data: bytes, subject: str) -> tuple[str, str, Command]:
    """Return the kind and the id of the part, and the command for it."""
    kind, _, part_id = subject.partition("/")
    return kind, part_id, _command_decoders[kind].decode(data)
