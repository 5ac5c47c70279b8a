"""Faults of the session, the clock, the position and the wire; snapshots; own headers."""

import msgspec
import pytest

from rigless.robots.agv.vda5050.front import Front

from .scene import Scene, action, graph


@pytest.fixture(params=["2.1.0", "3.0.0"])
def scene(request):
    return Scene(request.param).run(0.05)


def test_a_lost_position_stops_the_robot_until_it_is_found_again(scene):
    scene.order(graph((0, 0), (3, 0))).run(1.5)
    scene.sim.inject("agv", "localization", "lost")
    scene.run(3.0)
    place = scene.state["agvPosition" if scene.major == 2 else "mobileRobotPosition"]
    assert not place["positionInitialized" if scene.major == 2 else "localized"]
    expected = "localizationError" if scene.major == 2 else "LOCALIZATION_ERROR"
    assert (scene.errors, scene.state["errors"][0]["errorLevel"]) == ([expected], "FATAL")
    assert not scene.state["driving"]
    assert not scene.done
    scene.sim.clear("agv", "localization")
    scene.until(lambda: scene.done)
    assert scene.errors == []


def test_a_clock_behind_shows_in_timestamps_only(scene):
    before = scene.state["timestamp"]
    scene.sim.inject("agv", "clock", "behind", seconds=3600.0)
    scene.act("stateRequest")
    assert scene.state["timestamp"] < before
    scene.sim.clear("agv", "clock")
    scene.act("stateRequest", "again")
    assert scene.state["timestamp"] > before


def test_a_stale_order_is_not_executed_again(scene):
    at = {0: [action("pick", "p")]}
    scene.order(graph((0, 0), (1, 0), at=at)).until(lambda: scene.done)
    scene.sim.inject("agv", "session", "stale_order")
    scene.run(2.0)
    assert (scene.done, scene.errors, len(scene.state["loads"])) == (True, [], 1)


def test_lost_and_duplicated_orders(scene):
    scene.sim.inject("agv", "vda5050", "drop", direction="in")
    scene.order(graph((0, 0), (1, 0)))
    assert scene.state["orderId"] == ""
    scene.sim.clear("agv", "vda5050")
    scene.sim.inject("agv", "vda5050", "duplicate", direction="in")
    scene.order(graph((0, 0), (1, 0), at={0: [action("pick", "p")]}))
    scene.act("stateRequest").until(lambda: scene.done)
    assert (scene.errors, len(scene.state["loads"])) == ([], 1)


def test_late_orders(scene):
    scene.sim.inject("agv", "vda5050", "delay", direction="in", ms=2000.0)
    scene.order(graph((0, 0), (1, 0), (2, 0), base=2)).run(1.5)
    assert scene.state["orderId"] == ""
    scene.run(1.0)
    assert (scene.state["orderId"], scene.errors) == ("o1", [])
    scene.until(lambda: scene.state["lastNodeId"] == "n1")
    scene.order(graph((1, 0), (3, 0), first=1), update=2).run(1.0)
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3), "it waits at the end of its base"
    scene.run(1.5).sim.clear("agv", "vda5050")
    scene.order(graph((1, 0), (2, 0), first=1), update=1)
    expected = "orderUpdateError" if scene.major == 2 else "OUTDATED_ORDER_UPDATE"
    assert (scene.errors, scene.state["orderUpdateId"]) == ([expected], 2), "overtaken"
    scene.until(lambda: scene.done)
    assert scene.truth.pose[0] == pytest.approx(3.0, abs=1e-3)


def test_a_late_will_is_that_of_the_connection(scene):
    for session in ("CONNECTING", "UP"):
        scene.report(session)
    scene.counts.clear()
    scene.sim.inject("agv", "session", "late_will")
    scene.run(0.05)
    assert scene.sent["connection"][-1] == scene.sent["_will"][-1]
    assert scene.sent["connection"][-1]["headerId"] < scene.sent["connection"][-2]["headerId"]


