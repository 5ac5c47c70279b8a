"""The page of a robot that speaks VDA 5050: its order on the map and in lists, and its errors."""

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import ArrayLike

from rigless.kernel.drawing import Compose, Gauge, Lamp, Lines, Listing, Part, Points
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.vda5050.acceptance import executing
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
        yield Lamp("vda session", "Connected to the broker", group=GROUP)
        yield Listing("order", "Order", "no order yet", wrap=True, group=GROUP)
        yield Listing("actions", "Actions", "no actions", wrap=True, group=GROUP)
        yield Listing("vda errors", "Errors", "no errors", wrap=True, group=GROUP)
        yield Gauge("order nodes left", "Nodes left", digits=0, group=GROUP)
        yield Compose("send order", "Send", PORT, SENT, group="Send over VDA 5050")
        yield from super()._parts(config)

    @property
    def _state(self) -> VdaState:
        state: VdaState = self.robot.state.vda
        return state

    def draw(self) -> Mapping[str, ArrayLike]:
        nodes = [node for node in self._state.order.nodes if node.nodePosition is not None]
        base, horizon = _path(nodes, True), _path(nodes, False)
        here = self.robot.machine.drive.pose[:2]
        found = dict(super().draw())
        if nodes:
            found["route"] = [here, *base] if base else ()
            start = base[-1] if base else here
            found["horizon"] = [start, *horizon] if horizon else ()
        return {**found, "order nodes": [*base, *horizon]}

    def measure(self) -> Mapping[str, float]:
        state = self._state
        return {
            **super().measure(),
            "vda session": float(state.session.state in ("", "UP")),
            "order nodes left": float(len(state.order.nodes)),
        }

    def lines(self) -> Mapping[str, Lines]:
        return {
            **super().lines(),
            "order": self._order(),
            "actions": self._actions(),
            "vda errors": self._errors(),
        }

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
        state = self.robot.vda.report.state()
        texts = tuple(_error(error) for error in state.errors[:SHOWN])
        return Lines(1, texts, 1, len(texts), tuple(range(1, len(texts) + 1)))


def _path(nodes: list[r.Node], released: bool) -> list[tuple[float, float]]:
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
