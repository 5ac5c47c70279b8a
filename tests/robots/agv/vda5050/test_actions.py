"""Actions: blocking types, pauses, triggers, faults, and their effects on the robot."""

import json

import pytest

from rigless.kernel.inputs import Arrive
from rigless.robots.agv.vda5050.wire import PORT

from .scene import Scene, action, graph
from .test_rejections import answer, enabled, zone_set

LINE = ((0, 0), (2, 0))
FINAL = ("FINISHED", "FAILED")


@pytest.fixture(params=["2.1.0", "3.0.0"])
def scene(request):
    return Scene(request.param).run(0.05)


def parallel(*blocking, major=2):
    """Return which actions ran together, and whether the robot stood meanwhile."""
    scene = Scene("3.0.0" if major == 3 else "2.1.0").run(0.05)
    actions = [
        action("finePositioning", name, kind) for name, kind in zip("abc", blocking, strict=False)
    ]
    scene.order(graph(*LINE, at={0: actions})).until(lambda: scene.done)
    together, moved = set(), set()
    for state in scene.sent["state"]:
        running = {
            one["actionId"] for one in state["actionStates"] if one["actionStatus"] == "RUNNING"
        }
        together.add("".join(sorted(running)))
        if state["driving"]:
            moved.add("".join(sorted(running)))
    return together - {""}, moved - {""}


def test_parallel_sets_and_standing_follow_the_blocking_types():
    assert parallel("NONE", "NONE") == ({"ab"}, {"ab"})
    assert parallel("SOFT", "NONE") == ({"ab"}, set())
    assert parallel("NONE", "HARD", "NONE") == ({"a", "b", "c"}, {"c"})
    assert parallel("HARD", "HARD") == ({"a", "b"}, set())
    assert parallel("SOFT", "HARD", "SOFT") == ({"a", "b", "c"}, set())
    assert parallel("SINGLE", "NONE", major=3) == ({"a", "b"}, {"a", "b"})
    assert parallel("NONE", "SINGLE", major=3)[0] == {"a", "b"}


def test_an_action_of_an_edge_ends_with_it(scene):
    at = {1: [action("detectObject", "short", "NONE"), action("wait", "long", "NONE")]}
    scene = Scene(scene.version, vda5050={"actions": [OWN]}).run(0.05)
    scene.order(graph((0, 0), (2, 0), (4, 0), at=at))
    scene.until(lambda: scene.state["lastNodeId"] == "n1")
    assert (scene.status("short"), scene.status("long")) == ("FINISHED", "FINISHED")
    key = "resultDescription" if scene.major == 2 else "actionResult"
    [long] = [one for one in scene.state["actionStates"] if one["actionId"] == "long"]
    assert long[key] == "ended with its edge"
    assert scene.statuses("long") == ["WAITING", "RUNNING", "FINISHED"]


OWN = {"actionType": "wait", "scopes": ["NODE", "EDGE", "INSTANT"], "seconds": 60.0}


def test_a_blocking_action_of_an_edge_comes_before_the_edge(scene):
    scene.order(graph(*LINE, at={1: [action("finePositioning", "a", "HARD")]}))
    scene.run(1.0)
    assert (scene.status("a"), scene.truth.pose[0]) == ("RUNNING", 0.0)
    scene.until(lambda: scene.done)
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=1e-3)


def test_a_pause_holds_robot_and_actions(scene):
    scene.order(graph(*LINE, at={0: [action("finePositioning", "a", "SOFT")]}))
    scene.run(0.5).act("startPause", "p1").run(5.0)
    assert (scene.status("a"), scene.state["paused"]) == ("PAUSED", True)
    scene.act("stopPause", "p2").until(lambda: scene.status("a") == "FINISHED")
    assert scene.statuses("a") == ["RUNNING", "PAUSED", "RUNNING", "FINISHED"]
    scene.run(1.0).act("startPause", "p3")
    assert scene.status("p3") == "RUNNING", "it still rolls"
    scene.until(lambda: scene.status("p3") == "FINISHED").run(2.0)
    assert not scene.state["driving"]
    scene.act("stopPause", "p4").until(lambda: scene.done)


