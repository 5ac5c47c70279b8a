"""The functions of `rigless.kernel.elementary`, compiled for use in numba functions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel import elementary
from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.elementary import PER_QUARTER, QUARTER_1, QUARTER_2, QUARTER_3

sin_cos: Any = compiled(elementary.sin_cos)
atan2: Any = compiled(elementary.atan2)
log: Any = compiled(elementary.log)
exp: Any = compiled(elementary.exp)


@inlined
def sin_cos_flat(angle: float) -> tuple[float, float]:
    """Return `sin_cos` of an angle below FAR, with the same bits.

    It has no branches, so that the compiler makes vector instructions of a loop over it.
    """
    quarters = np.floor(angle * PER_QUARTER + 0.5)
    first, second = angle - quarters * QUARTER_1, quarters * QUARTER_2
    high = first - second
    back = high + second
    low = ((first - back) - (second - (back - high))) - quarters * QUARTER_3
    r = high + low
    rest = (high - r) + low
    z = r * r
    sine = (z * (1.5896504912422513e-10) + -2.5050753263914083e-08) * z + 2.7557313662053362e-06
    sine = (
        (sine * z + -0.00019841269829725191) * z + 0.008333333333322316
    ) * z + -0.16666666666666632
    sine = r + (r * z * sine + rest * (1.0 - 0.5 * z))
    cosine = (z * (-1.1359448659461374e-11) + 2.0875719558334876e-09) * z + -2.755731432602828e-07
    cosine = (
        (cosine * z + 2.480158728939492e-05) * z + -0.001388888888887399
    ) * z + 0.0416666666666666
    half = 0.5 * z
    level = 1.0 - half
    cosine = level + (((1.0 - level) - half) + (z * z * cosine - r * rest))
    quadrant = quarters - 4.0 * np.floor(0.25 * quarters)
    odd = (quadrant == 1.0) | (quadrant == 3.0)
    s, c = cosine if odd else sine, sine if odd else cosine
    s = -s if quadrant >= 2.0 else s
    c = -c if (quadrant == 1.0) | (quadrant == 2.0) else c
    return (angle if angle == 0.0 else s), c


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
