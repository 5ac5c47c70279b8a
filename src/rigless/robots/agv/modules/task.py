"""Tasks: one at a time, the others wait by priority. A task is a list of steps, each a job with what it requires and what follows if it fails.

A task is taken while nothing forbids it to begin; one that runs is held together with the motion, and goes on afterwards.
"""

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv import params as p
from rigless.robots.agv.params import LONGEST_ID, Refused
from rigless.robots.agv.state import Ended, Job, Step, Task, Unfinished

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

FORBIDS = ("ERROR", "OFFLINE", "PAUSED")
ENDS: dict[str, type[m.TaskDone | m.TaskFailed]] = {
    "task.done": m.TaskDone,
    "task.failed": m.TaskFailed,
}
MOST_STEPS = 200
MOST_WAITING = 100
MOST_FINISHED = 1000
MOST_RETRIES = 3
RETRY_AFTER_NS = 1_000_000_000  # time for what was wrong to pass
RECALLED_WITHIN_NS = 500_000_000  # all that the outbox remembers has come by then


class Tasks:
    def __init__(self, robot: "Agv"):
        self.robot = robot

    # In

    def assign(self, message: m.TaskAssign) -> None:
        robot, state, name = self.robot, self.robot.state.task, message.taskId
        if self._known(message):
            return
        core = robot.state.core
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
                raise Refused("BUSY", f"{MOST_WAITING} tasks wait already")
            task = self._task(message)
        except Refused as refused:
            if revises:
                data = {"taskId": name, "revision": message.revision, "code": refused.code}
                robot.core.notice("TASK_REJECTED", "WARNING", "task", refused.message, data)
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
        state.queue.sort(
            key=lambda waiting: -waiting.priority
        )  # stable: the first come of a priority stays first
        self._progress(task, "QUEUED")

    def malformed(self, message: m.Malformed) -> None:
        """It may be a garbled copy of a task that was understood: what is told of that one stands."""
        state, name = self.robot.state.task, message.taskId
        tasks = [*state.queue, *([state.active] if state.active is not None else [])]
        if name not in state.finished and name not in [task.taskId for task in tasks]:
            self._failed(name, None, Refused(message.code, message.what), message.correlationId)

    def _known(self, message: m.TaskAssign) -> bool:
        """Whether this revision, or a later one, has been heard of already. Who sends it again is told again; but not if the same message came twice."""
        state, name = self.robot.state.task, message.taskId
        tasks = [*state.queue, *([state.active] if state.active is not None else [])]
        for task in tasks:
            if task.taskId == name and message.revision <= task.revision:
                if message.revision == task.revision and message.correlationId != task.correlation:
                    self._progress(
                        task,
                        "QUEUED" if task.started_ns < 0 else self._word(),
                        message.correlationId,
                    )
                return True
        if name in state.unfinished:
            if message.revision <= state.unfinished[name].revision:
                return True  # and is told as failed
            del state.unfinished[name]
        ended = state.finished.get(name)
        if ended is not None and message.revision <= ended.revision:
            if message.revision == ended.revision and message.correlationId != ended.correlation:
                ended.correlation = message.correlationId
                told = msgspec.convert(ended.payload, ENDS[ended.type])
                self.robot.publisher.publish(ended.type, told, message.correlationId)
            return True
        before_boot = message.ageS > self.robot.publisher.uptime_s()
        return (
            before_boot and state.refused.get(name) == message.correlationId
        )  # JetStream did not get to know that it was heard

    def _task(self, message: m.TaskAssign) -> Task:
        """What was assigned, checked whole; raises Refused with the step in it. A motor that is not well now matters only to steps that may not
        fail: for the others `onFail` decides when they are due."""
        voice, now_ns = self.robot.publisher, self.robot.now_ns
        if not 1 <= len(message.steps) <= MOST_STEPS:
            raise Refused(
                "INVALID_PARAMS", f"a task has 1 to {MOST_STEPS} steps, not {len(message.steps)}"
            )
        if message.revision < 0:
            raise Refused("INVALID_PARAMS", "revision is below 0")
        ids = [step.stepId for step in message.steps]
        if not all(1 <= len(name) <= LONGEST_ID for name in ids):
            raise Refused("INVALID_PARAMS", f"a stepId has not 1 to {LONGEST_ID} characters")
        if len(set(ids)) < len(ids):
            raise Refused("INVALID_PARAMS", "two steps have the same stepId")
        for step in message.steps:
            try:
                job = self.robot.jobs.plan(step.type, step.params, "task", p.STEPS)
                self.robot.jobs.require(step.requires)
                self._well(job)
            except Refused as refused:
                if step.onFail == "ABORT" or refused.code != "REQUIRED_MOTOR_UNAVAILABLE":
                    why = f"step {step.stepId[:80]}: {refused.message}"
                    raise Refused(refused.code, why, refused.motor, step.stepId) from None
        try:
            deadline_ns = (
                voice.deadline_ns(message.deadline, message.receivedAtNs)
                if message.deadline
                else None
            )
        except ValueError as error:
            raise Refused("INVALID_PARAMS", f"deadline: {error}") from None
        if deadline_ns is not None and now_ns >= deadline_ns:
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

    def _well(self, job: Job) -> None:
        for motor in job.motors:
            if not self.robot.machine.healthy(motor):
                key = self.robot.jobs.functional[motor].functionKey
                raise Refused(
                    "REQUIRED_MOTOR_UNAVAILABLE", f"{motor} ({key}) is not available", motor
                )

    def cancel(self, message: m.TaskCancel) -> None:
        """GRACEFUL: an axis that moves gets to where it was going; IMMEDIATE: it stops too. The drive brakes in both."""
        state = self.robot.state.task
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
        self.robot.core.notice(
            "UNKNOWN_TASK", "INFO", "task", what, {"taskId": message.taskId[:LONGEST_ID]}
        )

    def cancel_all(self, why: str) -> None:
        """Every task, running or waiting, ends."""
        state = self.robot.state.task
        if state.active is not None:
            self._abort(state.active, Refused("CANCELLED", why), True)
        waiting, state.queue = state.queue, []
        for task in waiting:
            self._end(task, Refused("CANCELLED", why))

    def recall(self, message: m.Recalled) -> None:
        """The last that was said of a task before this boot; progress and end may come in any order."""
        state, told = self.robot.state.task, message.payload
        name, revision, step = (told.get(key) for key in ("taskId", "revision", "stepId"))
        if not isinstance(name, str) or not name or message.bootId == self.robot.state.core.boot_id:
            return
        state.unfinished.pop(name, None)
        if not isinstance(revision, int):
            _remember(state.refused, name, message.correlationId)
        elif message.type == "task.progress":
            state.unfinished[name] = Unfinished(
                step if isinstance(step, str) else "", message.correlationId, revision
            )
            state.recalled_ns = self.robot.now_ns
        else:
            with contextlib.suppress(msgspec.ValidationError):
                msgspec.convert(told, ENDS[message.type])
                _remember(
                    state.finished, name, Ended(message.type, told, message.correlationId, revision)
                )

    def _restarted(self) -> None:
        """What was being done before this boot, and is not told as ended, has failed."""
        state = self.robot.state.task
        unfinished, state.unfinished = state.unfinished, {}
        for name, cut in unfinished.items():
            restarted = Refused("RESTARTED", "the robot restarted while it had this task")
            self._failed(name, cut.step or None, restarted, cut.correlation, cut.revision)

    # As time goes by

    def tick(self) -> None:
        robot, state = self.robot, self.robot.state.task
        if state.unfinished and robot.now_ns - state.recalled_ns >= RECALLED_WITHIN_NS:
            self._restarted()
        for task in [
            task
            for task in state.queue
            if task.deadline_ns is not None and robot.now_ns >= task.deadline_ns
        ]:
            state.queue.remove(task)
            self._end(task, Refused("DEADLINE", "its deadline passed while it waited"))
        if state.active is None and state.queue:
            if self._can_start():
                self._start(state.queue.pop(0))
            elif not robot.may_drive:
                state.queue[0].held_s += robot.tick_s
        if state.active is not None:
            self._run(state.active)

    def _can_start(self) -> bool:
        state = self.robot.state
        return not state.jobs.drive and state.core.status not in FORBIDS

    def _start(self, task: Task) -> None:
        robot = self.robot
        robot.state.task.active, robot.state.core.changed = task, True
        task.started_ns, task.odometer_m = robot.now_ns, robot.machine.odometer_m
        self._progress(task, "RUNNING")

    def _run(self, task: Task) -> None:
        robot, core = self.robot, self.robot.state.core
        if not robot.may_drive:
            task.held_s += robot.tick_s
        if task.deadline_ns is not None and robot.now_ns >= task.deadline_ns:
            self._abort(task, Refused("DEADLINE", "its deadline passed"), True)
        elif task.job:
            job = robot.jobs.take(task.job)
            if job is None:
                self._required(task)
            else:
                task.job = 0
                self._stepped(task, job)
        elif core.status == "ERROR":
            self._end(
                task, Refused("STATUS_FORBIDS", f"the status is ERROR ({', '.join(core.reasons)})")
            )
        elif core.status not in FORBIDS and robot.now_ns >= task.again_ns:
            self._step(task)

    def _required(self, task: Task) -> None:
        """While a step runs: what it requires must stay well."""
        step = task.steps[task.index]
        if step.requires and self.robot.machine.functional_faults:
            try:
                self.robot.jobs.require(step.requires)
            except Refused as refused:
                self.robot.jobs.cancel(task.job)
                job = self.robot.jobs.take(task.job)
                task.job = 0
                if job is not None:
                    job.state, job.code, job.message, job.motor = (
                        "FAILED",
                        refused.code,
                        refused.message,
                        refused.motor,
                    )
                    self._stepped(task, job)

    def _step(self, task: Task) -> None:
        """Begin the step that is next."""
        step, work = task.steps[task.index], self.robot.jobs
        try:
            job = work.plan(step.type, step.params, "task", p.STEPS)
            work.require(step.requires)
            work.check(job)
        except Refused as refused:
            if refused.code == "BUSY":
                return  # until the command that has it is done
            self._missed(task, refused)
            return
        if job.drives and not self.robot.may_drive:
            return
        task.job = work.begin(job).id

    def _stepped(self, task: Task, job: Job) -> None:
        """A step has ended."""
        if job.state == "SUCCEEDED":
            self._next(task)
        else:
            self._missed(task, Refused(job.code or "STEP_FAILED", job.message, job.motor))

    def _missed(self, task: Task, refused: Refused) -> None:
        """A step has failed."""
        step = task.steps[task.index]
        if step.onFail == "RETRY" and task.tries < MOST_RETRIES:
            task.tries, task.retries = task.tries + 1, task.retries + 1
            task.again_ns = self.robot.now_ns + RETRY_AFTER_NS
        elif step.onFail == "SKIP":
            task.skipped += 1
            self._next(task)
        else:
            self._end(task, refused)

    def _next(self, task: Task) -> None:
        task.index, task.tries = task.index + 1, 0
        if task.index < len(task.steps):
            self._progress(task, "RUNNING")
            return
        robot = self.robot
        metrics = {
            "distanceM": round(robot.machine.odometer_m - task.odometer_m, 4),
            "durationS": (robot.now_ns - task.started_ns) / 1e9,
            "heldS": round(task.held_s, 3),
            "retries": task.retries,
            "skipped": task.skipped,
        }
        self._forget(task)
        done = m.TaskDone(
            task.taskId,
            robot.publisher.at(task.started_ns),
            robot.publisher.now(),
            metrics,
            task.revision,
        )
        robot.publisher.publish("task.done", done, task.correlation)
        ended = Ended("task.done", msgspec.to_builtins(done), task.correlation, task.revision)
        _remember(robot.state.task.finished, task.taskId, ended)
        robot.count("tasks_done")
        robot.event("task-done", f"task {task.taskId[:80]} is done", taskId=task.taskId)

    def _abort(self, task: Task, refused: Refused, axes: bool) -> None:
        self._drop(task, axes)
        self._end(task, refused)

    def _drop(self, task: Task, axes: bool = True) -> None:
        """Stop what it does; it says no more."""
        self.robot.jobs.cancel(task.job, axes)
        self.robot.jobs.take(task.job)
        task.job = 0

    def _end(self, task: Task, refused: Refused) -> None:
        self._forget(task)
        step = (
            task.steps[task.index].stepId
            if task.started_ns >= 0 and task.index < len(task.steps)
            else None
        )
        self._failed(task.taskId, step, refused, task.correlation, task.revision)

    def _forget(self, task: Task) -> None:
        state = self.robot.state.task
        if state.active is task:
            state.active = None
        state.last = task
        self.robot.state.core.changed = True

    # Out

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
        self.robot.publisher.publish("task.failed", failed, correlation)
        state = self.robot.state.task
        if revision is None:
            _remember(state.refused, name, correlation)
        else:
            _remember(
                state.finished,
                name,
                Ended("task.failed", msgspec.to_builtins(failed), correlation, revision),
            )
        self.robot.count("tasks_failed")
        self.robot.event(
            "task-failed",
            f"task {name[:80]}: {refused.message}",
            "warning",
            taskId=name,
            reason=refused.code,
        )

    def tell(self) -> None:
        """At taskHz while a task is being done."""
        task = self.robot.state.task.active
        if task is not None:
            self._progress(task, self._word())

    def _word(self) -> str:
        return "HELD" if self.robot.state.core.status in FORBIDS else "RUNNING"

    def _progress(self, task: Task, word: str, correlation: str = "") -> None:
        count = len(task.steps)
        step = task.steps[task.index].stepId if task.index < count else None
        job = self.robot.state.jobs.by_id.get(task.job)
        pct = round(100 * (task.index + self.robot.forecast.part_done(job)) / count, 1)
        eta_s = self.robot.forecast.eta_s(task)
        progress = m.TaskProgress(
            task.taskId, word, step, task.index, count, pct, eta_s, task.revision
        )
        self.robot.publisher.publish("task.progress", progress, correlation or task.correlation)


def _remember(ended: dict[str, Any], name: str, what: Any) -> None:
    """Of so many tasks, the oldest is forgotten."""
    ended.pop(name, None)
    ended[name] = what
    if len(ended) > MOST_FINISHED:
        del ended[next(iter(ended))]
