"""Routes for a disc on the floor: the shortest way to a place round walls, cliffs and bodies.

The search (A*) runs over cells in which the disc fits. Cells near to walls cost more, so that the
route keeps a distance where there is room. Then corners that are not needed are left out.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.body import Body
from rigless.kernel.compiled import compiled
from rigless.kernel.world import World
from rigless.worlds.clearance import Cells, nearest
from rigless.worlds.floor import free_centres
from rigless.worlds.grid import Grid

Point = tuple[float, float]
PER_RADIUS = 4.0  # cells in a radius at least; coarser grids are divided
MOST_CELLS = 1e6  # of a divided grid, or of an open plane
MARGINS_M = (0.05, 0.02, 0.002)  # around the disc: the largest with which there is a route
NEAR_WALL = 2.0  # added cost of a step along a wall
WAY_OUT = 2.0  # radii around the start
CELL = 0.75  # cells: the rounding of a place to the centre of its cell
OPEN_M = 3.0  # around start, goal and bodies on an open plane
SQRT2 = math.sqrt(2.0)


@dataclass(frozen=True)
class Route:
    """Corners from the start to the goal, both included."""

    points: tuple[Point, ...]

    @property
    def length_m(self) -> float:
        return sum(math.dist(a, b) for a, b in zip(self.points, self.points[1:], strict=False))


@dataclass(frozen=True)
class NoRoute:
    """The reason why a place cannot be reached, and the nearest one that can, if any."""

    reason: str
    place: Point | None


def find_route(
    world: World, disc: Body, goal: Point, now_ns: int, others: Sequence[Body] = ()
) -> Route | NoRoute:
    """Return the way of a disc from its place to a goal, or why there is none.

    `others` are bodies in the way besides the obstacles of the world.
    """
    there = disc.at(*goal)
    outside = world.why_outside(there)
    if outside and getattr(world, "grid", None) is None:
        return NoRoute(f"({goal[0]:g}, {goal[1]:g}) is {outside}", None)
    bodies = [*world.bodies(now_ns), *others]
    grid = _with_bodies(_ground(world, disc, goal, bodies), bodies)
    reached: NDArray[np.bool_] | None = None
    for margin_m in MARGINS_M:
        found, cells = _search_with(grid, disc, goal, margin_m)
        if found is not None:
            return Route((disc_at(disc), *found, goal))
        reached = cells if reached is None or not reached.any() else reached
    assert reached is not None
    return NoRoute(_reason(world, disc, goal, now_ns, others), _closest(grid, reached, goal))


def disc_at(disc: Body) -> Point:
    return disc.x, disc.y


def _reason(world: World, disc: Body, goal: Point, now_ns: int, others: Sequence[Body]) -> str:
    there, at = disc.at(*goal), f"({goal[0]:g}, {goal[1]:g})"
    if outside := world.why_outside(there):
        return f"{at} is {outside}"
    robot = f"a robot {2 * disc.radius_m:.2g} m wide"
    if why := world.why_blocked(there, now_ns):
        return f"{robot} does not fit at {at}: it overlaps {why}"
    if any(map(there.overlaps, others)):
        return f"{robot} does not fit at {at}: another robot is there"
    return f"there is no way for {robot} from ({disc.x:.2f}, {disc.y:.2f}) to {at}"


# The floor as a grid


def _ground(world: World, disc: Body, goal: Point, bodies: Sequence[Body]) -> Grid:
    """Return the walls and cliffs of a world as a grid that is fine enough for the disc."""
    grid: Grid | None = getattr(world, "grid", None)
    if grid is None:
        return _plane(disc, goal, bodies)
    parts = math.ceil(PER_RADIUS * grid.resolution_m / disc.radius_m)
    parts = max(1, min(parts, int(math.sqrt(MOST_CELLS / grid.occupied.size))))
    solid = grid.occupied | grid.cliff
    fine = np.kron(solid, np.ones((parts, parts), bool)) if parts > 1 else solid
    return Grid(fine, grid.resolution_m / parts, grid.origin)


def _plane(disc: Body, goal: Point, bodies: Sequence[Body]) -> Grid:
    """Return an empty grid around a start and a goal on an open plane."""
    room_m = OPEN_M + 4.0 * disc.radius_m + max((body.outer_m for body in bodies), default=0.0)
    left, right = min(disc.x, goal[0]) - room_m, max(disc.x, goal[0]) + room_m
    low, high = min(disc.y, goal[1]) - room_m, max(disc.y, goal[1]) + room_m
    size = disc.radius_m / PER_RADIUS
    size = max(size, math.sqrt((right - left) * (high - low) / MOST_CELLS))
    shape = math.ceil((high - low) / size), math.ceil((right - left) / size)
    return Grid(np.zeros(shape, bool), size, (left, low, 0.0))


def _with_bodies(grid: Grid, bodies: Sequence[Body]) -> Grid:
    """Return the grid with the cells occupied that bodies touch."""
    occupied = grid.occupied.copy()
    height, width = grid.shape
    for body in bodies:
        x, y = (float(value) for value in grid.to_cells(body.x, body.y))
        reach = body.outer_m / grid.resolution_m + 1.0
        first, last = max(math.floor(x - reach), 0), min(math.ceil(x + reach), width)
        low, high = max(math.floor(y - reach), 0), min(math.ceil(y + reach), height)
        if first >= last or low >= high:
            continue
        columns, rows = np.meshgrid(np.arange(first, last), np.arange(low, high))
        at_x, at_y = grid.to_world(columns + 0.5, rows + 0.5)
        dx, dy = at_x - body.x, at_y - body.y
        near = 0.5 * grid.resolution_m
        if body.size_m is None:
            hit = np.hypot(dx, dy) <= body.radius_m + near
        else:
            cos, sin = math.cos(body.theta), math.sin(body.theta)
            ahead, aside = np.abs(cos * dx + sin * dy), np.abs(cos * dy - sin * dx)
            hit = (ahead <= body.half_m[0] + near) & (aside <= body.half_m[1] + near)
        occupied[low:high, first:last] |= hit
    return Grid(occupied, grid.resolution_m, grid.origin)


# The search


def _search_with(
    grid: Grid, disc: Body, goal: Point, margin_m: float
) -> tuple[list[Point] | None, NDArray[np.bool_]]:
    """Return the corners between start and goal, or None, and the cells that were reached."""
    radius = (disc.radius_m + margin_m) / grid.resolution_m
    room = free_centres(grid.occupied, grid.clear, radius)
    room |= _way_out(grid, disc, radius)
    start = _cell(grid, room, disc_at(disc), 2.0 * disc.radius_m)
    nothing = np.zeros(grid.shape, bool)
    if start is None:
        return None, nothing
    end = _cell(grid, room, goal, 1.5 * grid.resolution_m)
    if end is not None:
        x, y = (float(value) for value in grid.to_cells(*goal))
        exact = disc.radius_m / grid.resolution_m - 1e-6
        if nearest(grid.occupied, grid.clear, x, y, exact)[0] < exact:
            end = None
    slack = np.clip((grid.clear - radius) / max(radius, 1.0), 0.0, 1.0)
    cost = (1.0 + NEAR_WALL * (1.0 - slack)).astype(np.float32)
    parents = search(room, cost, *start, *(end or (-1, -1)))
    reached = parents >= -1
    if end is None or not reached[end[1], end[0]]:
        return None, reached
    cells = [end]
    while (parent := int(parents[cells[-1][1], cells[-1][0]])) >= 0:
        cells.append((parent % grid.shape[1], parent // grid.shape[1]))
    corners = _pulled(room, cells[::-1])[1:-1]
    xs, ys = grid.to_world([c + 0.5 for c, _ in corners], [r + 0.5 for _, r in corners])
    return list(zip(xs.tolist(), ys.tolist(), strict=True)), reached


def _way_out(grid: Grid, disc: Body, radius: float) -> NDArray[np.bool_]:
    """Return cells near a disc that are no nearer to anything than its place is now.

    A robot may stand closer to a wall or to another robot than a route would lead it.
    """
    x, y = (float(value) for value in grid.to_cells(disc.x, disc.y))
    out = np.zeros(grid.shape, bool)
    gap = nearest(grid.occupied, grid.clear, x, y, radius)[0]
    if gap >= radius:
        return out
    reach = math.ceil(WAY_OUT * radius)
    rows = slice(max(int(y) - reach, 0), max(int(y) + reach, 0))
    columns = slice(max(int(x) - reach, 0), max(int(x) + reach, 0))
    out[rows, columns] = free_centres(grid.occupied, grid.clear, gap - CELL)[rows, columns]
    return out


def _cell(grid: Grid, room: Cells, at: Point, within_m: float) -> tuple[int, int] | None:
    """Return the cell with room that is nearest to a place, if it is near enough."""
    x, y = (float(value) for value in grid.to_cells(*at))
    reach = math.ceil(within_m / grid.resolution_m)
    height = room.shape[0]
    first, low = max(math.floor(x) - reach, 0), max(math.floor(y) - reach, 0)
    rows, columns = np.nonzero(
        room[low : min(math.floor(y) + reach + 1, height), first : math.floor(x) + reach + 1]
    )
    if not len(rows):
        return None
    away = np.hypot(columns + first + 0.5 - x, rows + low + 0.5 - y)
    best = int(np.argmin(away))
    if away[best] * grid.resolution_m > within_m:
        return None
    return int(columns[best] + first), int(rows[best] + low)


def _closest(grid: Grid, reached: NDArray[np.bool_], goal: Point) -> Point | None:
    rows, columns = np.nonzero(reached)
    if not len(rows):
        return None
    x, y = grid.to_world(columns + 0.5, rows + 0.5)
    best = int(np.argmin((x - goal[0]) ** 2 + (y - goal[1]) ** 2))
    return round(float(x[best]), 2) + 0.0, round(float(y[best]), 2) + 0.0


def _pulled(room: Cells, cells: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leave out cells as long as the straight line past them has room."""
    kept, last = [cells[0]], 0
    while last < len(cells) - 1:
        step = len(cells) - 1
        while step > last + 1 and not sees(room, *cells[last], *cells[step]):
            step = last + max(1, (step - last) // 2)
        while step < len(cells) - 1 and sees(room, *cells[last], *cells[step + 1]):
            step += 1
        kept.append(cells[step])
        last = step
    return kept


@compiled
def sees(room: Cells, column: int, row: int, to_column: int, to_row: int) -> bool:
    """Return True if all cells along a straight line have room."""
    steps = 2 * max(abs(to_column - column), abs(to_row - row))
    for step in range(steps + 1):
        part = step / max(steps, 1)
        c = column + 0.5 + part * (to_column - column)
        r = row + 0.5 + part * (to_row - row)
        if not room[int(r), int(c)]:
            return False
    return True


@compiled
def search(
    room: Cells, cost: NDArray[np.float32], column: int, row: int, to_column: int, to_row: int
) -> NDArray[np.int64]:
    """Return the parent of each cell that A* reaches: −1 at the start, −2 if it is not reached.

    It ends at the goal; without one (−1, −1) it reaches all connected cells.
    """
    height, width = room.shape
    parents = np.full((height, width), -2, np.int64)
    best = np.full((height, width), np.inf)
    done = np.zeros((height, width), np.bool_)
    parents[row, column], best[row, column] = -1, 0.0
    queue = [(0.0, row * width + column)]
    while len(queue) > 0:
        _, at = heapq.heappop(queue)
        r, c = at // width, at % width
        if done[r, c]:
            continue
        done[r, c] = True
        if c == to_column and r == to_row:
            return parents
        for dr in range(-1, 2):
            for dc in range(-1, 2):
                i, j = r + dr, c + dc
                if (dr == 0 and dc == 0) or not (0 <= i < height and 0 <= j < width):
                    continue
                if not room[i, j] or not room[r, j] or not room[i, c]:
                    continue
                length = SQRT2 if dr != 0 and dc != 0 else 1.0
                total = best[r, c] + length * cost[i, j]
                if total < best[i, j]:
                    best[i, j], parents[i, j] = total, at
                    ahead = 0.0
                    if to_column >= 0:
                        ahead = np.hypot(float(to_column - j), float(to_row - i))
                    heapq.heappush(queue, (total + ahead, i * width + j))
    return parents
