"""The floor that a robot can reach on a grid; the part that it has swept, or beams have seen."""

import math

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.worlds.clearance import Cells, Clearance, nearest
from rigless.worlds.grid import Grid

PER_RADIUS = 6.0  # cells in a radius at least; coarser grids are divided
MOST_CELLS = 4e6  # of a divided grid
TOUCHING = 1e-6  # cells


@compiled
def _fill(room: Cells, reached: Cells, column: int, row: int) -> None:
    """Mark all cells with room that are connected with a cell by their edges."""
    height, width = room.shape
    stack = np.empty((height * width, 2), np.int32)
    size = 0
    if room[row, column] and not reached[row, column]:
        reached[row, column] = True
        stack[0, 0], stack[0, 1], size = column, row, 1
    while size > 0:
        size -= 1
        c, r = stack[size, 0], stack[size, 1]
        for dc, dr in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            i, j = c + dc, r + dr
            if 0 <= i < width and 0 <= j < height and room[j, i] and not reached[j, i]:
                reached[j, i] = True
                stack[size, 0], stack[size, 1] = i, j
                size += 1


@compiled
def free_centres(occupied: Cells, clear: Clearance, radius: float) -> NDArray[np.bool_]:
    """Return the cells at whose centre a disc of this radius overlaps no occupied cell."""
    height, width = occupied.shape
    room = np.zeros((height, width), np.bool_)
    for row in range(height):
        for column in range(width):
            if occupied[row, column]:
                continue
            if clear[row, column] >= radius:
                room[row, column] = True
            else:
                x, y = column + 0.5, row + 0.5
                room[row, column] = not nearest(occupied, clear, x, y, radius)[0] < radius - 2e-6
    return room


@compiled
def _sweep(
    cells: Cells, counted: Cells, x: float, y: float, to_x: float, to_y: float, radius: float
) -> int:
    """Mark the cells whose centres a disc covers on a straight path.

    Return the number of new ones among those counted.
    """
    height, width = cells.shape
    dx, dy = to_x - x, to_y - y
    length = dx * dx + dy * dy
    new = 0
    low = max(int(np.floor(min(y, to_y) - radius)), 0)
    high = min(int(np.ceil(max(y, to_y) + radius)), height)
    left = max(int(np.floor(min(x, to_x) - radius)), 0)
    right = min(int(np.ceil(max(x, to_x) + radius)), width)
    for row in range(low, high):
        for column in range(left, right):
            if cells[row, column]:
                continue
            px, py = column + 0.5 - x, row + 0.5 - y
            along = 0.0
            if length > 0.0:
                along = min(max((px * dx + py * dy) / length, 0.0), 1.0)
            away_x, away_y = px - along * dx, py - along * dy
            if away_x * away_x + away_y * away_y <= radius * radius:
                cells[row, column] = True
                if counted[row, column]:
                    new += 1
    return new


@compiled
def _cross(cells: Cells, counted: Cells, beams: NDArray[np.float64]) -> int:
    """Mark the cells that beams (x, y, to_x, to_y, in cells) cross.

    Return the number of new ones among those counted.
    """
    height, width = cells.shape
    new = 0
    for k in range(beams.shape[0]):
        x, y = beams[k, 0], beams[k, 1]
        dx, dy = beams[k, 2] - x, beams[k, 3] - y
        column, row = int(np.floor(x)), int(np.floor(y))
        step_x, step_y = 1 if dx > 0 else -1, 1 if dy > 0 else -1
        # Shares of the beam until the next vertical and horizontal face, and from face to face.
        next_x = (column + (step_x > 0) - x) / dx if dx != 0 else np.inf
        next_y = (row + (step_y > 0) - y) / dy if dy != 0 else np.inf
        while 0 <= column < width and 0 <= row < height:
            if not cells[row, column]:
                cells[row, column] = True
                if counted[row, column]:
                    new += 1
            if min(next_x, next_y) >= 1.0:
                break
            if next_x < next_y:
                column += step_x
                next_x += abs(1.0 / dx)
            else:
                row += step_y
                next_y += abs(1.0 / dy)
    return new


