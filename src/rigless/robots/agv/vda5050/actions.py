"""Actions: which may start, which keep the robot standing, and how they run and end.

Triggered actions wait in one queue, in the order of the standard. NONE and SOFT run in parallel;
SINGLE and HARD run alone. SOFT and HARD keep the robot standing, from the moment when they are
triggered until they have ended.
"""

from collections.abc import Callable, Iterable

from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv.services import Services
from rigless.robots.agv.vda5050.core_functions import CoreFunctions, Refused
from rigless.robots.agv.vda5050.effects import Effects, Failed
from rigless.robots.agv.vda5050.wire import PORT
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.catalogue import NOT_SUPPORTED, Kind
from rigless.robots.agv.vda5050_model.errors import Rejected
from rigless.robots.agv.vda5050_model.state import (
    FAILED,
    FINAL,
    FINISHED,
    INSTANT,
    OF_ZONE,
    PAUSED,
    RETRIABLE,
    RUNNING,
    ActionRecord,
    VdaState,
)

STANDING = ("SOFT", "HARD")
ALONE = ("SINGLE", "HARD")
ACTIVE = (RUNNING, PAUSED, RETRIABLE)
DOWNLOAD_NS = to_ns(90.0)  # longer than a transport needs to give up
UNTIL_STILL = ("startPause", "startHibernation")
WATCHED = ("cancelOrder", *UNTIL_STILL)  # ended elsewhere, when the robot stands
LOCAL, FLEET_CONTROL = "LOCAL", "FLEET_CONTROL"  # types of triggers


