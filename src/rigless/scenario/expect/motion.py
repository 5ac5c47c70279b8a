"""Expectations on the motion of robots: path length, standstill, stopping distance.

Poses are sampled, by default every 0.05 s, and joined by straight lines.
"""

import math
from dataclasses import dataclass
from typing import Any

from rigless.kernel.events import Event
from rigless.kernel.robot import Robot
from rigless.kernel.timing.rate import to_ns
from rigless.scenario.expect.margins import moment
from rigless.scenario.expect.names import check_names
from rigless.scenario.expect.paths import look_up
from rigless.scenario.expect.reactions import none_occurred, robots_after
from rigless.scenario.expect.watch import Watch
from rigless.scenario.verdict import Verdict

STILL_MPS, STILL_RADPS = 1e-3, 1e-3  # slower is standstill
FASTEST_MPS = 50.0  # faster is a teleport, which is no path
Pose = tuple[float, float, float]


def pose_of(robot: Robot) -> Pose:
    """Return the true pose of a robot. Raises InputError if it has none."""
    x, y, theta = look_up(robot, "truth.pose")
    return float(x), float(y), float(theta)


def step_between(before: Pose, after: Pose, time_s: float) -> tuple[float, bool]:
    """Return the distance between two poses, and False if that is standstill."""
    step_m = math.hypot(after[0] - before[0], after[1] - before[1])
    turn = abs(math.remainder(after[2] - before[2], 2 * math.pi))
    moving = step_m >= STILL_MPS * time_s or turn >= STILL_RADPS * time_s
    return (step_m if step_m <= FASTEST_MPS * time_s else 0.0), moving


class MotionWatch(Watch):
    """The base of expectations on sampled poses."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._poses: dict[str, Pose] = {}
        self._sampled_ns = self.start_ns

    def begin(self) -> None:
        check_names(self.e, self.robots.values())
        self.check_one_robot()
        self.check_window()
        for robot in self.robots.values():
            pose_of(robot)
        self.call_every(to_ns(self.e.every_s), self._sample)

    def _sample(self) -> None:
        now_ns = self.run.now_ns
        time_s = (now_ns - self._sampled_ns) / 1e9
        for name, robot in self.robots.items():
            pose = pose_of(robot)
            before = self._poses.get(name)
            if before is not None and time_s > 0:
                self.moved(name, time_s, *step_between(before, pose, time_s))
            self._poses[name] = pose
        self._sampled_ns = now_ns

    def moved(self, robot: str, time_s: float, step_m: float, moving: bool) -> None:
        """Observe the motion of a robot since the sample before."""
        raise NotImplementedError


class LargestWatch(MotionWatch):
    """A number of each robot that must not exceed a limit."""

    limit: float

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.largest: dict[str, float] = dict.fromkeys(self.robots, 0.0)
        self._broke_at_s: float | None = None
        self._robot = ""

    def note(self, robot: str, value: float) -> None:
        """Keep the largest value of a robot."""
        now_s = self.run.now_ns / 1e9
        if value > self.limit and self._broke_at_s is None:
            self._broke_at_s, self._robot = now_s, robot
        self.largest[robot] = max(self.largest[robot], value)

    def decided(self) -> bool:
        return self._broke_at_s is not None or self.window_ended()

    def judge(self, detail: str, passed: bool = True) -> Verdict:
        """Return the verdict on the largest value of all robots."""
        worst = max(self.largest.values())
        return self.result(
            passed and worst <= self.limit,
            detail,
            margin=self.limit - worst if passed else None,
            broke_at_s=self._broke_at_s,
            high=self.limit,
            robot=self._robot,
        )

    def worst_robot(self) -> str:
        """Return the robot with the largest value, as a prefix, if there are several."""
        if len(self.robots) == 1:
            return ""
        return f"{max(self.largest, key=lambda name: self.largest[name])}: "


class PathLengthWatch(LargestWatch):
    """A path that is not longer than a limit."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        assert self.e.path_length_max_m is not None
        self.limit = self.e.path_length_max_m

    def moved(self, robot: str, time_s: float, step_m: float, moving: bool) -> None:
        self.note(robot, self.largest[robot] + step_m)
        self.curve.add(self.run.now_ns / 1e9, max(self.largest.values()))

    def verdict(self) -> Verdict:
        return self.judge(f"{self.worst_robot()}drove {max(self.largest.values()):.4g} m")


