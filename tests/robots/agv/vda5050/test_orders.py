"""Orders: driven to the end of the base, updated, cancelled."""

import json
import math

import pytest

from rigless.kernel.inputs import Arrive
from rigless.robots.agv.vda5050.wire import PORT

from .scene import Scene, action, graph
from .test_rejections import answer, enabled

VERSIONS = ("2.0.0", "2.1.0", "3.0.0")


@pytest.fixture(params=VERSIONS)
def scene(request):
    return Scene(request.param).run(0.05)


def test_an_order_is_driven_to_its_end_with_its_actions(scene):
    at = {2: [action("finePositioning", "a1")], 4: [action("pick", "a2", "SOFT")]}
    scene.order(graph((0, 0), (1, 0), (1, 1), (2, 1), at=at))
    assert [node["nodeId"] for node in scene.state["nodeStates"]] == ["n1", "n2", "n3"]
    assert (scene.state["lastNodeId"], scene.status("a1")) == ("n0", "WAITING")
    scene.until(lambda: scene.done)
    assert scene.visited() == ["n0", "n1", "n2", "n3"]
    assert scene.statuses("a1") == scene.statuses("a2") == ["WAITING", "RUNNING", "FINISHED"]
    assert scene.truth.pose[:2] == pytest.approx((2, 1), abs=1e-3)
    assert len(scene.state["loads"]) == 1


def test_the_robot_waits_at_the_end_of_the_base_and_goes_on_when_it_is_extended(scene):
    scene.order(graph((0, 0), (1, 0), (2, 0), (3, 0), base=2))
    scene.until(lambda: scene.state["lastNodeId"] == "n1").run(2.0)
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3)
    assert scene.state["newBaseRequest"]
    assert [node["released"] for node in scene.state["nodeStates"]] == [False, False]
    scene.order(graph((1, 0), (2, 0), (3, 0), base=3, first=1), update=1)
    scene.until(lambda: scene.done)
    assert scene.visited() == ["n0", "n1", "n2", "n3"]
    assert scene.truth.pose[0] == pytest.approx(3.0, abs=1e-3)


def test_an_extension_in_time_does_not_stop_the_robot(scene):
    scene.order(graph((0, 0), (2, 0), (4, 0), base=2))
    scene.until(lambda: scene.truth.pose[0] > 0.8)
    scene.order(graph((2, 0), (4, 0), base=2, first=1), update=1)
    slowest = 9.0
    while scene.truth.pose[0] < 3.0:
        slowest = min(slowest, scene.run(0.05).truth.velocity[0])
    assert slowest > 1.0
    scene.until(lambda: scene.done)


def test_an_update_replaces_or_drops_the_horizon(scene):
    at = {4: [action("pick", "old")]}
    scene.order(graph((0, 0), (1, 0), (2, 0), base=2, at=at))
    assert scene.status("old") == "WAITING"
    scene.order(graph((1, 0), (1, 1), base=1, first=1, names="m") | {}, update=1)
    assert "orderUpdateError" in scene.errors or "INVALID_ORDER_UPDATE" in scene.errors
    scene.order(graph((1, 0), (1, 1), base=2, first=1), update=2)
    assert scene.status("old") == ""
    scene.until(lambda: scene.done)
    assert scene.truth.pose[:2] == pytest.approx((1, 1), abs=1e-3)


def test_an_order_with_a_horizon_ends_when_the_horizon_is_dropped(scene):
    scene.order(graph((0, 0), (1, 0), (2, 0), base=2))
    scene.until(lambda: scene.state["lastNodeId"] == "n1")
    assert not scene.done
    scene.order(graph((1, 0), first=1), update=1)
    assert scene.done


def test_loops_are_told_apart_by_sequence_id(scene):
    given = graph((0, 0), (1, 0), (0, 0), (1, 0))
    for node, name in zip(given["nodes"], "abab", strict=True):
        node["nodeId"] = name
    for edge, ends in zip(given["edges"], ("ab", "ba", "ab"), strict=True):
        edge["startNodeId"], edge["endNodeId"] = ends
    scene.order(given).until(lambda: scene.done)
    assert scene.visited() == ["a", "b", "a", "b"]
    assert scene.state["lastNodeSequenceId"] == 6


