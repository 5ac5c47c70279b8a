"""Recordings of episodes: the robot itself, with its wire, driven by the same commands."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.batch.templates import build_raw_robot, merged
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import Simulation
from rigless.kernel.timing.rate import Rate
from rigless.robots.vacuum.wire import Control
from rigless.ros.messages import Twist, Vector3

Record = str | Path | Mapping[int, str | Path]


class SimulationRecording:
    """Records a simulation to an MCAP file until `close`."""

    def __init__(self, path: str | Path, sim: Simulation):
        self.path, self.sim = Path(path), sim
        try:
            self._file = self.path.open("wb")
        except OSError as error:
            what = f"{str(path)!r} cannot be written: {error.strerror}"
            raise InputError(Problem("record", what)) from None
        self._recorder = Recorder(sim, self._file)

    def close(self) -> None:
        """Complete the file."""
        self._recorder.close()
        self._file.close()


class EpisodeRecording(SimulationRecording):
    """Records the episode of robot i of a task to an MCAP file.

    A simulation of the robot starts at the same pose, with the same seed, config and faults, and
    gets each command on its port. Its numbers are those of the batch. A match is such a simulation
    itself.
    """

    def __init__(self, path: str | Path, task: Any, i: int):
        self._task, self._kind, self._count = task, task.kind, 0
        self._follows = task.kind != "pacbot"
        sim = _simulation(task, i) if self._follows else task.matches.simulation(i)
        self._rate = _rate(sim.robots[self._kind])
        super().__init__(path, sim)

    def step(self, action: Any) -> None:
        """Send the command of an action, and run the ticks of a step."""
        if not self._follows:
            return
        command = self._task.fetch(self._task.command(action))
        first, second = (float(number) for number in command)
        if self._kind == "vacuum":
            message: Any = Control("drive", "configure", {"linear": first, "angular": second})
            self.sim.send("vacuum", "commands", message)
        else:
            twist = Twist(Vector3(first, 0.0, 0.0), Vector3(0.0, 0.0, second))
            self.sim.send("rover", "dds", twist)
        self._count += self._task.ticks
        self.sim.run_until(self._rate.due_ns(self._count))


class Recordings:
    """The open recordings of a task, by the number of the robot."""

    def __init__(self, task: Any):
        self.task = task
        self.open: dict[int, EpisodeRecording] = {}

    def begin(self, wanted: Record, begun: NDArray[np.bool_]) -> None:
        """Record the episodes that have just begun: path by robot, or the path of the first."""
        paths = wanted if isinstance(wanted, Mapping) else {0: wanted}
        for i, path in paths.items():
            if (
                isinstance(i, bool)
                or not isinstance(i, int | np.integer)
                or i not in range(len(begun))
            ):
                fix = f"give paths by number, from 0 to {len(begun) - 1}"
                raise InputError(Problem("record", f"there is no environment {i!r}", fix))
            if not begun[i]:
                what = f"environment {i} does not begin an episode"
                raise InputError(Problem("record", what, "reset it by reset_mask"))
            self.open[int(i)] = EpisodeRecording(path, self.task, int(i))

    def step(self, actions: Any) -> None:
        """Do a step of the recorded robots."""
        for i, recording in self.open.items():
            recording.step(actions[i])

    def infos(self) -> dict[str, Any]:
        """Return the paths as infos of a vector environment."""
        n = self.task.robots.n
        paths, mask = np.full(n, None, dtype=object), np.zeros(n, bool)
        for i, recording in self.open.items():
            paths[i], mask[i] = str(recording.path), True
        return {"recording": paths, "_recording": mask} if self.open else {}

    def end(self, ended: NDArray[np.bool_] | None = None) -> None:
        """Complete the files of episodes that have ended, or of all."""
        for i in [i for i in self.open if ended is None or ended[i]]:
            self.open.pop(i).close()


def _simulation(task: Any, i: int) -> Simulation:
    """Return a simulation that begins as the episode of robot i."""
    episodes, kind = task.episodes, task.kind
    keys = {} if episodes.map is None else {episodes.robots.map_key: episodes.map}
    config = merged(merged(episodes.config, keys), episodes.variant(i))
    x, y, theta = (float(number) for number in episodes.starts[i])
    start = {"x": x, "y": y, "theta": theta}
    sim = build_raw_robot(kind, config, int(episodes.seeds[i]), start)
    for fault, broken in zip(episodes.faults, episodes.broken, strict=True):
        if i in broken:
            sim.inject(kind, fault["target"], fault["kind"], **fault["params"])
    return sim


def _rate(robot: Any) -> Rate:
    config = robot.config
    hz = {"vacuum": lambda: config.imu.update_rate_hz, "pacbot": lambda: config.physics_hz}
    return Rate(hz.get(robot.name, lambda: config.high_hz)())
