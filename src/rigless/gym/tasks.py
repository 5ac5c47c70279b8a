"""The tasks of the environments: observations, rewards and ends, as arrays over all robots."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rigless.batch import Rovers, Vacuums
from rigless.gym.episodes import Episodes, Options
from rigless.gym.match import Matches

Floats = NDArray[np.float32]


class Outcome(NamedTuple):
    """The results of a step, one row per robot."""

    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    infos: dict[str, NDArray[Any]]


class Task(ABC):
    """A task of n robots. `rows` are numbers of robots whose episodes begin."""

    kind: str
    ticks: int  # per step
    action_space: spaces.Space[Any]
    observation_space: spaces.Box
    robots: Any
    fps: float

    @abstractmethod
    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        """Begin new episodes."""

    @abstractmethod
    def act(self, actions: NDArray[Any]) -> None:
        """Do one step of all robots."""

    @abstractmethod
    def observe(self) -> Floats:
        """Return the observations of all robots, in an array of their own."""

    @abstractmethod
    def judge(self) -> Outcome:
        """Return the results of the last step."""

    def command(self, action: Any) -> NDArray[np.float64]:
        """Return the robot's command for one action."""
        raise NotImplementedError

    def goal(self, i: int) -> tuple[float, float] | None:
        """Return the goal of robot i, to be drawn."""
        return None


def box(size: int) -> spaces.Box:
    return spaces.Box(-1.0, 1.0, (size,), np.float32)


class VacuumTask(Task):
    """A vacuum that sees by its lidar, and is commanded by two numbers from −1 to 1."""

    kind = "vacuum"
    ticks = 22  # a turn of the lidar
    action_space = box(2)
    extra = 0  # numbers in an observation, beyond ranges, bumpers and speeds

    def __init__(self, n: int, options: Options):
        beams = int(options.get("beams", 36))
        config = {"lidar": {"enabled": True, "num_rays": beams}}
        self.episodes = Episodes(Vacuums, n, config, options, default_map="apartment")
        self.robots: Vacuums = self.episodes.robots
        self.observation_space = box(beams + 4 + self.extra)
        robot = self.robots.template.config
        self.radius_m, self.reach_m = robot.robot.robot_radius, robot.lidar.max_range
        self.most = np.array((robot.robot.max_linear_speed, robot.robot.max_angular_speed))
        self.fps = 1.0 / (self.ticks * self.robots.tick_s)

    def command(self, action: Any) -> NDArray[np.float64]:
        return np.clip(np.asarray(action, float), -1.0, 1.0) * self.most

    def act(self, actions: NDArray[Any]) -> None:
        self.robots.step(self.command(actions), self.ticks)

    def sensed(self) -> list[NDArray[Any]]:
        scans = self.robots.scan()
        far = np.where(scans.qualities > 0, scans.distances_m / self.reach_m, 1.0)
        speeds = self.robots.velocities / self.most
        return [np.minimum(far, 1.0), self.robots.bumpers, np.clip(speeds, -1.0, 1.0)]


class VacuumCoverage(VacuumTask):
    """Drive over as much floor as possible.

    The reward is the new share of the reachable floor, in percent; a collision costs 0.05. An
    observation also has the covered part of 5 × 5 cells around the robot, in its heading.
    """

    extra = 25

    def __init__(self, n: int, options: Options):
        super().__init__(n, options)
        self.cell_m = self.radius_m
        places = self.episodes.places
        self.low = places.min(axis=0) - 3 * self.cell_m
        self.shape = np.ceil((places.max(axis=0) - self.low) / self.cell_m).astype(int) + 3
        self.open = np.zeros(self.shape, bool)
        self.open[tuple(self.cells(places).T)] = True
        self.total = int(self.open.sum())
        self.seen = np.zeros((n, *self.shape), bool)
        self.covered = np.zeros(n)
        around = np.arange(-2, 3) * self.cell_m
        self.patch = np.stack(np.meshgrid(around, around, indexing="ij"), -1).reshape(-1, 2)

    def cells(self, places: NDArray[np.float64]) -> NDArray[np.int64]:
        cells = np.floor((places - self.low) / self.cell_m).astype(int)
        return np.clip(cells, 0, self.shape - 1)

    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        self.episodes.begin(rows, generators)
        self.seen[rows] = False
        self.mark()

    def mark(self) -> NDArray[np.float64]:
        """Mark the cells that the robots are in; return the new share of each."""
        x, y = self.cells(self.robots.poses[:, :2]).T
        every = np.arange(self.robots.n)
        self.seen[every, x, y] |= self.open[x, y]
        before, self.covered = self.covered, self.seen.sum(axis=(1, 2)) / self.total
        return self.covered - before

    def observe(self) -> Floats:
        x, y, theta = self.robots.poses.T
        c, s = np.cos(theta)[:, None], np.sin(theta)[:, None]
        around = np.stack(
            (
                x[:, None] + c * self.patch[:, 0] - s * self.patch[:, 1],
                y[:, None] + s * self.patch[:, 0] + c * self.patch[:, 1],
            ),
            -1,
        )
        px, py = self.cells(around).transpose(2, 0, 1)
        every = np.arange(self.robots.n)[:, None]
        covered = self.seen[every, px, py] | ~self.open[px, py]
        return np.column_stack((*self.sensed(), covered)).astype(np.float32)

    def judge(self) -> Outcome:
        new, contacts = self.mark(), self.robots.contacts
        done = self.covered >= 1.0
        return Outcome(100.0 * new - 0.05 * contacts, done, {"coverage": self.covered.copy()})