def test_cancel_stops_between_nodes_and_a_new_order_begins_there(scene):
    scene.order(graph((0, 0), (4, 0), at={2: [action("pick", "p")]}))
    scene.until(lambda: scene.truth.pose[0] > 1.5)
    scene.act("cancelOrder", "c")
    assert (scene.status("c"), scene.status("p")) == ("RUNNING", "FAILED")
    scene.until(lambda: scene.status("c") == "FINISHED")
    assert scene.statuses("c") == ["RUNNING", "FINISHED"]
    state = scene.state
    assert (state["nodeStates"], state["edgeStates"], state["driving"]) == ([], [], False)
    assert (state["orderId"], state["lastNodeId"]) == ("o1", "n0")
    x = scene.truth.pose[0]
    scene.order(graph((x, 0), (x, 1)), "o2").until(lambda: scene.done)
    assert scene.truth.pose[:2] == pytest.approx((x, 1), abs=1e-3)


def test_an_action_that_cannot_be_interrupted_ends_before_the_cancellation(scene):
    scene.order(graph((0, 0), (1, 0), at={0: [action("pick", "p")]}))
    scene.run(0.5).act("cancelOrder", "c")
    scene.until(lambda: scene.status("c") == "FINISHED")
    assert scene.status("p") == "FINISHED"
    assert scene.truth.pose[0] == 0.0


def test_a_second_cancel_ends_with_the_first(scene):
    scene.order(graph((0, 0), (4, 0))).run(1.5)
    scene.act("cancelOrder", "c").act("cancelOrder", "d")
    assert (scene.status("c"), scene.status("d")) == ("RUNNING", "RUNNING")
    scene.until(lambda: scene.status("c") == "FINISHED")
    assert (scene.status("d"), scene.errors) == ("FINISHED", [])
    scene.act("cancelOrder", "e")
    assert scene.status("e") == "FAILED"


def test_a_mode_is_reported_when_the_actions_of_the_order_have_ended(scene):
    at = {0: [action("pick", "p"), action("detectObject", "d")]}
    scene.order(graph((0, 0), (1, 0), at=at)).run(0.5)
    scene.sim.set_input("agv", "operating_mode", "MANUAL")
    scene.run(1.0)
    assert (scene.status("p"), scene.status("d")) == ("RUNNING", "FAILED")
    assert (scene.state["operatingMode"], len(scene.state["nodeStates"])) == ("AUTOMATIC", 1)
    scene.order(graph((0, 0)), "o2")
    assert len(scene.errors) == 1, "the order is still active"
    scene.until(lambda: scene.status("p") == "FINISHED").run(0.2)
    manual = [one for one in scene.sent["state"] if one["operatingMode"] == "MANUAL"]
    cleared = [one for one in scene.sent["state"] if one["orderId"] and not one["nodeStates"]]
    assert manual[0] == cleared[0], "both change in one message"


def test_without_the_broker_the_robot_drives_to_the_end_of_its_base(scene):
    scene.order(graph((0, 0), (1, 0), (2, 0), base=2))
    scene.report("DOWN")
    count = len(scene.sent["state"])
    scene.run(5.0)
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3)
    assert len(scene.sent["state"]) == count
    scene.report("CONNECTING").report("UP")
    assert scene.sent["_will"][-1]["connectionState"].startswith("CONNECTION")
    assert scene.sent["connection"][-1]["connectionState"] == "ONLINE"
    assert scene.state["lastNodeId"] == "n1"


def test_a_curve_is_followed_at_speed():
    scene = Scene("2.1.0").run(0.05)
    curve = {
        "degree": 2,
        "knotVector": [0, 0, 0, 1, 1, 1],
        "controlPoints": [{"x": 0, "y": 0}, {"x": 2, "y": 0, "weight": 0.7071067811865476},
                          {"x": 2, "y": 2}],
    }  # fmt: skip
    scene.order(graph((0, 0), (2, 2), edge={"trajectory": curve}))
    assert scene.state["edgeStates"][0]["trajectory"]["degree"] == 2
    worst, slowest = 0.0, 9.0
    while not scene.done:
        x, y, _ = scene.run(0.05).truth.pose
        worst = max(worst, abs((x**2 + (y - 2) ** 2) ** 0.5 - 2.0))
        if 0.5 < y < 1.5:
            slowest = min(slowest, scene.truth.velocity[0])
    assert worst < 0.02
    assert slowest > 0.3
    assert scene.truth.pose[:2] == pytest.approx((2, 2), abs=1e-3)


