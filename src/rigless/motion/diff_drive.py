"""Differential drive: two wheels on an axle, and the arc that the body follows.

Plain scalars in and out, SI units, counter-clockwise positive.
"""

import numpy as np

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin, sin_cos


@compiled
def wheel_speeds(v_mps: float, omega_radps: float, wheel_base_m: float) -> tuple[float, float]:
    """Return the left and right wheel speeds of a body with speed v and turning rate ω."""
    half = 0.5 * wheel_base_m * omega_radps
    return v_mps - half, v_mps + half


@compiled
def body_speeds(left_mps: float, right_mps: float, wheel_base_m: float) -> tuple[float, float]:
    """Return the speed and the turning rate (v, ω) of a body from its wheel speeds."""
    return 0.5 * (left_mps + right_mps), (right_mps - left_mps) / wheel_base_m


@compiled
def wrap(angle: float) -> float:
    """Return the same direction in [−π, π). An angle in that range is returned unchanged."""
    if -np.pi <= angle < np.pi:
        return angle
    turned: float = angle - 2.0 * np.pi * np.floor((angle + np.pi) / (2.0 * np.pi))
    if turned >= np.pi:
        turned -= 2.0 * np.pi
    return max(turned, -np.pi)


@compiled
def chord_share(half: float) -> float:
    """Return the ratio of an arc's chord to its length: sin(h)/h for the half angle h."""
    if abs(half) < 1e-2:
        square = half * half
        return 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0))
    share: float = sin(half) / half
    return share


@compiled
def arc(
    x_m: float, y_m: float, theta: float, v_mps: float, omega_radps: float, dt_s: float
) -> tuple[float, float, float]:
    """Return the pose after dt on an arc, calculated from its chord without division by ω."""
    half = 0.5 * omega_radps * dt_s
    chord = v_mps * dt_s * chord_share(half)
    s, c = sin_cos(theta + half)
    return (
        x_m + chord * c,
        y_m + chord * s,
        wrap(theta + omega_radps * dt_s),
    )


@compiled
def approach(value: float, target: float, limit_per_s: float, dt_s: float) -> float:
    """Move a value to its target no faster than the limit; an infinite limit reaches it at once."""
    most = limit_per_s * dt_s
    if abs(target - value) <= most:
        return target
    return value + most if target > value else value - most


@compiled
def clamp(value: float, most: float) -> float:
    """Limit a value to ±most."""
    return min(max(value, -most), most)
