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
from rigless.motion.contact import MOVED
from rigless.motion.diff_drive import body_speeds, wheel_speeds
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.lidar import beams as s
from rigless.robots.vacuum.power import drained
from rigless.worlds.grid_rows import Maps, layer_of, squares_of
from rigless.worlds.raycast import cast_ray

Floats = NDArray[np.float64]

# COUNTERS: the number of ticks and scans, the flags of the last tick, the index of the oldest entry
# of the trail, the times of the last scan and the last command, and the ticks since the scan
TICKS, SCANS, FLAGS, TRAIL_AT, SCANNED_NS, COMMANDED_NS, SINCE_SCAN = range(7)
COUNTERS = 7
# LIMITS: dead man's switch, wheel base, top speeds, the lidar motor's jitter and start, gyro drift
DEADMAN_NS, BASE, TOP_MPS, TOP_RADPS, JITTER, COLD_START_S, DRIFT_RATE = range(7)
# RATES of ticks and scans, as fractions of hertz
TICK_NUM, TICK_DEN, SCAN_NUM, SCAN_DEN = range(4)


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


class Scans(NamedTuple):
    """The last scan of every robot: quality is 0 where a beam has no echo."""

    angles: NDArray[np.float32]
    distances: NDArray[np.float32]
    qualities: NDArray[np.uint8]
    truth_m: Floats


class Readings(NamedTuple):
    """Gyro, accelerometer and tilt in the units of the wire, and the encoders (left, right)."""

    imu: NDArray[np.int64]
    encoders: NDArray[np.int64]


@compiled
def advance(i: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps) -> None:
    """Advance robot i by some ticks, with the scans that are due on the way.

    `fresh` is True if there is a new command.
    """
    which = robots.maps[i]
    occupied, clear, cliff = (
        layer_of(maps, maps.occupied, which),
        layer_of(maps, maps.clear, which),
        layer_of(maps, maps.cliff, which),
    )
    body, trail, const, rates = robots.bodies[i], robots.trails[i], model.const[which], model.rates
    counters, key = robots.counters[i], robots.keys[i, 0]
    scratch = np.empty(MOVED)
    ticks, at, flags = counters[TICKS], counters[TRAIL_AT], counters[FLAGS]
    if fresh:
        counters[COMMANDED_NS] = due_ns(ticks, rates[TICK_NUM], rates[TICK_DEN])
    _set_goal(i, robots, model)
    next_scan = due_ns(_turns(ticks, rates) + 1, rates[SCAN_NUM], rates[SCAN_DEN])
    for _ in range(times):
        ticks += 1
        now_ns = due_ns(ticks, rates[TICK_NUM], rates[TICK_DEN])
        while next_scan < now_ns:  # a turn ended between two ticks
            next_scan = _turn(counters, next_scan, rates)
        if model.limits[which, DEADMAN_NS] > 0.0:
            _stop_if_silent(i, now_ns, robots, model)
        flags = b.tick(
            body, const, occupied, clear, cliff, model.discs, model.boxes, model.carpets,
            model.cliff_sensors, key, ticks, scratch,
        )  # fmt: skip
        time_s = ticks * const[b.DT]
        trail[at, 0], trail[at, 1], trail[at, 2], trail[at, 3] = (
            time_s, body[b.X], body[b.Y], body[b.THETA],
        )  # fmt: skip
        at = at + 1 if at + 1 < trail.shape[0] else 0
        counters[SINCE_SCAN] += 1
        robots.energy_wh[i] = drained(
            model.power[which],
            0.0,
            robots.energy_wh[i],
            body[b.V],
            body[b.X],
            body[b.Y],
            const[b.DT],
        )
        if next_scan == now_ns:  # a scan follows the tick of the same instant
            next_scan = _turn(counters, next_scan, rates)
    counters[TICKS], counters[TRAIL_AT], counters[FLAGS] = ticks, at, flags


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
def _turns(ticks: int, rates: Any) -> int:
    """Return how many turns of the lidar were due up to a tick, this instant included."""
    now_ns = due_ns(ticks, rates[TICK_NUM], rates[TICK_DEN])
    found = now_ns * rates[SCAN_NUM] // (NS_PER_S * rates[SCAN_DEN])
    while due_ns(found + 1, rates[SCAN_NUM], rates[SCAN_DEN]) <= now_ns:
        found += 1
    return found


@compiled
def _turn(counters: Any, now_ns: int, rates: Any) -> int:
    """Note the end of a turn; return when the next one ends."""
    counters[SCANS] += 1
    counters[SCANNED_NS], counters[SINCE_SCAN] = now_ns, 0
    done = (now_ns * rates[SCAN_NUM] + NS_PER_S * rates[SCAN_DEN] - 1) // (
        NS_PER_S * rates[SCAN_DEN]
    )
    return due_ns(done + 1, rates[SCAN_NUM], rates[SCAN_DEN])


