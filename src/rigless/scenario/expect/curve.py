"""An observed value over time, for plots: a bounded number of points that keep the extremes."""

import math

from rigless.scenario.verdict import Series

POINTS = 600


class Curve:
    """A value over simulated time, thinned while it grows.

    If there are too many points, the least and the largest of each few are kept.
    """

    def __init__(self, points: int = POINTS, single: bool = False):
        self._most, self._single = points, single
        self._points: list[tuple[float, float]] = []

    def add(self, time_s: float, value: float) -> None:
        """Add a point, unless it is there already or the value is not a finite number."""
        point = (time_s, float(value))
        if not math.isfinite(value) or self._points[-1:] == [point]:
            return
        self._points.append(point)
        if len(self._points) > self._most:
            self._thin()

    def series(self, end: tuple[float, float] | None = None) -> Series | None:
        """Return the points, with one more at the end if it is given; None without points."""
        points = self._points + ([end] if end is not None else [])
        if len(points) > self._most:
            del points[-2]
        if not points:
            return None
        return Series([time for time, _ in points], [value for _, value in points], self._single)

    def _thin(self) -> None:
        """Halve the points between the first and the last."""
        first, *inner, last = self._points
        kept = [first]
        for begin in range(0, len(inner), 4):
            few = inner[begin : begin + 4]
            low, high = min(few, key=_value), max(few, key=_value)
            kept += sorted({low, high})
        self._points = [*kept, last]


def _value(point: tuple[float, float]) -> float:
    return point[1]
