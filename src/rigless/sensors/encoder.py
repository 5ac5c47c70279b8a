"""Speed from wheel encoders: a scale factor that drifts, and white noise. Standing wheels have no drift to show."""

from rigless.kernel.compiled import inlined


@inlined
def read_speed(speed: float, scale_error: float, noise: float) -> float:
    return speed * (1.0 + scale_error) + noise


def speed_variance(speed: float, noise_std: float, scale_std: float) -> float:
    """The mean square error of a reading at this speed, with the drift in its steady state."""
    return noise_std * noise_std + (speed * scale_std) ** 2
