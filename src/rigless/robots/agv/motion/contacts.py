"""Contacts of robots: overlaps with other robots, with obstacles and with walls, at one instant.

A row of the result is a pair: the robot, what it touches, how deep, where, and how fast they
closed in on each other.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion.field import REACH
from rigless.robots.agv.motion.footprint import MOST, disc_separation, middle, put, separation
from rigless.robots.agv.motion.neighbours import MOST_NEAR, near
from rigless.worlds.clearance import Clearance

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ROBOT, OTHER, DISC, BOX, WALL = range(5)  # KIND of what is touched
WHO, KIND, WHICH, DEPTH, AT_X, AT_Y, CLOSING, TOUCH_SIZE = range(8)
APART_M = 1e-3  # separation at which a contact has ended
SHALLOW_M = 1e-4  # depth at which a contact begins


@compiled
def _closing(drives: Array, me: int, k: int, x: float, y: float, nx: float, ny: float) -> float:
    """Return the speed at which the points of two robots at a place approach along a normal.

    With k < 0 the other one stands.
    """
    total = 0.0
    for n in range(2):
        robot = me if n == 0 else k
        if robot < 0:
            continue
        s, c = sin_cos(drives[robot, d.THETA])
        vx = drives[robot, d.V] * c - drives[robot, d.OMEGA] * (y - drives[robot, d.Y])
        vy = drives[robot, d.V] * s + drives[robot, d.OMEGA] * (x - drives[robot, d.X])
        total += (vx * nx + vy * ny) * (1.0 if n == 0 else -1.0)
    return max(total, 0.0)


@compiled
def _add(
    touches: Array,
    count: int,
    drives: Array,
    me: int,
    kind: int,
    which: int,
    depth: float,
    x: float,
    y: float,
    nx: float,
    ny: float,
) -> int:
    if count < touches.shape[0]:
        row = touches[count]
        row[WHO], row[KIND], row[WHICH], row[DEPTH] = me, kind, which, depth
        row[AT_X], row[AT_Y] = x, y
        row[CLOSING] = _closing(drives, me, which if kind == ROBOT else -1, x, y, nx, ny)
    return count + 1


@compiled
def _wall(
    occupied: Bools,
    clear: Clearance,
    shape: Array,
    count: int,
    reach: float,
    centre: Array,
    out: Array,
) -> bool:
    """Return True if a polygon touches a wall; `out` gets depth, x, y and normal. In cells."""
    height, width = occupied.shape
    column, row = math.floor(centre[0]), math.floor(centre[1])
    if 0 <= column < width and 0 <= row < height and clear[row, column] > reach + 2.0:
        return False
    low_x, low_y, high_x, high_y = math.inf, math.inf, -math.inf, -math.inf
    for k in range(count):
        low_x, high_x = min(low_x, shape[k, 0]), max(high_x, shape[k, 0])
        low_y, high_y = min(low_y, shape[k, 1]), max(high_y, shape[k, 1])
    cell = np.empty((4, 2))
    deepest, touched, sum_x, sum_y = 0.0, 0, 0.0, 0.0
    for r in range(max(math.floor(low_y), 0), min(math.floor(high_y), height - 1) + 1):
        for c in range(max(math.floor(low_x), 0), min(math.floor(high_x), width - 1) + 1):
            if not occupied[r, c]:
                continue
            cell[0, 0], cell[0, 1], cell[1, 0], cell[1, 1] = c + 1.0, r + 1.0, c, r + 1.0
            cell[2, 0], cell[2, 1], cell[3, 0], cell[3, 1] = c, r, c + 1.0, r
            apart, nx, ny = separation(shape, count, cell, 4, 0.0)
            if apart < 0.0:
                touched += 1
                sum_x, sum_y = sum_x + c + 0.5, sum_y + r + 0.5
                if apart < deepest:
                    deepest, out[3], out[4] = apart, nx, ny
    if touched == 0:
        return False
    out[0], out[1], out[2] = -deepest, sum_x / touched, sum_y / touched
    return True


@compiled
def touch_all(
    drives: Array,
    kinds: Array,
    shapes: Array,
    counts: Ints,
    cells: Ints,
    starts: Ints,
    items: Ints,
    size: float,
    others: Array,
    discs: Array,
    boxes: Array,
    walled: Bools,
    occupied: Bools,
    clear: Clearance,
    frame: Array,
    touches: Array,
) -> int:
    """Find all contacts and return their number, which may exceed the rows of `touches`.

    `others` are discs of robots of other kinds. `frame` is the origin x, y and yaw of the map, and
    the size of its cells; a size of 0 means no map.
    """
    found, total = np.empty(MOST_NEAR, np.int64), 0
    box, in_cells, out = np.empty((MOST, 2)), np.empty((MOST, 2)), np.zeros(5)
    corners, centre, widest = np.empty((MOST, 2)), np.empty(2), 0.0
    for k in range(drives.shape[0]):
        widest = max(widest, kinds[k, REACH])
    yaw_s, yaw_c = sin_cos(frame[2])
    for me in range(drives.shape[0]):
        x, y, reach = drives[me, d.X], drives[me, d.Y], kinds[me, REACH]
        number = near(cells, starts, items, size, drives, me, reach + widest, found)
        for n in range(MOST_NEAR if number < 0 else number):
            k = found[n]
            dx, dy = drives[k, d.X] - x, drives[k, d.Y] - y
            if dx * dx + dy * dy >= (reach + kinds[k, REACH] + APART_M) ** 2:
                continue
            apart, nx, ny = separation(shapes[me], counts[me], shapes[k], counts[k], APART_M)
            if apart < APART_M:
                px, py = middle(shapes[me], counts[me], shapes[k], counts[k])
                total = _add(touches, total, drives, me, ROBOT, k, -apart, px, py, nx, ny)
        for kind in (OTHER, DISC):
            round_ones = others if kind == OTHER else discs
            for k in range(round_ones.shape[0]):
                px, py, radius = round_ones[k, 0], round_ones[k, 1], round_ones[k, 2]
                if (px - x) ** 2 + (py - y) ** 2 >= (reach + radius + APART_M) ** 2:
                    continue
                apart, nx, ny = disc_separation(shapes[me], counts[me], px, py, radius)
                if apart < APART_M:
                    px, py = px - nx * radius, py - ny * radius
                    total = _add(touches, total, drives, me, kind, k, -apart, px, py, nx, ny)
        for k in range(boxes.shape[0]):
            half_x, half_y = boxes[k, 2], boxes[k, 3]
            around = reach + half_x + half_y + APART_M
            if (boxes[k, 0] - x) ** 2 + (boxes[k, 1] - y) ** 2 >= around**2:
                continue
            for i in range(4):
                corners[i, 0] = half_x if i in (0, 3) else -half_x
                corners[i, 1] = half_y if i < 2 else -half_y
            put(corners, 4, boxes[k, 0], boxes[k, 1], boxes[k, 4], box)
            apart, nx, ny = separation(shapes[me], counts[me], box, 4, APART_M)
            if apart < APART_M:
                px, py = middle(shapes[me], counts[me], box, 4)
                total = _add(touches, total, drives, me, BOX, k, -apart, px, py, nx, ny)
        if frame[3] > 0.0 and walled[me]:
            for i in range(counts[me] + 1):
                wx = (x if i == counts[me] else shapes[me, i, 0]) - frame[0]
                wy = (y if i == counts[me] else shapes[me, i, 1]) - frame[1]
                cx, cy = (yaw_c * wx + yaw_s * wy) / frame[3], (yaw_c * wy - yaw_s * wx) / frame[3]
                if i == counts[me]:
                    centre[0], centre[1] = cx, cy
                else:
                    in_cells[i, 0], in_cells[i, 1] = cx, cy
            if _wall(occupied, clear, in_cells, counts[me], reach / frame[3], centre, out):
                px = frame[0] + (yaw_c * out[1] - yaw_s * out[2]) * frame[3]
                py = frame[1] + (yaw_s * out[1] + yaw_c * out[2]) * frame[3]
                nx, ny = yaw_c * out[3] - yaw_s * out[4], yaw_s * out[3] + yaw_c * out[4]
                total = _add(touches, total, drives, me, WALL, 0, out[0] * frame[3], px, py, nx, ny)
    return total
