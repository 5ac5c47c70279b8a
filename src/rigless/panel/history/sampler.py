"""Samples the numbers of robots in simulated time: ground truth, page, metrics and inputs.

Sampling only observes: it is no part of recordings and snapshots. Its cost is limited. All robots
together are sampled `ROBOTS_PER_S` times per second, each at most `FULL_HZ` times, in turns; the
robots of a subscriber are sampled at the full rate. If time runs as fast as it can and there is no
subscriber, a tick is due once per simulated second and not within `FAST_WALL_S` of the last one, so
that the run is as fast as without a panel.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from math import inf, nan
from typing import Any

from rigless.kernel.drawing import View
from rigless.kernel.plain import numbers_in, to_builtins
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.panel.history.names import Described, describe_path, describe_view
from rigless.panel.history.points import Points, points_of
from rigless.panel.history.pyramid import Pyramid
from rigless.panel.stream.paths import Path

FULL_HZ = 10.0
FAST_HZ = 1.0  # ticks in fast time without a subscriber
FAST_WALL_S = 0.02
ROBOTS_PER_S = 100.0
MAX_ROBOTS = 100  # that are sampled without a subscriber
MAX_BYTES = 128 << 20  # of all robots after about a day
LEVELS = 8  # of a pyramid after about a day
MIN_BINS, MAX_BINS = 64, 4096
MAX_NUMBERS = 200  # of one robot
MAX_LIST = 16  # numbers of longer lists are left out
GAP_S = 3.0  # longer without a sample breaks lines


class RobotTrack:
    """The numbers of one robot over time. Columns are named truth/PATH, view/NAME and so on."""

    def __init__(self, sim: Simulation, robot: str):
        self.sim, self.robot = sim, robot
        self.columns: dict[str, int] = {}
        self.failures: dict[str, str] = {}  # by section
        self.pyramid: Pyramid | None = None
        self.path: Path | None = None
        self._view: View | None = None
        self._of: Robot | None = None  # the robot of that view; a reset makes another
        self._named: dict[str, Described] = {}
        self._read()  # to know the columns

    def _read(self) -> list[float]:
        """Return the values of all columns now. New numbers become new columns."""
        row = [nan] * len(self.columns)
        for key, value in self._numbers():
            column = self.columns.get(key)
            if column is not None:
                row[column] = value
            elif len(self.columns) < MAX_NUMBERS:
                self.columns[key] = len(row)
                row.append(value)
        return row

    def _numbers(self) -> Iterator[tuple[str, float]]:
        robot = self.sim.robots[self.robot]
        for section, read in (
            ("truth", robot.truth),
            ("view", self._measure),
            ("metrics", lambda: robot.metrics),
            ("input", lambda: robot.input),
        ):
            if section in self.failures:
                continue
            try:
                values = read()
                if section == "view":
                    for name, value in values.items():
                        yield f"view/{name}", float(value)
                else:
                    for name, value in numbers_in(to_builtins(values), longest=MAX_LIST):
                        yield f"{section}/{name}", float(value)
            except Exception as error:  # user code
                what = f"{section} of {self.robot} is not sampled"
                self.failures[section] = f"{what}: {type(error).__name__}: {error}"

    def _measure(self) -> Mapping[str, float]:
        robot = self.sim.robots[self.robot]
        if self._view is None or self._of is not robot:
            self._view, self._of = robot.view(), robot
            self._named = describe_view(self._view)
        return self._view.measure()

    def sample(self, bins: int) -> None:
        """Append a sample, unless there is one of this time or a later one."""
        now_s = self.sim.now_s
        if self.pyramid is not None and now_s <= self.pyramid.end_s:
            return
        row = self._read()
        if self.pyramid is None:
            self.pyramid = Pyramid(len(row), bins)
        elif len(row) > self.pyramid.columns:
            self.pyramid.widen(len(row))
        self.pyramid.append(now_s, row)
        self._sample_path(now_s)

    def _sample_path(self, now_s: float) -> None:
        if self._view is None or "view" in self.failures:
            return
        try:
            self.path = self.path or Path(self._view)
            self.path.sample(now_s, self._view)
        except Exception as error:  # user code
            what = f"the trails of {self.robot} are not sampled"
            self.failures["view"] = f"{what}: {type(error).__name__}: {error}"

    def forget_from(self, time_s: float) -> bool:
        """Drop the samples from this time on, and the view, which may remember them."""
        dropped = self.pyramid is not None and self.pyramid.forget_from(time_s)
        if self.path is not None:
            self.path.forget_from(time_s)
        if dropped:
            self._view, self.failures = None, {}
        return dropped

    def read(self, keys: list[str], from_s: float, to_s: float, points: int) -> list[Points]:
        """Return the points of columns in a time range."""
        places = [self.columns.get(key, -1) for key in keys]
        known = [place for place in places if place >= 0]
        if self.pyramid is None or not known:
            return [Points() for _ in keys]
        bins = self.pyramid.read(from_s, to_s, points, known)
        found = {place: points_of(bins, n, GAP_S) for n, place in enumerate(known)}
        return [found.get(place, Points()) for place in places]

    def describe(self, key: str) -> Described:
        """Return label and unit of a column."""
        section, _, path = key.partition("/")
        found = self._named.get(path) if section == "view" else None
        return found or describe_path(path)


class Sampler:
    """Samples the robots of one simulation.

    If the past is `fixed`, time may go over it again without a new sample. Else time that goes back
    is another past: the samples after it are dropped, and `generation` increases.
    """

    def __init__(
        self, sim: Simulation, fixed: bool = False, slow: Callable[[], bool] = lambda: False
    ):
        self.sim, self.fixed = sim, fixed
        self.generation = 0
        self.tracks: dict[str, RobotTrack] = {}
        self.watched: set[str] = set()  # robots of subscribers
        self.last_s = -inf
        self._slow = slow
        self._hz = 0.0
        self._turn = 0
        self._wall_s = 0.0  # of the last tick
        self.forgotten: list[Callable[[float], Any]] = []  # called when samples are dropped
        for name in list(sim.robots)[:MAX_ROBOTS]:
            self.tracks[name] = RobotTrack(sim, name)
        columns = sum(len(track.columns) for track in self.tracks.values())
        self.bins = _bins(columns)
        self.from_start = len(self.tracks)  # robots that are sampled without a subscriber

    @property
    def each_hz(self) -> float:
        """The rate of each robot without a subscriber."""
        return min(FULL_HZ, ROBOTS_PER_S / max(1, len(self.tracks)))

    @property
    def sparse(self) -> bool:
        """True while time runs as fast as it can and there is no subscriber."""
        return self._hz == FAST_HZ

    def start(self) -> None:
        """Begin to sample, at this instant."""
        for track in self.tracks.values():
            track.sample(self.bins)
        self.last_s = self.sim.now_s
        self._set_rate()

    def stop(self) -> None:
        self.sim.core.stop_sampling(self._tick)
        self._hz = 0.0

    def watch(self, robots: set[str]) -> None:
        """Sample these robots at the full rate from now on."""
        self.watched = robots
        for name in robots - set(self.tracks):
            if name in self.sim.robots:
                self.tracks[name] = RobotTrack(self.sim, name)
        self._set_rate()

    def _set_rate(self) -> None:
        hz = FAST_HZ if self._slow() and not self.watched else FULL_HZ
        if hz != self._hz:
            if self._hz:
                self.sim.core.stop_sampling(self._tick)
            self.sim.core.sample(hz, self._tick)
            self._hz = hz

    def _tick(self) -> None:
        wall_s = time.monotonic()
        if self._hz == FAST_HZ and wall_s - self._wall_s < FAST_WALL_S and not self.fixed:
            return
        self._wall_s = wall_s
        if not self.fixed and self.sim.now_s == self.last_s:
            self._forget(self.last_s)  # time went back by less than a tick
        self.check_time()
        names = list(self.tracks)
        count = min(len(names), -(-int(len(names) * self.each_hz) // int(FULL_HZ)))
        turn = {names[(self._turn + n) % len(names)] for n in range(count)}
        self._turn += count
        for name in turn | (self.watched & self.tracks.keys()):
            self.tracks[name].sample(self.bins)
        self.last_s = max(self.last_s, self.sim.now_s)
        self._set_rate()

    def check_time(self) -> None:
        """Drop samples of another past if time went back."""
        now_s = self.sim.now_s
        if not self.fixed and now_s < self.last_s:
            self._forget(now_s)

    def _forget(self, now_s: float) -> None:
        dropped = [track.forget_from(now_s) for track in self.tracks.values()]
        dropped += [bool(forget(now_s)) for forget in self.forgotten]
        self.last_s = now_s
        self.generation += any(dropped)


def _bins(columns: int) -> int:
    """Return the length of a level so that all robots stay within the memory."""
    fitting = MAX_BYTES // (max(1, columns) * 16 * LEVELS)
    return max(MIN_BINS, min(MAX_BINS, 1 << (fitting.bit_length() - 1) if fitting else 0))
