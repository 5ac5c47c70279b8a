"""The board, 31 rows from the top and 28 columns from the left, and the numbers of the rules.

All numbers are those of the competition's game engine (Pacbot-2, server/game). A step is an update
of the ghosts.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rigless.worlds.mazes.maze import Maze

ROWS, COLUMNS = 31, 28
UP, LEFT, DOWN, RIGHT, NONE = range(5)
STEP = ((-1, 0), (0, -1), (1, 0), (0, 1), (0, 0))  # rows and columns of a step in each direction
BACK = (DOWN, RIGHT, UP, LEFT, NONE)

PAUSED, SCATTER, CHASE = range(3)
MODES = ("paused", "scatter", "chase")
MODE_STEPS = (255, 60, 180)  # 30 s and 90 s at first

RED, PINK, CYAN, ORANGE = range(4)
COLOURS = ("red", "pink", "cyan", "orange")
GHOST_SPAWN = ((11, 13, LEFT), (13, 13, DOWN), (14, 11, UP), (14, 15, UP))
SCATTER_TARGET = ((-3, 25), (-3, 2), (31, 27), (31, 0))
TRAPPED_STEPS = (0, 5, 16, 32)
FRIGHT_STEPS = 40
HOUSE_EXIT = (12, 13)
SHY_CELLS = 8  # orange turns away if it is nearer to Pacman

NOWHERE = (32, 32)  # the cell of what is not on the board
PACMAN_SPAWN = (23, 13, RIGHT)
FRUIT = (17, 13)
FRUIT_STEPS = 30

TICKS_PER_STEP = 12  # at level 1; 2 less at each level
FASTER = 2
LIVES = 3
LEVEL_STEPS, PENALTY_STEPS = 960, 240  # until the ghosts speed up, and again after that
FRUIT_AT = (174, 74)  # pellets left
ANGRY_AT = (20, 10)
LAST_TICK = 0xFFFF
HIGHEST_SCORE = 0xFFFF
HIGHEST_LEVEL = 255
LONGEST_PATH = 11  # cells: Pacman walks to a camera report within this, and jumps beyond it

PELLET_POINTS, SUPER_POINTS, FRUIT_POINTS = 10, 50, 100
GHOST_POINTS = 200  # doubled for each ghost eaten in a row


@dataclass(frozen=True)
class Board:
    """A maze as bits: a row is a number whose bit n is column n."""

    maze: Maze

    @staticmethod
    def fits(maze: Maze) -> bool:
        return (
            maze.cells.shape == (ROWS, COLUMNS)
            and maze.pellets is not None
            and bool(maze.pellets.any())
        )

    @property
    def _pellets(self) -> np.ndarray:
        assert self.maze.pellets is not None
        return self.maze.pellets

    @cached_property
    def walls(self) -> tuple[int, ...]:
        return _bits(self.maze.cells)

    @cached_property
    def pellets(self) -> tuple[int, ...]:
        return _bits(self._pellets)

    @cached_property
    def super_pellets(self) -> tuple[int, ...]:
        return _bits(self._pellets == 2)

    def wall_at(self, row: int, column: int) -> bool:
        inside = 0 <= row < ROWS and 0 <= column < COLUMNS
        return not inside or bool(self.walls[row] >> column & 1)

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """Return x and y in metres of a cell's centre; the maze counts rows from the bottom."""
        return self.maze.centre(ROWS - 1 - row, column)

    def nearest(self, x_m: float, y_m: float) -> tuple[int, int] | None:
        """Return the free cell nearest to a position, among its own cell and the eight around it.

        Return None if all are wall. This is the rule of the competition's camera (Pacbot-2,
        cv_client).
        """
        size_m = self.maze.cell_size_m
        column, row = x_m / size_m - 0.5, ROWS - 0.5 - y_m / size_m
        around = [
            (round(row) + down, round(column) + right)
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
        ]
        free = [cell for cell in around if not self.wall_at(*cell)]
        return min(
            free,
            key=lambda cell: ((cell[0] - row) ** 2 + (cell[1] - column) ** 2, cell),
            default=None,
        )


def in_house(row: int, column: int) -> bool:
    """Return True for a cell of the ghosts' house, which is wall except for leaving ghosts."""
    return 13 <= row <= 14 and 11 <= column <= 15


def _bits(cells: np.ndarray) -> tuple[int, ...]:
    """Return rows from the top, with column 0 in the lowest bit."""
    return tuple(sum(1 << int(column) for column in np.flatnonzero(row)) for row in cells[::-1])
