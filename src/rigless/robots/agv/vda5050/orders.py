"""Orders: accepted or rejected, updated, cancelled and cleared."""

import math
from collections.abc import Callable

import msgspec

from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.vda5050 import acceptance
from rigless.robots.agv.vda5050.actions import Actions
from rigless.robots.agv.vda5050.driving import Driving
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.errors import Rejected, error
from rigless.robots.agv.vda5050_model.settings import Vda5050
from rigless.robots.agv.vda5050_model.state import FINAL, FINISHED, RUNNING, ActionRecord, VdaState

TURNED_RAD = 0.1  # tolerated deviation from the heading of the first node
TAKING = ("AUTOMATIC", "SEMIAUTOMATIC", "INTERVENED")  # modes in which orders are taken


class Orders:
    """`limits` returns what the robot can do at present."""

    def __init__(
        self,
        state: VdaState,
        given: Vda5050,
        machine: Machine,
        actions: Actions,
        driving: Driving,
        limits: Callable[[], acceptance.Limits],
    ):
        self._state, self._given, self._machine = state, given, machine
        self._actions, self._driving, self._limits = actions, driving, limits

    def receive(self, order: r.Order) -> None:
        """Accept or reject an order, or an update of the held one."""
        state = self._state
        state.session.changed = True
        state.last_order = order
        try:
            acceptance.structure(order)
            if state.mode not in TAKING:
                what = f"the operating mode is {state.mode}"
                raise Rejected("mode", what, operatingMode=state.mode)
            verdict = acceptance.judge(self._given.major, state.order, order, self._near)
            if verdict == "repeated":
                return
            acceptance.check_content(order, self._limits(), self._actions.check)
            self._check_ids(order, verdict)
        except Rejected as rejected:
            self._reject(rejected, order)
            return
        state.order_errors, state.unreachable = [], ""
        if verdict == "new":
            self._begin(order)
        else:
            self._update(order)

    def _check_ids(self, order: r.Order, verdict: str) -> None:
        """Raise Rejected if an update uses an actionId of the base again."""
        if verdict == "new":
            return
        known = self._base_actions()
        for action in r.actions_of(order.nodes[1:], order.edges):
            if action.actionId in known:
                what = f"actionId {action.actionId} was used before in this order"
                raise Rejected("invalid", what, actionId=action.actionId)

    def _base_actions(self) -> set[str]:
        held = self._state.order
        horizon = {node.sequenceId for node in held.nodes if not node.released}
        horizon |= {edge.sequenceId for edge in held.edges if not edge.released}
        return {name for name, record in held.actions.items() if record.at not in horizon}

    def _near(self, node: r.Node) -> bool:
        """Return True if the robot is at a node, or within its deviation.

        It is not if it is not localized, on another one of its maps, or turned elsewhere.
        """
        place = node.nodePosition
        if place is None:
            return True  # it is rejected for that
        x, y, heading = self._machine.drive.pose
        here = self._machine.state.map_id
        if not self._driving.localized or (place.mapId != here and self._has_map(place.mapId)):
            return False
        if place.theta is not None:
            off = abs(math.remainder(heading - place.theta, 2 * math.pi))
            if off > max(abs(place.allowedDeviationTheta or 0.0), TURNED_RAD):
                return False
        dx, dy = x - place.x, y - place.y
        allowed = place.allowedDeviationXY
        if math.hypot(dx, dy) <= self._given.startDeviationM:
            return True
        if isinstance(allowed, r.Ellipse):
            along = dx * math.cos(allowed.theta) + dy * math.sin(allowed.theta)
            across = dy * math.cos(allowed.theta) - dx * math.sin(allowed.theta)
            if allowed.a <= 0.0 or allowed.b <= 0.0:
                return False
            return (along / allowed.a) ** 2 + (across / allowed.b) ** 2 <= 1.0
        return allowed is not None and math.hypot(dx, dy) <= allowed

    def _has_map(self, name: str) -> bool:
        maps = self._state.maps.values()
        return any(entry[0] == name and entry[2] == "ENABLED" for entry in maps)

    def at_last_node(self) -> bool:
        """Return True if the robot is near the last node that it has passed."""
        place = self._state.order.last_place
        here = self._machine.drive.pose[:2]
        return place is None or math.dist(place, here) <= self._given.startDeviationM

    # Accepted

    def _begin(self, order: r.Order) -> None:
        state = self._state
        self._driving.halt()
        held = state.order
        last = held.last_node, held.last_sequence
        state.order = held = type(held)(
            order_id=order.orderId, last_node=last[0], last_sequence=last[1]
        )
        if self._given.major == 2:  # in 3.0 they stay until clearInstantActions
            state.instant = {
                name: record for name, record in state.instant.items() if record.status not in FINAL
            }
        self._take(order)
        held.nodes, held.edges = list(order.nodes[1:]), list(order.edges)
        self._add_actions(order, order.nodes)
        self._driving.stand_on(order.nodes[0])

    def _update(self, order: r.Order) -> None:
        """Drop the horizon, and append what the update has beyond the decision point."""
        held = self._state.order
        kept = self._base_actions()
        held.actions = {name: record for name, record in held.actions.items() if name in kept}
        base = len([node for node in held.nodes if node.released])
        held.nodes = [*held.nodes[:base], *order.nodes[1:]]
        held.edges = [*held.edges[:base], *order.edges]
        self._take(order)
        self._add_actions(order, order.nodes[1:])
        self._driving.extend()

    def _take(self, order: r.Order) -> None:
        held = self._state.order
        held.update_id, held.content = order.orderUpdateId, acceptance.content(order)
        held.zone_set_id = order.zoneSetId or held.zone_set_id

    def _add_actions(self, order: r.Order, nodes: list[r.Node]) -> None:
        parts: list[r.Node | r.Edge] = [*nodes, *order.edges]
        for part in sorted(parts, key=lambda part: part.sequenceId):
            for action in part.actions:
                record = ActionRecord(action, at=part.sequenceId)
                self._state.order.actions[action.actionId] = record

    def _reject(self, rejected: Rejected, order: r.Order) -> None:
        references = {
            "topic": "order",
            "headerId": str(order.headerId),
            "orderId": order.orderId,
            "orderUpdateId": str(order.orderUpdateId),
            **rejected.references,
        }
        self.report(rejected, references)

    def report(self, rejected: Rejected, references: dict[str, str]) -> None:
        """List an error until a new order is accepted; the same one only once."""
        state = self._state
        found = error(self._given.major, rejected.case, rejected.what, references)
        if found is None:
            return
        others = [
            one
            for one in state.order_errors
            if msgspec.structs.replace(one, errorReferences=[])
            != msgspec.structs.replace(found, errorReferences=[])
        ]
        state.order_errors = [*others[-9:], found]

    def mode_allows(self) -> None:
        """Remove the errors of orders that came while the operating mode did not allow any."""
        kept = [
            one
            for one in self._state.order_errors
            if all(ref.referenceKey != "operatingMode" for ref in one.errorReferences)
        ]
        self._state.order_errors = kept

    # Cancelled and cleared

    def cancel(self, action: r.Action) -> None:
        """Begin to cancel the order; a second cancelOrder ends with the first. Raises Rejected."""
        held = self._state.order
        named = action.parameters.get("orderId")
        wrong = self._given.major == 3 and named not in (None, "", held.order_id)
        if wrong or not acceptance.executing(held):
            what = f"order {named} is not held" if wrong else "there is no order to cancel"
            raise Rejected("nothing", what)
        self.clear("the order was cancelled")

    def clear(self, why: str) -> None:
        """Begin to give up the order, if there is one."""
        held = self._state.order
        if acceptance.executing(held) and not held.cancelling:
            held.cancelling = True
            self._driving.halt()
            self._actions.interrupt(why)

    def tick(self) -> None:
        """Finish a cancellation once the robot stands and no action runs."""
        state, held = self._state, self._state.order
        if not held.cancelling or self._machine.drive.driving or held.queue:
            return
        held.cancelling, held.cancelled = False, True
        held.nodes, held.edges, held.entered = [], [], -1
        state.requests, state.leases, state.spans = {}, {}, {}
        state.astray, state.session.changed = "", True
        for record in state.instant.values():
            if record.action.actionType == "cancelOrder" and record.status == RUNNING:
                self._actions.end(record, FINISHED)
