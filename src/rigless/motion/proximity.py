"""Bumper zones: obstacles within reach of a part of a circle's rim.

All functions work in cell units, as in `rigless.worlds.clearance`. `discs` are rows (x, y, radius),
`boxes` rows (x, y, half_x, half_y, theta). All results are exact.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.kernel.compiled.lending import lent
from rigless.motion.nearby import LONG, Nearby
from rigless.worlds.clearance import Cells, Clearance, cell_of

Shapes = NDArray[np.float64]


class Obstacles(NamedTuple):
    """Everything that a circle can touch: the grid with its clearance, discs and boxes.

    `nearby` keeps the squares near a circle (`rigless.motion.nearby`); without items it is unused.
    """

    occupied: Cells
    clear: Clearance
    discs: Shapes
    boxes: Shapes
    nearby: Nearby


class Sector(NamedTuple):
    """A part of a ring about 0: between the unit vectors a and b, and between two radii."""

    ax: float
    ay: float
    bx: float
    by: float
    inner: float
    outer: float


FARTHEST = 1e9  # beyond this, and for nan, there is no contact
NOWHERE = 1 << 40, -1, 1 << 40, -1  # of walls_near


@compiled
def zone_touched(
    occupied: Cells,
    clear: Clearance,
    discs: Shapes,
    boxes: Shapes,
    x: float,
    y: float,
    theta: float,
    radius: float,
    reach: float,
    start_angle: float,
    end_angle: float,
) -> bool:
    """Return True if an obstacle is within `reach` of a circle's rim in a range of angles.

    Angles are from theta. The zone is the closed annular sector from start to end,
    counter-clockwise, also if the end is the smaller angle.
    """
    occupied, clear, discs, boxes = lent(occupied), lent(clear), lent(discs), lent(boxes)
    outer = radius + reach
    height, width = occupied.shape
    column, row = cell_of(x, y, width, height)
    walls = clear[row, column] <= outer
    if not walls and discs.shape[0] == 0 and boxes.shape[0] == 0:
        return False
    if not abs(x) + abs(y) + outer < FARTHEST:
        return False
    near = walls_near(occupied, clear, x, y, outer) if walls else NOWHERE
    return zone_touched_by(
        near, occupied, discs, boxes, x, y, theta, radius, reach, start_angle, end_angle
    )


@compiled
def walls_near(
    occupied: Cells, clear: Clearance, x: float, y: float, reach: float
) -> tuple[int, int, int, int]:
    """Return first and last row and column of the occupied squares within reach of a point.

    The first is larger than the last if there are none.
    """
    occupied, clear = lent(occupied), lent(clear)
    height, width = occupied.shape
    low, high, left, right = NOWHERE
    first, last = max(int(np.floor(x - reach)), 0), min(int(np.floor(x + reach)), width - 1)
    for r in range(max(int(np.floor(y - reach)), 0), min(int(np.floor(y + reach)), height - 1) + 1):
        away_y = max(abs(r + 0.5 - y) - 0.5, 0.0)
        c = first
        while c <= last:
            if occupied[r, c]:
                away_x = max(abs(c + 0.5 - x) - 0.5, 0.0)
                if not away_x * away_x + away_y * away_y > reach * reach:
                    low, high, left, right = min(low, r), max(high, r), min(left, c), max(right, c)
            c += 1 + int(min(clear[r, c], LONG))  # no square is nearer to the cell
    return low, high, left, right


@compiled
def zone_touched_by(
    near: tuple[int, int, int, int],
    occupied: Cells,
    discs: Shapes,
    boxes: Shapes,
    x: float,
    y: float,
    theta: float,
    radius: float,
    reach: float,
    start_angle: float,
    end_angle: float,
) -> bool:
    """Do the work of `zone_touched` for walls that `walls_near` has found."""
    occupied, discs, boxes = lent(occupied), lent(discs), lent(boxes)
    low, high, left, right = near
    outer = radius + reach
    span = end_angle - start_angle
    if span < 0.0:
        span %= 2.0 * np.pi
    parts = 1 if span <= 0.5 * np.pi else 4  # a part of a quarter at most is a convex wedge
    part = min(span, 2.0 * np.pi) / parts
    for i in range(parts if span > 0.0 else 0):
        begin = theta + start_angle + i * part
        (ay, ax), (by, bx) = sin_cos(begin), sin_cos(begin + part)
        sector = Sector(ax, ay, bx, by, radius, outer)
        for r in range(low, high + 1):
            for c in range(left, right + 1):
                if occupied[r, c] and _box_in(c + 0.5 - x, r + 0.5 - y, 0.5, 0.5, 1.0, 0.0, sector):
                    return True
        for k in range(boxes.shape[0]):
            sin, cos = sin_cos(boxes[k, 4])
            qx, qy, hx, hy = boxes[k, 0] - x, boxes[k, 1] - y, boxes[k, 2], boxes[k, 3]
            if _box_in(qx, qy, hx, hy, cos, sin, sector):
                return True
        for k in range(discs.shape[0]):
            if _disc_in(discs[k, 0] - x, discs[k, 1] - y, discs[k, 2], sector):
                return True
    return False


@compiled
def _box_in(
    qx: float, qy: float, hx: float, hy: float, cos: float, sin: float, sector: Sector
) -> bool:
    """Return True if a box centred at q meets the sector.

    The part of the box in the wedge is convex, so its points have all distances between its nearest
    and its furthest. Both are on the box's edges as cut by the wedge, unless 0 itself is in the
    box.
    """
    ax, ay, bx, by, inner, outer = sector
    mx, my = cos * qx + sin * qy, cos * qy - sin * qx  # seen from the box
    low_x, low_y = max(abs(mx) - hx, 0.0), max(abs(my) - hy, 0.0)
    if low_x * low_x + low_y * low_y > outer * outer:
        return False
    low = 0.0 if low_x == 0.0 and low_y == 0.0 else np.inf
    high = -np.inf
    for edge in range(4):
        i, j = (
            (1.0 if edge in (0, 3) else -1.0),
            (1.0 if edge < 2 else -1.0),
        )  # corners ++, −+, −−, +−
        k, m = (
            (1.0 if edge in (2, 3) else -1.0),
            (1.0 if edge in (0, 3) else -1.0),
        )  # the corner after each
        px, py = qx + cos * i * hx - sin * j * hy, qy + sin * i * hx + cos * j * hy
        ex, ey = cos * (k - i) * hx - sin * (m - j) * hy, sin * (k - i) * hx + cos * (m - j) * hy
        first, last = 0.0, 1.0
        for value, slope in (
            (ax * py - ay * px, ax * ey - ay * ex),
            (px * by - py * bx, ex * by - ey * bx),
        ):
            if slope > 0.0:
                first = max(first, -value / slope)
            elif slope < 0.0:
                last = min(last, -value / slope)
            elif value < 0.0:
                last = -1.0
        if first > last:
            continue
        length = ex * ex + ey * ey
        foot = min(max(-(px * ex + py * ey) / length, first), last) if length > 0.0 else first
        low = min(low, (px + foot * ex) ** 2 + (py + foot * ey) ** 2)
        high = max(
            high,
            (px + first * ex) ** 2 + (py + first * ey) ** 2,
            (px + last * ex) ** 2 + (py + last * ey) ** 2,
        )
    return bool(low <= outer * outer and high >= inner * inner)


@compiled
def _disc_in(qx: float, qy: float, r: float, sector: Sector) -> bool:
    """Return True if a disc centred at q meets the sector."""
    ax, ay, bx, by, inner, outer = sector
    away = np.sqrt(qx * qx + qy * qy)
    if (
        ax * qy - ay * qx >= 0.0
        and qx * by - qy * bx >= 0.0
        and (ax + bx) * qx + (ay + by) * qy >= 0.0
    ):
        return bool(away - r <= outer and away + r >= inner)
    for ux, uy in ((ax, ay), (bx, by)):
        along = min(max(qx * ux + qy * uy, inner), outer)
        if (qx - along * ux) ** 2 + (qy - along * uy) ** 2 <= r * r:
            return True
    return False
