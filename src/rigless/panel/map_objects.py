"""What is around a robot on its map: the world's grid, and whatever moves in it, robots and obstacles alike."""

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
    """A body: a disc or, with a size, a box; and if it is a robot, how that is."""

    name: str
    robot: bool
    status: str
    radius_m: float
    size_m: tuple[float, float] | None
    pose: tuple[float, float, float]


def world_of(sim: Simulation, robot: str = "") -> World:
    """The world of a robot, or the one that most share."""
    return sim.robot(robot).world if robot else sim.world


def worlds(sim: Simulation) -> dict[str, int]:
    """Robot → the number of what it is seen in: of its world (0 is the one that most share), or its own if it has no place there."""
    numbers = {id(sim.world): 0}
    return {
        name: numbers.setdefault(id(robot.world if _stands(robot) else robot), len(numbers))
        for name, robot in sim.robots.items()
    }


def _stands(robot: Robot) -> bool:
    try:
        return robot.footprint() is not None
    except Exception:  # the robot's own code, which may do anything
        return False


def cast(sim: Simulation) -> list[dict[str, Any]]:
    """Who is there, how, and in which world."""
    numbers = worlds(sim)
    return [
        {
            "name": name,
            "kind": kind_of(type(robot)),
            "world": numbers[name],
            "status": status_of(robot),
        }
        for name, robot in sim.robots.items()
    ]


def things(sim: Simulation, world: World) -> list[MapObject]:
    """The bodies in one world."""
    found = [
        MapObject(name, False, "", obstacle.radius_m, obstacle.size_m, obstacle.pose(sim.now_ns))
        for name, obstacle in world.state.obstacles.items()
    ]
    for name, robot in sim.robots.items():
        footprint = robot.footprint() if robot.world is world else None
        if footprint is not None:
            x, y, radius_m = map(float, footprint)
            theta = (
                float(getattr(robot.truth(), "pose", (0.0, 0.0, 0.0))[2])
                if len(sim.robots) > 1
                else 0.0
            )
            found.append(MapObject(name, True, status_of(robot), radius_m, None, (x, y, theta)))
    return found


def grid(world: World) -> dict[str, Any] | None:
    """The map's measures, or None on an open plane."""
    cells = getattr(world, "grid", None)
    if cells is None:
        return None
    height, width = cells.shape
    return {"width": width, "height": height, "resolution_m": cells.resolution_m, "origin": cells.origin,
            "wall_m": world.wall_height_m}  # fmt: skip


def cells(world: World) -> bytes:
    """One byte a cell, row 0 at the bottom."""
    found = world.grid  # type: ignore[attr-defined]
    marks = np.zeros(found.shape, np.uint8)
    for layer, mark in ((found.occupied, OCCUPIED), (found.unknown, UNKNOWN), (found.cliff, CLIFF)):
        marks |= np.where(layer, np.uint8(mark), np.uint8(0))
    return marks.tobytes()
