"""Stable-Baselines3: a batch of environments as its VecEnv.

from stable_baselines3 import PPO
from rigless.gym.stable_baselines import make_vec_env
model = PPO("MlpPolicy", make_vec_env("rigless/VacuumGoal-v0", 64)).learn(100_000)
"""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from rigless.gym.vector import RobotVectorEnv
from rigless.kernel.problems import InputError, Problem

Indices = int | Iterable[int] | None
Step = tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class Steps:
    """The methods of a VecEnv, over the vector environment `envs` with autoreset SAME_STEP."""

    num_envs: int
    reset_infos: list[dict[str, Any]]
    _seeds: list[int | None]

    def __init__(self, envs: RobotVectorEnv):
        self.envs = envs
        base: Any = super()
        base.__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> NDArray[np.float32]:
        seeds = list(self._seeds)
        observations, _ = self.envs.reset(seed=seeds)
        self.reset_infos = [{} for _ in seeds]
        self._seeds = [None] * len(seeds)
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> Step:
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        dones = terminated | truncated
        last = infos.pop("final_info", {})
        rows = [
            _row(last if done else infos, i) | {"TimeLimit.truncated": bool(late and not over)}
            for i, (done, late, over) in enumerate(zip(dones, truncated, terminated, strict=True))
        ]
        for i in np.flatnonzero(dones):
            rows[i]["terminal_observation"] = infos["final_obs"][i]
        return observations, rewards.astype(np.float32), dones, rows

    def close(self) -> None:
        self.envs.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        return self.envs.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        return [getattr(self.envs, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        if len(self._rows(indices)) != self.num_envs:
            what = f"{attr_name} cannot be set for some environments"
            raise InputError(Problem("set_attr", what, "they are one batch: set it for all"))
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        what = f"{method_name} is not a method of single environments"
        fix = "they are one batch: use the methods of `envs`"
        raise InputError(Problem("env_method", what, fix))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        return [False] * len(self._rows(indices))

    def _rows(self, indices: Indices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [indices] if isinstance(indices, int) else list(indices)


def make_vec_env(name: str, num_envs: int = 1, seed: int | None = None, **options: Any) -> Any:
    """Return a VecEnv of an id, with the options of `gymnasium.make_vec`.

    Episodes end after the steps of the id, or `max_episode_steps`.
    """
    try:
        from stable_baselines3.common.vec_env import VecEnv
    except ModuleNotFoundError as error:
        text = "Stable-Baselines3 is not installed: pip install stable-baselines3"
        raise ModuleNotFoundError(text, name="stable_baselines3") from error
    envs: Any = gymnasium.make_vec(
        name,
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.SAME_STEP,
        **options,
    )
    adapter: Any = type("RobotVecEnv", (Steps, VecEnv), {})(envs.unwrapped)
    adapter.seed(seed)
    return adapter


def _row(infos: dict[str, Any], i: int) -> dict[str, Any]:
    """Return the infos of one environment."""
    return {
        name: values[i].item()
        for name, values in infos.items()
        if isinstance(values, np.ndarray) and values.dtype != object and f"_{name}" in infos
    }
