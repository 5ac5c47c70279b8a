"""The parts of the robot's page that are drawn on the map."""

import math
from collections.abc import Iterator
from typing import Any

from rigless.kernel.drawing import Ellipse, Part, Path, Points, Polygon, Trail
from rigless.kernel.world import World
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.motion.footprint import footprint_of, placed, rectangle
from rigless.worlds.layout.site_world import SiteWorld

GAP = (math.nan, math.nan)
CAR_M = 1.6  # side of the drawn car of a lift
NEXT_M = 0.1  # between the outlines of two loads of a station


def drawn(config: RobotConfig) -> Iterator[Part]:
    """Yield the parts, the lowest first."""
    length, width = config.dimensions.lengthMm / 2000, config.dimensions.widthMm / 2000
    nose = 0.6 * length
    outline = [(length, 0.0), (nose, width), (-length, width), (-length, -width), (nose, -width)]
    outline = footprint_of(config.dimensions) if config.dimensions.footprint else outline
    yield Points("markers", "Markers", "sense")
    yield Path("stocks", "Loads at stations and on belts, lift cars", "plain")
    yield Path("zones", "Blocked zones", "bad")
    yield Path("horizon", "Horizon", "ghost")
    yield Path("route", "Released route", "path")
    yield Trail("trail", "Driven", "plain")
    yield Ellipse("obstacles", "Obstacles", "warn")
    yield Path("load", "Load", "path")
    yield Points("ahead", "Obstacle ahead", "bad")
    yield Polygon(
        "body",
        "Robot",
        tuple(outline),
        "ok",
        ("warn", "bad"),
        height_m=config.dimensions.heightMm / 1000,
    )


def outline_of(
    size_m: tuple[float, float] | None, pose: tuple[float, float, float]
) -> list[tuple[float, float]]:
    """Return the outline of the load on a robot, or [] if there is none."""
    if size_m is None:
        return []
    corners = placed(rectangle(*size_m), pose)
    return [*corners, corners[0]]


class Stocks:
    """The outlines of loads at stations and on conveyors, and of the cars of lifts.

    They are made again when something changes.
    """

    def __init__(self) -> None:
        self._shown: tuple[Any, ...] = ()
        self._rows: list[tuple[float, float]] = []

    def rows(self, world: World) -> list[tuple[float, float]]:
        """Return the outlines in a world; none if it has no layout."""
        if not isinstance(world, SiteWorld):
            return []
        state = world.state
        held = tuple(
            (name, tuple(load.size_m for load in stock.loads))
            for name, stock in state.stocks.items()
            if stock.loads
        )
        belts = tuple(
            (name, tuple((one.load.size_m, one.at_m) for one in belt.loads))
            for name, belt in state.belts.items()
            if belt.loads
        )
        cars = tuple((name, car.stands_at) for name, car in state.lifts.items())
        if self._shown != (key := (held, belts, cars)):
            self._shown = key
            self._rows = [row for name, sizes in held for row in _stack(world, name, sizes)]
            self._rows += [row for name, loads in belts for row in _on_belt(world, name, loads)]
            self._rows += [row for name, floor in cars for row in _car(world, name, floor)]
        return self._rows


def _on_belt(
    world: SiteWorld, belt: str, loads: tuple[tuple[tuple[float, float, float], float], ...]
) -> Iterator[tuple[float, float]]:
    """Yield the outlines of the loads on a conveyor; `at_m` is that of their fronts."""
    (ax, ay), (bx, by) = world.belt_ends(world.conveyors[belt])
    length_m = math.hypot(bx - ax, by - ay) or 1.0
    for (load_m, width_m, _), at_m in loads:
        share = max(at_m - 0.5 * load_m, 0.0) / length_m
        pose = ax + share * (bx - ax), ay + share * (by - ay), math.atan2(by - ay, bx - ax)
        yield from outline_of((load_m, width_m), pose)
        yield GAP


def _car(world: SiteWorld, lift: str, floor: int | None) -> Iterator[tuple[float, float]]:
    """Yield the outline of the car of a lift at its floor; nothing while it moves."""
    if floor is not None:
        node = world.graph.nodes[world.lifts[lift].floors[floor].node]
        yield from outline_of((CAR_M, CAR_M), (node.x, node.y, node.theta or 0.0))
        yield GAP


def _stack(
    world: SiteWorld, station: str, sizes: tuple[tuple[float, float, float], ...]
) -> Iterator[tuple[float, float]]:
    """Yield the outlines of the loads of a station, next to each other."""
    given = world.stations[station]
    place = given.place if given.place is not None else world.graph.nodes[given.node]
    for n, (length_m, width_m, _) in enumerate(sizes):
        pose = (place.x + n * NEXT_M, place.y + n * NEXT_M, place.theta or 0.0)
        yield from outline_of((length_m, width_m), pose)
        yield GAP
