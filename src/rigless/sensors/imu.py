"""An IMU with a magnetometer in any mounting, on a body that yaws.

The body's yaw and yaw rate are measured, with their errors, about the vertical. The mounting
rotates both, and their covariance. A consumer that rotates them back by the same transform
therefore finds the same errors on a tilted mount as on a level one.
"""

from typing import Any

from rigless.kernel.compiled import compiled
from rigless.sensors.attitude import Quaternion, Vector, about_z, inverse, multiply, rotate

STANDARD_GRAVITY = 9.80665  # m/s², CGPM 1901


@compiled
def orientation(yaw_rad: float, base_q_imu: Quaternion) -> Quaternion:
    """Return the sensor's orientation in the world for a yaw: world_q_base · base_q_imu."""
    return multiply(about_z(yaw_rad), base_q_imu)


@compiled
def rates(yaw_rate_radps: float, base_q_imu: Quaternion) -> Vector:
    """Return the angular velocity on the sensor's own axes."""
    return rotate(inverse(base_q_imu), (0.0, 0.0, yaw_rate_radps))


@compiled
def rate_covariance(level: float, yaw_rate: float, base_q_imu: Quaternion, out: Any) -> None:
    """Write the 3×3 covariance of `rates`, row by row.

    `yaw_rate` is the variance about the vertical, `level` the variance about the other axes.
    """
    up = rotate(inverse(base_q_imu), (0.0, 0.0, 1.0))
    for row in range(3):
        for column in range(3):
            out[3 * row + column] = (yaw_rate - level) * up[row] * up[column] + (
                level if row == column else 0.0
            )


@compiled
def specific_force(
    forward_mps2: float,
    speed_mps: float,
    rate_radps: float,
    rate_radps2: float,
    arm: Vector,
    base_q_imu: Quaternion,
) -> Vector:
    """Return the specific force of an accelerometer on a lever arm, on its own axes."""
    ax = forward_mps2 - rate_radps2 * arm[1] - rate_radps * rate_radps * arm[0]
    ay = speed_mps * rate_radps + rate_radps2 * arm[0] - rate_radps * rate_radps * arm[1]
    return rotate(inverse(base_q_imu), (ax, ay, STANDARD_GRAVITY))
