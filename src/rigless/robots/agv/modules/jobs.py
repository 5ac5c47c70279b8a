"""Jobs: work for commands, steps of tasks and actions at nodes, watched while it runs.

One job at a time uses the drive, and one each functional motor; axes may move while the robot
drives. A job that has ended stays here until its owner takes it. The status holds drive and axes,
not the jobs: a job that was held continues afterwards.
"""

from typing import Protocol

from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv import params as p
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.modules.forecast import Forecast
from rigless.robots.agv.modules.plans import Plans, unavailable
from rigless.robots.agv.params import Refused
from rigless.robots.agv.services import Clock
from rigless.robots.agv.state import CoreState, Job, JobsState, Scan

RESET_S = {"MOCK": 0.1, "REAL": 1.0}  # time after which a reset motor must be healthy
NEAR_M = 0.1  # a code read within this distance satisfies a SCAN


class RouteFollower(Protocol):
    """The module that carries out FOLLOW_ROUTE."""

    def follow(self, job: Job, given: p.FollowRoute) -> None: ...

    def drive(self, job: Job) -> None: ...

    def leave(self, job: Job) -> None: ...

    def follows(self, job: Job) -> bool: ...


class PlaceWorker(Protocol):
    """The part that carries out DOCK, charging, PICK and DROP."""

    def begin(self, job: Job) -> None: ...

    def watch(self, job: Job) -> None: ...


