"""Distance from singular poses: the smallest singular value of the tool's Jacobian.

The Jacobian has m/s above rad/s. Metres and radians are weighted one to one, which is a choice (an
arm reaches about a metre). Zero means that there is a direction in which the tool cannot move.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.arm.kinematics import chain

Floats = NDArray[np.float64]
SWEEPS, DONE = 12, 1e-14


@compiled
def jacobian(links: Floats, joints: Floats, tool_m: Floats) -> Floats:
    """Return the 6×6 Jacobian in the base frame, of a point given in the flange's frame."""
    frames = chain(links, joints)
    axes, places = frames[:6, :3, 2], frames[:6, :3, 3]
    x, end = np.empty(3), frames[6]
    for i in range(3):
        x[i] = end[i, 3] + end[i, 0] * tool_m[0] + end[i, 1] * tool_m[1] + end[i, 2] * tool_m[2]
    found = np.empty((6, 6))
    for n in range(6):
        px, py, pz = x[0] - places[n, 0], x[1] - places[n, 1], x[2] - places[n, 2]
        zx, zy, zz = axes[n, 0], axes[n, 1], axes[n, 2]
        found[0, n], found[1, n], found[2, n] = (
            zy * pz - zz * py,
            zz * px - zx * pz,
            zx * py - zy * px,
        )
        found[3, n], found[4, n], found[5, n] = zx, zy, zz
    return found


@compiled
def smallest_singular_value(matrix: Floats) -> float:
    """Return the smallest singular value, by one-sided Jacobi rotations."""
    columns = matrix.T.copy()
    size = columns.shape[0]
    for _ in range(SWEEPS):
        worst = 0.0
        for p in range(size - 1):
            for q in range(p + 1, size):
                pp = qq = pq = 0.0
                for k in range(columns.shape[1]):
                    pp += columns[p, k] * columns[p, k]
                    qq += columns[q, k] * columns[q, k]
                    pq += columns[p, k] * columns[q, k]
                if abs(pq) <= DONE * np.sqrt(pp * qq) or pq == 0.0:
                    continue
                worst = max(worst, abs(pq) / np.sqrt(pp * qq))
                zeta = (qq - pp) / (2.0 * pq)
                t = (1.0 if zeta >= 0 else -1.0) / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                c = 1.0 / np.sqrt(1.0 + t * t)
                for k in range(columns.shape[1]):
                    one, two = columns[p, k], columns[q, k]
                    columns[p, k], columns[q, k] = c * (one - t * two), c * (t * one + two)
        if worst <= DONE:
            break
    least = np.inf
    for p in range(size):
        total = 0.0
        for k in range(columns.shape[1]):
            total += columns[p, k] * columns[p, k]
        least = min(least, total)
    return np.sqrt(least)
