"""The first contact of a moving circle with occupied squares, discs and boxes, solved exactly.

A circle of radius r meets an obstacle when its centre meets the obstacle grown by r, a shape with
straight faces and round corners. Two lengths keep rounding out of the results: the circle stops at
GAP before an obstacle, so that it never overlaps one; and a path is blocked only if it would go
deeper than GRAZE into that gap. Corners between the squares of a flat wall are left out, so that a
circle that slides along it meets no edges. If an obstacle is overlapped already (the grid counts as
one), the circle is shrunk until it fits: a path out or along is free, a path that goes deeper is
not. A centre inside a wall or a box is not held by it.
"""

from typing import NamedTuple

import numpy as np

from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.compiled.elementary import sin_cos
from rigless.motion.nearby import (
    ALL,
    COUNT,
    LEFT_ABOVE,
    LEFT_BELOW,
    LONG,
    RIGHT_ABOVE,
    RIGHT_BELOW,
    SLACK,
    SQUARES,
    Nearby,
    bare_corners,
    known_range,
    list_squares,
)
from rigless.motion.proximity import Obstacles
from rigless.worlds.clearance import cell_of, nearest

GAP = 1e-8
GRAZE = 1e-11
TOUCH = 1e-9  # within this of the gap counts as at the gap, so that both walls of a corner count
STRIDE = 4.0  # cells of a long path that are searched together

# Time (above 1: no hit), push along the normal, normal x, y, point x, y, and the distance of the
# nearest obstacle at the start.
Hit = tuple[float, float, float, float, float, float, float]


class Path(NamedTuple):
    """A straight move of the circle's centre from (x, y) by (dx, dy)."""

    x: float
    y: float
    dx: float
    dy: float


_NEVER = (2.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf)


@compiled
def gap_at(obstacles: Obstacles, x: float, y: float, limit: float) -> tuple[float, float, float]:
    """Return the distance to the nearest obstacle within `limit`, and the unit normal from it.

    The distance is negative inside a disc.
    """
    occupied, clear, discs, boxes, _ = obstacles
    gap, at_x, at_y = nearest(occupied, clear, x, y, limit)
    nx, ny = ((x - at_x) / gap, (y - at_y) / gap) if 0.0 < gap < np.inf else (0.0, 0.0)
    for k in range(boxes.shape[0]):
        sin, cos = sin_cos(boxes[k, 4])
        qx = cos * (x - boxes[k, 0]) + sin * (y - boxes[k, 1])
        qy = cos * (y - boxes[k, 1]) - sin * (x - boxes[k, 0])
        ex, ey = _outside(qx, boxes[k, 2]), _outside(qy, boxes[k, 3])
        away = np.sqrt(ex * ex + ey * ey)
        if away < min(gap, limit):
            gap, nx, ny = away, 0.0, 0.0
            if away > 0.0:
                nx, ny = (cos * ex - sin * ey) / away, (sin * ex + cos * ey) / away
    for k in range(discs.shape[0]):
        qx, qy = x - discs[k, 0], y - discs[k, 1]
        centre = np.sqrt(qx * qx + qy * qy)
        if centre - discs[k, 2] < min(gap, limit):
            gap, nx, ny = centre - discs[k, 2], 0.0, 0.0
            if centre > 0.0:
                nx, ny = qx / centre, qy / centre
    return gap, nx, ny


@compiled
def first_contact(obstacles: Obstacles, path: Path, whole: float) -> Hit:
    """Return the first contact of a circle of radius `whole` that moves along a path."""
    discs, boxes = obstacles.discs, obstacles.boxes
    x, y, dx, dy = path
    best = _first_wall(obstacles, path, whole)
    gap = best[6]
    if gap < whole - 0.5 * GRAZE:
        best = _first_wall(obstacles, path, gap) if gap > 2.0 * GRAZE else _NEVER
    for k in range(boxes.shape[0]):
        sin, cos = sin_cos(boxes[k, 4])
        hx, hy = boxes[k, 2], boxes[k, 3]
        qx = cos * (x - boxes[k, 0]) + sin * (y - boxes[k, 1])
        qy = cos * (y - boxes[k, 1]) - sin * (x - boxes[k, 0])
        ex, ey = _outside(qx, hx), _outside(qy, hy)
        away = np.sqrt(ex * ex + ey * ey)
        gap = min(gap, away)
        fits = whole if away >= whole - 0.5 * GRAZE else away
        if fits > 2.0 * GRAZE:
            t, push, nx, ny = _meet(
                qx, qy, cos * dx + sin * dy, cos * dy - sin * dx, hx, hy, fits, ALL
            )
            nx, ny = cos * nx - sin * ny, sin * nx + cos * ny
            best = _sooner(best, t, push, nx, ny, path, fits)
    for k in range(discs.shape[0]):
        qx, qy = x - discs[k, 0], y - discs[k, 1]
        away = np.sqrt(qx * qx + qy * qy) - discs[k, 2]
        gap = min(gap, away)
        fits = whole if away >= whole - 0.5 * GRAZE else away
        if fits + discs[k, 2] > 2.0 * GRAZE:
            t, push, nx, ny = _meet(qx, qy, dx, dy, 0.0, 0.0, fits + discs[k, 2], ALL)
            best = _sooner(best, t, push, nx, ny, path, fits)
    return (best[0], best[1], best[2], best[3], best[4], best[5], gap)


