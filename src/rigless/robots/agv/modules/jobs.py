"""What the robot does: jobs that commands, steps of tasks and actions at nodes ask for, checked before they begin, watched while they run.

One job at a time has the drive, and one each functional motor; axes may move while the robot drives. A job that ends stays here until
whoever asked for it takes it. Drive and axes are held by the status, not by the jobs: what is held goes on afterwards.
"""

from rigless.kernel.rate import to_ns
from rigless.robots.agv import params as p
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.modules.plans import Plans, unavailable
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.params import Refused
from rigless.robots.agv.state import Job, Read

RESET_S = {"MOCK": 0.1, "REAL": 1.0}  # a motor that is reset is well by then, or still in trouble
NEAR_M = 0.1  # a code that was read this near still counts for a SCAN


class Jobs(Plans):
    def begin(self, job: Job) -> Job:
        robot, state, machine = self.robot, self.robot.state.jobs, self.robot.machine
        state.begun += 1
        job.id = state.begun
        state.by_id[job.id] = job
        machine.command_began(job.kind)
        if job.drives:
            state.drive = job.id
            robot.state.core.changed = True
        for motor, target in zip(job.motors, job.targets, strict=True):
            state.axes[motor] = job.id
            if not state.frozen:
                machine.move_axis(motor, target)
        if job.kind in ("WAIT", "SCAN"):
            job.until_ns += robot.now_ns
        given = p.parse(job.kind, job.params, p.STEPS)
        match given:
            case p.Move():
                machine.go([Waypoint(given.x, given.y, given.theta)])
            case p.FollowRoute():
                robot.route.follow(job, given)
            case p.ResetMotor():
                self._reset(job, given.motorIds)
            case p.SetOutput():
                machine.set_output(given.ioId, given.value)
                self.end(job)
            case p.InitPose():
                machine.place(given.x, given.y, given.theta, given.mapId)
                self.end(job)
            case p.Params() if job.kind in ("PAUSE", "RESUME"):
                robot.state.commands.paused = job.kind == "PAUSE"
                self.end(job)
            case p.Params() if job.kind == "CLEAR_FAULT":
                self._clear(
                    job,
                    [
                        motor
                        for motor in (*self.drives, *self.functional)
                        if not machine.healthy(motor)
                    ],
                )
        job.way = robot.forecast.left(job)
        return job

    def end(
        self, job: Job, state: str = "SUCCEEDED", code: str = "", message: str = "", motor: str = ""
    ) -> None:
        """The job has ended; its motors are free."""
        work = self.robot.state.jobs
        job.state, job.code, job.message, job.motor = state, code, message, motor
        job.part = 1.0 if state == "SUCCEEDED" else self.part_done(job)
        for one in job.motors:
            if work.axes.get(one) == job.id:
                del work.axes[one]
        if work.drive == job.id:
            work.drive = 0
            self.robot.state.core.changed = True
        if job.kind == "FOLLOW_ROUTE":
            self.robot.route.leave(job)

    def take(self, number: int) -> Job | None:
        """The job, if it has ended; it is forgotten then."""
        jobs = self.robot.state.jobs.by_id
        job = jobs.get(number)
        if job is None or job.state == "RUNNING":
            return None
        return jobs.pop(number)

    def part_done(self, job: Job) -> float:
        """0 to 1; of one that is being stopped, what it was before."""
        return self.robot.forecast.part_done(job) if job.part is None else job.part

    def cancel(self, number: int, axes: bool = True) -> None:
        """Stop doing it, within the limits of the motors; `axes` false: an axis that moves gets to where it was going."""
        job = self.robot.state.jobs.by_id.get(number)
        if job is None or job.state != "RUNNING":
            return
        job.part = self.part_done(job)
        if job.drives:
            self.robot.machine.halt()
        for motor in job.motors if axes else ():
            self.robot.machine.stop_axis(motor)
        self.end(job, "CANCELLED", "", "cancelled")

    def tick(self) -> bool:
        """Watch what is being done; gives whether something of it may have ended."""
        state = self.robot.state
        stand = state.core.status == "OFFLINE" or state.commands.paused
        if stand != state.jobs.frozen:
            self._freeze(stand)
        if self._on_its_way():
            return False
        for job in list(state.jobs.by_id.values()):
            if job.state == "RUNNING":
                self._watch(job)
        return True

    def _on_its_way(self) -> bool:
        """Whether all there is to do is a motion that goes on; most ticks are such."""
        state, work = self.robot.state, self.robot.state.jobs
        if not work.drive or len(work.by_id) > 1 or not self.robot.may_drive:
            return False
        return work.by_id[work.drive].kind == "MOVE" and state.machine.drive.item(d.PHASE) == d.ROLL

    def _freeze(self, stand: bool) -> None:
        """Axes stand while all motion must, and go on afterwards; at an emergency stop the machine sees to it."""
        state, machine = self.robot.state.jobs, self.robot.machine
        state.frozen = stand
        for motor, number in state.axes.items():
            job = state.by_id[number]
            if stand:
                machine.stop_axis(motor)
            else:
                machine.move_axis(motor, job.targets[job.motors.index(motor)])

    def _watch(self, job: Job) -> None:
        robot, machine = self.robot, self.robot.machine
        if job.drives and robot.state.core.status == "ERROR":
            job.part = self.part_done(job)
            machine.halt()
            motor = self.broken_drive()
            code = "REQUIRED_MOTOR_UNAVAILABLE" if motor else "STATUS_FORBIDS"
            self.end(job, "FAILED", code, f"stopped: {', '.join(robot.state.core.reasons)}", motor)
            return
        for motor in job.motors:
            if not machine.healthy(motor):
                for other in job.motors:
                    machine.stop_axis(other)
                refused = unavailable(motor, self.functional[motor].functionKey)
                self.end(job, "FAILED", refused.code, refused.message, motor)
                return
        match job.kind:
            case "MOVE":
                if machine.arrived:
                    x, y, theta = machine.pose
                    job.result = {"x": round(x, 4), "y": round(y, 4), "theta": round(theta, 5)}
                    self.end(job)
            case "FOLLOW_ROUTE":
                robot.route.drive(job)
            case "STOP":
                if not machine.driving:
                    self.end(job)
            case "WAIT":
                if robot.now_ns >= job.until_ns:
                    self.end(job)
            case "SCAN":
                self._scan(job)
            case "RESET_MOTOR" | "CLEAR_FAULT":
                self._was_reset(job)
            case _:
                if not robot.state.jobs.frozen and not any(
                    machine.axis_busy(motor) for motor in job.motors
                ):
                    self.end(job)

    def _scan(self, job: Job) -> None:
        read, wanted = self.robot.state.jobs.read, job.params.get("code")
        near = read is not None and self.robot.machine.odometer_m - read.odometer_m <= NEAR_M
        if read is not None and near and wanted in (None, read.code):
            job.result = {"code": read.code, "deviceId": read.device}
            self.end(job)
        elif self.robot.now_ns >= job.until_ns:
            self.end(job, "FAILED", "STEP_FAILED", f"no scanner read {wanted or 'a code'} in time")

    def scanned(self, device: str, code: str) -> None:
        self.robot.state.jobs.read = Read(device, code, self.robot.machine.odometer_m)

    def _reset(self, job: Job, motors: list[str]) -> None:
        """All of them, or none."""
        refused = next(filter(None, map(self._not_now, motors)), None)
        if refused is not None:
            self.end(job, "FAILED", refused.code, refused.message, refused.motor)
            return
        for motor in motors:
            self.robot.machine.reset_motor(motor)
        job.until_ns = self.robot.now_ns + to_ns(RESET_S[self.robot.config.runtime.mode])

    def _clear(self, job: Job, motors: list[str]) -> None:
        """Those that can be reset now; if none of them can, none is."""
        possible = [motor for motor in motors if self._not_now(motor) is None]
        self._reset(job, possible or motors)

    def _not_now(self, motor: str) -> Refused | None:
        """Why a motor cannot be reset now."""
        machine = self.robot.machine
        if not machine.axes[motor].resets:
            return Refused(
                "NOT_SUPPORTED",
                f"{motor} cannot be reset: its resetPolicy says supportsReset false",
                motor,
            )
        left_s = machine.cooldown_left_s(motor)
        return (
            Refused("RESET_COOLDOWN", f"{motor} can be reset again in {left_s:.3g} s", motor)
            if left_s > 0
            else None
        )

    def _was_reset(self, job: Job) -> None:
        machine = self.robot.machine
        motors = job.params.get("motorIds") or (*self.drives, *self.functional)
        bad = next((motor for motor in motors if not machine.healthy(motor)), "")
        if not bad:
            self.end(job)
        elif self.robot.now_ns >= job.until_ns:
            self.end(
                job,
                "FAILED",
                "REQUIRED_MOTOR_UNAVAILABLE",
                f"{bad} was reset, but its fault is still there",
                bad,
            )
