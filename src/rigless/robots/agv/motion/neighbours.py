"""A spatial index of robots: buckets of square cells, so that a search does not visit all robots.

Cells are hashed into as many buckets as there are robots, so that the plane may be unbounded. The
order of results depends on the poses and on the order of robots only.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.robots.agv.motion import drive as d

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_NEAR = 256  # robots that one search returns


@compiled
def bucket(column: int, row: int, count: int) -> int:
    """Return the bucket of a cell."""
    return int((column * 73_856_093) ^ (row * 19_349_663)) % count


@compiled
def sort_into_cells(drives: Array, size: float, cells: Ints, starts: Ints, items: Ints) -> None:
    """Sort robots into buckets: `items[starts[b] : starts[b + 1]]` are those of bucket b.

    `cells` gets the column and the row of each robot.
    """
    count = starts.shape[0] - 1
    starts[:] = 0
    for k in range(drives.shape[0]):
        cells[k, 0] = math.floor(drives[k, d.X] / size)
        cells[k, 1] = math.floor(drives[k, d.Y] / size)
        starts[bucket(cells[k, 0], cells[k, 1], count) + 1] += 1
    for b in range(count):
        starts[b + 1] += starts[b]
    for k in range(drives.shape[0] - 1, -1, -1):
        b = bucket(cells[k, 0], cells[k, 1], count)
        starts[b + 1] -= 1
        items[starts[b + 1]] = k
    for b in range(count):  # each start has moved to the next entry
        starts[b] = starts[b + 1]
    starts[count] = drives.shape[0]


@compiled
def near(
    cells: Ints,
    starts: Ints,
    items: Ints,
    size: float,
    drives: Array,
    me: int,
    radius: float,
    found: Ints,
) -> int:
    """Write the robots in the cells within a radius of `me` and return their number.

    Return -1 if there are more than `found` holds.
    """
    count, number = starts.shape[0] - 1, 0
    x, y = drives[me, d.X], drives[me, d.Y]
    for row in range(math.floor((y - radius) / size), math.floor((y + radius) / size) + 1):
        for column in range(math.floor((x - radius) / size), math.floor((x + radius) / size) + 1):
            b = bucket(column, row, count)
            for n in range(starts[b], starts[b + 1]):
                k = items[n]
                if k != me and cells[k, 0] == column and cells[k, 1] == row:
                    if number == found.shape[0]:
                        return -1
                    found[number] = k
                    number += 1
    return number
