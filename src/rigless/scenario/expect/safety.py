"""Expectations on the safety of robots: collisions, distances, places reached."""

import math
from typing import Any

from rigless.kernel.body import Body
from rigless.kernel.events import Event
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.timing.rate import to_ns
from rigless.scenario.expect.counts import CountWatch
from rigless.scenario.expect.margins import counted, inside_m, moment
from rigless.scenario.expect.motion import pose_of
from rigless.scenario.expect.watch import Watch
from rigless.scenario.verdict import Verdict


class CollisionWatch(CountWatch):
    """Expects that there is no event of a collision."""

    wants_events = True

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.low, self.high = 0, 0
        self._first = ""

    def begin(self) -> None:
        self.check_one_robot()
        super().begin()

    def event(self, time_ns: int, event: Event) -> None:
        robot = self.robots.get(event.robot)
        if robot is None or event.code not in robot.collision_codes or not self.in_window(time_ns):
            return
        self._first = self._first or f"; first {event.robot}: {event.text}"
        self.see(time_ns, event.robot)

    def detail(self, passed: bool) -> str:
        return f"{counted(self.count, 'collision')}{self.times()}{self._first}"


class DistanceWatch(Watch):
    """A distance to walls, obstacles and other robots that is never smaller than a limit."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        assert self.e.keeps_distance_m is not None
        self.limit_m = self.e.keeps_distance_m
        self._least = (math.inf, 0.0, "")  # the distance, its time and the robot
        self._broke: tuple[float, str] | None = None
        self._sampled = False

    def begin(self) -> None:
        self.check_one_robot()
        self.check_window()
        for robot in self.robots.values():
            if shape_of(robot) is None:
                what = f"{robot.name} has no footprint"
                raise InputError(Problem("keeps_distance_m", what, "use no_collision"))
        self.call_every(to_ns(self.e.every_s), self._sample)

    def _sample(self) -> None:
        time_s = self.run.now_ns / 1e9
        least = min((clearance_m(robot), name) for name, robot in self.robots.items())
        self._sampled = True
        if least[0] < self._least[0]:
            self._least = (least[0], time_s, least[1])
        if least[0] < self.limit_m and self._broke is None:
            self._broke = (time_s, least[1])
        self.curve.add(time_s, least[0])

    def decided(self) -> bool:
        return self._broke is not None or self.window_ended()

    def verdict(self) -> Verdict:
        if not self._sampled:
            what = f"never sampled: the run ended at {moment(self.run.now_ns / 1e9)}"
            return self.result(False, what, low=self.limit_m)
        distance_m, time_s, name = self._least
        who = f"{name}: " if len(self.robots) > 1 else ""
        detail = f"{who}smallest distance {distance_m:.4g} m at {moment(time_s)}"
        if math.isinf(distance_m):
            detail = "there is nothing around"
        broke_at_s, robot = self._broke or (None, "")
        return self.result(
            self._broke is None,
            detail,
            margin=distance_m - self.limit_m,
            broke_at_s=broke_at_s,
            low=self.limit_m,
            robot=robot,
        )


class ReachWatch(Watch):
    """A region in which each robot is at some time."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._nearest: dict[str, tuple[float, float]] = {}  # robot → inside_m and its time
        self._reached: dict[str, float] = {}

    def begin(self) -> None:
        self.check_one_robot()
        self.check_window()
        for robot in self.robots.values():
            pose_of(robot)
        self.call_every(to_ns(self.e.every_s), self._sample)

    def _sample(self) -> None:
        assert self.e.reaches is not None
        time_s, worst = self.run.now_ns / 1e9, math.inf
        for name, robot in self.robots.items():
            inner_m = inside_m(self.e.reaches, pose_of(robot))
            worst = min(worst, inner_m)
            if inner_m > self._nearest.get(name, (-math.inf, 0.0))[0]:
                self._nearest[name] = (inner_m, time_s)
            if inner_m >= 0:
                self._reached.setdefault(name, time_s)
        self.curve.add(time_s, worst)

    def decided(self) -> bool:
        return len(self._reached) == len(self.robots) or self.window_ended()

    def verdict(self) -> Verdict:
        missing = [name for name in self.robots if name not in self._reached]
        if not self._nearest:
            what = f"never sampled: the run ended at {moment(self.run.now_ns / 1e9)}"
            return self.result(False, what, low=0.0)
        name = min(missing or self.robots, key=lambda robot: self._nearest[robot][0])
        inner_m, time_s = self._nearest[name]
        who = f"{name}: " if len(self.robots) > 1 else ""
        detail = f"reached at {moment(max(self._reached.values(), default=0.0))}"
        if missing:
            detail = f"not reached; {who}nearest {-inner_m:.4g} m outside at {moment(time_s)}"
        return self.result(
            not missing,
            detail,
            margin=inner_m,
            broke_at_s=self.closing_s(),
            low=0.0,
            robot=name if missing else "",
        )


def shape_of(robot: Robot) -> Body | None:
    """Return the shape of a robot where it is; of one that nothing stops, the footprint."""
    body = robot.body()
    if body is None and (disc := robot.footprint()) is not None:
        return Body(disc[0], disc[1], radius_m=disc[2])
    return body


def clearance_m(robot: Robot) -> float:
    """Return the distance of a robot to the nearest wall, obstacle or other robot."""
    body = shape_of(robot)
    others = [
        shape_of(other)
        for other in robot.all_robots.values()
        if other is not robot and other.world is robot.world
    ]
    if body is None:
        return math.inf
    return robot.world.clearance_m(body, robot.now_ns, [one for one in others if one is not None])
