"""Exact ray casting on an occupancy grid by quadrant squares.

For each of the four direction quadrants every cell knows the side of the largest free square that is anchored there and
extends in that direction. A ray jumps to the exit face of the square it is in, so it visits a handful of squares instead of
hundreds of cells, and the distance to a hit is the distance to a cell face: exact, with no step size.

Neighbouring beams visit neighbouring cells, so cells are stored in tiles of 8×8, one cache line each. A border of tiles
marked OUTSIDE saves the loop from asking where the grid ends.

All functions work in cell units: x and y are counted in cells from the grid's lower-left corner. A ray that leaves the grid
hits nothing. Where a ray passes exactly through a corner it crosses the horizontal face first.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

OUTSIDE = 255
LARGEST = 254  # a square's side fits a byte
TILE = 8
NEAR = 1e-9  # closer than this to a face, its crossing time decides on which side a ray is

Squares = NDArray[np.uint8]


@njit(cache=True)
def _sides(occupied: NDArray[np.bool_], step_x: int, step_y: int) -> NDArray[np.uint8]:
    height, width = occupied.shape
    sides = np.zeros((height, width), np.uint8)
    for row in range(height):
        y = row if step_y < 0 else height - 1 - row
        for column in range(width):
            x = column if step_x < 0 else width - 1 - column
            if occupied[y, x]:
                continue
            ahead_x, ahead_y = x + step_x, y + step_y
            side = 0
            if 0 <= ahead_x < width and 0 <= ahead_y < height:
                side = min(sides[y, ahead_x], sides[ahead_y, x], sides[ahead_y, ahead_x])
            sides[y, x] = min(side, LARGEST - 1) + 1
    return sides


def free_squares(occupied: NDArray[np.bool_]) -> Squares:
    """Quadrant (bit 1: −x, bit 2: −y) → tile row → tile column → row → column: the side of the largest free square from there,
    0 for an occupied cell, OUTSIDE around the grid."""
    height, width = occupied.shape
    rows, columns = -(-height // TILE) + 2, -(-width // TILE) + 2
    padded = np.full((4, rows * TILE, columns * TILE), OUTSIDE, np.uint8)
    for quadrant in range(4):
        sides = _sides(occupied, -1 if quadrant & 1 else 1, -1 if quadrant & 2 else 1)
        padded[quadrant, TILE : TILE + height, TILE : TILE + width] = sides
    return np.ascontiguousarray(padded.reshape(4, rows, TILE, columns, TILE).transpose(0, 1, 3, 2, 4))


@njit(cache=True, error_model="numpy", inline="always")
def _side(squares: Squares, quadrant: int, row: int, column: int) -> int:
    return int(squares[quadrant, (row >> 3) + 1, (column >> 3) + 1, row & 7, column & 7])


@njit(cache=True, error_model="numpy", inline="always")
def cast_ray(squares: Squares, x: float, y: float, dx: float, dy: float, longest: float) -> Any:
    """From (x, y) along the unit vector (dx, dy): distance to the first occupied cell (inf beyond `longest` or off the grid),
    its column and row, and whether it was entered across a vertical face (True) or a horizontal one."""
    if not (0.0 <= x < (squares.shape[2] - 2) * TILE and 0.0 <= y < (squares.shape[1] - 2) * TILE):
        return np.inf, 0, 0, False
    if dx == 0.0:
        dx = 1e-300
    if dy == 0.0:
        dy = 1e-300
    per_x, per_y = 1.0 / dx, 1.0 / dy
    back_x, back_y = 0 if dx > 0 else 1, 0 if dy > 0 else 1
    step_x, step_y = 1 - 2 * back_x, 1 - 2 * back_y
    quadrant = back_x + 2 * back_y
    column, row, t, across_x = int(x), int(y), 0.0, False
    side = _side(squares, quadrant, row, column)
    while 0 < side < OUTSIDE:
        face_x, face_y = column + step_x * side + back_x, row + step_y * side + back_y
        t_x, t_y = (face_x - x) * per_x, (face_y - y) * per_y
        across_x = t_x < t_y
        if across_x:
            t = t_x
            column = face_x - back_x
            there = y + t * dy
            now = int(there)
            if not NEAR < there - now < 1.0 - NEAR:
                now = _crossed(y, dy, per_y, t, now, row, face_y - back_y - step_y, True)
            row = now
        else:
            t = t_y
            row = face_y - back_y
            there = x + t * dx
            now = int(there)
            if not NEAR < there - now < 1.0 - NEAR:
                now = _crossed(x, dx, per_x, t, now, column, face_x - back_x - step_x, False)
            column = now
        if t > longest:
            return np.inf, 0, 0, False
        side = _side(squares, quadrant, row, column)
    if side == OUTSIDE:
        return np.inf, 0, 0, False
    return t, column, row, across_x


@njit(cache=True, error_model="numpy")
def _crossed(origin: float, d: float, per: float, t: float, now: int, first: int, last: int, ties: bool) -> int:
    """Which of two cells a ray is in at t when it is all but on their common face: the face's own crossing time decides, as in
    a walk from cell to cell. `first` and `last` are the cells of the square along this axis."""
    now = min(max(now, min(first, last)), max(first, last))
    step, back = (1, 0) if d > 0 else (-1, 1)
    if now != last:
        ahead = (now + step + back - origin) * per
        if ahead < t or (ties and ahead == t):
            return now + step
    if now != first:
        behind = (now + back - origin) * per
        if behind > t or (not ties and behind == t):
            return now - step
    return now


@njit(cache=True, error_model="numpy")
def cast_rays(
    squares: Squares,
    poses: NDArray[np.float64],
    cosines: NDArray[np.float64],
    sines: NDArray[np.float64],
    longest: float,
    out: NDArray[np.float64],
) -> None:
    """Ranges (N, M) of M beams from N poses (x, y, cos, sin) in cells."""
    for i in range(poses.shape[0]):
        x, y, c, s = poses[i, 0], poses[i, 1], poses[i, 2], poses[i, 3]
        for j in range(cosines.shape[0]):
            dx = cosines[j] * c - sines[j] * s
            dy = cosines[j] * s + sines[j] * c
            out[i, j] = cast_ray(squares, x, y, dx, dy, longest)[0]