def test_an_emergency_stop_pauses_what_moves_and_nothing_else(scene):
    at = {0: [action("detectObject", "look", "NONE"), action("finePositioning", "turn", "NONE"),
              action("pick", "take", "HARD")]}  # fmt: skip
    scene.order(graph((0, 0), (2, 0), at=at)).run(0.2)
    scene.sim.set_input("agv", "estop", True)
    scene.run(8.0)
    found = [scene.status(name) for name in ("look", "turn", "take")]
    assert found == ["FINISHED", "PAUSED", "WAITING"]
    scene.sim.set_input("agv", "estop", False)
    scene.sim.set_input("agv", "acknowledge", True)
    scene.until(lambda: scene.status("take") == "RUNNING").run(0.1)
    scene.sim.set_input("agv", "estop", True)
    scene.run(8.0)
    assert scene.status("take") == "PAUSED"
    assert scene.state["loads"] == []
    scene.act("cancelOrder", "c").until(lambda: scene.status("c") == "FINISHED")
    assert scene.status("take") == "FAILED"


def test_a_trigger_ends_waiting(scene):
    scene.order(graph(*LINE, at={0: [action("waitForTrigger", "w", triggerType="LOCAL")]}))
    scene.run(5.0)
    assert (scene.status("w"), scene.truth.pose[0]) == ("RUNNING", 0.0)
    if scene.major == 3:
        scene.act("trigger", "t", actionId="w")
    else:
        scene.sim.set_input("agv", "trigger", True)
        scene.run(0.05)
    assert scene.status("w") == "FINISHED"
    scene.until(lambda: scene.done)


def test_failing_slow_and_blocked_actions(scene):
    at = {0: [action("finePositioning", "a"), action("detectObject", "b"), action("drop", "c")]}
    scene.sim.inject("agv", "finePositioning", "fail")
    scene.sim.inject("agv", "detectObject", "slow", factor=10.0)
    scene.sim.inject("agv", "drop", "blocked")
    scene.order(graph(*LINE, at=at)).run(3.0)
    assert (scene.status("a"), scene.status("b")) == ("FAILED", "RUNNING")
    [error] = scene.state["errors"]
    assert error["errorType"] == ("actionError" if scene.major == 2 else "ACTION_FAILED")
    assert error["errorReferences"] == [{"referenceKey": "actionId", "referenceValue": "a"}]
    scene.run(20.0)
    assert (scene.status("b"), scene.status("c")) == ("FINISHED", "RUNNING")
    scene.sim.clear("agv", "drop")
    scene.until(lambda: scene.done)
    scene.order(graph((2, 0), (1, 0)), "o2")
    assert scene.errors == [], "until a new order is accepted"


def test_a_retriable_action_waits_for_the_master():
    scene = Scene("3.0.0").run(0.05)
    first, second = (
        {**action("detectObject", name, "HARD"), "retriable": True} for name in ("a", "b")
    )
    scene.sim.inject("agv", "detectObject", "fail")
    scene.order(graph(*LINE, at={0: [first, second]})).run(3.0)
    assert (scene.status("a"), scene.status("b")) == ("RETRIABLE", "WAITING")
    scene.act("skipRetry", "s", actionId="a").run(3.0)
    assert (scene.status("a"), scene.status("b")) == ("FAILED", "RETRIABLE")
    scene.sim.clear("agv", "detectObject")
    scene.act("retry", "r", actionId="b").until(lambda: scene.done)
    assert scene.statuses("b") == ["WAITING", "RUNNING", "RETRIABLE", "RUNNING", "FINISHED"]


