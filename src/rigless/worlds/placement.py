"""Places for bodies: whether one is on the map and free of walls, and the nearest that is.

Robots call `check_start` when they start. The test for walls is exact, for discs and boxes. The
nearest free place is the centre of a cell: the clearance of the grid, a distance transform, leaves
few cells to try.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.body import TOUCHING_M, Body, may_be_clear
from rigless.kernel.elementary import sin_cos
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.world import FARTHEST_M, MARGIN_M
from rigless.worlds.clearance import nearest
from rigless.worlds.grid import Grid

LARGEST_ANGLE = 1e6  # rad; beyond it, rounding is coarser than a tick's turn
CENTRE = math.sqrt(0.5)  # from the centre of a cell to its corner, in cells
TRIED = 20_000  # cells at most in one search
CHUNK = 4096  # cells that are compared with other bodies at once
SQUARES = (64, 256, 1024)  # half the sides, in cells, of the parts of a map that are searched first
ROUNDING_M = 0.02  # more than the rounding of a place
# Margin, decimals, and whether only floor that the map knows will do: the best first.
SEARCHES = ((MARGIN_M, 2, True), (0.0, 3, True), (0.0, 3, False))


def check_start(robot: Robot, body: Body, keys: tuple[str, str], solid: bool = True) -> None:
    """Raise InputError if a robot cannot start here. The fix is the nearest free place.

    `keys` are the config keys of x and y. A body that is not solid may overlap walls.
    """
    world, now_ns = robot.world, robot.now_ns
    start = f"its start ({body.x:g}, {body.y:g})"
    if why := world.why_outside(body):
        what = f"{start} is {why}"
    elif solid and (why := world.why_blocked(body, now_ns)):
        size = "" if body.size_m else f" {2 * body.radius_m:g} m wide"
        what = f"a robot{size} does not fit at {start}: it overlaps {why}"
    elif abs(body.theta) > LARGEST_ANGLE:
        what, fix = f"its heading of {body.theta:g} rad is not an angle", "from -3.14 to 3.14"
        raise InputError(Problem(robot.name, what, fix))
    else:
        return
    place = world.nearest_free(body, world.bodies(now_ns))
    if place is None:
        fix = "no place in this world is free: use one with more room, or a smaller robot"
    else:
        fix = f"the nearest free start: {start_words(robot, keys, place)}"
    raise InputError(Problem(robot.name, what, fix))


def start_words(robot: Robot, keys: tuple[str, str], place: tuple[float, float]) -> str:
    """Return the start to write in the scenario, or the settings for the command line."""
    if robot.start_pose is not None:
        return f"start = {{ x = {_number(place[0])}, y = {_number(place[1])} }}"
    prefix = ""
    if len(robot.all_robots) > 1:
        entry, dash, number = robot.name.rpartition("-")
        fleet = dash and number.isdigit() and f"{entry}-1" in robot.all_robots
        prefix = f"{entry if fleet else robot.name}."
    return " ".join(
        f"--set {prefix}{key}={_number(value)}" for key, value in zip(keys, place, strict=True)
    )


def _number(value: float) -> str:
    """Return a coordinate without trailing zeros, to all of its decimals."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def why_off_map(grid: Grid, body: Body) -> str:
    """Return why the centre of a body is not on the map, or ""."""
    if max(abs(body.x), abs(body.y)) <= FARTHEST_M:
        x, y = grid.to_cells(body.x, body.y)
        height, width = grid.shape
        if 0.0 <= x <= width and 0.0 <= y <= height:
            return ""
    (left, right), (low, high) = _extent(grid)
    return f"off the map, which has x from {left:g} to {right:g} and y from {low:g} to {high:g}"


