"""The messages of an open recording.

The recording does not hold the effects of wire faults on inputs, nor refused messages. So it is
replayed once in a simulation of its own, in short slices, next to that of the player. The log
then has the messages of the whole recording, whatever the player's time is; of a long one, as
many as fit, around the player's time.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from rigless.panel.wire.log import WireLog
from rigless.recordings.seekable import SeekableRecording

KEPT = 100_000
KEPT_BYTES = 64 << 20
BEFORE_NS = 10_000_000_000  # of a recording that does not fit, messages from here before the player
PAUSE_S = 0.02


class RecordedWire:
    """Fills a log with the messages of a recording. `cleared` is called when it starts over."""

    def __init__(self, path: Path, now_ns: Callable[[], int], cleared: Callable[[], None]):
        self.path = path
        self.log = WireLog(KEPT, KEPT_BYTES, unsent=True)
        self.failure = ""
        self._now_ns, self._cleared = now_ns, cleared
        self._recording: SeekableRecording | None = None
        self._begin_ns = 0
        self._task = asyncio.create_task(self._run())

    @property
    def progress(self) -> float | None:
        """Progress from 0 to 1, or None if no more is to be read."""
        recording = self._recording
        if recording is None:
            return None if self._task.done() else 0.0
        if self._task.done() or self.log.full or recording.now_ns >= recording.end_ns:
            return None
        length_ns = recording.end_ns - recording.begin_ns
        return (recording.now_ns - recording.begin_ns) / max(length_ns, 1)

    @property
    def until_s(self) -> float | None:
        """The time up to which messages are there, if the rest does not fit."""
        recording = self._recording
        if recording is None or not self.log.full or recording.now_ns >= recording.end_ns:
            return None
        return recording.now_ns / 1e9

    @property
    def now_ns(self) -> int:
        return 0 if self._recording is None else self._recording.now_ns

    def close(self) -> None:
        self._task.cancel()
        self.log.detach()

    async def _run(self) -> None:
        try:
            await self._load()
        except Exception as error:  # the recording, or code of a robot's author
            self.failure = f"{type(error).__name__}: {error}"

    async def _load(self) -> None:
        recording = await asyncio.to_thread(
            SeekableRecording.open, self.path, time.monotonic_ns, self.log.attach
        )
        self._recording, self._begin_ns = recording, recording.begin_ns
        while True:
            self.log.update()
            if not self.log.full and recording.now_ns < recording.end_ns:
                for _ in recording.seek_in_slices(recording.end_ns, through=True):
                    self.log.update()
                    await asyncio.sleep(0)
                    if self.log.full:
                        break
            elif self.log.full and self._outside(recording):
                self._start_at(recording, max(recording.begin_ns, self._now_ns() - BEFORE_NS))
            else:
                await asyncio.sleep(PAUSE_S)

    def _outside(self, recording: SeekableRecording) -> bool:
        return not self._begin_ns <= self._now_ns() <= recording.now_ns

    def _start_at(self, recording: SeekableRecording, begin_ns: int) -> None:
        self.log.detach()
        recording.seek(begin_ns)
        self._begin_ns = begin_ns
        self.log.attach(recording.simulation)
        self._cleared()
