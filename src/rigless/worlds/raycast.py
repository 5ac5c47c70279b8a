"""Exact ray casting on an occupancy grid by quadrant squares.

For each of the four direction quadrants, every cell stores the side of the largest free square that
is anchored there and extends in that direction. A ray jumps to the exit face of the square it is
in. It visits a few squares instead of hundreds of cells, and the distance to a hit is the distance
to a cell face: exact, with no step size.

Neighbouring beams visit neighbouring cells, so cells are stored in tiles of 8×8, one cache line
each. A border of tiles marked OUTSIDE saves the check for the grid's edge. Each jump waits for a
byte that may not be in the cache, and which face comes first is unpredictable. Many rays are
therefore cast together (`cast_beams`): sixteen in lock-step, by vector instructions and without
branches (`rays/lanes.py`). The processor then waits for many bytes at a time.

All functions work in cell units: x and y are in cells from the grid's lower-left corner. A ray that
leaves the grid hits nothing. A ray exactly through a corner crosses the horizontal face first.
"""

from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.worlds.rays.lanes import LANES, NEAR, OUTSIDE, TILE, cast_lanes

LARGEST = 254  # a square's side fits a byte

Squares = NDArray[np.uint8]
Floats = NDArray[np.float64]


int32: Any = types.int32  # numbers of 32 bits are quicker on graphics processors
uint32: Any = types.uint32
_THREE, _SEVEN = np.uint32(3), np.uint32(7)  # of TILE


