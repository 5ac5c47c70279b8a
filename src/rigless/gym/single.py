"""The single environment: one robot of a task."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rigless.gym.recording import EpisodeRecording
from rigless.gym.render import picture
from rigless.gym.tasks import TASKS, Task
from rigless.kernel.problems import InputError, Problem

ROW = np.zeros(1, np.int64)


class RobotEnv(gymnasium.Env[NDArray[np.float32], Any]):
    """A task with one robot.

    `reset(options={"record": "episode.mcap"})` records the episode: the file is complete at the
    next reset or close.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 5}

    def __init__(self, task: str, render_mode: str | None = None, **options: Any):
        if str(options.get("device") or "cpu") != "cpu":
            fix = "make a vector environment: gymnasium.make_vec"
            raise InputError(Problem("device", "a single environment has the device cpu", fix))
        self.task: Task = TASKS[task](1, options)
        self.observation_space = self.task.observation_space
        self.action_space = self.task.action_space
        self.metadata = {**self.metadata, "render_fps": round(self.task.fps)}
        self.render_mode = render_mode
        self._recording: EpisodeRecording | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self._end_recording()
        self.task.begin(ROW, [self.np_random])
        path = (options or {}).get("record")
        if path is not None:
            self._recording = EpisodeRecording(path, self.task, 0)
        return self.task.observe()[0], {}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        self.task.act(np.asarray(action)[None])
        if self._recording is not None:
            self._recording.step(action)
        reward, terminated, infos = self.task.judge()
        info: dict[str, Any] = {name: values[0].item() for name, values in infos.items()}
        if self._recording is not None:
            info["recording"] = str(self._recording.path)
        return self.task.observe()[0], float(reward[0]), bool(terminated[0]), False, info

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        return picture(self.task, 0) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        self._end_recording()

    def _end_recording(self) -> None:
        if self._recording is not None:
            self._recording.close()
            self._recording = None

    # A batch has no pickle; an environment is made again from its arguments.

    def __reduce__(self) -> Any:
        return _make, (type(self), self._arguments), {"spec": self.spec}

    def __new__(cls, *args: Any, **kwargs: Any) -> "RobotEnv":
        env = super().__new__(cls)
        env._arguments = (args, kwargs)
        return env

    _arguments: Any


def _make(cls: type[Any], arguments: Any) -> Any:
    args, kwargs = arguments
    return cls(*args, **kwargs)
