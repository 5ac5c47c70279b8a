"""Every row of the tables of rejections and errors, in all versions."""

import numpy as np
import pytest

from rigless.robots.agv.vda5050_model.errors import CASES
from rigless.robots.agv.vda5050_model.received import MOST
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

from .scene import NAMES_3, Scene, action, graph

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


def placed(first=0, **more):
    def make():
        given = graph(*LINE)
        given["nodes"][first]["nodePosition"] |= more
        return given

    return make


def lost(scene):
    scene.sim.inject("agv", "localization", "lost")


def second_map(scene):
    new = {"mapId": "hall", "mapVersion": "1"}
    scene.act("downloadMap", "m", **new, mapDownloadLink="http://x").run(1.0)
    scene.act("enableMap", "e", **new)


def hard_instant(scene):
    scene.publish("instantActions", {"actions": [action("stateRequest", "i9", "HARD")]})


def mode(name):
    def set_mode(scene):
        scene.sim.set_input("agv", "operating_mode", name)
        scene.run(0.05)

    return set_mode


def raw(data):
    return lambda scene: scene.publish("order", data)


def act(type, **parameters):
    return lambda scene: scene.act(type, "i9", **parameters)


def large():
    return graph(*((0.0, 0.0) for _ in range(MOST + 1)))


def busy():
    return graph(*LINE, at={2: [action("pick", f"p{k}") for k in range(MOST + 1)]})


def twice(type, **parameters):
    def send(scene):
        scene.act(type, "first", **parameters).until(lambda: scene.status("first") == "FINISHED")
        scene.act(type, "i9", **parameters)

    return send


def zone_set(name="s", kind="BLOCKED", **more):
    square = [{"x": x, "y": y} for x, y in ((3, -1), (4, -1), (4, 1), (3, 1))]
    zone = {"zoneId": "z", "zoneType": kind, "vertices": square, **more}
    given = {"mapId": "map", "zoneSetId": name, "zones": [zone]}
    return lambda scene: scene.publish("zoneSet", {"zoneSet": given})


def zone_set_twice(scene):
    zone_set()(zone_set()(scene))


