"""Progress and time to completion of jobs and tasks, at the top speeds of the motors."""

import math

from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.params import STEPS, Refused
from rigless.robots.agv.services import Clock
from rigless.robots.agv.state import Job, JobsState, RouteState, Step, Task


class Forecast:
    def __init__(
        self, clock: Clock, jobs: JobsState, route: RouteState, machine: Machine, plans: Plans
    ):
        self._clock, self._machine, self._plans = clock, machine, plans
        self._jobs, self._route = jobs, route
        self._index = {motor: index for index, motor in enumerate(machine.motors.axes)}

    def remaining(self, job: Job) -> float:
        """Return what remains of a job: metres, seconds, or the longest distance of its axes."""
        if job.drives:
            return self._path_left_m()
        if job.motors:
            return max(
                abs(target - self._at(motor))
                for motor, target in zip(job.motors, job.targets, strict=True)
            )
        return max(0.0, (job.until_ns - self._clock.now_ns) / 1e9)

    def progress(self, job: Job | None) -> float:
        """Return the completed fraction of a job, 0 to 1."""
        if job is None or job.extent <= 0:
            return 0.0
        return min(max(1.0 - self.remaining(job) / job.extent, 0.0), 1.0)

    def eta_s(self, task: Task) -> float:
        """Return the time until a task is done if nothing holds the robot."""
        job = self._jobs.by_id.get(task.job)
        seconds = self._seconds(job, self.remaining(job)) if job is not None else 0.0
        x, y, _ = self._machine.drive.pose
        for number, step in enumerate(task.steps[task.index :]):
            planned = self._plan(step)
            if planned is None:
                continue
            if step.type == "MOVE":
                to_x, to_y = float(step.params["x"]), float(step.params["y"])
                distance_m = math.hypot(to_x - x, to_y - y)
                x, y = to_x, to_y
                if number or job is None:
                    seconds += distance_m / self._top_mps()
            elif number or job is None:
                seconds += self._step_s(planned)
        return round(seconds, 1)

    def _plan(self, step: Step) -> Job | None:
        """Return the job of a step, or None if the robot cannot carry it out."""
        try:
            return self._plans.plan(step.type, step.params, "task", STEPS)
        except Refused:
            return None

    def _step_s(self, job: Job) -> float:
        """Return the duration of a step that has not begun."""
        if job.kind == "WAIT":
            return float(job.params["seconds"])
        return self._seconds(job, self.remaining(job)) if job.motors else 0.0

    def _seconds(self, job: Job, remaining: float) -> float:
        if job.drives:
            return remaining / self._top_mps()
        if job.motors:
            limits = self._machine.limits
            return max(
                abs(target - self._at(motor)) / limits.item(self._index[motor], m.TOP)
                for motor, target in zip(job.motors, job.targets, strict=True)
            )
        return remaining

    def _top_mps(self) -> float:
        return max(min(self._machine.const.item(d.TOP_V), self._machine.drive.speed_limit), 0.01)

    def _at(self, motor: str) -> float:
        return self._machine.motors.axis_position(motor)

    def _path_left_m(self) -> float:
        """Return the length of the remaining waypoints, and of the nodes of a route after them."""
        drive, following = self._machine.drive, self._route.following
        x, y, _ = drive.pose
        points = drive.points_left()
        if following is not None:
            points += [[node.x, node.y] for node in following.route.nodes[following.sent + 1 :]]
        length_m = 0.0
        for to_x, to_y in points:
            length_m += math.hypot(to_x - x, to_y - y)
            x, y = to_x, to_y
        return length_m
