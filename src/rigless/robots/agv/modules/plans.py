"""Plans: turn a kind and its parameters into a job, or refuse it.

`plan` rejects what the robot cannot do at all; `check` and `require` what it cannot do now.
"""

import math
from collections.abc import Callable
from typing import Any

from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv import params as p
from rigless.robots.agv import units
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.motor_bank import MotorBank
from rigless.robots.agv.params import Refused
from rigless.robots.agv.state import Job, JobsState, TaskState


class Plans:
    """`check_route` and `check_place` are set by the robot.

    They raise Refused if a route cannot be followed, or if something cannot be done at this place.
    """

    check_route: Callable[[p.FollowRoute], None]
    check_place: Callable[[Job], None]

    def __init__(self, config: RobotConfig, jobs: JobsState, task: TaskState, motors: MotorBank):
        self._jobs, self._task, self._motors = jobs, task, motors
        self.functional = {
            motor.motorId: motor for motor in config.motors if motor.role == "FUNCTIONAL"
        }
        self.drives = [motor.motorId for motor in config.motors if motor.role == "DRIVE"]
        self._outputs = [output.ioId for output in config.io.digitalOutputs]
        allowed = config.capabilities.supportedCommands
        # STOP cannot be disabled; WAIT and SCAN are steps, not commands.
        self._allowed = set(p.STEPS if allowed is None else (*allowed, "STOP", "WAIT", "SCAN"))

    def plan(self, kind: str, given: Any, owner: str, kinds: dict[str, type[p.Params]]) -> Job:
        """Return the job. Raises Refused if the robot cannot do it, or a parameter is wrong."""
        if kind in kinds and kind not in self._allowed:
            raise Refused("NOT_SUPPORTED", f"{kind} is not among this robot's supportedCommands")
        params = p.parse(kind, given, kinds)
        job = Job(kind, owner, given)
        match params:
            case p.Move() | p.Dock():
                job.drives = True
            case p.FollowRoute():
                self.check_route(params)
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
                    job.motors = [
                        motor for motor in job.motors if math.isfinite(self._motors.span(motor)[0])
                    ]
                job.targets = [self._span(motor)[0] for motor in job.motors]
            case p.ResetMotor():
                for motor in params.motorIds:
                    if motor not in self.functional and motor not in self.drives:
                        known = ", ".join((*self.drives, *self.functional))
                        raise Refused(
                            "INVALID_PARAMS",
                            f"motorIds: there is no motor {motor!r}; there are {known}",
                        )
            case p.SetOutput() if params.ioId not in self._outputs:
                known = ", ".join(self._outputs) or "none"
                raise Refused(
                    "INVALID_PARAMS", f"ioId: there is no output {params.ioId!r}; there are {known}"
                )
            case p.Wait():
                job.until_ns = to_ns(params.seconds)
            case p.Scan():
                job.until_ns = to_ns(params.timeoutS)
        return job

    def check(self, job: Job) -> None:
        """Raise Refused if a motor of the job is faulty, or another job uses what it needs."""
        for motor in job.motors:
            if not self._motors.healthy(motor):
                raise unavailable(motor, self.functional[motor].functionKey)
        if job.drives and self._motors.drive_fault:
            raise unavailable(self.broken_drive(), None)
        if (job.drives or job.kind == "INIT_POSE") and (
            self._jobs.drive or (job.owner == "command" and self._task.active is not None)
        ):
            raise Refused("BUSY", "another job uses the drive; STOP cancels it")
        self.check_place(job)
        for motor in job.motors:
            if motor in self._jobs.axes:
                raise Refused("BUSY", f"another job uses {motor}; STOP cancels it", motor)

    def require(self, functions: list[str]) -> None:
        """Raise Refused unless a healthy motor serves each of these function keys."""
        for key in functions:
            motor = self._motors.motor_of(key)
            if motor is None:
                raise Refused("REQUIRED_MOTOR_UNAVAILABLE", f"no motor has the function {key!r}")
            if not self._motors.healthy(motor):
                raise unavailable(motor, key)

    def broken_drive(self) -> str:
        """Return the first faulty drive motor, or ""."""
        return next((motor for motor in self.drives if not self._motors.healthy(motor)), "")

    def _motor(self, motor: str | None, key: str | None) -> str:
        if motor is None and key is None:
            raise Refused("INVALID_PARAMS", "motorId or functionKey is required")
        if key is not None:
            found = self._motors.motor_of(key)
            if found is None:
                raise Refused("REQUIRED_MOTOR_UNAVAILABLE", f"no motor has the function {key!r}")
            if motor is not None and self.functional.get(motor, None) is not None:
                found = motor if self.functional[motor].functionKey == key else found
            if motor not in (None, found):
                raise Refused(
                    "INVALID_PARAMS", f"motorId: {motor!r} does not have the function {key!r}"
                )
            return found
        if motor in self._motors.missing:
            key = self._motors.missing[motor]
            raise Refused(
                "REQUIRED_MOTOR_UNAVAILABLE", f"{motor} ({key}) is missing from motors", motor
            )
        if motor not in self.functional:
            known = ", ".join(self.functional) or "none"
            raise Refused(
                "INVALID_PARAMS",
                f"motorId: there is no functional motor {motor!r}; there are {known}",
            )
        return motor

    def _gripper(self, motor: str | None, key: str | None) -> str:
        if motor is not None or key is not None:
            return self._motor(motor, key)
        keys = [found.functionKey or "" for found in self.functional.values()]
        key = "GRIPPER" if "GRIPPER" in keys else next((key for key in keys if "GRIP" in key), None)
        if key is None:
            raise Refused("REQUIRED_MOTOR_UNAVAILABLE", "this robot has no gripper motor")
        return self._motor(None, key)

    def _span(self, motor: str) -> tuple[float, float]:
        low, high = self._motors.span(motor)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise Refused(
                "INVALID_PARAMS", f"{motor} has no positionMin and positionMax in its limits", motor
            )
        return low, high

    def _target(self, motor: str, target: p.Target) -> float:
        try:
            value = units.to_si(
                target.value, target.unit, "position", self._motors.axes[motor].kind
            )
        except ValueError as error:
            raise Refused("INVALID_PARAMS", f"target: {error}", motor) from None
        span = self._motors.span(motor)
        if not span[0] - 1e-9 <= value <= span[1] + 1e-9:
            limits = self.functional[motor].limits
            low, high = limits.positionMin, limits.positionMax
            words = f"{low.value:g} to {high.value:g} {high.unit}" if low and high else "its limits"
            raise Refused(
                "INVALID_PARAMS",
                f"target: {target.value:g} {target.unit} is not within {words}",
                motor,
            )
        return value


def unavailable(motor: str, key: str | None) -> Refused:
    what = f"{motor} ({key})" if key else motor
    return Refused(
        "REQUIRED_MOTOR_UNAVAILABLE",
        f"{what} is not available: remove the cause, then send RESET_MOTOR",
        motor,
    )