class StandstillWatch(LargestWatch):
    """Pauses that are not longer than a limit, counted from the first motion."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        assert self.e.standstill_max_s is not None
        self.limit = self.e.standstill_max_s
        self._still_s: dict[str, float] = {}  # of the robots that have moved

    def moved(self, robot: str, time_s: float, step_m: float, moving: bool) -> None:
        if moving:
            self._still_s[robot] = 0.0
        elif robot in self._still_s:
            self._still_s[robot] += time_s
            # Sums of samples have rounding errors; a microsecond is none.
            self.note(robot, round(self._still_s[robot], 6))
        self.curve.add(self.run.now_ns / 1e9, max(self._still_s.values(), default=0.0))

    def verdict(self) -> Verdict:
        unmoved = [name for name in self.robots if name not in self._still_s]
        if unmoved:
            return self.judge(f"{unmoved[0]} did not move", passed=False)
        longest = max(self.largest.values())
        return self.judge(f"{self.worst_robot()}longest standstill {longest:.4g} s")


@dataclass
class Stopping:
    """The path of a robot after an occurrence."""

    robot: str
    begin_ns: int
    pose: Pose | None = None
    at_ns: int = 0
    path_m: float = 0.0
    measured: bool = False
    stopped: bool = False


class StopWatch(Watch):
    """The path after each occurrence until standstill, not longer than a limit."""

    wants_events = True

    def __init__(self, *args: Any):
        super().__init__(*args)
        assert self.e.stops_within_m is not None
        self.limit_m = self.e.stops_within_m
        self.least = 1 if self.e.min_count is None else self.e.min_count
        self._stops: list[Stopping] = []
        self._broke: tuple[float, str] | None = None

    def begin(self) -> None:
        check_names(self.e, self.robots.values(), self.run.programs)
        self.check_one_robot()
        self.check_window()
        for robot in self.robots.values():
            pose_of(robot)

    def event(self, time_ns: int, event: Event) -> None:
        for name in robots_after(self.e, event, self.robots) if self.in_window(time_ns) else ():
            self._stops.append(stop := Stopping(name, time_ns))
            # The robot is in the middle of a tick: take its pose after this instant.
            self._schedule(stop, self.run.now_ns)

    def _schedule(self, stop: Stopping, time_ns: int) -> None:
        self.run.simulation.core.call_at(time_ns, lambda: self._sample(stop))

    def _sample(self, stop: Stopping) -> None:
        now_ns, pose = self.run.now_ns, pose_of(self.robots[stop.robot])
        before, passed_s = stop.pose, (now_ns - stop.at_ns) / 1e9
        stop.pose, stop.at_ns = pose, now_ns
        if before is None:
            self._schedule(stop, now_ns + to_ns(self.e.every_s))
            return
        step_m, moving = step_between(before, pose, passed_s)
        stop.path_m += step_m
        stop.measured = True
        if all(other.path_m <= stop.path_m for other in self._stops if not other.stopped):
            self.curve.add(now_ns / 1e9, stop.path_m)
        if stop.path_m > self.limit_m and self._broke is None:
            self._broke = (now_ns / 1e9, stop.robot)
        stop.stopped = not moving
        if moving:
            self._schedule(stop, now_ns + to_ns(self.e.every_s))

    def decided(self) -> bool:
        if self._broke is not None:
            return True
        return self.window_ended() and all(stop.stopped for stop in self._stops)

    def verdict(self) -> Verdict:
        stops = [stop for stop in self._stops if stop.measured]
        if not stops:
            return self.result(self.least == 0, none_occurred(self.e), high=self.limit_m)
        worst = max(stops, key=lambda stop: stop.path_m)
        driving = [stop for stop in stops if not stop.stopped]
        detail = f"longest path {worst.path_m:.4g} m after {moment(worst.begin_ns / 1e9)}"
        detail += f"; {len(stops)} measured"
        if driving:
            detail += f"; {driving[0].robot} was still moving at the end"
        if len(stops) < self.least:
            detail += f", at least {self.least} needed"
        broke_at_s, robot = self._broke or (
            (self.run.now_ns / 1e9, driving[0].robot) if driving else (None, "")
        )
        return self.result(
            self._broke is None and not driving and len(stops) >= self.least,
            detail,
            margin=self.limit_m - worst.path_m,
            broke_at_s=broke_at_s,
            high=self.limit_m,
            robot=robot,
        )
