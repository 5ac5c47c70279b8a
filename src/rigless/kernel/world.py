"""The world that the robots of a simulation share. Its changing part is plain state."""

from dataclasses import dataclass, field

from rigless.kernel.inputs import MoveObstacle
from rigless.kernel.plain import why_not_plain
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.rate import to_ns


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


@dataclass
class WorldState:
    """The changing part of a world."""

    obstacles: dict[str, Obstacle] = field(default_factory=dict)


class World:
    """An open plane with obstacles; the base of maps and mazes."""

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

    def check(self, move: MoveObstacle) -> None:
        """Raise InputError if this move is not possible."""
        if move.name not in self.state.obstacles:
            raise unknown("obstacle", move.name, self.state.obstacles)
        numbers = [move.x_m, move.y_m, move.theta_rad, move.over_s]
        if (reason := why_not_plain(numbers)) or not 0 <= move.over_s <= 1e9:
            raise InputError(Problem(move.name, reason or "over_s must be from 0 to 1e9"))

    def move(self, move: MoveObstacle, now_ns: int) -> None:
        """Begin a move of an obstacle."""
        obstacle = self.state.obstacles[move.name]
        obstacle.begin, obstacle.begin_ns = obstacle.pose(now_ns), now_ns
        obstacle.end = (float(move.x_m), float(move.y_m), float(move.theta_rad))
        obstacle.end_ns = now_ns + to_ns(move.over_s)
