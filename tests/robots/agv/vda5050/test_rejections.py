"""Every row of the rejection table, in both major versions."""

import pytest

from .scene import Scene, action, graph

LINE = ((0, 0), (1, 0), (2, 0))
KINDS = ("2.0.0", "2.1.0", "3.0.0")


def new(given=None, id="o2", update=0):
    return lambda scene: scene.order(given() if given else graph(*LINE), id, update)


def held(scene):
    """Let the robot hold an order with a base of two nodes and a horizon."""
    scene.order(graph(*LINE, base=2), "o1", 3 if scene.major == 2 else 0)
    if scene.major == 3:
        scene.order(graph((1, 0), (2, 0), base=1, first=1), "o1", 3)
    assert scene.state["orderUpdateId"] == 3


def finished(scene):
    scene.order(graph((0, 0)), "o1", 0)
    assert scene.done


def cancelled(scene):
    held(scene)
    scene.act("cancelOrder").until(lambda: scene.status("i1") == "FINISHED")


def edge_with(**more):
    return lambda: graph(*LINE, edge=more)


def without_positions():
    given = graph(*LINE)
    for node in given["nodes"]:
        del node["nodePosition"]
    return given


def on_map(name):
    return lambda: graph(*LINE, map=name)


def acting(type, blocking="HARD", at=2, **parameters):
    return lambda: graph(*LINE, at={at: [action(type, "x", blocking, **parameters)]})


def changed(**more):
    def make():
        given = graph(*LINE)
        given["nodes"][1] |= more
        return given

    return make


def mode(name):
    def set_mode(scene):
        scene.sim.set_input("agv", "operating_mode", name)
        scene.run(0.05)

    return set_mode


def raw(data):
    return lambda scene: scene.publish("order", data)


def act(type, **parameters):
    return lambda scene: scene.act(type, "i9", **parameters)


ORDER = {"orderId", "orderUpdateId", "topic", "headerId"}
INVALID, VALIDATION = "validationError", "VALIDATION_FAILURE"
UNSUPPORTED, ACTION = "UNSUPPORTED_PARAMETER", "INVALID_ORDER_ACTION"
UPDATE = "INVALID_ORDER_UPDATE"
START, INSTANT = "START_NODE_OUT_OF_RANGE", "INVALID_INSTANT_ACTION"
SIDE, GLOBAL = {"orientation": 1.0}, {"orientationType": "GLOBAL"}
TABLE = {
    # name: (before, message, type in 2.x, type in 3.0, further references)
    "no JSON": (None, raw(b"{"), INVALID, VALIDATION, {"topic"}),
    "not an object": (None, raw(b"[1]"), INVALID, VALIDATION, {"topic"}),
    "a field is missing": (
        None,
        lambda s: s.publish("order", {"orderId": "o2", "nodes": [], "edges": []}),
        INVALID,
        VALIDATION,
        {"orderId"},
    ),
    "wrong type": (None, new(changed(nodeId=5)), INVALID, VALIDATION, {"orderId"}),
    "gap in sequenceId": (None, new(changed(sequenceId=6)), INVALID, VALIDATION, {"nodeId"}),
    "released after horizon": (None, new(changed(released=False)), INVALID, VALIDATION, ORDER),
    "trajectory without sense": (
        None,
        new(edge_with(trajectory={"degree": 3, "knotVector": [0, 1],
                                  "controlPoints": [{"x": 0, "y": 0}]})),
        "orderError", UNSUPPORTED, {"trajectory", "edgeId"},
    ),
    "sideways": (None, new(edge_with(**SIDE)), "orderError", UNSUPPORTED, {"orientation"}),
    "backwards": (
        None, new(edge_with(orientation=3.14159)), "orderError", UNSUPPORTED, {"orientation"},
    ),
    "global orientation": (
        None, new(edge_with(orientation=0.0, **GLOBAL)), "orderError", UNSUPPORTED, {"edgeId"},
    ),
    "slow rotation": (
        None, new(edge_with(maxRotationSpeed=0.01)), "orderError", UNSUPPORTED, {"edgeId"},
    ),
    "too low": (None, new(edge_with(maxHeight=0.1)), "orderError", UNSUPPORTED, {"maxHeight"}),
    "direction": (None, new(edge_with(direction="left")), "orderError", UNSUPPORTED, ORDER),
    "no position": (None, new(without_positions), "orderError", UNSUPPORTED, {"nodePosition"}),
    "unknown action": (None, new(acting("fly")), "orderError", ACTION, {"actionId"}),
    "action at the wrong place": (None, new(acting("cancelOrder")), "orderError", ACTION, ORDER),
    "action without parameters": (
        None, new(acting("waitForTrigger", at=1)), "orderError", ACTION, {"actionId"},
    ),
    "lower orderUpdateId": (
        held, new(id="o1", update=2), "orderUpdateError", "OUTDATED_ORDER_UPDATE", ORDER,
    ),
    "same id, other content": (held, new(id="o1", update=3), None, "SAME_ORDER_UPDATE_ID", ORDER),
    "update from elsewhere": (
        held, new(id="o1", update=4), "orderUpdateError", UPDATE, {"nodeId"},
    ),
    "update of a finished order from elsewhere": (
        finished, new(lambda: graph((1, 0), (2, 0), first=1), "o1", 1),
        "orderUpdateError", UPDATE, {"nodeId"},
    ),
    "update after cancel": (
        cancelled, new(id="o1", update=4), "orderUpdateError", "ORDER_UPDATE_FOLLOWING_CANCEL",
        ORDER,
    ),
    "other order active": (held, new(), "orderError", "OTHER_ORDER_ACTIVE", ORDER),
    "start out of range": (
        None, new(lambda: graph((5, 5), (6, 5))), "noRouteError", START, {"nodeId"},
    ),
    "manual": (
        mode("MANUAL"), new(), "orderError", "MOBILE_ROBOT_NOT_AVAILABLE", {"operatingMode"},
    ),
    "unknown map": (None, new(on_map("moon")), "orderError", "UNKNOWN_MAP_ID", {"mapId"}),
    "nothing to cancel": (
        None, act("cancelOrder"), "noOrderToCancel", "NO_ORDER_TO_CANCEL", {"actionId"},
    ),
    "unknown instant action": (None, act("fly"), "instantActionError", INSTANT, {"actionId"}),
    "instant action at the wrong place": (
        None, act("finePositioning"), "instantActionError", INSTANT, {"actionId", "topic"},
    ),
}  # fmt: skip
LEVEL_3 = {"UNSUPPORTED_PARAMETER": "CRITICAL"}


