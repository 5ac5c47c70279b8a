"""The vacuum's body: one tick of drive, contact, encoders and inertial sensors, compiled by numba.

The names below are indices into two arrays: BODY is the state, CONST the constants. Contact decides
first how far the robot moves; encoders and accelerometer follow from that motion, so they agree.

Compiled functions that Python calls take their arrays one by one: a NamedTuple of arrays costs
about 13 µs a call, four times the tick itself.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.compiled.elementary import sin_cos
from rigless.kernel.compiled.lending import lent
from rigless.motion.contact import PASSTHROUGH, STOP, move_circle_near
from rigless.motion.diff_drive import approach, arc
from rigless.motion.proximity import NOWHERE, Obstacles, walls_near, zone_touched_by
from rigless.sensors.noise import block, normal
from rigless.worlds.clearance import cell_of

Array = NDArray[np.float64]

# BODY
X, Y, THETA, V, W, GOAL_V, GOAL_W, LEFT_TICKS, RIGHT_TICKS, AX, AY = range(11)
(
    TILT_X,
    TILT_Y,
    TILT_Z,
    NORMAL_X,
    NORMAL_Y,
    TOUCH_X,
    TOUCH_Y,
    ODOMETER,
    ODO_X,
    ODO_Y,
    ODO_THETA,
    REAL_V,
    REAL_W,
    SLIP_LEFT,
    SLIP_RIGHT,
) = range(11, 26)
BODY_SIZE = 26

# CONST
DT, RADIUS, BASE, TICKS_PER_M, ACC_V, ACC_W, MODE, FRICTION, RES, OX, OY, OCOS, OSIN = range(13)
SLIP_BIAS, SLIP_STD, REACH, LEFT_A, LEFT_B, RIGHT_A, RIGHT_B, TILT_KEEP, GYRO_LSB, ACCEL_LSB = (
    range(13, 23)
)
SCALE_DIFFERENCE, YAW = 23, 24  # the map's
LEVEL = 25  # in cells: so far from the map's edge there are no cliffs; −1 if it has some
CONST_SIZE = 26

# The flags that a tick returns
BUMP_LEFT, BUMP_RIGHT, CLIFF_FIRST, HIT = 1, 2, 4, 64

STANDARD_GRAVITY = 9.80665


@compiled
def tick(
    body: Array,
    const: Array,
    occupied: Any,
    clear: Any,
    cliff: Any,
    discs: Array,
    boxes: Array,
    carpets: Array,
    cliff_sensors: Array,
    key: Any,
    number: int,
    scratch: Array,
) -> int:
    """Advance by one period; return the flags of bumpers, cliffs and contact."""
    body, const, occupied, clear, cliff = (
        lent(body), lent(const), lent(occupied), lent(clear), lent(cliff),
    )  # fmt: skip
    discs, boxes, carpets, cliff_sensors, key, scratch = (
        lent(discs), lent(boxes), lent(carpets), lent(cliff_sensors), lent(key), lent(scratch),
    )  # fmt: skip
    obstacles = Obstacles(occupied, clear, discs, boxes, scratch[0:0])
    hit, _ = move(body, const, obstacles, carpets, key, number, 0.0, scratch)
    return switches(body, const, obstacles, cliff, cliff_sensors, hit, scratch)


@compiled
def move(
    body: Array, const: Array, obstacles: Obstacles, carpets: Array, key: Any, number: int,
    room: float, scratch: Array,
) -> tuple[bool, float]:  # fmt: skip
    """Advance by one period; return True for contact, and the room of the next period.

    `room` is a distance in cells in which nothing can be touched, 0 if it is not known. Contact is
    not looked for within it. Otherwise `scratch` has the cells of the centre for `switches`.
    """
    body, const, carpets, key = lent(body), lent(const), lent(carpets), lent(key)
    obstacles, scratch = lent(obstacles), lent(scratch)
    dt = const[DT]
    held = body[NORMAL_X] != 0.0 or body[NORMAL_Y] != 0.0  # there was contact in the last tick
    stalled = held and abs(body[REAL_V]) < 1e-6 and (body[GOAL_V] - body[V]) * body[V] < 0.0
    # A stalled robot that reverses starts from rest, not from the speed of its wheels.
    v = approach(0.0 if stalled else body[V], body[GOAL_V], const[ACC_V], dt)
    v = v if const[ACC_V] > 0 else body[GOAL_V]
    w = approach(body[W], body[GOAL_W], const[ACC_W], dt) if const[ACC_W] > 0 else body[GOAL_W]
    x, y, theta = body[X], body[Y], body[THETA]
    grip = 1.0
    for i in range(carpets.shape[0]):
        if carpets[i, 0] <= x <= carpets[i, 1] and carpets[i, 2] <= y <= carpets[i, 3]:
            grip = min(grip, 1.0 - carpets[i, 4])
    # V and W are those of the wheels; a wheel that slips loses a share of its travel.
    drive, turn = v, w
    if body[SLIP_LEFT] != 0.0 or body[SLIP_RIGHT] != 0.0:
        left = (v - 0.5 * const[BASE] * w) * (1.0 - body[SLIP_LEFT])
        right = (v + 0.5 * const[BASE] * w) * (1.0 - body[SLIP_RIGHT])
        drive, turn = 0.5 * (left + right), (right - left) / const[BASE]
    end_x, end_y, end_theta = arc(x, y, theta, drive * grip, turn, dt)

    cos, sin, res = const[OCOS], const[OSIN], const[RES]
    from_x, from_y = (x - const[OX]) / res, (y - const[OY]) / res
    room -= abs(drive * grip) * dt / res
    if room > 0.0:
        scratch[2], scratch[3], scratch[4], scratch[5], scratch[6] = 0.0, 0.0, 0.0, 0.0, 0.0
    else:
        dx, dy = (end_x - x) / res, (end_y - y) / res
        room = move_circle_near(
            obstacles, cos * from_x + sin * from_y, cos * from_y - sin * from_x,
            const[RADIUS] / res, cos * dx + sin * dy, cos * dy - sin * dx, int(const[MODE]),
            const[FRICTION], scratch,
        )  # fmt: skip
    hit = scratch[2] > 0 and const[MODE] != PASSTHROUGH
    new_x, new_y = end_x, end_y
    if hit:
        new_x = const[OX] + (cos * scratch[0] - sin * scratch[1]) * res
        new_y = const[OY] + (sin * scratch[0] + cos * scratch[1]) * res
    elif held and const[ACC_V] > 0:  # free again: the ramp starts at the real speed
        share = drive / v if v != 0.0 else 1.0
        v = approach(body[REAL_V], body[GOAL_V], const[ACC_V], dt)
        drive = v * share
        new_x, new_y, end_theta = arc(x, y, theta, drive * grip, turn, dt)
        cell_x, cell_y = from_x + (new_x - x) / res, from_y + (new_y - y) / res
        scratch[0], scratch[1] = cos * cell_x + sin * cell_y, cos * cell_y - sin * cell_x
        room = 0.0
    forward = drive * grip * dt
    if hit:
        middle_sin, middle_cos = sin_cos(theta + 0.5 * turn * dt)
        forward = (new_x - x) * middle_cos + (new_y - y) * middle_sin
    # The wheels' travel: they stall at a wall, and spin on carpet.
    held_back = grip > 0 and hit and drive == v
    rolled = forward / grip if held_back else v * dt
    real_v = forward / dt

    body[X], body[Y], body[THETA] = new_x, new_y, end_theta
    body[W], body[REAL_W] = w, turn
    body[V] = rolled / dt if hit and const[MODE] == STOP else v  # sliding, the drive still pushes
    body[AX], body[AY] = (real_v - body[REAL_V]) / dt, real_v * turn
    body[REAL_V] = real_v
    dx, dy = new_x - x, new_y - y
    body[ODOMETER] += math.sqrt(dx * dx + dy * dy)
    place_contact(body, const, scratch[3], scratch[4], scratch[5], scratch[6])
    _count_wheels(body, const, rolled, w * dt, key, number)
    keep = const[TILT_KEEP]
    body[TILT_X] = body[AX] / STANDARD_GRAVITY + (body[TILT_X] - body[AX] / STANDARD_GRAVITY) * keep
    body[TILT_Y] = body[AY] / STANDARD_GRAVITY + (body[TILT_Y] - body[AY] / STANDARD_GRAVITY) * keep
    body[TILT_Z] = 1.0 + (body[TILT_Z] - 1.0) * keep
    return hit, room


@inlined
def place_contact(
    body: Array, const: Array, normal_x: float, normal_y: float, x: float, y: float
) -> None:
    """Note the normal and the point of a contact, given in cells; zeros for none."""
    cos, sin, res = const[OCOS], const[OSIN], const[RES]
    body[NORMAL_X], body[NORMAL_Y] = (
        cos * normal_x - sin * normal_y,
        sin * normal_x + cos * normal_y,
    )
    body[TOUCH_X] = const[OX] + (cos * x - sin * y) * res
    body[TOUCH_Y] = const[OY] + (sin * x + cos * y) * res


@compiled
def switches(
    body: Array, const: Array, obstacles: Obstacles, cliff: Any, cliff_sensors: Array, hit: bool,
    scratch: Array,
) -> int:  # fmt: skip
    """Return the flags of bumpers, cliffs and contact after `move`."""
    occupied, clear, discs, boxes, _ = obstacles
    flags = HIT if hit else 0
    cell_x, cell_y, res = scratch[0], scratch[1], const[RES]
    heading = body[THETA] - const[YAW]
    radius, reach = const[RADIUS] / res, const[REACH] / res
    column, row = cell_of(cell_x, cell_y, occupied.shape[1], occupied.shape[0])
    near = NOWHERE
    if clear[row, column] <= radius + reach:
        near = walls_near(occupied, clear, cell_x, cell_y, radius + reach)
    if near[0] <= near[1] or discs.shape[0] + boxes.shape[0] > 0:
        flags |= _pressed(
            near, occupied, discs, boxes, cell_x, cell_y, heading, radius, reach, const
        )
    return flags | _cliffs(cliff, cliff_sensors, const[LEVEL], cell_x, cell_y, heading, res)


@compiled
def _pressed(
    near: tuple[int, int, int, int], occupied: Any, discs: Array, boxes: Array, x: float, y: float,
    heading: float, radius: float, reach: float, const: Array,
) -> int:  # fmt: skip
    """Return the flags of the bumpers that are pressed."""
    left_a, left_b, right_a, right_b = const[LEFT_A], const[LEFT_B], const[RIGHT_A], const[RIGHT_B]
    flags = 0
    if zone_touched_by(
        near, occupied, discs, boxes, x, y, heading, radius, reach, left_a, left_b
    ):  # fmt: skip
        flags |= BUMP_LEFT
    if zone_touched_by(
        near, occupied, discs, boxes, x, y, heading, radius, reach, right_a, right_b
    ):  # fmt: skip
        flags |= BUMP_RIGHT
    # The shell is one piece: pressed between the arcs, it closes both switches.
    if right_b < left_a and zone_touched_by(
        near, occupied, discs, boxes, x, y, heading, radius, reach, right_b, left_a
    ):
        flags |= BUMP_LEFT | BUMP_RIGHT
    return flags


@compiled
def tick_many(
    body: Array, const: Array, occupied: Any, clear: Any, cliff: Any, discs: Array, boxes: Array,
    carpets: Array, cliff_sensors: Array, keys: Any, number: int, scratch: Array, times: int,
    flags: int, trail: Array, trail_at: int, sense: bool, gyro_axes: Array, accel_axes: Array,
    deviations: Array, biases: Array, drift_rate: float, imu: Any,
) -> int:  # fmt: skip
    """Do up to `times` ticks after tick `number` while no flag changes; return their number.

    The tick that would change a flag is left to `tick`, so that it is reported at its own time.
    With `sense` the inertial sensors are read at each tick.
    """
    before = np.empty(BODY_SIZE)
    for done in range(times):
        before[:] = body
        now = number + done + 1
        new = tick(
            body,
            const,
            occupied,
            clear,
            cliff,
            discs,
            boxes,
            carpets,
            cliff_sensors,
            keys[0],
            now,
            scratch,
        )
        if new != flags:
            body[:] = before
            return done
        leave_trail(trail, (trail_at + done) % trail.shape[0], body, now * const[DT])
        if sense:
            drift = drift_rate * now * const[DT]
            read_imu(
                body, const, gyro_axes, accel_axes, deviations, biases, drift, keys[1], now, imu
            )
    return times


@compiled
def tick_and_sense(
    body: Array, const: Array, occupied: Any, clear: Any, cliff: Any, discs: Array, boxes: Array,
    carpets: Array, cliff_sensors: Array, keys: Any, number: int, scratch: Array, trail: Array,
    trail_at: int, gyro_axes: Array, accel_axes: Array, deviations: Array, biases: Array,
    drift: float, imu: Any,
) -> int:  # fmt: skip
    """Do `tick`, `leave_trail` and `read_imu` in one call from Python; return the flags."""
    body, const, occupied, clear, cliff, discs, boxes, carpets, cliff_sensors, keys, scratch = (
        lent(body), lent(const), lent(occupied), lent(clear), lent(cliff), lent(discs),
        lent(boxes), lent(carpets), lent(cliff_sensors), lent(keys), lent(scratch),
    )  # fmt: skip
    trail, gyro_axes, accel_axes, deviations, biases, imu = (
        lent(trail), lent(gyro_axes), lent(accel_axes), lent(deviations), lent(biases), lent(imu),
    )  # fmt: skip
    flags: int = tick(
        body, const, occupied, clear, cliff, discs, boxes, carpets, cliff_sensors, keys[0], number,
        scratch,
    )  # fmt: skip
    leave_trail(trail, trail_at, body, number * const[DT])
    read_imu(body, const, gyro_axes, accel_axes, deviations, biases, drift, keys[1], number, imu)
    return flags


@inlined
def leave_trail(trail: Array, at: int, body: Array, time_s: float) -> None:
    trail[at, 0], trail[at, 1], trail[at, 2], trail[at, 3] = time_s, body[X], body[Y], body[THETA]


@compiled
def _count_wheels(
    body: Array, const: Array, rolled: float, turned: float, key: Any, number: int
) -> None:
    """Add encoder ticks with slip, and update the pose that follows from the ticks."""
    body, const, key = lent(body), lent(const), lent(key)
    left, right = rolled - 0.5 * const[BASE] * turned, rolled + 0.5 * const[BASE] * turned
    a, b, _, _ = block(key, number, 0)
    half = 0.5 * const[SCALE_DIFFERENCE]
    left *= 1.0 + const[SLIP_BIAS] - half + const[SLIP_STD] * normal(a)
    right *= 1.0 + const[SLIP_BIAS] + half + const[SLIP_STD] * normal(b)
    body[LEFT_TICKS] += left * const[TICKS_PER_M]
    body[RIGHT_TICKS] += right * const[TICKS_PER_M]
    ahead, turn = 0.5 * (left + right), (right - left) / const[BASE]
    middle = body[ODO_THETA] + 0.5 * turn
    s, c = sin_cos(middle)
    body[ODO_X] += ahead * c
    body[ODO_Y] += ahead * s
    body[ODO_THETA] += turn


@compiled
def _cliffs(
    cliff: Any, sensors: Array, level: float, x: float, y: float, heading: float, res: float
) -> int:  # fmt: skip
    height, width = cliff.shape
    if 0.0 <= level < min(min(x, width - x), min(y, height - y)):
        return 0
    s, c = sin_cos(heading)
    flags = 0
    for i in range(sensors.shape[0]):
        column = math.floor(x + (c * sensors[i, 0] - s * sensors[i, 1]) / res)
        row = math.floor(y + (s * sensors[i, 0] + c * sensors[i, 1]) / res)
        if column < 0 or row < 0 or column >= width or row >= height or cliff[row, column]:
            flags |= CLIFF_FIRST << int(sensors[i, 2])
    return flags


@compiled
def read_imu(
    body: Array, const: Array, gyro_axes: Array, accel_axes: Array, deviations: Array,
    biases: Array, drift: float, key: Any, number: int, out: Any,
) -> None:  # fmt: skip
    """Read gyro, accelerometer and tilt as on the wire: 9 numbers of 16 bits.

    Truth and noise are on the device's own axes. Rows of `gyro_axes` and `accel_axes` are (source,
    sign) of each output; `deviations` and `biases` are 3×3.
    """
    g = STANDARD_GRAVITY
    truth = np.zeros(9)
    # [seed] the gyro's x is yaw, clockwise; y is pitch, z roll
    truth[0] = -body[REAL_W] * const[GYRO_LSB]
    truth[3], truth[4], truth[5] = (
        body[AX] / g * const[ACCEL_LSB],
        body[AY] / g * const[ACCEL_LSB],
        const[ACCEL_LSB],
    )
    for axis in range(3):
        truth[6 + axis] = body[TILT_X + axis] * const[ACCEL_LSB]
    noise = np.empty(12)
    for i in range(3):
        words = block(key, number, i)
        for j in range(4):
            noise[4 * i + j] = normal(words[j])
    for group in range(3):
        axes = gyro_axes if group == 0 else accel_axes
        for axis in range(3):
            source, sign = int(axes[axis, 0]), axes[axis, 1]
            raw = truth[3 * group + source] + biases[group, source]
            raw += deviations[group, source] * noise[3 * group + source]
            if group == 0:
                raw += drift
            out[3 * group + axis] = round(min(max(raw * sign, -32768.0), 32767.0))
