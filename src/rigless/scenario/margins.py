"""Measure how far an observation is from what was expected, and say it in words."""

import math
from typing import Any

import numpy as np

from rigless.scenario.expectation_model import Expectation, Region


def distance(e: Expectation, value: Any) -> float:
    """Return how far a value is out of its bounds: 0 if it holds, NaN if it is not a number."""
    if e.region is not None:
        return outside_m(e.region, value)
    if value is None or isinstance(value, str) or isinstance(e.equals, str | bool):
        return math.nan
    number = float(value)
    if isinstance(e.equals, int | float):
        return abs(number - e.equals)
    below = 0.0 if e.min is None else e.min - number
    above = 0.0 if e.max is None else number - e.max
    return max(below, above, 0.0)


def outside_m(region: Region, pose: Any) -> float:
    """Return the distance of a pose from a region; 0 inside it."""
    x, y = float(pose[0]), float(pose[1])
    if region.center is not None and region.radius_m is not None:
        away = math.hypot(x - region.center[0], y - region.center[1])
        return max(away - region.radius_m, 0.0)
    return math.hypot(_beyond(region.x, x), _beyond(region.y, y))


def _beyond(bounds: tuple[float, float] | None, value: float) -> float:
    return 0.0 if bounds is None else max(bounds[0] - value, value - bounds[1], 0.0)


def explain(e: Expectation, value: Any) -> str:
    """Return the distance in words, such as ', 1.5 below the minimum'; empty if there is none."""
    away = distance(e, value)
    if math.isnan(away) or away == 0.0:
        return ""
    if e.region is not None:
        return f", {away:.4g} m outside"
    if e.equals is not None:
        return f", off by {away:.4g}"
    side = "below the minimum" if e.min is not None and value < e.min else "above the maximum"
    return f", {away:.4g} {side}"


def explain_count(count: int, low: int, high: int | None) -> str:
    """Return how many too few or too many were counted, in words; empty if the count is right."""
    if count < low:
        return f", {low - count} too few"
    return f", {count - high} too many" if high is not None and count > high else ""


def shown(e: Expectation, value: Any) -> str:
    """Return a value for people."""
    if e.region:
        return ", ".join(f"{part:.4g}" for part in value)
    return f"{value:.6g}" if isinstance(value, float | np.floating) else repr(value)