def test_a_speed_limit_and_a_heading_of_a_node_are_kept(scene):
    given = graph((0, 0), (1, 0), (2, 0), edge={"maxSpeed": 0.4})
    given["nodes"][1]["nodePosition"]["theta"] = 1.5
    scene.order(given)
    fastest, turned = 0.0, 0.0
    while not scene.done:
        pose = scene.run(0.05).truth.pose
        fastest = max(fastest, scene.truth.velocity[0])
        turned = max(turned, pose[2]) if abs(pose[0] - 1.0) < 1e-3 else turned
    assert fastest == pytest.approx(0.4, abs=1e-6)
    assert turned == pytest.approx(1.5, abs=0.01)


ARC = {
    "degree": 2,
    "knotVector": [0, 0, 0, 1, 1, 1],
    "controlPoints": [{"x": 0, "y": 0}, {"x": 2, "y": 0, "weight": 0.7071067811865476},
                      {"x": 2, "y": 2}],
}  # fmt: skip


def headings(scene):
    """Drive an order. Return the headings while the robot rolls, and its fastest turn."""
    found, fastest = set(), 0.0
    while not scene.done:
        scene.run(0.05)
        v, omega = scene.truth.velocity
        fastest = max(fastest, abs(omega))
        if abs(v) > 0.2:
            found.add((round(scene.truth.pose[2], 2), v > 0.0))
    return found, fastest


@pytest.mark.parametrize(
    ("orientation", "more"), [(math.pi, {}), (-math.pi / 2, {"orientationType": "GLOBAL"})]
)
def test_an_edge_is_driven_backwards_and_turns_are_slow(orientation, more):
    scene = Scene("2.1.0").run(0.05)
    given = graph((0, 0), (2, 0), (2, 2), (4, 2))
    given["edges"][1] |= {"orientation": orientation, "maxRotationSpeed": 0.5, **more}
    given["nodes"][2]["nodePosition"]["theta"] = -math.pi / 2
    found, fastest = headings(scene.order(given))
    assert found == {(0.0, True), (-1.57, False)}
    assert fastest > 0.6, "towards the last node, without a limit"
    assert scene.visited() == ["n0", "n1", "n2", "n3"]
    scene.order(graph((4, 2), (2, 2), edge={"maxRotationSpeed": 0.5}), "o2")
    found, fastest = headings(scene)
    assert fastest == pytest.approx(0.5)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_curve_without_a_degree_is_a_polyline(version):
    scene = Scene(version).run(0.05)
    points = [{"x": 0, "y": 0}, {"x": 2, "y": 0}, {"x": 2, "y": 2}]
    curve = {"knotVector": [0, 0, 0.5, 1, 1], "controlPoints": points}
    scene.order(graph((0, 0), (2, 2), edge={"trajectory": curve}))
    scene.until(lambda: scene.truth.pose[1] > 1.0)
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=0.02)
    scene.until(lambda: scene.done)


def test_new_actions_where_the_robot_stands_come_with_a_node_at_the_same_place():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph((0, 0), (1, 0), at={2: [action("detectObject", "a")]}))
    scene.until(lambda: scene.done)
    at = {2: [action("detectObject", "a")], 4: [action("finePositioning", "b")]}
    given = graph((1, 0), (1, 0), first=1, at=at)
    given["nodes"][1]["nodePosition"]["theta"] = 1.5
    scene.order(given, update=1)
    assert (scene.errors, scene.status("a")) == ([], "FINISHED")
    scene.until(lambda: scene.done)
    assert scene.statuses("a") == ["WAITING", "RUNNING", "FINISHED"], "not again"
    assert (scene.status("b"), scene.state["lastNodeSequenceId"]) == ("FINISHED", 4)
    assert scene.truth.pose == pytest.approx((1.0, 0.0, 1.5), abs=1e-3)


def test_a_curve_is_driven_backwards():
    scene = Scene("2.1.0").run(0.05)
    scene.order(graph((0, 0), (2, 2), edge={"trajectory": ARC, "orientation": math.pi}))
    found, _ = headings(scene)
    assert {forwards for _, forwards in found} == {False}
    assert len(found) > 20
    assert scene.truth.pose == pytest.approx((2.0, 2.0, -math.pi / 2), abs=0.05)


