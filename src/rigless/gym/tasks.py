"""The tasks of the environments: observations, rewards and ends, as arrays over all robots."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rigless.batch import Rovers, Vacuums
from rigless.batch.engines import Task as Function
from rigless.gym import compiled_rover as r
from rigless.gym import compiled_vacuum as v
from rigless.gym.episodes import Episodes, Options
from rigless.gym.match import Matches

Floats = NDArray[np.float32]


class Outcome(NamedTuple):
    """The results of a step, one row per robot, in arrays of their own."""

    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    infos: dict[str, NDArray[Any]]


class Task(ABC):
    """A task of n robots. `rows` are numbers of robots whose episodes begin.

    Observations and results are arrays of the module `arrays`: numpy, or CuPy on a device.
    """

    kind: str
    arrays: Any = np
    ticks: int  # per step
    action_space: spaces.Space[Any]
    observation_space: spaces.Box
    robots: Any
    fps: float

    @abstractmethod
    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        """Begin new episodes."""

    @abstractmethod
    def act(self, actions: Any) -> None:
        """Do one step of all robots."""

    @abstractmethod
    def observe(self) -> Floats:
        """Return the observations of all robots, in an array of their own."""

    @abstractmethod
    def judge(self) -> Outcome:
        """Return the results of the last step."""

    def fetch(self, array: Any) -> NDArray[Any]:
        """Return one of the task's arrays in numpy."""
        found: NDArray[Any] = array if self.arrays is np else self.robots.engine.get(array)
        return found

    def command(self, action: Any) -> NDArray[np.float64]:
        """Return the robot's command for one action."""
        raise NotImplementedError

    def goal(self, i: int) -> tuple[float, float] | None:
        """Return the goal of robot i, to be drawn."""
        return None


def box(size: int) -> spaces.Box:
    return spaces.Box(-1.0, 1.0, (size,), np.float32)


def _clipped(arrays: Any, actions: Any) -> Any:
    """Return actions as numbers from −1 to 1."""
    return arrays.clip(arrays.asarray(actions, dtype=float), -1.0, 1.0)


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
        self.arrays = self.robots.engine.arrays
        self.beams, self.observation_space = beams, box(beams + v.ALWAYS + self.extra)
        robot = self.robots.template.config
        self.radius_m = robot.robot.robot_radius
        top = robot.robot.max_linear_speed, robot.robot.max_angular_speed
        self.most = self.arrays.asarray(top)
        self.numbers = np.zeros(v.NUMBERS)
        self.numbers[[v.REACH_M, v.MOST_MPS, v.MOST_RADPS]] = (
            np.float32(robot.lidar.max_range),
            *top,
        )
        self.fps = 1.0 / (self.ticks * self.robots.tick_s)

    def command(self, action: Any) -> NDArray[np.float64]:
        return _clipped(self.arrays, action) * self.most

    def act(self, actions: Any) -> None:
        self.robots.step(self.command(actions), self.ticks)

    def see(self, function: Function, target: Any) -> Floats:
        """Return observations that a compiled function writes."""
        robots, width = self.robots, self.observation_space.shape[0]
        seen: Floats = self.arrays.empty((robots.n, width), np.float32)
        shape = robots.n, self.beams + 1
        robots.engine.run(function, shape, robots.sensed_state, robots.scan(), target, seen)
        return seen

    def outcome(self, function: Function, target: Any) -> v.Results:
        """Return the results of a step that a compiled function writes."""
        n, empty = self.robots.n, self.arrays.empty
        results = v.Results(empty(n), empty(n, bool), empty(n))
        self.robots.engine.run(function, (n,), self.robots.state, target, results)
        return results


class VacuumCoverage(VacuumTask):
    """Drive over as much floor as possible.

    The reward is the new share of the reachable floor, in percent; a collision costs 0.05. An
    observation also has the covered part of 5 × 5 cells around the robot, in its heading.
    """

    extra = v.PATCH**2
    _see = Function(v.see_floor, v.see_floor_many, axes=2)
    _begin = Function(v.begin_floor, v.begin_floor_many)
    _judge = Function(v.judge_floor, v.judge_floor_many)

    def __init__(self, n: int, options: Options):
        super().__init__(n, options)
        places, cell_m = self.episodes.places, self.radius_m
        low = places.min(axis=0) - 3 * cell_m
        shape = np.ceil((places.max(axis=0) - low) / cell_m).astype(int) + 3
        open_floor = np.zeros(shape, bool)
        cells = np.clip(np.floor((places - low) / cell_m).astype(int), 0, shape - 1)
        open_floor[tuple(cells.T)] = True
        at = [v.LOW_X, v.LOW_Y, v.CELL_M, v.TOTAL]
        self.numbers[at] = *low, cell_m, open_floor.sum()
        seen, counts = np.zeros((n, *shape), bool), np.zeros(n, np.int64)
        self.floor = self.robots.engine.put(v.Floor(open_floor, seen, counts, self.numbers))

    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        self.episodes.begin(rows, generators)
        parts = self.arrays.asarray(rows), self.robots.state, self.floor
        self.robots.engine.run(self._begin, (len(rows),), *parts)

    def observe(self) -> Floats:
        return self.see(self._see, self.floor)

    def judge(self) -> Outcome:
        results = self.outcome(self._judge, self.floor)
        return Outcome(results.reward, results.terminated, {"coverage": results.share})