def test_loads_charging_and_pose_follow_actions(scene):
    at = {0: [action("pick", "p", loadId="L7", loadType="EPAL")], 2: [action("drop", "d")]}
    scene.order(graph(*LINE, at=at)).until(lambda: scene.status("p") == "FINISHED")
    [load] = scene.state["loads"]
    assert (load["loadId"], load["loadType"]) == ("L7", "EPAL")
    scene.until(lambda: scene.done)
    assert scene.state["loads"] == []
    battery = "batteryState" if scene.major == 2 else "powerSupply"
    scene.act("startCharging", "c1").run(2.0)
    assert (scene.status("c1"), scene.state[battery]["charging"]) == ("FINISHED", True)
    scene.order(graph((2, 0), (3, 0)), "o2").until(lambda: scene.done)
    assert not scene.state[battery]["charging"], "driving off ends it"
    name = "initPosition" if scene.major == 2 else "initializePosition"
    scene.act(name, "i", x="7.5", y=1, theta=0, mapId="map", lastNodeId="dock")
    assert scene.truth.pose == (7.5, 1.0, 0.0)
    assert scene.state["lastNodeId"] == "dock"


def test_a_full_or_empty_load_handling_device_fails(scene):
    def place(kind, id, **parameters):
        at = {0: [action(kind, id, **parameters)]}
        scene.order(graph((0, 0), at=at), id).until(lambda: scene.done)
        return scene.status(id), [(one["loadId"]) for one in scene.state["loads"]]

    failed = "actionError" if scene.major == 2 else "ACTION_FAILED"
    assert place("drop", "d0") == ("FAILED", [])
    assert scene.errors == [failed]
    assert place("pick", "p1", loadId="") == ("FINISHED", ["p1"])
    assert place("pick", "p2", loadId="x") == ("FAILED", ["p1"])
    assert place("pick", "p3", loadId="x", lhd="rear") == ("FINISHED", ["p1", "x"])
    assert place("drop", "d1", loadId="y") == ("FAILED", ["p1", "x"])
    assert place("drop", "d2", loadId="p1", lhd="rear") == ("FAILED", ["p1", "x"])
    assert place("drop", "d3", lhd="rear") == ("FINISHED", ["p1"])
    assert place("drop", "d4", loadId="", lhd="") == ("FINISHED", [])
    assert scene.errors == []


@pytest.mark.parametrize("stopped", [False, True])
def test_a_pose_that_is_set_during_an_order_is_where_it_goes_on(scene, stopped):
    kind = "initPosition" if scene.major == 2 else "initializePosition"
    scene.order(graph((0, 0), (4, 0))).run(1.0)
    if stopped:
        scene.sim.set_input("agv", "estop", True)
        scene.run(1.0)
    scene.act(kind, "i", x="1.5", y="0.5", theta="0", mapId="map").run(0.5)
    assert scene.status("i") == "FINISHED"
    assert not scene.state["paused"]
    scene.sim.set_input("agv", "estop", False)
    scene.sim.set_input("agv", "acknowledge", True)
    scene.until(lambda: scene.done)
    assert scene.truth.pose[:2] == pytest.approx((4.0, 0.0), abs=1e-3)
    assert not any(state["paused"] for state in scene.sent["state"])


def test_maps_are_downloaded_enabled_and_deleted(scene):
    new = {"mapId": "map", "mapVersion": "2"}
    scene.act("downloadMap", "m1", **new, mapDownloadLink="http://127.0.0.1/map").run(2.0)
    scene.act("downloadMap", "m2", **new, mapDownloadLink="http://127.0.0.1/map")
    assert (scene.status("m1"), scene.status("m2")) == ("FINISHED", "FAILED")
    assert scene.errors == ["duplicateMapError" if scene.major == 2 else "DUPLICATE_MAP"]
    scene.act("enableMap", "m3", **new)
    assert {one["mapVersion"]: one["mapStatus"] for one in scene.state["maps"]} == {
        "1": "DISABLED",
        "2": "ENABLED",
    }
    assert scene.errors == [], "an accepted instant action clears the error"
    scene.act("deleteMap", "m4", mapId="map", mapVersion="1")
    assert [one["mapVersion"] for one in scene.state["maps"]] == ["2"]
    scene.act("deleteMap", "m5", **new)
    assert scene.status("m5") == "FAILED"