def test_a_curve_goes_on_where_the_robot_was_stopped():
    scene = Scene("2.1.0").run(0.05)
    scene.order(graph((0, 0), (2, 2), edge={"trajectory": ARC}))
    scene.until(lambda: scene.truth.pose[1] > 0.8)
    scene.sim.inject("agv", "localization", "lost")
    scene.run(3.0).sim.clear("agv", "localization")
    before, odometer_m = scene.truth.pose, scene.robot.machine.drive.odometer_m
    scene.until(lambda: scene.done)
    driven = scene.robot.machine.drive.odometer_m - odometer_m
    assert driven < 2.0 * math.atan2(2.0 - before[0], 2.0 - before[1]) + 1.2


def test_the_corridor_of_a_curve_is_watched():
    scene = Scene("2.1.0").run(0.05)
    wide = {"leftWidth": 0.5, "rightWidth": 0.2, "corridorRefPoint": "KINEMATICCENTER"}
    scene.order(graph((0, 0), (2, 2), edge={"trajectory": ARC, "corridor": wide}))
    scene.until(lambda: scene.truth.pose[1] > 0.5)
    assert scene.errors == []
    for off, expected in ((-0.4, []), (0.4, ["outsideOfCorridor"])):
        angle = -math.pi / 4
        radius = 2.0 + off  # the left of the curve is inside
        place = radius * math.cos(angle), 2.0 + radius * math.sin(angle)
        scene.robot.relocate(*place, math.pi / 4)
        scene.run(0.1)
        assert scene.errors == expected


def test_a_needed_base_and_other_changes_publish_a_state_at_once():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph((0, 0), (6, 0), (7, 0), base=2))
    scene.until(lambda: scene.state["newBaseRequest"])
    assert scene.truth.pose[0] == pytest.approx(scene.state["mobileRobotPosition"]["x"], abs=0.05)


def test_intervention_holds_the_order_and_drops_requests():
    scene = Scene("3.0.0").run(0.05)
    enabled("RELEASE")(scene)
    scene.order(graph((0, 0), (6, 0)))
    assert len(scene.state["zoneRequests"]) == 1
    answer(scene, "GRANTED")
    scene.run(1.0).sim.set_input("agv", "operating_mode", "INTERVENED")
    here = scene.run(2.0).truth.pose
    assert (scene.state["zoneRequests"], scene.run(1.0).truth.pose) == ([], here)
    assert scene.act("startPause", "p").status("p") == "FAILED"
    scene.sim.set_input("agv", "operating_mode", "AUTOMATIC")
    scene.run(1.0)
    assert len(scene.state["nodeStates"]) == 1
    scene.act("cancelOrder", "c").until(lambda: scene.status("c") == "FINISHED")


@pytest.mark.parametrize("version", ["2.1.0", "3.0.0"])
def test_the_modes_follow_the_table(version):
    for mode, orders, clears, unknown in (
        ("SEMIAUTOMATIC", True, False, False),
        ("MANUAL", False, True, False),
        ("SERVICE", False, True, True),
        ("TEACHIN", False, True, True),
        ("STARTUP", False, True, True),
    ):
        scene = Scene(version).run(0.05)
        scene.order(graph((0, 0), (6, 0))).run(1.0)
        scene.sim.set_input("agv", "operating_mode", mode)
        scene.run(2.0)
        assert (scene.state["nodeStates"] == []) == clears
        away = scene.major == 3 and (unknown or mode == "MANUAL")  # 0.3 m from its last node
        assert (scene.state["lastNodeId"] == "") == away
        scene.act("stateRequest", "s")
        assert scene.status("s") == ("FINISHED" if orders else "FAILED")


def test_modes_that_end_an_order(scene):
    scene.order(graph((0, 0), (4, 0), at={2: [action("pick", "p")]}))
    scene.sim.set_input("agv", "operating_mode", "MANUAL")
    scene.run(3.0)
    assert (scene.state["operatingMode"], scene.done) == ("MANUAL", True)
    assert scene.status("p") == "FAILED"
    scene.sim.set_input("agv", "operating_mode", "AUTOMATIC")
    scene.run(0.1)
    x = scene.truth.pose[0]
    scene.order(graph((x, 0), (x + 1, 0)), "o2").until(lambda: scene.done)
    assert scene.truth.pose[0] == pytest.approx(x + 1, abs=1e-3)