class Floor:
    """The floor that discs of one radius can cover from their starts, and the part covered.

    A cell counts if a disc can cover its centre. Unknown cells, cliffs, obstacles that are not in
    the map and other robots are no walls; unknown cells and cliffs do not count.
    """

    def __init__(self, grid: Grid, radius_m: float):
        parts = math.ceil(PER_RADIUS * grid.resolution_m / radius_m)
        parts = max(1, min(parts, int(math.sqrt(MOST_CELLS / grid.occupied.size))))
        block = np.ones((parts, parts), bool)
        self._fine = Grid(np.kron(grid.occupied, block), grid.resolution_m / parts, grid.origin)
        self._radius = radius_m / self._fine.resolution_m + TOUCHING
        self._open = ~self._fine.occupied & ~np.kron(grid.unknown | grid.cliff, block)
        self._room = free_centres(self._fine.occupied, self._fine.clear, self._radius)
        self._reached = np.zeros(self._fine.shape, bool)
        self._swept = np.zeros(self._fine.shape, bool)
        self.cells = np.zeros(self._fine.shape, bool)  # the floor that can be covered
        self._new, self._total = 0, 0  # cells covered, and all that can be

    def start(self, x_m: float, y_m: float) -> None:
        """Add the floor that a disc can cover from a start."""
        x, y = (float(value) for value in self._fine.to_cells(x_m, y_m))
        height, width = self._fine.shape
        for row in range(max(int(y - 1), 0), min(int(y + 2), height)):
            for column in range(max(int(x - 1), 0), min(int(x + 2), width)):
                # A start between cells may be in the narrow part of one of them.
                _fill(self._room, self._reached, column, row)
        nothing = np.zeros(self._fine.shape, bool)
        self.cells = np.zeros(self._fine.shape, bool)
        rim = self._rim()
        for row, column in zip(*np.nonzero(rim), strict=True):
            centre = column + 0.5, row + 0.5
            _sweep(self.cells, nothing, *centre, *centre, self._radius)
        self.cells |= self._reached
        self.cells &= self._open
        self._new = int(np.count_nonzero(self._swept & self.cells))
        self._total = int(np.count_nonzero(self.cells))

    def _rim(self) -> NDArray[np.bool_]:
        """Return the reached cells with a neighbour that is not reached.

        All floor beyond the reached cells is nearest to one of these.
        """
        inner = self._reached.copy()
        for axis in (0, 1):
            for step in (1, -1):
                moved = np.roll(self._reached, step, axis)
                edge = [slice(None), slice(None)]
                edge[axis] = slice(0, 1) if step == 1 else slice(-1, None)
                moved[tuple(edge)] = False
                inner &= moved
        return self._reached & ~inner

    def sweep(self, x_m: float, y_m: float, to_x_m: float, to_y_m: float) -> None:
        """Cover the floor under a disc on a straight path."""
        x, y = (float(value) for value in self._fine.to_cells(x_m, y_m))
        to_x, to_y = (float(value) for value in self._fine.to_cells(to_x_m, to_y_m))
        self._new += _sweep(self._swept, self.cells, x, y, to_x, to_y, self._radius)

    def places(self, step_m: float) -> NDArray[np.float64]:
        """Return where the centre of the disc can be: rows of x and y, about `step_m` apart."""
        stride = max(1, round(step_m / self._fine.resolution_m))
        rows, columns = np.nonzero(self._reached[::stride, ::stride])
        x, y = self._fine.to_world(columns * stride + 0.5, rows * stride + 0.5)
        return np.column_stack((x, y))

    @property
    def share(self) -> float:
        """The share of the floor that is covered, from 0 to 1."""
        return self._new / self._total if self._total else 1.0

    @property
    def area_m2(self) -> float:
        """The area of the floor that can be covered."""
        return float(self._total * self._fine.resolution_m**2)


class SeenFloor:
    """The free floor that is connected with the starts, and the part that beams have crossed.

    Unknown cells and cliffs do not count. Obstacles that are not in the map are floor.
    """

    def __init__(self, grid: Grid):
        self._grid = grid
        self._open = ~(grid.occupied | grid.unknown | grid.cliff)
        self._crossed = np.zeros(grid.shape, bool)
        self.cells = np.zeros(grid.shape, bool)  # the floor that counts
        self._new, self._total = 0, 0

    def start(self, x_m: float, y_m: float) -> None:
        """Add the floor that is connected with a start."""
        x, y = (float(value) for value in self._grid.to_cells(x_m, y_m))
        height, width = self._grid.shape
        if 0 <= x < width and 0 <= y < height:
            _fill(self._open, self.cells, int(x), int(y))
        self._new = int(np.count_nonzero(self._crossed & self.cells))
        self._total = int(np.count_nonzero(self.cells))

    def see(self, beams_m: NDArray[np.float64]) -> None:
        """Mark the floor below beams: rows of x, y, to_x, to_y."""
        ends = (self._grid.to_cells(beams_m[:, k], beams_m[:, k + 1]) for k in (0, 2))
        beams = np.column_stack([axis for end in ends for axis in end])
        self._new += _cross(self._crossed, self.cells, beams)

    @property
    def share(self) -> float:
        """The share of the floor that was seen, from 0 to 1."""
        return self._new / self._total if self._total else 1.0

    @property
    def area_m2(self) -> float:
        """The area of the floor that counts."""
        return float(self._total * self._grid.resolution_m**2)
