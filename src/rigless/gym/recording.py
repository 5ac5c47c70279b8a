"""The recording of an episode: the robot itself, with its wire, driven by the same commands."""

from pathlib import Path
from typing import Any

from rigless.batch.templates import build_raw_robot, merged
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.rate import Rate
from rigless.kernel.recording import Recorder
from rigless.robots.vacuum.wire import Control
from rigless.ros.messages import Twist, Vector3


class EpisodeRecording:
    """Records the episode of a task's first robot to an MCAP file.

    A simulation of the robot starts at the same pose, with the same seed, config and faults, and
    gets each command on its port. Its numbers are those of the batch.
    """

    def __init__(self, path: str | Path, task: Any):
        if task.kind == "pacbot":
            fix = "record a match with: rigless run pacbot --record FILE --set game.enabled=true"
            raise InputError(Problem("record", "matches are not recorded here", fix))
        episodes, self._kind, self._ticks = task.episodes, task.kind, task.ticks
        robots, self.path = episodes.robots, Path(path)
        keys = {**({} if episodes.map is None else {robots.map_key: episodes.map})}
        config = merged(merged(episodes.config, keys), episodes.variant(0))
        x, y, theta = (float(number) for number in episodes.starts[0])
        start = {"x": x, "y": y, "theta": theta}
        self.sim = build_raw_robot(self._kind, config, int(episodes.seeds[0]), start)
        self._count = 0
        for fault, broken in zip(episodes.faults, episodes.broken, strict=True):
            if 0 in broken:
                self.sim.inject(self._kind, fault["target"], fault["kind"], **fault["params"])
        self._rate = _rate(self.sim.robots[self._kind])
        try:
            self._file = self.path.open("wb")
        except OSError as error:
            what = f"{str(path)!r} cannot be written: {error.strerror}"
            raise InputError(Problem("record", what)) from None
        self._recorder = Recorder(self.sim, self._file)

    def step(self, command: Any) -> None:
        """Send a command, and run the ticks of a step."""
        first, second = (float(number) for number in command)
        if self._kind == "vacuum":
            message: Any = Control("drive", "configure", {"linear": first, "angular": second})
            self.sim.send("vacuum", "commands", message)
        else:
            twist = Twist(Vector3(first, 0.0, 0.0), Vector3(0.0, 0.0, second))
            self.sim.send("rover", "dds", twist)
        self._count += self._ticks
        self.sim.run_until(self._rate.due_ns(self._count))

    def close(self) -> None:
        """Complete the file."""
        self._recorder.close()
        self._file.close()


def _rate(robot: Any) -> Rate:
    config = robot.config
    return Rate(config.imu.update_rate_hz if robot.name == "vacuum" else config.high_hz)
