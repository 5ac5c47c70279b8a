"""The floor plan for lidar benchmarks.

It has rooms of 4 m with doors, furniture, and tables with legs two cells thick.
"""

import numpy as np
from numpy.typing import NDArray

RESOLUTION_M = 0.02
ROOM = 200  # cells
WALL, DOOR, LEG = 5, 45, 2
Cells = NDArray[np.bool_]
Array = NDArray[np.float64]


def draw_flat(size: int, seed: int = 1) -> Cells:
    """Return a square map, `size` cells a side; True is occupied."""
    random = np.random.default_rng([seed, size])
    cells = np.zeros((size, size), bool)
    for at in range(0, size, ROOM):
        cells[at : at + WALL] = cells[:, at : at + WALL] = True
    cells[-WALL:] = cells[:, -WALL:] = True
    for row in range(0, size, ROOM):
        for column in range(0, size, ROOM):
            room = cells[row : row + ROOM, column : column + ROOM]
            _open_doors(cells, row, column, random)
            for _ in range(random.integers(1, 4)):
                y, x, high, wide = *random.integers(10, ROOM - 60, 2), *random.integers(8, 50, 2)
                room[y : y + high, x : x + wide] = True
            for _ in range(3):
                y, x, high, wide = *random.integers(10, ROOM - 70, 2), *random.integers(20, 60, 2)
                for leg_y in (y, y + high):
                    for leg_x in (x, x + wide):
                        room[leg_y : leg_y + LEG, leg_x : leg_x + LEG] = True
    return cells


def _open_doors(cells: Cells, row: int, column: int, random: np.random.Generator) -> None:
    for_x, for_y = random.integers(20, ROOM - DOOR - 20, 2)
    if row:
        cells[row : row + WALL, column + for_x : column + for_x + DOOR] = False
    if column:
        cells[row + for_y : row + for_y + DOOR, column : column + WALL] = False


def free_poses(cells: Cells, count: int, seed: int = 2) -> Array:
    """Return random poses (x, y, theta) in free space, in metres and radians."""
    random = np.random.default_rng([seed, count])
    free = np.argwhere(~cells)
    row, column = free[random.integers(0, len(free), count)].T
    x, y = (
        (column + random.random(count)) * RESOLUTION_M,
        (row + random.random(count)) * RESOLUTION_M,
    )
    return np.column_stack([x, y, random.uniform(-np.pi, np.pi, count)])
