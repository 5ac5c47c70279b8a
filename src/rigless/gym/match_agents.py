"""The match for several agents: the Pacbot against the ghosts.

from rigless.gym.match_agents import PacbotMatchAgents
env = PacbotMatchAgents()
observations, infos = env.reset(seed=1)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from rigless.gym.match import Matches
from rigless.gym.parallel import Agents, Floats, Rewards
from rigless.gym.tasks import PacbotMatch, box
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.simulation import Simulation
from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game import ghosts as g

PACBOT = "pacbot"
CAUGHT = 20.0  # the ghosts' reward for a life


class PacbotMatchAgents(Agents):
    """Play the match as the Pacbot and as the ghosts. A step is 0.1 s; a ghost moves every 0.5 s.

    The Pacbot has the actions, observation and reward of PacbotMatch. A ghost's action is the
    direction after its next cell: 0 as the game plans, 1 up, 2 left, 3 down, 4 right. The game
    decides if the rules forbid it: a ghost does not reverse, and is not free while it is trapped,
    frightened or in its house. A ghost observes its cell, the ways that are open, the way to
    the Pacbot, its own fright and the ways to the other ghosts. Ghosts lose what the Pacbot
    gains, and get 20 for a life.
    """

    def __init__(self, ghosts: int = 4, max_cycles: int = 1500, **options: Any):
        config = dict(options.pop("config", None) or {})
        config["game"] = {"enabled": True, "referee_s": 0.2, "ghosts": ghosts} | dict(
            config.get("game") or {}
        )
        self.matches = Matches(1, {"config": config, **options})
        active = self._game.active_ghosts
        super().__init__("pacbot_match", [PACBOT, *b.COLOURS[:active]], max_cycles)
        for agent in self.possible_agents:
            self.observation_spaces[agent] = box(22 if agent == PACBOT else 2 + 4 + 2 + 1 + 6)
            self.action_spaces[agent] = spaces.Discrete(5)

    @property
    def _game(self) -> Any:
        return self.matches.robot(0).state.game

    @property
    def _board(self) -> b.Board:
        match: Any = self.matches.robot(0).match
        board: b.Board = match.board
        return board

    def begin(self, seed: int, generator: np.random.Generator) -> None:
        self.matches.begin_with(0, seed)
        self._score, self._lives = 0.0, self._game.lives

    def recorded(self) -> Simulation:
        what = "a replay would not have the moves that agents give to ghosts"
        fix = "record rigless/PacbotMatch-v0, where the game plays the ghosts"
        raise InputError(Problem("record", what, fix))

    def play(self, actions: Mapping[str, int]) -> tuple[Rewards, bool]:
        for ghost in self._game.ghosts:
            action = actions.get(b.COLOURS[ghost.colour], 0)
            if action:
                g.steer(self._board, ghost, action - 1)
        self.matches.step(np.array([actions[PACBOT]]), PacbotMatch.ticks)
        gained, lost = self._game.score - self._score, self._lives - self._game.lives
        self._score, self._lives = self._game.score, self._game.lives
        rewards = dict.fromkeys(self.agents, CAUGHT * lost - gained / 10.0)
        return {**rewards, PACBOT: gained / 10.0}, self._lives == 0

    def observe(self, agent: str) -> Floats:
        game = self._game
        if agent == PACBOT:
            found: Floats = self.matches.observe()[0]
            return found
        ghost = game.ghosts[b.COLOURS.index(agent)]
        at = ghost.place
        values = [at.row / b.ROWS, at.column / b.COLUMNS]
        values += [float(g.may_steer(self._board, ghost, way)) for way in range(4)]
        others = [each.place for each in game.ghosts if each is not ghost]
        for place in (game.pacman, *others):
            values += [(place.row - at.row) / 16.0, (place.column - at.column) / 16.0]
        values.append(ghost.fright_steps / b.FRIGHT_STEPS)
        return np.clip(np.array(values, np.float32), -1.0, 1.0)

    def info(self, agent: str) -> dict[str, Any]:
        return {"score": int(self._game.score), "lives": int(self._game.lives)}
