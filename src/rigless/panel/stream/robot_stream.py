"""The picture of one robot, shared by all clients that look at it.

It holds the robot's view, the newest frame, and samples of its numbers and trails. A frame is drawn
once per tick, and encoded once for all clients that last received the same frame.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.drawing import Listing, View, rows
from rigless.kernel.plain import to_json
from rigless.kernel.simulation import Simulation
from rigless.kernel.timing.rate import to_ns
from rigless.panel.stream import messages
from rigless.panel.stream.paths import JUMP_MPS, Path, speed, trail_ends
from rigless.panel.stream.sources import Source

SAMPLE_HZ = 10.0
GAP_S = 0.5  # a longer gap between samples (no client, or a jump) breaks lines
MAX_SAMPLES = 36_000  # an hour
HISTORY_SAMPLES = 1200  # samples of numbers that a new client gets: two minutes
HISTORY_POINTS = 6000  # at most so many points of a trail
MORE_S = 0.25  # between two frames further apart, the samples are sent
MAX_MORE_SAMPLES = 300  # between two frames; in fast time older ones are skipped
MORE_KEY = -1  # key of encoded samples; no field has this number

Values = NDArray[np.float32]
PathOf = Callable[[str], Path | None]  # of a robot, from the start of the run


def no_path(_robot: str) -> None:
    """Return no path: this source is not sampled from the start."""


class RobotStream:
    """Frames and samples of one robot. `number` identifies its page in binary messages."""

    def __init__(
        self, source: Source, sim: Simulation, robot: str, number: int, path_of: PathOf = no_path
    ):
        self.source, self.sim, self.robot, self.number = source, sim, robot, number
        self._path_of = path_of
        self.failure = ""
        self.view = self._make_view()
        self.measures, self.traces = messages.measures(self.view), messages.traces(self.view)
        self._drawn_parts = [part for part in self.view.parts if part.columns]
        self._static_fields: dict[int, Values] | None = None
        self._has_listings = any(isinstance(part, Listing) for part in self.view.parts)
        self.epoch = source.epoch
        self.sequence = 0
        self._time_ns = -1
        self._fields: dict[int, Values] = {}
        self._changed: dict[int, int] = {}  # field → sequence number of its last change
        self._encoded: dict[tuple[int, ...], bytes] = {}
        self._times = np.zeros(MAX_SAMPLES)
        self._numbers = np.zeros((MAX_SAMPLES, len(self.measures)), np.float32)
        self._places = np.zeros((MAX_SAMPLES, 3 * len(self.traces)), np.float32)
        self._count = 0
        self._speed_mps = 0.0  # of the fastest trail
        self._recording = False

    def page(self) -> dict[str, object]:
        return messages.page(self.source.name, self.robot, self.number, self.view)

    def listings(self) -> bytes:
        """Return the message with the page's listings; empty if it has none."""
        if not self._has_listings or self.failure:
            return b""
        try:
            return to_json(messages.listings(self.source.name, self.robot, self.view.lines()))
        except Exception as error:  # user code
            self._fail(error)
            return b""

    # Frames

    def update(self, force: bool = False) -> None:
        """Draw a new frame if time has passed.

        With `force`, draw anyway: an input may have changed something at the same instant.
        """
        sim = self.sim
        if self.failure and self.epoch != self.source.epoch:
            self.failure = ""  # the failure may not occur at another instant
        jumped = self.epoch != self.source.epoch or sim.robots[self.robot] is not self.view.robot
        if jumped:
            self._start_over()
        if self.failure or not (jumped or force or sim.now_ns != self._time_ns):
            return
        try:
            fields = self._draw()
        except Exception as error:  # user code
            self._fail(error)
            return
        sequence = self.sequence + 1
        for number, values in fields:
            known = self._fields.get(number)
            if values is known:
                continue
            if known is None or known.size != values.size or known.tobytes() != values.tobytes():
                self._fields[number], self._changed[number] = values, sequence
                self.sequence = sequence
        if sim.now_ns != self._time_ns:
            self._time_ns, self.sequence = sim.now_ns, sequence
        self._encoded.clear()

    @np.errstate(over="ignore")  # values beyond float32 become infinite
    def _draw(self) -> list[tuple[int, Values]]:
        if self._static_fields is None:
            static = self.view.draw_static()
            self._static_fields = {
                2 + n: rows(part, static[part.name]).flatten()
                for n, part in enumerate(self._drawn_parts)
                if part.name in static
            }
        drawing = self.view.draw()
        fields = [
            (0, self._row(self.view.measure(), self.measures)),
            (1, trail_ends(self.view, self.traces)),
            *self._static_fields.items(),
        ]
        return fields + [
            (2 + n, rows(part, drawing.get(part.name, ())).flatten())
            for n, part in enumerate(self._drawn_parts)
            if 2 + n not in self._static_fields
        ]

    def frame(self, seen: int) -> bytes:
        """Return the newest frame for a client that last received frame `seen` (0: none)."""
        wanted = tuple(number for number, changed in self._changed.items() if changed > seen)
        if wanted not in self._encoded:
            fields = [(number, self._fields[number]) for number in wanted]
            self._encoded[wanted] = self._pack(messages.FRAME, fields)
        return self._encoded[wanted]

    def _pack(self, kind: int, fields: list[tuple[int, Values]]) -> bytes:
        return messages.pack(
            kind, self.number, self.sequence, self.epoch, self._time_ns / 1e9, fields
        )

    # Samples

    def record(self, on: bool) -> None:
        """Start or stop sampling numbers and trails in simulated time."""
        if on and not self._recording:
            if self.epoch != self.source.epoch and not self.source.fixed:
                self._count = 0  # time jumped while nothing was sampled
            self.sim.core.sample(SAMPLE_HZ, self.sample)
            self.source.fill_history(to_ns(self._times[self._count - 1]) if self._count else 0)
            self._break_lines()
        elif self._recording and not on:
            self.sim.core.stop_sampling(self.sample)
        self._recording = on

    def sample(self) -> None:
        if self.failure:
            return
        try:
            self._sample()
        except Exception as error:
            self._fail(error)

    @np.errstate(over="ignore")
    def _sample(self) -> None:
        sim = self.sim
        if sim.robots[self.robot] is not self.view.robot:
            self._start_over()
        now_s = sim.now_s
        if self.source.fixed and self._count and now_s <= self._times[self._count - 1]:
            return
        self._count = self._samples_until(now_s, "left")  # drop samples of another past
        self._break_lines()
        numbers = self._row(self.view.measure(), self.measures)
        places = trail_ends(self.view, self.traces)
        self._break_trails(now_s, places)
        self._append(now_s, numbers, places)

    def _break_lines(self) -> None:
        """Add an empty sample if there was no sample for some time."""
        now_s = self.sim.now_s
        if self._count and now_s - self._times[self._count - 1] > GAP_S:
            self._append(now_s - 1 / SAMPLE_HZ, np.nan, np.nan)

    def _break_trails(self, now_s: float, places: Values) -> None:
        """Add a sample without places if the robot was put elsewhere."""
        last = self._count - 1
        if last < 0 or not self.traces:
            return
        time_s, before = self._times[last], self._speed_mps
        self._speed_mps = speed(self._places[last], places, now_s - time_s)
        if self._speed_mps - before > JUMP_MPS:
            self._append(time_s, self._numbers[last], np.nan)

    def _append(self, time_s: float, numbers: Values | float, places: Values | float) -> None:
        if self._count == MAX_SAMPLES:  # drop the oldest tenth
            drop = MAX_SAMPLES // 10
            for samples in (self._times, self._numbers, self._places):
                samples[:-drop] = samples[drop:].copy()
            self._count -= drop
        self._times[self._count], self._numbers[self._count], self._places[self._count] = (
            time_s,
            numbers,
            places,
        )
        self._count += 1

    def history(self) -> bytes:
        """Return the samples that a new client needs: numbers over time, and the trails.

        Where there was no client, trails have the points of the path from the start of the run.
        """
        count = self._samples_until(self._time_ns / 1e9)
        times, places = self._times[:count], self._places[:count]
        if self.traces and (path := self._path_of(self.robot)) is not None:
            times, places = path.fill(times, places)
        return self._pack_samples(
            messages.HISTORY, max(0, count - HISTORY_SAMPLES), count, times, places
        )

    def samples_since(self, seen_s: float) -> bytes:
        """Return the samples between a client's last frame and the newest, if the gap is long.

        They are encoded once for all clients with the same last frame.
        """
        now_s = self._time_ns / 1e9
        if now_s - seen_s < MORE_S:
            return b""
        key = (MORE_KEY, round(seen_s * 1e6))
        if key not in self._encoded:
            first, count = self._samples_until(seen_s), self._samples_until(now_s)
            first = max(first, count - MAX_MORE_SAMPLES)
            times, places = self._times[first:count], self._places[first:count]
            self._encoded[key] = self._pack_samples(messages.MORE, first, count, times, places)
        return self._encoded[key]

    def _pack_samples(
        self, kind: int, first: int, count: int, times: NDArray[np.float64], places: Values
    ) -> bytes:
        """Encode the numbers of some samples, and the points of trails with their times."""
        before = (self._times[first:count] - self.time_s).astype(np.float32)
        thinned = np.arange(len(places)) % max(1, -(-len(places) // HISTORY_POINTS)) == 0
        gaps = np.isnan(places)
        edges = (gaps != np.roll(gaps, 1, axis=0)).any(axis=1)  # where a line breaks or goes on
        times, places = times[thinned | edges], places[thinned | edges]
        fields = [(0, before), (1, self._numbers[first:count].ravel())]
        fields += [(2 + n, places[:, 3 * n : 3 * n + 3].ravel()) for n in range(len(self.traces))]
        if self.traces:
            fields.append((2 + len(self.traces), (times - self.time_s).astype(np.float32)))
        return self._pack(kind, fields)

    @property
    def time_s(self) -> float:
        """Simulated time of the newest frame."""
        return self._time_ns / 1e9

    def _samples_until(self, time_s: float, side: Literal["left", "right"] = "right") -> int:
        return int(np.searchsorted(self._times[: self._count], time_s, side))

    def _start_over(self) -> None:
        """Make a new view after a jump in time.

        After a reset the robot is another object, and a view may remember things of another past.
        """
        self.epoch = self.source.epoch
        self.view, self._static_fields = self._make_view(), None
        self._changed = dict.fromkeys(self._changed, self.sequence + 1)
        if not self.source.fixed:
            self._count = self._samples_until(self.sim.now_s)

    def _make_view(self) -> View:
        robot = self.sim.robots[self.robot]
        try:
            return robot.view()
        except Exception as error:
            self._fail(error)
            return View(robot)

    def _fail(self, error: Exception) -> None:
        self.failure = f"the view of {self.robot} failed: {type(error).__name__}: {error}"

    def _row(self, numbers: Mapping[str, float], names: Iterable[str]) -> Values:
        return np.array([numbers.get(name, np.nan) for name in names], np.float32)
