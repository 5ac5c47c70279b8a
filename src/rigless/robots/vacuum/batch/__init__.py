"""Many vacuums at once: compiled steps and scans over arrays that have one row per robot.

A robot of a batch runs the same functions as a robot on the wire, in the same order, so its numbers
have the same bits. `advance` and `beam` work on one robot or beam, so that a loop, a thread or a
graphics processor can call them.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined, unlocked
from rigless.kernel.compiled.faults import actuate
from rigless.kernel.compiled.lending import lent
from rigless.kernel.compiled.rate import due_ns
from rigless.kernel.timing.rate import NS_PER_S
from rigless.motion.contact import MOVED, room_at
from rigless.motion.diff_drive import body_speeds, wheel_speeds
from rigless.motion.nearby import NEARBY_SIZE, forget
from rigless.motion.proximity import Obstacles
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.batch import free_run
from rigless.robots.vacuum.power import DISCHARGES, drained
from rigless.worlds.grid_rows import Maps, layer_of

Floats = NDArray[np.float64]

# COUNTERS: the number of ticks and scans, the flags of the last tick, the index of the oldest entry
# of the trail, the times of the last scan and the last command, the ticks since the scan, and the
# tick of the next one
TICKS, SCANS, FLAGS, TRAIL_AT, SCANNED_NS, COMMANDED_NS, SINCE_SCAN, SCAN_TICK = range(8)
COUNTERS = 8
# LIMITS: dead man's switch, wheel base, top speeds, the lidar motor's jitter and start, gyro drift
DEADMAN_NS, BASE, TOP_MPS, TOP_RADPS, JITTER, COLD_START_S, DRIFT_RATE = range(7)
# RATES of ticks and scans, as fractions of hertz
TICK_NUM, TICK_DEN, SCAN_NUM, SCAN_DEN = range(4)


SINGLE = 6  # ticks one by one, where the robot is near a wall


class Robots(NamedTuple):
    """The state of all robots, one row each, and its variant: map and config.

    `faults` has a code and a parameter for each wheel (`rigless.kernel.compiled.faults`).
    """

    bodies: Floats
    trails: Floats
    keys: NDArray[np.uint64]
    energy_wh: Floats
    phases: Floats
    commands: Floats
    faults: Floats
    counters: NDArray[np.int64]
    maps: NDArray[np.int64]


class Model(NamedTuple):
    """The config as arrays.

    `const`, `setup`, `power`, `deviations`, `biases` and `limits` have a row for each variant: a
    map with a config.
    """

    const: Floats
    setup: Floats
    carpets: Floats
    cliff_sensors: Floats
    power: Floats
    angles: Floats
    cosines: Floats
    sines: Floats
    discs: Floats
    boxes: Floats
    gyro_axes: Floats
    accel_axes: Floats
    deviations: Floats
    biases: Floats
    limits: Floats
    rates: NDArray[np.int64]


class Readings(NamedTuple):
    """Gyro, accelerometer and tilt in the units of the wire, and the encoders (left, right)."""

    imu: NDArray[np.int64]
    encoders: NDArray[np.int64]


class Buffers(NamedTuple):
    """Arrays that are reused for each robot: those of a run, and of the walls nearby."""

    nearby: Floats
    scratch: Floats
    words: NDArray[np.uint32]
    rows: Floats


@compiled
def advance(i: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps) -> None:
    """Advance robot i by some ticks, with the scans that are due on the way.

    `fresh` is True if there is a new command.
    """
    which = robots.maps[i]
    occupied, clear = layer_of(maps, maps.occupied, which), layer_of(maps, maps.clear, which)
    nearby, scratch = np.empty(NEARBY_SIZE), np.empty(MOVED)
    obstacles = Obstacles(occupied, clear, model.discs, model.boxes, nearby)
    _begin(i, fresh, robots, model)
    forget(nearby)
    _tick_by_tick(i, times, True, obstacles, robots, model, scratch)
    if times > 0:
        _set_flags(i, obstacles, robots, model, maps, scratch)


@compiled
def advance_in_runs(
    i: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps, buffers: Buffers
) -> None:
    """Do the work of `advance`, with ticks in free space computed together."""
    robots, model, maps, buffers = lent(robots), lent(model), lent(maps), lent(buffers)
    which = robots.maps[i]
    occupied, clear = layer_of(maps, maps.occupied, which), layer_of(maps, maps.clear, which)
    nearby, scratch = buffers.nearby, buffers.scratch
    obstacles = Obstacles(occupied, clear, model.discs, model.boxes, nearby)
    body, counters = robots.bodies[i], robots.counters[i]
    _begin(i, fresh, robots, model)
    forget(nearby)
    left = times
    while left > 0:
        done = 0
        if model.carpets.shape[0] == 0 and body[b.NORMAL_X] == 0.0 and body[b.NORMAL_Y] == 0.0:
            most = min(left, _obeyed(i, robots, model))
            done = free_run.run(
                body, model.const[which], robots.keys[i, 0], counters[TICKS], most,
                _room(body, model.const[which], clear), buffers.words, buffers.rows, scratch,
            )  # fmt: skip
        if done > 0:
            _note_run(i, done, robots, model, buffers.rows)
        else:
            done = min(left, SINGLE)
            _tick_by_tick(i, done, done == left, obstacles, robots, model, scratch)
        left -= done
    if times > 0:
        _set_flags(i, obstacles, robots, model, maps, scratch)


@inlined
def _room(body: Floats, const: Floats, clear: NDArray[np.float32]) -> float:
    """Return a distance in cells in which the robot touches nothing, or less than 0."""
    cos, sin, res = const[b.OCOS], const[b.OSIN], const[b.RES]
    dx, dy = (body[b.X] - const[b.OX]) / res, (body[b.Y] - const[b.OY]) / res
    return room_at(clear, cos * dx + sin * dy, cos * dy - sin * dx, const[b.RADIUS] / res)


@compiled
def _begin(i: int, fresh: bool, robots: Robots, model: Model) -> None:
    """Note the time of a new command, and set the goal of the drive."""
    counters, rates = robots.counters[i], model.rates
    if fresh:
        counters[COMMANDED_NS] = due_ns(counters[TICKS], rates[TICK_NUM], rates[TICK_DEN])
    _set_goal(i, robots, model)


@compiled
def _obeyed(i: int, robots: Robots, model: Model) -> int:
    """Return for how many ticks of a run the command is sure to stay in force."""
    counters, limit_ns = robots.counters[i], model.limits[robots.maps[i], DEADMAN_NS]
    end = counters[TICKS] + free_run.MOST
    end_ns = due_ns(end, model.rates[TICK_NUM], model.rates[TICK_DEN])
    if limit_ns > 0.0 and end_ns - counters[COMMANDED_NS] > limit_ns:
        return 0
    return free_run.MOST


@compiled
def _tick_by_tick(
    i: int, times: int, to_end: bool, obstacles: Obstacles, robots: Robots, model: Model,
    scratch: Floats,
) -> None:  # fmt: skip
    """Do some ticks; `to_end` if the switches are to be read after the last one."""
    robots, model, obstacles, scratch = lent(robots), lent(model), lent(obstacles), lent(scratch)
    counters, which, body = robots.counters[i], robots.maps[i], robots.bodies[i]
    trail, key, const, rates = robots.trails[i], robots.keys[i, 0], model.const[which], model.rates
    power, deadman_ns = model.power[which], model.limits[which, DEADMAN_NS]
    ticks, at, hit, room = counters[TICKS], counters[TRAIL_AT], False, 0.0
    for remaining in range(times - 1, -1, -1):
        ticks += 1
        if deadman_ns > 0.0:
            _stop_if_silent(i, due_ns(ticks, rates[TICK_NUM], rates[TICK_DEN]), robots, model)
        # The switches need the cells of the last tick.
        room = 0.0 if to_end and remaining == 0 else room
        hit, room = b.move(body, const, obstacles, model.carpets, key, ticks, room, scratch)
        trail[at, 0], trail[at, 1], trail[at, 2], trail[at, 3] = (
            ticks * const[b.DT], body[b.X], body[b.Y], body[b.THETA],
        )  # fmt: skip
        at = at + 1 if at + 1 < trail.shape[0] else 0
        counters[SINCE_SCAN] += 1
        robots.energy_wh[i] = drained(
            power, 0.0, robots.energy_wh[i], body[b.V], body[b.X], body[b.Y], const[b.DT]
        )
        if ticks >= counters[SCAN_TICK]:
            _end_turns(ticks, counters, rates)
    counters[TICKS], counters[TRAIL_AT], counters[FLAGS] = ticks, at, 1 if hit else 0


@compiled
def _note_run(i: int, times: int, robots: Robots, model: Model, rows: Floats) -> None:
    """Note the ticks of a run: in the trail, the battery and the turns of the lidar."""
    robots, model, rows = lent(robots), lent(model), lent(rows)
    counters, which, trail = robots.counters[i], robots.maps[i], robots.trails[i]
    power, dt = model.power[which], model.const[which, b.DT]
    ticks, at = counters[TICKS], counters[TRAIL_AT]
    for k in range(times):
        ticks += 1
        x, y = rows[free_run.X, k], rows[free_run.Y, k]
        trail[at, 0], trail[at, 1], trail[at, 2] = ticks * dt, x, y
        trail[at, 3] = rows[free_run.THETA, k]
        at = at + 1 if at + 1 < trail.shape[0] else 0
        counters[SINCE_SCAN] += 1
        if power[DISCHARGES] > 0.0:
            v = rows[free_run.WHEELS_V, k]
            robots.energy_wh[i] = drained(power, 0.0, robots.energy_wh[i], v, x, y, dt)
        if ticks >= counters[SCAN_TICK]:
            _end_turns(ticks, counters, model.rates)
    counters[TICKS], counters[TRAIL_AT], counters[FLAGS] = ticks, at, 0


@compiled
def _end_turns(ticks: int, counters: Any, rates: Any) -> None:
    """Note the turns of the lidar that ended since the last tick, and when the next one ends."""
    num, den = rates[SCAN_NUM], rates[SCAN_DEN]
    now_ns = due_ns(ticks, rates[TICK_NUM], rates[TICK_DEN])
    end_ns = due_ns(counters[SCANS] + 1, num, den)
    while end_ns <= now_ns:
        counters[SCANS] += 1
        counters[SCANNED_NS] = end_ns
        counters[SINCE_SCAN] = 0 if end_ns == now_ns else 1  # ticks after the end of the turn
        end_ns = due_ns(counters[SCANS] + 1, num, den)
    period = NS_PER_S * rates[TICK_DEN]
    counters[SCAN_TICK] = (end_ns * rates[TICK_NUM] + period - 1) // period


@compiled
def _set_flags(
    i: int, obstacles: Obstacles, robots: Robots, model: Model, maps: Maps, scratch: Floats
) -> None:
    """Set the flags of the last tick. Those of the ticks before are not needed."""
    which, counters = robots.maps[i], robots.counters[i]
    cliff = layer_of(maps, maps.cliff, which)
    counters[FLAGS] = b.switches(
        robots.bodies[i], model.const[which], obstacles, cliff, model.cliff_sensors,
        counters[FLAGS] != 0, scratch,
    )  # fmt: skip


@compiled
def _set_goal(i: int, robots: Robots, model: Model) -> None:
    """Set the goal of the drive: the command, as faulty wheels execute it."""
    body, faults, limits = robots.bodies[i], robots.faults[i], model.limits[robots.maps[i]]
    v, w = robots.commands[i, 0], robots.commands[i, 1]
    if faults[0, 0] != 0.0 or faults[1, 0] != 0.0:
        left, right = wheel_speeds(v, w, limits[BASE])
        left = actuate(faults[0, 0], faults[0, 1], left, limits[TOP_MPS])
        right = actuate(faults[1, 0], faults[1, 1], right, limits[TOP_MPS])
        v, w = body_speeds(left, right, limits[BASE])
    body[b.GOAL_V], body[b.GOAL_W] = v, w


@compiled
def _stop_if_silent(i: int, now_ns: int, robots: Robots, model: Model) -> None:
    """Dead man's switch: stop if the last command is too old."""
    command, counters = robots.commands[i], robots.counters[i]
    limit_ns = model.limits[robots.maps[i], DEADMAN_NS]
    moving = command[0] != 0.0 or command[1] != 0.0
    if moving and now_ns - counters[COMMANDED_NS] > limit_ns:
        command[0], command[1] = 0.0, 0.0
        counters[COMMANDED_NS] = now_ns
        _set_goal(i, robots, model)


