"""The path ahead, as plannedPath and intermediatePath of 3.0 have it.

plannedPath is the path along the base, as a polyline. intermediatePath is its first part, with a
time of arrival at each of its points. Times are those of a robot that nothing holds: it drives and
turns within the limits of its drive, and stops where the drive does.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion.motors import Array
from rigless.robots.agv.vda5050.geometry.curves import Point
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model.received import ControlPoint, Trajectory

SEEN_M = 10.0  # intermediatePath ends at the first node beyond
SAME_M = 1e-4  # legs up to this length are none


class Limits(NamedTuple):
    """Limits of the drive in m, rad and s."""

    top: float
    acc: float
    dec: float
    top_turn: float
    acc_turn: float
    dec_turn: float
    turns: bool  # in place


def limits_of(const: Array) -> Limits:
    """Return the limits of the constants of motion/drive.py."""
    at = const.item
    return Limits(
        at(d.TOP_V),
        at(d.ACC_V),
        at(d.DEC_V),
        at(d.TOP_OMEGA),
        at(d.ACC_OMEGA),
        at(d.DEC_OMEGA),
        at(d.MODEL) != d.TRACK,
    )


def control_points(path: Sequence[Waypoint]) -> list[ControlPoint]:
    return [ControlPoint(x=round(to.x, 4), y=round(to.y, 4)) for to in path]


def polyline(points: Sequence[ControlPoint]) -> Trajectory | None:
    """Return a trajectory of degree 1 through points, or None if they are one place."""
    kept = [
        point
        for index, point in enumerate(points)
        if not index or point.x != points[index - 1].x or point.y != points[index - 1].y
    ]
    return Trajectory(controlPoints=kept, degree=1) if len(kept) > 1 else None


def seconds_to(
    pose: tuple[float, float, float], speed: float, path: Sequence[Waypoint], limits: Limits
) -> list[tuple[float, float]]:
    """Return for each waypoint the time of arrival and the heading there.

    `speed` is the present speed along the path.
    """
    points = [pose[:2], *((to.x, to.y) for to in path)]
    lengths = [math.dist(start, end) for start, end in itertools.pairwise(points)]
    headings = _headings(pose[2], points, path, limits.turns)
    tops = [min(limits.top, max(to.max_speed or math.inf, 0.01)) for to in path]
    turns = _turns(pose[2], headings, path)
    passed = _passing_speeds(speed, lengths, tops, turns, path, limits)
    found, now = list[tuple[float, float]](), 0.0
    for index, to in enumerate(path):
        before, after = turns[index], headings[index]
        now += _turning_s(before, to.max_turn, limits)
        now += _driving_s(lengths[index], passed[index], passed[index + 1], tops[index], limits)
        if to.theta is not None:
            now += _turning_s(_off(to.theta, after), to.max_turn, limits)
            after = to.theta
        found.append((now, after))
    return found


def _headings(
    theta: float, points: Sequence[Point], path: Sequence[Waypoint], turns: bool
) -> list[float]:
    """Return the heading of the robot on each leg."""
    found = list[float]()
    for (x, y), (to_x, to_y), to in zip(points, points[1:], path, strict=False):
        if not turns or math.dist((x, y), (to_x, to_y)) <= SAME_M:
            found.append(theta)
            continue
        ahead = math.atan2(to_y - y, to_x - x) + (math.pi if to.back else 0.0)
        found.append(math.remainder(ahead, 2 * math.pi))
        theta = found[-1] if to.theta is None else to.theta
    return found


def _turns(theta: float, headings: Sequence[float], path: Sequence[Waypoint]) -> list[float]:
    """Return the angle that the robot turns in place before each leg."""
    found = list[float]()
    smooth = d.STRAIGHT
    for heading, to in zip(headings, path, strict=True):
        off = _off(heading, theta)
        found.append(off if off > smooth else 0.0)
        theta = heading if to.theta is None else to.theta
        smooth = d.BEND if to.bend and not to.stop else d.STRAIGHT
    return found


def _passing_speeds(
    speed: float,
    lengths: Sequence[float],
    tops: Sequence[float],
    turns: Sequence[float],
    path: Sequence[Waypoint],
    limits: Limits,
) -> list[float]:
    """Return the speed at the start, and at each waypoint."""
    count, found = len(path), [speed] + [0.0] * len(path)
    for index in range(count - 1):
        halts = path[index].stop or turns[index + 1] > 0.0 or path[index].theta is not None
        found[index + 1] = 0.0 if halts else min(tops[index], tops[index + 1])
    for index in range(count - 1, 0, -1):
        reach = found[index + 1] ** 2 + 2.0 * limits.dec * lengths[index]
        found[index] = min(found[index], math.sqrt(reach))
    for index in range(count):
        reach = found[index] ** 2 + 2.0 * limits.acc * lengths[index]
        found[index + 1] = min(found[index + 1], math.sqrt(reach))
    return found


def _driving_s(length: float, first: float, last: float, top: float, limits: Limits) -> float:
    """Return the time for a leg: faster up to `top`, and slower to the speed at its end."""
    acc, dec = limits.acc, limits.dec
    if length <= SAME_M:
        return 0.0
    square = (2.0 * acc * dec * length + dec * first**2 + acc * last**2) / (acc + dec)
    peak = max(min(top, math.sqrt(square)), first, last, 0.01)
    changing = (peak**2 - first**2) / (2.0 * acc) + (peak**2 - last**2) / (2.0 * dec)
    even = max(length - changing, 0.0) / peak
    return (peak - first) / acc + (peak - last) / dec + even


def _turning_s(angle: float, limit: float | None, limits: Limits) -> float:
    if angle <= d.STRAIGHT or not limits.turns:
        return 0.0
    acc, dec = limits.acc_turn, limits.dec_turn
    top = min(limits.top_turn, limit or math.inf)
    peak = min(top, math.sqrt(2.0 * acc * dec * angle / (acc + dec)))
    changing = peak**2 / (2.0 * acc) + peak**2 / (2.0 * dec)
    return peak / acc + peak / dec + max(angle - changing, 0.0) / peak


def _off(a: float, b: float) -> float:
    return abs(math.remainder(a - b, 2 * math.pi))


def intermediate(
    pose: tuple[float, float, float],
    speed: float,
    path: Sequence[Waypoint],
    shown: int,
    limits: Limits,
    eta: Callable[[float], str],
) -> m.IntermediatePath:
    """Return the first `shown` waypoints of a path with times.

    `eta` returns the time in a number of seconds as text.
    """
    times = seconds_to(pose, speed, path, limits)
    first = m.EtaPoint(x=pose[0], y=pose[1], theta=pose[2], eta=eta(0.0))
    rest = [
        m.EtaPoint(
            x=round(to.x, 4),
            y=round(to.y, 4),
            theta=round(math.remainder(heading, 2 * math.pi), 5),
            eta=eta(seconds),
        )
        for to, (seconds, heading) in zip(path[:shown], times, strict=False)
    ]
    return m.IntermediatePath(polyline=[first, *rest])