class Jobs:
    """`route` and `place` are set by the robot."""

    route: RouteFollower
    place: PlaceWorker

    def __init__(
        self,
        clock: Clock,
        state: JobsState,
        core: CoreState,
        mode: str,
        machine: Machine,
        plans: Plans,
        forecast: Forecast,
    ):
        self._clock, self._state, self._core = clock, state, core
        self._machine, self._plans, self._forecast = machine, plans, forecast
        self._reset_ns = to_ns(RESET_S[mode])

    def begin(self, job: Job) -> Job:
        """Start a planned job."""
        state, machine = self._state, self._machine
        state.begun += 1
        job.id = state.begun
        state.by_id[job.id] = job
        machine.command_began(job.kind)
        if job.drives:
            state.drive = job.id
            self._core.changed = True
        for motor, target in zip(job.motors, job.targets, strict=True):
            state.axes[motor] = job.id
            if not state.frozen:
                machine.motors.move_axis(motor, target)
        if job.kind in ("WAIT", "SCAN"):
            job.until_ns += self._clock.now_ns
        given = p.parse(job.kind, job.params, p.STEPS) if job.kind != "ORDER" else None
        match given:
            case p.Move():
                machine.drive.go([Waypoint(given.x, given.y, given.theta)])
            case p.FollowRoute():
                self.route.follow(job, given)
            case _ if job.kind in (*p.AT_PLACES, *p.AT_DEVICES):
                self.place.begin(job)
            case p.ResetMotor():
                self._reset(job, given.motorIds)
            case p.SetOutput():
                machine.set_output(given.ioId, given.value)
                self.end(job)
            case p.InitPose():
                machine.drive.place(given.x, given.y, given.theta, given.mapId)
                self.end(job)
            case p.Params() if job.kind in ("PAUSE", "RESUME"):
                self._core.paused = job.kind == "PAUSE"
                if job.kind == "RESUME":
                    machine.acknowledge()
                self.end(job)
            case p.Params() if job.kind == "CLEAR_FAULT":
                machine.acknowledge()
                self._clear(
                    job,
                    [
                        motor
                        for motor in (*self._plans.drives, *self._plans.functional)
                        if not machine.motors.healthy(motor)
                    ],
                )
        job.extent = self._forecast.remaining(job)
        return job

    def end(
        self, job: Job, state: str = "SUCCEEDED", code: str = "", message: str = "", motor: str = ""
    ) -> None:
        """End a job and free its motors."""
        jobs = self._state
        job.state, job.code, job.message, job.motor = state, code, message, motor
        job.progress = 1.0 if state == "SUCCEEDED" else self.progress(job)
        for used in job.motors:
            if jobs.axes.get(used) == job.id:
                del jobs.axes[used]
        if jobs.drive == job.id:
            jobs.drive = 0
            self._core.changed = True
        if job.kind in ("MOVE", "FOLLOW_ROUTE"):
            self.route.leave(job)

    @property
    def drive_job(self) -> int:
        """The id of the job that uses the drive, or 0."""
        return self._state.drive

    def get(self, number: int) -> Job | None:
        return self._state.by_id.get(number)

    def take(self, number: int) -> Job | None:
        """Remove a job and return it, if it has ended."""
        jobs = self._state.by_id
        job = jobs.get(number)
        if job is None or job.state == "RUNNING":
            return None
        return jobs.pop(number)

    def is_running(self, kind: str) -> bool:
        """Return True if a job of this kind is in progress."""
        jobs = self._state.by_id.values()
        return any(job.kind == kind and job.state == "RUNNING" for job in jobs)

    def progress(self, job: Job) -> float:
        """Return the completed fraction, 0 to 1. It stays fixed while a job is being stopped."""
        return self._forecast.progress(job) if job.progress is None else job.progress

    def cancel(self, number: int, axes: bool = True) -> None:
        """Stop a job within the limits of the motors. Without `axes`, axes finish their motion."""
        job = self._state.by_id.get(number)
        if job is None or job.state != "RUNNING":
            return
        job.progress = self.progress(job)
        if job.drives:
            self._machine.drive.halt()
        for motor in job.motors if axes else ():
            self._machine.motors.stop_axis(motor)
        self.end(job, "CANCELLED", "", "cancelled")

    def tick(self) -> bool:
        """Watch the running jobs; return True if one may have ended."""
        state = self._state
        stand = self._core.status == "OFFLINE" or self._core.paused
        if stand != state.frozen:
            self._freeze(stand)
        if self._only_rolls():
            return False
        for job in list(state.by_id.values()):
            if job.state == "RUNNING":
                self._watch(job)
        return True

    def _only_rolls(self) -> bool:
        """Return True if the only job is a MOVE on its way. This is the case in most ticks."""
        state = self._state
        if not state.drive or len(state.by_id) > 1 or not self._core.may_drive:
            return False
        job = state.by_id[state.drive]
        return job.kind == "MOVE" and self._machine.drive.rolling and not self.route.follows(job)

    def _freeze(self, stand: bool) -> None:
        """Stop the axes, or let them continue. At an emergency stop the machine does this."""
        state, motors = self._state, self._machine.motors
        state.frozen = stand
        for motor, number in state.axes.items():
            job = state.by_id[number]
            if stand:
                motors.stop_axis(motor)
            else:
                motors.move_axis(motor, job.targets[job.motors.index(motor)])

    def _watch(self, job: Job) -> None:
        machine, core = self._machine, self._core
        if job.drives and core.status == "ERROR":
            job.progress = self.progress(job)
            machine.drive.halt()
            motor = self._plans.broken_drive()
            code = "REQUIRED_MOTOR_UNAVAILABLE" if motor else "STATUS_FORBIDS"
            self.end(job, "FAILED", code, f"stopped: {', '.join(core.reasons)}", motor)
            return
        for motor in job.motors:
            if not machine.motors.healthy(motor):
                for other in job.motors:
                    machine.motors.stop_axis(other)
                refused = unavailable(motor, self._plans.functional[motor].functionKey)
                self.end(job, "FAILED", refused.code, refused.message, motor)
                return
        match job.kind:
            case "MOVE" if self.route.follows(job):
                self.route.drive(job)
            case "MOVE":
                if machine.drive.arrived:
                    x, y, theta = machine.drive.pose
                    job.result = {"x": round(x, 4), "y": round(y, 4), "theta": round(theta, 5)}
                    self.end(job)
            case "FOLLOW_ROUTE":
                self.route.drive(job)
            case "ORDER":
                pass  # its owner drives and ends it
            case "DOCK" | "PICK" | "DROP":
                self.place.watch(job)
            case _ if job.kind in p.AT_DEVICES:
                self.place.watch(job)
            case "STOP":
                if not machine.drive.driving:
                    self.end(job)
            case "WAIT":
                if self._clock.now_ns >= job.until_ns:
                    self.end(job)
            case "SCAN":
                self._scan(job)
            case "RESET_MOTOR" | "CLEAR_FAULT":
                self._was_reset(job)
            case _:
                if not self._state.frozen and not any(
                    machine.motors.axis_busy(motor) for motor in job.motors
                ):
                    self.end(job)

    def _scan(self, job: Job) -> None:
        scan, wanted = self._state.scan, job.params.get("code")
        near = scan is not None and self._machine.drive.odometer_m - scan.odometer_m <= NEAR_M
        if scan is not None and near and wanted in (None, scan.code):
            job.result = {"code": scan.code, "deviceId": scan.device}
            self.end(job)
        elif self._clock.now_ns >= job.until_ns:
            self.end(job, "FAILED", "STEP_FAILED", f"no scanner read {wanted or 'a code'} in time")

    def scanned(self, device: str, code: str) -> None:
        self._state.scan = Scan(device, code, self._machine.drive.odometer_m)

    def _reset(self, job: Job, motors: list[str]) -> None:
        """Reset all of the motors, or none if one cannot be reset now."""
        refused = next(filter(None, map(self._reset_refusal, motors)), None)
        if refused is not None:
            self.end(job, "FAILED", refused.code, refused.message, refused.motor)
            return
        for motor in motors:
            self._machine.motors.reset_motor(motor)
        job.until_ns = self._clock.now_ns + self._reset_ns

    def _clear(self, job: Job, motors: list[str]) -> None:
        """Reset those of the motors that can be reset now."""
        possible = [motor for motor in motors if self._reset_refusal(motor) is None]
        self._reset(job, possible or motors)

    def _reset_refusal(self, motor: str) -> Refused | None:
        """Return why a motor cannot be reset now, or None."""
        motors = self._machine.motors
        if not motors.axes[motor].resets:
            return Refused(
                "NOT_SUPPORTED",
                f"{motor} cannot be reset: resetPolicy.supportsReset is false",
                motor,
            )
        left_s = motors.cooldown_left_s(motor)
        return (
            Refused("RESET_COOLDOWN", f"{motor} can be reset again in {left_s:.3g} s", motor)
            if left_s > 0
            else None
        )

    def _was_reset(self, job: Job) -> None:
        motors = job.params.get("motorIds") or (*self._plans.drives, *self._plans.functional)
        faulty = next((motor for motor in motors if not self._machine.motors.healthy(motor)), "")
        if not faulty:
            self.end(job)
        elif self._clock.now_ns >= job.until_ns:
            self.end(
                job,
                "FAILED",
                "REQUIRED_MOTOR_UNAVAILABLE",
                f"{faulty} was reset, but is still faulty",
                faulty,
            )