class VacuumGoal(VacuumTask):
    """Drive to a place. It ends there; the reward is the distance gained, and 1 at the goal.

    An observation also has the distance to the goal and its direction in the robot's frame.
    """

    extra = 3
    near_m = 0.2

    def __init__(self, n: int, options: Options):
        super().__init__(n, options)
        self.goals, self.distance_m = np.zeros((n, 2)), np.zeros(n)

    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        self.episodes.begin(rows, generators)
        for row, generator in zip(rows, generators, strict=True):
            self.goals[row] = self.episodes.place(generator)[:2]
        self.distance_m = self.measure()

    def measure(self) -> NDArray[np.float64]:
        away = self.goals - self.robots.poses[:, :2]
        return np.sqrt((away * away).sum(axis=1))

    def observe(self) -> Floats:
        away, theta = self.goals - self.robots.poses[:, :2], self.robots.poses[:, 2]
        bearing = np.arctan2(away[:, 1], away[:, 0]) - theta
        goal = np.minimum(self.measure() / 10.0, 1.0), np.cos(bearing), np.sin(bearing)
        return np.column_stack((*self.sensed(), *goal)).astype(np.float32)

    def judge(self) -> Outcome:
        before, self.distance_m = self.distance_m, self.measure()
        there = self.distance_m < self.near_m
        reward = before - self.distance_m - 0.05 * self.robots.contacts + there
        return Outcome(reward, there, {"is_success": there.copy()})

    def goal(self, i: int) -> tuple[float, float] | None:
        return float(self.goals[i, 0]), float(self.goals[i, 1])


class RoverWaypoint(Task):
    """Drive a rover to a waypoint by GPS and IMU on open ground.

    An observation is the way from the last fix to the waypoint, on the axes of the measured yaw,
    and the encoders' speeds. The reward is the true distance gained, and 1 at the waypoint.
    """

    kind = "rover"
    ticks = 20
    near_m, side_m = 1.0, 10.0
    most = np.array((1.5, 1.0))
    action_space = box(2)
    observation_space = box(5)

    def __init__(self, n: int, options: Options):
        errors = {"noise_std_m": 0.1, "drift_std_m": 0.2, "drift_start": "stationary"}
        config = {"gps": errors, "imu": {"yaw_noise_std_rad": 0.02}}
        self.episodes = Episodes(Rovers, n, config, options, default_map=None)
        self.robots: Rovers = self.episodes.robots
        self.goals, self.distance_m = np.zeros((n, 2)), np.zeros(n)
        self.fps = 1.0 / (self.ticks * self.robots.tick_s)

    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        self.episodes.begin(rows, generators)
        for row, generator in zip(rows, generators, strict=True):
            self.goals[row] = generator.uniform(-self.side_m, self.side_m, 2)
        self.distance_m = self.measure()

    def measure(self) -> NDArray[np.float64]:
        away = self.goals - self.robots.poses[:, :2]
        return np.sqrt((away * away).sum(axis=1))

    def command(self, action: Any) -> NDArray[np.float64]:
        return np.clip(np.asarray(action, float), -1.0, 1.0) * self.most

    def act(self, actions: NDArray[Any]) -> None:
        self.robots.step(self.command(actions), self.ticks)

    def observe(self) -> Floats:
        scans = self.robots.scan()
        away, yaw = self.goals - scans.fixes_m[:, :2], scans.imu[:, 0]
        bearing = np.arctan2(away[:, 1], away[:, 0]) - yaw
        far = np.minimum(np.sqrt((away * away).sum(axis=1)) / 30.0, 1.0)
        speeds = np.clip(scans.encoders / self.most, -1.0, 1.0)
        columns = far, np.cos(bearing), np.sin(bearing), speeds
        return np.column_stack(columns).astype(np.float32)

    def judge(self) -> Outcome:
        before, self.distance_m = self.distance_m, self.measure()
        there = self.distance_m < self.near_m
        return Outcome(before - self.distance_m + there, there, {"is_success": there.copy()})

    def goal(self, i: int) -> tuple[float, float] | None:
        return float(self.goals[i, 0]), float(self.goals[i, 1])


class PacbotMatch(Task):
    """Play the match: eat pellets, avoid ghosts. The reward is the score gained, in tens.

    Actions are stop, and drive to the right, up, left or down of the maze. An episode ends when no
    life remains. An observation has the range readings, the place in the maze, the pellets of the
    four next cells, and the ways to the four ghosts with their fright.
    """

    kind = "pacbot"
    ticks = 10
    action_space = spaces.Discrete(5)
    observation_space = box(4 + 2 + 4 + 12)

    def __init__(self, n: int, options: Options):
        self.matches = self.robots = Matches(n, options)
        self.scores = np.zeros(n)
        self.fps = 1.0 / (self.ticks * self.matches.tick_s)

    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        for row, generator in zip(rows, generators, strict=True):
            self.matches.begin(int(row), generator)
            self.scores[row] = 0.0

    def act(self, actions: NDArray[Any]) -> None:
        self.matches.step(actions, self.ticks)

    def observe(self) -> Floats:
        return self.matches.observe()

    def judge(self) -> Outcome:
        before, self.scores = self.scores, self.matches.scores()
        over = self.matches.lives() == 0
        return Outcome((self.scores - before) / 10.0, over, {"score": self.scores.copy()})


TASKS: dict[str, type[Any]] = {
    each.__name__: each for each in (VacuumCoverage, VacuumGoal, RoverWaypoint, PacbotMatch)
}