def test_a_command_of_the_core_carries_out_an_action_of_your_own(scene):
    beep = {"actionType": "beep", "command": "SET_OUTPUT", "scopes": ["INSTANT"],
            "params": {"ioId": "buzzer", "value": True}, "result": "loud"}  # fmt: skip
    scene = Scene(scene.version, vda5050={"actions": [beep]}).run(0.05)
    scene.act("beep", "b").run(2.0)
    assert scene.status("b") == "FINISHED"
    assert scene.robot.machine.outputs()["buzzer"]
    listed = scene.sent["factsheet"][0]["protocolFeatures"]
    kinds = listed["agvActions" if scene.major == 2 else "mobileRobotActions"]
    assert "beep" in [kind["actionType"] for kind in kinds]


def test_requests_publish_and_instant_actions_are_carried_out_once(scene):
    states, sheets = len(scene.sent["state"]), len(scene.sent["factsheet"])
    scene.act("stateRequest", "s").act("factsheetRequest", "f").act("factsheetRequest", "f")
    assert len(scene.sent["state"]) > states
    assert len(scene.sent["factsheet"]) == sheets + 1
    scene.order(graph((0, 0)), "o1")
    assert scene.status("s") == ("" if scene.major == 2 else "FINISHED"), "3.0 clears on request"
    if scene.major == 3:
        scene.act("clearInstantActions", "c")
        assert [one["actionId"] for one in scene.state["instantActionStates"]] == ["c"]


def test_own_actions_have_the_blocking_types_of_their_config(scene):
    own = [
        {"actionType": "any", "blockingTypes": ["NONE", "SOFT", "HARD"]},
        {"actionType": "alone", "blockingTypes": ["SINGLE"]},
        {"actionType": "never", "blockingTypes": ["NONE"]},
    ]
    scene = Scene(scene.version, vda5050={"actions": own}).run(0.05)
    features = scene.sent["factsheet"][0]["protocolFeatures"]
    listed = {
        kind["actionType"]: kind["blockingTypes"]
        for kind in features["agvActions" if scene.major == 2 else "mobileRobotActions"]
    }
    single = ["SINGLE"] if scene.major == 3 else []
    assert listed["any"] == ["NONE", "SOFT", "HARD", *single]
    assert (listed["alone"], listed["never"]) == (single, ["NONE"])
    scene.order(graph(*LINE, at={0: [action("never", "n", "HARD")]}))
    assert scene.state["orderId"] == ""


def test_an_action_of_the_standard_that_the_robot_does_not_have_fails_with_the_reason():
    scene = Scene("3.0.0").run(0.05)
    listed = {
        kind["actionType"]
        for kind in scene.sent["factsheet"][0]["protocolFeatures"]["mobileRobotActions"]
    }
    scene.act("updateCertificate", "u")
    assert scene.status("u") == "FAILED"
    assert scene.errors[-1] == "INVALID_INSTANT_ACTION"
    assert "files that its config names" in scene.state["errors"][-1]["errorDescription"]
    assert "updateCertificate" not in listed


def connections(scene):
    return [one["connectionState"] for one in scene.sent["connection"]]


def test_hibernation_ends_the_order_and_is_silent():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph((0, 0), (4, 0))).run(1.5).act("startHibernation", "h")
    assert scene.status("h") == "RUNNING", "it still rolls"
    scene.until(lambda: scene.status("h") == "FINISHED")
    assert connections(scene)[-1] == "HIBERNATING"
    assert scene.done
    assert not scene.state["driving"]
    count = len(scene.sent["state"])
    scene.order(graph(scene.truth.pose[:2]), "o2").act("startPause", "p").run(40.0)
    assert len(scene.sent["state"]) == count
    scene.act("stopHibernation", "w")
    assert connections(scene)[-1] == "ONLINE"
    assert len(scene.sent["state"]) > count
    assert (scene.state["orderId"], scene.status("p"), scene.errors) == ("o1", "", [])


