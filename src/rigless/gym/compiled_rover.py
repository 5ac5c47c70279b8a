"""Observations and results of the rover's task, one robot at a time; see `compiled_vacuum`."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.gym.compiled_way import length, see_way
from rigless.kernel.compiled import compiled, unlocked
from rigless.kernel.compiled.lending import lent
from rigless.robots.rover import body as b
from rigless.robots.rover.batch import Readings, Robots

Floats = NDArray[np.float64]

# NUMBERS: top speeds and the waypoint's radius
MOST_MPS, MOST_RADPS, NEAR_M = range(3)
FAR_M = 30.0


class Waypoints(NamedTuple):
    """The waypoint of each robot, and its distance at the last step."""

    places: Floats
    distances_m: Floats
    numbers: Floats


class Results(NamedTuple):
    """The results of a step, one row per robot."""

    reward: Floats
    terminated: NDArray[np.bool_]


@compiled
def see(i: int, robots: Robots, readings: Readings, waypoints: Waypoints, out: Any) -> None:
    """Observe the way from the last fix to the waypoint, and the encoders."""
    away_x = waypoints.places[i, 0] - robots.fixes[i, 0]
    away_y = waypoints.places[i, 1] - robots.fixes[i, 1]
    see_way(i, 0, away_x, away_y, readings.imu[i, 0], FAR_M, out)
    numbers, body = waypoints.numbers, robots.bodies[i]
    out[i, 3] = min(max(body[b.ENC_V] / numbers[MOST_MPS], -1.0), 1.0)
    out[i, 4] = min(max(body[b.ENC_W] / numbers[MOST_RADPS], -1.0), 1.0)


@compiled
def _distance(i: int, robots: Robots, waypoints: Waypoints) -> float:
    away_x = waypoints.places[i, 0] - robots.bodies[i, b.X]
    away_y = waypoints.places[i, 1] - robots.bodies[i, b.Y]
    return length(away_x, away_y)


@compiled
def begin(t: int, rows: NDArray[np.int64], robots: Robots, waypoints: Waypoints) -> None:
    """Measure the distance of robot rows[t] at the beginning of its episode."""
    i = rows[t]
    waypoints.distances_m[i] = _distance(i, robots, waypoints)


@compiled
def judge(i: int, robots: Robots, waypoints: Waypoints, results: Results) -> None:
    """Write the results of robot i."""
    before, distance = waypoints.distances_m[i], _distance(i, robots, waypoints)
    waypoints.distances_m[i] = distance
    there = distance < waypoints.numbers[NEAR_M]
    results.reward[i] = before - distance + (1.0 if there else 0.0)
    results.terminated[i] = there


@unlocked
def see_many(
    first: int, last: int, robots: Robots, readings: Readings, waypoints: Waypoints, out: Any
) -> None:
    robots, readings = lent(robots), lent(readings)
    waypoints, out = lent(waypoints), lent(out)
    for i in range(first, last):
        see(i, robots, readings, waypoints, out)


@unlocked
def begin_many(
    first: int, last: int, rows: NDArray[np.int64], robots: Robots, waypoints: Waypoints
) -> None:
    for t in range(first, last):
        begin(t, rows, robots, waypoints)


@unlocked
def judge_many(
    first: int, last: int, robots: Robots, waypoints: Waypoints, results: Results
) -> None:
    robots, waypoints, results = lent(robots), lent(waypoints), lent(results)
    for i in range(first, last):
        judge(i, robots, waypoints, results)
