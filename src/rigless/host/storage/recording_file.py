"""Records a live simulation to a file, flushed often so that a kill loses almost nothing."""

import contextlib
import re
import time
from collections import deque
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO

from rigless.host.storage.recordings_folder import RECORDING, RecordingsFolder
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

    def start(self, path: Path) -> None:
        """Record to this file, which the user chose. An existing file is replaced."""
        self._check_idle()
        try:
            stream = path.open("wb")
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            what = f"cannot write {path}: {why}"
            raise InputError(Problem("recording", what, "choose another file")) from None
        self._begin(path, stream)

    def start_in(
        self, folder: RecordingsFolder, given: str | None, run: str, force: bool = False
    ) -> None:
        """Record to a file of the folder; without a name, to RUN-DATE-TIME.mcap."""
        self._check_idle()
        if given is None:
            self._begin(*folder.create_first_free(_new_names(folder.path, run)))
        else:
            self._begin(*folder.create(given, RECORDING, force))

    def start_next_part(self, path: Path) -> None:
        """Continue after time jumped, in the next free file: F.mcap, then F.2.mcap, F.3.mcap."""
        self._check_idle()
        self._begin(*RecordingsFolder(path.parent).create_first_free(next_parts(path)))

    def _check_idle(self) -> None:
        if self._recorder is not None:
            raise InputError(
                Problem("recording", f"already recording to {self.path}", "stop it first")
            )

    def _begin(self, path: Path, stream: IO[bytes]) -> None:
        try:
            self._recorder = Recorder(self._sim, stream)
        except OSError as error:
            stream.close()
            what = f"cannot write {path}: {error.strerror or error}"
            raise InputError(Problem("recording", what, "choose another file")) from None
        self._stream, self.path = stream, path
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


def _new_names(folder: Path, run: str) -> Iterator[Path]:
    """Yield RUN-YYYYmmdd-HHMMSS.mcap, then with -2, -3 and so on."""
    stem = re.sub(r"[^\w.-]+", "-", run).strip("-.")[:80] or "recording"
    stem = f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    yield folder / f"{stem}.mcap"
    yield from (folder / f"{stem}-{number}.mcap" for number in count(2))


def next_parts(path: Path) -> Iterator[Path]:
    """Yield the next files of a recording after time jumped: F.mcap → F.2.mcap → F.3.mcap."""
    stem, _, number = path.stem.rpartition(".")
    if not (stem and number.isdecimal()):
        stem, number = path.stem, "1"
    yield from (path.with_name(f"{stem}.{n}{path.suffix}") for n in count(int(number) + 1))
