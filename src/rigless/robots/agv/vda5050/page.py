"""The page of a robot that speaks VDA 5050: its order on the map and in lists, and its errors."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigless.kernel.drawing import Compose, Gauge, Lamp, Lines, Listing, Part, Path, Points
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.drawn import GAP
from rigless.robots.agv.vda5050.acceptance import executing
from rigless.robots.agv.vda5050.geometry.curves import Point, chords
from rigless.robots.agv.vda5050.releases import LOST
from rigless.robots.agv.vda5050.wire import PORT
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.state import FAILED, FINAL, ActionRecord, VdaState
from rigless.robots.agv.view import AgvView

SHOWN = 12
GROUP = "VDA 5050"
SENT = (r.Order.__name__, r.InstantActions.__name__)


class Vda5050View(AgvView):
    """The page of the AGV, with the order instead of a route."""

    def _parts(self, config: RobotConfig) -> Iterator[Part]:
        yield Points("order nodes", "Nodes of the order", "path")
        three = config.vda5050 is not None and config.vda5050.major == 3
        if three:
            yield Path("zone set", "Other zones", "plain")
        yield Lamp("vda session", "Connected to the broker", group=GROUP)
        yield Listing("order", "Order", "no order yet", wrap=True, group=GROUP)
        yield Listing("actions", "Actions", "no actions", wrap=True, group=GROUP)
        yield Listing("vda errors", "Errors", "no errors", wrap=True, group=GROUP)
        if three:
            yield Listing("requests", "Requests", "no requests", wrap=True, group=GROUP)
        yield Gauge("order nodes left", "Nodes left", digits=0, group=GROUP)
        yield Compose("send order", "Send", PORT, SENT, group="Send over VDA 5050")
        yield from super()._parts(config)

    @property
    def _state(self) -> VdaState:
        state: VdaState = self.robot.state.vda
        return state

    def draw(self) -> Mapping[str, ArrayLike]:
        order, here = self._state.order, self.robot.machine.drive.pose[:2]
        nodes = [node for node in order.nodes if node.nodePosition is not None]
        base, horizon = _places(nodes, True), _places(nodes, False)
        found = dict(super().draw())
        if nodes:
            first, rest, _, _ = self.robot.vda.driving.ahead(0.0)
            path = [(to.x, to.y) for to in (*first, *rest)]
            found["route"] = [here, *path] if path else ()
            found["horizon"] = [base[-1] if base else here, *self._horizon()] if horizon else ()
        if self.robot.config.vda5050.major == 3:
            zones = self.robot.vda.zones.in_use()
            blocked = _outlines(zone for zone in zones if zone.zoneType == "BLOCKED")
            found["zones"] = [*np.reshape(found["zones"], (-1, 2)), *blocked]
            found["zone set"] = _outlines(zone for zone in zones if zone.zoneType != "BLOCKED")
        return {**found, "order nodes": [*base, *horizon]}

    def _horizon(self) -> list[Point]:
        """Return the points of the edges of the horizon."""
        found, order = list[Point](), self._state.order
        for edge, node in zip(order.edges, order.nodes, strict=True):
            if not node.released and node.nodePosition is not None:
                found += [] if edge.trajectory is None else chords(edge.trajectory)
                found.append((node.nodePosition.x, node.nodePosition.y))
        return found

    def measure(self) -> Mapping[str, float]:
        state = self._state
        return {
            **super().measure(),
            "vda session": float(state.session.state in ("", "UP")),
            "order nodes left": float(len(state.order.nodes)),
        }

    def lines(self) -> Mapping[str, Lines]:
        found = {
            **super().lines(),
            "order": self._order(),
            "actions": self._actions(),
            "vda errors": self._errors(),
        }
        three = self.robot.config.vda5050.major == 3
        return found | {"requests": self._requests()} if three else found

    def _requests(self) -> Lines:
        found = self._state.requests.values()
        texts = tuple(
            f"{one.requestStatus} {one.requestType} {(one.zoneId or one.edgeId or '')[:40]}"
            f" · {one.requestId}"
            for one in found
        )
        lost = tuple(n for n, one in enumerate(found, 1) if one.requestStatus in LOST)
        return Lines(1, texts, 1, len(texts), lost)

    def _order(self) -> Lines:
        order = self._state.order
        if not order.order_id:
            return Lines()
        word = "active" if executing(order) else "cancelled" if order.cancelled else "done"
        head = f"{order.order_id[:60]} · update {order.update_id} · {word}"
        last = f"last node {order.last_node[:40]} ({order.last_sequence})"
        nodes = [
            f"{node.nodeId[:40]} ({node.sequenceId}) {'base' if node.released else 'horizon'}"
            for node in order.nodes[: SHOWN - 2]
        ]
        texts = (head, last, *nodes)
        return Lines(1, texts, 3 if nodes else len(texts) + 1, len(texts))

    def _actions(self) -> Lines:
        state = self._state
        zones = state.zone_actions.values()
        records = [*state.order.actions.values(), *zones, *state.instant.values()]
        first = max(0, len(records) - SHOWN)
        shown = records[first:]
        wrong = tuple(n for n, one in enumerate(shown, first + 1) if one.status == FAILED)
        current = next(
            (n for n, one in enumerate(shown, first + 1) if one.status not in FINAL),
            len(records) + 1,
        )
        return Lines(first + 1, tuple(map(_told, shown)), current, len(records), wrong)

    def _errors(self) -> Lines:
        texts = tuple(_error(error) for error in self.robot.vda.report.errors()[:SHOWN])
        return Lines(1, texts, 1, len(texts), tuple(range(1, len(texts) + 1)))


def _outlines(zones: Iterable[r.Zone]) -> list[Point]:
    """Return the outlines of zones, with gaps between them."""
    found = list[Point]()
    for zone in zones:
        corners = [(at.x, at.y) for at in zone.vertices]
        found += [*corners, corners[0], GAP]
    return found


def _places(nodes: list[r.Node], released: bool) -> list[Point]:
    places = [node.nodePosition for node in nodes if node.released == released]
    return [(place.x, place.y) for place in places if place is not None]


def _told(record: ActionRecord) -> str:
    action = record.action
    words = [record.status, action.actionType[:40], f"({action.blockingType})", record.result[:60]]
    return f"{' '.join(word for word in words if word)} · {action.actionId[:20]}"


def _error(error: m.Error) -> str:
    named = ", ".join(
        f"{one.referenceKey} {one.referenceValue[:30]}" for one in error.errorReferences[:4]
    )
    return f"{error.errorLevel} {error.errorType}: {error.errorDescription[:120]} · {named}"


def view_of(robot: Any) -> AgvView:
    """Return the page of a robot, with or without VDA 5050."""
    return AgvView(robot) if robot.config.vda5050 is None else Vda5050View(robot)
