"""Exact contact of a moving circle with a grid, discs and boxes.

The time of contact is solved for (see `circle_sweep`). Nothing is sampled, so no obstacle is too
thin and no motion too fast. The functions work in cell units, as in `proximity`; `Contact` works in
metres in the world.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.compiled.lending import lent
from rigless.kernel.elementary import sin_cos
from rigless.motion.circle_sweep import GAP, GRAZE, TOUCH, Path, first_contact, gap_at
from rigless.motion.nearby import COUNT, Nearby, known_range
from rigless.motion.proximity import FARTHEST, Obstacles, Shapes, zone_touched
from rigless.worlds.clearance import Cells, Clearance, cell_of, clearance, nearest
from rigless.worlds.grid import Grid

__all__ = [
    "MOVED",
    "MOVED_FULLY",
    "PASSTHROUGH",
    "SLIDE",
    "STOP",
    "Contact",
    "Moved",
    "Touch",
    "clearance",
    "move_circle",
    "nearest",
    "zone_touched",
]

STOP, SLIDE, PASSTHROUGH = range(3)

MOVED, MOVED_FULLY = 8, 11  # numbers that `move_circle` writes
UNSURE = 1e-6  # cells; more than rounding adds to a path of many ticks
CONTACTS = 4  # in one displacement; the remainder after the last is dropped


@compiled
def move_circle(
    occupied: Cells,
    clear: Clearance,
    discs: Shapes,
    boxes: Shapes,
    x: float,
    y: float,
    radius: float,
    dx: float,
    dy: float,
    mode: int,
    friction: float,
    out: NDArray[np.float64],
) -> None:
    """Move a circle by (dx, dy) as far as `mode` allows.

    `out` gets x, y, hit, normal x, y, contact point x, y (of the first contact), and the share of
    the path travelled. An `out` of MOVED_FULLY numbers also gets the normal x, y of the last
    contact, and 1 if the circle is held between several obstacles (else 0).
    """
    occupied, clear, discs, boxes, out = (
        lent(occupied),
        lent(clear),
        lent(discs),
        lent(boxes),
        lent(out),
    )
    move_circle_near(
        Obstacles(occupied, clear, discs, boxes, out[0:0]), x, y, radius, dx, dy, mode, friction,
        out,
    )  # fmt: skip


@compiled
def move_circle_near(
    obstacles: Obstacles, x: float, y: float, radius: float, dx: float, dy: float, mode: int,
    friction: float, out: NDArray[np.float64],
) -> float:  # fmt: skip
    """Do the work of `move_circle`, with the list of squares nearby if obstacles have one.

    Return a distance from the end within which the circle touches no wall, or less than 0.
    """
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] = (
        x + dx,
        y + dy,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
    )
    if out.shape[0] >= MOVED_FULLY:
        out[8], out[9], out[10] = 0.0, 0.0, 0.0
    step = np.sqrt(dx * dx + dy * dy)
    if not abs(x) + abs(y) + radius + step < FARTHEST:
        out[0], out[1], out[7] = x, y, 0.0
        return 0.0
    clear, discs, boxes = obstacles.clear, obstacles.discs, obstacles.boxes
    near = radius + GAP + TOUCH + step
    if _free(clear, discs, boxes, x, y, near):
        return room_at(clear, x, y, radius) - step
    if step > 0.0:
        return _move_among(obstacles, Path(x, y, dx, dy), radius, step, mode, friction, out)
    return 0.0


@inlined
def room_at(clear: Clearance, x: float, y: float, radius: float) -> float:
    """Return a distance within which a circle at a point touches no wall, or less than 0."""
    column, row = cell_of(x, y, clear.shape[1], clear.shape[0])
    return clear[row, column] - (radius + GAP + TOUCH + UNSURE)


@compiled
def _free(clear: Clearance, discs: Shapes, boxes: Shapes, x: float, y: float, near: float) -> bool:
    """Return True if no obstacle is within a distance, as a quick test."""
    column, row = cell_of(x, y, clear.shape[1], clear.shape[0])
    if not clear[row, column] > near:
        return False
    for k in range(discs.shape[0]):
        if (discs[k, 0] - x) ** 2 + (discs[k, 1] - y) ** 2 <= (discs[k, 2] + near) ** 2:
            return False
    for k in range(boxes.shape[0]):
        if (boxes[k, 0] - x) ** 2 + (boxes[k, 1] - y) ** 2 <= (
            boxes[k, 2] + boxes[k, 3] + near
        ) ** 2:
            return False
    return True


@compiled
def _move_among(
    obstacles: Obstacles,
    path: Path,
    radius: float,
    step: float,
    mode: int,
    friction: float,
    out: NDArray[np.float64],
) -> float:
    """Move the circle if obstacles may be near; return as `move_circle_near` does."""
    whole = radius + GAP
    x, y, dx, dy = path
    hit = first_contact(obstacles, path, whole)
    room = _room(obstacles.nearby, x, y, hit[6]) - whole - step - UNSURE
    if hit[6] < whole - 0.5 * GRAZE:
        gap, nx, ny = gap_at(obstacles, x, y, whole)
        px, py = x + (whole - gap) * nx, y + (whole - gap) * ny
        if mode == PASSTHROUGH:
            if gap < radius:  # it already overlaps an obstacle
                hit = (0.0, 0.0, nx, ny, x - gap * nx, y - gap * ny, gap)
        elif radius < gap < whole and gap_at(obstacles, px, py, whole)[0] >= gap:
            x, y = px, py  # rounding has reduced the gap
            hit = first_contact(obstacles, Path(x, y, dx, dy), whole)
    if hit[0] <= 1.0:
        out[2], out[3], out[4], out[5], out[6] = 1.0, hit[2], hit[3], hit[4], hit[5]
    if mode == PASSTHROUGH:
        return room
    keep = 1.0 - min(max(friction, 0.0), 1.0)
    travelled, left, way_x, way_y, length = 0.0, 1.0, dx, dy, step
    for contact in range(CONTACTS):
        if contact > 0:
            hit = first_contact(obstacles, Path(x, y, way_x, way_y), whole)
        t, nx, ny = min(hit[0], 1.0), hit[2], hit[3]
        x, y, travelled = x + t * way_x, y + t * way_y, travelled + t * length
        held = (
            contact > 0 and t * length < 0.1 * TOUCH
        )  # held between two obstacles: it cannot slide
        if out.shape[0] >= MOVED_FULLY and hit[0] <= 1.0:
            out[8], out[9], out[10] = nx, ny, 1.0 if held else 0.0
        if hit[0] > 1.0 or mode == STOP or held:
            break
        left *= 1.0 - t
        inward = min(dx * nx + dy * ny, 0.0)
        way_x, way_y = keep * left * (dx - inward * nx), keep * left * (dy - inward * ny)
        length = np.sqrt(way_x * way_x + way_y * way_y)
        if length < 1e-15:
            break
    out[0], out[1], out[7] = x, y, min(travelled / step, 1.0)
    return 0.0 if out[2] > 0.0 else room


@inlined
def _room(nearby: Nearby, x: float, y: float, gap: float) -> float:
    """Return a lower bound of the distance to the nearest square, by a search that found `gap`."""
    if nearby.shape[0] == 0 or nearby[COUNT] < 0.0:
        return 0.0
    return min(gap, known_range(nearby, x, y))


class Moved(NamedTuple):
    """The end of a displacement, in metres in the world.

    The normal points from the obstacle to the circle.
    """

    x_m: float
    y_m: float
    hit: bool
    normal: tuple[float, float]
    point_m: tuple[float, float]
    fraction: float


@dataclass(frozen=True)
class Touch:
    """A contact point of a body, and the normal of the contact."""

    x: float
    y: float
    normal_x: float
    normal_y: float


class Contact:
    """Contact with a grid in metres, and with the discs and boxes that were last placed."""

    def __init__(self, grid: Grid):
        self.grid = grid
        self.clear = grid.clear
        self._discs, self._boxes = np.empty((0, 3)), np.empty((0, 5))
        self._out = np.zeros(MOVED)
        self._sin, self._cos = sin_cos(float(grid.origin[2]))

    def place(self, discs: ArrayLike = (), boxes: ArrayLike = ()) -> None:
        """Set discs (x, y, radius) and boxes (x, y, half_x, half_y, theta) that are not in the map.

        Units are metres.
        """
        self._discs, self._boxes = (
            np.array(discs, float).reshape(-1, 3),
            np.array(boxes, float).reshape(-1, 5),
        )
        for shapes in (self._discs, self._boxes):
            shapes[:, 0], shapes[:, 1] = self.grid.to_cells(shapes[:, 0], shapes[:, 1])
            shapes[:, 2:4] /= self.grid.resolution_m
        self._boxes[:, 4] -= self.grid.origin[2]

    def surround(self, discs: Shapes, boxes: Shapes) -> None:
        """Set discs and boxes in cells, as `GridWorld.around` returns them."""
        self._discs, self._boxes = discs, boxes

    def move(
        self,
        position_m: tuple[float, float],
        radius_m: float,
        displacement_m: tuple[float, float],
        mode: int,
        friction: float = 0.0,
    ) -> Moved:
        """Move a circle as far as `mode` allows."""
        grid, out, size = self.grid, self._out, self.grid.resolution_m
        x, y = grid.to_cells(*position_m)
        dx = (self._cos * displacement_m[0] + self._sin * displacement_m[1]) / size
        dy = (self._cos * displacement_m[1] - self._sin * displacement_m[0]) / size
        shapes = grid.occupied, self.clear, self._discs, self._boxes
        move_circle(*shapes, float(x), float(y), radius_m / size, dx, dy, mode, friction, out)
        end_x, end_y = grid.to_world(out[0], out[1])
        if not out[2]:
            return Moved(float(end_x), float(end_y), False, (0.0, 0.0), (0.0, 0.0), float(out[7]))
        at_x, at_y = grid.to_world(out[5], out[6])
        normal = (
            float(self._cos * out[3] - self._sin * out[4]),
            float(self._sin * out[3] + self._cos * out[4]),
        )
        return Moved(
            float(end_x), float(end_y), True, normal, (float(at_x), float(at_y)), float(out[7])
        )

    def touches(
        self,
        pose: tuple[float, float, float],
        radius_m: float,
        reach_m: float,
        start_angle: float,
        end_angle: float,
    ) -> bool:
        """Return True if anything is within reach of the rim between two angles."""
        x, y = self.grid.to_cells(pose[0], pose[1])
        theta, size = pose[2] - self.grid.origin[2], self.grid.resolution_m
        shapes = self.grid.occupied, self.clear, self._discs, self._boxes
        circle = float(x), float(y), theta, radius_m / size, reach_m / size
        return bool(zone_touched(*shapes, *circle, start_angle, end_angle))