@pytest.mark.parametrize(
    ("button", "acknowledge", "kind"),
    [("estop", "MANUAL", "MANUAL"), ("remote_estop", "MANUAL", "REMOTE"),
     ("estop", "AUTO", "AUTOACK")],
)  # fmt: skip
@pytest.mark.parametrize("version", VERSIONS)
def test_an_emergency_stop_holds_the_order_and_names_its_kind(version, button, acknowledge, kind):
    scene = Scene(version, safety={"estopAcknowledge": acknowledge}).run(0.05)
    scene.order(graph((0, 0), (3, 0)))
    scene.run(1.0).sim.set_input("agv", button, True)
    scene.run(2.0)
    key = "eStop" if scene.major == 2 else "activeEmergencyStop"
    kind = "MANUAL" if scene.major == 3 and kind == "AUTOACK" else kind
    assert (scene.state["safetyState"][key], scene.state["driving"]) == (kind, False)
    assert not scene.done
    scene.sim.set_input("agv", button, False)
    if acknowledge == "MANUAL":
        assert not scene.run(3.0).done
        assert scene.state["safetyState"][key] == kind, "it is not acknowledged yet"
        scene.sim.set_input("agv", "acknowledge", True)
    scene.until(lambda: scene.done)
    assert scene.state["safetyState"][key] == "NONE"
    scene.sim.set_input("agv", "acknowledge", False)
    scene.sim.set_input("agv", button, True)
    scene.run(0.5).sim.set_input("agv", "acknowledge", True)
    assert scene.run(0.5).state["safetyState"][key] == kind, "it is still pressed"


def test_the_acknowledgement_leaves_no_job_and_the_errors_name_it(scene):
    scene.order(graph((0, 0), (3, 0)))
    for on in (True, False):  # there is nothing to acknowledge
        scene.sim.set_input("agv", "acknowledge", on)
        scene.run(0.3)
    scene.sim.set_input("agv", "estop", True)
    scene.run(0.5)
    hints = [one.get("errorHint", "") for one in scene.state["errors"]]
    assert not any("RESUME" in hint for hint in hints), "a master has no such command"
    scene.sim.set_input("agv", "estop", False)
    scene.run(0.5).sim.set_input("agv", "acknowledge", True)
    scene.until(lambda: scene.done)
    assert scene.errors == []
    assert not scene.robot.state.jobs.by_id


def test_a_failed_drive_motor_holds_the_order_until_it_is_reset(scene):
    scene.order(graph((0, 0), (3, 0)))
    scene.run(1.0).sim.inject("agv", "drive_left", "error")
    scene.run(2.0)
    assert "DRIVE_MOTOR_ERROR" in scene.errors
    assert not scene.done
    scene.sim.clear("agv", "drive_left")
    scene.until(lambda: scene.done)
    assert scene.truth.pose[0] == pytest.approx(3.0, abs=1e-3)


def test_a_state_follows_after_the_interval_and_visualization_at_its_rate():
    scene = Scene("2.1.0", vda5050={"stateIntervalS": 5.0, "visualizationHz": 4.0}).run(20.0)
    assert len(scene.sent["state"]) == pytest.approx(5, abs=1)
    assert len(scene.sent["visualization"]) == 80
    assert scene.sent["factsheet"][0]["protocolLimits"]["timing"]["defaultStateInterval"] == 5.0


def test_changes_of_one_instant_make_one_state(scene):
    count = len(scene.sent["state"])
    head = {"headerId": 1, "timestamp": "2026-01-01T00:00:00.00Z", "version": scene.version,
            "manufacturer": "rigless", "serialNumber": "agv"}  # fmt: skip
    order = {
        "orderId": "o1",
        "orderUpdateId": 0,
        **graph((0, 0), at={0: [action("detectObject", "p")]}),
    }
    acts = {"actions": [action("stateRequest", "s", "NONE"), action("fly", "f", "NONE")]}
    for name, body in (("order", order), ("instantActions", acts), ("order", order)):
        data = json.dumps({**head, **body}).encode()
        scene.sim.apply(Arrive("agv", PORT, 5, data, scene.codec.topics[name]))
    scene.sim.set_input("agv", "estop", True)
    scene.run(0.05)
    assert len(scene.sent["state"]) == count + 1
    assert (scene.state["orderId"], scene.status("p"), scene.status("f")) == (
        "o1", "RUNNING", "FAILED"
    )  # fmt: skip
    assert scene.state["safetyState"] != scene.sent["state"][count - 1]["safetyState"]
