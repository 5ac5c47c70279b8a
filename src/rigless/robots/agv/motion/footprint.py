"""Footprints: convex polygons on the floor, with the load that a robot carries.

A footprint has at most `MOST` corners, counter-clockwise, in the frame of the robot. Polygons are
tested by separating axes, so distances of overlaps are exact.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.robots.agv.config import Dimensions

Array = NDArray[np.float64]
Point = tuple[float, float]
MOST_GIVEN, MOST = 12, 16  # corners in a config, and with a load


def footprint_of(dimensions: Dimensions) -> list[Point]:
    """Return the corners of a robot's footprint in metres."""
    if dimensions.footprint:
        return convex_hull([(one.xMm / 1000, one.yMm / 1000) for one in dimensions.footprint])
    return rectangle(dimensions.lengthMm / 1000, dimensions.widthMm / 1000)


def rectangle(length_m: float, width_m: float) -> list[Point]:
    """Return the corners of a rectangle around the origin."""
    x, y = 0.5 * length_m, 0.5 * width_m
    return [(x, y), (-x, y), (-x, -y), (x, -y)]


def placed(corners: Sequence[Point], pose: tuple[float, float, float]) -> list[Point]:
    """Return the corners of a footprint at a pose."""
    x, y, theta = pose
    s, c = math.sin(theta), math.cos(theta)
    return [(x + c * ahead - s * aside, y + s * ahead + c * aside) for ahead, aside in corners]


def with_load(corners: Sequence[Point], size_m: tuple[float, float]) -> list[Point]:
    """Return the footprint with a load of this length and width on the middle of the robot."""
    return convex_hull([*corners, *rectangle(*size_m)])


