"""The mapping from world to screen: the walls fit into the area, centred.

Neighbouring cells share their edges.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rigless.robots.pacbot.window.messages import Scene

RIM = 0.6  # cells of wall shown around the free cells


@dataclass(frozen=True)
class Area:
    """A rectangle of pixels."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Layout:
    scene: Scene
    area: Area

    @cached_property
    def walls(self) -> NDArray[np.bool_]:
        shape = self.scene.rows, self.scene.columns
        cells = np.frombuffer(self.scene.cells, np.uint8, self.scene.rows * self.scene.columns)
        return cells.reshape(shape).astype(np.bool_)

    @cached_property
    def shown(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of the visible part, in cells."""
        free = ~self.walls
        rows, columns = np.flatnonzero(free.any(axis=1)), np.flatnonzero(free.any(axis=0))
        if not len(rows):
            return 0.0, 0.0, float(self.scene.columns), float(self.scene.rows)
        return columns[0] - RIM, rows[0] - RIM, columns[-1] + 1 + RIM, rows[-1] + 1 + RIM

    @cached_property
    def scale(self) -> float:
        """Pixels per cell."""
        left, bottom, right, top = self.shown
        return max(min(self.area.width / (right - left), self.area.height / (top - bottom)), 0.01)

    @property
    def pixels_per_m(self) -> float:
        return self.scale / self.scene.cell_m

    @cached_property
    def _corner(self) -> tuple[float, float]:
        """The pixel of the bottom left corner of the grid."""
        left, bottom, right, top = self.shown
        middle_x, middle_y = self.area.x + self.area.width / 2, self.area.y + self.area.height / 2
        x = middle_x - (left + right) / 2 * self.scale
        return x, middle_y + (bottom + top) / 2 * self.scale

    def cell_at(self, column: float, row: float) -> tuple[float, float]:
        """Return the pixel of a point in cells from the bottom left."""
        return self._corner[0] + column * self.scale, self._corner[1] - row * self.scale

    def at(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return the pixel of a point in the world."""
        x, y, angle = self.scene.origin
        dx, dy = (x_m - x) / self.scene.cell_m, (y_m - y) / self.scene.cell_m
        if not angle:
            return self.cell_at(dx, dy)
        c, s = math.cos(angle), math.sin(angle)
        return self.cell_at(c * dx + s * dy, c * dy - s * dx)

    def turned(self, theta: float) -> float:
        """Return a world angle as an angle on the screen."""
        return theta - self.scene.origin[2]
