"""Random orders, updates and cancellations, compared with a plain model of the standard's rules."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .scene import Scene, graph

PITCH_M = 0.4  # between neighbouring nodes, farther than the deviation at the start
TYPES = {
    "active": ("orderError", "OTHER_ORDER_ACTIVE"),
    "start": ("noRouteError", "START_NODE_OUT_OF_RANGE"),
    "outdated": ("orderUpdateError", "OUTDATED_ORDER_UPDATE"),
    "same": (None, "SAME_ORDER_UPDATE_ID"),
    "stitch": ("orderUpdateError", "INVALID_ORDER_UPDATE"),
    "cancelled": ("orderUpdateError", "ORDER_UPDATE_FOLLOWING_CANCEL"),
}


@dataclass
class Model:
    """The rules in their plainest form. Nodes are numbers: the k-th is at k × PITCH_M."""

    major: int
    order: str = ""
    update: int = 0
    last: int = -1
    base: list[int] = field(default_factory=list)
    horizon: list[int] = field(default_factory=list)
    cancelled: bool = False
    message: tuple = ()

    def receive(self, order: str, update: int, first: int, count: int, released: int) -> str:
        """Return the case of the rejection, or "" if the message is accepted or ignored."""
        nodes = list(range(first, first + count))
        message = (order, update, first, count, released)
        if order != self.order:
            if self.base or self.horizon:
                return "active"
            if self.major == 3 and update:
                return "stitch"
            if first != max(self.last, 0):
                return "start"
            self.order, self.cancelled, self.last = order, False, first
            self.base, self.horizon = nodes[1:released], nodes[released:]
        elif update < self.update:
            return "outdated"
        elif update == self.update:
            return "same" if self.major == 3 and message != self.message else ""
        elif self.cancelled:
            return "cancelled"
        elif first != (self.base[-1] if self.base else self.last):
            return "stitch"
        else:
            self.base, self.horizon = self.base + nodes[1:released], nodes[released:]
        self.update, self.message = update, message
        return ""

    def drive(self) -> None:
        self.last, self.base = (self.base[-1] if self.base else self.last), []

    def cancel(self) -> None:
        if self.base or self.horizon:
            self.base, self.horizon, self.cancelled = [], [], True


OTHERS = ("OBSTACLE", "noOrderToCancel", "NO_ORDER_TO_CANCEL")
WHERE = st.sampled_from(["decision", "decision", "decision", "last", "next"])
SEND = st.tuples(
    st.just("send"),
    st.sampled_from("aab"),
    st.integers(0, 3),
    WHERE,
    st.integers(1, 4),
    st.integers(1, 4),
)
STEPS = st.lists(st.one_of(SEND, SEND, st.tuples(st.sampled_from(["drive", "cancel"]))), max_size=9)


@pytest.mark.parametrize("version", ["2.1.0", "3.0.0"])
@settings(max_examples=20, deadline=None)
@given(steps=STEPS)
def test_orders_follow_the_plain_rules(version, steps):
    scene = Scene(version).run(0.05)
    model = Model(scene.major)
    hold(scene, True)
    for number, (kind, *fields) in enumerate(steps):
        if kind == "drive":
            hold(scene, False)
            model.drive()
            scene.until(lambda: scene.state["lastNodeId"] == name_of(model.last), 30.0)
            hold(scene, True)
        elif kind == "cancel":
            scene.act("cancelOrder", f"c{number}").run(0.1)
            model.cancel()
        else:
            order, update, where, count, released = fields
            ends = {"decision": model.base[-1:], "next": [model.last + 1]}
            first = max([model.last, *ends.get(where, [])][-1], 0)
            released = min(released, count)
            places = [(PITCH_M * k, 0.0) for k in range(first, first + count)]
            before = errors(scene)
            scene.order(graph(*places, base=released, first=first), order, update)
            case = model.receive(order, update, first, count, released)
            expected = TYPES[case][model.major - 2] if case else None
            if expected is not None:
                assert errors(scene)[-1] == expected
            elif case:
                assert errors(scene) == before
        compare(scene, model)


def hold(scene, on):
    """Keep the robot from moving, as an obstacle does."""
    scene.sim.set_input("agv", "obstacle_m", 0.1 if on else -1.0)
    scene.run(0.05)


def errors(scene):
    return [one for one in scene.errors if one not in OTHERS]


def name_of(number):
    return f"n{number}" if number >= 0 else ""


def compare(scene, model):
    state = scene.state
    assert (state["orderId"], state["orderUpdateId"]) == (model.order, model.update)
    assert state["lastNodeId"] == name_of(model.last)
    found = [(node["nodeId"], node["released"]) for node in state["nodeStates"]]
    nodes = [(name_of(k), True) for k in model.base] + [(name_of(k), False) for k in model.horizon]
    assert found == nodes
    assert len(state["edgeStates"]) == len(nodes)
    assert all(
        edge["released"] == node[1] for edge, node in zip(state["edgeStates"], nodes, strict=True)
    )
