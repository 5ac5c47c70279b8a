"""A second recording that is shown next to the one in the player, at the same simulated time.

It has no controls of its own: it follows the player wherever that goes, as far as it reaches.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.panel.api_models import SecondStatus
from rigless.panel.open_recording import OpenRecording
from rigless.panel.player import FRAME_S, Player
from rigless.recordings.seekable import SeekableRecording

NEAR_NS = 1_000_000_000  # up to here it runs forward instead of jumping, so that trails are whole


class SecondPlayer(OpenRecording):
    """Open a second recording, and keep it at the time of the first."""

    name = "second"

    def __init__(
        self,
        leader: Player,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        super().__init__()
        self._leader, self._clock, self._sleep = leader, clock, sleep
        self._task: asyncio.Task[None] | None = None

    def fill_history(self, known_ns: int) -> None:
        """Do nothing: a comparison has no plots of its own."""

    def describe(self) -> SecondStatus:
        """Return the state for the API."""
        recording = self._recording
        return {
            **self._status(),
            "level": recording is None or recording.now_ns == self._target_ns(recording),
        }

    # Open and close

    async def open(self, path: Path) -> None:
        """Open a recording next to that in the player. Raises InputError."""
        if self._leader.recording is None:
            fix = 'open the first one: POST /api/deck {"file": "F.mcap"}'
            raise InputError(Problem("second", "no recording is open to compare with", fix))
        recording = await asyncio.to_thread(SeekableRecording.open, path, self._clock)
        await self.close()
        self._recording = recording
        self._task = asyncio.create_task(self._run(recording))

    async def close(self) -> None:
        """Close the recording; safe to call twice."""
        task = self._task
        self._past_epochs = self.epoch + 1
        self._recording = self._task = None
        self._jumps, self._failure = 0, ""
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    # Task

    def _target_ns(self, recording: SeekableRecording) -> int:
        """Return the time of the player, as near as this recording has it."""
        return min(max(self._leader.goal_ns, recording.begin_ns), recording.end_ns)

    async def _run(self, recording: SeekableRecording) -> None:
        failed_ns: int | None = None
        while True:
            target_ns = self._target_ns(recording)
            if target_ns in (recording.now_ns, failed_ns):
                await self._sleep(FRAME_S)
                continue
            try:
                await self._follow(recording, target_ns)
                self._failure, failed_ns = "", None
            except Exception as error:  # user code
                self._failure, failed_ns = f"{type(error).__name__}: {error}", target_ns

    async def _follow(self, recording: SeekableRecording, target_ns: int) -> None:
        jump = not 0 <= target_ns - recording.now_ns <= NEAR_NS
        for _ in recording.seek_in_slices(target_ns, through=not jump):
            await self._sleep(0)
            if self._target_ns(recording) != target_ns:
                break
        self._jumps += jump
