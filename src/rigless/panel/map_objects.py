"""The map of a world for the browser: its grid, and the robots and obstacles on it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rigless.host.api.control import status_of
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
        "layout": layout_picture(world),
    }


def layout_picture(world: World) -> dict[str, Any] | None:
    """Return the lanes and places of the layout for a picture, or None if there is no layout."""
    layout = getattr(world, "layout", None)
    if layout is None:
        return None
    nodes = {node.id: node for node in layout.nodes}
    stations = {station.id: _table(station, nodes) for station in layout.stations}
    places = [(one, "parking", nodes[one]) for one in layout.parking]
    places += [(one.id, "charger", nodes[one.node]) for one in layout.chargers]
    places += [(one.id, "station", stations[one.id]) for one in layout.stations]
    places += [
        (f"{lift.id} {floor.name}", "lift", nodes[floor.node])
        for lift in layout.lifts
        for floor in lift.floors
    ]
    return {
        "lanes": [
            {
                "points": [(nodes[node].x, nodes[node].y) for node in edge.nodes],
                "both": edge.direction == "both",
            }
            for edge in layout.edges
        ],
        "belts": [
            [(stations[end].x, stations[end].y) for end in (belt.start, belt.end)]
            for belt in layout.conveyors
        ],
        "places": [
            {"id": name, "kind": kind, "pose": (place.x, place.y, place.theta or 0.0)}
            for name, kind, place in places
        ],
    }


def _table(station: Any, nodes: dict[str, Any]) -> Any:
    """Return the place where the loads of a station are drawn."""
    return station.place if station.place is not None else nodes[station.node]


def grid_cells(world: World) -> bytes:
    """Return the cells of the map, one byte each, row 0 at the bottom."""
    grid = world.grid  # type: ignore[attr-defined]
    marks = np.zeros(grid.shape, np.uint8)
    for layer, mark in ((grid.occupied, OCCUPIED), (grid.unknown, UNKNOWN), (grid.cliff, CLIFF)):
        marks |= np.where(layer, np.uint8(mark), np.uint8(0))
    return marks.tobytes()
