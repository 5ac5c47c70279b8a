"""Ray casters in numba to compare with.

One walks from cell to cell (Amanatides and Woo); in float64 it is also the reference for
correctness. The other marches through a distance field with the steps of range_libc.
"""

from collections.abc import Callable

import numpy as np
from numba import njit
from scipy.ndimage import distance_transform_edt

from ._floor import RESOLUTION_M, Array, Cells

# From poses (N, 3) and beam angles (M) to ranges (N, M); inf is no hit.
Caster = Callable[[Array, Array], Array]
STRIDE = 0.999  # step of the march, as a share of the free distance
SHORTEST = 1.0  # smallest step, in cells


def dda(cells: Cells, max_range_m: float) -> Caster:
    def cast(poses: Array, angles: Array) -> Array:
        ranges = np.empty((len(poses), len(angles)))
        _walk_all(cells, poses, angles, max_range_m / RESOLUTION_M, ranges)
        return ranges * RESOLUTION_M

    return cast


def march(cells: Cells, max_range_m: float) -> Caster:
    field = distance_transform_edt(~cells).astype(np.float32)

    def cast(poses: Array, angles: Array) -> Array:
        ranges = np.empty((len(poses), len(angles)))
        _march_all(field, poses, angles, max_range_m / RESOLUTION_M, ranges)
        return ranges * RESOLUTION_M

    return cast


@njit(cache=True, error_model="numpy")
def _walk_all(cells: Cells, poses: Array, angles: Array, longest: float, out: Array) -> None:
    cosines, sines = np.cos(angles), np.sin(angles)
    for i in range(poses.shape[0]):
        x, y, c, s = (
            poses[i, 0] / RESOLUTION_M,
            poses[i, 1] / RESOLUTION_M,
            np.cos(poses[i, 2]),
            np.sin(poses[i, 2]),
        )
        for j in range(angles.shape[0]):
            dx, dy = cosines[j] * c - sines[j] * s, cosines[j] * s + sines[j] * c
            out[i, j] = _walk(cells, x, y, dx, dy, longest)


@njit(cache=True, error_model="numpy")
def _walk(cells: Cells, x: float, y: float, dx: float, dy: float, longest: float) -> float:
    """Return the distance to the first occupied cell.

    The distance of each face is computed from its own position, so that errors do not add up.
    """
    height, width = cells.shape
    column, row, t = int(np.floor(x)), int(np.floor(y)), 0.0
    step_x, step_y, ahead_x, ahead_y = (
        1 if dx > 0 else -1,
        1 if dy > 0 else -1,
        int(dx > 0),
        int(dy > 0),
    )
    per_x, per_y = 1.0 / dx, 1.0 / dy
    t_x, t_y = (column + ahead_x - x) * per_x, (row + ahead_y - y) * per_y
    while 0 <= column < width and 0 <= row < height and t <= longest:
        if cells[row, column]:
            return t
        if t_x < t_y:
            t = t_x
            column += step_x
            t_x = (column + ahead_x - x) * per_x
        else:
            t = t_y
            row += step_y
            t_y = (row + ahead_y - y) * per_y
    return np.inf


@njit(cache=True, error_model="numpy")
def _march_all(field: Array, poses: Array, angles: Array, longest: float, out: Array) -> None:
    height, width = field.shape
    cosines, sines = np.cos(angles), np.sin(angles)
    for i in range(poses.shape[0]):
        x, y, c, s = (
            poses[i, 0] / RESOLUTION_M,
            poses[i, 1] / RESOLUTION_M,
            np.cos(poses[i, 2]),
            np.sin(poses[i, 2]),
        )
        for j in range(angles.shape[0]):
            dx, dy = cosines[j] * c - sines[j] * s, cosines[j] * s + sines[j] * c
            t, found = 0.0, np.inf
            while t <= longest:
                column, row = int(np.floor(x + t * dx)), int(np.floor(y + t * dy))
                if not (0 <= column < width and 0 <= row < height):
                    break
                free = field[row, column]
                if free <= 0.0:
                    found = t
                    break
                t += max(STRIDE * free, SHORTEST)
            out[i, j] = found
