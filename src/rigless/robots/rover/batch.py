"""Many rovers at once: compiled steps over arrays that have one row per robot.

A robot of a batch runs the same functions as a robot on the wire, in the same order, so its numbers
have the same bits.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, unlocked
from rigless.kernel.compiled.faults import actuate
from rigless.kernel.compiled.lending import lent
from rigless.kernel.compiled.rate import due_ns
from rigless.motion.contact import MOVED, STOP, move_circle
from rigless.robots.rover import body as b
from rigless.sensors.noise import block, normal
from rigless.worlds.grid_rows import Maps, layer_of

Floats = NDArray[np.float64]

# COUNTERS: the number of ticks and fixes, 1 if the body touches something, the time of the last
# command, 1 if it is too old, and the kind and the time of the last fix
TICKS, FIXES, HIT, COMMANDED_NS, STALE, FIX_KIND, FIX_NS = range(7)
COUNTERS = 7
# RATES of ticks and fixes, as fractions of hertz; ticks per fix, or 0
TICK_NUM, TICK_DEN, FIX_NUM, FIX_DEN, FIX_EVERY = range(5)
# LIMITS: the command's age, full speeds, radius, the initial drifts, 1 if there is a map, and the
# largest commands
TIMEOUT_NS, FULL_V, FULL_W, RADIUS, DRIFT_V, DRIFT_W, DRIFT_GPS, HAS_MAP, MOST_V, MOST_W = range(10)
# GRIDS: a row for each map
RES, OX, OY, OCOS, OSIN = range(5)
NO_FIX = 3  # kinds of fixes are fix, float, fixed, none


class Robots(NamedTuple):
    """The state of all robots, one row each, and its variant: map and config.

    `faults` has a code and a parameter for drive and steering (`rigless.kernel.compiled.faults`).
    `fixes` has east, north and up of the last fix.
    """

    bodies: Floats
    covariances: Floats
    mounts: Floats
    keys: NDArray[np.uint64]
    commands: Floats
    faults: Floats
    fixes: Floats
    counters: NDArray[np.int64]
    maps: NDArray[np.int64]


class Model(NamedTuple):
    """The config as arrays; `const`, `grids` and `limits` have a row for each variant.

    `outages` has (begin, end) and `schedule` (time, kind) in seconds; `scales` are those of errors
    by kind of fix.
    """

    const: Floats
    grids: Floats
    limits: Floats
    outages: Floats
    schedule: Floats
    scales: Floats
    discs: Floats
    boxes: Floats
    rates: NDArray[np.int64]


class Readings(NamedTuple):
    """Yaw, yaw rate and three accelerations of the IMU."""

    imu: Floats


@compiled
def begin(t: int, rows: NDArray[np.int64], robots: Robots, model: Model) -> None:
    """Draw the initial drifts of robot rows[t], as `Rover.start_drifts` does."""
    i = rows[t]
    body, limits = robots.bodies[i], model.limits[robots.maps[i]]
    if limits[DRIFT_V] >= 0.0:
        v, w, _, _ = block(robots.keys[i, b.ENCODER], 0, 0)
        body[b.SCALE_V], body[b.SCALE_W] = limits[DRIFT_V] * normal(v), limits[DRIFT_W] * normal(w)
    if limits[DRIFT_GPS] >= 0.0:
        x, y, _, _ = block(robots.keys[i, b.GPS], 0, 0)
        body[b.DRIFT_X], body[b.DRIFT_Y] = (
            limits[DRIFT_GPS] * normal(x),
            limits[DRIFT_GPS] * normal(y),
        )


@compiled
def advance(i: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps) -> None:
    """Advance robot i by some ticks, with its fixes. `fresh` is True for a new command."""
    counters, rates, which = robots.counters[i], model.rates, robots.maps[i]
    body, const, keys = robots.bodies[i], model.const[which], robots.keys[i]
    limits = model.limits[which]
    if fresh:
        counters[COMMANDED_NS] = due_ns(counters[TICKS], rates[TICK_NUM], rates[TICK_DEN])
        counters[STALE] = 0
    occupied, clear = layer_of(maps, maps.occupied, which), layer_of(maps, maps.clear, which)
    scratch = np.empty(MOVED)
    for _ in range(times):
        counters[TICKS] += 1
        now_ns = due_ns(counters[TICKS], rates[TICK_NUM], rates[TICK_DEN])
        if rates[FIX_EVERY] == 0:
            _take_fixes(i, now_ns - 1, robots, model)  # between two ticks
        _set_goal(i, now_ns, robots, model)
        x, y = body[b.X], body[b.Y]
        b.advance(body, const)
        if limits[HAS_MAP] > 0.0:
            hit = _collide(
                body, const, model.grids[which], limits[RADIUS], x, y, occupied, clear,
                model.discs, model.boxes, scratch,
            )  # fmt: skip
            counters[HIT] = 1 if hit else 0
        b.measure(body, const, keys, counters[TICKS])
        b.reckon(body, const, robots.covariances[i])
        if rates[FIX_EVERY] > 0:
            if counters[TICKS] % rates[FIX_EVERY] == 0:
                _take_fix(i, now_ns, robots, model)
        else:
            _take_fixes(i, now_ns, robots, model)


@compiled
def _set_goal(i: int, now_ns: int, robots: Robots, model: Model) -> None:
    """Set the goal of a tick: the command as a faulty drive executes it, or 0 if it is too old."""
    counters, faults = robots.counters[i], robots.faults[i]
    limits = model.limits[robots.maps[i]]
    if counters[STALE] == 0 and counters[COMMANDED_NS] + limits[TIMEOUT_NS] - now_ns < 0:
        counters[STALE] = 1
    v, w = robots.commands[i, 0], robots.commands[i, 1]
    if counters[STALE] > 0:
        v, w = 0.0, 0.0
    body = robots.bodies[i]
    body[b.GOAL_V] = actuate(faults[0, 0], faults[0, 1], v, limits[FULL_V])
    body[b.GOAL_W] = actuate(faults[1, 0], faults[1, 1], w, limits[FULL_W])


@compiled
def _collide(
    body: Floats, const: Floats, grid: Floats, radius_m: float, x_m: float, y_m: float,
    occupied: NDArray[np.bool_], clear: NDArray[np.float32], discs: Floats, boxes: Floats,
    scratch: Floats,
) -> bool:  # fmt: skip
    """Stop the body, which came from (x_m, y_m), at what it touches, as `Rover.collide` does."""
    cos, sin, res, dt = grid[OCOS], grid[OSIN], grid[RES], const[b.DT]
    from_x, from_y = x_m - grid[OX], y_m - grid[OY]
    step_x, step_y = body[b.X] - x_m, body[b.Y] - y_m
    move_circle(
        occupied, clear, discs, boxes, (cos * from_x + sin * from_y) / res,
        (cos * from_y - sin * from_x) / res, radius_m / res, (cos * step_x + sin * step_y) / res,
        (cos * step_y - sin * step_x) / res, STOP, 0.0, scratch,
    )  # fmt: skip
    if scratch[2] == 0.0:
        return False
    dx, dy = scratch[0] * res, scratch[1] * res
    new_x, new_y = grid[OX] + cos * dx - sin * dy, grid[OY] + sin * dx + cos * dy
    dx, dy = new_x - x_m, new_y - y_m
    distance_m = math.sqrt(dx * dx + dy * dy)
    body[b.ODOMETER] += distance_m - abs(body[b.V]) * dt
    speed = math.copysign(distance_m / dt, body[b.V])
    body[b.ACCEL] += (speed - body[b.V]) / dt
    body[b.V] = speed
    body[b.X], body[b.Y] = new_x, new_y
    return True


@compiled
def _take_fixes(i: int, until_ns: int, robots: Robots, model: Model) -> None:
    """Take the fixes that are due, of a receiver with a rate of its own."""
    num, den = model.rates[FIX_NUM], model.rates[FIX_DEN]
    while due_ns(robots.counters[i, FIXES] + 1, num, den) <= until_ns:
        _take_fix(i, due_ns(robots.counters[i, FIXES] + 1, num, den), robots, model)


@compiled
def _take_fix(i: int, now_ns: int, robots: Robots, model: Model) -> None:
    """Take a fix, as `Receiver.take_fix` does."""
    counters = robots.counters[i]
    counters[FIXES] += 1
    kind = _kind(now_ns / 1e9, model)
    b.read_gps(
        robots.bodies[i], model.const[robots.maps[i]], robots.mounts[i], model.scales[kind],
        robots.keys[i], counters[FIXES], robots.fixes[i],
    )  # fmt: skip
    counters[FIX_KIND], counters[FIX_NS] = kind, now_ns


@compiled
def _kind(now_s: float, model: Model) -> int:
    """Return the kind of fix at a time."""
    for j in range(model.outages.shape[0]):
        if model.outages[j, 0] <= now_s and now_s < model.outages[j, 1]:
            return NO_FIX
    kind = 0
    for j in range(model.schedule.shape[0]):
        if model.schedule[j, 0] <= now_s:
            kind = int(model.schedule[j, 1])
    return kind


@compiled
def sense(i: int, robots: Robots, model: Model, readings: Readings) -> None:
    """Read the IMU of robot i at its last tick."""
    b.read_imu(
        robots.bodies[i], model.const[robots.maps[i]], robots.mounts[i], robots.keys[i],
        robots.counters[i, TICKS], readings.imu[i],
    )  # fmt: skip


@unlocked
def begin_many(
    first: int, last: int, rows: NDArray[np.int64], robots: Robots, model: Model
) -> None:
    """Draw the initial drifts of the robots in rows[first:last]."""
    robots, model = lent(robots), lent(model)
    for t in range(first, last):
        begin(t, rows, robots, model)


@unlocked
def advance_many(
    first: int, last: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps
) -> None:
    """Advance the robots from `first` to before `last`."""
    robots, model, maps = lent(robots), lent(model), lent(maps)
    for i in range(first, last):
        advance(i, times, fresh, robots, model, maps)


@unlocked
def sense_many(first: int, last: int, robots: Robots, model: Model, readings: Readings) -> None:
    """Read the sensors of the robots from `first` to before `last`."""
    robots, model, readings = lent(robots), lent(model), lent(readings)
    for i in range(first, last):
        sense(i, robots, model, readings)