def test_the_robot_wakes_up_at_the_given_time():
    scene = Scene("3.0.0").run(0.05)
    scene.act("startHibernation", "bad", wakeUpTime="soon")
    assert (scene.status("bad"), connections(scene)[-1]) == ("FAILED", "ONLINE")
    wake = scene.robot.publisher.at(scene.sim.now_ns + 20_000_000_000)
    scene.act("startHibernation", "h", wakeUpTime=wake).run(19.0)
    assert connections(scene)[-1] == "HIBERNATING"
    scene.run(2.0)
    assert connections(scene)[-1] == "ONLINE"


def test_shutdown_leaves_the_broker_until_it_is_switched_on():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph(*LINE)).act("shutdown", "busy")
    assert scene.status("busy") == "FAILED"
    scene.until(lambda: scene.done)
    scene.act("shutdown", "s").run(1.0)
    assert (scene.status("s"), connections(scene)[-1]) == ("FINISHED", "OFFLINE")
    assert scene.sent["_session"][-1] == {"request": "leave"}
    count = len(scene.sent["state"])
    scene.order(graph((2, 0), (3, 0)), "o2").run(40.0)
    assert len(scene.sent["state"]) == count
    scene.sim.set_input("agv", "switch_on", True)
    scene.run(0.1)
    assert scene.sent["_session"][-1] == {"request": "return"}
    assert (connections(scene)[-1], scene.state["orderId"]) == ("ONLINE", "o1")


def test_a_trigger_of_another_type_ends_no_wait():
    scene = Scene("3.0.0").run(0.05)
    waits = [
        action("waitForTrigger", "a", triggerType=["LOCAL"]),
        action("waitForTrigger", "b", triggerType=["FLEET_CONTROL"]),
    ]
    scene.order(graph(*LINE, at={0: waits})).run(0.1).act("trigger", "t1")
    assert (scene.status("t1"), scene.status("a")) == ("FAILED", "RUNNING")
    scene.sim.set_input("agv", "trigger", True)
    scene.run(0.1)
    assert (scene.status("a"), scene.status("b")) == ("FINISHED", "RUNNING")
    scene.act("trigger", "t2").until(lambda: scene.done)


def downloaded(scene, **file):
    """Report a file as the transport does, for the last request."""
    [asked] = scene.sent.pop("_download")
    scene.sim.apply(
        Arrive("agv", PORT, 5, json.dumps({"id": asked["id"], **file}).encode(), "_file")
    )
    scene.run(0.1)
    return asked


@pytest.mark.parametrize("version", ["2.1.0", "3.0.0"])
def test_a_map_is_downloaded_and_its_hash_verified(version):
    scene = Scene(version).run(0.05)
    scene.report("CONNECTING").report("UP")
    link, good, bad = "http://files/map", "0" * 64, "1" * 64
    new = {"mapId": "map", "mapVersion": "2", "mapDownloadLink": link}
    for name, file, given, status in (
        ("a", {"why": f"{link}: 404 Not Found"}, {}, "FAILED"),
        ("b", {"size": 9, "sha256": bad}, {"mapHash": good}, "FAILED"),
        ("c", {"size": 9, "sha256": good}, {"mapHash": f"sha256:{good.upper()}"}, "FINISHED"),
    ):
        scene.act("downloadMap", name, **new, **given).run(1.0)
        assert scene.status(name) == "RUNNING"
        assert downloaded(scene, **file) == {"id": name, "url": link, "text": False}
        assert scene.status(name) == status
    assert [(one["mapVersion"], one["mapStatus"]) for one in scene.state["maps"]] == [
        ("1", "ENABLED"), ("2", "DISABLED"),
    ]  # fmt: skip
    late = {**new, "mapVersion": "3"}
    scene.act("downloadMap", "d", **late).run(100.0)
    assert scene.status("d") == "FAILED"


