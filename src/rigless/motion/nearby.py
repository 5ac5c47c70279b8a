"""The occupied squares near a circle, kept in a list while it moves a little.

A circle in contact searches the same cells again at each tick. A batch that does many ticks in one
call keeps what a search found, so that the next ticks look at a few squares instead of hundreds of
cells. The list has the order of the search, so that the results have the same bits.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.worlds.clearance import Cells, Clearance

Nearby = NDArray[np.float64]

# NEARBY: the centre of the list, its range in cells, and its number of squares, −1 if there are too
# many of them. A square is the point in its middle, and its corners that stick out.
X, Y, RANGE, COUNT, SQUARES = range(5)
CAPACITY = 128
NEARBY_SIZE = SQUARES + 3 * CAPACITY
SLACK = 2.0  # cells beyond the range that a search needs
LEFT_BELOW, RIGHT_BELOW, LEFT_ABOVE, RIGHT_ABOVE, ALL = 1, 2, 4, 8, 15  # corners
LONG = 1e6  # cells


@inlined
def forget(nearby: Nearby) -> None:
    """Make the list empty, of no range."""
    nearby[X], nearby[Y], nearby[RANGE], nearby[COUNT] = 0.0, 0.0, -1.0, -1.0


@inlined
def known_range(nearby: Nearby, x: float, y: float) -> float:
    """Return the distance from a point within which the list has all squares."""
    dx, dy = x - nearby[X], y - nearby[Y]
    return nearby[RANGE] - np.sqrt(dx * dx + dy * dy)


@compiled
def list_squares(
    occupied: Cells, clear: Clearance, x: float, y: float, reach: float, nearby: Nearby
) -> None:
    """Make the list of the occupied squares within `reach` of a point, row by row."""
    height, width = occupied.shape
    nearby[X], nearby[Y], nearby[RANGE] = x, y, reach
    count = 0
    first, last = max(int(np.floor(x - reach)), 0), min(int(np.floor(x + reach)), width - 1)
    for r in range(max(int(np.floor(y - reach)), 0), min(int(np.floor(y + reach)), height - 1) + 1):
        away_y = max(abs(y - (r + 0.5)) - 0.5, 0.0)
        c = first
        while c <= last:
            if occupied[r, c]:
                away_x = max(abs(x - (c + 0.5)) - 0.5, 0.0)
                if away_x * away_x + away_y * away_y <= reach * reach:
                    if count == CAPACITY:
                        nearby[COUNT] = -1.0
                        return
                    at = SQUARES + 3 * count
                    nearby[at], nearby[at + 1] = c + 0.5, r + 0.5
                    nearby[at + 2] = float(bare_corners(occupied, r, c))
                    count += 1
            c += 1 + int(min(clear[r, c], LONG))  # no square is nearer to the cell
    nearby[COUNT] = float(count)


@inlined
def bare_corners(occupied: Cells, row: int, column: int) -> int:
    """Return the corners of an occupied cell that stick out.

    The others are behind a neighbour, and so is everything that they could meet.
    """
    height, width = occupied.shape
    left, right = (
        column > 0 and occupied[row, column - 1],
        column < width - 1 and occupied[row, column + 1],
    )
    below, above = (
        row > 0 and occupied[row - 1, column],
        row < height - 1 and occupied[row + 1, column],
    )
    corners = ALL
    if right:
        corners &= LEFT_BELOW | LEFT_ABOVE
    if left:
        corners &= RIGHT_BELOW | RIGHT_ABOVE
    if above:
        corners &= LEFT_BELOW | RIGHT_BELOW
    if below:
        corners &= LEFT_ABOVE | RIGHT_ABOVE
    return corners
