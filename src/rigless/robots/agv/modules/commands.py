"""Commands: each is answered ACCEPTED, RUNNING and then how it ended, or REJECTED or EXPIRED with the reason.

The ledger holds the last answer to every command, also over a restart. One that comes again gets that answer again, marked as replayed and with
how far it is by now, and is not done again.
"""

from typing import TYPE_CHECKING, Any, cast

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv import params as p
from rigless.robots.agv.params import LONGEST_ID, Refused
from rigless.robots.agv.state import Job, Running

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

MOST_REMEMBERED = 10_000
LONGEST_TYPE = 40
MOST_MALFORMED = 20  # answers a second to what has no commandId
SECOND_NS = 1_000_000_000
IN_ERROR = ("STOP", "RESET_MOTOR", "CLEAR_FAULT")
STANDING = (
    "ESTOP",
    "MANUAL_HOLD",
)  # nothing that moves is begun; other pauses pass by themselves, and what was begun waits for that
NOT_DONE = ("RESET_COOLDOWN", "NOT_SUPPORTED")  # found out in doing it, but nothing was done


class Commands:
    def __init__(self, robot: "Agv"):
        self.robot = robot

    # In

    def hear(self, message: m.CommandRequest) -> None:
        state, name, correlation = (
            self.robot.state.commands,
            message.commandId,
            message.correlationId,
        )
        known = state.ledger.get(name)
        if known is not None:
            part = self._part(name) if name in state.running else known.progress
            again = msgspec.structs.replace(known, replayed=True, progress=part)
            self.robot.publisher.publish("command.ack", again, correlation)
            return
        state.types[name[:LONGEST_ID]] = message.commandType[:LONGEST_TYPE]
        try:
            if not 1 <= len(name) <= LONGEST_ID:
                raise Refused(
                    "INVALID_PARAMS", f"commandId has {len(name)} characters, not 1 to {LONGEST_ID}"
                )
            expires_ns = self._expires_ns(message)
            if expires_ns is not None and self.robot.now_ns >= expires_ns:
                self.answer(
                    name[:LONGEST_ID],
                    "EXPIRED",
                    correlation,
                    "EXPIRED",
                    f"it came after {message.expiresAt}",
                )
                return
            job = self._accept(message)
        except Refused as refused:
            self.refuse(name[:LONGEST_ID], refused, correlation)
            return
        self._begin(message, job, expires_ns)

    def malformed(self, message: m.Malformed) -> None:
        """It may be the garbled copy of a command that was understood: the answer to that one stands."""
        state, now_ns = self.robot.state.commands, self.robot.now_ns
        name = "" if message.commandId in state.ledger else message.commandId
        if not name:
            if now_ns - state.malformed_ns >= SECOND_NS:
                state.malformed_ns, state.malformed = now_ns, 0
            state.malformed += 1
            if state.malformed > MOST_MALFORMED:
                return
        refs = [m.Ref("commandId", message.commandId)] if message.commandId and not name else []
        ack = m.CommandAck(name, "REJECTED", refs, message.code, message.what)
        self.robot.publisher.publish("command.ack", ack, message.correlationId)

    def recall(self, message: m.Recalled) -> None:
        """What was said of a command before this boot; what was being done then has failed."""
        ledger = self.robot.state.commands.ledger
        try:
            ack = msgspec.convert(message.payload, m.CommandAck)
        except msgspec.ValidationError:
            return
        if not ack.commandId or ack.commandId in ledger or ack.code == "MALFORMED_ENVELOPE":
            return
        self._remember(msgspec.structs.replace(ack, replayed=None))
        if ack.status not in m.FINAL:
            self.answer(ack.commandId, "FAILED", "", message="the robot restarted")

    # Whether

    def _expires_ns(self, message: m.CommandRequest) -> int | None:
        try:
            found = (
                self.robot.publisher.deadline_ns(message.expiresAt, message.receivedAtNs)
                if message.expiresAt
                else None
            )
        except ValueError as error:
            raise Refused("INVALID_PARAMS", f"expiresAt: {error}") from None
        return found

    def _accept(self, message: m.CommandRequest) -> Job:
        """The job that a command asks for; raises Refused."""
        robot, core = self.robot, self.robot.state.core
        if message.expectedBootId not in (None, core.boot_id):
            raise Refused(
                "STATUS_FORBIDS", f"expectedBootId is not this boot, which is {core.boot_id}"
            )
        job = robot.jobs.plan(message.commandType, message.params, "command", p.COMMANDS)
        self._let(job)
        if job.kind != "STOP":
            robot.jobs.check(job)
        return job

    def _let(self, job: Job) -> None:
        """Raises Refused where the status forbids it."""
        core = self.robot.state.core
        why = ", ".join(core.reasons)
        if core.status == "ERROR" and job.kind not in IN_ERROR:
            motor = self.robot.jobs.broken_drive()
            message = f"the status is ERROR ({why}): only STOP, RESET_MOTOR and CLEAR_FAULT"
            raise Refused("STATUS_FORBIDS", message, motor)
        if core.status == "ERROR" and job.kind == "RESET_MOTOR":
            for motor in job.params["motorIds"]:
                if self.robot.machine.healthy(motor):
                    raise Refused(
                        "STATUS_FORBIDS",
                        f"the status is ERROR ({why}), and {motor} is not the reason",
                        motor,
                    )
        waits = core.status == "PAUSED" and not any(reason in STANDING for reason in core.reasons)
        if job.kind in p.MOVES and core.status in ("PAUSED", "OFFLINE") and not waits:
            raise Refused("STATUS_FORBIDS", f"the status is {core.status} ({why}): nothing moves")
        if job.drives and not (self.robot.may_drive or waits):
            raise Refused(
                "STATUS_FORBIDS",
                f"the status is {core.status} ({why}), in which this robot does not drive",
            )

    # Doing

    def _begin(self, message: m.CommandRequest, job: Job, expires_ns: int | None) -> None:
        name, correlation, work = message.commandId, message.correlationId, self.robot.jobs
        if job.kind == "STOP":
            self.robot.stop_all(f"STOP {name}")
        work.begin(job)
        if job.code in NOT_DONE:
            work.take(job.id)
            self.refuse(name, Refused(job.code, job.message, job.motor), correlation)
            return
        waits = job.drives and not self.robot.may_drive
        self.robot.state.commands.running[name] = Running(
            job.kind, correlation, expires_ns, job.id, waits
        )
        self.answer(name, "ACCEPTED", correlation)
        self.answer(name, "RUNNING", correlation, part=0.0)
        self.tick()

    def tick(self) -> None:
        """Tell of those that have ended, or have expired before they could begin."""
        running = self.robot.state.commands.running
        for name, one in list(running.items()):
            job = self.robot.jobs.take(one.job)
            if job is not None:
                del running[name]
                status = cast(m.AckStatus, job.state)
                self.answer(
                    name,
                    status,
                    one.correlation,
                    job.code,
                    job.message,
                    job.motor,
                    job.result or None,
                    job.part,
                )
            elif one.waits:
                self._expire(name, one, "it expired before the robot could begin")

    def _expire(self, name: str, one: Running, why: str) -> None:
        """A motion is not done, or done further, if its time has passed."""
        if one.expires_ns is not None and self.robot.now_ns >= one.expires_ns:
            self.robot.jobs.cancel(one.job)
            job = self.robot.jobs.take(one.job)
            del self.robot.state.commands.running[name]
            self.answer(
                name,
                "EXPIRED",
                one.correlation,
                "EXPIRED",
                why,
                part=job.part if job is not None else None,
            )

    def cancel_all(self, why: str) -> None:
        """Every command that is still being done is CANCELLED; one that has just ended is answered as it did."""
        self.tick()
        running = self.robot.state.commands.running
        for name, one in list(running.items()):
            self.robot.jobs.cancel(one.job)
            job = self.robot.jobs.take(one.job)
            del running[name]
            self.answer(
                name,
                "CANCELLED",
                one.correlation,
                "",
                why,
                part=job.part if job is not None else None,
            )

    def may_begin(self) -> None:
        """The robot may drive: nothing waits for that any more."""
        for one in self.robot.state.commands.running.values():
            one.waits = False

    def back_on_line(self) -> None:
        """A motion that was held while the way was down goes on only if it has not expired meanwhile."""
        for name, one in list(self.robot.state.commands.running.items()):
            if one.type in p.MOVES:
                self._expire(name, one, "it expired while there was no way to the backend")

    def _part(self, name: str) -> float:
        """How much of a command is done."""
        job = self.robot.state.jobs.by_id.get(self.robot.state.commands.running[name].job)
        return round(self.robot.jobs.part_done(job), 3) if job is not None else 0.0

    def current(self) -> str | None:
        """The command that drives, or else the oldest that is being done."""
        state = self.robot.state
        if not state.commands.running:
            return None
        driving = (
            name for name, one in state.commands.running.items() if one.job == state.jobs.drive
        )
        return next(driving, next(iter(state.commands.running)))

    # Out

    def refuse(self, name: str, refused: Refused, correlation: str) -> None:
        self.answer(name, "REJECTED", correlation, refused.code, refused.message, refused.motor)

    def answer(self, name: str, status: m.AckStatus, correlation: str, code: str = "", message: str = "", motor: str = "",
               result: dict[str, Any] | None = None, part: float | None = None) -> None:  # fmt: skip
        refs = [m.Ref("motorId", motor)] if motor else []
        progress = None if part is None else round(part, 3)
        known = (
            code if code in m.ACK_CODES else None
        )  # an action at a node may have failed with one of a task's
        ack = m.CommandAck(name, status, refs, known, message or None, progress, result)
        if name:
            self._remember(ack)
        self.robot.state.core.changed = True
        self.robot.publisher.publish("command.ack", ack, correlation)
        if status in m.FINAL:
            self.robot.count(f"commands_{status.lower()}")

    def _remember(self, ack: m.CommandAck) -> None:
        state = self.robot.state.commands
        ledger = state.ledger
        ledger[ack.commandId] = ack
        if len(ledger) > MOST_REMEMBERED:
            oldest = next(name for name in ledger if name not in state.running)
            del ledger[oldest]
            state.types.pop(oldest, None)
