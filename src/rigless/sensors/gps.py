"""Position from a satellite receiver in map metres: antenna position, drift and white noise."""

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos


@compiled
def antenna(
    x_m: float, y_m: float, yaw_rad: float, arm_x_m: float, arm_y_m: float
) -> tuple[float, float]:
    """Return the position of the antenna on its lever arm, for a body at this pose."""
    s, c = sin_cos(yaw_rad)
    return x_m + c * arm_x_m - s * arm_y_m, y_m + s * arm_x_m + c * arm_y_m


def position_variance(noise_std_m: float, drift_std_m: float, scale: float = 1.0) -> float:
    """Return the mean square error on one axis, with the drift in its steady state."""
    return scale * scale * (noise_std_m * noise_std_m + drift_std_m * drift_std_m)
