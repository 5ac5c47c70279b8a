"""The Pacbot's body: one step of motors, omniwheels, walls and inertial sensors, compiled by numba.

The names below are indices into two arrays: BODY is the state, CONST the constants. Each wheel's
speed follows its command with a lag; for the body that is a force, mass × (wheel velocity − body
velocity) / tau. A wall cancels the velocity into it, and friction at the rim acts as an impulse on
mass and inertia. The wheels are geared to the floor, so they stall with the body: encoders,
accelerometer and gyro all measure the same motion.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.motion.contact import MOVED_FULLY, SLIDE, STOP, move_circle
from rigless.motion.diff_drive import wrap
from rigless.motion.motor import follow
from rigless.motion.omni import body_speeds, displacement, wheel_speeds
from rigless.motion.proximity import Obstacles
from rigless.sensors.noise import block, normal

Array = NDArray[np.float64]

# BODY: pose, velocity in the world, then wheel speeds, commands and encoder ticks, each of four
# (north, south, east, west)
X, Y, THETA, VX, VY, W = range(6)
U, GOAL, TICKS = 6, 10, 14
AX, AY, BIAS, NORMAL_X, NORMAL_Y, TOUCH_X, TOUCH_Y, ODOMETER, IMPACT = range(18, 27)
BODY_SIZE = 27

# CONST
(
    DT,
    RADIUS,
    MASS,
    INERTIA,
    ARM,
    SPEED,
    TAU,
    DRAG,
    DEAD,
    SLIP,
    GRIP,
    FRICTION,
    TICKS_PER_M,
    TICK_STD,
) = range(14)
ACCEL_NEW, MOUNT_X, MOUNT_Y, BIAS_STEP, ACCEL_STD, GYRO_STD, ACCEL_BIAS_X, ACCEL_BIAS_Y = range(
    14, 22
)
RES, OX, OY, OCOS, OSIN, GAIN = range(22, 28)
CONST_SIZE = GAIN + 4

SCRATCH_SIZE = MOVED_FULLY + 4
STANDARD_GRAVITY = 9.80665


class Motion(NamedTuple):
    """The motion in a step: heading in its middle, velocity and turn rate at its end, mean turn."""

    heading: float
    vx: float
    vy: float
    w: float
    turn: float


@compiled
def step(
    body: Array, const: Array, occupied: Any, clear: Any, discs: Array, boxes: Array, keys: Any,
    number: int, scratch: Array
) -> bool:  # fmt: skip
    """Advance by one period; return True if the body touched something."""
    dt, arm, kept = const[DT], const[ARM], 1.0 - const[SLIP]
    x, y, theta = body[X], body[Y], body[THETA]
    for i in range(4):
        command = min(max(body[GOAL + i], -1.0), 1.0)
        if abs(command) < const[DEAD]:
            command = 0.0
        wanted = command * const[SPEED] * const[GAIN + i]
        body[U + i], scratch[MOVED_FULLY + i] = follow(
            body[U + i], wanted, const[TAU], const[DRAG], dt
        )
    right, ahead, turn = body_speeds(body[U], body[U + 1], body[U + 2], body[U + 3], arm)
    m_right, m_ahead, m_turn = body_speeds(
        scratch[MOVED_FULLY],
        scratch[MOVED_FULLY + 1],
        scratch[MOVED_FULLY + 2],
        scratch[MOVED_FULLY + 3],
        arm,
    )
    right, ahead, turn = kept * right, kept * ahead, kept * turn
    m_right, m_ahead, m_turn = kept * m_right, kept * m_ahead, kept * m_turn
    if const[GRIP] > 0.0:
        s, c = sin_cos(theta)
        was_right, was_ahead = c * body[VX] + s * body[VY], c * body[VY] - s * body[VX]
        part, turned = _gripped(const, right - was_right, ahead - was_ahead, turn - body[W])
        if part < 1.0:
            right, ahead = (
                was_right + part * (right - was_right),
                was_ahead + part * (ahead - was_ahead),
            )
            m_right, m_ahead = 0.5 * (was_right + right), 0.5 * (was_ahead + ahead)
        if turned < 1.0:
            turn = body[W] + turned * (turn - body[W])
            m_turn = 0.5 * (body[W] + turn)

    dx, dy = displacement(theta, m_right, m_ahead, m_turn, dt)
    new_theta = wrap(theta + m_turn * dt)
    s, c = sin_cos(new_theta)
    vx, vy, w = c * right - s * ahead, s * right + c * ahead, turn
    obstacles = Obstacles(occupied, clear, discs, boxes, scratch[0:0])
    _move(body, const, obstacles, dx, dy, m_turn, scratch)
    hit = scratch[2] > 0.0
    body[IMPACT], body[NORMAL_X], body[NORMAL_Y] = 0.0, 0.0, 0.0
    if hit:
        new_vx, new_vy, w = _collide(body, const, vx, vy, w, scratch)
        lost_x, lost_y, lost_w = vx - new_vx, vy - new_vy, turn - w
        part, turned = _gripped(const, lost_x, lost_y, lost_w)
        felt = wheel_speeds(
            part * (c * lost_x + s * lost_y), part * (c * lost_y - s * lost_x), turned * lost_w, arm
        )
        s, c = sin_cos(theta + 0.5 * m_turn * dt)
        less_x, less_y = part * (dx - (body[X] - x)) / dt, part * (dy - (body[Y] - y)) / dt
        held = wheel_speeds(c * less_x + s * less_y, c * less_y - s * less_x, 0.0, arm)
        for i in range(4):
            body[U + i] -= felt[i] / kept
            scratch[MOVED_FULLY + i] -= held[i] / kept
        vx, vy = new_vx, new_vy
    motion = Motion(theta + 0.5 * m_turn * dt, vx, vy, w, m_turn)
    _measure(body, const, motion, keys, number, scratch)
    body[THETA], body[VX], body[VY], body[W] = new_theta, vx, vy, w
    dx, dy = body[X] - x, body[Y] - y
    body[ODOMETER] += math.sqrt(dx * dx + dy * dy)
    return hit


@compiled
def _gripped(const: Array, dvx: float, dvy: float, dw: float) -> tuple[float, float]:
    """Return the shares of a change in velocity and turn rate that the wheels' grip allows."""
    if const[GRIP] <= 0.0:
        return 1.0, 1.0
    most = const[GRIP] * STANDARD_GRAVITY * const[DT]
    change, spin = (
        math.sqrt(dvx * dvx + dvy * dvy),
        abs(dw) * const[INERTIA] / (const[MASS] * const[ARM]),
    )
    return most / change if change > most else 1.0, most / spin if spin > most else 1.0


