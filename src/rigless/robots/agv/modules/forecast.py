"""How far something is done, and how long the rest will take: from the way left, at the speeds that motors allow."""

import math
from typing import TYPE_CHECKING

from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.params import Refused
from rigless.robots.agv.state import Job, Task

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv


class Forecast:
    def __init__(self, robot: "Agv"):
        self.robot = robot
        self._index = {motor: index for index, motor in enumerate(robot.machine.axes)}

    def left(self, job: Job) -> float:
        """What is left of a job: metres, seconds, or how far its axes have to go."""
        if job.drives:
            return self._way_left_m()
        if job.motors:
            return max(
                abs(target - self._at(motor))
                for motor, target in zip(job.motors, job.targets, strict=True)
            )
        return max(0.0, (job.until_ns - self.robot.now_ns) / 1e9)

    def part_done(self, job: Job | None) -> float:
        """0 to 1."""
        return (
            min(max(1.0 - self.left(job) / job.way, 0.0), 1.0)
            if job is not None and job.way > 0
            else 0.0
        )

    def eta_s(self, task: Task) -> float:
        """Until the last step of a task is done, if nothing holds it."""
        job = self.robot.state.jobs.by_id.get(task.job)
        seconds = self._seconds(job, self.left(job)) if job is not None else 0.0
        x, y, _ = self.robot.machine.pose
        for number, step in enumerate(task.steps[task.index :]):
            if step.type == "MOVE":
                to_x, to_y = float(step.params["x"]), float(step.params["y"])
                way_m = math.hypot(to_x - x, to_y - y)
                x, y = to_x, to_y
                if number or job is None:
                    seconds += way_m / self._top_mps()
            elif number or job is None:
                seconds += self._step_s(step.type, step.params)
        return round(seconds, 1)

    def _step_s(self, kind: str, params: dict[str, object]) -> float:
        """How long a step takes that has not begun."""
        if kind == "WAIT":
            return float(str(params.get("seconds", 0.0)))
        try:
            job = self.robot.jobs.plan(kind, params, "task", self.robot.jobs.kinds)
        except Refused:
            return 0.0
        return self._seconds(job, self.left(job)) if job.motors else 0.0

    def _seconds(self, job: Job, left: float) -> float:
        if job.drives:
            return left / self._top_mps()
        if job.motors:
            limits = self.robot.machine.limits
            return max(abs(target - self._at(motor)) / limits.item(self._index[motor], m.TOP)
                       for motor, target in zip(job.motors, job.targets, strict=True))  # fmt: skip
        return left

    def _top_mps(self) -> float:
        machine = self.robot.machine
        return max(min(machine.const.item(d.TOP_V), self.robot.state.machine.speed_limit), 0.01)

    def _at(self, motor: str) -> float:
        return self.robot.machine.axis_position(motor)

    def _way_left_m(self) -> float:
        """Along the waypoints that the machine has not reached, and the nodes of a route after them."""
        machine, following = self.robot.machine, self.robot.state.route.following
        x, y, _ = machine.pose
        places = self.robot.state.machine.path[machine.reached :, : d.PATH_Y + 1].tolist()
        if following is not None:
            places += [[node.x, node.y] for node in following.route.nodes[following.sent + 1 :]]
        way_m = 0.0
        for to_x, to_y in places:
            way_m += math.hypot(to_x - x, to_y - y)
            x, y = to_x, to_y
        return way_m
