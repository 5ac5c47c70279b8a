"""The world that the robots of a simulation share. Its changing part is plain state."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from rigless.kernel.body import Body, may_be_clear
from rigless.kernel.elementary import sin_cos
from rigless.kernel.inputs import MoveObstacle, SetDevice
from rigless.kernel.plain import why_not_plain
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.timing.rate import to_ns


@dataclass
class Obstacle:
    """A disc (`radius_m`) or a box (`size_m`) that moves evenly from one pose to the next."""

    radius_m: float = 0.0
    size_m: tuple[float, float] | None = None
    begin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    end: tuple[float, float, float] = (0.0, 0.0, 0.0)
    begin_ns: int = 0
    end_ns: int = 0

    def pose(self, now_ns: int) -> tuple[float, float, float]:
        """Return x and y in metres and theta in radians."""
        if now_ns >= self.end_ns:
            return self.end
        part = max(0.0, (now_ns - self.begin_ns) / (self.end_ns - self.begin_ns))
        x, y, theta = (a + (b - a) * part for a, b in zip(self.begin, self.end, strict=True))
        return x, y, theta

    def body(self, now_ns: int) -> Body:
        """Return its shape where it is at this time."""
        return Body(*self.pose(now_ns), self.radius_m, self.size_m)


FARTHEST_M = 1e6  # from the origin; the limit of an open plane
STEP_M, DIRECTIONS, RINGS = 0.05, 32, 400  # of the search for a free place on an open plane
MARGIN_M = 0.02  # around a body that is placed, where there is room: beyond the reach of bumpers


@dataclass
class WorldState:
    """The changing part of a world."""

    obstacles: dict[str, Obstacle] = field(default_factory=dict)


class Shards(Protocol):
    """The parts of a simulation, and the one that this process steps; None: there are no parts."""

    owners: dict[str, int]  # by robot

    @property
    def number(self) -> int | None: ...

    @property
    def count(self) -> int: ...


class World:
    """An open plane with obstacles; the base of maps and mazes.

    sim = rigless.Simulation([MyRobot("r")], rigless.World(), seed=7)
    """

    State: type[WorldState] = WorldState
    wall_height_m = 0.4  # for drawings; no sensor sees over walls

    def __init__(self, obstacles: dict[str, Obstacle] | None = None):
        self._initial = obstacles or {}
        self.state = self.State()
        self.reset()

    def place(self, obstacles: dict[str, Obstacle]) -> None:
        """Set the obstacles, before the simulation runs."""
        self._initial = obstacles
        self.reset()

    def reset(self) -> None:
        """Return all obstacles to their first places."""
        self.state = self.State(
            obstacles={name: Obstacle(**vars(obstacle)) for name, obstacle in self._initial.items()}
        )

    @property
    def is_plane(self) -> bool:
        """True for an open plane, on which there is no map."""
        return type(self) is World

    def starts(self, seed: int) -> Iterator[tuple[float, float, float]]:
        """Yield the poses at which robots without a start of their own begin, in their order."""
        return iter(())

    def why_outside(self, body: Body) -> str:
        """Return why a body is not in this world, or ""."""
        if max(abs(body.x), abs(body.y)) <= FARTHEST_M:
            return ""
        return f"more than {FARTHEST_M:g} m from the origin"

    def why_blocked(self, body: Body, now_ns: int, without: str = "") -> str:
        """Return the thing that a body overlaps at its place, or "".

        The obstacle named `without` does not count.
        """
        for name, obstacle in self.state.obstacles.items():
            if name != without and body.overlaps(obstacle.body(now_ns)):
                return f"the obstacle {name!r}"
        return ""

    def bodies(self, now_ns: int, without: str = "") -> list[Body]:
        """Return the bodies of the obstacles, without the one of this name."""
        return [
            obstacle.body(now_ns)
            for name, obstacle in self.state.obstacles.items()
            if name != without
        ]

    def clearance_m(self, body: Body, now_ns: int, others: Sequence[Body] = ()) -> float:
        """Return the distance of a body to the nearest wall, obstacle or other body.

        It is 0 if it overlaps one, and infinite if there is none.
        """
        bodies = [*self.bodies(now_ns), *others]
        return min((body.distance_m(other) for other in bodies), default=math.inf)

    def nearest_free(self, body: Body, others: Sequence[Body]) -> tuple[float, float] | None:
        """Return the place nearest to a body's where it overlaps no other body, or None."""
        x, y = (min(max(value, -FARTHEST_M), FARTHEST_M) for value in (body.x, body.y))
        sines, cosines = zip(
            *(sin_cos(2 * math.pi * k / DIRECTIONS) for k in range(DIRECTIONS)), strict=True
        )
        rings = STEP_M * np.arange(RINGS)
        xs = (x + np.outer(rings, cosines)).ravel()[DIRECTIONS - 1 :]  # the centre once
        ys = (y + np.outer(rings, sines)).ravel()[DIRECTIONS - 1 :]
        for k in np.flatnonzero(may_be_clear(xs, ys, body, others, STEP_M)):
            place = round(float(xs[k]), 2) + 0.0, round(float(ys[k]), 2) + 0.0  # no -0
            here = body.at(*place).grown(MARGIN_M)
            if not self.why_outside(here) and not any(map(here.overlaps, others)):
                return place
        return None

    def check(self, move: MoveObstacle) -> None:
        """Raise InputError if this move is not possible."""
        if move.name not in self.state.obstacles:
            raise unknown("obstacle", move.name, self.state.obstacles)
        numbers = [move.x_m, move.y_m, move.theta_rad, move.over_s]
        if (reason := why_not_plain(numbers)) or not 0 <= move.over_s <= 1e9:
            raise InputError(Problem(move.name, reason or "over_s must be from 0 to 1e9"))

    def check_device(self, given: SetDevice) -> None:
        """Raise InputError if a device cannot be set so. This world has none."""
        raise InputError(Problem(given.name, "the world has no devices", "use one with a layout"))

    def set_device(self, given: SetDevice, now_ns: int) -> None:
        """Set a device."""

    def tick(self, now_ns: int) -> None:
        """Let devices act until now."""

    # Things that the robots of several shards use, such as loads

    def share(self, shards: Shards) -> None:
        """Share the things of this world among shards. This world has none."""

    def check_shared(self, content: dict[str, Any]) -> None:
        """Raise InputError if this is not what another shard sends."""
        raise InputError(Problem("shard", "the world has no loads", "run the same scenario"))

    def receive(self, shard: int, content: dict[str, Any], now_ns: int) -> None:
        """Take what a shard has sent about things; about those of this one after a restart."""

    def outgoing(self) -> dict[str, Any]:
        """Return what has to be sent to the other shards since the last call, or {}."""
        return {}

    def things_of(self, shard: int) -> dict[str, Any]:
        """Return the state of all things that a shard keeps, in the form of `outgoing`, or {}."""
        return {}

    def body_after(self, move: MoveObstacle) -> Body:
        """Return the body of an obstacle at the end of a move."""
        obstacle = self.state.obstacles[move.name]
        return Body(move.x_m, move.y_m, move.theta_rad, obstacle.radius_m, obstacle.size_m)

    def put(self, name: str, obstacle: Obstacle) -> None:
        """Add an obstacle, or replace the one of this name."""
        self.state.obstacles[name] = obstacle

    def remove(self, name: str) -> None:
        """Take an obstacle out, if it is there."""
        self.state.obstacles.pop(name, None)

    def move(self, move: MoveObstacle, now_ns: int) -> None:
        """Begin a move of an obstacle."""
        obstacle = self.state.obstacles[move.name]
        obstacle.begin, obstacle.begin_ns = obstacle.pose(now_ns), now_ns
        obstacle.end = (float(move.x_m), float(move.y_m), float(move.theta_rad))
        obstacle.end_ns = now_ns + to_ns(move.over_s)