def test_an_order_goes_on_from_a_snapshot_in_the_same_way(scene):
    at = {0: [action("detectObject", "a", "NONE")], 2: [action("pick", "p")]}
    scene.order(graph((0, 0), (1, 0), (2, 0), base=2, at=at)).run(1.0)
    snapshot = scene.sim.snapshot()
    scene.until(lambda: scene.status("p") == "FINISHED")
    first = scene.truth
    seconds = scene.sim.now_s - snapshot.now_ns / 1e9
    scene.sim.restore(snapshot)
    scene.counts.clear()
    scene.sim.take("agv", "vda5050")
    scene.run(seconds)
    assert scene.truth == first
    assert scene.status("p") == "FINISHED"


def test_a_session_fault_is_a_request_to_the_transport(scene):
    for kind, params, request in (
        ("cut", {}, "cut"),
        ("takeover", {}, "takeover"),
        ("broker_restart", {}, "restart"),
        ("stale_online", {"seconds": 2.5}, "leave 2.5"),
    ):
        scene.sim.inject("agv", "session", kind, **params)
        scene.run(0.02)
        assert scene.sent["_session"][-1] == {"request": request}


def test_the_will_is_made_for_each_connection(scene):
    broken = "CONNECTIONBROKEN" if scene.major == 2 else "CONNECTION_BROKEN"
    for session in ("CONNECTING", "UP", "CLOSING"):
        scene.report(session)
    assert scene.sent["_will"][-1]["connectionState"] == broken
    last = [one["connectionState"] for one in scene.sent["connection"][-2:]]
    assert last == ["ONLINE", "OFFLINE"]


TIMED = ("agvPosition", "velocity", "distanceSinceLastNode", "batteryState", "errors",
         "intermediatePath")  # fmt: skip


def content(front):
    """Return what a state has beyond the time, the place and the battery."""
    whole = msgspec.to_builtins(front.report.state())
    found = {key: value for key, value in whole.items() if key not in TIMED}
    found["errors"] = [(one["errorType"], one["errorLevel"]) for one in whole["errors"]]
    if "plannedPath" in found:  # it begins at the robot
        found["plannedPath"] = whole["plannedPath"]["trajectory"]["controlPoints"][1:]
    found["charging"] = whole["batteryState"]["charging"]
    found["position"] = whole["agvPosition"]["mapId"], whole["agvPosition"]["positionInitialized"]
    return found


def test_every_change_is_published_in_its_tick(scene, monkeypatch):
    tick, publish = Front.tick, Front.publish_state
    published, missed = {}, []

    def watched(front):
        tick(front)
        now = content(front)
        changed = [key for key in now if published and now[key] != published[key]]
        missed.extend((scene.sim.now_s, key) for key in changed)
        published.update(now)

    monkeypatch.setattr(
        Front, "publish_state", lambda front: (publish(front), published.update(content(front)))
    )
    monkeypatch.setattr(Front, "tick", watched)
    at = {0: [action("pick", "p", "SOFT")], 2: [action("finePositioning", "f", "NONE")]}
    scene.order(graph((0, 0), (2, 0), (3, 0), (4, 0), base=2, at=at)).run(1.0)
    scene.act("startPause", "p1").run(1.0).act("stopPause", "p2").run(3.0)
    scene.order(graph((2, 0), (3, 0), (4, 0), base=2, first=1), update=1)
    for name, on, off in (
        ("estop", True, False), ("obstacle_m", 0.05, -1.0), ("charging", True, False),
        ("operating_mode", "SEMIAUTOMATIC", "AUTOMATIC"),
    ):  # fmt: skip
        scene.sim.set_input("agv", name, on)
        scene.run(0.5).sim.set_input("agv", name, off)
        scene.run(0.5)
    scene.sim.send("agv", "nats", {"type": "CommandRequest", "commandId": "r",
                                   "commandType": "RESUME", "params": {}})  # fmt: skip
    for target, kind in (("localization", "lost"), ("drive_left", "error")):
        scene.sim.inject("agv", target, kind)
        scene.run(0.5).sim.clear("agv", target)
        scene.run(0.5)
    new = {"mapId": "hall", "mapVersion": "1"}
    scene.act("downloadMap", "m", **new, mapDownloadLink="http://x").run(1.0)
    scene.act("enableMap", "e", **new).act("fly", "x").run(8.0)
    scene.act("cancelOrder", "c").until(lambda: scene.status("c") == "FINISHED")
    assert missed == []
    assert len(scene.sent["state"]) > 20
