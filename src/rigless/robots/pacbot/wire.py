"""The Pacbot's wire: JSON motor commands and replies, sensor messages, serial and string commands.

A client sends a request on a REQ socket and waits for the reply without a timeout, so every request
gets one, even an invalid one. A request of more than REQUEST_BYTES gets an error without being
parsed. ZeroMQ closes the connection at a frame of more than FRAME_BYTES; no reply is possible then.

Three dialects name a motor by its pins (`forward`, `backward`, `stop`; or `move` with a sign) or by
its id (`move`).
"""

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

VERBS = ("move", "forward", "backward", "stop")
REQUEST_BYTES = 1 << 16
FRAME_BYTES = 1 << 22
LONGEST_ECHO = 100  # characters of a client's text in a reply
UART = struct.Struct(">4h")  # north, east, south, west
FULL_SCALE = 32767


@dataclass(frozen=True)
class Command:
    """A command to one motor: a verb, the motor (an id, or two pins), and the speed."""

    command: str
    id: int | None = None
    pin1: int | None = None
    pin2: int | None = None
    speed: float = 0.0


@dataclass(frozen=True)
class Query:
    """{"command": "sensors"}: all readings in one reply."""


@dataclass(frozen=True)
class Refused:
    """An invalid request, and the reason; the reply repeats the fields of `said`."""

    REFUSED: ClassVar = "message"
    message: str
    said: Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    status: str
    message: str
    said: Mapping[str, Any]
    wheel: str | None = None


@dataclass(frozen=True)
class Tof:
    """Ranges from the rim in metres, by direction."""

    ranges: Mapping[str, float]


@dataclass(frozen=True)
class Encoders:
    """Ticks since the start, by wheel."""

    ticks: Mapping[str, float]


@dataclass(frozen=True)
class Imu:
    """Acceleration to the right and forward in m/s², turning rate in rad/s."""

    ax: float
    ay: float
    omega: float


@dataclass(frozen=True)
class Readings:
    """The reply to a query."""

    tof: Mapping[str, float]
    encoders: Mapping[str, float]
    imu: Imu


@dataclass(frozen=True)
class Speeds:
    """All four motors at once, from −1 to 1, in the order of the serial line."""

    north: float
    east: float
    south: float
    west: float


@dataclass(frozen=True)
class Word:
    """A command string."""

    text: str


@dataclass
class CommandCodec:
    """One datagram is one request or one reply."""

    REQUESTS: ClassVar = (Command, Query)

    def decode(self, data: bytes) -> Iterator[Command | Query | Refused]:
        if len(data) > REQUEST_BYTES:
            text = f"Request too large: {len(data)} bytes, at most {REQUEST_BYTES}"
            yield Refused(text, {})
            return
        try:
            request = msgspec.json.decode(data)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            yield Refused("Invalid JSON", {})
        else:
            yield parse(request)

    def encode_request(self, message: Command | Query) -> bytes:
        if isinstance(message, Query):
            return b'{"command":"sensors"}'
        motor = {"id": message.id, "pin1": message.pin1, "pin2": message.pin2}
        named = {key: value for key, value in motor.items() if value is not None}
        params = {"speed": message.speed}
        return msgspec.json.encode({"command": message.command, **named, "params": params})

    def encode(self, message: Reply | Readings) -> bytes:
        if isinstance(message, Readings):
            body = {"status": "ok", "command": "sensors"}
            return msgspec.json.encode(
                {**body, "tof": message.tof, "encoders": message.encoders, "imu": message.imu}
            )
        wheel = {"wheel": message.wheel} if message.said else {}
        return msgspec.json.encode(
            {"status": message.status, **message.said, **wheel, "message": message.message}
        )


def parse(request: Any) -> Command | Query | Refused:
    """Parse a client's JSON in any of the dialects."""
    if not isinstance(request, dict):
        return Refused("A request must be a JSON object", {})
    verb = request.get("command")
    text = verb[:LONGEST_ECHO] if isinstance(verb, str) else None
    if verb == "sensors":
        return Query()
    named = ("id",) if "id" in request else tuple(key for key in ("pin1", "pin2") if key in request)
    said = {"command": text, **{key: request[key] for key in named if _is_whole(request[key])}}
    if verb not in VERBS:
        return Refused(f"Unknown command: {text}", said)
    wrong = [key for key in named if key not in said]
    if wrong:
        return Refused(f"{' and '.join(wrong)} must be a whole number", said)
    if named not in (("id",), ("pin1", "pin2")):
        return Refused("Which motor? Give its id, or pin1 and pin2", said)
    speed = _speed(verb, request)
    if speed is None:
        return Refused("params must be an object whose speed is a finite number", said)
    return Command(verb, request.get("id"), request.get("pin1"), request.get("pin2"), speed)


def _speed(verb: str, request: Mapping[str, Any]) -> float | None:
    """Return the signed speed, 0 if there is none, or None if it is not a number."""
    params = request.get("params", {})
    speed = params.get("speed", 0.0) if isinstance(params, dict) else None
    if verb == "stop":
        return 0.0
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not abs(speed) < math.inf:
        return None
    if verb == "move":
        return float(min(max(speed, -1), 1))
    return float(min(max(speed, 0), 1)) * (-1 if verb == "backward" else 1)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53


@dataclass
class SensorCodec:
    """One frame is a topic, a space and JSON; subscribers filter by the beginning of a frame."""

    def decode(self, data: bytes) -> Iterator[Any]:
        return iter(())

    def encode(self, message: Tof | Encoders | Imu) -> bytes:
        match message:
            case Tof(ranges):
                return b"sensors.tof " + msgspec.json.encode(ranges)
            case Encoders(ticks):
                return b"sensors.encoders " + msgspec.json.encode(ticks)
            case _:
                return b"sensors.imu " + msgspec.json.encode(message)


@dataclass
class UartCodec:
    """Eight bytes per update, without framing and without a reply."""

    REQUESTS: ClassVar = (Speeds,)
    pending: bytes = b""

    def encode_request(self, message: Speeds) -> bytes:
        four = (message.north, message.east, message.south, message.west)
        return UART.pack(*(round(min(max(one, -1.0), 1.0) * FULL_SCALE) for one in four))

    def decode(self, data: bytes) -> Iterator[Speeds]:
        data = self.pending + data
        whole = len(data) - len(data) % UART.size
        self.pending = data[whole:]
        for four in UART.iter_unpack(data[:whole]):
            yield Speeds(*(max(raw / FULL_SCALE, -1.0) for raw in four))

    def encode(self, message: Any) -> bytes:
        return b""


@dataclass
class WordCodec:
    """One datagram is one string; there is no reply."""

    REQUESTS: ClassVar = (Word,)

    def encode_request(self, message: Word) -> bytes:
        return message.text.encode()

    def decode(self, data: bytes) -> Iterator[Word]:
        yield Word(data[:LONGEST_ECHO].decode("utf-8", "replace").strip())

    def encode(self, message: Any) -> bytes:
        return b""
