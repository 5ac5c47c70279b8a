"""The line protocol: ASCII lines of at most 80 characters, one reply to each.

GET       → ANGLE 12.34 TARGET 90.0
MOVE 90   → OK, or ERR range
STOP      → OK
otherwise → ERR unknown
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rigless.kernel.ports import WireError

LONGEST_LINE = 80


@dataclass(frozen=True)
class Get:
    """Ask for the angle."""


@dataclass(frozen=True)
class Move:
    """Turn the table to an angle."""

    degrees: float


@dataclass(frozen=True)
class Stop:
    """Stop where the table is."""


@dataclass(frozen=True)
class Unknown:
    """A line that is no command."""

    text: str


@dataclass(frozen=True)
class Reply:
    """The reply to a line."""

    text: str


@dataclass
class LineCodec:
    """Decode lines and encode replies; there is one codec for each connection."""

    pending: bytes = b""  # the start of a line that is not complete yet

    def decode(self, data: bytes) -> Iterator[Get | Move | Stop | Unknown]:
        """Yield the messages in these bytes; raise WireError to close the connection."""
        self.pending += data
        while (end := self.pending.find(b"\n")) >= 0:
            line, self.pending = self.pending[:end], self.pending[end + 1 :]
            if len(line) > LONGEST_LINE:
                self.pending = b""
                raise WireError(f"a line of more than {LONGEST_LINE} characters")
            yield parse(line.decode("ascii", errors="replace"))
        if len(self.pending) > LONGEST_LINE:
            self.pending = b""
            raise WireError(f"a line of more than {LONGEST_LINE} characters")

    def encode(self, message: Reply) -> bytes:
        """Return a reply as a line."""
        return message.text.encode("ascii") + b"\r\n"


def parse(line: str) -> Get | Move | Stop | Unknown:
    """Return the message of a line."""
    match line.split():
        case ["GET"]:
            return Get()
        case ["STOP"]:
            return Stop()
        case ["MOVE", number]:
            if (degrees := parse_number(number)) is not None:
                return Move(degrees)
    return Unknown(line)


def parse_number(text: str) -> float | None:
    """Return a finite number, or None if the text is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
