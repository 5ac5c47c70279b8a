"""Records a live simulation to a file, flushed often so that a kill loses almost nothing."""

import contextlib
import re
import time
from collections import deque
from itertools import count
from pathlib import Path
from typing import IO

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import Simulation

FLUSH_WALL_NS = 200_000_000


class RecordingFile:
    """The recording of a host: started and stopped at any time."""

    def __init__(self, simulation: Simulation):
        self._sim = simulation
        self._recorder: Recorder | None = None
        self._stream: IO[bytes] | None = None
        self._flushed_ns = 0
        self.path: Path | None = None
        self.made: deque[Path] = deque(maxlen=200)  # files of this run, newest last

    def start(self, path: Path | None = None, name: str = "recording") -> None:
        """Record to this file, or to NAME-DATE-TIME.mcap in the working folder."""
        if self._recorder is not None:
            raise InputError(
                Problem("recording", f"already recording to {self.path}", "stop it first")
            )
        try:
            path = _new_file(name) if path is None else path
            self._stream = path.open("wb")
            self._recorder = Recorder(self._sim, self._stream)
        except (OSError, ValueError) as error:
            raise InputError(
                Problem(
                    "recording",
                    f"cannot write {path or name}: {getattr(error, 'strerror', None) or error}",
                    "choose another file",
                )
            ) from None
        self.path = path
        self.made.append(path.absolute())

    def stop(self) -> Path | None:
        """Finish the file; return its path, or None if nothing was recorded."""
        path, self.path = self.path, None
        if self._recorder is not None and self._stream is not None:
            self._recorder.close()
            with contextlib.suppress(OSError):  # a full disk was reported before
                self._stream.close()
        self._recorder = self._stream = None
        return path

    def flush_if_due(self) -> None:
        if self._recorder is None:
            return
        now_ns = time.monotonic_ns()
        if now_ns - self._flushed_ns >= FLUSH_WALL_NS:
            self._flushed_ns = now_ns
            self._recorder.flush()

    @property
    def failed(self) -> str:
        """Why the recording stopped by itself, or ""."""
        return self._recorder.failed if self._recorder is not None else ""

    @property
    def messages(self) -> int:
        return self._recorder.messages if self._recorder is not None else 0


def _new_file(name: str) -> Path:
    """Create NAME-YYYYmmdd-HHMMSS.mcap, so that no other process uses the name."""
    stem = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80] or "recording"
    stem = f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in count(1):
        path = Path.cwd() / (f"{stem}.mcap" if number == 1 else f"{stem}-{number}.mcap")
        with contextlib.suppress(FileExistsError):
            path.touch(exist_ok=False)
            return path
    raise AssertionError("numbers do not end")