@compiled
def beam(i: int, k: int, robots: Robots, model: Model, maps: Maps, scans: Scans) -> None:
    """Measure beam k of robot i in its last turn, with the same bits as `scan`."""
    counters, which = robots.counters[i], robots.maps[i]
    if k >= _beams(i, robots, model):
        _write(scans, i, k, math.inf, False, model.angles[k], 0.0, 0)
        return
    setup, key, number = model.setup[which], robots.keys[i, 2], counters[SCANS]
    rays, ranges, noise = np.empty((1, 4)), np.empty(1), np.empty((1, 4))
    cells, across = np.empty((1, 2), np.int64), np.empty(1, np.bool_)
    begin_s, end_s = turn_s(counters, model.rates)
    s.aim(
        setup, robots.trails[i], counters[TRAIL_AT], counters[SINCE_SCAN], begin_s, end_s,
        model.angles.shape[0], model.cosines, model.sines, k, rays,
    )  # fmt: skip
    squares = squares_of(maps, which)
    ranges[0], cells[0, 0], cells[0, 1], across[0] = cast_ray(
        squares,
        rays[0, 0],
        rays[0, 1],
        rays[0, 2],
        rays[0, 3],
        (setup[s.MAX_RANGE] + 1.0) / setup[s.RES],
    )
    s.draw(key, number, k, 0, noise)
    if s.has_echoes(setup, model.discs, model.boxes):
        hits = s.Hits(rays, ranges, cells, across)
        material = layer_of(maps, maps.material, which)
        s.find_echoes(setup, squares, material, model.discs, model.boxes, hits, noise)
    truth_m = ranges[0] * setup[s.RES]
    seen, angle, distance, quality = s.measure(
        setup, model.angles[k], model.cosines[k], model.sines[k], truth_m, noise, 0, key, number, k
    )
    _write(scans, i, k, truth_m, seen, angle, distance, quality)


@compiled
def scan(
    i: int, robots: Robots, model: Model, maps: Maps, scans: Scans, buffers: s.Hits, noise: Floats,
    points: Floats,
) -> None:  # fmt: skip
    """Measure the last turn of robot i, its rays cast together.

    `buffers` and `noise` have a row for each beam, `points` has a column.
    """
    robots, model, maps, scans = lent(robots), lent(model), lent(maps), lent(scans)
    buffers, noise, points = lent(buffers), lent(noise), lent(points)
    counters, which, beams = robots.counters[i], robots.maps[i], _beams(i, robots, model)
    for k in range(beams, model.angles.shape[0]):
        _write(scans, i, k, math.inf, False, model.angles[k], 0.0, 0)
    if beams == 0:
        return
    setup, key, number = model.setup[which], robots.keys[i, 2], counters[SCANS]
    rays, ranges, cells, across = buffers
    hits = s.Hits(rays[:beams], ranges[:beams], cells[:beams], across[:beams])
    begin_s, end_s = turn_s(counters, model.rates)
    s.aim(
        setup, robots.trails[i], counters[TRAIL_AT], counters[SINCE_SCAN], begin_s, end_s,
        model.angles.shape[0], model.cosines, model.sines, 0, hits.rays,
    )  # fmt: skip
    s.cast(
        setup, squares_of(maps, which), layer_of(maps, maps.material, which), model.discs,
        model.boxes, key, number, hits, noise,
    )  # fmt: skip
    truth_m = scans.truth_m[i]
    for k in range(beams):
        truth_m[k] = hits.ranges[k] * setup[s.RES]
    s.measure_all(
        setup, model.angles, model.cosines, model.sines, truth_m[:beams], noise, key, number, points
    )
    for k in range(beams):
        seen = points[3, k] > 0.0
        scans.angles[i, k] = points[0, k] if seen else model.angles[k]
        scans.distances[i, k] = points[1, k] if seen else 0.0
        scans.qualities[i, k] = int(points[2, k]) if seen else 0


@compiled
def _beams(i: int, robots: Robots, model: Model) -> int:
    """Return how many beams the last turn of robot i has."""
    counters, limits = robots.counters[i], model.limits[robots.maps[i]]
    if counters[SCANS] == 0:
        return 0
    since_s = counters[SCANNED_NS] / 1e9
    return s.beam_count(
        model.angles.shape[0], limits[JITTER], limits[COLD_START_S], since_s, robots.keys[i, 2],
        counters[SCANS],
    )  # fmt: skip


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


@inlined
def turn_s(counters: Any, rates: Any) -> tuple[float, float]:
    """Return when the last turn began and ended, in seconds."""
    end_s = counters[SCANNED_NS] / 1e9
    return end_s - 1.0 / (rates[SCAN_NUM] / rates[SCAN_DEN]), end_s


@inlined
def _write(
    scans: Scans, i: int, k: int, truth_m: float, seen: bool, angle: float, distance: float,
    quality: int
) -> None:  # fmt: skip
    scans.truth_m[i, k], scans.angles[i, k] = truth_m, angle
    scans.distances[i, k] = distance if seen else 0.0
    scans.qualities[i, k] = quality if seen else 0


@unlocked
def advance_many(
    first: int, last: int, times: int, fresh: bool, robots: Robots, model: Model, maps: Maps
) -> None:
    """Advance the robots from `first` to before `last`."""
    robots, model, maps = lent(robots), lent(model), lent(maps)
    for i in range(first, last):
        advance(i, times, fresh, robots, model, maps)


@unlocked
def scan_many(
    first: int, last: int, robots: Robots, model: Model, maps: Maps, scans: Scans
) -> None:
    """Measure the last turn of the robots from `first` to before `last`."""
    robots, model, maps, scans = lent(robots), lent(model), lent(maps), lent(scans)
    beams = model.angles.shape[0]
    buffers, noise, points = s.make_hits(beams), np.empty((beams, 4)), np.empty((4, beams))
    for i in range(first, last):
        scan(i, robots, model, maps, scans, buffers, noise, points)


@unlocked
def sense_many(first: int, last: int, robots: Robots, model: Model, readings: Readings) -> None:
    """Read the sensors of the robots from `first` to before `last`."""
    robots, model, readings = lent(robots), lent(model), lent(readings)
    for i in range(first, last):
        sense(i, robots, model, readings)