@compiled
def sense(i: int, robots: Robots, model: Model, readings: Readings) -> None:
    """Read the inertial sensors and the encoders of robot i, as on the wire."""
    which, counters, body = robots.maps[i], robots.counters[i], robots.bodies[i]
    now_ns = due_ns(counters[TICKS], model.rates[TICK_NUM], model.rates[TICK_DEN])
    drift = model.limits[which, DRIFT_RATE] * now_ns / 1e9
    b.read_imu(
        body, model.const[which], model.gyro_axes, model.accel_axes, model.deviations[which],
        model.biases[which], drift, robots.keys[i, 1], counters[TICKS], readings.imu[i],
    )  # fmt: skip
    left = math.floor(body[b.LEFT_TICKS] + robots.phases[i, 0])
    right = math.floor(body[b.RIGHT_TICKS] + robots.phases[i, 1])
    readings.encoders[i, 0], readings.encoders[i, 1] = left % 65536, right % 65536


@unlocked
def advance_many(
    first: int, last: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps
) -> None:
    """Advance the robots from `first` to before `last`."""
    robots, model, maps = lent(robots), lent(model), lent(maps)
    words, rows = np.empty((4, free_run.MOST), np.uint32), np.empty((free_run.ROWS, free_run.MOST))
    buffers = Buffers(np.empty(NEARBY_SIZE), np.empty(MOVED), words, rows)
    for i in range(first, last):
        advance_in_runs(i, times, fresh, robots, model, maps, buffers)


@unlocked
def sense_many(first: int, last: int, robots: Robots, model: Model, readings: Readings) -> None:
    """Read the sensors of the robots from `first` to before `last`."""
    robots, model, readings = lent(robots), lent(model), lent(readings)
    for i in range(first, last):
        sense(i, robots, model, readings)
