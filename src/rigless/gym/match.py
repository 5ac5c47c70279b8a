"""Matches of Pacbots against ghosts: single simulations with the game, one for each environment."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.batch.templates import build_raw_robot
from rigless.kernel.elementary import sin_cos
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.simulation import Simulation
from rigless.kernel.timing.rate import Rate
from rigless.motion.omni import wheel_speeds
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot.game import board
from rigless.robots.pacbot.robot import Pacbot
from rigless.robots.pacbot.wire import Speeds

WAYS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # right, up of each action
SHARE = 0.6  # of full speed
CONFIG: Mapping[str, Any] = {"game": {"enabled": True, "referee_s": 0.2}, "maze": "arena"}


class Matches:
    """N matches. They end when no life remains."""

    def __init__(self, n: int, options: Mapping[str, Any]):
        if unknown := [name for name in options if name != "config"]:
            what = f"{unknown[0]!r} is no option of a match"
            raise InputError(Problem("make", what, "a match has the option config"))
        self.n, self._config = n, {**CONFIG, **(options.get("config") or {}), "uart": True}
        self._sims: list[Simulation] = [build_raw_robot("pacbot", self._config, 0)] * n
        config = self.robot(0).config
        self.tick_s, self._rate = 1.0 / config.physics_hz, Rate(config.physics_hz)
        self._ticks = [0] * n

    def simulation(self, i: int) -> Simulation:
        return self._sims[i]

    def robot(self, i: int) -> Pacbot:
        robot: Any = self._sims[i].robots["pacbot"]
        return robot

    @property
    def poses(self) -> NDArray[np.float64]:
        rows = [self.robot(i).state.body[b.X : b.THETA + 1] for i in range(self.n)]
        return np.array(rows)

    def begin(self, i: int, generator: np.random.Generator) -> None:
        """Begin a new match."""
        self.begin_with(i, int(generator.integers(2**32)))

    def begin_with(self, i: int, seed: int) -> None:
        """Begin the match of a seed."""
        self._sims[i] = build_raw_robot("pacbot", self._config, seed)
        self._ticks[i] = 0

    def step(self, actions: NDArray[Any], ticks: int) -> None:
        """Drive along the axes of the maze for some ticks."""
        for i, action in enumerate(actions):
            robot, (right, up) = self.robot(i), WAYS[int(action)]
            sine, cosine = sin_cos(float(robot.state.body[b.THETA]))
            ahead, aside = cosine * up - sine * right, cosine * right + sine * up
            north, south, east, west = wheel_speeds(SHARE * aside, SHARE * ahead, 0.0, 1.0)
            self._sims[i].send("pacbot", "uart", Speeds(north, east, south, west))
            self._ticks[i] += ticks
            self._sims[i].run_until(self._rate.due_ns(self._ticks[i]))

    def scores(self) -> NDArray[np.float64]:
        return np.array([float(self._game(i).score) for i in range(self.n)])

    def lives(self) -> NDArray[np.int64]:
        return np.array([self._game(i).lives for i in range(self.n)])

    def _game(self, i: int) -> Any:
        return self.robot(i).state.game

    def observe(self) -> NDArray[np.float32]:
        return np.array([self._observe(i) for i in range(self.n)], np.float32)

    def _observe(self, i: int) -> list[float]:
        robot, game = self.robot(i), self._game(i)
        row, column = game.pacman.row, game.pacman.column
        longest = robot.config.tof.max_range_m
        found = [min(float(far) / longest, 1.0) for far in robot.state.ranges[:4]]
        found += [row / board.ROWS, column / board.COLUMNS]
        for down, right in board.STEP[:4]:
            r, c = row + down, column + right
            inside = 0 <= r < board.ROWS and 0 <= c < board.COLUMNS
            found.append(float(inside and game.pellets[r] >> c & 1))
        for ghost in game.ghosts:
            away = ghost.place.row - row, ghost.place.column - column
            found += [min(max(cells / 16.0, -1.0), 1.0) for cells in away]
            found.append(min(ghost.fright_steps / board.FRIGHT_STEPS, 1.0))
        return [min(max(value, -1.0), 1.0) for value in found]
