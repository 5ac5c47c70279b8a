"""What the limits of six axes allow on a path: along a direction, around a corner, where a curve bends, and which places their motors' steps reach.

Along a direction the most is the least of limit/|u_i| over its axes, so no axis ever exceeds its own. At a corner the speed obeys v² = a·δ·s/(1−s), where
s = sin(θ/2) of the angle between the two lines and `a` is the acceleration that the axes have along u − u_prev: unlimited straight on, zero on a reversal.
Where two chords of a curve meet the axes must be able to follow it: v²·|u − u_prev| over the mean length of the two is no more than a share of their
acceleration.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled

AXES = 6
STRAIGHT = 0.999999  # beyond this cosine two lines are collinear, or a reversal
UNLIMITED = 1e38
BEND_SHARE = 0.5  # of the axes' acceleration on chords: for following the curve, and as much for changes of speed


@compiled
def limit_along(vector: NDArray[np.float64], limits: NDArray[np.float64]) -> float:
    """The most that the axes allow along a direction."""
    least = UNLIMITED
    for axis in range(AXES):
        if vector[axis] != 0.0:
            least = min(least, limits[axis] / abs(vector[axis]))
    return least


@compiled
def junction_sqr(
    before: NDArray[np.float64],
    unit: NDArray[np.float64],
    accelerations: NDArray[np.float64],
    deviation: float,
) -> float:
    """The square of the speed at which a corner may be taken."""
    cosine = 0.0
    for axis in range(AXES):
        cosine -= before[axis] * unit[axis]
    if cosine > STRAIGHT:
        return 0.0
    if cosine < -STRAIGHT:
        return UNLIMITED
    turn = np.empty(AXES)
    norm = 0.0
    for axis in range(AXES):
        turn[axis] = unit[axis] - before[axis]
        norm += turn[axis] * turn[axis]
    norm = np.sqrt(norm)
    for axis in range(AXES):
        turn[axis] /= norm
    sine = np.sqrt(0.5 * (1.0 - cosine))
    return limit_along(turn, accelerations) * deviation * sine / (1.0 - sine)


@compiled
def bend_sqr(
    before: NDArray[np.float64],
    unit: NDArray[np.float64],
    accelerations: NDArray[np.float64],
    length: float,
) -> float:
    """The square of the speed at which the axes can follow a curve from one chord to the next; `length` is the mean of the two."""
    least = UNLIMITED
    for axis in range(AXES):
        turn = abs(unit[axis] - before[axis])
        if turn > 0.0:
            least = min(least, BEND_SHARE * accelerations[axis] * length / turn)
    return least


@compiled
def rounded_to_steps(
    target: NDArray[np.float64], steps: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The place nearest to a target that the motors' steps (so many a unit) can reach; corners of tiny blocks are sharper for it."""
    found = np.empty(AXES)
    for axis in range(AXES):
        found[axis] = np.copysign(
            np.floor(abs(target[axis]) * steps[axis] + 0.5) / steps[axis], target[axis]
        )
    return found
