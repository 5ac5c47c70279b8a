"""The base of environments for several agents: PettingZoo's ParallelEnv with seeds and an end."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from rigless.gym.recording import SimulationRecording
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.simulation import Simulation

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as error:
    text = "environments for several agents need PettingZoo: pip install 'rigless[agents]'"
    raise ModuleNotFoundError(text, name="pettingzoo") from error

Floats = NDArray[np.float32]
Rewards = Mapping[str, float]


class Agents(ParallelEnv[str, Floats, int]):  # type: ignore[misc]
    """Base of the environments. All agents begin and end together.

    `max_cycles` is the most steps of an episode. `reset(options={"record": "episode.mcap"})`
    records the episode, if its simulation has all actions as inputs. The file is complete when the
    episode ends, at the next reset, or by `close`.
    """

    def __init__(self, name: str, agents: list[str], max_cycles: int):
        self.metadata = {"name": f"rigless_{name}_v0", "render_modes": []}
        self.possible_agents, self.max_cycles = agents, max_cycles
        self.agents: list[str] = []
        self.observation_spaces: dict[str, spaces.Box] = {}
        self.action_spaces: dict[str, spaces.Discrete] = {}
        self.render_mode = None
        self._generator: np.random.Generator | None = None
        self._steps = 0
        self._recording: SimulationRecording | None = None

    def observation_space(self, agent: str) -> spaces.Box:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Floats], dict[str, dict[str, Any]]]:
        if seed is not None or self._generator is None:
            self._generator = seeding.np_random(seed)[0]
        self.close()
        self.agents, self._steps = list(self.possible_agents), 0
        self.begin(int(self._generator.integers(2**32)), self._generator)
        path = (options or {}).get("record")
        if path is not None:
            self._recording = SimulationRecording(path, self.recorded())
        return self._all(self.observe), self._all(self._infos)

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Floats],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        if not self.agents:
            raise InputError(Problem("step", "the episode has ended", "reset() it first"))
        chosen = {}
        for agent in self.agents:
            if agent not in actions or not self.action_spaces[agent].contains(actions[agent]):
                most = int(self.action_spaces[agent].n) - 1
                what = f"{actions.get(agent)!r} is no action of {agent}"
                raise InputError(Problem("step", what, f"give 0 to {most} for each agent"))
            chosen[agent] = int(actions[agent])
        rewards, over = self.play(chosen)
        self._steps += 1
        late = self._steps >= self.max_cycles
        found = (
            self._all(self.observe),
            dict(rewards),
            dict.fromkeys(self.agents, over),
            dict.fromkeys(self.agents, late),
            self._all(self._infos),
        )
        if over or late:
            self.agents = []
            self.close()
        return found

    def close(self) -> None:
        """Complete the recording, if there is one."""
        if self._recording is not None:
            self._recording.close()
            self._recording = None

    def _infos(self, agent: str) -> dict[str, Any]:
        path = {"recording": str(self._recording.path)} if self._recording is not None else {}
        return self.info(agent) | path

    def _all(self, function: Any) -> dict[str, Any]:
        return {agent: function(agent) for agent in self.agents}

    @abstractmethod
    def begin(self, seed: int, generator: np.random.Generator) -> None:
        """Begin an episode."""

    @abstractmethod
    def recorded(self) -> Simulation:
        """Return the simulation of the episode, to be recorded."""

    @abstractmethod
    def play(self, actions: Mapping[str, int]) -> tuple[Rewards, bool]:
        """Do a step. Return the rewards, and True if the episode is over."""

    @abstractmethod
    def observe(self, agent: str) -> Floats:
        """Return an agent's observation: numbers from −1 to 1."""

    def info(self, agent: str) -> dict[str, Any]:
        """Return an agent's infos."""
        return {}