@inlined
def _outside(q: float, half: float) -> float:
    return q - min(max(q, -half), half)


@compiled
def _sooner(
    best: Hit, t: float, push: float, nx: float, ny: float, path: Path, reach: float
) -> Hit:
    """Return the earlier of two hits.

    Of two simultaneous ones, return the one that is pushed harder: it alone determines the sliding
    direction.
    """
    if t > 1.0 or t > best[0] or (t == best[0] and push >= best[1]):
        return best
    x, y = path.x + t * path.dx - reach * nx, path.y + t * path.dy - reach * ny
    return (t, push, nx, ny, x, y, best[6])


@compiled
def _first_wall(obstacles: Obstacles, path: Path, reach: float) -> Hit:
    """Return the first occupied square that is met.

    The path is searched in stretches, and stretches with enough clearance are skipped. A short path
    looks at the list of squares nearby, if the obstacles have one.
    """
    occupied, clear, _, _, nearby = obstacles
    x, y, dx, dy = path
    length = np.sqrt(dx * dx + dy * dy)
    margin = reach + TOUCH
    if nearby.shape[0] > 0 and length <= STRIDE:
        if known_range(nearby, x, y) < margin + length:
            list_squares(occupied, clear, x, y, margin + length + SLACK, nearby)
        if nearby[COUNT] >= 0.0:
            return _first_listed(nearby, path, reach, margin + length)
    height, width = occupied.shape
    ux, uy = dx / length, dy / length
    best, nearest_square = _NEVER, np.inf
    most = (margin + length) ** 2
    gone = 0.0
    while gone < length and gone <= best[0] * length:
        px, py = x + gone * ux, y + gone * uy
        column, row = cell_of(px, py, width, height)
        free = clear[row, column] - margin
        if free > 0.5:
            gone += free
            continue
        gone = min(gone + STRIDE, length)
        ex, ey = x + gone * ux, y + gone * uy
        left, right = (
            max(np.floor(min(px, ex) - margin), 0.0),
            min(np.floor(max(px, ex) + margin), width - 1.0),
        )
        low, high = (
            max(np.floor(min(py, ey) - margin), 0.0),
            min(np.floor(max(py, ey) + margin), height - 1.0),
        )
        for r in range(int(low), int(high) + 1):
            qy = y - (r + 0.5)
            c = int(left)
            while c <= int(right):
                if occupied[r, c]:
                    qx = x - (c + 0.5)
                    square = _outside(qx, 0.5) ** 2 + _outside(qy, 0.5) ** 2
                    nearest_square = min(nearest_square, square)
                    if square <= most:
                        t, push, nx, ny = _meet(
                            qx, qy, dx, dy, 0.5, 0.5, reach, bare_corners(occupied, r, c)
                        )
                        best = _sooner(best, t, push, nx, ny, path, reach)
                c += 1 + int(min(clear[r, c], LONG))  # no square is nearer to the cell
    return (best[0], best[1], best[2], best[3], best[4], best[5], np.sqrt(nearest_square))


@compiled
def _first_listed(nearby: Nearby, path: Path, reach: float, far: float) -> Hit:
    """Return the first square of the list that is met, with the same bits as a search.

    Squares further than `far` from the start are not met.
    """
    x, y, dx, dy = path
    best, nearest_square = _NEVER, np.inf
    for k in range(int(nearby[COUNT])):
        at = SQUARES + 3 * k
        qx, qy = x - nearby[at], y - nearby[at + 1]
        square = _outside(qx, 0.5) ** 2 + _outside(qy, 0.5) ** 2
        nearest_square = min(nearest_square, square)
        if square <= far * far:
            t, push, nx, ny = _meet(qx, qy, dx, dy, 0.5, 0.5, reach, int(nearby[at + 2]))
            best = _sooner(best, t, push, nx, ny, path, reach)
    return (best[0], best[1], best[2], best[3], best[4], best[5], np.sqrt(nearest_square))


