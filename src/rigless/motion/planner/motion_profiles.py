"""Closed forms of motion along a line: constant jerk, and trapezoidal speed profiles."""

import numpy as np

from rigless.kernel.compiled import compiled


@compiled
def after_constant_jerk(
    speed: float, acceleration: float, jerk: float, seconds: float
) -> tuple[float, float, float]:
    """Return the distance, speed and acceleration after a time of constant jerk."""
    return (
        (speed + (0.5 * acceleration + jerk * seconds / 6.0) * seconds) * seconds,
        speed + (acceleration + 0.5 * jerk * seconds) * seconds,
        acceleration + jerk * seconds,
    )


@compiled
def braking_profile(
    speed: float, acceleration: float, left: float
) -> tuple[float, float, float, float, float]:
    """Return the profile of braking: ramp, cruise and ramp in seconds, peak and exit speed.

    The motion ends at rest before the end and stays there, or passes the end at the exit speed.
    """
    slowest_sqr = speed * speed - 2.0 * acceleration * left
    if slowest_sqr <= 0.0:
        return speed / acceleration, np.inf, 0.0, 0.0, 0.0
    slowest = np.sqrt(slowest_sqr)
    return (speed - slowest) / acceleration, 0.0, 0.0, slowest, slowest


@compiled
def trapezoid_profile(
    speed: float, acceleration: float, left: float, cruise: float, last_sqr: float
) -> tuple[float, float, float, float, float]:
    """Return the profile of the fastest motion to the end, as `braking_profile` does.

    It keeps the cruising speed and, if that is possible, ends with the square of the exit speed
    given.
    """
    slowest_sqr = speed * speed - 2.0 * acceleration * left
    if slowest_sqr >= last_sqr:  # too fast for the end, or just so
        slowest = np.sqrt(slowest_sqr)
        return (speed - slowest) / acceleration, 0.0, 0.0, slowest, slowest
    fastest_sqr = speed * speed + 2.0 * acceleration * left
    last_sqr = min(last_sqr, fastest_sqr)
    peak = min(cruise, np.sqrt(0.5 * (fastest_sqr + last_sqr)))
    peak_sqr = peak * peak
    last = min(np.sqrt(last_sqr), peak)
    cruised = (
        left
        - abs(peak_sqr - speed * speed) / (2.0 * acceleration)
        - (peak_sqr - last * last) / (2.0 * acceleration)
    )
    return (
        abs(peak - speed) / acceleration,
        max(cruised, 0.0) / peak,
        (peak - last) / acceleration,
        peak,
        last,
    )
