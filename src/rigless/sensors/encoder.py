"""Speed from wheel encoders, with a drifting scale factor and white noise.

The drift scales the speed, so it does not show at standstill.
"""

from rigless.kernel.compiled import inlined


@inlined
def read_speed(speed: float, scale_error: float, noise: float) -> float:
    """Return the measured speed."""
    return speed * (1.0 + scale_error) + noise


def speed_variance(speed: float, noise_std: float, scale_std: float) -> float:
    """Return the mean square error at a speed, with the drift in its steady state."""
    return noise_std * noise_std + (speed * scale_std) ** 2
