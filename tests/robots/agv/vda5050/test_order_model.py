"""Random orders, updates and cancellations, compared with a plain model of the standard's rules."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .scene import Scene, action, graph

PITCH_M = 0.4  # between neighbouring nodes, farther than the deviation at the start
LOOP = 4  # nodes of the line; the next one is the first again
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
    """The rules in their plainest form. Nodes are numbers: the k-th is at (k mod LOOP) × PITCH_M.

    `actions` has the node and the status of each action of the order.
    """

    major: int
    order: str = ""
    update: int = 0
    last: int = -1
    base: list[int] = field(default_factory=list)
    horizon: list[int] = field(default_factory=list)
    cancelled: bool = False
    message: tuple = ()
    actions: dict[str, tuple[int, str]] = field(default_factory=dict)

    def receive(
        self, order: str, update: int, first: int, count: int, released: int, acts: dict[str, int]
    ) -> str:
        """Return the case of the rejection, or "" if the message is accepted or ignored."""
        nodes = list(range(first, first + count))
        message = (order, update, first, count, released, tuple(acts))
        if order != self.order:
            if self.base or self.horizon:
                return "active"
            if self.major == 3 and update:
                return "stitch"
            if first % LOOP != max(self.last, 0) % LOOP:
                return "start"
            self.actions = {}
            self.order, self.cancelled, self.last = order, False, first
            self.base, self.horizon = nodes[1:released], nodes[released:]
        elif update < self.update:
            return "outdated"
        elif self.cancelled and (self.major == 3 or update > self.update):
            return "cancelled"
        elif update == self.update:
            return "same" if self.major == 3 and message != self.message else ""
        elif first != (self.base[-1] if self.base else self.last):
            return "stitch"
        else:
            kept = {k: one for k, one in self.actions.items() if one[0] not in self.horizon}
            self.actions = kept
            self.base, self.horizon = self.base + nodes[1:released], nodes[released:]
        self.update, self.message = update, message
        self.actions |= {name: (node, "WAITING") for name, node in acts.items()}
        return ""

    def drive(self) -> None:
        self.last, self.base = (self.base[-1] if self.base else self.last), []
        self._end("FINISHED", self.horizon)

    def cancel(self) -> None:
        if self.base or self.horizon:
            self.base, self.horizon, self.cancelled = [], [], True
            self._end("FAILED", [])

    def _end(self, status: str, without: list[int]) -> None:
        for name, (node, before) in self.actions.items():
            if before == "WAITING" and node not in without:
                self.actions[name] = node, status


OTHERS = ("OBSTACLE", "noOrderToCancel", "NO_ORDER_TO_CANCEL")
WHERE = st.sampled_from(["decision", "decision", "decision", "last", "next"])
SEND = st.tuples(
    st.just("send"),
    st.sampled_from("aab"),
    st.integers(0, 3),
    WHERE,
    st.integers(1, 4),
    st.integers(1, 4),
    st.sets(st.integers(1, 3)),
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
            scene.until(lambda: passed(scene) == max(model.last, 0), 60.0).run(1.5)
            hold(scene, True)
        elif kind == "cancel":
            scene.act("cancelOrder", f"c{number}").run(0.1)
            model.cancel()
        else:
            order, update, where, count, released, acting = fields
            ends = {"decision": model.base[-1:], "next": [model.last + 1]}
            first = max([model.last, *ends.get(where, [])][-1], 0)
            released = min(released, count)
            places = [(PITCH_M * (k % LOOP), 0.0) for k in range(first, first + count)]
            acts = {f"{order}{update}-{k}": first + k for k in sorted(acting) if k < count}
            at = {2 * k: [action("detectObject", name, "NONE")] for name, k in acts.items()}
            before = errors(scene)
            given = graph(*places, base=released, first=first, at=at)
            for node in given["nodes"]:
                node["nodeId"] = name_of(node["sequenceId"] // 2)
            for edge in given["edges"]:
                k = edge["sequenceId"] // 2
                edge["startNodeId"], edge["endNodeId"] = name_of(k), name_of(k + 1)
            scene.order(given, order, update)
            case = model.receive(order, update, first, count, released, acts)
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
    return f"n{number % LOOP}" if number >= 0 else ""


def passed(scene):
    return scene.state["lastNodeSequenceId"] // 2


def compare(scene, model):
    state = scene.state
    assert (state["orderId"], state["orderUpdateId"]) == (model.order, model.update)
    assert (state["lastNodeId"], passed(scene)) == (name_of(model.last), max(model.last, 0))
    actions = {one["actionId"]: one["actionStatus"] for one in state["actionStates"]}
    of_order = {name: status for name, status in actions.items() if name[0] != "c"}
    assert of_order == {name: status for name, (_, status) in model.actions.items()}
    found = [(node["nodeId"], node["released"]) for node in state["nodeStates"]]
    nodes = [(name_of(k), True) for k in model.base] + [(name_of(k), False) for k in model.horizon]
    assert found == nodes
    assert len(state["edgeStates"]) == len(nodes)
    assert all(
        edge["released"] == node[1] for edge, node in zip(state["edgeStates"], nodes, strict=True)
    )
