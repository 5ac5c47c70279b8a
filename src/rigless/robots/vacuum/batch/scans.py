"""The scans of many vacuums: for one robot and beam, and for many robots at once."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined, unlocked
from rigless.kernel.compiled.lending import lent
from rigless.robots.vacuum.batch import (
    COLD_START_S,
    JITTER,
    SCAN_DEN,
    SCAN_NUM,
    SCANNED_NS,
    SCANS,
    SINCE_SCAN,
    TRAIL_AT,
    Model,
    Robots,
)
from rigless.robots.vacuum.lidar import beams as s
from rigless.robots.vacuum.lidar.turn import aim, aim_all
from rigless.worlds.grid_rows import Maps, layer_of, squares_of
from rigless.worlds.raycast import cast_beams, cast_ray

Floats = NDArray[np.float64]
RAYS = 144  # that are cast together: four scans of 36 beams fill nine groups of sixteen


class Scans(NamedTuple):
    """The last scan of every robot: quality is 0 where a beam has no echo."""

    angles: NDArray[np.float32]
    distances: NDArray[np.float32]
    qualities: NDArray[np.uint8]
    truth_m: Floats


class Buffers(NamedTuple):
    """The rays of some robots, one after the other, with their noise, directions and points."""

    hits: s.Hits
    noise: Floats
    words: NDArray[np.uint32]
    angles: Floats
    cosines: Floats
    sines: Floats
    truth_m: Floats
    points: Floats


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
    aim(
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
def scan_together(
    first: int, last: int, robots: Robots, model: Model, maps: Maps, scans: Scans, to: Buffers
) -> None:
    """Measure the last turn of robots of one variant, their rays cast together."""
    robots, model, maps, scans, to = lent(robots), lent(model), lent(maps), lent(scans), lent(to)
    rays, ranges, cells, across = to.hits
    which = robots.maps[first]
    setup, squares = model.setup[which], squares_of(maps, which)
    total, end = model.angles.shape[0], 0
    for i in range(first, last):
        counters, begin = robots.counters[i], end
        end += _beams(i, robots, model)
        begin_s, end_s = turn_s(counters, model.rates)
        aim_all(
            setup, robots.trails[i], counters[TRAIL_AT], counters[SINCE_SCAN], begin_s, end_s,
            total, model.cosines, model.sines, rays[begin:end],
        )  # fmt: skip
        words = to.words[: 4 * (end - begin)].reshape((4, end - begin))
        s.draw_all(robots.keys[i, 2], counters[SCANS], words, to.noise[begin:end])
        for k in range(end - begin):
            row = begin + k
            to.angles[row], to.cosines[row], to.sines[row] = (
                model.angles[k], model.cosines[k], model.sines[k],
            )  # fmt: skip
    longest = (setup[s.MAX_RANGE] + 1.0) / setup[s.RES]
    cast_beams(squares, rays[:end], longest, ranges[:end], cells[:end], across[:end])
    if s.has_echoes(setup, model.discs, model.boxes):
        hits = s.Hits(rays[:end], ranges[:end], cells[:end], across[:end])
        material = layer_of(maps, maps.material, which)
        s.find_echoes(setup, squares, material, model.discs, model.boxes, hits, to.noise)
    for row in range(end):
        to.truth_m[row] = ranges[row] * setup[s.RES]
    # A quality that has a random number of its own depends on the robot; there is then only one.
    key, number = robots.keys[first, 2], robots.counters[first, SCANS]
    s.measure_all(
        setup, to.angles, to.cosines, to.sines, to.truth_m[:end], to.noise, key, number, to.points
    )
    end = 0
    for i in range(first, last):
        begin = end
        end += _beams(i, robots, model)
        _write_all(i, begin, end, model, scans, to)


@compiled
def _write_all(i: int, begin: int, end: int, model: Model, scans: Scans, to: Buffers) -> None:
    """Write the points in the rows from `begin` to before `end` as the scan of robot i."""
    points, beams = to.points, end - begin
    truth_m, angles = scans.truth_m[i], scans.angles[i]
    distances, qualities = scans.distances[i], scans.qualities[i]
    for k in range(beams):
        row = begin + k
        seen = points[3, row] > 0.0
        truth_m[k] = to.truth_m[row]
        angles[k] = points[0, row] if seen else to.angles[row]
        distances[k] = points[1, row] if seen else 0.0
        qualities[k] = int(points[2, row] if seen else 0.0)
    for k in range(beams, model.angles.shape[0]):
        _write(scans, i, k, math.inf, False, model.angles[k], 0.0, 0)


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


@compiled
def _make_buffers(rows: int) -> Buffers:
    return Buffers(
        s.make_hits(rows), np.empty((rows, 4)), np.empty(4 * rows, np.uint32), np.empty(rows),
        np.empty(rows), np.empty(rows), np.empty(rows), np.empty((4, rows)),
    )  # fmt: skip


@unlocked
def scan_many(
    first: int, last: int, robots: Robots, model: Model, maps: Maps, scans: Scans
) -> None:
    """Measure the last turn of the robots from `first` to before `last`."""
    robots, model, maps, scans = lent(robots), lent(model), lent(maps), lent(scans)
    beams, which = model.angles.shape[0], robots.maps
    most = min(max(RAYS // max(beams, 1), 1), last - first)
    buffers = _make_buffers(most * beams)
    i = first
    while i < last:
        end = i + 1
        alone = model.setup[which[i], s.Q_STD] > 0
        while end < min(i + most, last) and which[end] == which[i] and not alone:
            end += 1
        scan_together(i, end, robots, model, maps, scans, buffers)
        i = end
