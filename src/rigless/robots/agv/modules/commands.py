"""Commands: acknowledged with ACCEPTED, RUNNING and the outcome, or with REJECTED or EXPIRED.

The ledger holds the last acknowledgement of every command, also across a restart. A resend of a
command repeats that acknowledgement, marked as replayed, and is not executed again.
"""

from collections.abc import Callable
from typing import Any, cast

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv import params as p
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.machine.motor_bank import MotorBank
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.params import LONGEST_ID, Refused
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import CommandsState, CoreState, Job, Running

MOST_REMEMBERED = 10_000
LONGEST_TYPE = 40
MOST_MALFORMED = 20  # acknowledgements a second for messages without a commandId
SECOND_NS = 1_000_000_000
IN_ERROR = ("STOP", "RESET_MOTOR", "CLEAR_FAULT")
# A motion is rejected during these pauses. Other pauses end by themselves: a motion waits for that.
STANDING = ("ESTOP", "COLLISION_STOP", "MANUAL_HOLD")
NOT_DONE = ("RESET_COOLDOWN", "NOT_SUPPORTED")  # detected at the start, without any effect
RESULTS = tuple(f"commands_{status.lower()}" for status in sorted(m.FINAL))  # metrics


class Commands:
    """`stop_all` cancels all tasks and commands, and stops the drive."""

    def __init__(
        self,
        services: Services,
        state: CommandsState,
        core: CoreState,
        motors: MotorBank,
        publisher: Publisher,
        plans: Plans,
        jobs: Jobs,
        stop_all: Callable[[str], None],
    ):
        self._services, self._state, self._core = services, state, core
        self._motors, self._publisher = motors, publisher
        self._plans, self._jobs, self._stop_all = plans, jobs, stop_all

    # Requests

    def receive(self, message: m.CommandRequest) -> None:
        state, name, correlation = self._state, message.commandId, message.correlationId
        known = state.ledger.get(name)
        if known is not None:
            progress = self._progress(name) if name in state.running else known.progress
            repeated = msgspec.structs.replace(known, replayed=True, progress=progress)
            self._publisher.publish("command.ack", repeated, correlation)
            return
        state.types[name[:LONGEST_ID]] = message.commandType[:LONGEST_TYPE]
        try:
            if not 1 <= len(name) <= LONGEST_ID:
                raise Refused(
                    "INVALID_PARAMS", f"commandId has {len(name)} characters, not 1 to {LONGEST_ID}"
                )
            expires_ns = self._expires_ns(message)
            if expires_ns is not None and self._services.now_ns >= expires_ns:
                self.acknowledge(
                    name[:LONGEST_ID],
                    "EXPIRED",
                    correlation,
                    "EXPIRED",
                    f"it was received after {message.expiresAt}",
                )
                return
            job = self._accept(message)
        except Refused as refused:
            self.reject(name[:LONGEST_ID], refused, correlation)
            return
        self._begin(message, job, expires_ns)

    def malformed(self, message: m.Malformed) -> None:
        """Reject a malformed command. If its commandId is known, that acknowledgement stands."""
        state, now_ns = self._state, self._services.now_ns
        name = "" if message.commandId in state.ledger else message.commandId
        if not name:
            if now_ns - state.malformed_ns >= SECOND_NS:
                state.malformed_ns, state.malformed = now_ns, 0
            state.malformed += 1
            if state.malformed > MOST_MALFORMED:
                return
        refs = [m.Ref("commandId", message.commandId)] if message.commandId and not name else []
        ack = m.CommandAck(name, "REJECTED", refs, message.code, message.what)
        self._publisher.publish("command.ack", ack, message.correlationId)

    def recall(self, message: m.Recalled) -> None:
        """Restore an acknowledgement of an earlier boot; a command in progress then has failed."""
        ledger = self._state.ledger
        try:
            ack = msgspec.convert(message.payload, m.CommandAck)
        except msgspec.ValidationError:
            return
        if not ack.commandId or ack.commandId in ledger or ack.code == "MALFORMED_ENVELOPE":
            return
        self._remember(msgspec.structs.replace(ack, replayed=None))
        if ack.status not in m.FINAL:
            self.acknowledge(ack.commandId, "FAILED", "", message="the robot restarted")

    # Admission

    def _expires_ns(self, message: m.CommandRequest) -> int | None:
        if not message.expiresAt:
            return None
        try:
            return self._publisher.deadline_ns(message.expiresAt, message.receivedAtNs)
        except ValueError as error:
            raise Refused("INVALID_PARAMS", f"expiresAt: {error}") from None

    def _accept(self, message: m.CommandRequest) -> Job:
        """Return the job for a command. Raises Refused."""
        boot_id = self._publisher.boot_id
        if message.expectedBootId not in (None, boot_id):
            raise Refused("STATUS_FORBIDS", f"expectedBootId is not the current boot, {boot_id}")
        job = self._plans.plan(message.commandType, message.params, "command", p.COMMANDS)
        self._check_status(job)
        if job.kind != "STOP":
            self._plans.check(job)
        return job

    def _check_status(self, job: Job) -> None:
        """Raise Refused if the status forbids the job."""
        core = self._core
        why = ", ".join(core.reasons)
        if core.status == "ERROR" and job.kind not in IN_ERROR:
            motor = self._plans.broken_drive()
            message = (
                f"the status is ERROR ({why}): only STOP, RESET_MOTOR and CLEAR_FAULT are accepted"
            )
            raise Refused("STATUS_FORBIDS", message, motor)
        if core.status == "ERROR" and job.kind == "RESET_MOTOR":
            for motor in job.params["motorIds"]:
                if self._motors.healthy(motor):
                    raise Refused(
                        "STATUS_FORBIDS",
                        f"the status is ERROR ({why}), and {motor} is not its cause",
                        motor,
                    )
        waits = core.status == "PAUSED" and not any(reason in STANDING for reason in core.reasons)
        if job.kind in p.MOVES and core.status in ("PAUSED", "OFFLINE") and not waits:
            raise Refused(
                "STATUS_FORBIDS", f"the status is {core.status} ({why}): motion is not allowed"
            )
        if job.drives and not (self._core.may_drive or waits):
            raise Refused(
                "STATUS_FORBIDS",
                f"the status is {core.status} ({why}): driving is not allowed",
            )

    # Execution

    def _begin(self, message: m.CommandRequest, job: Job, expires_ns: int | None) -> None:
        name, correlation = message.commandId, message.correlationId
        if job.kind == "STOP":
            self._stop_all(f"STOP {name}")
        self._jobs.begin(job)
        if job.code in NOT_DONE:
            self._jobs.take(job.id)
            self.reject(name, Refused(job.code, job.message, job.motor), correlation)
            return
        waits = job.drives and not self._core.may_drive
        self._state.running[name] = Running(job.kind, correlation, expires_ns, job.id, waits)
        self.acknowledge(name, "ACCEPTED", correlation)
        self.acknowledge(name, "RUNNING", correlation, progress=0.0)
        self.tick()

    def tick(self) -> None:
        """Acknowledge commands that have ended, or have expired before they could begin."""
        running = self._state.running
        for name, command in list(running.items()):
            job = self._jobs.take(command.job)
            if job is not None:
                del running[name]
                status = cast(m.AckStatus, job.state)
                self.acknowledge(
                    name,
                    status,
                    command.correlation,
                    job.code,
                    job.message,
                    job.motor,
                    job.result or None,
                    job.progress,
                )
            elif command.waits:
                self._expire(name, command, "it expired before the robot could begin")

    def _expire(self, name: str, command: Running, why: str) -> None:
        """Cancel a command if it has expired."""
        if command.expires_ns is not None and self._services.now_ns >= command.expires_ns:
            self._jobs.cancel(command.job)
            job = self._jobs.take(command.job)
            del self._state.running[name]
            self.acknowledge(
                name,
                "EXPIRED",
                command.correlation,
                "EXPIRED",
                why,
                progress=job.progress if job is not None else None,
            )

    def cancel_all(self, why: str) -> None:
        """Cancel every running command. One that has just ended keeps its outcome."""
        self.tick()
        running = self._state.running
        for name, command in list(running.items()):
            self._jobs.cancel(command.job)
            job = self._jobs.take(command.job)
            del running[name]
            self.acknowledge(
                name,
                "CANCELLED",
                command.correlation,
                "",
                why,
                progress=job.progress if job is not None else None,
            )

    def may_begin(self) -> None:
        """Note that the robot may drive: no command waits for that any more."""
        for command in self._state.running.values():
            command.waits = False

    def back_online(self) -> None:
        """Cancel motions that expired while the robot was offline; the others continue."""
        for name, command in list(self._state.running.items()):
            if command.type in p.MOVES:
                self._expire(name, command, "it expired while the robot was offline")

    def _progress(self, name: str) -> float:
        job = self._jobs.get(self._state.running[name].job)
        return round(self._jobs.progress(job), 3) if job is not None else 0.0

    def current(self) -> str | None:
        """Return the command that drives, or else the oldest one that runs."""
        running = self._state.running
        if not running:
            return None
        driving = (name for name in running if running[name].job == self._jobs.drive_job)
        return next(driving, next(iter(running)))

    # Acknowledgements

    def reject(self, name: str, refused: Refused, correlation: str) -> None:
        self.acknowledge(
            name, "REJECTED", correlation, refused.code, refused.message, refused.motor
        )

    def acknowledge(
        self,
        name: str,
        status: m.AckStatus,
        correlation: str,
        code: str = "",
        message: str = "",
        motor: str = "",
        result: dict[str, Any] | None = None,
        progress: float | None = None,
    ) -> None:
        refs = [m.Ref("motorId", motor)] if motor else []
        progress = None if progress is None else round(progress, 3)
        known = code if code in m.ACK_CODES else None  # actions at nodes may fail with others
        ack = m.CommandAck(name, status, refs, known, message or None, progress, result)
        if name:
            self._remember(ack)
        self._core.changed = True
        self._publisher.publish("command.ack", ack, correlation)
        if status in m.FINAL:
            self._services.count(f"commands_{status.lower()}")

    def _remember(self, ack: m.CommandAck) -> None:
        state = self._state
        ledger = state.ledger
        ledger[ack.commandId] = ack
        if len(ledger) > MOST_REMEMBERED:
            oldest = next(name for name in ledger if name not in state.running)
            del ledger[oldest]
            state.types.pop(oldest, None)
