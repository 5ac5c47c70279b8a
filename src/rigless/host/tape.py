"""A recording to a file while the simulation is on the air, flushed every so often so that a kill loses almost nothing."""

import contextlib
import time
from pathlib import Path
from typing import IO

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import Simulation

FLUSH_WALL_NS = 200_000_000


class Tape:
    def __init__(self, simulation: Simulation):
        self._sim = simulation
        self._recorder: Recorder | None = None
        self._stream: IO[bytes] | None = None
        self._flushed_ns = 0
        self.path: Path | None = None

    def start(self, path: Path) -> None:
        if self._recorder is not None:
            raise InputError(Problem("recording", f"already recording to {self.path}", "stop it first"))
        try:
            self._stream = path.open("wb")
            self._recorder = Recorder(self._sim, self._stream)
        except (OSError, ValueError) as error:
            raise InputError(
                Problem(
                    "recording",
                    f"cannot write {path}: {getattr(error, 'strerror', None) or error}",
                    "choose another file",
                )
            ) from None
        self.path = path

    def stop(self) -> Path | None:
        """Finish the file; gives its path, or None if there was none."""
        path, self.path = self.path, None
        if self._recorder is not None and self._stream is not None:
            self._recorder.close()
            with contextlib.suppress(OSError):  # a full disk has been reported already
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
        """Why the recording stopped by itself; empty while all is well."""
        return self._recorder.failed if self._recorder is not None else ""

    @property
    def messages(self) -> int:
        return self._recorder.messages if self._recorder is not None else 0
