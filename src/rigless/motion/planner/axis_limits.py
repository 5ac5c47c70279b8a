"""Speed limits that follow from the limits of the six axes.

Along a direction u the limit is the least of limit/|u_i| over the axes, so that no axis exceeds its
own. At a corner the speed obeys v² = a·δ·s/(1−s), where s = sin(θ/2) of the angle between the two
lines and `a` is the acceleration of the axes along u − u_prev: unlimited if the lines are
collinear, zero on a reversal. Where two chords of a curve meet, the axes must be able to follow the
bend: v²·|u − u_prev| over the mean length of the two chords is at most a share of their
acceleration.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled

AXES = 6
STRAIGHT = 0.999999  # beyond this cosine two lines are collinear, or a reversal
UNLIMITED = 1e38
BEND_SHARE = 0.5  # of the axes' acceleration; the remainder is for changes of speed


@compiled
def limit_along(vector: NDArray[np.float64], limits: NDArray[np.float64]) -> float:
    """Return the highest value along a direction that keeps the limit of every axis."""
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
    """Return the square of the highest speed at a corner."""
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
    """Return the square of the highest speed at which the axes can follow a bend between chords.

    `length` is the mean length of the two chords.
    """
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
    """Return the position nearest to the target that the motors reach with whole steps.

    `steps` are steps per unit. Rounding makes the corners of very short blocks sharper, as in the
    firmware.
    """
    found = np.empty(AXES)
    for axis in range(AXES):
        found[axis] = np.copysign(
            np.floor(abs(target[axis]) * steps[axis] + 0.5) / steps[axis], target[axis]
        )
    return found