class Actions:
    def __init__(
        self,
        services: Services,
        state: VdaState,
        kinds: dict[str, Kind],
        core: CoreFunctions,
        effects: Effects,
        tick_s: float,
    ):
        self._services, self._state, self._kinds = services, state, kinds
        self._core, self._effects, self._tick_ns = core, effects, to_ns(tick_s)

    def check(self, action: r.Action, scope: str) -> None:
        """Raise Rejected if the robot can never carry out an action here."""
        name, kind = action.actionType, self._kinds.get(action.actionType)

        def refuse(what: str) -> Rejected:
            return Rejected("action", f"{name[:60]}: {what}", actionId=action.actionId)

        if kind is None:
            why = NOT_SUPPORTED.get(name)
            raise refuse(
                "the robot does not know this action" if why is None else f"not supported; {why}"
            )
        if scope not in kind.scopes:
            raise refuse(f"not possible as {scope.lower()} action")
        if action.blockingType not in kind.blocking:
            raise refuse(f"blockingType {action.blockingType} is not possible")
        missing = [key for key in kind.required if key not in action.parameters]
        if missing:
            raise refuse(f"actionParameters need {missing[0]}")
        try:
            self._core.check(kind)
            self._effects.check(kind, action.parameters)
        except (Refused, ValueError) as error:
            raise refuse(str(error)) from None

    # Triggering

    def trigger(self, actions: Iterable[r.Action], at: int) -> None:
        """Let the actions of a node or an edge that the robot has reached start in their turn."""
        order = self._state.order
        for action in actions:
            record = order.actions.get(action.actionId)
            if record is not None and record.status not in FINAL and record.at == at:
                order.queue.append(action.actionId)

    def cross(self, zone: r.Zone, entered: bool) -> None:
        """Let the actions of a zone start, and those end that go on inside of it."""
        state = self._state
        if not entered:
            for name in list(state.zone_queue):
                if state.zone_actions[name].zone == zone.zoneId:
                    self.end(state.zone_actions[name], FINISHED, "ended with its zone")
        begun = [(one, "") for one in (zone.entryActions if entered else zone.exitActions) or ()]
        if entered:
            begun += [(one, zone.zoneId) for one in zone.duringActions or ()]
        for action, inside in begun:
            name = action.actionId
            if name not in state.zone_queue:
                state.zone_queue.append(name)
                state.zone_actions[name] = ActionRecord(action, at=OF_ZONE, zone=inside)
                self._changed()
        self._drop_final()

    def _queued(self) -> list[ActionRecord]:
        """Return the triggered actions of the order and of zones that are not final."""
        state, order = self._state, self._state.order
        found = [order.actions[name] for name in order.queue]
        return found + [state.zone_actions[name] for name in state.zone_queue]

    def _drop_final(self) -> None:
        state, order = self._state, self._state.order
        order.queue = [name for name in order.queue if order.actions[name].status not in FINAL]
        zones = state.zone_actions
        state.zone_queue = [name for name in state.zone_queue if zones[name].status not in FINAL]

    def standing(self) -> bool:
        """Return True if an action keeps the robot standing."""
        if any(record.action.blockingType in STANDING for record in self._queued()):
            return True
        return any(
            record.status in ACTIVE and record.action.blockingType in STANDING
            for record in self._state.instant.values()
        )

    def tick(self) -> None:
        """Run the actions that run, and start those that may."""
        order = self._state.order
        for record in self._queued():
            self._run(record)
        for record in self._state.instant.values():
            if record.status in (RUNNING, PAUSED) and record.action.actionType not in WATCHED:
                self._run(record)
        self._drop_final()
        if not self._core.paused and not order.cancelling:
            self._start_next()

    def _start_next(self) -> None:
        queued = self._queued()
        for record in queued:
            others = [one for one in queued if one is not record and one.status in ACTIVE]
            if record.status in ACTIVE:
                continue
            if any(other.action.blockingType in ALONE for other in others):
                return
            if record.action.blockingType in ALONE and others:
                return
            if self._core.holds(self._kinds[record.action.actionType]):
                return  # they start in their order
            self.begin(record)
            if record.action.blockingType in ALONE and record.status not in FINAL:
                return
        self._drop_final()

    # Running

    def begin(self, record: ActionRecord) -> None:
        kind = self._kinds[record.action.actionType]
        record.status, record.left_ns = RUNNING, to_ns(kind.seconds)
        slow = self._services.fault(kind.name, "slow")
        if slow is not None:
            record.left_ns = int(record.left_ns * float(slow.params["factor"]))
        record.at_place, record.file, record.due_ns = False, None, 0
        place = self._core.at_place(kind, record.action.parameters, bool(self._state.loads))
        if place is not None:
            record.at_place, record.left_ns = True, max(record.left_ns - to_ns(kind.seconds), 0)
        else:
            self._attempt(record, lambda: self._core.begin(kind))
        self._changed()
        if record.status == RUNNING:
            self._run(record)

    def _attempt(self, record: ActionRecord, begin: Callable[[], int]) -> None:
        """Let the core begin a job of an action; the action fails if it is refused."""
        try:
            record.job = begin()
        except Refused as refused:
            self.fail(record, str(refused))

    def _begin_at_place(self, kind: Kind, record: ActionRecord) -> None:
        """Let the core work at a station or a charger, once delays and faults permit it."""
        record.at_place = False
        place = self._core.at_place(kind, record.action.parameters, bool(self._state.loads))
        if place is not None:
            self._attempt(record, lambda: self._core.begin_at_place(place))

    def _run(self, record: ActionRecord) -> None:
        """Let a running action go on for a tick."""
        if record.status not in (RUNNING, PAUSED):
            return
        kind = self._kinds[record.action.actionType]
        paused = record.at != INSTANT and self._core.holds(kind)
        if (record.status == PAUSED) != paused:
            record.status = PAUSED if paused else RUNNING
            self._changed()
        if paused or self._services.fault(kind.name, "blocked") is not None:
            return
        if record.left_ns > 0:
            record.left_ns -= self._tick_ns
            return
        failing = self._services.fault(kind.name, "fail") is not None
        if record.at_place and not failing:
            self._begin_at_place(kind, record)
            if record.status != RUNNING:
                return
        job = None
        if record.job:
            job = self._core.ended(record.job)
            if job is None:
                return
            record.job = 0
            if job.state != "SUCCEEDED":
                self.fail(record, job.message or job.state.lower())
                return
            self._attempt(record, lambda: self._core.docked(job))
            if record.job or record.status != RUNNING:
                return
        if failing:
            self.fail(record, "a fault was injected")
            return
        if kind.link and not self._downloaded(kind, record):
            return
        try:
            result = self._effects.finish(kind, record, job)
        except Failed as why:
            self.fail(record, str(why))
            return
        if result is not None:
            self.end(record, FINISHED, result or kind.result)

    def _downloaded(self, kind: Kind, record: ActionRecord) -> bool:
        """Return True once the file of an action is there; ask the transport, if there is one."""
        if record.file is not None or not self._state.session.state:
            return True
        name, now_ns = record.action.actionId, self._services.now_ns
        if not record.due_ns:
            record.due_ns = now_ns + DOWNLOAD_NS
            url = str(record.action.parameters[kind.link])
            self._services.emit(PORT, m.Download(name, url, kind.name == "downloadZoneSet"))
        elif now_ns >= record.due_ns:
            record.file = r.Downloaded(id=name, why="the file server did not answer in time")
        return record.file is not None

    def end(self, record: ActionRecord, status: str, result: str = "") -> None:
        if record.status in FINAL:
            return
        if record.job:
            self._core.cancel(record.job)
            record.job = 0
        record.status, record.result = status, result[:400]
        self._changed()

    def fail(self, record: ActionRecord, why: str) -> None:
        """Let an action fail; a retriable one waits for the decision of the master."""
        if record.action.retriable and not self._state.order.cancelling:
            if record.job:
                self._core.cancel(record.job)
            record.status, record.result, record.job = RETRIABLE, why[:400], 0
            self._changed()
        else:
            record.failed = True
            self.end(record, FAILED, why)

    def end_edge(self, sequence: int) -> None:
        """End the actions of an edge that the robot leaves."""
        order = self._state.order
        for name in list(order.queue):
            record = order.actions[name]
            if record.at == sequence:
                self.end(record, FINISHED, "ended with its edge")
                order.queue.remove(name)

    def interrupt(self, why: str) -> None:
        """End the waiting actions of the order, and the running ones that can be interrupted."""
        order = self._state.order
        for record in order.actions.values():
            kind = self._kinds[record.action.actionType]
            if record.status not in FINAL and (record.status != RUNNING or kind.cancels):
                self.end(record, FAILED, why)
        order.queue = [name for name in order.queue if order.actions[name].status not in FINAL]

    def triggered(self, source: str, name: str = "") -> bool:
        """End the waits for a trigger, or the named one. Return False if there is none."""
        found = False
        for record in self.listed():
            waits = record.action.actionType == "waitForTrigger" and record.status == RUNNING
            if waits and name in ("", record.action.actionId) and _heeds(record.action, source):
                self.end(record, FINISHED, "triggered")
                found = True
        return found

    def listed(self) -> list[ActionRecord]:
        """Return the actions of the order and of zones."""
        return [*self._state.order.actions.values(), *self._state.zone_actions.values()]

    def _changed(self) -> None:
        self._state.session.changed = True


def _heeds(action: r.Action, source: str) -> bool:
    """Return True if a trigger of this source ends a wait. Types of sites count as local."""
    given = action.parameters.get("triggerType")
    if not isinstance(given, list) or not given:  # a text of any kind in 2.x
        return True
    return source in given or (source == LOCAL and any(one != FLEET_CONTROL for one in given))