def test_a_zone_set_is_downloaded():
    scene = Scene("3.0.0").run(0.05)
    scene.report("CONNECTING").report("UP")
    square = [{"x": x, "y": y} for x, y in ((3, -1), (4, -1), (4, 1))]
    zone = {"zoneId": "z", "zoneType": "BLOCKED", "vertices": square, "zoneDescriptor": "wet"}
    plain = {"mapId": "map", "zoneSetId": "s", "zones": [zone]}
    given = {"zoneSetId": "s", "zoneSetDownloadLink": "http://files/s"}
    for name, text, status in (
        ("a", "{", "FAILED"),
        ("b", json.dumps({**plain, "zoneSetId": "t"}), "FAILED"),
        ("c", json.dumps({**plain, "zones": 5}), "FAILED"),
        ("d", json.dumps({"zoneSet": plain}), "FINISHED"),
    ):
        scene.act("downloadZoneSet", name, **given).run(1.0)
        assert downloaded(scene, text=text)["text"]
        assert scene.status(name) == status
    assert scene.state["zoneSets"] == [
        {"zoneSetId": "s", "mapId": "map", "zoneSetStatus": "DISABLED"}
    ]
    scene.act("downloadZoneSet", "e", **given)
    assert (scene.status("e"), scene.errors) == ("FAILED", ["DUPLICATE_ZONE_SET"])


def test_zones_are_requested_obeyed_and_blocked():
    scene = Scene("3.0.0").run(0.05)
    square = [{"x": x, "y": y} for x, y in ((3, -1), (4, -1), (4, 1), (3, 1))]

    def zones(name, kind, **more):
        zone = {"zoneId": "z", "zoneType": kind, "vertices": square, **more}
        scene.publish("zoneSet", {"zoneSet": {"mapId": "map", "zoneSetId": name, "zones": [zone]}})
        scene.act("enableZoneSet", f"enable-{name}", zoneSetId=name)
        assert scene.status(f"enable-{name}") == "FINISHED"

    zones("release", "RELEASE")
    scene.order(graph((0, 0), (1, 0), (6, 0))).run(5.0)
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3)
    [request] = scene.state["zoneRequests"]
    assert (request["requestType"], request["requestStatus"]) == ("ACCESS", "REQUESTED")
    answer = {"requestId": request["requestId"], "grantType": "GRANTED"}
    scene.publish("responses", {"responses": [answer]})
    assert scene.state["zoneRequests"][0]["requestStatus"] == "GRANTED"
    scene.until(lambda: scene.done)
    assert scene.state["zoneRequests"] == []
    zones("slow", "SPEED_LIMIT", maximumSpeed=0.3)
    scene.order(graph((6, 0), (1, 0)), "o2").run(8.0)
    assert abs(scene.truth.velocity[0]) == pytest.approx(0.3, abs=1e-6)
    scene.until(lambda: scene.done)
    zones("closed", "BLOCKED")
    scene.order(graph((1, 0), (6, 0)), "o3").run(5.0)
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3)
    assert scene.errors == ["BLOCKED_ZONE_VIOLATION"]


def released(**more):
    """Return a scene with a robot in a RELEASE zone, and its request."""
    scene = Scene("3.0.0").run(0.05)
    enabled("RELEASE", **more)(scene)
    scene.order(graph((0, 0), (6, 0)))
    return scene, scene.state["zoneRequests"][0]["requestId"]


def test_a_lost_release_does_not_stop_a_robot_that_shall_go_on():
    for behaviour in ("CONTINUE", "EVACUATE"):
        scene, _ = released(releaseLossBehavior=behaviour)
        answer(scene, "GRANTED")
        scene.run(1.5)
        answer(scene, "REVOKED")
        assert scene.state["zoneRequests"][0]["requestStatus"] == "REVOKED"
        scene.until(lambda scene=scene: scene.done)
        assert scene.visited() == ["n0", "n1"]
        assert not any(state["errors"] for state in scene.sent["state"])