@compiled
def _move(
    body: Array,
    const: Array,
    obstacles: Obstacles,
    dx: float,
    dy: float,
    turn: float,
    scratch: Array,
) -> None:
    """Move by (dx, dy), sliding along obstacles; store pose and contact in the body."""
    occupied, clear, discs, boxes, _ = obstacles
    cos, sin, res = const[OCOS], const[OSIN], const[RES]
    from_x, from_y = (body[X] - const[OX]) / res, (body[Y] - const[OY]) / res
    cell_x, cell_y = cos * from_x + sin * from_y, cos * from_y - sin * from_x
    cell_dx, cell_dy = (cos * dx + sin * dy) / res, (cos * dy - sin * dx) / res
    radius, friction = const[RADIUS] / res, 0.0
    if const[FRICTION] > 0.0:
        move_circle(
            occupied,
            clear,
            discs,
            boxes,
            cell_x,
            cell_y,
            radius,
            cell_dx,
            cell_dy,
            STOP,
            0.0,
            scratch,
        )
        if scratch[2] > 0.0:
            nx, ny = cos * scratch[3] - sin * scratch[4], sin * scratch[3] + cos * scratch[4]
            dt = const[DT]
            along = (nx * dy - ny * dx) / dt
            rubbed = _rub(const, -min((dx * nx + dy * ny) / dt, 0.0), along, turn)
            friction = min(max(-rubbed / along, 0.0), 1.0) if along != 0.0 else 0.0
    move_circle(
        occupied,
        clear,
        discs,
        boxes,
        cell_x,
        cell_y,
        radius,
        cell_dx,
        cell_dy,
        SLIDE,
        friction,
        scratch,
    )
    if scratch[2] > 0.0:
        body[X] = const[OX] + (cos * scratch[0] - sin * scratch[1]) * res
        body[Y] = const[OY] + (sin * scratch[0] + cos * scratch[1]) * res
    else:
        body[X], body[Y] = body[X] + dx, body[Y] + dy


