"""Inputs that place obstacles and robots: their checks, and the nearest free place as a fix."""

import math
from dataclasses import replace
from typing import Any, Protocol

from rigless.kernel import inputs as inp
from rigless.kernel.body import Body
from rigless.kernel.plain import why_not_plain
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.robot import Robot
from rigless.kernel.world import Obstacle, World

Placed = inp.MoveObstacle | inp.PlaceObstacle | inp.RemoveObstacle | inp.PlaceRobot | inp.SetDevice
MOST_OBSTACLES = 1000
LONGEST_NAME = 100
LARGEST_M = 1000.0  # radius or side of an obstacle
LARGEST_RAD = 1e6
LARGEST_COORDINATE_M = 1e12  # the world says if it is off the map


class PlacingServices(Protocol):
    """The parts of a simulation in which obstacles and robots have places."""

    world: World
    robots: dict[str, Robot]

    @property
    def now_ns(self) -> int: ...

    def robot(self, name: str, /) -> Robot: ...


class Placing:
    """Checks where things are placed in one simulation, and places them."""

    def __init__(self, core: PlacingServices):
        self._core = core

    def world_of(self, robot: str) -> World:
        """Return the world of a robot; without a name, the main world. Raises InputError."""
        return self._core.robot(robot).world if robot else self._core.world

    def check(self, given: Placed, now: bool) -> None:
        """Raise InputError if this cannot be done; `now` is False if it is for later."""
        match given:
            case inp.MoveObstacle():
                self._core.world.check(given)
                # An obstacle that moves over some time meets robots in its path instead.
                if now and not given.over_s:
                    body = self._core.world.body_after(given)
                    if robots := self._under(body, self._core.world):
                        raise InputError(self._placed_on(given.name, body, robots))
            case inp.PlaceObstacle():
                self._check_shape(given)
                if now:
                    self._check_obstacle(given)
            case inp.RemoveObstacle():
                world = self.world_of(given.world_of)
                if given.name not in world.state.obstacles:
                    raise unknown("obstacle", given.name, world.state.obstacles)
            case inp.SetDevice():
                self._core.world.check_device(given)
            case inp.PlaceRobot():
                robot = self._core.robot(given.robot)
                if not robot.can_relocate or robot.footprint() is None:
                    fix = "choose a robot that drives"
                    raise InputError(Problem(robot.name, "has no place that can be changed", fix))
                _check_numbers(robot.name, given.x_m, given.y_m, given.theta_rad)
                if now:
                    self._check_robot(robot, given)

    def carry_out(self, given: Placed) -> None:
        """Place an obstacle or a robot."""
        core = self._core
        match given:
            case inp.MoveObstacle():
                if not given.over_s:
                    self._warn(given.name, core.world.body_after(given), core.world)
                core.world.move(given, core.now_ns)
            case inp.PlaceObstacle():
                world = self.world_of(given.world_of)
                self._warn(given.name, _body(given), world)
                pose = float(given.x_m), float(given.y_m), float(given.theta_rad)
                radius_m = 0.0 if given.size_m else float(given.radius_m)
                world.put(given.name, Obstacle(radius_m, given.size_m, pose, pose))
            case inp.RemoveObstacle():
                self.world_of(given.world_of).remove(given.name)
            case inp.SetDevice():
                core.world.set_device(given, core.now_ns)
            case inp.PlaceRobot():
                robot = core.robots[given.robot]
                robot.relocate(given.x_m, given.y_m, given.theta_rad)
                text = f"placed at ({given.x_m:g}, {given.y_m:g})"
                pose = given.x_m, given.y_m, given.theta_rad
                robot.event("placed", text, "info", pose=list(pose))

    def nearest_free(self, given: inp.PlaceObstacle | inp.PlaceRobot) -> tuple[float, float] | None:
        """Return the place nearest to the given one where this fits, or None."""
        if isinstance(given, inp.PlaceObstacle):
            return self._nearest(_body(given), self.world_of(given.world_of), given.name)
        robot = self._core.robot(given.robot)
        return self._nearest(_moved(robot, given), robot.world, "", robot)

    def check_obstacles(self) -> list[Problem]:
        """Return a problem for each obstacle that stands on a robot, in the main world."""
        core = self._core
        return [
            self._placed_on(name, body, robots)
            for name, obstacle in core.world.state.obstacles.items()
            if (robots := self._under(body := obstacle.body(core.now_ns), core.world))
        ]

    # Obstacles

    def _check_shape(self, given: inp.PlaceObstacle) -> None:
        world = self.world_of(given.world_of)
        name = given.name
        if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            what = f"an obstacle needs a name of 1 to {LONGEST_NAME} printable characters"
            raise InputError(Problem("name", what, "for example crate-1"))
        sizes = given.size_m or (given.radius_m,)
        if given.size_m and given.radius_m:
            what = "an obstacle is either a disc (radius_m) or a box (size_m)"
            raise InputError(Problem(name, what, "give one of them"))
        if any(why_not_plain(size) or not 0 < size <= LARGEST_M for size in sizes):
            fix = f"use a radius_m or a size_m above 0 and at most {LARGEST_M:g} m"
            raise InputError(Problem(name, "an obstacle needs a size", fix))
        _check_numbers(name, given.x_m, given.y_m, given.theta_rad)
        count = len(world.state.obstacles)
        if name not in world.state.obstacles and count >= MOST_OBSTACLES:
            raise InputError(Problem(name, f"there are {count} obstacles", "remove one first"))

    def _check_obstacle(self, given: inp.PlaceObstacle) -> None:
        world, body = self.world_of(given.world_of), _body(given)
        at = f"({given.x_m:g}, {given.y_m:g})"
        robots = self._under(body, world)
        if why := world.why_outside(body):
            what = f"{at} is {why}"
        elif why := world.why_blocked(body, self._core.now_ns, without=given.name):
            what = f"at {at} this obstacle overlaps {why}"
        elif robots:
            what = f"at {at} this obstacle overlaps {_names(robots)}"
        else:
            return
        place = self._nearest(body, world, given.name)
        raise InputError(Problem(given.name, what, _fix(place, "make it smaller")))

    def _placed_on(self, name: str, body: Body, robots: list[Robot]) -> Problem:
        what = f"at ({body.x:g}, {body.y:g}) this obstacle overlaps {_names(robots)}"
        place = self._nearest(body, self._core.world, name)
        return Problem(name, what, _fix(place, "move the robot first"))

    def _warn(self, name: str, body: Body, world: World) -> None:
        for under in self._under(body, world):
            text = f"the obstacle {name} was placed on it"
            under.event("obstacle-on-robot", text, "warning", obstacle=name)

    # Robots

    def _check_robot(self, robot: Robot, given: inp.PlaceRobot) -> None:
        body, world = _moved(robot, given), robot.world
        solid = robot.body() is not None
        at = f"({given.x_m:g}, {given.y_m:g})"
        others = self._under(body, world, without=robot) if solid else []
        if why := world.why_outside(body):
            what = f"{at} is {why}"
        elif solid and (why := world.why_blocked(body, self._core.now_ns)):
            what = f"at {at} it overlaps {why}"
        elif others:
            what = f"at {at} it overlaps {_names(others)}"
        else:
            return
        place = self._nearest(body, world, "", robot)
        raise InputError(Problem(robot.name, what, _fix(place, "no place here is free")))

    # Bodies

    def _nearest(
        self, body: Body, world: World, obstacle: str, robot: Robot | None = None
    ) -> tuple[float, float] | None:
        """Return the nearest place that is free of all but one obstacle or robot, or None."""
        others = [one for other, one in self._bodies(world) if other is not robot]
        others += world.bodies(self._core.now_ns, without=obstacle)
        return world.nearest_free(body, others)

    def _under(self, body: Body, world: World, without: Robot | None = None) -> list[Robot]:
        """Return the robots that a body overlaps."""
        bodies = self._bodies(world)
        return [robot for robot, one in bodies if robot is not without and body.overlaps(one)]

    def _bodies(self, world: World) -> list[tuple[Robot, Body]]:
        robots = [robot for robot in self._core.robots.values() if robot.world is world]
        return [(robot, body) for robot in robots if (body := robot.body()) is not None]