@compiled
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
    """Return the side of the largest free square at each cell, for each quadrant.

    The indices are quadrant (bit 1: −x, bit 2: −y), tile row, tile column, row, column. The side is
    0 for an occupied cell and OUTSIDE around the grid.
    """
    height, width = occupied.shape
    rows, columns = -(-height // TILE) + 2, -(-width // TILE) + 2
    padded = np.full((4, rows * TILE, columns * TILE), OUTSIDE, np.uint8)
    for quadrant in range(4):
        sides = _sides(occupied, -1 if quadrant & 1 else 1, -1 if quadrant & 2 else 1)
        padded[quadrant, TILE : TILE + height, TILE : TILE + width] = sides
    return np.ascontiguousarray(
        padded.reshape(4, rows, TILE, columns, TILE).transpose(0, 1, 3, 2, 4)
    )


@inlined
def _side(squares: Squares, quadrant: int, row: int, column: int) -> int:
    # Unsigned: numba would otherwise check each index for counting from the end.
    y, x = uint32(row + TILE), uint32(column + TILE)
    return int(squares[uint32(quadrant), y >> _THREE, x >> _THREE, y & _SEVEN, x & _SEVEN])


@compiled
def cast_ray(squares: Squares, x: float, y: float, dx: float, dy: float, longest: float) -> Any:
    """Cast a ray from (x, y) along the unit vector (dx, dy).

    Return the distance to the first occupied cell (inf beyond `longest` or off the grid), its
    column and row, and whether it was entered across a vertical face (True) or a horizontal one.
    """
    if not (0.0 <= x < (squares.shape[2] - 2) * TILE and 0.0 <= y < (squares.shape[1] - 2) * TILE):
        return np.inf, 0, 0, False
    if dx == 0.0:
        dx = 1e-300
    if dy == 0.0:
        dy = 1e-300
    per_x, per_y = 1.0 / dx, 1.0 / dy
    back_x, back_y = int32(0 if dx > 0 else 1), int32(0 if dy > 0 else 1)
    step_x, step_y = int32(1 - 2 * back_x), int32(1 - 2 * back_y)
    quadrant = back_x + 2 * back_y
    column, row, t, across_x = int32(x), int32(y), 0.0, False
    side = _side(squares, quadrant, row, column)
    while 0 < side < OUTSIDE:
        face_x = int32(column + step_x * side + back_x)
        face_y = int32(row + step_y * side + back_y)
        t_x, t_y = (face_x - x) * per_x, (face_y - y) * per_y
        across_x = t_x < t_y
        t = t_x if across_x else t_y
        there = (y if across_x else x) + t * (dy if across_x else dx)
        now = int32(there)
        if not NEAR < there - now < 1.0 - NEAR:
            if across_x:
                last = int(face_y - back_y - step_y)
                now = int32(_crossed(y, dy, per_y, t, int(now), int(row), last, True))
            else:
                last = int(face_x - back_x - step_x)
                now = int32(_crossed(x, dx, per_x, t, int(now), int(column), last, False))
        column = int32(face_x - back_x) if across_x else now
        row = now if across_x else int32(face_y - back_y)
        if t > longest:
            return np.inf, 0, 0, False
        side = _side(squares, quadrant, row, column)
    if side == OUTSIDE:
        return np.inf, 0, 0, False
    return t, int(column), int(row), across_x


@compiled
def _crossed(
    origin: float, d: float, per: float, t: float, now: int, first: int, last: int, ties: bool
) -> int:
    """Return which of two cells a ray is in at t, if it is almost on their common face.

    The face's own crossing time decides, as in a walk from cell to cell. `first` and `last` are the
    cells of the square along this axis.
    """
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


@compiled
def cast_beams(
    squares: Squares,
    rays: Floats,
    longest: float,
    ranges: Floats,
    cells: NDArray[np.int64],
    across: NDArray[np.bool_],
) -> None:
    """Cast each row (x, y, dx, dy) of `rays`, with the same bits as `cast_ray`.

    The cells (column, row) and faces of rays that hit nothing are undefined.
    """
    count = rays.shape[0]
    if count < LANES:
        for j in range(count):
            _cast_alone(squares, rays, j, longest, ranges, cells, across)
        return
    for first in range(0, count, LANES):
        at = min(first, count - LANES)  # the last lanes may cast some rays again
        unfinished = cast_lanes(squares, rays, at, longest, ranges, cells, across)
        for lane in range(LANES if unfinished else 0):
            if unfinished >> lane & 1:
                _cast_alone(squares, rays, at + lane, longest, ranges, cells, across)


@compiled
def _cast_alone(
    squares: Squares,
    rays: Floats,
    j: int,
    longest: float,
    ranges: Floats,
    cells: NDArray[np.int64],
    across: NDArray[np.bool_],
) -> None:
    """Cast row j of `rays` by itself."""
    for axis in range(2, 4):
        if rays[j, axis] == 0.0:
            rays[j, axis] = 1e-300
    ranges[j], cells[j, 0], cells[j, 1], across[j] = cast_ray(
        squares, rays[j, 0], rays[j, 1], rays[j, 2], rays[j, 3], longest
    )


@compiled
def cast_rays(
    squares: Squares, poses: Floats, cosines: Floats, sines: Floats, longest: float, out: Floats
) -> None:
    """Write ranges (N, M) of M beams from N poses (x, y, cos, sin) in cells.

    Poses with few beams are cast together, so that all lanes have rays.
    """
    count = cosines.shape[0]
    group = max(1, 4 * LANES // max(count, 1))
    rays, ranges = np.empty((group * count, 4)), np.empty(group * count)
    cells, across = np.empty((group * count, 2), np.int64), np.empty(group * count, np.bool_)
    for first in range(0, poses.shape[0], group):
        some = min(group, poses.shape[0] - first) * count
        for i in range(first, min(first + group, poses.shape[0])):
            x, y, c, s = poses[i, 0], poses[i, 1], poses[i, 2], poses[i, 3]
            for j in range(count):
                ray = rays[(i - first) * count + j]
                ray[0], ray[1] = x, y
                ray[2], ray[3] = cosines[j] * c - sines[j] * s, cosines[j] * s + sines[j] * c
        cast_beams(squares, rays[:some], longest, ranges[:some], cells[:some], across[:some])
        for i in range(first, min(first + group, poses.shape[0])):
            for j in range(count):
                out[i, j] = ranges[(i - first) * count + j]
