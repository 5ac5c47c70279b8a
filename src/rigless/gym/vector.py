"""The vector environment: n robots of a task in one batch, with all three modes of autoreset."""

from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rigless.gym.render import picture
from rigless.gym.single import _make
from rigless.gym.tasks import TASKS, Outcome, Task
from rigless.kernel.problems import InputError, Problem


class RobotVectorEnv(VectorEnv[NDArray[np.float32], Any, Any]):
    """A task with many robots.

    Environment i has the episodes of a single environment with its seed, bit for bit.
    `autoreset_mode` is NEXT_STEP, SAME_STEP or DISABLED.
    """

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ):
        self.num_envs = num_envs
        self.task: Task = TASKS[task](num_envs, options)
        self.single_observation_space = self.task.observation_space
        self.single_action_space = self.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "autoreset_mode": self.autoreset_mode,
            "render_modes": ["rgb_array"],
            "render_fps": round(self.task.fps),
        }
        self.render_mode = render_mode
        self.steps = np.zeros(num_envs, np.int64)
        self._most = max_episode_steps
        self._generators: list[np.random.Generator] = []
        self._ended = np.zeros(num_envs, bool)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        if seed is not None or not self._generators:
            self._seed(seed)
        mask = np.ones(self.num_envs, bool)
        if options and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], bool)
            if mask.shape != (self.num_envs,):
                what = f"reset_mask has the shape {mask.shape}"
                raise InputError(Problem("reset", what, f"give {self.num_envs} booleans"))
        self._begin(np.flatnonzero(mask))
        return self.task.observe(), {}

    def _seed(self, seed: int | list[int | None] | None) -> None:
        seeds = (
            [None if seed is None else seed + i for i in range(self.num_envs)]
            if seed is None or isinstance(seed, int)
            else list(seed)
        )
        if len(seeds) != self.num_envs:
            what = f"{len(seeds)} seeds for {self.num_envs} environments"
            raise InputError(Problem("reset", what, "give one number, or one for each"))
        kept: list[Any] = self._generators or [None] * self.num_envs
        self._generators = [
            old if each is None and old is not None else seeding.np_random(each)[0]
            for each, old in zip(seeds, kept, strict=True)
        ]

    def _begin(self, rows: NDArray[np.int64]) -> None:
        if len(rows):
            self.task.begin(rows, [self._generators[row] for row in rows])
            self.steps[rows], self._ended[rows] = 0, False

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        mode, waiting = self.autoreset_mode, self._ended.copy()
        if mode is AutoresetMode.DISABLED and waiting.any():
            what = f"environment {int(np.argmax(waiting))} has ended"
            raise InputError(Problem("step", what, 'reset(options={"reset_mask": …}) it first'))
        self.task.act(np.asarray(actions))
        self.steps += 1
        outcome = self.task.judge()
        truncated = np.zeros(self.num_envs, bool)
        if self._most is not None:
            truncated = self.steps >= self._most
        reward, terminated = outcome.reward.astype(float), outcome.terminated.copy()
        infos = _infos(outcome, ~waiting)
        if waiting.any():  # the step after an end: it resets
            self._begin(np.flatnonzero(waiting))
            reward[waiting], terminated[waiting], truncated[waiting] = 0.0, False, False
        ended = terminated | truncated
        if mode is AutoresetMode.SAME_STEP and ended.any():
            infos = _infos(outcome, ~ended)
            infos |= {"final_obs": _some(self.task.observe(), ended), "_final_obs": ended.copy()}
            infos |= {"final_info": _infos(outcome, ended), "_final_info": ended.copy()}
            self._begin(np.flatnonzero(ended))
        else:
            self._ended = ended
        return self.task.observe(), reward, terminated, truncated, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        if self.render_mode != "rgb_array":
            return None
        return tuple(picture(self.task, i) for i in range(self.num_envs))

    def __reduce__(self) -> Any:
        return _make, (type(self), self._arguments), {"spec": self.spec}

    def __new__(cls, *args: Any, **kwargs: Any) -> "RobotVectorEnv":
        env = super().__new__(cls)
        env._arguments = (args, kwargs)
        return env

    _arguments: Any


def _infos(outcome: Outcome, mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the infos of some environments, with their masks."""
    found: dict[str, Any] = {}
    for name, values in outcome.infos.items() if mask.any() else ():
        found[name] = np.where(mask, values, np.zeros((), values.dtype))
        found[f"_{name}"] = mask.copy()
    return found


def _some(rows: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[Any]:
    """Return an array of objects: the rows of the mask, None for the others."""
    found = np.full(len(rows), None, dtype=object)
    for i in np.flatnonzero(mask):
        found[i] = rows[i].copy()
    return found