def _body(given: inp.PlaceObstacle) -> Body:
    radius_m = 0.0 if given.size_m else given.radius_m
    return Body(given.x_m, given.y_m, given.theta_rad, radius_m, given.size_m)


def _moved(robot: Robot, given: inp.PlaceRobot) -> Body:
    """Return the body of a robot at another pose."""
    body = robot.body()
    if body is None:
        x, y, radius_m = robot.footprint() or (0.0, 0.0, 0.0)
        body = Body(x, y, radius_m=radius_m)
    return replace(body, x=given.x_m, y=given.y_m, theta=given.theta_rad)


def _check_numbers(name: str, *numbers: Any) -> None:
    limits = (LARGEST_COORDINATE_M, LARGEST_COORDINATE_M, LARGEST_RAD)
    for number, limit in zip(numbers, limits, strict=True):
        if why_not_plain(number) or not math.isfinite(number) or abs(number) > limit:
            raise InputError(Problem(name, f"{number} is no coordinate", "use metres and radians"))


def _names(robots: list[Robot]) -> str:
    return ", ".join(robot.name for robot in robots[:3])


def _fix(place: tuple[float, float] | None, otherwise: str) -> str:
    if place is None:
        return otherwise
    return f"the nearest free place: x = {place[0]:g}, y = {place[1]:g}"
