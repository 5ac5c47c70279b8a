"""Tasks: one runs at a time, the others wait in a queue by priority.

A task is a list of steps. Each is a job, with the functions that it requires and what follows if
it fails. A running task is held together with the motion, and continues afterwards.
"""

import contextlib
from typing import Any

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv import params as p
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.forecast import Forecast
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.params import LONGEST_ID, Refused
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import CoreState, Ended, Job, Step, Task, TaskState, Unfinished

FORBIDS = ("ERROR", "OFFLINE", "PAUSED")
ENDS: dict[str, type[m.TaskDone | m.TaskFailed]] = {
    "task.done": m.TaskDone,
    "task.failed": m.TaskFailed,
}
MOST_STEPS = 200
MOST_WAITING = 100
MOST_FINISHED = 1000
MOST_RETRIES = 3
RETRY_AFTER_NS = 1_000_000_000  # time for the cause of a failure to pass
RECALLED_WITHIN_NS = 500_000_000  # the transport has sent all recalled messages by then


class Tasks:
    def __init__(
        self,
        services: Services,
        state: TaskState,
        core: CoreState,
        tick_s: float,
        machine: Machine,
        publisher: Publisher,
        events: Events,
        plans: Plans,
        jobs: Jobs,
        forecast: Forecast,
    ):
        self._services, self._state, self._core = services, state, core
        self._tick_s, self._machine = tick_s, machine
        self._publisher, self._events = publisher, events
        self._plans, self._jobs, self._forecast = plans, jobs, forecast

    # Requests

    def assign(self, message: m.TaskAssign) -> None:
        state, core, name = self._state, self._core, message.taskId
        if self._known(message):
            return
        active = state.active is not None and state.active.taskId == name
        revises = active or any(waiting.taskId == name for waiting in state.queue)
        try:
            if not 1 <= len(name) <= LONGEST_ID:
                raise Refused(
                    "INVALID_PARAMS", f"taskId has {len(name)} characters, not 1 to {LONGEST_ID}"
                )
            if core.status in FORBIDS:
                raise Refused(
                    "STATUS_FORBIDS", f"the status is {core.status} ({', '.join(core.reasons)})"
                )
            if len(state.queue) >= MOST_WAITING:
                raise Refused("BUSY", f"the queue is full: {MOST_WAITING} tasks wait")
            task = self._task(message)
        except Refused as refused:
            if revises:
                data = {"taskId": name, "revision": message.revision, "code": refused.code}
                self._events.notice("TASK_REJECTED", "WARNING", "task", refused.message, data)
            else:
                self._failed(
                    name[:LONGEST_ID], refused.step or None, refused, message.correlationId
                )
            return
        if active and state.active is not None:
            self._drop(state.active)
            state.active = None
            state.queue.insert(0, task)
            return
        state.queue = [waiting for waiting in state.queue if waiting.taskId != name]
        state.queue.append(task)
        state.queue.sort(key=lambda waiting: -waiting.priority)  # stable within a priority
        self._progress(task, "QUEUED")

    def malformed(self, message: m.Malformed) -> None:
        """Reject a malformed task. If its taskId is known, that task is not affected."""
        state, name = self._state, message.taskId
        tasks = [*state.queue, *([state.active] if state.active is not None else [])]
        if name not in state.finished and name not in [task.taskId for task in tasks]:
            self._failed(name, None, Refused(message.code, message.what), message.correlationId)

    def _known(self, message: m.TaskAssign) -> bool:
        """Return True if this or a newer revision was received. A resend repeats the reply.

        A duplicate of the same message is ignored.
        """
        state, name = self._state, message.taskId
        tasks = [*state.queue, *([state.active] if state.active is not None else [])]
        for task in tasks:
            if task.taskId == name and message.revision <= task.revision:
                if message.revision == task.revision and message.correlationId != task.correlation:
                    self._progress(
                        task,
                        "QUEUED" if task.started_ns < 0 else self._phase(),
                        message.correlationId,
                    )
                return True
        if name in state.unfinished:
            if message.revision <= state.unfinished[name].revision:
                return True  # it is reported as failed by _restarted
            del state.unfinished[name]
        ended = state.finished.get(name)
        if ended is not None and message.revision <= ended.revision:
            if message.revision == ended.revision and message.correlationId != ended.correlation:
                ended.correlation = message.correlationId
                reply = msgspec.convert(ended.payload, ENDS[ended.type])
                self._publisher.publish(ended.type, reply, message.correlationId)
            return True
        # JetStream redelivers a message of the last boot that was not acknowledged in time.
        before_boot = message.ageS > self._publisher.uptime_s()
        return before_boot and state.refused.get(name) == message.correlationId

    def _task(self, message: m.TaskAssign) -> Task:
        """Check an assignment and return the task. Raises Refused with the step.

        Every step must be well formed. If the robot cannot carry out a step, the task is rejected
        if its onFail is ABORT. Otherwise `onFail` decides when the step is due; but a step that
        will never be possible cannot be retried.
        """
        if not 1 <= len(message.steps) <= MOST_STEPS:
            raise Refused(
                "INVALID_PARAMS", f"a task has 1 to {MOST_STEPS} steps, not {len(message.steps)}"
            )
        if message.revision < 0:
            raise Refused("INVALID_PARAMS", "revision is below 0")
        ids = [step.stepId for step in message.steps]
        if not all(1 <= len(name) <= LONGEST_ID for name in ids):
            raise Refused("INVALID_PARAMS", f"a stepId must have 1 to {LONGEST_ID} characters")
        if len(set(ids)) < len(ids):
            raise Refused("INVALID_PARAMS", "two steps have the same stepId")
        for step in message.steps:
            try:
                job = self._plans.plan(step.type, step.params, "task", p.STEPS)
                self._plans.require(step.requires)
                self._check_health(job)
            except Refused as refused:
                recovers = refused.code == "REQUIRED_MOTOR_UNAVAILABLE"
                may_fail = step.onFail == "SKIP" or (step.onFail == "RETRY" and recovers)
                if refused.malformed or not may_fail:
                    why = f"step {step.stepId[:80]}: {refused.message}"
                    raise Refused(refused.code, why, refused.motor, step.stepId) from None
        try:
            deadline_ns = (
                self._publisher.deadline_ns(message.deadline, message.receivedAtNs)
                if message.deadline
                else None
            )
        except ValueError as error:
            raise Refused("INVALID_PARAMS", f"deadline: {error}") from None
        if deadline_ns is not None and self._services.now_ns >= deadline_ns:
            raise Refused("DEADLINE", f"its deadline {message.deadline} has passed")
        steps = [
            Step(step.stepId, step.type, step.params, step.requires, step.onFail)
            for step in message.steps
        ]
        return Task(
            message.taskId,
            message.revision,
            message.priority,
            steps,
            message.correlationId,
            deadline_ns,
        )

    def _check_health(self, job: Job) -> None:
        for motor in job.motors:
            if not self._machine.motors.healthy(motor):
                key = self._plans.functional[motor].functionKey
                raise Refused(
                    "REQUIRED_MOTOR_UNAVAILABLE", f"{motor} ({key}) is not available", motor
                )

    def cancel(self, message: m.TaskCancel) -> None:
        """Cancel a task. The drive brakes; axes stop (IMMEDIATE) or finish (GRACEFUL)."""
        state = self._state
        if state.active is not None and state.active.taskId == message.taskId:
            immediate = message.mode.upper() == "IMMEDIATE"
            self._abort(state.active, Refused("CANCELLED", "cancelled by task.cancel"), immediate)
            return
        waiting = next((task for task in state.queue if task.taskId == message.taskId), None)
        if waiting is not None:
            state.queue.remove(waiting)
            self._end(waiting, Refused("CANCELLED", "cancelled by task.cancel"))
            return
        what = f"task.cancel: there is no task {message.taskId[:80]!r}"
        self._events.notice(
            "UNKNOWN_TASK", "INFO", "task", what, {"taskId": message.taskId[:LONGEST_ID]}
        )

    def cancel_all(self, why: str) -> None:
        """Cancel every task, running or waiting."""
        state = self._state
        if state.active is not None:
            self._abort(state.active, Refused("CANCELLED", why), True)
        waiting, state.queue = state.queue, []
        for task in waiting:
            self._end(task, Refused("CANCELLED", why))

    def recall(self, message: m.Recalled) -> None:
        """Restore the last message about a task of an earlier boot; they arrive in any order."""
        state, payload = self._state, message.payload
        name, revision, step = (payload.get(key) for key in ("taskId", "revision", "stepId"))
        if not isinstance(name, str) or not name or message.bootId == self._publisher.boot_id:
            return
        state.unfinished.pop(name, None)
        if not isinstance(revision, int):
            _remember(state.refused, name, message.correlationId)
        elif message.type == "task.progress":
            state.unfinished[name] = Unfinished(
                step if isinstance(step, str) else "", message.correlationId, revision
            )
            state.recalled_ns = self._services.now_ns
        else:
            with contextlib.suppress(msgspec.ValidationError):
                msgspec.convert(payload, ENDS[message.type])
                _remember(
                    state.finished,
                    name,
                    Ended(message.type, payload, message.correlationId, revision),
                )

    def _restarted(self) -> None:
        """Report tasks of an earlier boot without a final message as failed."""
        state = self._state
        unfinished, state.unfinished = state.unfinished, {}
        for name, task in unfinished.items():
            restarted = Refused("RESTARTED", "the robot restarted while it had this task")
            self._failed(name, task.step or None, restarted, task.correlation, task.revision)

    # Execution

    def tick(self) -> None:
        state, now_ns = self._state, self._services.now_ns
        if state.unfinished and now_ns - state.recalled_ns >= RECALLED_WITHIN_NS:
            self._restarted()
        for task in [
            task
            for task in state.queue
            if task.deadline_ns is not None and now_ns >= task.deadline_ns
        ]:
            state.queue.remove(task)
            self._end(task, Refused("DEADLINE", "its deadline passed while it waited"))
        if state.active is None and state.queue:
            if self._can_start():
                self._start(state.queue.pop(0))
            elif not self._core.may_drive:
                state.queue[0].held_s += self._tick_s
        if state.active is not None:
            self._run(state.active)

    def _can_start(self) -> bool:
        return not self._jobs.drive_job and self._core.status not in FORBIDS

    def _start(self, task: Task) -> None:
        self._state.active, self._core.changed = task, True
        task.started_ns = self._services.now_ns
        task.odometer_m = self._machine.drive.odometer_m
        self._progress(task, "RUNNING")

    def _run(self, task: Task) -> None:
        core, now_ns = self._core, self._services.now_ns
        if not core.may_drive:
            task.held_s += self._tick_s
        if task.deadline_ns is not None and now_ns >= task.deadline_ns:
            self._abort(task, Refused("DEADLINE", "its deadline passed"), True)
        elif task.job:
            job = self._jobs.take(task.job)
            if job is None:
                self._watch_required(task)
            else:
                task.job = 0
                self._step_ended(task, job)
        elif core.status == "ERROR":
            self._end(
                task, Refused("STATUS_FORBIDS", f"the status is ERROR ({', '.join(core.reasons)})")
            )
        elif core.status not in FORBIDS and now_ns >= task.again_ns:
            self._step(task)

    def _watch_required(self, task: Task) -> None:
        """Fail the running step if a motor that it requires has become faulty."""
        step = task.steps[task.index]
        if step.requires and self._machine.motors.functional_faults:
            try:
                self._plans.require(step.requires)
            except Refused as refused:
                self._jobs.cancel(task.job)
                job = self._jobs.take(task.job)
                task.job = 0
                if job is not None:
                    job.state, job.code, job.message, job.motor = (
                        "FAILED",
                        refused.code,
                        refused.message,
                        refused.motor,
                    )
                    self._step_ended(task, job)

    def _step(self, task: Task) -> None:
        """Begin the next step."""
        step, plans = task.steps[task.index], self._plans
        try:
            job = plans.plan(step.type, step.params, "task", p.STEPS)
            plans.require(step.requires)
            plans.check(job)
        except Refused as refused:
            if refused.code == "BUSY":
                return  # try again when the command that uses it has ended
            self._step_failed(task, refused)
            return
        if job.drives and not self._core.may_drive:
            return
        task.job = self._jobs.begin(job).id

    def _step_ended(self, task: Task, job: Job) -> None:
        """Continue with the next step, or handle the failure."""
        if job.state == "SUCCEEDED":
            self._next(task)
        else:
            self._step_failed(task, Refused(job.code or "STEP_FAILED", job.message, job.motor))

    def _step_failed(self, task: Task, refused: Refused) -> None:
        """Retry or skip the step, or fail the task, as onFail says."""
        step = task.steps[task.index]
        if step.onFail == "RETRY" and task.tries < MOST_RETRIES:
            task.tries, task.retries = task.tries + 1, task.retries + 1
            task.again_ns = self._services.now_ns + RETRY_AFTER_NS
        elif step.onFail == "SKIP":
            task.skipped += 1
            data = {"taskId": task.taskId, "stepId": step.stepId, "code": refused.code}
            what = f"step {step.stepId[:80]} is skipped: {refused.message}"
            self._events.publish("STEP_SKIPPED", "WARNING", "task", what, data)
            self._next(task)
        else:
            self._end(task, refused)

    def _next(self, task: Task) -> None:
        task.index, task.tries = task.index + 1, 0
        if task.index < len(task.steps):
            self._progress(task, "RUNNING")
            return
        metrics = {
            "distanceM": round(self._machine.drive.odometer_m - task.odometer_m, 4),
            "durationS": (self._services.now_ns - task.started_ns) / 1e9,
            "heldS": round(task.held_s, 3),
            "retries": task.retries,
            "skipped": task.skipped,
        }
        self._remove(task)
        done = m.TaskDone(
            task.taskId,
            self._publisher.at(task.started_ns),
            self._publisher.now(),
            metrics,
            task.revision,
        )
        self._publisher.publish("task.done", done, task.correlation)
        ended = Ended("task.done", msgspec.to_builtins(done), task.correlation, task.revision)
        _remember(self._state.finished, task.taskId, ended)
        self._services.count("tasks_done")
        self._services.event("task-done", f"task {task.taskId[:80]} is done", taskId=task.taskId)

    def _abort(self, task: Task, refused: Refused, axes: bool) -> None:
        self._drop(task, axes)
        self._end(task, refused)

    def _drop(self, task: Task, axes: bool = True) -> None:
        """Stop the job of a task without a message."""
        self._jobs.cancel(task.job, axes)
        self._jobs.take(task.job)
        task.job = 0

    def _end(self, task: Task, refused: Refused) -> None:
        self._remove(task)
        step = (
            task.steps[task.index].stepId
            if task.started_ns >= 0 and task.index < len(task.steps)
            else None
        )
        self._failed(task.taskId, step, refused, task.correlation, task.revision)

    def _remove(self, task: Task) -> None:
        state = self._state
        if state.active is task:
            state.active = None
        state.last = task
        self._core.changed = True

    # Messages

    def _failed(
        self,
        name: str,
        step: str | None,
        refused: Refused,
        correlation: str,
        revision: int | None = None,
    ) -> None:
        recoverable = refused.code not in (
            "INVALID_PARAMS",
            "NOT_SUPPORTED",
            "MALFORMED_ENVELOPE",
            "DEADLINE",
        )
        failed = m.TaskFailed(
            name, refused.code, refused.message, recoverable, step, refused.motor or None, revision
        )
        self._publisher.publish("task.failed", failed, correlation)
        state = self._state
        if revision is None:
            _remember(state.refused, name, correlation)
        else:
            _remember(
                state.finished,
                name,
                Ended("task.failed", msgspec.to_builtins(failed), correlation, revision),
            )
        self._services.count("tasks_failed")
        self._services.event(
            "task-failed",
            f"task {name[:80]}: {refused.message}",
            "warning",
            taskId=name,
            reason=refused.code,
        )

    def publish_progress(self) -> None:
        """Publish the progress of the active task, if there is one."""
        task = self._state.active
        if task is not None:
            self._progress(task, self._phase())

    def _phase(self) -> str:
        return "HELD" if self._core.status in FORBIDS else "RUNNING"

    def _progress(self, task: Task, phase: str, correlation: str = "") -> None:
        count = len(task.steps)
        step = task.steps[task.index].stepId if task.index < count else None
        job = self._jobs.get(task.job)
        pct = round(100 * (task.index + self._forecast.progress(job)) / count, 1)
        eta_s = self._forecast.eta_s(task)
        progress = m.TaskProgress(
            task.taskId, phase, step, task.index, count, pct, eta_s, task.revision
        )
        self._publisher.publish("task.progress", progress, correlation or task.correlation)


def _remember(outcomes: dict[str, Any], name: str, outcome: Any) -> None:
    """Store the outcome of a task, and drop the oldest one above the limit."""
    outcomes.pop(name, None)
    outcomes[name] = outcome
    if len(outcomes) > MOST_FINISHED:
        del outcomes[next(iter(outcomes))]
