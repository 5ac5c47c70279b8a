"""Mazes, and worlds whose walls are a maze's. Outside the edge everything is wall."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.world import Obstacle
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

CELL_SIZE_M = 0.3  # of a maze file without cell_size


@dataclass(frozen=True)
class Maze:
    """Square cells that are open or wall.

    With `thin` walls, the walls end at the centres of their cells. `start` is (row, column).
    """

    name: str
    description: str
    cells: NDArray[np.bool_]  # True is wall; row 0 is the bottom
    cell_size_m: float
    thin: bool
    start: tuple[int, int]
    pellets: NDArray[np.uint8] | None

    @cached_property
    def grid(self) -> Grid:
        """The maze as an occupancy grid, with two rings of wall around it."""
        size, rings = self.cell_size_m, 2
        walls = np.pad(self.cells, rings, constant_values=True)
        if not self.thin:
            return Grid(walls, size, (-rings * size, -rings * size, 0.0))
        # Squares from cell centre to cell centre.
        between = walls[:-1, :-1] & walls[:-1, 1:] & walls[1:, :-1] & walls[1:, 1:]
        return Grid(between, size, ((0.5 - rings) * size, (0.5 - rings) * size, 0.0))

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """Return x and y of a cell's centre in metres."""
        return (column + 0.5) * self.cell_size_m, (row + 0.5) * self.cell_size_m


class MazeWorld(GridWorld):
    """A world whose walls are a maze's."""

    wall_height_m = 0.1

    def __init__(self, maze: Maze, obstacles: dict[str, Obstacle] | None = None):
        self.maze = maze
        super().__init__(maze.grid, obstacles)
