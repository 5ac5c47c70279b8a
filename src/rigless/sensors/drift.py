"""Errors that wander and come back: the Ornstein-Uhlenbeck process in its exact discrete form.

A step of any length is exact, x·e^(−dt/τ) + σ·√(1−e^(−2dt/τ))·N(0,1), so the steady deviation σ and the time constant τ do not
depend on the rate it is sampled at.
"""

import math

from rigless.kernel.compiled import inlined


def pull(dt_s: float, time_constant_s: float) -> tuple[float, float]:
    """What a step keeps of the value, and the deviation that it adds for a steady deviation of one."""
    keep = math.exp(-dt_s / time_constant_s)
    return keep, math.sqrt(-math.expm1(-2.0 * dt_s / time_constant_s))


@inlined
def wander(value: float, keep: float, kick: float, draw: float) -> float:
    """The value one step on; `kick` is the step's deviation, `draw` a standard normal number."""
    return value * keep + kick * draw
