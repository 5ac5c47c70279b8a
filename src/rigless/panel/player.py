"""The panel's player of recordings.

One task on the host's event loop moves the open recording in short slices and yields between them,
so that the live simulation keeps its pace.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from rigless.host.timing.pace import Pace
from rigless.kernel.events import Event
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.timing.rate import to_ns
from rigless.panel.api_models import PlayerStatus
from rigless.panel.open_recording import OpenRecording
from rigless.recordings.reader import Recording
from rigless.recordings.seekable import SeekableRecording

MIN_SPEED, MAX_SPEED = 0.1, 10.0
FRAME_S = 1 / 60  # time between two moves while playing
NEVER_NS = 1 << 62
MAX_LAG_NS = 250_000_000  # if it is further behind than this, the player does not catch up


class Player(OpenRecording):
    """Open a recording, then seek, step and play. Impossible requests raise InputError."""

    name = "recording"

    def __init__(
        self,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        super().__init__()
        self._clock, self._sleep = clock, sleep
        self._task: asyncio.Task[None] | None = None
        self._open_requests = 0
        self._sampled_ns = NEVER_NS  # clients have samples of everything up to here
        self._pace = Pace()
        self._playing = False
        self._target_ns: int | None = None
        self._replay_all = False
        self._progress = 0.0
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()

    # State

    @property
    def goal_ns(self) -> int:
        """The time at which it is, or to which it goes."""
        return 0 if self._recording is None else self._goal_ns(self._recording)

    @property
    def events(self) -> list[Event]:
        """The events of the whole recording, for a timeline."""
        return [] if self._recording is None else self._recording.events

    def describe(self) -> PlayerStatus:
        """Return the state of the player for the API."""
        return {
            **self._status(),
            "playing": self._playing,
            "speed": "fast" if self._pace.mode == "fast" else self._pace.speed,
            "seeking": None if self._target_ns is None else self._progress,
            "events": len(self.events),
        }

    # Open and close

    async def open(self, source: str | Path | Recording) -> None:
        """Open a recording at its beginning. If it cannot be opened, the player does not change."""
        self._open_requests += 1
        number = self._open_requests
        recording = await asyncio.to_thread(
            SeekableRecording.open, source, self._clock
        )  # a long recording takes seconds to read
        if number != self._open_requests:
            raise InputError(
                Problem(
                    str(source.path if isinstance(source, Recording) else source),
                    "another recording was opened or closed meanwhile",
                    "open it again",
                )
            )
        task = self._unload()
        self._recording = recording
        self._task = asyncio.create_task(self._run(recording))
        await _finished(task)

    async def close(self) -> None:
        """Close the recording; safe to call twice."""
        self._open_requests += 1
        await _finished(self._unload())

    def _unload(self) -> "asyncio.Task[None] | None":
        """Drop the recording at once and return its task, which is being cancelled."""
        task = self._task
        if task is not None:
            task.cancel()
        self._past_epochs, self._recording, self._task = self.epoch + 1, None, None
        self._sampled_ns = NEVER_NS
        self._playing, self._failure = False, ""
        self._pace = Pace()
        self._arrive()
        return task

    def _loaded(self) -> SeekableRecording:
        if self._recording is None:
            raise InputError(
                Problem(
                    "player", "no recording is open", 'open one: POST /api/deck {"file": "F.mcap"}'
                )
            )
        return self._recording

    # Commands

    def play(self, speed: float | str = 1.0) -> None:
        """Play at this factor of real time, or "fast"; restart from the beginning at the end."""
        recording = self._loaded()
        self._pace = _pace(speed)
        if self._goal_ns(recording) >= recording.end_ns:
            self._go_to(recording.begin_ns)
        self._playing, self._failure = True, ""
        self._anchor(recording)
        self._wake.set()

    def pause(self) -> None:
        """Stop playing."""
        self._loaded()
        self._playing = False

    def seek(self, time_s: float) -> None:
        """Go to a time and continue playing from there. It replaces a seek in progress."""
        recording = self._loaded()
        self._go_to(to_ns(min(max(time_s, recording.begin_ns / 1e9), recording.end_ns / 1e9)))

    def step(self, ms: float) -> None:
        """Pause, and go forward or back by this much. Steps in progress add up."""
        recording = self._loaded()
        self._playing = False
        longest_ns = recording.end_ns - recording.begin_ns
        self._go_to(
            self._goal_ns(recording) + round(min(max(ms * 1e6, -longest_ns), longest_ns)),
            replay_all=True,
        )

    def fill_history(self, known_ns: int) -> None:
        """Replay the recording from the last sample to here, so that clients get the samples."""
        recording = self._loaded()
        self._sampled_ns = min(self._sampled_ns, max(known_ns, recording.begin_ns))
        if self._goal_ns(recording) > self._sampled_ns:
            self._go_to(self._goal_ns(recording))

    async def settled(self) -> None:
        """Wait until no seek or step is in progress."""
        await self._settled.wait()

    def _goal_ns(self, recording: SeekableRecording) -> int:
        return recording.now_ns if self._target_ns is None else self._target_ns

    def _go_to(self, target_ns: int, replay_all: bool = False) -> None:
        recording = self._loaded()
        self._target_ns = min(max(target_ns, recording.begin_ns), recording.end_ns)
        self._replay_all = replay_all
        self._progress, self._failure = 0.0, ""
        self._settled.clear()
        self._wake.set()

    def _arrive(self) -> None:
        self._target_ns = None
        self._settled.set()

    def _anchor(self, recording: SeekableRecording) -> None:
        self._pace.anchor(self._clock(), recording.now_ns)

    # Task

    async def _run(self, recording: SeekableRecording) -> None:
        while True:
            try:
                if self._target_ns is not None:
                    await self._seek(recording, self._target_ns)
                elif self._playing:
                    await self._play(recording)
                else:
                    self._wake.clear()
                    await self._wake.wait()
            except Exception as error:  # user code; the player stays usable and reports it
                self._failure = f"{type(error).__name__}: {error}"
                self._playing = False
                self._arrive()

    async def _seek(self, recording: SeekableRecording, target_ns: int) -> None:
        origin_ns = None
        replay_all = self._replay_all
        for _ in self._moves(recording, target_ns, replay_all):
            origin_ns = recording.now_ns if origin_ns is None else origin_ns
            self._progress = (recording.now_ns - origin_ns) / max(target_ns - origin_ns, 1)
            await self._sleep(0)
            if self._target_ns != target_ns:
                return
        self._jumps += not replay_all
        self._arrive()
        self._anchor(recording)

    def _moves(
        self, recording: SeekableRecording, target_ns: int, replay_all: bool
    ) -> Iterator[None]:
        """Move to the target in slices; replay what was not sampled yet, for trails and plots."""
        if target_ns > self._sampled_ns:
            if recording.now_ns != self._sampled_ns:
                yield from recording.seek_in_slices(self._sampled_ns)
            for _ in recording.seek_in_slices(target_ns, through=True):
                self._sampled_ns = max(self._sampled_ns, recording.now_ns)
                yield
            self._sampled_ns = max(self._sampled_ns, recording.now_ns)
        else:
            yield from recording.seek_in_slices(target_ns, replay_all)

    async def _play(self, recording: SeekableRecording) -> None:
        fast = self._pace.mode == "fast"
        target_ns = (
            recording.end_ns if fast else min(self._pace.sim_at(self._clock()), recording.end_ns)
        )
        pace = self._pace
        for _ in recording.seek_in_slices(max(target_ns, recording.now_ns), through=True):
            await self._sleep(0)
            if not self._playing or self._target_ns is not None or self._pace is not pace:
                return
        self._sampled_ns = max(self._sampled_ns, recording.now_ns)
        if recording.now_ns >= recording.end_ns:
            self._playing = False
            return
        if self._clock() - pace.wall_at(recording.now_ns) > MAX_LAG_NS:
            self._anchor(recording)
        await self._sleep(FRAME_S)


async def _finished(task: "asyncio.Task[None] | None") -> None:
    if task is not None:
        await asyncio.gather(task, return_exceptions=True)


def _pace(speed: float | str) -> Pace:
    if speed == "fast":
        return Pace("fast")
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not MIN_SPEED <= factor <= MAX_SPEED:
        fix = f"a factor from {MIN_SPEED:g} to {MAX_SPEED:g}, or 'fast'"
        raise InputError(Problem("speed", f"{speed!r} is not a playing speed", fix))
    return Pace("real", factor)