@pytest.mark.parametrize("version", KINDS)
@pytest.mark.parametrize("case", TABLE)
def test_a_rejected_message_leaves_the_order_and_names_itself(case, version):
    before, message, two, three, references = TABLE[case]
    scene = Scene(version).run(0.05)
    if before is not None:
        before(scene)
    order = scene.state["orderId"], scene.state["orderUpdateId"], scene.state["nodeStates"]
    count = len(scene.sent["state"])
    message(scene)
    assert len(scene.sent["state"]) > count, "a state follows every message, rejected or not"
    state, expected = scene.state, two if scene.major == 2 else three
    assert (state["orderId"], state["orderUpdateId"], state["nodeStates"]) == order
    if expected is None:
        assert state["errors"] == []
        return
    [error] = [one for one in state["errors"] if one["errorType"] == expected]
    found = {one["referenceKey"]: one["referenceValue"] for one in error["errorReferences"]}
    assert references <= found.keys()
    assert all(isinstance(value, str) for value in found.values())
    assert error["errorLevel"] == (LEVEL_3.get(expected, "WARNING"))
    if "i9" in found.values():
        assert scene.status("i9") == "FAILED"


@pytest.mark.parametrize("version", KINDS)
def test_an_error_of_an_order_stays_until_a_new_order_is_accepted(version):
    scene = Scene(version).run(0.05)
    scene.order(graph((5, 5), (6, 5)), "bad")
    scene.order(graph((5, 5), (6, 5)), "bad")
    assert len(scene.errors) == 1, "the same one is listed once"
    scene.run(2.0)
    assert len(scene.errors) == 1
    scene.order(graph(*LINE), "good")
    assert scene.errors == []


@pytest.mark.parametrize("version", KINDS)
def test_the_same_message_again_is_ignored(version):
    scene = Scene(version).run(0.05)
    for _ in range(3):
        scene.order(graph(*LINE, at={4: [action("pick", "p")]}), "o1")
    assert scene.errors == []
    scene.until(lambda: scene.done)
    scene.order(graph(*LINE, at={4: [action("pick", "p")]}), "o1")
    assert (scene.errors, scene.done, len(scene.state["loads"])) == ([], True, 1)


@pytest.mark.parametrize("version", KINDS)
def test_instant_actions_come_under_both_keys(version):
    for key in ("actions", "instantActions"):
        scene = Scene(version).run(0.05)
        scene.publish("instantActions", {key: [action("startPause", "p", "NONE")]})
        assert (scene.status("p"), scene.state["paused"]) == ("FINISHED", True)
