"""Observations and results of the vacuum's tasks, one robot or beam at a time.

`rigless.cuda` translates these functions for graphics processors, so they use arithmetic that has
the same bits everywhere.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.gym.compiled_way import length, see_way
from rigless.kernel.compiled import compiled, inlined, unlocked
from rigless.kernel.compiled.elementary import sin_cos
from rigless.kernel.compiled.lending import lent
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.batch import FLAGS, Robots

Floats = NDArray[np.float64]

# NUMBERS: the lidar's reach, top speeds, the goal's radius, the corner and the side of the cells of
# the floor, and how many of them can be reached
REACH_M, MOST_MPS, MOST_RADPS, NEAR_M, LOW_X, LOW_Y, CELL_M, TOTAL = range(8)
NUMBERS = 8
ALWAYS = 4  # numbers of each observation that follow the ranges: bumpers and speeds
PATCH = 5  # cells on a side of the covered floor that a vacuum observes
COLLISION = 0.05
FAR_M = 10.0  # a goal at this distance or farther is observed as 1


class Goals(NamedTuple):
    """The goal of each robot, and its distance at the last step."""

    places: Floats
    distances_m: Floats
    numbers: Floats


class Floor(NamedTuple):
    """The cells of the floor: reachable ones, those covered by each robot, and their numbers."""

    open: NDArray[np.bool_]
    seen: NDArray[np.bool_]
    counts: NDArray[np.int64]
    numbers: Floats


class Results(NamedTuple):
    """The results of a step, one row per robot. `share` is that of the covered floor."""

    reward: Floats
    terminated: NDArray[np.bool_]
    share: Floats


@inlined
def _range(i: int, k: int, scans: Any, reach_m: float) -> float:
    """Return the distance of beam k as a share of the reach; 1 if there is no echo."""
    share = scans.distances_m[i, k] / reach_m
    return share if scans.qualities[i, k] > 0 and share < 1.0 else 1.0


@compiled
def _see_ranges(i: int, beams: int, scans: Any, reach_m: float, out: Any) -> None:
    """Observe all beams of robot i."""
    distances, qualities, row = scans.distances_m[i], scans.qualities[i], out[i]
    for k in range(beams):
        share = distances[k] / reach_m
        row[k] = share if (qualities[k] > 0) & (share < 1.0) else 1.0


@inlined
def _share(value: float, most: float) -> float:
    return min(max(value / most, -1.0), 1.0)


@compiled
def _sense(i: int, robots: Robots, numbers: Floats, first: int, out: Any) -> None:
    """Write bumpers and speeds into columns from `first`."""
    flags, body = robots.counters[i, FLAGS], robots.bodies[i]
    out[i, first] = 1.0 if flags & b.BUMP_LEFT else 0.0
    out[i, first + 1] = 1.0 if flags & b.BUMP_RIGHT else 0.0
    out[i, first + 2] = _share(body[b.REAL_V], numbers[MOST_MPS])
    out[i, first + 3] = _share(body[b.REAL_W], numbers[MOST_RADPS])


@inlined
def _collision(i: int, robots: Robots) -> float:
    """Return the cost of contact in the last tick."""
    return COLLISION if robots.counters[i, FLAGS] & b.HIT else 0.0


# A place to drive to


@compiled
def see_goal(i: int, k: int, robots: Robots, scans: Any, goals: Goals, out: Any) -> None:
    """Observe beam k of robot i; an index after the last beam stands for all other numbers."""
    numbers, beams = goals.numbers, scans.distances_m.shape[1]
    if k < beams:
        out[i, k] = _range(i, k, scans, numbers[REACH_M])
        return
    _sense(i, robots, numbers, beams, out)
    body = robots.bodies[i]
    away_x, away_y = goals.places[i, 0] - body[b.X], goals.places[i, 1] - body[b.Y]
    see_way(i, beams + ALWAYS, away_x, away_y, body[b.THETA], FAR_M, out)


@compiled
def _goal_distance(i: int, robots: Robots, goals: Goals) -> float:
    away_x = goals.places[i, 0] - robots.bodies[i, b.X]
    away_y = goals.places[i, 1] - robots.bodies[i, b.Y]
    return length(away_x, away_y)


@compiled
def begin_goal(t: int, rows: NDArray[np.int64], robots: Robots, goals: Goals) -> None:
    """Measure the distance of robot rows[t] at the beginning of its episode."""
    i = rows[t]
    goals.distances_m[i] = _goal_distance(i, robots, goals)


@compiled
def judge_goal(i: int, robots: Robots, goals: Goals, results: Results) -> None:
    """Write the results of robot i."""
    before, distance = goals.distances_m[i], _goal_distance(i, robots, goals)
    goals.distances_m[i] = distance
    there = distance < goals.numbers[NEAR_M]
    results.reward[i] = before - distance - _collision(i, robots) + (1.0 if there else 0.0)
    results.terminated[i] = there


# Floor to cover


@inlined
def _cell(value: float, low: float, numbers: Floats, size: int) -> int:
    """Return the cell of a coordinate, or the nearest one of the floor."""
    return min(max(math.floor((value - low) / numbers[CELL_M]), 0), size - 1)


@compiled
def see_floor(i: int, k: int, robots: Robots, scans: Any, floor: Floor, out: Any) -> None:
    """Observe beam k of robot i; an index after the last beam stands for all other numbers."""
    numbers, beams = floor.numbers, scans.distances_m.shape[1]
    if k < beams:
        out[i, k] = _range(i, k, scans, numbers[REACH_M])
        return
    _sense(i, robots, numbers, beams, out)
    body = robots.bodies[i]
    s, c = sin_cos(body[b.THETA])
    width, height = floor.open.shape[0], floor.open.shape[1]
    for row in range(PATCH):
        for column in range(PATCH):
            ahead = (row - PATCH // 2) * numbers[CELL_M]
            aside = (column - PATCH // 2) * numbers[CELL_M]
            x = _cell(body[b.X] + c * ahead - s * aside, numbers[LOW_X], numbers, width)
            y = _cell(body[b.Y] + s * ahead + c * aside, numbers[LOW_Y], numbers, height)
            done = floor.seen[i, x, y] or not floor.open[x, y]
            out[i, beams + ALWAYS + PATCH * row + column] = 1.0 if done else 0.0


@compiled
def _mark(i: int, robots: Robots, floor: Floor) -> float:
    """Cover the cell of robot i. Return the new share of the floor."""
    numbers, body = floor.numbers, robots.bodies[i]
    x = _cell(body[b.X], numbers[LOW_X], numbers, floor.open.shape[0])
    y = _cell(body[b.Y], numbers[LOW_Y], numbers, floor.open.shape[1])
    before = floor.counts[i] / numbers[TOTAL]
    if floor.open[x, y] and not floor.seen[i, x, y]:
        floor.seen[i, x, y] = True
        floor.counts[i] += 1
    return floor.counts[i] / numbers[TOTAL] - before


@compiled
def begin_floor(t: int, rows: NDArray[np.int64], robots: Robots, floor: Floor) -> None:
    """Forget the covered floor of robot rows[t], and cover its first cell."""
    i = rows[t]
    floor.counts[i] = 0
    for x in range(floor.open.shape[0]):
        for y in range(floor.open.shape[1]):
            floor.seen[i, x, y] = False
    _mark(i, robots, floor)


@compiled
def judge_floor(i: int, robots: Robots, floor: Floor, results: Results) -> None:
    """Write the results of robot i."""
    new = _mark(i, robots, floor)
    share = floor.counts[i] / floor.numbers[TOTAL]
    results.reward[i] = 100.0 * new - _collision(i, robots)
    results.terminated[i] = share >= 1.0
    results.share[i] = share


# All robots of a part


@unlocked
def see_goal_many(
    first: int, last: int, robots: Robots, scans: Any, goals: Goals, out: Any
) -> None:
    robots, scans, goals, out = lent(robots), lent(scans), lent(goals), lent(out)
    beams = scans.distances_m.shape[1]
    for i in range(first, last):
        _see_ranges(i, beams, scans, goals.numbers[REACH_M], out)
        see_goal(i, beams, robots, scans, goals, out)


@unlocked
def see_floor_many(
    first: int, last: int, robots: Robots, scans: Any, floor: Floor, out: Any
) -> None:
    robots, scans, floor, out = lent(robots), lent(scans), lent(floor), lent(out)
    beams = scans.distances_m.shape[1]
    for i in range(first, last):
        _see_ranges(i, beams, scans, floor.numbers[REACH_M], out)
        see_floor(i, beams, robots, scans, floor, out)


@unlocked
def begin_goal_many(
    first: int, last: int, rows: NDArray[np.int64], robots: Robots, goals: Goals
) -> None:
    for t in range(first, last):
        begin_goal(t, rows, robots, goals)


@unlocked
def begin_floor_many(
    first: int, last: int, rows: NDArray[np.int64], robots: Robots, floor: Floor
) -> None:
    for t in range(first, last):
        begin_floor(t, rows, robots, floor)


@unlocked
def judge_goal_many(first: int, last: int, robots: Robots, goals: Goals, results: Results) -> None:
    robots, goals, results = lent(robots), lent(goals), lent(results)
    for i in range(first, last):
        judge_goal(i, robots, goals, results)


@unlocked
def judge_floor_many(first: int, last: int, robots: Robots, floor: Floor, results: Results) -> None:
    robots, floor, results = lent(robots), lent(floor), lent(results)
    for i in range(first, last):
        judge_floor(i, robots, floor, results)
