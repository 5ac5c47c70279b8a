"""The way to a goal, planned aside, with refusals as sentences."""

import asyncio
from collections.abc import Sequence

from rigless.kernel.body import Body
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.panel.goals.models import GiveGoal
from rigless.worlds.route import NoRoute, Point, Route, find_route


async def plan(robot: Robot, place: Point, radius_m: float, goal: Point) -> Route | NoRoute:
    """Plan in a thread, since numba may have to compile, which takes seconds."""
    disc = Body(*place, radius_m=radius_m)
    others = [Body(x, y, radius_m=radius) for x, y, radius in robot.neighbours()]
    return await asyncio.to_thread(find_route, robot.world, disc, goal, robot.now_ns, others)


async def plan_goal(
    robot: Robot, place: Point, radius_m: float, given: GiveGoal
) -> tuple[Route, Point]:
    """Return the way and the goal. Raises InputError with the nearest place that can be reached."""
    goal = given.x_m, given.y_m
    found = await plan(robot, place, radius_m, goal)
    if isinstance(found, NoRoute) and given.nearest and found.place is not None:
        goal = found.place
        found = await plan(robot, place, radius_m, goal)
    if isinstance(found, NoRoute):
        raise InputError(Problem(robot.name, found.reason, _fix(found.place)))
    return found, goal


def _fix(place: Sequence[float] | None) -> str:
    if place is None:
        return "choose another place"
    return f"the nearest place: x = {place[0]:g}, y = {place[1]:g}"
