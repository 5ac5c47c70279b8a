"""The map of a world for the browser: its grid, and the robots and obstacles on it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rigless.host.control import status_of
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import World
from rigless.scenario.kinds import kind_of

OCCUPIED, UNKNOWN, CLIFF = 1, 2, 4


@dataclass(frozen=True)
class MapObject:
    """A robot or an obstacle: a disc, or a box if it has a size. A robot also has a status."""

    name: str
    robot: bool
    status: str
    radius_m: float
    size_m: tuple[float, float] | None
    pose: tuple[float, float, float]


def world_of(sim: Simulation, robot: str = "") -> World:
    """Return the world of a robot, or the simulation's main world."""
    return sim.robot(robot).world if robot else sim.world


def world_numbers(sim: Simulation) -> dict[str, int]:
    """Number the worlds, by robot. 0 is the main world.

    A robot that has no footprint is in no picture of its world, so it counts as a world of its own.
    """
    numbers = {id(sim.world): 0}
    return {
        name: numbers.setdefault(id(robot.world if _has_footprint(robot) else robot), len(numbers))
        for name, robot in sim.robots.items()
    }


def _has_footprint(robot: Robot) -> bool:
    try:
        return robot.footprint() is not None
    except Exception:  # user code
        return False


def list_robots(sim: Simulation) -> list[dict[str, Any]]:
    """Return name, kind, world number and status of each robot."""
    numbers = world_numbers(sim)
    return [
        {
            "name": name,
            "kind": kind_of(type(robot)),
            "world": numbers[name],
            "status": status_of(robot),
        }
        for name, robot in sim.robots.items()
    ]


def list_objects(
    sim: Simulation, world: World, number: int | None = None, robots: bool = True
) -> list[MapObject]:
    """Return the obstacles in one world, and its robots; with `number`, only those of that number.

    A robot without a footprint has a number of its own, so its page shows no other robot that
    happens to stand on the same plane.
    """
    numbers = {} if number is None or not robots else world_numbers(sim)
    objects = [
        MapObject(name, False, "", obstacle.radius_m, obstacle.size_m, obstacle.pose(sim.now_ns))
        for name, obstacle in world.state.obstacles.items()
    ]
    for name, robot in sim.robots.items() if robots else ():
        shown = robot.world is world and numbers.get(name, number) == number
        footprint = robot.footprint() if shown else None
        if footprint is not None:
            x, y, radius_m = map(float, footprint)
            theta = float(getattr(robot.truth(), "pose", (0.0, 0.0, 0.0))[2])
            objects.append(MapObject(name, True, status_of(robot), radius_m, None, (x, y, theta)))
    return objects


def grid_info(world: World) -> dict[str, Any] | None:
    """Return size, resolution and origin of the map, or None on an open plane."""
    grid = getattr(world, "grid", None)
    if grid is None:
        return None
    height, width = grid.shape
    return {
        "width": width,
        "height": height,
        "resolution_m": grid.resolution_m,
        "origin": grid.origin,
        "wall_m": world.wall_height_m,
    }


def grid_cells(world: World) -> bytes:
    """Return the cells of the map, one byte each, row 0 at the bottom."""
    grid = world.grid  # type: ignore[attr-defined]
    marks = np.zeros(grid.shape, np.uint8)
    for layer, mark in ((grid.occupied, OCCUPIED), (grid.unknown, UNKNOWN), (grid.cliff, CLIFF)):
        marks |= np.where(layer, np.uint8(mark), np.uint8(0))
    return marks.tobytes()
