"""The mapping from world to screen: the walls fit into the area, centred.

With a zoom above 1 a part of them fills the area. It is centred at `focus`, but does not go beyond
the walls. Neighbouring cells share their edges.
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
    zoom: float = 1.0
    focus: tuple[float, float] = (0.0, 0.0)  # in the world

    @cached_property
    def walls(self) -> NDArray[np.bool_]:
        shape = self.scene.rows, self.scene.columns
        cells = np.frombuffer(self.scene.cells, np.uint8, self.scene.rows * self.scene.columns)
        return cells.reshape(shape).astype(np.bool_)

    @cached_property
    def whole(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of the free cells and their rim, in cells."""
        free = ~self.walls
        rows, columns = np.flatnonzero(free.any(axis=1)), np.flatnonzero(free.any(axis=0))
        if not len(rows):
            return 0.0, 0.0, float(self.scene.columns), float(self.scene.rows)
        return columns[0] - RIM, rows[0] - RIM, columns[-1] + 1 + RIM, rows[-1] + 1 + RIM

    @cached_property
    def shown(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of the visible part, in cells."""
        if self.zoom <= 1:
            return self.whole
        left, bottom, right, top = self.whole
        x, y = self.to_cells(*self.focus)
        low_x, high_x = self._part(left, right, x, self.area.width)
        low_y, high_y = self._part(bottom, top, y, self.area.height)
        return low_x, low_y, high_x, high_y

    def _part(self, low: float, high: float, focus: float, pixels: int) -> tuple[float, float]:
        """Return the part of a range that fits, around `focus`. It moves by whole pixels."""
        half = pixels / self.scale / 2
        if high - low <= 2 * half:
            return low, high
        middle = min(max(focus, low + half), high - half)
        middle = round(middle * self.scale) / self.scale
        return middle - half, middle + half

    @cached_property
    def scale(self) -> float:
        """Pixels per cell."""
        left, bottom, right, top = self.whole
        fitting = min(self.area.width / (right - left), self.area.height / (top - bottom))
        return max(fitting * max(self.zoom, 1.0), 0.01)

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

    def to_cells(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return a point in the world in cells from the bottom left."""
        x, y, angle = self.scene.origin
        dx, dy = (x_m - x) / self.scene.cell_m, (y_m - y) / self.scene.cell_m
        if not angle:
            return dx, dy
        c, s = math.cos(angle), math.sin(angle)
        return c * dx + s * dy, c * dy - s * dx

    def at(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Return the pixel of a point in the world."""
        return self.cell_at(*self.to_cells(x_m, y_m))

    def turned(self, theta: float) -> float:
        """Return a world angle as an angle on the screen."""
        return theta - self.scene.origin[2]
