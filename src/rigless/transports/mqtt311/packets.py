"""MQTT 3.1.1 control packets of a client, without I/O.

A packet is a fixed header (type and flags, remaining length) and a body. rigless implements the
protocol itself because it publishes from inside a simulation step: publishing must neither wait nor
start a task, and nothing may be sent late after an outage. Quality of service is 0 or 1.

Source: MQTT Version 3.1.1, OASIS Standard, 29 October 2014.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

CONNECT, CONNACK, PUBLISH, PUBACK = 1, 2, 3, 4
SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT = 8, 9, 12, 13, 14
PING = b"\xc0\x00"
GOODBYE = b"\xe0\x00"
LONGEST = 268_435_455  # the largest remaining length
LONGEST_TEXT = 65535
LONGEST_TOPIC = 65535
FAILED = 0x80  # in a SUBACK
REFUSED = {  # return codes of CONNACK (section 3.2.2.3)
    1: "it does not support MQTT 3.1.1",
    2: "it does not accept the client id",
    3: "it is not available",
    4: "the user name or password is wrong",
    5: "the client is not authorized",
}


class ProtocolError(Exception):
    """The received bytes are not MQTT 3.1.1."""


@dataclass(frozen=True, slots=True)
class Message:
    """A published message."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    duplicate: bool = False
    number: int = 0  # the packet identifier, with qos 1


@dataclass(frozen=True, slots=True)
class Login:
    """The content of CONNECT. A will is published by the broker when it loses the client."""

    client_id: str
    keep_alive_s: int = 15
    clean: bool = True
    will: Message | None = None
    user: str = ""
    password: bytes = b""


@dataclass(frozen=True, slots=True)
class Accepted:
    """CONNACK. `code` 0 accepts the client."""

    code: int
    session_present: bool


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """PUBACK of one message."""

    number: int


@dataclass(frozen=True, slots=True)
class Subscribed:
    """SUBACK: the granted quality of service of each topic filter, or FAILED."""

    number: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alive:
    """PINGRESP."""


Packet = Message | Accepted | Acknowledged | Subscribed | Alive


# Encoding


def _text(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    if len(data) > LONGEST_TEXT:
        raise ValueError(f"a text of {len(data)} bytes is longer than {LONGEST_TEXT}")
    return struct.pack("!H", len(data)) + data


def _packet(head: int, *parts: bytes) -> bytes:
    length = sum(map(len, parts))
    if length > LONGEST:
        raise ValueError(f"a packet of {length} bytes is longer than {LONGEST}")
    header = bytearray([head])
    while True:
        length, digit = length >> 7, length & 0x7F
        header.append(digit | (0x80 if length else 0))
        if not length:
            return b"".join((header, *parts))


def connect(login: Login) -> bytes:
    flags, payload = (2 if login.clean else 0), [_text(login.client_id)]
    if login.will is not None:
        flags |= 4 | login.will.qos << 3 | (32 if login.will.retain else 0)
        payload += [_text(login.will.topic), _text(login.will.payload)]
    if login.user:
        flags |= 128
        payload.append(_text(login.user))
    if login.password:
        flags |= 64
        payload.append(_text(login.password))
    head = _text("MQTT") + struct.pack("!BBH", 4, flags, login.keep_alive_s)
    return _packet(CONNECT << 4, head, *payload)


def publish(message: Message) -> bytes:
    head = PUBLISH << 4 | message.duplicate << 3 | message.qos << 1 | message.retain
    number = struct.pack("!H", message.number) if message.qos else b""
    return _packet(head, _text(message.topic), number, message.payload)


def acknowledge(number: int) -> bytes:
    return _packet(PUBACK << 4, struct.pack("!H", number))


def subscribe(number: int, filters: Sequence[tuple[str, int]]) -> bytes:
    """Encode SUBSCRIBE of (topic filter, highest quality of service)."""
    parts = [_text(topic) + bytes([qos]) for topic, qos in filters]
    return _packet(SUBSCRIBE << 4 | 2, struct.pack("!H", number), *parts)


# Decoding


class Parser:
    """Parses bytes in chunks of any size and calls a handler for each packet."""

    def __init__(self, on_packet: Callable[[Packet], None], longest: int = LONGEST):
        self._on_packet, self._longest = on_packet, longest
        self._left = b""

    def feed(self, data: bytes) -> None:
        """Parse the next bytes. Raises ProtocolError."""
        buffer = self._left + data if self._left else data
        at, size = 0, len(buffer)
        while (found := _length(buffer, at)) is not None:
            length, begin = found
            if length > self._longest:
                raise ProtocolError(f"a packet of {length} bytes is longer than {self._longest}")
            if begin + length > size:
                break
            head, at, body = buffer[at], begin + length, buffer[begin : begin + length]
            self._on_packet(_decode(head, body))
        self._left = buffer[at:] if at < size else b""


def _length(buffer: bytes, at: int) -> tuple[int, int] | None:
    """Return the remaining length and where the body begins; None if bytes are missing."""
    length = 0
    for digit in range(4):
        place = at + 1 + digit
        if place >= len(buffer):
            return None
        length |= (buffer[place] & 0x7F) << 7 * digit
        if buffer[place] < 0x80:
            return length, place + 1
    raise ProtocolError("a remaining length has more than four bytes")


def _decode(head: int, body: bytes) -> Packet:
    kind, flags = head >> 4, head & 0x0F
    if kind == PUBLISH:
        return _message(flags, body)
    if flags == 0 and kind == CONNACK and len(body) == 2:
        return Accepted(body[1], bool(body[0] & 1))
    if flags == 0 and kind == PUBACK and len(body) == 2:
        return Acknowledged(struct.unpack("!H", body)[0])
    if flags == 0 and kind == SUBACK and len(body) >= 3:
        return Subscribed(struct.unpack("!H", body[:2])[0], tuple(body[2:]))
    if flags == 0 and kind == PINGRESP and not body:
        return Alive()
    raise ProtocolError(f"an unexpected packet: type {kind}, flags {flags}, {len(body)} bytes")


def _message(flags: int, body: bytes) -> Message:
    qos = flags >> 1 & 3
    if qos > 1:
        raise ProtocolError(f"a message with quality of service {qos}, which was not requested")
    if len(body) < 2:
        raise ProtocolError("a message without a topic")
    end = 2 + int(struct.unpack("!H", body[:2])[0])
    rest = end + (2 if qos else 0)
    if rest > len(body):
        raise ProtocolError("a message whose topic is longer than the message")
    try:
        topic = body[2:end].decode()
    except UnicodeDecodeError:
        raise ProtocolError("a topic that is not UTF-8") from None
    number = int(struct.unpack("!H", body[end:rest])[0]) if qos else 0
    return Message(topic, body[rest:], qos, bool(flags & 1), bool(flags & 8), number)
