"""Expectations on the share of the floor that a robot has swept or its lidar has seen."""

from typing import Any

from rigless.kernel.body import Body
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.scenario.expect.motion import FASTEST_MPS, MotionWatch
from rigless.scenario.expect.safety import shape_of
from rigless.scenario.verdict import Verdict


class CoverageWatch(MotionWatch):
    """A share of the reachable floor that the selected robots have swept together."""

    done = "swept"

    def __init__(self, *args: Any):
        super().__init__(*args)
        assert self.e.coverage_min is not None
        self.limit = self.e.coverage_min
        self._floor: Any = None

    def begin(self) -> None:
        from rigless.worlds.grid_world import GridWorld  # numba takes its time

        super().begin()
        for robot in self.robots.values():
            body, world = shape_of(robot), robot.world
            if body is None or not isinstance(world, GridWorld):
                what = f"{robot.name} {'has no footprint' if body is None else 'has no map'}"
                fix = "it needs a robot with a footprint on a map"
                raise InputError(Problem("coverage_min", what, fix))
            if self._floor is None:
                self._floor = self._floor_for(robot, world.grid, body)
                self._world = world
            elif world is not self._world:
                what, fix = "these robots are on different maps", "one expectation for each map"
                raise InputError(Problem("coverage_min", what, fix))
            self._floor.start(body.x, body.y)

    def _floor_for(self, robot: Robot, grid: Any, body: Body) -> Any:
        from rigless.worlds.floor import Floor

        return Floor(grid, body.inner_m)

    def _sample(self) -> None:
        before, time_s = dict(self._poses), (self.run.now_ns - self._sampled_ns) / 1e9
        super()._sample()
        for name, (x, y, _) in self._poses.items():
            from_x, from_y, _ = before.get(name, (x, y, 0.0))
            if max(abs(x - from_x), abs(y - from_y)) > FASTEST_MPS * time_s:
                from_x, from_y = x, y
            self._floor.sweep(from_x, from_y, x, y)
        self.curve.add(self.run.now_ns / 1e9, self._floor.share)

    def moved(self, robot: str, time_s: float, step_m: float, moving: bool) -> None:
        pass

    def decided(self) -> bool:
        return self._floor.share >= self.limit or self.window_ended()

    def verdict(self) -> Verdict:
        share = self._floor.share
        detail = f"{100 * share:.4g} % of {self._floor.area_m2:.4g} m² {self.done}"
        return self.result(
            share >= self.limit,
            detail,
            margin=share - self.limit,
            broke_at_s=self.closing_s(),
            low=self.limit,
        )


class SeenWatch(CoverageWatch):
    """A share of the floor that the lidars of the selected robots have seen together."""

    done = "seen by lidar"

    def _floor_for(self, robot: Robot, grid: Any, body: Body) -> Any:
        from rigless.worlds.floor import SeenFloor

        return SeenFloor(grid)

    def begin(self) -> None:
        for robot in self.robots.values():
            if robot.beams() is None:
                what, fix = f"{robot.name} has no lidar", 'by = "swept"'
                raise InputError(Problem("by", what, fix))
        super().begin()

    def _sample(self) -> None:
        for robot in self.robots.values():
            self._floor.see(robot.beams())
        self.curve.add(self.run.now_ns / 1e9, self._floor.share)
