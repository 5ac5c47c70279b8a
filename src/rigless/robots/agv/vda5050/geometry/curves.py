"""NURBS trajectories of edges, as waypoints that the drive can follow without stopping.

The drive makes small changes of direction in passing. A curve is therefore divided into chords of
equal change of direction, and its speed is limited by its curvature.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.vda5050_model.received import Trajectory

KINK_RAD = 0.02  # with the overshoot of a tick below BEND of motion/drive.py
CHORD_TICKS = 2.0  # of the tick period: a chord lasts at least as long
FINE = 2000  # samples of a curve, from which the chords are chosen
LONGEST_M = 0.5  # of a chord

Point = tuple[float, float]


def points_at(curve: Trajectory, parameters: NDArray[np.float64]) -> list[Point]:
    """Return the points of a curve at parameters from 0 to 1, by de Boor's algorithm."""
    degree, points = curve.degree or 1, curve.controlPoints
    knots = np.array(curve.knotVector or clamped(len(points), degree))
    low, high = knots[degree], knots[len(points)]
    at = low + (high - low) * parameters
    span = np.clip(np.searchsorted(knots, at, "right") - 1, degree, len(points) - 1)
    weights = [1.0 if point.weight is None else point.weight for point in points]
    table = np.array([(p.x * w, p.y * w, w) for p, w in zip(points, weights, strict=True)])
    rows = [table[span - degree + j] for j in range(degree + 1)]
    for level in range(1, degree + 1):
        for j in range(degree, level - 1, -1):
            first, gap = knots[j + span - degree], knots[j + 1 + span - level]
            gap = gap - first
            part = np.where(gap > 0.0, (at - first) / np.where(gap > 0.0, gap, 1.0), 0.0)[:, None]
            rows[j] = (1.0 - part) * rows[j - 1] + part * rows[j]
    found: list[Point] = [(x, y) for x, y in (rows[degree][:, :2] / rows[degree][:, 2:]).tolist()]
    return found


def clamped(count: int, degree: int) -> list[float]:
    """Return the clamped uniform knots that 3.0 assumes if a trajectory has none."""
    inner = count - degree
    middle = [step / inner for step in range(1, inner)]
    return [0.0] * (degree + 1) + middle + [1.0] * (degree + 1)


def chords(curve: Trajectory) -> list[Point]:
    """Return points of a curve whose chords differ in direction by at most KINK_RAD."""
    if (curve.degree or 1) == 1:
        return [(point.x, point.y) for point in curve.controlPoints]
    fine = points_at(curve, np.arange(FINE + 1) / FINE)
    kept = [fine[0]]
    heading: float | None = None
    for before, here in itertools.pairwise(fine):
        way = math.atan2(here[1] - before[1], here[0] - before[0])
        if heading is None:
            heading = way
        turned = abs(math.remainder(way - heading, 2 * math.pi))
        if turned > KINK_RAD or math.dist(kept[-1], here) > LONGEST_M:
            kept.append(before)
            heading = way
    if math.dist(kept[-1], fine[-1]) < 1e-6:
        kept.pop()
    return [*kept, fine[-1]]


def waypoints(
    curve: Trajectory, max_speed: float | None, max_turn: float | None, back: bool, tick_s: float
) -> list[Waypoint]:
    """Return the waypoints along a curve, each passed at speed; `max_turn` is in rad/s."""
    points = chords(curve)
    found = []
    for before, here in itertools.pairwise(points):
        fastest = math.dist(before, here) / (CHORD_TICKS * tick_s)
        speed = fastest if max_speed is None else min(fastest, max_speed)
        if max_turn is not None:
            speed = min(speed, max_turn * math.dist(before, here) / KINK_RAD)
        limit = max(speed, 0.02)
        found.append(Waypoint(here[0], here[1], None, limit, False, True, back, max_turn))
    return found
