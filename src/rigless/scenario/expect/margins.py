"""Measure how far an observation is from its limits, and say it in words."""

import math
from typing import Any

import numpy as np

from rigless.scenario.model.expectation import Expectation, Region


def slack(e: Expectation, value: Any) -> float:
    """Return the distance of a value from its limits: negative outside, NaN without a number.

    With `equals` it is minus the deviation.
    """
    if e.region is not None:
        return inside_m(e.region, value)
    if not isinstance(value, int | float | np.number) or isinstance(e.equals, str | bool):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return math.nan
    if isinstance(e.equals, int | float):
        return -abs(number - e.equals)
    return inside(number, e.min, e.max)


def least_count(e: Expectation) -> int:
    """Return the number of events, messages or lines that an expectation needs at least."""
    if e.min_count is not None:
        return e.min_count
    once = e.event is not None or e.message is not None or e.output is not None
    return 1 if e.seen and once and not e.has_rate and e.max_count != 0 else 0


def within(e: Expectation, value: Any) -> bool:
    """Return True if a value is equal to the expected one, or within the bounds."""
    if e.equals is not None:
        return bool(value == e.equals)
    if value is None or isinstance(value, str):
        return False
    return bool((e.min is None or value >= e.min) and (e.max is None or value <= e.max))


def inside(number: float, low: float | None, high: float | None) -> float:
    """Return the distance of a number from the nearer limit, negative outside."""
    above = math.inf if low is None else number - low
    below = math.inf if high is None else high - number
    return min(above, below)


def inside_m(region: Region, pose: Any) -> float:
    """Return the distance of a pose from the outline of a region, negative outside."""
    x, y = float(pose[0]), float(pose[1])
    if region.center is not None and region.radius_m is not None:
        return region.radius_m - math.hypot(x - region.center[0], y - region.center[1])
    gaps = [
        inside(value, *bounds)
        for bounds, value in ((region.x, x), (region.y, y))
        if bounds is not None
    ]
    outside = [gap for gap in gaps if not gap >= 0]
    return -math.hypot(*outside) if outside else min(gaps)


def count_slack(count: float, low: float, high: float | None) -> float:
    """Return how many more or fewer could be counted. A lower limit of 0 is none."""
    return inside(count, low if low or high is None else None, high)


def explain(e: Expectation, value: Any) -> str:
    """Return the distance in words, such as ', 1.5 below the minimum'; empty if there is none."""
    away = -slack(e, value)
    if math.isnan(away) or away <= 0.0:
        return ""
    if e.region is not None:
        return f", {away:.4g} m outside"
    if e.equals is not None:
        return f", off by {away:.4g}"
    side = "below the minimum" if e.min is not None and value < e.min else "above the maximum"
    return f", {away:.4g} {side}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, such as '1 message' or '2 messages'."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def explain_count(count: int, low: int, high: int | None) -> str:
    """Return how many too few or too many were counted, in words; empty if the count is right."""
    if count < low:
        return f", {low - count} too few"
    return f", {count - high} too many" if high is not None and count > high else ""


def moment(time_s: float) -> str:
    """Return a time to the millisecond: runs in wall time end at odd nanoseconds."""
    return f"{round(time_s, 3):.9g} s"


def shown(e: Expectation, value: Any) -> str:
    """Return a value for people."""
    if e.region:
        return ", ".join(f"{part:.4g}" for part in value)
    return f"{value:.6g}" if isinstance(value, float | np.floating) else repr(value)
