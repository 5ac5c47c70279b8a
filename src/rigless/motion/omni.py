"""Four omniwheels on a round body; each drives along its clockwise tangent.

Body frame: +x right, +y forward, counter-clockwise positive; wheels in the order north, south,
east, west. North forward pushes to +x, south to −x, east to −y, west to +y, and all four together
turn the body clockwise. Plain scalars, SI units.
"""

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.motion.diff_drive import chord_share

NORTH, SOUTH, EAST, WEST = range(4)


@compiled
def body_speeds(
    north_mps: float, south_mps: float, east_mps: float, west_mps: float, arm_m: float
) -> tuple[float, float, float]:
    """Return the velocity to the right and forward, and the turning rate, from the wheel speeds.

    `arm_m` is the distance of the wheels from the centre.
    """
    turn = -(north_mps + south_mps + east_mps + west_mps) / (4.0 * arm_m)
    return 0.5 * (north_mps - south_mps), 0.5 * (west_mps - east_mps), turn


@compiled
def wheel_speeds(
    right_mps: float, forward_mps: float, turn_radps: float, arm_m: float
) -> tuple[float, float, float, float]:
    """Return the wheel speeds (north, south, east, west) without slip."""
    rim = turn_radps * arm_m
    return right_mps - rim, -right_mps - rim, -forward_mps - rim, forward_mps - rim


@compiled
def displacement(
    theta: float, right_mps: float, forward_mps: float, turn_radps: float, dt_s: float
) -> tuple[float, float]:
    """Return the displacement in the world after dt with a constant velocity in the body frame.

    It is the exact chord of an arc.
    """
    half = 0.5 * turn_radps * dt_s
    s, c = sin_cos(theta + half)
    ahead = dt_s * chord_share(half)
    return ahead * (c * right_mps - s * forward_mps), ahead * (s * right_mps + c * forward_mps)
