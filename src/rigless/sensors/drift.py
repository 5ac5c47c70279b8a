"""Slowly drifting errors: the Ornstein-Uhlenbeck process in its exact discrete form.

A step of any length is exact, x·e^(−dt/τ) + σ·√(1−e^(−2dt/τ))·N(0,1), so the steady deviation σ and
the time constant τ do not depend on the sampling rate.
"""

import math

from rigless.kernel.compiled import inlined
from rigless.kernel.compiled.elementary import decayed, exp


def pull(dt_s: float, time_constant_s: float) -> tuple[float, float]:
    """Return the factor of the old value in a step, and the deviation that the step adds.

    The deviation is for a steady deviation of one.
    """
    return exp(-dt_s / time_constant_s), math.sqrt(decayed(2.0 * dt_s / time_constant_s))


@inlined
def wander(value: float, keep: float, kick: float, draw: float) -> float:
    """Return the value after one step; `kick` is the step's deviation, `draw` a standard normal."""
    return value * keep + kick * draw
