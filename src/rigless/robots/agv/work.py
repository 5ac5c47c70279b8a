"""What the robot does: jobs that commands, steps of tasks and actions at nodes ask for, checked before they begin, watched while they run.

One job at a time has the drive, and one each functional motor; axes may move while the robot drives. A job that ends stays here until
whoever asked for it takes it. Drive and axes are held by the status, not by the jobs: what is held goes on afterwards.
"""

import math
from typing import TYPE_CHECKING, Any

from rigless.kernel.rate import to_ns
from rigless.robots.agv import params as p
from rigless.robots.agv import units
from rigless.robots.agv.machine import Waypoint
from rigless.robots.agv.params import Refused
from rigless.robots.agv.state import Job, Read

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

RESET_S = {"MOCK": 0.1, "REAL": 1.0}  # a motor that is reset is well by then, or still in trouble
NEAR_M = 0.1  # a code that was read this near still counts for a SCAN


class Work:
    def __init__(self, robot: "Agv"):
        self.robot = robot
        config = robot.config
        self.functional = {motor.motorId: motor for motor in config.motors if motor.role == "FUNCTIONAL"}
        self.drives = [motor.motorId for motor in config.motors if motor.role == "DRIVE"]
        self.outputs = [output.ioId for output in config.io.digitalOutputs]
        allowed = config.capabilities.supportedCommands
        self.allowed = set(p.STEPS if allowed is None else (*allowed, "WAIT", "SCAN"))

    # Before it begins

    def plan(self, kind: str, given: Any, owner: str, kinds: dict[str, type[p.Params]]) -> Job:
        """What would be done; raises Refused for what this robot cannot do or does not understand."""
        if kind in kinds and kind not in self.allowed:
            raise Refused("NOT_SUPPORTED", f"{kind} is not among this robot's supportedCommands")
        params = p.parse(kind, given, kinds)
        job = Job(kind, owner, given)
        match params:
            case p.Move():
                job.drives = True
            case p.FollowRoute():
                self.robot.route.check(params)
                job.drives = True
            case p.MoveAxis():
                job.motors = [self._motor(params.motorId, params.functionKey)]
                job.targets = [self._target(job.motors[0], params.target)]
            case p.Axis():
                job.motors = [self._gripper(params.motorId, params.functionKey)]
                job.targets = [self._span(job.motors[0])[kind == "RELEASE"]]
            case p.Motors():
                named = params.motorIds if params.motorIds is not None else list(self.functional)
                job.motors = list(dict.fromkeys(self._motor(motor, None) for motor in named))
                if params.motorIds is None:
                    job.motors = [motor for motor in job.motors if math.isfinite(self.robot.machine.span(motor)[0])]
                job.targets = [self._span(motor)[0] for motor in job.motors]
            case p.ResetMotor():
                for motor in params.motorIds:
                    if motor not in self.functional and motor not in self.drives:
                        known = ", ".join((*self.drives, *self.functional))
                        raise Refused("INVALID_PARAMS", f"motorIds: there is no motor {motor!r}; there are {known}")
            case p.SetOutput() if params.ioId not in self.outputs:
                known = ", ".join(self.outputs) or "none"
                raise Refused("INVALID_PARAMS", f"ioId: there is no output {params.ioId!r}; there are {known}")
            case p.Wait():
                job.until_ns = to_ns(params.seconds)
            case p.Scan():
                job.until_ns = to_ns(params.timeoutS)
        return job

    def check(self, job: Job) -> None:
        """Raises Refused where a motor that it needs is not well, or something else has what it needs."""
        state, machine = self.robot.state, self.robot.machine
        for motor in job.motors:
            if not machine.healthy(motor):
                raise unavailable(motor, self.functional[motor].functionKey)
        if job.drives and machine.drive_fault:
            raise unavailable(self.broken_drive(), None)
        if (job.drives or job.kind == "INIT_POSE") and (
            state.work.drive or (job.owner == "command" and state.task.active is not None)
        ):
            raise Refused("BUSY", "the robot is driving for something else; STOP ends that")
        for motor in job.motors:
            if motor in state.work.axes:
                raise Refused("BUSY", f"{motor} is moving for something else; STOP ends that", motor)

    def require(self, functions: list[str]) -> None:
        """Raises Refused unless a healthy motor has each of these functions."""
        for key in functions:
            motor = self.robot.machine.motor_of(key)
            if motor is None:
                raise Refused("REQUIRED_MOTOR_UNAVAILABLE", f"no motor has the function {key!r}")
            if not self.robot.machine.healthy(motor):
                raise unavailable(motor, key)

    def broken_drive(self) -> str:
        return next((motor for motor in self.drives if not self.robot.machine.healthy(motor)), "")

    def _motor(self, motor: str | None, key: str | None) -> str:
        if motor is None and key is None:
            raise Refused("INVALID_PARAMS", "motorId or functionKey is required")
        if key is not None:
            found = self.robot.machine.motor_of(key)
            if found is None:
                raise Refused("REQUIRED_MOTOR_UNAVAILABLE", f"no motor has the function {key!r}")
            if motor is not None and self.functional.get(motor, None) is not None:
                found = motor if self.functional[motor].functionKey == key else found
            if motor not in (None, found):
                raise Refused("INVALID_PARAMS", f"motorId: {motor!r} does not have the function {key!r}")
            return found
        if motor not in self.functional:
            known = ", ".join(self.functional) or "none"
            raise Refused("INVALID_PARAMS", f"motorId: there is no functional motor {motor!r}; there are {known}")
        return motor

    def _gripper(self, motor: str | None, key: str | None) -> str:
        if motor is not None or key is not None:
            return self._motor(motor, key)
        keys = [found.functionKey or "" for found in self.functional.values()]
        key = "GRIPPER" if "GRIPPER" in keys else next((key for key in keys if "GRIP" in key), None)
        if key is None:
            raise Refused("REQUIRED_MOTOR_UNAVAILABLE", "no motor of this robot grips")
        return self._motor(None, key)

    def _span(self, motor: str) -> tuple[float, float]:
        low, high = self.robot.machine.span(motor)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise Refused("INVALID_PARAMS", f"{motor} has no positionMin and positionMax in its limits", motor)
        return low, high

    def _target(self, motor: str, target: p.Target) -> float:
        try:
            value = units.to_si(target.value, target.unit, "position", self.robot.machine.axes[motor].kind)
        except ValueError as error:
            raise Refused("INVALID_PARAMS", f"target: {error}", motor) from None
        span = self.robot.machine.span(motor)
        if not span[0] - 1e-9 <= value <= span[1] + 1e-9:
            limits = self.functional[motor].limits
            low, high = limits.positionMin, limits.positionMax
            words = f"{low.value:g} to {high.value:g} {high.unit}" if low and high else "its limits"
            raise Refused("INVALID_PARAMS", f"target: {target.value:g} {target.unit} is not within {words}", motor)
        return value

    # While it runs

    def begin(self, job: Job) -> Job:
        robot, state, machine = self.robot, self.robot.state.work, self.robot.machine
        state.begun += 1
        job.id = state.begun
        state.jobs[job.id] = job
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
                self._reset(job, [motor for motor in (*self.drives, *self.functional) if not machine.healthy(motor)])
        return job

    def end(self, job: Job, state: str = "SUCCEEDED", code: str = "", message: str = "", motor: str = "") -> None:
        """The job has ended; its motors are free."""
        work = self.robot.state.work
        job.state, job.code, job.message, job.motor = state, code, message, motor
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
        jobs = self.robot.state.work.jobs
        job = jobs.get(number)
        if job is None or job.state == "RUNNING":
            return None
        return jobs.pop(number)

    def cancel(self, number: int, axes: bool = True) -> None:
        """Stop doing it, within the limits of the motors; `axes` false: an axis that moves gets to where it was going."""
        job = self.robot.state.work.jobs.get(number)
        if job is None or job.state != "RUNNING":
            return
        if job.drives:
            self.robot.machine.halt()
        for motor in job.motors if axes else ():
            self.robot.machine.stop_axis(motor)
        self.end(job, "CANCELLED", "", "cancelled")

    def tick(self) -> None:
        state = self.robot.state
        stand = state.core.status == "OFFLINE" or state.commands.paused
        if stand != state.work.frozen:
            self._freeze(stand)
        for job in list(state.work.jobs.values()):
            if job.state == "RUNNING":
                self._watch(job)

    def _freeze(self, stand: bool) -> None:
        """Axes stand while all motion must, and go on afterwards; at an emergency stop the machine sees to it."""
        state, machine = self.robot.state.work, self.robot.machine
        state.frozen = stand
        for motor, number in state.axes.items():
            job = state.jobs[number]
            if stand:
                machine.stop_axis(motor)
            else:
                machine.move_axis(motor, job.targets[job.motors.index(motor)])

    def _watch(self, job: Job) -> None:
        robot, machine = self.robot, self.robot.machine
        if job.drives and robot.state.core.status == "ERROR":
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
                if not robot.state.work.frozen and not any(machine.axis_busy(motor) for motor in job.motors):
                    self.end(job)

    def _scan(self, job: Job) -> None:
        read, wanted = self.robot.state.work.read, job.params.get("code")
        near = read is not None and self.robot.machine.odometer_m - read.odometer_m <= NEAR_M
        if read is not None and near and wanted in (None, read.code):
            job.result = {"code": read.code, "deviceId": read.device}
            self.end(job)
        elif self.robot.now_ns >= job.until_ns:
            self.end(job, "FAILED", "STEP_FAILED", f"no scanner read {wanted or 'a code'} in time")

    def scanned(self, device: str, code: str) -> None:
        self.robot.state.work.read = Read(device, code, self.robot.machine.odometer_m)

    def _reset(self, job: Job, motors: list[str]) -> None:
        machine = self.robot.machine
        for motor in motors:
            try:
                left_s = machine.reset_motor(motor)
            except ValueError as error:
                self.end(job, "FAILED", "NOT_SUPPORTED", str(error), motor)
                return
            if left_s > 0:
                self.end(job, "FAILED", "RESET_COOLDOWN", f"{motor} can be reset again in {left_s:.3g} s", motor)
                return
        job.until_ns = self.robot.now_ns + to_ns(RESET_S[self.robot.config.runtime.mode])

    def _was_reset(self, job: Job) -> None:
        machine = self.robot.machine
        motors = job.params.get("motorIds") or (*self.drives, *self.functional)
        bad = next((motor for motor in motors if not machine.healthy(motor)), "")
        if not bad:
            self.end(job)
        elif self.robot.now_ns >= job.until_ns:
            self.end(job, "FAILED", "REQUIRED_MOTOR_UNAVAILABLE", f"{bad} was reset, but its fault is still there", bad)


def unavailable(motor: str, key: str | None) -> Refused:
    what = f"{motor} ({key})" if key else motor
    return Refused("REQUIRED_MOTOR_UNAVAILABLE", f"{what} is not available; RESET_MOTOR when its fault is gone", motor)