def _extent(grid: Grid) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the least and the largest x and y of the map, in metres."""
    height, width = grid.shape
    x, y = grid.to_world([0, width, 0, width], [0, 0, height, height])
    return (
        (round(float(x.min()), 3), round(float(x.max()), 3)),
        (round(float(y.min()), 3), round(float(y.max()), 3)),
    )


def overlaps_wall(grid: Grid, body: Body) -> bool:
    """Return True if a body overlaps an occupied cell."""
    x, y = (float(value) for value in grid.to_cells(body.x, body.y))
    touching = TOUCHING_M / grid.resolution_m
    outer = body.outer_m / grid.resolution_m - touching
    gap = nearest(grid.occupied, grid.clear, x, y, outer + 1.0)[0]
    if gap >= outer or body.size_m is None:
        return bool(gap < outer)
    half_x, half_y = (half / grid.resolution_m - touching for half in body.half_m)
    first_x, first_y = max(math.floor(x - outer), 0), max(math.floor(y - outer), 0)
    rows, columns = np.nonzero(
        grid.occupied[first_y : math.ceil(y + outer), first_x : math.ceil(x + outer)]
    )
    dx, dy = columns + first_x + 0.5 - x, rows + first_y + 0.5 - y
    theta = body.theta - grid.origin[2]
    sin, cos = sin_cos(theta)
    corner = 0.5 * (abs(cos) + abs(sin))  # half of a cell along an axis of the box
    reach_x = half_x * abs(cos) + half_y * abs(sin)
    reach_y = half_x * abs(sin) + half_y * abs(cos)
    met = (np.abs(dx) < reach_x + 0.5) & (np.abs(dy) < reach_y + 0.5)
    met &= np.abs(cos * dx + sin * dy) < half_x + corner
    met &= np.abs(cos * dy - sin * dx) < half_y + corner
    return bool(met.any())


def wall_distance_m(grid: Grid, body: Body) -> float:
    """Return the distance of a body to the nearest occupied cell; 0 if it overlaps one."""
    size = grid.resolution_m
    x, y = (float(value) for value in grid.to_cells(body.x, body.y))
    gap = nearest(grid.occupied, grid.clear, x, y, math.inf)[0]
    if body.size_m is None:
        return max(float(gap) * size - body.radius_m, 0.0)
    if math.isinf(gap):
        return math.inf
    if overlaps_wall(grid, body):
        return 0.0
    # The disc inside the box is no nearer, so that no wall beyond this radius is the nearest.
    radius = gap + (body.outer_m - body.inner_m) / size
    first_x, first_y = max(math.floor(x - radius), 0), max(math.floor(y - radius), 0)
    rows, columns = np.nonzero(
        grid.occupied[
            first_y : max(math.ceil(y + radius), 0), first_x : max(math.ceil(x + radius), 0)
        ]
    )
    left, low = columns + first_x - x, rows + first_y - y  # lower left corners, from the body
    half_x, half_y = (half / size for half in body.half_m)
    theta = body.theta - grid.origin[2]
    sin, cos = sin_cos(theta)
    least = math.inf
    for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)):
        # The nearest points of two convex shapes include a corner of one of them.
        px, py = left + i, low + j
        ahead, aside = np.abs(cos * px + sin * py), np.abs(cos * py - sin * px)
        gaps = np.hypot(np.maximum(ahead - half_x, 0.0), np.maximum(aside - half_y, 0.0))
        least = min(least, float(gaps.min()))
        qx, qy = (2 * i - 1) * half_x, (2 * j - 1) * half_y
        qx, qy = cos * qx - sin * qy, sin * qx + cos * qy
        beyond_x = np.maximum(np.maximum(left - qx, qx - left - 1.0), 0.0)
        beyond_y = np.maximum(np.maximum(low - qy, qy - low - 1.0), 0.0)
        least = min(least, float(np.hypot(beyond_x, beyond_y).min()))
    return least * size


def nearest_free(grid: Grid, body: Body, others: Sequence[Body]) -> tuple[float, float] | None:
    """Return the free place nearest to a body's, or None.

    It is on floor that the map knows, and has a margin, if there is such a place.
    """
    x, y = (min(max(value, -FARTHEST_M), FARTHEST_M) for value in (body.x, body.y))
    from_x, from_y = (float(value) for value in grid.to_cells(x, y))
    height, width = grid.shape
    from_x, from_y = min(max(from_x, 0.0), width), min(max(from_y, 0.0), height)
    for margin_m, decimals, known in SEARCHES:
        needed = (body.inner_m + margin_m) / grid.resolution_m
        for half in (*SQUARES, height + width):
            rows, columns = _wide_enough(grid, needed, known, (from_x, from_y), half)
            tried = 0
            for x, y in islice(_clear_places(grid, rows, columns, body, others), TRIED):
                tried += 1
                place = round(x, decimals) + 0.0, round(y, decimals) + 0.0
                here = body.at(*place).grown(margin_m)
                if not (
                    why_off_map(grid, here)
                    or overlaps_wall(grid, here)
                    or any(map(here.overlaps, others))
                ):
                    return place
            if tried == TRIED:
                break
    return None


def _wide_enough(
    grid: Grid, needed: float, known: bool, start: tuple[float, float], half: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the cells with enough clearance within a circle, the nearest to its middle first."""
    x, y = start
    first_row, first_column = max(math.floor(y) - half, 0), max(math.floor(x) - half, 0)
    part = (
        slice(first_row, math.floor(y) + half + 1),
        slice(first_column, math.floor(x) + half + 1),
    )
    free = ~grid.occupied[part] & (grid.clear[part] + CENTRE >= needed)
    if known:
        free &= ~grid.unknown[part] & ~grid.cliff[part]
    rows, columns = np.nonzero(free)
    rows, columns = rows + first_row, columns + first_column
    away = (columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2
    inside = away < half**2
    order = np.argsort(away[inside], kind="stable")
    return rows[inside][order], columns[inside][order]


def _clear_places(
    grid: Grid,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    body: Body,
    others: Sequence[Body],
) -> Iterator[tuple[float, float]]:
    """Yield the centres of cells in this order, without those where others certainly are."""
    for first in range(0, len(rows), CHUNK):
        part = slice(first, first + CHUNK)
        x, y = grid.to_world(columns[part] + 0.5, rows[part] + 0.5)
        for k in np.flatnonzero(may_be_clear(x, y, body, others, ROUNDING_M)):
            yield float(x[k]), float(y[k])
