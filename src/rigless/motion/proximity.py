"""Distances to obstacles: clearance of every cell, nearest occupied point, and bumper zones.

All functions work in cell units: x and y are in cells from the grid's lower-left corner, an
occupied cell is its closed unit square, and outside the map is free. `discs` are rows (x, y,
radius), `boxes` rows (x, y, half_x, half_y, theta). All results are exact.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined

Cells = NDArray[np.bool_]
Clearance = NDArray[np.float32]
Shapes = NDArray[np.float64]


class Obstacles(NamedTuple):
    """Everything that a circle can touch: the grid with its clearance, discs and boxes."""

    occupied: Cells
    clear: Clearance
    discs: Shapes
    boxes: Shapes


class Sector(NamedTuple):
    """A part of a ring about 0: between the unit vectors a and b, and between two radii."""

    ax: float
    ay: float
    bx: float
    by: float
    inner: float
    outer: float


FARTHEST = 1e9  # beyond this, and for nan, there is no contact
_ROUND_DOWN = 1.0 - 1e-6  # keeps a lower bound below in float32


def _lend(typing_context: Any, array: Any) -> Any:
    """Return the same array without counting a reference.

    In a short function the counting costs more than the work (35 ns of 40). Only for arguments,
    which the caller holds.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder, arguments[0])
        view.meminfo, view.parent = view.meminfo.type(None), view.parent.type(None)
        return view._getvalue()

    return array(array), build


lent: Any = intrinsic(_lend)


@compiled
def clearance(occupied: Cells) -> Clearance:
    """Return, for every cell, a lower bound of the distance to the nearest occupied square.

    It is the distance from the nearest point of the cell. Between two cells that is the distance
    between their centres after one of them has grown by a cell on each side. This is therefore the
    exact distance transform (Felzenszwalb and Huttenlocher: lower envelope of parabolas) of the
    grown cells.
    """
    height, width = occupied.shape
    nothing = height + width  # longer than any distance in the map
    along = np.full(
        (height, width), nothing, np.int32
    )  # to the nearest grown cell in the same column
    for row in range(height):
        for column in range(width):
            for near in range(max(row - 1, 0), min(row + 2, height)):
                for next_to in range(max(column - 1, 0), min(column + 2, width)):
                    if occupied[near, next_to]:
                        along[row, column] = 0
    for row in range(1, height):
        for column in range(width):
            along[row, column] = min(along[row, column], along[row - 1, column] + 1)
    for row in range(height - 2, -1, -1):
        for column in range(width):
            along[row, column] = min(along[row, column], along[row + 1, column] + 1)

    clear = np.empty((height, width), np.float32)
    vertex, begins = np.empty(width, np.int64), np.empty(width + 1)
    for row in range(height):
        last = -1
        for column in range(width):
            lift = float(along[row, column]) ** 2 + float(column) ** 2
            begin = -np.inf
            while last >= 0:
                other = vertex[last]
                begin = (lift - float(along[row, other]) ** 2 - float(other) ** 2) / (
                    2.0 * (column - other)
                )
                if begin > begins[last]:
                    break
                last -= 1
                begin = -np.inf
            last += 1
            vertex[last], begins[last] = column, begin
        begins[last + 1] = np.inf
        piece = 0
        for column in range(width):
            while begins[piece + 1] < column:
                piece += 1
            square = float(column - vertex[piece]) ** 2 + float(along[row, vertex[piece]]) ** 2
            clear[row, column] = (
                np.inf if square >= float(nothing) ** 2 else np.sqrt(square) * _ROUND_DOWN
            )
    return clear


@inlined
def cell_of(x: float, y: float, width: int, height: int) -> tuple[int, int]:
    """Return the column and the row of the cell at a point.

    Outside the map it is the nearest cell, whose clearance is a bound there too.
    """
    column = int(x) if 0.0 <= x < width else width - 1 if x >= width else 0  # nan is at 0
    row = int(y) if 0.0 <= y < height else height - 1 if y >= height else 0
    return column, row


@compiled
def nearest(
    occupied: Cells, clear: Clearance, x: float, y: float, limit: float
) -> tuple[float, float, float]:
    """Return the distance and the point (x, y) of the nearest occupied square within `limit`.

    Return (inf, nan, nan) if there is none.
    """
    height, width = occupied.shape
    column, row = cell_of(x, y, width, height)
    found, at_x, at_y, best = False, np.nan, np.nan, limit * limit
    if clear[row, column] > limit or clear[row, column] == np.inf:
        return np.inf, at_x, at_y
    ring = max(int(clear[row, column] / 1.42) - 1, 0)
    last = max(column, width - 1 - column, row, height - 1 - row)
    while ring <= last and (ring <= 1 or (ring - 1.0) ** 2 <= best):
        for r in range(max(row - ring, 0), min(row + ring, height - 1) + 1):
            side = abs(r - row) == ring
            c, end = (
                (max(column - ring, 0), min(column + ring, width - 1))
                if side
                else (column - ring, column + ring)
            )
            while c <= end:
                if 0 <= c < width and occupied[r, c]:
                    near_x, near_y = min(max(x, c), c + 1.0), min(max(y, r), r + 1.0)
                    square = (x - near_x) ** 2 + (y - near_y) ** 2
                    if square < best or (square == best and not found):
                        found, best, at_x, at_y = True, square, near_x, near_y
                c += 1 if side else 2 * ring
        ring += 1
    return (np.sqrt(best), at_x, at_y) if found else (np.inf, at_x, at_y)


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
    span = end_angle - start_angle
    if span < 0.0:
        span %= 2.0 * np.pi
    parts = 1 if span <= 0.5 * np.pi else 4  # a part of a quarter at most is a convex wedge
    part = min(span, 2.0 * np.pi) / parts
    for i in range(parts if span > 0.0 else 0):
        begin = theta + start_angle + i * part
        ax, ay, bx, by = np.cos(begin), np.sin(begin), np.cos(begin + part), np.sin(begin + part)
        sector = Sector(ax, ay, bx, by, radius, outer)
        if walls:
            for r in range(
                max(int(np.floor(y - outer)), 0), min(int(np.floor(y + outer)), height - 1) + 1
            ):
                for c in range(
                    max(int(np.floor(x - outer)), 0), min(int(np.floor(x + outer)), width - 1) + 1
                ):
                    if occupied[r, c] and _box_in(
                        c + 0.5 - x, r + 0.5 - y, 0.5, 0.5, 1.0, 0.0, sector
                    ):
                        return True
        for k in range(boxes.shape[0]):
            cos, sin = np.cos(boxes[k, 4]), np.sin(boxes[k, 4])
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
