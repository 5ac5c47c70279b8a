"""A G-code sender: streams a program to a grblHAL controller over TCP, as CNC senders do.

It counts the bytes in the controller's receive buffer (`rx_bytes`), so that the planner always has
lines to look ahead to. In single-block mode it sends one line for each `step` and waits until the
controller is idle. A line that is refused or an alarm ends the program; queued motion runs out.
"""

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rigless.robots.welder import wire
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.program_text import ProgramLine

State = Literal["running", "holding", "waiting", "done", "stopped", "failed"]
CONNECT_S = 5.0
POLL_S = 0.2  # between two status queries
REPLY = re.compile(r"ok|error:(\d+)|ALARM:(\d+)|<(\w+)[^>]*>")
MODAL_G = (
    {"G17", "G18", "G19"}, {"G20", "G21"}, {"G90", "G91"}, {"G93", "G94"}, {"G98", "G99"},
    {"G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3"},
)  # fmt: skip
G_CODE = re.compile(r"[Gg]\s*0*(\d+(?:\.\d)?)")
FEED = re.compile(r"([FfSs])\s*(\d+\.?\d*|\.\d+)")


def modal_line(lines: Iterable[ProgramLine]) -> str:
    """Return one line that sets units, distance mode, plane, offsets, feed and power as these do.

    It is for a start in the middle of a program. Motion, arc, gas and outputs are left as they are.
    """
    found: dict[int, str] = {}
    values: dict[str, str] = {}
    for line in lines:
        text = re.sub(r"\([^)]*\)|;.*", "", line.text)
        if line.command:
            continue
        for match in G_CODE.finditer(text):
            name = f"G{match[1]}"
            for group, names in enumerate(MODAL_G):
                if name in names:
                    found[group] = name
        for match in FEED.finditer(text):
            values[match[1].upper()] = match[2]
    return " ".join([*found.values(), *(letter + value for letter, value in values.items())])


@dataclass
class _Sent:
    number: int  # of the line in the file; 0: a line of the sender's own
    size: int


class GrblSender:
    """Sends one program. Make a new one for each run.

    >>> sender = GrblSender("127.0.0.1", 10300, read_program(text))
    >>> await sender.run()
    """

    def __init__(
        self,
        host: str,
        port: int,
        program: Sequence[ProgramLine],
        first: int = 1,
        single: bool = False,
        rx_bytes: int = 1024,
    ):
        self.state: State = "running"
        self.problem = ""
        self.problem_line = 0
        self.sent_line = 0  # number in the file of the last line sent
        self.single = single
        self._address = host, port
        self._rx_bytes = rx_bytes
        before = [line for line in program if line.number < first]
        self._lines = deque(line for line in program if line.number >= first and not line.empty)
        modal = modal_line(before) if first > 1 else ""
        self._own = deque([modal] if modal else [])
        self._unanswered: deque[_Sent] = deque()
        self._steps = 1 if single else 0
        self._mode = ""
        self._writer: asyncio.StreamWriter | None = None
        self._changed = asyncio.Event()

    @property
    def active(self) -> bool:
        """True until the program has ended."""
        return self.state in ("running", "holding", "waiting")

    async def run(self) -> None:
        """Send the program and return when it has ended; `state` and `problem` tell how."""
        try:
            connect = asyncio.open_connection(*self._address)
            reader, writer = await asyncio.wait_for(connect, CONNECT_S)
        except (OSError, TimeoutError) as error:
            self._fail(f"cannot connect to {self._address[0]}:{self._address[1]}: {error}")
            return
        self._writer = writer
        reading = asyncio.create_task(self._read(reader))
        try:
            while self.active:
                self._send_lines()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), POLL_S)
                if not self._changed.is_set():
                    self._write(b"?")
                self._changed.clear()
                self._look_for_end()
        finally:
            reading.cancel()
            self._writer = None
            writer.close()
            await asyncio.gather(reading, return_exceptions=True)

    # Controls

    def hold(self) -> None:
        """Hold the motion and send no more lines."""
        if self.active:
            self.state = "holding"
            self._write(bytes([wire.HOLD]))

    def resume(self, single: bool | None = None) -> None:
        """Go on after a hold or in single-block mode: to the end, or by one block."""
        if not self.active:
            return
        if single is not None:
            self.single = single
        if self.state == "holding":
            self._write(bytes([wire.RESUME]))
        self._steps = 1
        self.state = "running"
        self._changed.set()

    def stop(self) -> None:
        """End the program: the controller stops and forgets its queue."""
        if self.active:
            self._write(bytes([wire.STOP]))
            self.state = "stopped"
            self._changed.set()

    # The wire

    def _write(self, data: bytes) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(data)

    def _send_lines(self) -> None:
        while self.state == "running" and (self._own or self._lines):
            own = bool(self._own)
            if self.single and not own and (self._steps == 0 or self._unanswered):
                return
            line = None if own else self._lines[0]
            text = self._own[0] if line is None else line.sent()
            data = text.encode("latin-1", "replace") + b"\n"
            # `$` commands are answered in their own time, so that they go alone
            alone = line is not None and line.command
            queued = sum(sent.size for sent in self._unanswered)
            if self._unanswered and (alone or queued + len(data) >= self._rx_bytes):
                return
            if line is None:
                self._own.popleft()
            else:
                self._lines.popleft()
                self._steps = 0
                self.sent_line = line.number
            self._unanswered.append(_Sent(line.number if line else 0, len(data)))
            self._mode = ""
            self._write(data)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        greeted = False
        while data := await self._line(reader):
            greeted = True
            if found := REPLY.match(data.decode("latin-1").strip()):
                self._answer(found)
                self._changed.set()
        if self.active:
            busy = "another client is connected to this port; disconnect it first"
            self._fail("the controller closed the connection" if greeted else busy)

    async def _line(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readline()
        except (OSError, ValueError):
            return b""

    def _answer(self, found: re.Match[str]) -> None:
        if found[3]:
            self._mode = found[3]
        elif found[2]:
            number = int(found[2])
            line = next((one.number for one in self._unanswered if one.number), self.sent_line)
            self._fail(f"ALARM:{number} {codes.ALARMS.get(number, '')}".strip(), line)
        elif self._unanswered:
            sent = self._unanswered.popleft()
            if found[1]:
                number = int(found[1])
                self._fail(f"error:{number} {codes.ERRORS.get(number, '')}".strip(), sent.number)

    def _look_for_end(self) -> None:
        if self.state != "running" or self._unanswered or self._mode != "Idle":
            return
        if not self._lines and not self._own:
            self.state = "done"
        elif self.single and self._steps == 0:
            self.state = "waiting"

    def _fail(self, problem: str, line: int = 0) -> None:
        if self.active:
            self.state, self.problem, self.problem_line = "failed", problem, line
            self._changed.set()