def convex_hull(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the convex hull, counter-clockwise."""
    ordered = sorted(set(points))

    def chain(some: Sequence[Point]) -> list[Point]:
        found: list[Point] = []
        for x, y in some:
            while len(found) > 1 and _turn(found[-2], found[-1], (x, y)) <= 0.0:
                found.pop()
            found.append((x, y))
        return found[:-1]

    return [*chain(ordered), *chain(ordered[::-1])]


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_convex(points: Sequence[Point]) -> bool:
    """Return True if the points are the corners of a convex polygon, in either direction."""
    hull = convex_hull(points)
    if len(hull) < 3 or len(hull) != len(points):
        return False
    first = hull.index(points[0])
    turned = [*hull[first:], *hull[:first]]
    return list(points) in (turned, [turned[0], *turned[:0:-1]])


def reach_of(corners: Sequence[Point]) -> float:
    """Return the radius of the circle around the robot's origin that holds the footprint."""
    return max(math.hypot(x, y) for x, y in corners)


@compiled
def put(corners: Array, count: int, x: float, y: float, theta: float, out: Array) -> None:
    """Write the corners of a footprint at a pose."""
    s, c = sin_cos(theta)
    for k in range(count):
        out[k, 0] = x + c * corners[k, 0] - s * corners[k, 1]
        out[k, 1] = y + s * corners[k, 0] + c * corners[k, 1]


@compiled
def put_all(drives: Array, corners: Array, counts: NDArray[np.int64], shapes: Array) -> None:
    """Write the corners of all footprints; the first numbers of a row of drives are its pose."""
    for k in range(drives.shape[0]):
        put(corners[k], counts[k], drives[k, 0], drives[k, 1], drives[k, 2], shapes[k])


@compiled
def separation(
    a: Array, count_a: int, b: Array, count_b: int, limit: float
) -> tuple[float, float, float]:
    """Return the largest separation along an edge's normal, and that normal, from a to b.

    It is negative for polygons that overlap: minus the shortest way out. Beyond `limit` the search
    ends early.
    """
    best, best_x, best_y = -math.inf, 1.0, 0.0
    for turn in range(2):
        one, count, other, others = (
            (a, count_a, b, count_b) if turn == 0 else (b, count_b, a, count_a)
        )
        way = 1.0 if turn == 0 else -1.0
        for k in range(count):
            j = k + 1 if k + 1 < count else 0
            nx, ny = one[j, 1] - one[k, 1], one[k, 0] - one[j, 0]
            length = math.sqrt(nx * nx + ny * ny)
            nx, ny = nx / length, ny / length
            nearest = math.inf
            for i in range(others):
                along = nx * (other[i, 0] - one[k, 0]) + ny * (other[i, 1] - one[k, 1])
                nearest = min(nearest, along)
            if nearest > best:
                best, best_x, best_y = nearest, way * nx, way * ny
                if best > limit:
                    return best, best_x, best_y
    return best, best_x, best_y


@compiled
def middle(a: Array, count_a: int, b: Array, count_b: int) -> tuple[float, float]:
    """Return the middle of the corners of the overlap of two polygons.

    Return the middle between their centres if they do not overlap.
    """
    part, spare = np.empty((2 * MOST + 4, 2)), np.empty((2 * MOST + 4, 2))
    size = count_a
    for i in range(size):
        part[i, 0], part[i, 1] = a[i, 0], a[i, 1]
    for k in range(count_b):
        j = k + 1 if k + 1 < count_b else 0
        ex, ey = b[j, 0] - b[k, 0], b[j, 1] - b[k, 1]
        kept = 0
        for i in range(size):
            n = i + 1 if i + 1 < size else 0
            here = ex * (part[i, 1] - b[k, 1]) - ey * (part[i, 0] - b[k, 0])
            there = ex * (part[n, 1] - b[k, 1]) - ey * (part[n, 0] - b[k, 0])
            if here >= 0.0:
                spare[kept, 0], spare[kept, 1] = part[i, 0], part[i, 1]
                kept += 1
            if (here > 0.0 > there) or (here < 0.0 < there):
                share = here / (here - there)
                spare[kept, 0] = part[i, 0] + share * (part[n, 0] - part[i, 0])
                spare[kept, 1] = part[i, 1] + share * (part[n, 1] - part[i, 1])
                kept += 1
        size = kept
        for i in range(size):
            part[i, 0], part[i, 1] = spare[i, 0], spare[i, 1]
    x, y = 0.0, 0.0
    if size == 0:
        for i in range(count_a):
            x, y = x + 0.5 * a[i, 0] / count_a, y + 0.5 * a[i, 1] / count_a
        for i in range(count_b):
            x, y = x + 0.5 * b[i, 0] / count_b, y + 0.5 * b[i, 1] / count_b
        return x, y
    for i in range(size):
        x, y = x + part[i, 0] / size, y + part[i, 1] / size
    return x, y


@compiled
def disc_separation(
    a: Array, count: int, x: float, y: float, radius: float
) -> tuple[float, float, float]:
    """Return the distance of a polygon to a disc and the direction to it, as `separation` does."""
    inside, best, nx, ny = True, math.inf, 1.0, 0.0
    depth, depth_x, depth_y = -math.inf, 1.0, 0.0
    for k in range(count):
        j = k + 1 if k + 1 < count else 0
        ex, ey = a[j, 0] - a[k, 0], a[j, 1] - a[k, 1]
        square = ex * ex + ey * ey
        dx, dy = x - a[k, 0], y - a[k, 1]
        out = (ey * dx - ex * dy) / math.sqrt(square)
        if out > 0.0:
            inside = False
        if out > depth:
            depth, depth_x, depth_y = out, ey / math.sqrt(square), -ex / math.sqrt(square)
        share = min(max((ex * dx + ey * dy) / square, 0.0), 1.0)
        px, py = dx - share * ex, dy - share * ey
        away = math.sqrt(px * px + py * py)
        if away < best:
            best = away
            if away > 0.0:
                nx, ny = px / away, py / away
    if inside:
        return depth - radius, depth_x, depth_y
    return best - radius, nx, ny
