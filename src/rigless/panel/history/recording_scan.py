"""The signals of an open recording over its whole length.

A second copy of the recorded simulation runs from the beginning to the end in short slices while it
is sampled, so the player need not move. Fields of messages that are picked later need another run.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from rigless.kernel.problems import InputError, Problem
from rigless.panel.history.signals import Signals
from rigless.panel.player import Player
from rigless.recordings.seekable import SeekableRecording


class RecordingScan:
    """Reads the recording of a player when it is first asked for its signals."""

    def __init__(
        self,
        player: Player,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._player, self._clock, self._sleep = player, clock, sleep
        self._of: SeekableRecording | None = None  # the player's recording that is read here
        self._signals: Signals | None = None
        self._task: asyncio.Task[None] | None = None
        self._again = asyncio.Event()
        self._opening = asyncio.Lock()
        self.generation = 0  # increases if points that were read before become invalid

    @property
    def signals(self) -> Signals | None:
        """The signals of the player's recording, as far as they are read."""
        return self._signals if self._of is self._player.recording else None

    async def open(self) -> Signals:
        """Return the signals of the player's recording and begin to read it. Raises InputError."""
        async with self._opening:
            shown = self._player.recording
            if shown is None:
                raise InputError(Problem("stage", "no recording is open", "open one first"))
            if self._of is not shown or self._signals is None:
                await self.close()
                copy = await asyncio.to_thread(SeekableRecording.open, shown.path, self._clock)
                self._of, self.generation = shown, self.generation + 1
                self._signals = Signals(copy.simulation, fixed=True)
                self._signals.complete = 0.0
                self._task = asyncio.create_task(self._run(copy, self._signals))
            return self._signals

    def read_again(self) -> None:
        """Run through the recording once more, for signals that were picked after it began."""
        self._again.set()

    async def _run(self, copy: SeekableRecording, signals: Signals) -> None:
        length_ns = max(1, copy.end_ns - copy.begin_ns)
        while True:
            self._again.clear()
            signals.complete = 0.0
            copy.seek(copy.begin_ns)
            signals.read_from_start()
            for _ in copy.seek_in_slices(copy.end_ns, through=True):
                signals.complete = min((copy.now_ns - copy.begin_ns) / length_ns, 0.999)
                await self._sleep(0)
                if self._again.is_set():
                    break
            else:
                signals.fields.finish()
                signals.marks.stop()
                signals.complete = 1.0
            await self._again.wait()
            self.generation += 1

    async def wait(self) -> None:
        """Wait until the recording is read."""
        while self._signals is not None and self._signals.complete < 1.0:
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Stop reading; safe to call twice."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._signals is not None:
            self._signals.close()
        self._task = self._signals = self._of = None