ORDER = {"orderId", "orderUpdateId", "topic", "headerId"}
INVALID, VALIDATION = "validationError", "VALIDATION_FAILURE"
UNSUPPORTED, ACTION = "UNSUPPORTED_PARAMETER", "INVALID_ORDER_ACTION"
UPDATE = "INVALID_ORDER_UPDATE"
START, INSTANT = "START_NODE_OUT_OF_RANGE", "INVALID_INSTANT_ACTION"
SIDE, GLOBAL = {"orientation": 1.0}, {"orientationType": "GLOBAL"}
TABLE = {
    # name: (before, message, type in 2.x, type in 3.0, further references). None: it is ignored,
    # "" and "-": there is no such message.
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
    "global orientation": (
        None, new(edge_with(orientation=1.0, **GLOBAL)), "orderError", UNSUPPORTED, {"edgeId"},
    ),
    "slow rotation": (
        None, new(edge_with(maxRotationSpeed=0.0)), "orderError", UNSUPPORTED, {"edgeId"},
    ),
    "too low": (None, new(edge_with(maxHeight=0.1)), "orderError", UNSUPPORTED, {"maxHeight"}),
    "direction": (None, new(edge_with(direction="left")), "orderError", UNSUPPORTED, ORDER),
    "zones of 2.x": (
        None, new(lambda: {**graph(*LINE), "zoneSetId": "z"}), "orderError", UNSUPPORTED,
        {"zoneSetId"},
    ),
    "no position": (None, new(without_positions), "orderError", UNSUPPORTED, {"nodePosition"}),
    "unknown action": (None, new(acting("fly")), "orderError", ACTION, {"actionId"}),
    "action at the wrong place": (None, new(acting("cancelOrder")), "orderError", ACTION, ORDER),
    "action without parameters": (
        None, new(acting("waitForTrigger", at=1)), "orderError", ACTION, {"actionId"},
    ),
    "a radius as an ellipse": (
        None, new(placed(allowedDeviationXY={"a": 1, "b": 1, "theta": 0})), INVALID, "-", ORDER,
    ),
    "an ellipse as a radius": (None, new(placed(allowedDeviationXY=1)), "-", VALIDATION, ORDER),
    "a negative deviation": (
        None, new(placed(allowedDeviationTheta=-0.1)), "-", VALIDATION, {"orderId", "topic"},
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
    "the same message after cancel": (
        cancelled, new(id="o1", update=3), None, "ORDER_UPDATE_FOLLOWING_CANCEL", ORDER,
    ),
    "other order active": (held, new(), "orderError", "OTHER_ORDER_ACTIVE", ORDER),
    "start out of range": (
        None, new(lambda: graph((5, 5), (6, 5))), "noRouteError", START, {"nodeId"},
    ),
    "start in another direction": (None, new(placed(theta=1.0)), "noRouteError", START, ORDER),
    "start on another map": (
        second_map, new(placed(mapId="hall")), "noRouteError", START, {"nodeId"},
    ),
    "start without a position": (lost, new(), "noRouteError", START, {"nodeId"}),
    "manual": (
        mode("MANUAL"), new(), "orderError", "MOBILE_ROBOT_NOT_AVAILABLE", {"operatingMode"},
    ),
    "unknown map": (None, new(on_map("moon")), "orderError", "UNKNOWN_MAP_ID", {"mapId"}),
    "a node in a wall": (
        None, new(lambda: graph((0, 0), (0, 3))), "noRouteError", "NO_ROUTE_TO_TARGET", {"nodeId"},
    ),
    "a node off the map": (
        None, new(lambda: graph((0, 0), (0, 99))), "noRouteError", "NO_ROUTE_TO_TARGET", ORDER,
    ),
    "too many nodes": (None, new(large), "orderError", "INSUFFICIENT_MEMORY", ORDER),
    "too many actions": (None, new(busy), "orderError", "INSUFFICIENT_MEMORY", ORDER),
    "another order to cancel": (
        held, act("cancelOrder", orderId="o9"), "", "NO_ORDER_TO_CANCEL", {"actionId"},
    ),
    "a map twice": (
        None, twice("downloadMap", mapId="m", mapVersion="1", mapDownloadLink="http://x"),
        "duplicateMapError", "DUPLICATE_MAP", {"mapId", "mapVersion"},
    ),
    "a zone set twice": (None, zone_set_twice, "", "DUPLICATE_ZONE_SET", {"zoneSetId"}),
    "an action that is not for zones": (
        None, zone_set("s", "ACTION", entryActions=[action("pick", "p", "NONE")]), "", UNSUPPORTED,
        {"zoneId", "actionId"},
    ),
    "a zone without its parameter": (
        None, zone_set("s", "PRIORITY"), "", VALIDATION, {"zoneSetId", "zoneId"},
    ),
    "a factor above 1": (
        None, zone_set("s", "PENALTY", penaltyFactor=1.5), "", VALIDATION, {"topic"},
    ),
    "nothing to cancel": (
        None, act("cancelOrder"), "noOrderToCancel", "NO_ORDER_TO_CANCEL", {"actionId"},
    ),
    "unknown instant action": (None, act("fly"), "instantActionError", INSTANT, {"actionId"}),
    "a pose on an unknown map": (
        None, act("initPosition", x=0, y=0, theta=0, mapId="moon"), "instantActionError", "-",
        {"actionId"},
    ),
    "a pose on an unknown map of 3.0": (
        None, act("initializePosition", x=0, y=0, theta=0, mapId="moon"), "-", INSTANT,
        {"actionId"},
    ),
    "an instant action that blocks": (None, hard_instant, "-", INSTANT, {"actionId"}),
    "a zone of no type": (None, zone_set("s", "MAGIC"), "", VALIDATION, {"topic"}),
    "instant action at the wrong place": (
        None, act("finePositioning"), "instantActionError", INSTANT, {"actionId", "topic"},
    ),
}  # fmt: skip
LEVEL_3 = {"UNSUPPORTED_PARAMETER": "CRITICAL", "INSUFFICIENT_MEMORY": "URGENT"}


def walled():
    """Return a hall with a wall at y = 3 m."""
    occupied = np.zeros((120, 160), bool)
    occupied[80, 40:120] = True
    return GridWorld(Grid(occupied, 0.1, (-5.0, -5.0, 0.0)))


ROWS = [
    (case, version)
    for case, row in TABLE.items()
    for version in KINDS
    if row[3 if version == "3.0.0" else 2] not in ("", "-")
    and (version, case) not in (("2.0.0", "a map twice"), ("2.0.0", "start on another map"))
]


@pytest.mark.parametrize(("case", "version"), ROWS)
def test_a_rejected_message_leaves_the_order_and_names_itself(case, version):
    before, message, two, three, references = TABLE[case]
    scene = Scene(version, world=walled()).run(0.05)
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
    names = NAMES_3 if scene.major == 3 else {}
    assert {names.get(key, key) for key in references} <= found.keys()
    assert all(isinstance(value, str) for value in found.values())
    assert error["errorLevel"] == (LEVEL_3.get(expected, "WARNING"))
    if "i9" in found.values():
        assert scene.status("i9") == "FAILED"


def outside(scene):
    scene.order(graph((0, 0), (4, 0), edge={"corridor": {"leftWidth": 0.5, "rightWidth": 0.5}}))
    scene.until(lambda: scene.truth.pose[0] > 1.0)
    scene.robot.relocate(1.5, 1.0, 0.0)
    return lambda: scene.robot.relocate(1.5, 0.0, 0.0)


def lost_position(scene):
    scene.order(graph((0, 0), (4, 0)))
    scene.sim.inject("agv", "localization", "lost")
    return lambda: scene.sim.clear("agv", "localization")


def walled_off(scene):
    scene.order(graph((0, 0), (0, 6)))
    return lambda: scene.act("cancelOrder").run(1.0).order(graph((0, scene.truth.pose[1])), "o2")


def enabled(kind, **more):
    def prepare(scene):
        zone_set("s", kind, **more)(scene)
        scene.act("enableZoneSet", "on", zoneSetId="s")

    return prepare


def blocked_zone(scene):
    enabled("BLOCKED")(scene)
    scene.order(graph((0, 0), (6, 0)))
    empty = {"mapId": "map", "zoneSetId": "empty", "zones": []}
    scene.publish("zoneSet", {"zoneSet": empty})
    return lambda: scene.act("enableZoneSet", "off", zoneSetId="empty")


def answer(scene, grant, **more):
    request = scene.state["zoneRequests"][-1]
    given = {"requestId": request["requestId"], "grantType": grant, **more}
    scene.publish("responses", {"responses": [given]})


def revoked(kind):
    def begin(scene):
        enabled(kind)(scene)
        scene.order(graph((0, 0), (6, 0)))
        answer(scene, "GRANTED")
        scene.run(1.5)
        answer(scene, "REVOKED")
        return lambda: answer(scene, "GRANTED")

    return begin


CONDITIONS = {
    # name: (begins it and returns what ends it, type and level in 2.x, in 3.0, references)
    "out of the corridor": (
        outside, ("outsideOfCorridor", "FATAL"), ("OUTSIDE_OF_CORRIDOR", "CRITICAL"), {"edgeId"},
    ),
    "not localized": (
        lost_position, ("localizationError", "FATAL"), ("LOCALIZATION_ERROR", "FATAL"), set(),
    ),
    "a wall on the way": (
        walled_off, ("nodeUnreachable", "FATAL"), ("NODE_UNREACHABLE", "CRITICAL"), {"nodeId"},
    ),
    "a blocked zone": (
        blocked_zone, None, ("BLOCKED_ZONE_VIOLATION", "CRITICAL"), {"zoneId", "edgeId"},
    ),
    "a lost release": (
        revoked("RELEASE"), None, ("RELEASE_LOST", "CRITICAL"), {"zoneId", "edgeId"},
    ),
    "a lost path": (
        revoked("COORDINATED_REPLANNING"), None, ("REPLANNING_LOST", "WARNING"),
        {"zoneId", "edgeId"},
    ),
}  # fmt: skip


LASTING = [
    (case, version)
    for case, row in CONDITIONS.items()
    for version in KINDS
    if row[1] or "3" in version
]


@pytest.mark.parametrize(("case", "version"), LASTING)
def test_a_condition_stops_the_robot_and_is_listed_until_it_ends(case, version):
    begin, two, three, references = CONDITIONS[case]
    expected = two if version[0] == "2" else three
    scene = Scene(version, world=walled()).run(0.05)
    end = begin(scene)
    scene.until(lambda: expected[0] in scene.errors).run(2.0)
    [error] = [one for one in scene.state["errors"] if one["errorType"] == expected[0]]
    assert error["errorLevel"] == expected[1]
    assert {one["referenceKey"] for one in error["errorReferences"]} == references
    here = scene.truth.pose
    scene.run(3.0)
    assert scene.truth.pose == here, "it stands"
    assert not scene.done
    assert not scene.state["driving"]
    end()
    scene.run(0.2)
    assert expected[0] not in scene.errors
    scene.until(lambda: scene.done)


def test_every_error_has_a_row():
    for version in (0, 1):
        rows = {row[2 + version] for row in TABLE.values()} - {None, "", "-"}
        rows |= {("actionError", "ACTION_FAILED")[version]}  # in test_actions.py
        rows |= {row[1 + version][0] for row in CONDITIONS.values() if row[1 + version]}
        assert rows == {case[version][0] for case in CASES.values() if case[version]}


@pytest.mark.parametrize("version", KINDS)
def test_the_error_of_a_mode_ends_with_the_mode(version):
    scene = Scene(version).run(0.05)
    mode("MANUAL")(scene)
    scene.order(graph(*LINE))
    assert len(scene.errors) == 1
    mode("AUTOMATIC")(scene)
    assert scene.errors == []


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


@pytest.mark.parametrize("version", KINDS)
def test_the_error_of_a_cancel_without_an_order_stays_until_an_order_is_accepted(version):
    scene = Scene(version).run(0.05)
    scene.act("cancelOrder", "c").act("stateRequest", "s").run(1.0)
    kind = "noOrderToCancel" if scene.major == 2 else "NO_ORDER_TO_CANCEL"
    assert scene.errors == [kind]
    scene.order(graph(*LINE))
    assert scene.errors == []


@pytest.mark.parametrize("version", ["2.1.0", "3.0.0"])
def test_the_error_of_a_map_stays_until_another_action_of_maps_is_accepted(version):
    scene = Scene(version).run(0.05)
    twice("downloadMap", mapId="m", mapVersion="1", mapDownloadLink="http://x")(scene)
    kind = "duplicateMapError" if scene.major == 2 else "DUPLICATE_MAP"
    scene.act("stateRequest", "s")
    assert scene.errors == [kind]
    scene.act("enableMap", "on", mapId="m", mapVersion="1")
    assert scene.errors == []
