"""Exact ray casting on an occupancy grid by quadrant squares.

For each of the four direction quadrants, every cell stores the side of the largest free square that
is anchored there and extends in that direction. A ray jumps to the exit face of the square it is
in. It visits a few squares instead of hundreds of cells, and the distance to a hit is the distance
to a cell face: exact, with no step size.

Neighbouring beams visit neighbouring cells, so cells are stored in tiles of 8×8, one cache line
each. A border of tiles marked OUTSIDE saves the check for the grid's edge. Each jump waits for a
byte that may not be in the cache, and which face comes first is unpredictable. Many rays are
therefore cast together (`cast_beams`): all of them by one jump, then all unfinished ones by the
next, without branches that could be mispredicted. The processor then waits for many bytes at a
time.

All functions work in cell units: x and y are in cells from the grid's lower-left corner. A ray that
leaves the grid hits nothing. A ray exactly through a corner crosses the horizontal face first.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined

OUTSIDE = 255
LARGEST = 254  # a square's side fits a byte
TILE = 8
NEAR = 1e-9  # within this of a face, its crossing time decides on which side a ray is

Squares = NDArray[np.uint8]
Floats = NDArray[np.float64]


class _Rays(NamedTuple):
    """Rays that are cast together, one a row, and how far each has come."""

    rays: Floats  # x, y, dx, dy
    per: Floats  # 1 / dx, 1 / dy
    ranges: Floats
    cells: NDArray[np.int64]  # column, row
    sides: NDArray[np.int64]  # of the free square at the cell
    across: NDArray[np.bool_]


_THREE, _SEVEN = np.uint64(3), np.uint64(7)  # of TILE


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
    y, x = np.uint64(row + TILE), np.uint64(column + TILE)
    return int(squares[np.uint64(quadrant), y >> _THREE, x >> _THREE, y & _SEVEN, x & _SEVEN])


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
    count = np.uint64(rays.shape[0])
    flying, sides, per = (
        np.empty(count + 1, np.uint64),
        np.empty(count, np.int64),
        np.empty((count, 2)),
    )
    batch = _Rays(rays, per, ranges, cells, sides, across)
    wide, high = (squares.shape[2] - 2) * TILE, (squares.shape[1] - 2) * TILE
    for j in range(count):
        for axis in range(2):
            if rays[j, 2 + axis] == 0.0:
                rays[j, 2 + axis] = 1e-300
            per[j, axis] = 1.0 / rays[j, 2 + axis]
    for quadrant in range(4):
        back_x, back_y = quadrant & 1, quadrant >> 1
        some = np.uint64(0)
        for j in range(count):
            flying[some] = j
            some += np.uint64((int(rays[j, 2] < 0) == back_x) & (int(rays[j, 3] < 0) == back_y))
        left = np.uint64(0)
        for k in range(some):
            j = flying[k]
            x, y = rays[j, 0], rays[j, 1]
            column, row, side = 0, 0, OUTSIDE
            if 0.0 <= x < wide and 0.0 <= y < high:
                column, row = int(x), int(y)
                side = _side(squares, quadrant, row, column)
            cells[j, 0], cells[j, 1], sides[j], across[j], ranges[j] = column, row, side, False, 0.0
            flying[left] = j
            left += np.uint64(0 < side < OUTSIDE)
        _fly(squares, quadrant, batch, longest, flying, left)
    for j in range(count):
        if sides[j] == OUTSIDE or ranges[j] > longest:
            ranges[j] = np.inf


@compiled
def _fly(
    squares: Squares,
    quadrant: int,
    batch: _Rays,
    longest: float,
    flying: NDArray[np.uint64],
    some: Any,
) -> None:
    """Advance the first `some` rays of `flying`, all of one quadrant, to their ends.

    The loop is that of `cast_ray`.
    """
    rays, per, ranges, cells, sides, across = batch
    back_x, back_y = quadrant & 1, quadrant >> 1
    step_x, step_y = 1 - 2 * back_x, 1 - 2 * back_y
    while some > 0:
        left = np.uint64(0)
        for k in range(some):
            j = flying[k]
            x, y, dx, dy, per_x, per_y = (
                rays[j, 0],
                rays[j, 1],
                rays[j, 2],
                rays[j, 3],
                per[j, 0],
                per[j, 1],
            )
            column, row, side = cells[j, 0], cells[j, 1], sides[j]
            face_x, face_y = column + step_x * side + back_x, row + step_y * side + back_y
            t_x, t_y = (face_x - x) * per_x, (face_y - y) * per_y
            sideways = t_x < t_y
            t = t_x if sideways else t_y
            there = (y if sideways else x) + t * (dy if sideways else dx)
            now = int(there)
            if not NEAR < there - now < 1.0 - NEAR:
                if sideways:
                    now = _crossed(y, dy, per_y, t, now, row, face_y - back_y - step_y, True)
                else:
                    now = _crossed(x, dx, per_x, t, now, column, face_x - back_x - step_x, False)
            column, row = face_x - back_x, face_y - back_y
            mask = -int(sideways)  # a selection without a branch
            column, row = now ^ ((now ^ column) & mask), row ^ ((now ^ row) & mask)
            side = _side(squares, quadrant, row, column)
            cells[j, 0], cells[j, 1], sides[j], across[j], ranges[j] = (
                column,
                row,
                side,
                sideways,
                t,
            )
            flying[left] = j
            left += np.uint64((side > 0) & (side < OUTSIDE) & (t <= longest))
        some = left


@compiled
def cast_rays(
    squares: Squares, poses: Floats, cosines: Floats, sines: Floats, longest: float, out: Floats
) -> None:
    """Write ranges (N, M) of M beams from N poses (x, y, cos, sin) in cells."""
    count = cosines.shape[0]
    rays, ranges = np.empty((count, 4)), np.empty(count)
    cells, across = np.empty((count, 2), np.int64), np.empty(count, np.bool_)
    for i in range(poses.shape[0]):
        x, y, c, s = poses[i, 0], poses[i, 1], poses[i, 2], poses[i, 3]
        for j in range(count):
            rays[j, 0], rays[j, 1] = x, y
            rays[j, 2], rays[j, 3] = cosines[j] * c - sines[j] * s, cosines[j] * s + sines[j] * c
        cast_beams(squares, rays, longest, ranges, cells, across)
        out[i] = ranges