@compiled
def _rub(const: Array, pressed: float, along: float, turn: float) -> float:
    """Return the change of the speed along a wall by friction at the rim.

    `pressed` is the speed that the wall cancelled.
    """
    sliding = along - turn * const[RADIUS]  # of the rim at the contact
    most = const[FRICTION] * pressed
    stop = sliding / (1.0 + const[MASS] * const[RADIUS] ** 2 / const[INERTIA])
    return -min(max(stop, -most), most)


@compiled
def _collide(
    body: Array, const: Array, vx: float, vy: float, w: float, scratch: Array
) -> tuple[float, float, float]:
    """Return velocity and turn rate after the contact in `scratch`; store it in the body."""
    cos, sin, res = const[OCOS], const[OSIN], const[RES]
    body[NORMAL_X], body[NORMAL_Y] = (
        cos * scratch[3] - sin * scratch[4],
        sin * scratch[3] + cos * scratch[4],
    )
    body[TOUCH_X] = const[OX] + (cos * scratch[5] - sin * scratch[6]) * res
    body[TOUCH_Y] = const[OY] + (sin * scratch[5] + cos * scratch[6]) * res
    nx, ny = cos * scratch[8] - sin * scratch[9], sin * scratch[8] + cos * scratch[9]
    if scratch[10] > 0.0:  # held in a corner
        pressed, along, nx, ny = math.sqrt(vx * vx + vy * vy), 0.0, 0.0, 0.0
    else:
        pressed, along = -min(vx * nx + vy * ny, 0.0), nx * vy - ny * vx
        vx, vy = vx + pressed * nx, vy + pressed * ny
    body[IMPACT] = pressed
    if const[FRICTION] > 0.0:
        rubbed = _rub(const, pressed, along, w)
        vx, vy = vx - rubbed * ny, vy + rubbed * nx
        w -= rubbed * const[MASS] * const[RADIUS] / const[INERTIA]
    if scratch[10] > 0.0:
        vx, vy = 0.0, 0.0
    return vx, vy, w


@compiled
def _measure(
    body: Array, const: Array, motion: Motion, keys: Any, number: int, scratch: Array
) -> None:
    """Add the wheels' encoder ticks; update acceleration at the IMU and the gyro's bias."""
    heading, vx, vy, w, turn = motion
    dt = const[DT]
    words = block(keys[0], number, 0)
    for i in range(4):
        travel = scratch[MOVED_FULLY + i] * dt
        body[TICKS + i] += travel * const[TICKS_PER_M] * (1.0 + const[TICK_STD] * normal(words[i]))
    ax, ay, spin = (vx - body[VX]) / dt, (vy - body[VY]) / dt, (w - body[W]) / dt
    s, c = sin_cos(heading)
    mount_x, mount_y, square = const[MOUNT_X], const[MOUNT_Y], turn * turn
    felt_x = c * ax + s * ay - spin * mount_y - square * mount_x
    felt_y = c * ay - s * ax + spin * mount_x - square * mount_y
    body[AX] += (felt_x - body[AX]) * const[ACCEL_NEW]
    body[AY] += (felt_y - body[AY]) * const[ACCEL_NEW]
    body[BIAS] += const[BIAS_STEP] * normal(block(keys[1], number, 1)[0])


@compiled
def read_imu(body: Array, const: Array, key: Any, number: int) -> tuple[float, float, float]:
    """Read accelerometer (right, forward) and gyro (counter-clockwise).

    Readings of the same step are equal.
    """
    words = block(key, number, 0)
    ax = body[AX] + const[ACCEL_BIAS_X] + const[ACCEL_STD] * normal(words[0])
    ay = body[AY] + const[ACCEL_BIAS_Y] + const[ACCEL_STD] * normal(words[1])
    return ax, ay, body[W] + body[BIAS] + const[GYRO_STD] * normal(words[2])
