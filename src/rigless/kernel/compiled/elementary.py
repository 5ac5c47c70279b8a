"""The functions of `rigless.kernel.elementary`, compiled for use in numba functions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel import elementary
from rigless.kernel.compiled import compiled

sin_cos: Any = compiled(elementary.sin_cos)
atan2: Any = compiled(elementary.atan2)
log: Any = compiled(elementary.log)
exp: Any = compiled(elementary.exp)


@compiled
def sin(angle: float) -> Any:
    """Return the sine of an angle."""
    return sin_cos(angle)[0]


@compiled
def cos(angle: float) -> Any:
    """Return the cosine of an angle."""
    return sin_cos(angle)[1]


@compiled
def sines_cosines(angles: NDArray[np.float64]) -> Any:
    """Return the sines and the cosines of a one-dimensional array of angles."""
    sines, cosines = np.empty(angles.shape[0]), np.empty(angles.shape[0])
    for j in range(angles.shape[0]):
        sines[j], cosines[j] = sin_cos(angles[j])
    return sines, cosines


@compiled
def decayed(x: float) -> Any:
    """Return 1 − e^(−x) for x ≥ 0; a series for small x, where the difference loses digits."""
    if x > 0.3:
        return 1.0 - exp(-x)
    total = 0.0
    for n in range(14, 0, -1):
        total = x / n * (1.0 - total)
    return total