def test_actions_of_a_zone_follow_its_outline():
    scene = Scene("3.0.0").run(0.05)
    wrong = {"entryActions": [action("pick", "p", "NONE")]}
    zone_set("w", "ACTION", **wrong)(scene)
    assert scene.errors == ["UNSUPPORTED_PARAMETER"]
    enabled(
        "ACTION",
        entryActions=[action("finePositioning", "in", "HARD")],
        duringActions=[action("waitForTrigger", "inside", "NONE")],
        exitActions=[action("detectObject", "out", "NONE")],
    )(scene)

    def statuses():
        listed = scene.state["zoneActionStates"]
        return {one["actionId"]: one["actionStatus"] for one in listed}

    scene.order(graph((0, 0), (6, 0)))
    assert statuses() == {}
    scene.until(lambda: statuses().get("in") == "RUNNING")
    assert scene.truth.pose[0] + scene.robot.machine.protection.front_m == pytest.approx(3, abs=0.1)
    assert statuses()["inside"] == "WAITING"
    scene.until(lambda: statuses()["in"] == "FINISHED")
    scene.until(lambda: statuses()["inside"] == "RUNNING")
    scene.until(lambda: "out" in statuses())
    assert statuses() == {"in": "FINISHED", "inside": "FINISHED", "out": "RUNNING"}
    assert scene.truth.pose[0] - scene.robot.machine.protection.rear_m >= 4.0
    scene.until(lambda: scene.done).run(2.0)
    scene.act("clearZoneActions", "clear")
    assert statuses() == {}
    scene.order(graph((6, 0), (0, 0)), "o2").until(lambda: "out" in statuses())


def test_a_lease_ends():
    scene, first = released()
    answer(scene, "QUEUED")
    assert scene.state["zoneRequests"][0]["requestStatus"] == "REQUESTED"
    lease = scene.robot.publisher.at(scene.sim.now_ns + 2_000_000_000)
    answer(scene, "GRANTED", leaseExpiry="tomorrow")
    assert scene.errors == ["VALIDATION_FAILURE"]
    answer(scene, "GRANTED", leaseExpiry=lease)
    scene.run(3.0)
    assert scene.state["zoneRequests"][0]["requestStatus"] == "EXPIRED"
    assert "RELEASE_LOST" in scene.errors
    assert scene.state["zoneRequests"][0]["requestId"] == first
    answer(scene, "GRANTED")
    scene.until(lambda: scene.done)


def test_a_rejected_request_is_not_made_again():
    scene, first = released()
    answer(scene, "REJECTED")
    scene.run(3.0)
    assert scene.truth.pose[0] == 0.0
    assert [one["requestId"] for one in scene.state["zoneRequests"]] == [first]


def test_a_zone_set_that_is_enabled_on_the_way_stops_the_robot_and_is_one_of_its_map():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph((0, 0), (6, 0))).run(1.5)
    enabled("BLOCKED")(scene)
    scene.run(3.0)
    assert scene.errors == ["BLOCKED_ZONE_VIOLATION"]
    assert scene.truth.pose[0] < 2.6
    elsewhere = {"mapId": "hall", "zoneSetId": "hall", "zones": []}
    scene.publish("zoneSet", {"zoneSet": elsewhere}).act("enableZoneSet", "h", zoneSetId="hall")
    assert {one["zoneSetStatus"] for one in scene.state["zoneSets"]} == {"ENABLED"}
    assert scene.errors == ["BLOCKED_ZONE_VIOLATION"]
    scene.publish("zoneSet", {"zoneSet": {**elsewhere, "mapId": "map", "zoneSetId": "free"}})
    scene.act("enableZoneSet", "f", zoneSetId="free").until(lambda: scene.done)
