"""Start poses all over the free space of a world that a robot can reach from its start."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.body import Body
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.sweeps.vary.axis import rounded

STEP_M = 0.05  # between candidates
MARGIN_M = 0.02  # beyond the body
MOST = 20_000  # candidates that are looked at
OPEN_PLANE_M = 5.0  # half the side of the square on a plane without walls
GOLDEN = (math.sqrt(5) - 1) / 2  # of a turn, between the headings of neighbouring places


@dataclass(frozen=True)
class FreeSpace:
    """Poses in free space. `places` are ordered along a curve, so that near u are near places."""

    key: str
    places: NDArray[np.float64] = field(repr=False)
    inside_m: float = STEP_M

    @property
    def text(self) -> str:
        return f"free space, {len(self.places)} places"

    def at(self, u: float) -> dict[str, float]:
        """Return a pose. The part of u within a place is the heading.

        Each place turns it by the golden ratio. Otherwise evenly spaced u would have one heading
        if their number divides that of the places.
        """
        exact = u * len(self.places)
        index = min(int(exact), len(self.places) - 1)
        x, y = self.places[index]
        turns = (exact - index + index * GOLDEN) % 1.0
        theta = rounded(turns * 2 * math.pi - math.pi)
        return {"x": rounded(float(x)), "y": rounded(float(y)), "theta": theta}

    def values(self) -> None:
        return None


def free_space(key: str, simulation: Simulation, clearance_m: float = MARGIN_M) -> FreeSpace:
    """Return the free places of the robot that `key` ("ROBOT.start") names. Raises InputError."""
    robot = _robot(key, simulation)
    body = robot.body()
    if body is None:
        what = f"{robot.name} has no body, so every place is free"
        raise InputError(Problem(f"--vary {key}", what, f"vary {key}.x and {key}.y instead"))
    others = [
        other
        for each in simulation.robots.values()
        if each is not robot and each.world is robot.world and (other := each.body()) is not None
    ]
    others += robot.world.bodies(simulation.now_ns)
    grown = Body(body.x, body.y, 0.0, body.outer_m + clearance_m)
    now_ns = simulation.now_ns
    places = [
        (x, y)
        for x, y in _candidates(robot, body)
        if not robot.world.why_outside(here := grown.at(float(x), float(y)))
        and not robot.world.why_blocked(here, now_ns)
        and not any(here.overlaps(other) for other in others)
    ]
    if not places:
        fix = "a larger map, or a smaller clearance_m"
        raise InputError(Problem(f"--vary {key}", "no place in the world is free", fix))
    found = np.array(places, dtype=np.float64)
    return FreeSpace(key, found[_curve_order(found)])


def _robot(key: str, simulation: Simulation) -> Robot:
    names = list(simulation.robots)
    name = key.removesuffix(".start")
    if key == "start" and len(names) == 1:
        name = names[0]
    if name not in simulation.robots or key == name:
        what = "free_space is for the start of a robot"
        raise InputError(Problem(f"--vary {key}", what, f"for example {names[0]}.start=free_space"))
    return simulation.robots[name]


def _candidates(robot: Robot, body: Body) -> NDArray[np.float64]:
    """Return places that the robot can reach from its start: rows of x and y."""
    grid: Any = getattr(robot.world, "grid", None)
    if grid is None:
        side = np.arange(-OPEN_PLANE_M, OPEN_PLANE_M, 2 * STEP_M)
        xs, ys = np.meshgrid(side + body.x, side + body.y)
        return np.column_stack((xs.ravel(), ys.ravel()))
    from rigless.worlds.floor import Floor

    floor = Floor(grid, max(body.inner_m, STEP_M))
    floor.start(body.x, body.y)
    found = floor.places(STEP_M)
    return found[:: -(-len(found) // MOST) or 1]


def _curve_order(places: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the order of places along a Morton curve."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = max(float((high - low).max()), 1e-9)
    cells = ((places - low) / span * 65535).astype(np.uint64)
    code = np.zeros(len(places), np.uint64)
    for bit in range(16):
        for side in (0, 1):
            code |= ((cells[:, side] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(2 * bit + side)
    return np.argsort(code, kind="stable")