class VacuumGoal(VacuumTask):
    """Drive to a place. It ends there; the reward is the distance gained, and 1 at the goal.

    An observation also has the distance to the goal and its direction in the robot's frame.
    """

    extra = 3
    near_m = 0.2
    _see = Function(v.see_goal, v.see_goal_many, axes=2)
    _begin = Function(v.begin_goal, v.begin_goal_many)
    _judge = Function(v.judge_goal, v.judge_goal_many)

    def __init__(self, n: int, options: Options):
        super().__init__(n, options)
        self.numbers[v.NEAR_M] = self.near_m
        goals = v.Goals(np.zeros((n, 2)), np.zeros(n), self.numbers)
        self.goals: v.Goals = self.robots.engine.put(goals)

    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        self.episodes.begin(rows, generators)
        chosen = self.arrays.asarray(rows)
        places = [self.episodes.place(generator)[:2] for generator in generators]
        self.goals.places[chosen] = self.arrays.asarray(np.array(places))
        parts = chosen, self.robots.state, self.goals
        self.robots.engine.run(self._begin, (len(rows),), *parts)

    def observe(self) -> Floats:
        return self.see(self._see, self.goals)

    def judge(self) -> Outcome:
        reward, there, _ = self.outcome(self._judge, self.goals)
        return Outcome(reward, there, {"is_success": there.copy()})

    def goal(self, i: int) -> tuple[float, float] | None:
        return float(self.goals.places[i, 0]), float(self.goals.places[i, 1])


class RoverWaypoint(Task):
    """Drive a rover to a waypoint by GPS and IMU on open ground.

    An observation is the way from the last fix to the waypoint, on the axes of the measured yaw,
    and the encoders' speeds. The reward is the true distance gained, and 1 at the waypoint.
    """

    kind = "rover"
    ticks = 20
    near_m, side_m = 1.0, 10.0
    most_speeds = 1.5, 1.0
    action_space = box(2)
    observation_space = box(5)
    _see = Function(r.see, r.see_many)
    _begin = Function(r.begin, r.begin_many)
    _judge = Function(r.judge, r.judge_many)

    def __init__(self, n: int, options: Options):
        errors = {"noise_std_m": 0.1, "drift_std_m": 0.2, "drift_start": "stationary"}
        config = {"gps": errors, "imu": {"yaw_noise_std_rad": 0.02}}
        self.episodes = Episodes(Rovers, n, config, options, default_map=None)
        self.robots: Rovers = self.episodes.robots
        self.arrays = self.robots.engine.arrays
        self.most = self.arrays.asarray(self.most_speeds)
        numbers = np.array((*self.most_speeds, self.near_m))
        waypoints = r.Waypoints(np.zeros((n, 2)), np.zeros(n), numbers)
        self.waypoints: r.Waypoints = self.robots.engine.put(waypoints)
        self.fps = 1.0 / (self.ticks * self.robots.tick_s)

    def begin(self, rows: NDArray[np.int64], generators: list[np.random.Generator]) -> None:
        self.episodes.begin(rows, generators)
        chosen = self.arrays.asarray(rows)
        places = [generator.uniform(-self.side_m, self.side_m, 2) for generator in generators]
        self.waypoints.places[chosen] = self.arrays.asarray(np.array(places))
        parts = chosen, self.robots.state, self.waypoints
        self.robots.engine.run(self._begin, (len(rows),), *parts)

    def command(self, action: Any) -> NDArray[np.float64]:
        return _clipped(self.arrays, action) * self.most

    def act(self, actions: Any) -> None:
        self.robots.step(self.command(actions), self.ticks)

    def observe(self) -> Floats:
        robots, readings = self.robots, self.robots.readings()
        seen: Floats = self.arrays.empty((robots.n, 5), np.float32)
        sensed = robots.sensed_state
        robots.engine.run(self._see, (robots.n,), sensed, readings, self.waypoints, seen)
        return seen

    def judge(self) -> Outcome:
        robots, empty = self.robots, self.arrays.empty
        results = r.Results(empty(robots.n), empty(robots.n, bool))
        robots.engine.run(self._judge, (robots.n,), robots.state, self.waypoints, results)
        reward, there = results
        return Outcome(reward, there, {"is_success": there.copy()})

    def goal(self, i: int) -> tuple[float, float] | None:
        return float(self.waypoints.places[i, 0]), float(self.waypoints.places[i, 1])


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
