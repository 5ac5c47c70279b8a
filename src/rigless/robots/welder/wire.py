"""The bytes of a grblHAL serial line: realtime commands are taken out first, the rest is lines.

A byte is a realtime command if it is `?`, `!` or `~` outside a `$` line and outside parentheses, a
control code with a meaning, or in 0x80–0xBF. Bytes above are dropped outside of `$` lines and
parentheses. So a byte order mark does no harm, nor does a sender that encodes realtime commands as
UTF-8 (CNCjs: C2 91 for 91). CR, LF, CRLF and LFCR end a line. Backspace deletes a character. Reset,
stop and jog cancel also clear the line. A line that is too long is marked when it ends.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

LINE_BYTES = 256
BITS_PER_BYTE = 10  # on a serial line: start bit, eight data bits, stop bit
STATUS, HOLD, RESUME = 0x3F, 0x21, 0x7E  # ? ! ~
RESET, STOP, STATUS_ENQ = 0x18, 0x19, 0x05
STATUS_8, RESUME_8, HOLD_8, MODES, DOOR, JOG_CANCEL, FULL_STATUS = (
    0x80,
    0x81,
    0x82,
    0x83,
    0x84,
    0x85,
    0x87,
)
OPTIONAL_STOP, SINGLE_BLOCK, REPORTING = 0x88, 0x89, 0x8C
FEED_RESET, FEED_PLUS_10, FEED_MINUS_10, FEED_PLUS_1, FEED_MINUS_1 = range(0x90, 0x95)
RAPID_100, RAPID_50, RAPID_25 = 0x95, 0x96, 0x97
SPINDLE_RESET, SPINDLE_PLUS_10, SPINDLE_MINUS_10, SPINDLE_PLUS_1, SPINDLE_MINUS_1, SPINDLE_STOP = (
    range(0x99, 0x9F)
)
FLOOD, MIST, TOOL_ACKNOWLEDGED = 0xA0, 0xA1, 0xA3
PRINTABLE = {STATUS, HOLD, RESUME}
CONTROL = {RESET, STOP, STATUS_ENQ}
EMPTIES_LINE = {RESET, STOP, JOG_CANCEL}
PLAIN = re.compile(
    rb"[^\x00- !?~$\[();\x7f-\xff][^\x00-\x1f!?~$\[();\x7f-\xff]*"
)  # text without special characters
CR, LF, BACKSPACE, DELETE, SPACE = 0x0D, 0x0A, 0x08, 0x7F, 0x20


@dataclass(frozen=True)
class RealTime:
    """One realtime command; a printable one and its 0x80 twin have the same code."""

    code: int


@dataclass(frozen=True)
class Line:
    """A line without its end; `size` is its number of bytes on the wire."""

    text: str
    size: int = field(default=0, repr=False)
    overflow: bool = False


@dataclass(frozen=True)
class Text:
    """Text from the controller: whole lines, with their ends."""

    text: str


TWINS = {STATUS_8: STATUS, STATUS_ENQ: STATUS, RESUME_8: RESUME, HOLD_8: HOLD}


@dataclass
class GrblCodec:
    """Decodes bytes. While `kept` is set, printable realtime commands are data."""

    REQUESTS: ClassVar = (Line, RealTime)
    line: bytearray = field(default_factory=bytearray)
    size: int = 0
    kept: bool = False
    comment: str = ""  # "(" or ";" while in one
    overflow: bool = False
    ended: int = 0  # the byte that ended the last line, if it was the last byte

    def decode(self, data: bytes) -> Iterator[RealTime | Line]:
        at = 0
        while at < len(data):
            if text := PLAIN.match(data, at):
                self._append(text[0])
                at = text.end()
                continue
            byte = data[at]
            at += 1
            if self._is_real_time(byte):
                if byte in EMPTIES_LINE:
                    self._clear()
                yield RealTime(TWINS.get(byte, byte))
            elif byte in (CR, LF):
                if not self.line and not self.overflow and self.ended and self.ended != byte:
                    self.ended = 0
                    continue
                line = Line(self.line.decode("latin-1"), self.size + 1, self.overflow)
                self._clear()
                self.ended = byte
                yield line
            else:
                self._take(byte)

    def _is_real_time(self, byte: int) -> bool:
        if byte in CONTROL or 0x80 <= byte <= 0xBF:
            return True
        return byte in PRINTABLE and not self.kept

    def _take(self, byte: int) -> None:
        if (byte < SPACE and byte != BACKSPACE) or (byte >= DELETE and not self.kept):
            return
        if byte in (BACKSPACE, DELETE):
            self.size += 1
            del self.line[-1:]
            self._rescan()
            return
        if byte == SPACE and not self.line:
            self.size += 1
            return
        self._note(chr(byte), not self.line)
        self._append(bytes([byte]))

    def _append(self, text: bytes) -> None:
        self.size += len(text)
        self.ended = 0
        room = LINE_BYTES - 1 - len(self.line)
        self.line += text[:room]
        self.overflow |= len(text) > room

    def _note(self, char: str, first: bool) -> None:
        """Update whether printable realtime commands are data from here on."""
        if char in "$[" and first:
            self.kept = True
        elif char == "(" and self.comment != ";" and not self.kept:
            self.comment, self.kept = "(", True
        elif char == ")" and self.comment != ";":
            self.comment, self.kept = "", False
        elif char == ";" and self.comment != "(":
            self.comment, self.kept = ";", False

    def _rescan(self) -> None:
        """Scan the line again after a backspace."""
        self.kept, self.comment = False, ""
        for at, byte in enumerate(self.line):
            self._note(chr(byte), at == 0)

    def _clear(self) -> None:
        self.line.clear()
        self.size, self.kept, self.comment, self.overflow, self.ended = 0, False, "", False, 0

    def encode_request(self, message: Line | RealTime) -> bytes:
        if isinstance(message, RealTime):
            return bytes([message.code & 0xFF])
        return f"{message.text}\n".encode("latin-1", "replace")

    def encode(self, message: Text) -> bytes:
        return message.text.encode("latin-1", "replace")


@dataclass(frozen=True)
class Stored:
    """The settings memory as text: read at the start, written after each change."""

    text: str


@dataclass
class StoreCodec:
    def decode(self, data: bytes) -> Iterator[Stored]:
        yield Stored(data.decode("utf-8", "replace"))

    def encode(self, message: Stored) -> bytes:
        return message.text.encode()
