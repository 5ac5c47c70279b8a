"""Many ticks of a vacuum that touches nothing, computed together.

In free space a tick does not depend on the map. `run` therefore does the work of `body.move` in
stages: what each tick adds to the last (a sum) is computed tick by tick, and what is costly (sines,
noise) for all ticks together. Loops without branches over a local array become vector instructions.
The operations and their order are those of `body.move`, so the bits are the same.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos_flat
from rigless.kernel.compiled.lending import lent
from rigless.kernel.elementary import FAR
from rigless.motion.diff_drive import approach, chord_share, wrap
from rigless.robots.vacuum import body as b
from rigless.sensors.noise import blocks_of_ticks, normal

Array = NDArray[np.float64]

MOST = 24  # ticks of a run: a turn of the lidar, in whole vectors
FEWEST = 3  # a shorter run costs more than its ticks
# ROWS of a run: speeds of the wheels and of the body, and the pose after each tick
WHEELS_V, WHEELS_W, DRIVE, TURN, X, Y, THETA = range(7)
ROWS = 7


@compiled
def run(
    body: Array, const: Array, key: Any, number: int, most: int, room: float, words: Any,
    rows: Array, scratch: Array,
) -> int:  # fmt: skip
    """Do up to `most` ticks after tick `number`; return how many.

    `room` is a distance in cells in which nothing can be touched. `rows` get the ticks, `scratch`
    the cells of the centre at the
    end. The robot must be on floor without carpets, and out of contact.
    """
    body, const, key, words = lent(body), lent(const), lent(key), lent(words)
    rows, scratch = lent(rows), lent(scratch)
    times = _plan(body, const, min(most, MOST), room, rows)
    if times < FEWEST or not max(abs(body[b.THETA]), abs(body[b.ODO_THETA])) < 0.5 * FAR:
        return 0
    _drive(body, const, times, rows, scratch)
    _count_wheels(body, const, key, number, times, words, rows)
    return times


@compiled
def _plan(body: Array, const: Array, most: int, room: float, rows: Array) -> int:
    """Fill the speeds of the ticks that are sure to be free; return their number."""
    dt, res, base = const[b.DT], const[b.RES], const[b.BASE]
    goal_v, goal_w, v, w = body[b.GOAL_V], body[b.GOAL_W], body[b.V], body[b.W]
    slip_left, slip_right = body[b.SLIP_LEFT], body[b.SLIP_RIGHT]
    for k in range(most):
        v = approach(v, goal_v, const[b.ACC_V], dt) if const[b.ACC_V] > 0 else goal_v
        w = approach(w, goal_w, const[b.ACC_W], dt) if const[b.ACC_W] > 0 else goal_w
        drive, turn = v, w
        if slip_left != 0.0 or slip_right != 0.0:
            left = (v - 0.5 * base * w) * (1.0 - slip_left)
            right = (v + 0.5 * base * w) * (1.0 - slip_right)
            drive, turn = 0.5 * (left + right), (right - left) / base
        room -= abs(drive) * dt / res
        if not (room > 0.0 and abs(turn) * dt < 1.0):
            return k
        rows[WHEELS_V, k], rows[WHEELS_W, k], rows[DRIVE, k], rows[TURN, k] = v, w, drive, turn
    return most


@compiled
def _drive(body: Array, const: Array, times: int, rows: Array, scratch: Array) -> None:
    """Move the body along its arcs, with its accelerations and its tilt."""
    dt, keep = const[b.DT], const[b.TILT_KEEP]
    work = np.empty((3, MOST))
    x, y, theta = body[b.X], body[b.Y], body[b.THETA]
    for k in range(times):
        half = 0.5 * rows[TURN, k] * dt
        work[0, k] = theta + half
        work[1, k] = rows[DRIVE, k] * dt * chord_share(half)
        theta = wrap(theta + rows[TURN, k] * dt)
        rows[THETA, k] = theta
    for k in range(times, MOST):
        work[0, k], work[1, k] = 0.0, 0.0
    for k in range(MOST):
        s, c = sin_cos_flat(work[0, k])
        work[0, k], work[1, k] = work[1, k] * c, work[1, k] * s
    odometer, from_x, from_y = body[b.ODOMETER], x, y
    real_v, ax, tilt_x, tilt_y, tilt_z = (
        body[b.REAL_V], body[b.AX], body[b.TILT_X], body[b.TILT_Y], body[b.TILT_Z],
    )  # fmt: skip
    ay = body[b.AY]
    for k in range(times):
        from_x, from_y = x, y
        x, y = x + work[0, k], y + work[1, k]
        rows[X, k], rows[Y, k] = x, y
        dx, dy = x - from_x, y - from_y
        odometer += math.sqrt(dx * dx + dy * dy)
        new_v = rows[DRIVE, k] * dt / dt
        ax, ay = (new_v - real_v) / dt, new_v * rows[TURN, k]
        real_v = new_v
        g_x, g_y = ax / b.STANDARD_GRAVITY, ay / b.STANDARD_GRAVITY
        tilt_x, tilt_y = g_x + (tilt_x - g_x) * keep, g_y + (tilt_y - g_y) * keep
        tilt_z = 1.0 + (tilt_z - 1.0) * keep
    last = times - 1
    body[b.X], body[b.Y], body[b.THETA], body[b.ODOMETER] = x, y, theta, odometer
    body[b.V], body[b.W], body[b.REAL_W] = (
        rows[WHEELS_V, last],
        rows[WHEELS_W, last],
        rows[TURN, last],
    )
    body[b.REAL_V], body[b.AX], body[b.AY] = real_v, ax, ay
    body[b.TILT_X], body[b.TILT_Y], body[b.TILT_Z] = tilt_x, tilt_y, tilt_z
    b.place_contact(body, const, 0.0, 0.0, 0.0, 0.0)
    cos, sin, res = const[b.OCOS], const[b.OSIN], const[b.RES]
    dx, dy = (x - from_x) / res, (y - from_y) / res
    from_x, from_y = (from_x - const[b.OX]) / res, (from_y - const[b.OY]) / res
    scratch[0] = (cos * from_x + sin * from_y) + (cos * dx + sin * dy)
    scratch[1] = (cos * from_y - sin * from_x) + (cos * dy - sin * dx)


@compiled
def _count_wheels(
    body: Array, const: Array, key: Any, number: int, times: int, words: Any, rows: Array
) -> None:
    """Add encoder ticks with slip, and update the pose that follows from the ticks."""
    dt, base, per_m = const[b.DT], const[b.BASE], const[b.TICKS_PER_M]
    half, bias, std = 0.5 * const[b.SCALE_DIFFERENCE], const[b.SLIP_BIAS], const[b.SLIP_STD]
    work = np.empty((2, MOST))
    blocks_of_ticks(key, number + 1, words)
    left_ticks, right_ticks = body[b.LEFT_TICKS], body[b.RIGHT_TICKS]
    x, y, theta = body[b.ODO_X], body[b.ODO_Y], body[b.ODO_THETA]
    for k in range(times):
        rolled, turned = rows[WHEELS_V, k] * dt, rows[WHEELS_W, k] * dt
        left, right = rolled - 0.5 * base * turned, rolled + 0.5 * base * turned
        left *= 1.0 + bias - half + std * normal(words[0, k])
        right *= 1.0 + bias + half + std * normal(words[1, k])
        left_ticks += left * per_m
        right_ticks += right * per_m
        ahead, turn = 0.5 * (left + right), (right - left) / base
        work[0, k], work[1, k] = theta + 0.5 * turn, ahead
        theta += turn
    for k in range(times, MOST):
        work[0, k], work[1, k] = 0.0, 0.0
    for k in range(MOST):
        s, c = sin_cos_flat(work[0, k])
        work[0, k], work[1, k] = work[1, k] * c, work[1, k] * s
    for k in range(times):
        x += work[0, k]
        y += work[1, k]
    body[b.LEFT_TICKS], body[b.RIGHT_TICKS] = left_ticks, right_ticks
    body[b.ODO_X], body[b.ODO_Y], body[b.ODO_THETA] = x, y, theta
