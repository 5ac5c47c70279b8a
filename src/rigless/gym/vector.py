"""The vector environment: n robots of a task in one batch, with all three modes of autoreset."""

from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rigless.gym.recording import Recordings
from rigless.gym.render import picture
from rigless.gym.single import _make
from rigless.gym.tasks import TASKS, Task
from rigless.kernel.problems import InputError, Problem


class RobotVectorEnv(VectorEnv[NDArray[np.float32], Any, Any]):
    """A task with many robots.

    Environment i has the episodes of a single environment with its seed, bit for bit.
    `autoreset_mode` is NEXT_STEP, SAME_STEP or DISABLED. With `device="cuda"` actions are taken
    from the device, and observations, rewards, ends and infos are arrays of CuPy that stay there.
    `reset(options={"record": {3: "three.mcap"}})` records the episode of environment 3.
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
        self._xp = self.task.arrays  # numpy, or CuPy
        self._recordings = Recordings(self.task)
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
        self.steps = self._xp.zeros(num_envs, np.int64)
        self._most = max_episode_steps
        self._generators: list[np.random.Generator] = []
        self._ended = self._xp.zeros(num_envs, bool)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        if seed is not None or not self._generators:
            self._seed(seed)
        mask = self._xp.ones(self.num_envs, bool)
        if options and "reset_mask" in options:
            mask = self._xp.asarray(options["reset_mask"], dtype=bool)
            if mask.shape != (self.num_envs,):
                what = f"reset_mask has the shape {mask.shape}"
                raise InputError(Problem("reset", what, f"give {self.num_envs} booleans"))
        self._recordings.end(self.task.fetch(mask))
        self._begin(mask)
        record = (options or {}).get("record")
        if record is not None:
            self._recordings.begin(record, self.task.fetch(mask))
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

    def _begin(self, mask: Any) -> None:
        """Begin new episodes of these environments. They are drawn on the processor."""
        rows = np.flatnonzero(self.task.fetch(mask))
        if len(rows):
            self.task.begin(rows, [self._generators[row] for row in rows])
            self.steps[mask], self._ended[mask] = 0, False

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        mode, waiting = self.autoreset_mode, self._ended.copy()
        resets = bool(waiting.any())  # a device answers once a step: it waits for its work
        if mode is AutoresetMode.DISABLED and resets:
            what = f"environment {int(waiting.argmax())} has ended"
            raise InputError(Problem("step", what, 'reset(options={"reset_mask": …}) it first'))
        self.task.act(actions)
        self._recordings.step(actions)
        self.steps += 1
        reward, terminated, found = self.task.judge()
        truncated = self._xp.zeros(self.num_envs, bool)
        if self._most is not None:
            truncated = self.steps >= self._most
        paths = self._recordings.infos()
        infos = self._infos(found, ~waiting, True if not resets else None)
        if resets:  # the step after an end: it resets
            self._begin(waiting)
            reward[waiting], terminated[waiting], truncated[waiting] = 0.0, False, False
        ended = terminated | truncated
        if paths:
            self._recordings.end(self.task.fetch(ended))
        if mode is AutoresetMode.SAME_STEP and ended.any():
            infos = self._infos(found, ~ended)
            infos |= {"final_obs": self._last(ended), "_final_obs": ended.copy()}
            infos |= {"final_info": self._infos(found, ended), "_final_info": ended.copy()}
            self._begin(ended)
        else:
            self._ended = ended
        return self.task.observe(), reward, terminated, truncated, infos | paths

    def _infos(self, found: dict[str, Any], mask: Any, some: bool | None = None) -> dict[str, Any]:
        """Return the infos of some environments, with their masks.

        `some` is True if the mask is known to have one.
        """
        infos: dict[str, Any] = {}
        for name, values in found.items() if some or mask.any() else ():
            infos[name] = self._xp.where(mask, values, self._xp.zeros((), values.dtype))
            infos[f"_{name}"] = mask.copy()
        return infos

    def _last(self, ended: Any) -> Any:
        """Return the last observations of episodes.

        On the processor this is an array of objects, as Gymnasium defines it: None for the others.
        On a device it is an array of all observations.
        """
        rows = self.task.observe()
        if self._xp is not np:
            return rows
        found = np.full(len(rows), None, dtype=object)
        for i in np.flatnonzero(ended):
            found[i] = rows[i].copy()
        return found

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        if self.render_mode != "rgb_array":
            return None
        return tuple(picture(self.task, i) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        self._recordings.end()

    def __reduce__(self) -> Any:
        return _make, (type(self), self._arguments), {"spec": self.spec}

    def __new__(cls, *args: Any, **kwargs: Any) -> "RobotVectorEnv":
        env = super().__new__(cls)
        env._arguments = (args, kwargs)
        return env

    _arguments: Any
