"""Instant actions: carried out at once, or listed as FAILED with an error.

A resend of an actionId is ignored, because some masters repeat it until they see it in the state.
"""

from collections.abc import Callable

from rigless.robots.agv.vda5050.actions import Actions
from rigless.robots.agv.vda5050.core_functions import CoreFunctions
from rigless.robots.agv.vda5050.orders import Orders
from rigless.robots.agv.vda5050.zones import Zones
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.catalogue import Kind
from rigless.robots.agv.vda5050_model.errors import Rejected, error
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


class Instant:
    """`publish_factsheet` publishes the factsheet now."""

    def __init__(
        self,
        state: VdaState,
        major: int,
        kinds: dict[str, Kind],
        core: CoreFunctions,
        actions: Actions,
        orders: Orders,
        zones: Zones,
        still: Callable[[], bool],
        publish_factsheet: Callable[[], None],
    ):
        self._state, self._major, self._kinds, self._core = state, major, kinds, core
        self._actions, self._orders, self._zones = actions, orders, zones
        self._still, self._publish_factsheet = still, publish_factsheet

    def receive(self, message: r.InstantActions) -> None:
        self._state.session.changed = True
        for action in message.actions:
            if (
                action.actionId in self._state.instant
                or action.actionId in self._state.order.actions
            ):
                continue
            record = ActionRecord(action)
            self._remember(record)
            try:
                self._accept(record)
            except Rejected as rejected:
                self._actions.end(record, FAILED, rejected.what)
                self._report(rejected, action, message.headerId)
            else:
                self._state.action_errors = []

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
        hibernating = self._state.session.hibernating
        if hibernating and name != "stopHibernation":
            raise Rejected("instant", "the robot hibernates")
        if self._state.mode not in MODES or (self._state.mode, name == "cancelOrder") == (
            "INTERVENED",
            False,
        ):
            raise Rejected("instant", f"{name[:60]}: the operating mode is {self._state.mode}")
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
            case "trigger":
                if not self._actions.triggered(str(given.get("actionId", ""))):
                    raise Rejected("instant", "no action waits for a trigger")
            case "retry" | "skipRetry":
                other = state.order.actions.get(str(given["actionId"]))
                if other is None or other.status != RETRIABLE:
                    raise Rejected("instant", f"action {given['actionId']} is not RETRIABLE")
                if name == "retry":
                    self._actions.begin(other)
                else:
                    self._actions.end(other, FAILED, other.result)
            case "startHibernation" | "stopHibernation":
                state.session.hibernating = name == "startHibernation"
            case "clearInstantActions":
                state.instant = {
                    key: one for key, one in state.instant.items() if one.status not in FINAL
                }
            case "clearZoneActions":
                pass  # no zone has actions
            case "enableZoneSet" | "deleteZoneSet":
                act = self._zones.enable if name == "enableZoneSet" else self._zones.delete
                try:
                    act(str(given["zoneSetId"]))
                except ValueError as why:
                    raise Rejected("instant", str(why)) from None
            case _:
                self._actions.begin(record)
                return
        self._actions.end(record, FINISHED)

    def tick(self) -> None:
        """Finish pauses once the robot stands."""
        for record in self._state.instant.values():
            if (
                record.status == RUNNING
                and record.action.actionType == "startPause"
                and self._still()
            ):
                self._actions.end(record, FINISHED)

    def _report(self, rejected: Rejected, action: r.Action, header: int) -> None:
        references = {
            "topic": "instantActions",
            "headerId": str(header),
            "actionId": action.actionId,
            **rejected.references,
        }
        found = error(self._major, rejected.case, rejected.what, references)
        if found is not None:
            self._state.action_errors = [*self._state.action_errors[-9:], found]
