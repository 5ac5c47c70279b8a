"""Pictures of an environment from above, as arrays of pixels."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE = 256  # pixels of the longer side
WALL, FLOOR, ROBOT, GOAL = (60, 60, 60), (250, 250, 250), (30, 90, 200), (220, 60, 40)
PLANE_M = 24.0  # the side of the picture of open ground


def picture(task: Any, i: int) -> NDArray[np.uint8]:
    """Return the world of robot i with the robot, its heading and its goal."""
    robot = task.robots.robot(i) if task.kind == "pacbot" else task.robots.template
    grid: Any = getattr(robot.world, "grid", None)
    x, y, theta = (float(number) for number in task.robots.poses[i])
    if grid is None:
        pixels = np.full((SIDE, SIDE, 3), FLOOR, np.uint8)
        scale = SIDE / PLANE_M

        def to_pixel(x_m: Any, y_m: Any) -> tuple[Any, Any]:
            return (PLANE_M / 2 + x_m) * scale, (PLANE_M / 2 + y_m) * scale
    else:
        times = max(SIDE // max(grid.shape), 1)
        cells = np.where(grid.occupied[..., None], WALL, FLOOR).astype(np.uint8)
        pixels = cells.repeat(times, 0).repeat(times, 1)
        scale = times / grid.resolution_m

        def to_pixel(x_m: Any, y_m: Any) -> tuple[Any, Any]:
            column, row = grid.to_cells(x_m, y_m)
            return column * times, row * times

    goal = task.goal(i)
    if goal is not None:
        _disc(pixels, *to_pixel(*goal), 0.2 * scale, GOAL)
    body = robot.body()
    radius = (body.outer_m if body is not None else 0.15) * scale
    _disc(pixels, *to_pixel(x, y), radius, ROBOT)
    nose = 0.6 * radius / scale
    nose_x, nose_y = x + nose * math.cos(theta), y + nose * math.sin(theta)
    _disc(pixels, *to_pixel(nose_x, nose_y), radius / 4, FLOOR)
    return np.ascontiguousarray(pixels[::-1])


def _disc(pixels: NDArray[np.uint8], x: float, y: float, radius: float, colour: Any) -> None:
    rows, columns = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
    away = (columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2
    pixels[away <= max(radius, 1.0) ** 2] = colour