@compiled
def _meet(
    qx: float, qy: float, vx: float, vy: float, hx: float, hy: float, reach: float, corners: int
) -> tuple[float, float, float, float]:
    """Return when the centre is blocked by a box grown by `reach`: time, push, normal.

    The centre is at q from the box's centre and moves by v.
    """
    wide, high = hx + reach, hy + reach
    if (
        min(qx, qx + vx) > wide
        or max(qx, qx + vx) < -wide
        or min(qy, qy + vy) > high
        or max(qy, qy + vy) < -high
    ):
        return (2.0, 0.0, 0.0, 0.0)
    deep = _entry(qx, qy, vx, vy, hx, hy, reach - GRAZE, corners)
    if deep > 1.0:
        return (2.0, 0.0, 0.0, 0.0)
    t = 0.0
    ex, ey = _outside(qx, hx), _outside(qy, hy)
    hidden = corners != ALL and ex != 0.0 and ey != 0.0 and not corners & _corner(qx, qy)
    if hidden or ex * ex + ey * ey > (reach + TOUCH) ** 2:
        t = min(_entry(qx, qy, vx, vy, hx, hy, reach, corners), deep)
        ex, ey = _outside(qx + t * vx, hx), _outside(qy + t * vy, hy)
    away = np.sqrt(ex * ex + ey * ey)
    if away == 0.0:
        return (2.0, 0.0, 0.0, 0.0)
    return (t, (ex * vx + ey * vy) / away, ex / away, ey / away)


@inlined
def _corner(qx: float, qy: float) -> int:
    if qy < 0.0:
        return LEFT_BELOW if qx < 0.0 else RIGHT_BELOW
    return LEFT_ABOVE if qx < 0.0 else RIGHT_ABOVE


@compiled
def _entry(
    qx: float, qy: float, vx: float, vy: float, hx: float, hy: float, reach: float, corners: int
) -> float:
    """Return when a point outside enters a box with round corners; 2 for never.

    The shape is two crossed boxes and four circles. They overlap, so that rounding at their seams
    lets no path slip between them.
    """
    if hx == 0.0 and hy == 0.0:
        return _circle(qx, qy, vx, vy, reach)
    t = min(_slab(qx, vx, hx + reach, qy, vy, hy), _slab(qy, vy, hy + reach, qx, vx, hx))
    if corners & LEFT_BELOW:
        t = min(t, _circle(qx + hx, qy + hy, vx, vy, reach))
    if corners & RIGHT_BELOW:
        t = min(t, _circle(qx - hx, qy + hy, vx, vy, reach))
    if corners & LEFT_ABOVE:
        t = min(t, _circle(qx + hx, qy - hy, vx, vy, reach))
    if corners & RIGHT_ABOVE:
        t = min(t, _circle(qx - hx, qy - hy, vx, vy, reach))
    return t


@inlined
def _circle(qx: float, qy: float, vx: float, vy: float, r: float) -> float:
    toward = -(qx * vx + qy * vy)
    if toward <= 0.0:
        return 2.0
    speed, across = vx * vx + vy * vy, qx * vy - qy * vx
    chord = speed * r * r - across * across
    if chord <= 0.0:
        return 2.0
    away = np.sqrt(qx * qx + qy * qy)
    t = (away - r) * (away + r) / (toward + np.sqrt(chord))  # no cancellation
    return max(t, 0.0) if t <= 1.0 else 2.0


@inlined
def _slab(
    q: float, v: float, half: float, other_q: float, other_v: float, other_half: float
) -> float:
    """Return the time of entry into a box; 2 for never.

    A path along the faces at `half` only touches; a path along the seams at `other_half` is inside.
    """
    first, last = -np.inf, np.inf
    if v == 0.0:
        if abs(q) >= half:
            return 2.0
    else:
        a, b = (-half - q) / v, (half - q) / v
        first, last = min(a, b), max(a, b)
    if other_v == 0.0:
        if abs(other_q) > other_half:
            return 2.0
    else:
        a, b = (-other_half - other_q) / other_v, (other_half - other_q) / other_v
        first, last = max(first, min(a, b)), min(last, max(a, b))
    if first >= last or first > 1.0 or last <= 0.0:
        return 2.0
    return max(first, 0.0)
