"""Distances in a grid: the clearance of every cell, and the nearest occupied point.

All functions work in cell units: x and y are in cells from the grid's lower-left corner, an
occupied cell is its closed unit square, and outside the map is free. All results are exact.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined

Cells = NDArray[np.bool_]
Clearance = NDArray[np.float32]

_ROUND_DOWN = 1.0 - 1e-6  # keeps a lower bound below in float32


@compiled
def clearance(occupied: Cells) -> Clearance:
    """Return, for every cell, a lower bound of the distance to the nearest occupied square.

    It is the distance from the nearest point of the cell. Between two cells that is the distance
    between their centres after one of them has grown by a cell on each side. This is therefore the
    exact distance transform (Felzenszwalb and Huttenlocher: lower envelope of parabolas) of the
    grown cells.
    """
    height, width = occupied.shape
    nothing = height + width  # longer than any distance in the map
    along = np.full(
        (height, width), nothing, np.int32
    )  # to the nearest grown cell in the same column
    for row in range(height):
        for column in range(width):
            for near in range(max(row - 1, 0), min(row + 2, height)):
                for next_to in range(max(column - 1, 0), min(column + 2, width)):
                    if occupied[near, next_to]:
                        along[row, column] = 0
    for row in range(1, height):
        for column in range(width):
            along[row, column] = min(along[row, column], along[row - 1, column] + 1)
    for row in range(height - 2, -1, -1):
        for column in range(width):
            along[row, column] = min(along[row, column], along[row + 1, column] + 1)

    clear = np.empty((height, width), np.float32)
    vertex, begins = np.empty(width, np.int64), np.empty(width + 1)
    for row in range(height):
        last = -1
        for column in range(width):
            lift = float(along[row, column]) ** 2 + float(column) ** 2
            begin = -np.inf
            while last >= 0:
                other = vertex[last]
                begin = (lift - float(along[row, other]) ** 2 - float(other) ** 2) / (
                    2.0 * (column - other)
                )
                if begin > begins[last]:
                    break
                last -= 1
                begin = -np.inf
            last += 1
            vertex[last], begins[last] = column, begin
        begins[last + 1] = np.inf
        piece = 0
        for column in range(width):
            while begins[piece + 1] < column:
                piece += 1
            square = float(column - vertex[piece]) ** 2 + float(along[row, vertex[piece]]) ** 2
            clear[row, column] = (
                np.inf if square >= float(nothing) ** 2 else np.sqrt(square) * _ROUND_DOWN
            )
    return clear


@inlined
def cell_of(x: float, y: float, width: int, height: int) -> tuple[int, int]:
    """Return the column and the row of the cell at a point.

    Outside the map it is the nearest cell, whose clearance is a bound there too.
    """
    column = int(x) if 0.0 <= x < width else width - 1 if x >= width else 0  # nan is at 0
    row = int(y) if 0.0 <= y < height else height - 1 if y >= height else 0
    return column, row


@compiled
def nearest(
    occupied: Cells, clear: Clearance, x: float, y: float, limit: float
) -> tuple[float, float, float]:
    """Return the distance and the point (x, y) of the nearest occupied square within `limit`.

    Return (inf, nan, nan) if there is none.
    """
    height, width = occupied.shape
    column, row = cell_of(x, y, width, height)
    found, at_x, at_y, best = False, np.nan, np.nan, limit * limit
    if clear[row, column] > limit or clear[row, column] == np.inf:
        return np.inf, at_x, at_y
    ring = max(int(clear[row, column] / 1.42) - 1, 0)
    last = max(column, width - 1 - column, row, height - 1 - row)
    while ring <= last and (ring <= 1 or (ring - 1.0) ** 2 <= best):
        for r in range(max(row - ring, 0), min(row + ring, height - 1) + 1):
            side = abs(r - row) == ring
            c, end = (
                (max(column - ring, 0), min(column + ring, width - 1))
                if side
                else (column - ring, column + ring)
            )
            while c <= end:
                if 0 <= c < width and occupied[r, c]:
                    near_x, near_y = min(max(x, c), c + 1.0), min(max(y, r), r + 1.0)
                    square = (x - near_x) ** 2 + (y - near_y) ** 2
                    if square < best or (square == best and not found):
                        found, best, at_x, at_y = True, square, near_x, near_y
                c += 1 if side else 2 * ring
        ring += 1
    return (np.sqrt(best), at_x, at_y) if found else (np.inf, at_x, at_y)
