"""Starts of the robots of a simulation: places of the world, rows, or free places near their own.

Robots with different starts of their own keep them, even if they overlap.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rigless.kernel.body import Body
from rigless.kernel.fleet import FleetMember
from rigless.kernel.problems import Problem
from rigless.kernel.world import World

SMALLEST_M = 0.1
LARGEST_M = 1e12  # all places beyond it are in the last square

Pose = tuple[float, float, float]


class _Taken:
    """The bodies that stand in a world, by the square that they are in."""

    def __init__(self, side_m: float):
        self.bodies: list[Body] = []
        self._side_m = max(side_m, SMALLEST_M)  # at least the diameter of every body
        self._squares: dict[tuple[int, int], list[Body]] = {}

    def add(self, body: Body) -> None:
        self.bodies.append(body)
        self._squares.setdefault(self._square(body), []).append(body)

    def overlaps(self, body: Body) -> bool:
        column, row = self._square(body)
        near = ((column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
        return any(body.overlaps(other) for at in near for other in self._squares.get(at, ()))

    def _square(self, body: Body) -> tuple[int, int]:
        x, y = (max(-LARGEST_M, min(at, LARGEST_M)) for at in (body.x, body.y))
        return int(x // self._side_m), int(y // self._side_m)


def spread_starts(robots: Iterable[Any], seed: int) -> list[Problem]:
    """Assign a start to each robot that has none of its own, or whose start an earlier one has.

    A robot without a start gets the next place of its world, or stands in the rows of an open
    plane. A robot whose start is taken gets the free place nearest to it. Return a problem for each
    robot without a place.
    """
    worlds: dict[int, list[tuple[Any, Body, int]]] = {}
    counts: Counter[type] = Counter()
    for robot in robots:
        if isinstance(robot, FleetMember) and (body := robot.start_body()) is not None:
            world: World = robot.world  # type: ignore[attr-defined]
            worlds.setdefault(id(world), []).append((robot, body, counts[type(robot)]))
            counts[type(robot)] += 1
    problems: list[Problem] = []
    for members in worlds.values():
        problems += _spread_in_world(members, seed)
    return problems


def _spread_in_world(members: list[tuple[Any, Body, int]], seed: int) -> list[Problem]:
    world: World = members[0][0].world
    taken = _Taken(2.0 * max(body.outer_m for _, body, _ in members))
    without = [member for member in members if not member[0].has_own_start()]
    waiting = _keep_starts([member for member in members if member[0].has_own_start()], taken)
    places, late = world.starts(seed), []
    for robot, body, others in without:
        place = _next_place(places, body, taken)
        if place is None and world.is_plane:
            place = robot.row_start(others)
        if place is None:
            late.append((robot, body, others))
            continue
        robot.start_place = place
        taken.add(_at(body, place))
    waiting += _keep_starts(late, taken)
    return _place_near(world, waiting, taken)


def _keep_starts(members: list[tuple[Any, Body, int]], taken: _Taken) -> list[tuple[Any, Body]]:
    """Take the starts of these robots. Return the robots whose start an earlier one has."""
    starts = {(body.x, body.y) for body in taken.bodies}
    waiting = []
    for robot, body, _ in members:
        if (body.x, body.y) in starts:
            waiting.append((robot, body))
        else:
            starts.add((body.x, body.y))
            taken.add(body)
    return waiting


def _next_place(places: Iterator[Pose], body: Body, taken: _Taken) -> Pose | None:
    return next((place for place in places if not taken.overlaps(_at(body, place))), None)


def _place_near(world: World, waiting: list[tuple[Any, Body]], taken: _Taken) -> list[Problem]:
    """Assign the free place nearest to its start to each of these robots."""
    for robot, body in waiting:
        place = world.nearest_free(body, [*taken.bodies, *world.bodies(robot.now_ns)])
        if place is None:
            what = f"there is no free place near the start ({body.x:g}, {body.y:g})"
            what += f": this world holds {len(taken.bodies)} of the robots"
            fix = f"use {len(taken.bodies)} robots, a larger map, as [world] map = "
            fix += '"warehouse_1000" (or --set world.map=…; see rigless list), or a start for each'
            return [Problem(robot.name, what, fix)]  # the next ones have none either
        robot.start_place = (*place, body.theta)
        taken.add(body.at(*place))
    return []


def _at(body: Body, place: Pose) -> Body:
    return replace(body, x=place[0], y=place[1], theta=place[2])
