"""Instant actions: carried out at once, or listed as FAILED with an error.

A resend of an actionId is ignored, because some masters repeat it until they see it in the state.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rigless.robots.agv.vda5050.acceptance import executing
from rigless.robots.agv.vda5050.actions import FLEET_CONTROL, UNTIL_STILL, Actions
from rigless.robots.agv.vda5050.core_functions import CoreFunctions
from rigless.robots.agv.vda5050.orders import Orders
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.catalogue import Kind
from rigless.robots.agv.vda5050_model.errors import CASES, Rejected, error
from rigless.robots.agv.vda5050_model.state import (
    FAILED,
    FINAL,
    FINISHED,
    RETRIABLE,
    RUNNING,
    ActionRecord,
    VdaState,
)

MODES = ("AUTOMATIC", "SEMIAUTOMATIC", "INTERVENED")
MOST = 1000  # remembered instant actions
MAP_ACTIONS = ("downloadMap", "enableMap", "deleteMap")
OF_MAPS = tuple(kind[0] for kind in CASES["map_twice"] if kind is not None)  # end with the next one


class Instant:
    """`publish_factsheet` publishes the factsheet now.

    `deadline_ns` converts a time of the master to simulated time. It raises ValueError.
    """

    def __init__(
        self,
        state: VdaState,
        major: int,
        kinds: dict[str, Kind],
        core: CoreFunctions,
        actions: Actions,
        orders: Orders,
        deadline_ns: Callable[[str], int],
        still: Callable[[], bool],
        publish_factsheet: Callable[[], None],
    ):
        self._state, self._major, self._kinds, self._core = state, major, kinds, core
        self._actions, self._orders, self._deadline_ns = actions, orders, deadline_ns
        self._still, self._publish_factsheet = still, publish_factsheet

    def receive(self, message: r.InstantActions) -> None:
        self._state.session.changed = True
        hibernating = self._state.session.hibernating
        for action in message.actions:
            known = action.actionId in self._state.instant or (
                action.actionId in self._state.order.actions
            )
            if known or (hibernating and action.actionType != "stopHibernation"):
                continue
            record = ActionRecord(action)
            self._remember(record)
            try:
                self._accept(record)
            except Rejected as rejected:
                self._actions.end(record, FAILED, rejected.what)
                self._report(rejected, action, message.headerId)
            else:
                self._state.action_errors = [
                    one
                    for one in self._state.action_errors
                    if one.errorType in OF_MAPS and action.actionType not in MAP_ACTIONS
                ]
                for earlier in self._state.instant.values():
                    earlier.failed = earlier.failed and earlier is record

    def _remember(self, record: ActionRecord) -> None:
        known = self._state.instant
        known[record.action.actionId] = record
        if len(known) > MOST:
            gone = next((name for name, old in known.items() if old.status in FINAL), None)
            if gone is not None:
                del known[gone]

    def _accept(self, record: ActionRecord) -> None:
        """Begin an instant action. Raises Rejected."""
        action, name = record.action, record.action.actionType
        if self._state.mode not in MODES or (self._state.mode, name == "cancelOrder") == (
            "INTERVENED",
            False,
        ):
            raise Rejected("instant", f"{name[:60]}: the operating mode is {self._state.mode}")
        if self._major == 3 and action.blockingType != "NONE":
            what = f"{name[:60]}: the blockingType of an instant action is NONE"
            raise Rejected("instant", what)
        try:
            self._actions.check(action, "INSTANT")
        except Rejected as rejected:
            raise Rejected("instant", rejected.what) from None
        self._begin(record, name)

    def _begin(self, record: ActionRecord, name: str) -> None:
        given, state = record.action.parameters, self._state
        record.status = RUNNING
        match name:
            case "cancelOrder":
                self._orders.cancel(record.action)
                return
            case "startPause":
                self._core.pause(True)
                return  # `tick` ends it when the robot stands
            case "stopPause":
                self._core.pause(False)
            case "stateRequest":
                pass
            case "factsheetRequest":
                self._publish_factsheet()
            case "downloadMap":
                key = f"{given['mapId']}\n{given['mapVersion']}"
                if key in state.maps:
                    names = {"mapId": str(given["mapId"]), "mapVersion": str(given["mapVersion"])}
                    raise Rejected("map_twice", "the robot has this map already", **names)
                self._actions.begin(record)
                return
            case "downloadZoneSet" if str(given["zoneSetId"]) in state.zone_sets:
                zone_set = str(given["zoneSetId"])
                raise Rejected("zone_set_twice", "the robot has it already", zoneSetId=zone_set)
            case "trigger":
                if not self._actions.triggered(FLEET_CONTROL, str(given.get("actionId", ""))):
                    raise Rejected("instant", "no action waits for a trigger")
            case "retry" | "skipRetry":
                named = str(given["actionId"])
                other = state.order.actions.get(named) or state.zone_actions.get(named)
                if other is None or other.status != RETRIABLE:
                    raise Rejected("instant", f"action {given['actionId']} is not RETRIABLE")
                if name == "retry":
                    self._actions.begin(other)
                else:
                    other.failed = True
                    self._actions.end(other, FAILED, other.result)
            case "startHibernation":
                self._hibernate(given)
                return  # `tick` ends it when the robot stands
            case "stopHibernation":
                state.session.hibernating = False
            case "shutdown":
                if executing(state.order):
                    raise Rejected("instant", "an order is being executed")
                state.session.off = state.session.falls_asleep = True
            case _:
                self._actions.begin(record)
                return
        self._actions.end(record, FINISHED)

    def _hibernate(self, given: Mapping[str, Any]) -> None:
        """End the order, before the robot becomes silent. Raises Rejected."""
        session, at = self._state.session, given.get("wakeUpTime")
        try:
            session.wake_ns = 0 if at in (None, "") else self._deadline_ns(str(at))
        except ValueError:
            raise Rejected("instant", f"wakeUpTime {str(at)[:40]!r} is not a time") from None
        self._orders.clear("the robot hibernates")

    def tick(self) -> None:
        """Finish a pause, or begin to hibernate, once the robot stands and its order has ended."""
        for record in self._state.instant.values():
            name = record.action.actionType
            if name == "startHibernation" and self._state.order.cancelling:
                continue
            if record.status == RUNNING and name in UNTIL_STILL and self._still():
                self._actions.end(record, FINISHED)
                if name == "startHibernation":
                    self._state.session.falls_asleep = True

    def _report(self, rejected: Rejected, action: r.Action, header: int) -> None:
        references = {
            "topic": "instantActions",
            "headerId": str(header),
            "actionId": action.actionId,
            **rejected.references,
        }
        if rejected.case == "nothing":  # listed until an order is accepted
            self._orders.report(rejected, references)
            return
        found = error(self._major, rejected.case, rejected.what, references)
        if found is not None:
            self._state.action_errors = [*self._state.action_errors[-9:], found]
