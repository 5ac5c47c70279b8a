"""The path of a robot's trails from the start of the run, in bounded memory.

Points closer than a step to the last one are left out. If the memory is full, the step is doubled,
so that the whole path stays, with less detail.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.drawing import View
from rigless.panel.stream.messages import traces

MAX_POINTS = 6000
STEP_M = 0.01
GAP_S = 3.0  # a longer gap between samples breaks lines
JUMP_MPS = 4.0  # so does a larger rise of the speed: the robot was put elsewhere

Times = NDArray[np.float64]
Places = NDArray[np.float32]


def trail_ends(view: View, names: list[str]) -> Places:
    """Return the points of a view's trails now: x, y, z each; NaN for one without a point."""
    ends = view.trace()
    places = [(*ends[name], 0.0)[:3] if name in ends else (np.nan,) * 3 for name in names]
    return np.array(places, np.float32).ravel()


def speed(before: Places, now: Places, seconds: float) -> float:
    """Return the speed of the fastest trail between two samples."""
    by = np.nan_to_num(now - before).reshape(-1, 3)
    return float(np.linalg.norm(by, axis=1).max(initial=0.0)) / max(seconds, 1e-3)


class Path:
    """Points of all trails of one robot; a row has x, y and z of each trail."""

    def __init__(self, view: View):
        self._names = traces(view)
        self._times: Times = np.zeros(64)
        self._places: Places = np.zeros((64, 3 * len(self._names)), np.float32)
        self._count = 0
        self._step_m = STEP_M
        self._sampled_s = -np.inf
        self._last: Places = np.full(3 * len(self._names), np.nan, np.float32)
        self._speed_mps = 0.0

    def sample(self, now_s: float, view: View) -> None:
        """Add the present points, unless they are close to the last ones."""
        if not self._names:
            return
        places = trail_ends(view, self._names)
        if self._count and (now_s - self._sampled_s > GAP_S or self._jumped(now_s, places)):
            self._append(self._sampled_s, np.full_like(places, np.nan))
        self._sampled_s, self._last = now_s, places
        if self._count == 0 or self._moved(places):
            self._append(now_s, places)

    def _jumped(self, now_s: float, places: Places) -> bool:
        before = self._speed_mps
        self._speed_mps = speed(self._last, places, now_s - self._sampled_s)
        return self._speed_mps - before > JUMP_MPS

    def _moved(self, places: Places) -> bool:
        return self._apart(self._places[self._count - 1], places)

    def _apart(self, one: Places, other: Places) -> bool:
        """Return whether a trail has moved by a step, or begins or ends."""
        if (np.isnan(one) != np.isnan(other)).any():
            return True
        by = np.nan_to_num(other - one).reshape(-1, 3)
        return bool((np.square(by).sum(axis=1) >= self._step_m**2).any())

    def _append(self, time_s: float, places: Places) -> None:
        if self._count == MAX_POINTS:
            self._thin()
        if self._count == len(self._times):
            size = min(MAX_POINTS, 2 * self._count)
            self._times = np.resize(self._times, size)
            self._places = np.resize(self._places, (size, self._places.shape[1]))
        self._times[self._count], self._places[self._count] = time_s, places
        self._count += 1

    def _thin(self) -> None:
        """Double the step until half of the points are enough."""
        while self._count > MAX_POINTS // 2:
            self._step_m *= 2
            kept = [0]
            for row in range(1, self._count):
                if self._apart(self._places[kept[-1]], self._places[row]):
                    kept.append(row)
            self._times[: len(kept)] = self._times[kept]
            self._places[: len(kept)] = self._places[kept]
            self._count = len(kept)

    def forget_from(self, time_s: float) -> None:
        """Drop the points from this time on."""
        self._count = int(np.searchsorted(self._times[: self._count], time_s))
        self._sampled_s = min(self._sampled_s, time_s)

    def fill(self, times: Times, places: Places) -> tuple[Times, Places]:
        """Return samples of another observer, with these points where it has none.

        A row of NaN stands before the samples that follow a gap.
        """
        if not self._count or self._places.shape[1] != places.shape[1]:
            return times, places
        own_s = self._times[: self._count]
        following = np.searchsorted(times, own_s)
        breaks = np.append(np.isnan(places).all(axis=1), True)
        used = (following == 0) | breaks[following]
        filled = breaks[:-1] & np.isin(np.arange(len(times)), following[used])
        joined = np.concatenate([times[~filled], own_s[used]])
        order = np.argsort(joined, kind="stable")
        rows = np.concatenate([places[~filled], self._places[: self._count][used]])
        return joined[order], rows[order]
