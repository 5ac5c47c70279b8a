"""The way to a goal in observations of all robots; see `compiled_vacuum` for the arithmetic."""

import math
from typing import Any

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos


@compiled
def length(away_x: float, away_y: float) -> float:
    """Return the length of a vector."""
    return math.sqrt(away_x * away_x + away_y * away_y)


@compiled
def see_way(
    i: int, at: int, away_x: float, away_y: float, heading: float, far_m: float, out: Any
) -> None:
    """Write the way to a goal into three columns from `at`.

    They are the distance as a share of `far_m`, at most 1, and the cosine and sine of the direction
    relative to the heading.
    """
    distance = length(away_x, away_y)
    s, c = sin_cos(heading)
    out[i, at] = min(distance / far_m, 1.0)
    out[i, at + 1] = (c * away_x + s * away_y) / distance if distance > 0.0 else 1.0
    out[i, at + 2] = (c * away_y - s * away_x) / distance if distance > 0.0 else 0.0
