"""Four omniwheels at the north, south, east and west of a round body, each driving along its clockwise tangent.

Body frame: +x right, +y forward, counter-clockwise positive; wheels in the order north, south, east, west. North forward
pushes to +x, south to −x, east to −y, west to +y, and all four together turn the body clockwise. Plain scalars, SI units.
"""

import math

from rigless.kernel.compiled import compiled
from rigless.motion.diff_drive import chord_share

NORTH, SOUTH, EAST, WEST = range(4)


@compiled
def body_speeds(
    north_mps: float, south_mps: float, east_mps: float, west_mps: float, arm_m: float
) -> tuple[float, float, float]:
    """Velocity right and forward, and turning rate, of a body whose wheels roll at these speeds `arm_m` from its centre."""
    turn = -(north_mps + south_mps + east_mps + west_mps) / (4.0 * arm_m)
    return 0.5 * (north_mps - south_mps), 0.5 * (west_mps - east_mps), turn


@compiled
def wheel_speeds(
    right_mps: float, forward_mps: float, turn_radps: float, arm_m: float
) -> tuple[float, float, float, float]:
    """How fast the wheels roll (north, south, east, west) when none of them slips."""
    rim = turn_radps * arm_m
    return right_mps - rim, -right_mps - rim, -forward_mps - rim, forward_mps - rim


@compiled
def displacement(
    theta: float, right_mps: float, forward_mps: float, turn_radps: float, dt_s: float
) -> tuple[float, float]:
    """How far a body goes in the world in dt with a steady velocity in its own, turning frame: an arc's chord, exactly."""
    half = 0.5 * turn_radps * dt_s
    c, s = math.cos(theta + half), math.sin(theta + half)
    ahead = dt_s * chord_share(half)
    return ahead * (c * right_mps - s * forward_mps), ahead * (s * right_mps + c * forward_mps)
