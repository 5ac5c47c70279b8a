"""Samples of several numbers over time in bounded memory, without losing an extreme.

Level 0 holds the newest samples as they are. A bin of level k holds the least and the largest value
of four bins of the level below, so of 4ᵏ samples. Each level is a ring of the same number of bins:
the older a sample, the coarser its bin. A level is added when the one below has four bins, so the
whole past stays readable and memory grows with the logarithm of time.

If time goes back, the bins after that instant are dropped on every level. A bin never holds samples
from both sides of it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
FANOUT = 4


class Bins(NamedTuple):
    """Bins in the order of time: the times of their first and last sample, and the extremes.

    `lows` and `highs` have a row for each bin and a column for each number. NaN: no value.
    """

    begin_s: Values
    end_s: Values
    lows: Values
    highs: Values

    def pick(self, first: int, last: int) -> "Bins":
        """Return the bins from `first` to before `last`."""
        return Bins(*(values[first:last] for values in self))


class _Level:
    """A ring of bins. Those numbered `first` to before `count` are there."""

    def __init__(self, bins: int, columns: int, raw: bool):
        self.bins, self.first, self.count = bins, 0, 0
        self.begin_s = np.empty(bins)
        self.lows = np.empty((bins, columns))
        self.end_s = self.begin_s if raw else np.empty(bins)
        self.highs = self.lows if raw else np.empty((bins, columns))

    def put(self, begin_s: float, end_s: float, lows: ArrayLike, highs: ArrayLike) -> None:
        place = self.count % self.bins
        self.begin_s[place], self.end_s[place] = begin_s, end_s
        self.lows[place] = lows
        if self.highs is not self.lows:
            self.highs[place] = highs
        self.count += 1
        if self.count - self.first > self.bins:
            self.first = self.count - self.bins

    def newest(self) -> Bins:
        """Return the newest four bins, or those of them that are there."""
        last = (self.count - 1) % self.bins + 1  # the number of bins is a multiple of four
        there = min(FANOUT, self.count - self.first)
        return Bins(self.begin_s, self.end_s, self.lows, self.highs).pick(last - there, last)

    def read(self, first: int, last: int, columns: list[int] | slice) -> Bins:
        places = np.arange(max(first, self.first), min(last, self.count)) % self.bins
        lows = self.lows[places][:, columns]
        same = self.highs is self.lows
        highs = lows if same else self.highs[places][:, columns]
        return Bins(self.begin_s[places], self.end_s[places], lows, highs)

    def reaches(self, time_s: float) -> bool:
        """Return True if all samples from this time on are here."""
        if self.first == 0:
            return True
        return self.first < self.count and self.begin_s[self.first % self.bins] < time_s

    def widen(self, columns: int) -> None:
        raw = self.highs is self.lows
        more = np.full((self.bins, columns - self.lows.shape[1]), np.nan)
        self.lows = np.hstack([self.lows, more])
        self.highs = self.lows if raw else np.hstack([self.highs, more])


class Pyramid:
    """Numbers over time. `bins` is the length of each level, a multiple of four."""

    def __init__(self, columns: int, bins: int):
        if bins % FANOUT or bins < FANOUT:
            raise ValueError(f"the number of bins must be a multiple of {FANOUT}, not {bins}")
        self.columns, self.bins = columns, bins
        self._levels = [_Level(bins, columns, raw=True)]

    def __len__(self) -> int:
        """Return the number of samples so far."""
        return self._levels[0].count

    @property
    def nbytes(self) -> int:
        """The memory of all levels."""
        return sum(
            2 * 8 * level.bins + level.lows.nbytes * (1 if level.highs is level.lows else 2)
            for level in self._levels
        )

    @property
    def end_s(self) -> float:
        """The time of the newest sample, −∞ without any."""
        newest = self._levels[0]
        if newest.first < newest.count:
            return float(newest.end_s[(newest.count - 1) % self.bins])
        bins = self._all(0, slice(0, 0))
        return float(bins.end_s[-1]) if bins.end_s.size else -np.inf

    def append(self, time_s: float, row: ArrayLike) -> None:
        """Add a sample of all numbers, later than the one before."""
        level = self._levels[0]
        level.put(time_s, time_s, row, row)
        number = 0
        while level.count % FANOUT == 0:
            number += 1
            if number == len(self._levels):
                self._levels.append(_Level(self.bins, self.columns, raw=False))
            few, level = level.newest(), self._levels[number]
            level.put(
                few.begin_s[0], few.end_s[-1],
                np.fmin.reduce(few.lows), np.fmax.reduce(few.highs),
            )  # fmt: skip

    def widen(self, columns: int) -> None:
        """Add columns, which have no value so far."""
        for level in self._levels:
            level.widen(columns)
        self.columns = columns

    def forget_from(self, time_s: float) -> bool:
        """Drop the samples from this time on; return whether there were any."""
        if not len(self) or self.end_s < time_s:
            return False
        number, level = next(
            pair for pair in enumerate(self._levels) if pair[1].reaches(time_s)
        )  # the top level reaches back to the first sample
        kept = level.first + int(
            np.searchsorted(level.read(level.first, level.count, slice(0, 0)).end_s, time_s)
        )
        samples = kept * FANOUT**number
        for height, each in enumerate(self._levels):
            each.count = min(each.count, samples // FANOUT**height)
            each.first = min(each.first, each.count)
        return True

    def read(
        self, from_s: float, to_s: float, points: int, columns: list[int] | None = None
    ) -> Bins:
        """Return the bins of a time range and one more on both sides, at most about 2 × points."""
        chosen: list[int] | slice = slice(None) if columns is None else columns
        height = 0
        for number, level in enumerate(self._levels):
            times = level.read(level.first, level.count, slice(0, 0))
            if _count(times, from_s, to_s) < points:
                break
            height = number
        bins = self._all(height, chosen)
        first = max(0, int(np.searchsorted(bins.end_s, from_s)) - 1)
        last = int(np.searchsorted(bins.begin_s, to_s, "right")) + 1
        return _reduce(bins.pick(first, last), points)

    def _all(self, height: int, columns: list[int] | slice) -> Bins:
        """Return all bins at one level, older ones of the levels above, newer ones of those below.

        Bins of two levels do not overlap.
        """
        parts: list[Bins] = []
        last = self._levels[height].count
        for number in range(height, len(self._levels)):
            level = self._levels[number]
            first = min(-(-level.first // FANOUT) * FANOUT, last)
            parts.insert(0, level.read(first, last, columns))
            last = first // FANOUT
        for number in range(height - 1, -1, -1):
            above, level = self._levels[number + 1], self._levels[number]
            parts.append(level.read(above.count * FANOUT, level.count, columns))
        return Bins(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _count(bins: Bins, from_s: float, to_s: float) -> int:
    inside = (bins.end_s >= from_s) & (bins.begin_s <= to_s)
    return int(np.count_nonzero(inside))


def _reduce(bins: Bins, points: int) -> Bins:
    """Merge neighbours until there are at most about 2 × `points` bins."""
    count = bins.begin_s.size
    if count <= 2 * points:
        return bins
    starts = np.arange(0, count, -(-count // points))
    ends = np.append(starts[1:], count) - 1
    return Bins(
        bins.begin_s[starts],
        bins.end_s[ends],
        np.fmin.reduceat(bins.lows, starts),
        np.fmax.reduceat(bins.highs, starts),
    )
