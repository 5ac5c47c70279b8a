"""The output of a program: kept on disk as it came, and as lines with the simulated time."""

import contextlib
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

LINES_KEPT = 200_000  # in memory, for expectations and reports
NEWEST_KEPT = 200
LINE_BYTES = 4000  # a longer line is cut
RETURNS = re.compile(r"\r+(?=\n|\Z)")
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
CONTROLS = dict.fromkeys({*range(32), *range(127, 160)} - {ord("\t"), ord("\n")}, "�")


class Line(NamedTuple):
    """A line of output. `stream` is out, err, or note for a line of rigless."""

    time_s: float
    stream: str
    text: str


class OutputLog:
    """Collects the output of one program, up to a number of bytes.

    What comes after the limit is read and thrown away, so that the program never blocks.
    """

    def __init__(self, folder: Path, name: str, limit_bytes: int, now_s: Callable[[], float]):
        self.lines: list[Line] = []
        self.path = folder / f"{name}.log"
        self.total_bytes = 0
        self.cut = False
        self.findings: list[str] = []  # sentences about the output, for the verdict
        self._binary = False
        self.full = False  # at its limit: what comes is thrown away
        self.newest: deque[Line] = deque(maxlen=NEWEST_KEPT)
        self.on_line: Callable[[Line], None] = lambda line: None
        self._limit, self._now_s = limit_bytes, now_s
        self._streams: dict[str, BinaryIO] = {}
        self._parts: dict[str, bytes] = {"out": b"", "err": b""}
        with contextlib.suppress(OSError):  # a full disk must not end the run
            folder.mkdir(parents=True, exist_ok=True)
            self._streams = {
                "out": (folder / f"{name}.stdout").open("ab"),
                "err": (folder / f"{name}.stderr").open("ab"),
                "log": self.path.open("ab"),
            }

    def receive(self, stream: str, data: bytes) -> None:
        """Take bytes of the program's stdout (`out`) or stderr (`err`)."""
        room = max(self._limit - self.total_bytes, 0)
        self.total_bytes += len(data)
        if len(data) > room:
            data = data[:room]
        if data:
            self._write(stream, data)
            *lines, rest = (self._parts[stream] + data).split(b"\n")
            if len(rest) > LINE_BYTES:
                lines.append(rest)
                rest = b""
            self._parts[stream] = rest
            self._add_lines(stream, lines)
        if self.total_bytes > self._limit and not self.full:
            self.full = True
            self._cut(f"its output is cut after {self._limit / 1e6:g} MB (limits.output_mb)")

    def end_of(self, stream: str) -> None:
        """Complete a last line without an end."""
        rest, self._parts[stream] = self._parts[stream], b""
        if rest:
            self._add_lines(stream, [rest])

    def note(self, text: str) -> None:
        """Add a line of rigless itself."""
        self._keep([Line(self._now_s(), "note", text)])

    def _cut(self, text: str) -> None:
        self.cut = True
        self.findings.append(text)
        self.note(text)

    def _add_lines(self, stream: str, raw: list[bytes]) -> None:
        """Add the lines of one chunk together, since a flood may have thousands in each."""
        if not raw:
            return
        time_s = self._now_s()
        lines = [Line(time_s, stream, text) for text in self._cleaned(raw)]
        kept = lines[: max(LINES_KEPT - len(self.lines), 0)]  # each has a long prefix in the log
        self._keep(kept)
        for line in lines[len(kept) :]:
            self.on_line(line)
        self.newest.extend(lines[len(kept) :])
        if len(kept) < len(lines) and not self.cut:
            files = f"{self.path.stem}.stdout and .stderr"
            self._cut(f"it printed over {LINES_KEPT:,} lines; later ones are only in {files}")

    def _cleaned(self, raw: list[bytes]) -> list[str]:
        """Return lines without colours, with � for bytes that are not text; long ones are cut."""
        whole = b"\n".join([line[:LINE_BYTES] for line in raw]).decode("utf-8", errors="replace")
        whole = ESCAPES.sub("", RETURNS.sub("", whole)).translate(CONTROLS)
        if "�" in whole and not self._binary:
            self._binary = True
            self.findings.append("its output is not all text: other bytes are shown as �")
        long = {n: len(line) for n, line in enumerate(raw) if len(line) > LINE_BYTES}
        return [
            f"{text} … ({long[n]} bytes)" if n in long else text
            for n, text in enumerate(whole.split("\n"))
        ]

    def _keep(self, lines: list[Line]) -> None:
        self.newest.extend(lines)
        self.lines += lines
        text = "".join(f"{time_s:10.3f} {stream:<4} {text}\n" for time_s, stream, text in lines)
        self._write("log", text.encode())
        for line in lines:
            self.on_line(line)

    def _write(self, stream: str, data: bytes) -> None:
        file = self._streams.get(stream)
        if file is not None:
            with contextlib.suppress(OSError):
                file.write(data)
                file.flush()

    def close(self) -> None:
        """Close the files."""
        for stream in ("out", "err"):
            self.end_of(stream)
        for file in self._streams.values():
            with contextlib.suppress(OSError):
                file.close()
        self._streams = {}
