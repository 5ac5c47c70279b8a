"""Distances ahead of the robot to discs, to boxes and to the walls of a map.

They are measured from the front of its footprint in the direction of travel, over its width.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.kernel.world import World
from rigless.worlds.grid import Grid
from rigless.worlds.raycast import cast_ray

Array = NDArray[np.float64]


@compiled
def disc_gap(
    discs: Array, x: float, y: float, heading: float, half_length: float, half_width: float
) -> float:
    """Return the gap to the nearest of the discs (x, y, radius); inf if none is ahead."""
    c, s, nearest = math.cos(heading), math.sin(heading), math.inf
    for k in range(discs.shape[0]):
        dx, dy, radius = discs[k, 0] - x, discs[k, 1] - y, discs[k, 2]
        ahead, aside = c * dx + s * dy, max(abs(c * dy - s * dx) - half_width, 0.0)
        if ahead > 0.0 and aside < radius:
            nearest = min(
                nearest, max(ahead - half_length - math.sqrt(radius * radius - aside * aside), 0.0)
            )
    return nearest


@compiled
def box_span(
    ahead: float, aside: float, half_x: float, half_y: float, turned: float, half_width: float
) -> tuple[float, float]:
    """Return the near and the far end of the part of a box within the robot's width.

    They are inf and -inf if no part of it is.
    """
    cos, sin = math.cos(turned), math.sin(turned)
    low, high = math.inf, -math.inf
    for edge in range(4):
        i, j = (
            (1.0 if edge in (0, 3) else -1.0),
            (1.0 if edge < 2 else -1.0),
        )  # corners ++, −+, −−, +−
        ax, ay = (
            ahead + cos * i * half_x - sin * j * half_y,
            aside + sin * i * half_x + cos * j * half_y,
        )
        i, j = (
            (1.0 if edge in (2, 3) else -1.0),
            (1.0 if edge in (0, 3) else -1.0),
        )  # the corner after it
        bx, by = (
            ahead + cos * i * half_x - sin * j * half_y,
            aside + sin * i * half_x + cos * j * half_y,
        )
        if max(ay, by) < -half_width or min(ay, by) > half_width:
            continue
        first, last, rise = 0.0, 1.0, by - ay
        if rise != 0.0:
            one, two = (-half_width - ay) / rise, (half_width - ay) / rise
            first, last = max(first, min(one, two)), min(last, max(one, two))
        for part in (first, last):
            there = ax + part * (bx - ax)
            low, high = min(low, there), max(high, there)
    return low, high


@compiled
def box_gap(
    boxes: Array, x: float, y: float, heading: float, half_length: float, half_width: float
) -> float:
    """Return the gap to the nearest box (x, y, half_x, half_y, theta) within the robot's width."""
    c, s, nearest = math.cos(heading), math.sin(heading), math.inf
    for k in range(boxes.shape[0]):
        dx, dy = boxes[k, 0] - x, boxes[k, 1] - y
        ahead, aside = c * dx + s * dy, c * dy - s * dx
        low, high = box_span(
            ahead, aside, boxes[k, 2], boxes[k, 3], boxes[k, 4] - heading, half_width
        )
        if high > 0.0:
            nearest = min(nearest, max(low - half_length, 0.0))
    return nearest


@compiled
def wall_gap(
    squares: Any,
    x: float,
    y: float,
    heading: float,
    half_length: float,
    half_width: float,
    longest: float,
) -> float:
    """Return the gap to the nearest wall, in cells.

    Rays are at most a cell apart, so that none can pass between them.
    """
    c, s = math.cos(heading), math.sin(heading)
    count, nearest = math.ceil(2.0 * half_width) + 1, math.inf
    for k in range(count):
        aside = half_width * (2.0 * k / (count - 1) - 1.0)
        found = cast_ray(
            squares, x + c * half_length - s * aside, y + s * half_length + c * aside, c, s, longest
        )[0]
        nearest = min(nearest, found)
    return nearest


def shapes_of(world: World, now_ns: int) -> tuple[Array, Array]:
    """Return the obstacles of a world, as discs and boxes."""
    discs, boxes = [], []
    for obstacle in world.state.obstacles.values():
        x, y, theta = obstacle.pose(now_ns)
        if obstacle.size_m is None:
            discs.append((x, y, obstacle.radius_m))
        else:
            boxes.append((x, y, 0.5 * obstacle.size_m[0], 0.5 * obstacle.size_m[1], theta))
    return np.array(discs).reshape(-1, 3), np.array(boxes).reshape(-1, 5)


class Walls:
    """The walls of one map; in metres."""

    def __init__(self, grid: Grid):
        self._grid, self._size, self._yaw = grid, grid.resolution_m, grid.origin[2]
        sine, cosine = sin_cos(self._yaw)
        self._frame = grid.origin[0], grid.origin[1], float(sine), float(cosine)
        self.frame = *self._frame, self._yaw, self._size

    def gap(
        self,
        x_m: float,
        y_m: float,
        heading: float,
        half_length_m: float,
        half_width_m: float,
        longest_m: float,
    ) -> float:
        """Return the gap to the nearest wall ahead of a footprint, up to a distance."""
        # As Grid.to_cells, without arrays: this runs in every tick.
        left, low, sine, cosine = self._frame
        dx, dy = x_m - left, y_m - low
        found: float = wall_gap(
            self._grid.squares,
            (cosine * dx + sine * dy) / self._size,
            (cosine * dy - sine * dx) / self._size,
            heading - self._yaw,
            half_length_m / self._size,
            half_width_m / self._size,
            longest_m / self._size,
        )
        return found * self._size
