"""A satellite receiver's position in map metres: where its antenna really is, a drift that wanders, and white noise."""

import math

from rigless.kernel.compiled import compiled


@compiled
def antenna(
    x_m: float, y_m: float, yaw_rad: float, arm_x_m: float, arm_y_m: float
) -> tuple[float, float]:
    """The antenna of a body at this pose, on its lever arm."""
    c, s = math.cos(yaw_rad), math.sin(yaw_rad)
    return x_m + c * arm_x_m - s * arm_y_m, y_m + s * arm_x_m + c * arm_y_m


def position_variance(noise_std_m: float, drift_std_m: float, scale: float = 1.0) -> float:
    """The mean square error on one axis, with the drift in its steady state."""
    return scale * scale * (noise_std_m * noise_std_m + drift_std_m * drift_std_m)
