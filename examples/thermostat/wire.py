"""The thermostat's wire: a line protocol on TCP, and reports as text datagrams.

Lines are ASCII, at most 80 characters, and end in a newline; each gets one answer:

    GET            → TEMP 20.53 SET 21.0 HEAT 1
    SET 21.5       → OK            5 to 30, else ERR range
    SUBSCRIBE 9000 → OK            1 to 65535, else ERR range; reports go to this port of the client
    anything else  → ERR unknown

A longer line closes the connection.
"""

from dataclasses import dataclass

from rigless.kernel.ports import WireError

LONGEST_LINE = 80


@dataclass(frozen=True)
class Get:
    pass


@dataclass(frozen=True)
class Set:
    celsius: float


@dataclass(frozen=True)
class Subscribe:
    port: int


@dataclass(frozen=True)
class Unknown:
    text: str


@dataclass(frozen=True)
class Answer:
    text: str


@dataclass(frozen=True)
class Report:
    time_s: float
    temperature_c: float | None
    heating: bool


@dataclass
class LineCodec:
    """Decode lines, one codec per connection; `pending` is the incomplete line."""

    pending: bytes = b""

    def decode(self, data: bytes):
        self.pending += data
        while (end := self.pending.find(b"\n")) >= 0:
            line, self.pending = self.pending[:end], self.pending[end + 1 :]
            if end > LONGEST_LINE:
                break
            yield parse(line.decode("ascii", errors="replace").strip())
        else:
            if len(self.pending) <= LONGEST_LINE:
                return
        self.pending = b""
        raise WireError(f"a line of more than {LONGEST_LINE} characters")

    def encode(self, message: Answer) -> bytes:
        return message.text.encode("ascii") + b"\r\n"


@dataclass
class ReportCodec:
    """Encode reports; the port only sends."""

    def decode(self, data: bytes):
        raise WireError("the reports port only sends")

    def encode(self, message: Report) -> bytes:
        temperature = "-" if message.temperature_c is None else f"{message.temperature_c:.2f}"
        return f"REPORT {message.time_s:.1f} {temperature} {message.heating:d}\n".encode("ascii")


def parse(line: str) -> Get | Set | Subscribe | Unknown:
    match line.split():
        case ["GET"]:
            return Get()
        case ["SET", number] if _is_decimal(number):
            return Set(float(number))
        case ["SUBSCRIBE", port] if port.isascii() and port.isdigit():
            return Subscribe(int(port))
    return Unknown(line)


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").replace(".", "", 1).isdigit()
