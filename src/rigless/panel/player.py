"""The panel's player of recordings: one reel, moved by one task on the host's loop that gives way between slices, so that the
live simulation keeps its pace."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from rigless.host.pace import Pace
from rigless.kernel.events import Event
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.rate import to_ns
from rigless.kernel.simulation import Simulation
from rigless.recordings.seekable import SeekableRecording

SLOWEST, FASTEST = 0.1, 10.0
FRAME_S = 1 / 60  # how often time moves on while playing
NEVER_NS = 1 << 62
LOST_WALL_NS = 250_000_000  # further behind than this, playing gives up catching up


class Player:
    """Open a recording, then seek, step and play. What cannot be done is an InputError."""

    name = "recording"
    fixed = True

    def __init__(
        self,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._clock, self._sleep = clock, sleep
        self._reel: SeekableRecording | None = None
        self._task: asyncio.Task[None] | None = None
        self._opened = 0
        self._epochs = 0  # of the reels before this one
        self._jumps = 0
        self._seen_ns = NEVER_NS  # up to here whoever looks has seen everything
        self._pace = Pace()
        self._playing = False
        self._target_ns: int | None = None
        self._through = False
        self._progress = 0.0
        self._trouble = ""
        self._woken = asyncio.Event()
        self._still = asyncio.Event()
        self._still.set()

    # What there is

    @property
    def sim(self) -> Simulation | None:
        return None if self._reel is None else self._reel.simulation

    @property
    def epoch(self) -> int:
        """Grows when time has jumped, and when another recording is in."""
        return self._epochs + self._jumps + (0 if self._reel is None else self._reel.epoch)

    @property
    def events(self) -> list[Event]:
        """What happened in the whole recording, for a timeline."""
        return [] if self._reel is None else self._reel.events

    def describe(self) -> dict[str, Any]:
        reel = self._reel
        return {
            "file": None if reel is None else str(reel.path),
            "time_s": 0.0 if reel is None else reel.now_ns / 1e9,
            "begin_s": 0.0 if reel is None else reel.begin_ns / 1e9,
            "end_s": 0.0 if reel is None else reel.end_ns / 1e9,
            "playing": self._playing,
            "speed": "fast" if self._pace.mode == "fast" else self._pace.speed,
            "seeking": None if self._target_ns is None else self._progress,
            "cut": reel is not None and reel.cut,
            "note": "" if reel is None else reel.note,
            "failure": self._trouble or ("" if reel is None else reel.failure),
            "events": len(self.events),
        }

    # In and out

    async def open(self, path: str | Path) -> None:
        """Put a recording in and stand at its beginning; one that cannot be opened leaves the deck as it is."""
        self._opened += 1
        number = self._opened
        reel = await asyncio.to_thread(
            SeekableRecording.open, path, self._clock
        )  # a long recording takes seconds to read
        if number != self._opened:
            raise InputError(
                Problem(
                    str(path),
                    "the deck has been given something else to do meanwhile",
                    "open it again",
                )
            )
        task = self._eject()
        self._reel = reel
        self._task = asyncio.create_task(self._run(reel))
        await _over(task)

    async def close(self) -> None:
        """Take the recording out; safe to call twice."""
        self._opened += 1
        await _over(self._eject())

    def _eject(self) -> "asyncio.Task[None] | None":
        """Empty the deck at once; gives the task that has yet to end."""
        task = self._task
        if task is not None:
            task.cancel()
        self._epochs, self._reel, self._task = self.epoch + 1, None, None
        self._seen_ns = NEVER_NS
        self._playing, self._trouble = False, ""
        self._pace = Pace()
        self._arrive()
        return task

    def _loaded(self) -> SeekableRecording:
        if self._reel is None:
            raise InputError(
                Problem(
                    "deck", "no recording is in it", 'open one: POST /api/deck {"file": "F.mcap"}'
                )
            )
        return self._reel

    # What to do

    def play(self, speed: float | str = 1.0) -> None:
        """Let time go on at this factor, or "fast" as fast as it can; from the beginning if it is at the end."""
        reel = self._loaded()
        self._pace = _pace(speed)
        if self._goal_ns(reel) >= reel.end_ns:
            self._go(reel.begin_ns)
        self._playing, self._trouble = True, ""
        self._anchor(reel)
        self._woken.set()

    def pause(self) -> None:
        self._loaded()
        self._playing = False

    def seek(self, time_s: float) -> None:
        """Go to a time; playing goes on from there. A newer seek replaces one under way."""
        reel = self._loaded()
        self._go(to_ns(min(max(time_s, reel.begin_ns / 1e9), reel.end_ns / 1e9)))

    def step(self, ms: float) -> None:
        """Go on, or back, by this much and stay there. Steps add up, also those that are still under way."""
        reel = self._loaded()
        self._playing = False
        longest_ns = reel.end_ns - reel.begin_ns
        self._go(
            self._goal_ns(reel) + round(min(max(ms * 1e6, -longest_ns), longest_ns)), through=True
        )

    def fill_history(self, known_ns: int) -> None:
        """Somebody begins to look, and wants to see what led here: go through what has not been seen."""
        reel = self._loaded()
        self._seen_ns = min(self._seen_ns, max(known_ns, reel.begin_ns))
        if self._goal_ns(reel) > self._seen_ns:
            self._go(self._goal_ns(reel))

    async def settled(self) -> None:
        """Wait until no seek or step is under way."""
        await self._still.wait()

    def _goal_ns(self, reel: SeekableRecording) -> int:
        return reel.now_ns if self._target_ns is None else self._target_ns

    def _go(self, target_ns: int, through: bool = False) -> None:
        reel = self._loaded()
        self._target_ns, self._through = min(max(target_ns, reel.begin_ns), reel.end_ns), through
        self._progress, self._trouble = 0.0, ""
        self._still.clear()
        self._woken.set()

    def _arrive(self) -> None:
        self._target_ns = None
        self._still.set()

    def _anchor(self, reel: SeekableRecording) -> None:
        self._pace.anchor(self._clock(), reel.now_ns)

    # The task

    async def _run(self, reel: SeekableRecording) -> None:
        while True:
            try:
                if self._target_ns is not None:
                    await self._seek(reel, self._target_ns)
                elif self._playing:
                    await self._play(reel)
                else:
                    self._woken.clear()
                    await self._woken.wait()
            except Exception as error:  # whatever it is, the deck stays usable and says so
                self._trouble = f"{type(error).__name__}: {error}"
                self._playing = False
                self._arrive()

    async def _seek(self, reel: SeekableRecording, target_ns: int) -> None:
        origin_ns = None
        through = self._through
        for _ in self._way(reel, target_ns, through):
            origin_ns = reel.now_ns if origin_ns is None else origin_ns
            self._progress = (reel.now_ns - origin_ns) / max(target_ns - origin_ns, 1)
            await self._sleep(0)
            if self._target_ns != target_ns:
                return
        self._jumps += not through
        self._arrive()
        self._anchor(reel)

    def _way(self, reel: SeekableRecording, target_ns: int, through: bool) -> Iterator[None]:
        """To the target; through what has not been seen yet, so that trails and plots have it."""
        if target_ns > self._seen_ns:
            if reel.now_ns != self._seen_ns:
                yield from reel.seek_in_slices(self._seen_ns)
            for _ in reel.seek_in_slices(target_ns, through=True):
                self._seen_ns = max(self._seen_ns, reel.now_ns)
                yield
            self._seen_ns = max(self._seen_ns, reel.now_ns)
        else:
            yield from reel.seek_in_slices(target_ns, through)

    async def _play(self, reel: SeekableRecording) -> None:
        fast = self._pace.mode == "fast"
        target_ns = reel.end_ns if fast else min(self._pace.sim_at(self._clock()), reel.end_ns)
        pace = self._pace
        for _ in reel.seek_in_slices(max(target_ns, reel.now_ns), through=True):
            await self._sleep(0)
            if not self._playing or self._target_ns is not None or self._pace is not pace:
                return
        self._seen_ns = max(self._seen_ns, reel.now_ns)
        if reel.now_ns >= reel.end_ns:
            self._playing = False
            return
        if self._clock() - pace.wall_at(reel.now_ns) > LOST_WALL_NS:
            self._anchor(reel)
        await self._sleep(FRAME_S)


async def _over(task: "asyncio.Task[None] | None") -> None:
    if task is not None:
        await asyncio.gather(task, return_exceptions=True)


def _pace(speed: float | str) -> Pace:
    if speed == "fast":
        return Pace("fast")
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not SLOWEST <= factor <= FASTEST:
        fix = f"a factor from {SLOWEST:g} to {FASTEST:g}, or 'fast'"
        raise InputError(Problem("speed", f"{speed!r} is not a speed of playing", fix))
    return Pace("real", factor)
