"""Zones of 3.0 that ask for a path, or that allow some directions only."""

import math

import pytest

from .scene import Scene, graph

SQUARE = ((3, -1), (6, -1), (6, 1), (3, 1))
ALONG = ((0, 0), (2, 0), (4, 0), (5, 0), (8, 0))


def in_zone(kind, **more):
    """Return a robot with one enabled zone from x = 3 m to 6 m."""
    scene = Scene("3.0.0").run(0.05)
    corners = [{"x": x, "y": y} for x, y in SQUARE]
    zone = {"zoneId": "z", "zoneType": kind, "vertices": corners, **more}
    scene.publish("zoneSet", {"zoneSet": {"mapId": "map", "zoneSetId": "s", "zones": [zone]}})
    scene.act("enableZoneSet", "on", zoneSetId="s")
    assert scene.status("on") == "FINISHED"
    return scene


def requests(scene):
    return [(one["requestType"], one["requestStatus"]) for one in scene.state["zoneRequests"]]


def answer(scene, grant, index=-1, **more):
    name = scene.state["zoneRequests"][index]["requestId"]
    scene.publish("responses", {"responses": [{"requestId": name, "grantType": grant, **more}]})


def test_a_path_through_a_zone_is_requested_with_its_trajectory():
    scene = in_zone("COORDINATED_REPLANNING")
    scene.order(graph(*ALONG, base=4)).run(8.0)
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=1e-3), "it waits before the zone"
    assert requests(scene) == [("REPLANNING", "REQUESTED")]
    path = scene.state["zoneRequests"][0]["trajectory"]["controlPoints"]
    assert [(at["x"], at["y"]) for at in path] == [(2, 0), (4, 0), (5, 0)], "along the base"
    answer(scene, "GRANTED")
    scene.until(lambda: scene.visited()[-1] == "n3").run(1.0)
    assert requests(scene) == []
    scene.order(graph((5, 0), (8, 0), first=3), update=1).run(1.0)
    assert scene.truth.pose[0] == pytest.approx(5.0, abs=1e-3), "the rest is another path"
    path = scene.state["zoneRequests"][0]["trajectory"]["controlPoints"]
    assert [(at["x"], at["y"]) for at in path] == [(5, 0), (8, 0)]
    answer(scene, "GRANTED")
    scene.until(lambda: scene.done)
    assert requests(scene) == []


def test_a_robot_that_loses_its_path_in_the_zone_stops_and_asks_again():
    scene = in_zone("COORDINATED_REPLANNING")
    scene.order(graph((0, 0), (8, 0)))
    answer(scene, "GRANTED")
    scene.until(lambda: scene.truth.pose[0] > 4.0)
    answer(scene, "REVOKED")
    assert requests(scene) == [("REPLANNING", "REVOKED"), ("REPLANNING", "REQUESTED")]
    assert scene.errors == ["REPLANNING_LOST"]
    scene.run(3.0)
    assert not scene.state["driving"]
    assert scene.truth.pose[0] < 6.0
    scene.act("stateRequest", "s")
    assert len(requests(scene)) == 2, "it asks once"
    answer(scene, "GRANTED")
    assert requests(scene) == [("REPLANNING", "GRANTED")]
    assert scene.errors == []
    scene.until(lambda: scene.done)
    assert requests(scene) == []


def test_a_path_that_is_revoked_before_the_zone_is_dropped():
    scene = in_zone("COORDINATED_REPLANNING")
    scene.order(graph((0, 0), (1, 0), (8, 0))).until(lambda: scene.visited()[-1] == "n1").run(0.5)
    answer(scene, "REJECTED")
    scene.run(2.0)
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3)
    assert len(requests(scene)) == 1, "a rejected path is not requested again"
    scene.act("cancelOrder", "c").until(lambda: scene.status("c") == "FINISHED")
    assert requests(scene) == []


DIRECTIONS = {
    # name: (type, limitation, direction, may it drive along x)
    "one way, along": ("DIRECTED", "STRICT", 0.0, True),
    "one way, some turns more": ("DIRECTED", "STRICT", 4 * math.pi, True),
    "one way, strictly at an angle": ("DIRECTED", "STRICT", 0.5, False),
    "one way, at an angle": ("DIRECTED", "RESTRICTED", 0.5, True),
    "one way, against it": ("DIRECTED", "RESTRICTED", math.pi, False),
    "one way, only preferred": ("DIRECTED", "SOFT", math.pi, True),
    "both ways, against it": ("BIDIRECTED", "RESTRICTED", math.pi, True),
    "both ways, across": ("BIDIRECTED", "RESTRICTED", 0.5 * math.pi, False),
    "both ways, only preferred": ("BIDIRECTED", "SOFT", 0.5 * math.pi, True),
}


@pytest.mark.parametrize("case", DIRECTIONS)
def test_a_directed_zone_is_not_crossed_in_a_forbidden_direction(case):
    kind, limitation, direction, may = DIRECTIONS[case]
    key = "directedLimitation" if kind == "DIRECTED" else "bidirectedLimitation"
    scene = in_zone(kind, direction=direction, **{key: limitation})
    scene.order(graph((0, 0), (1, 0), (8, 0)))
    if may:
        scene.until(lambda: scene.done)
        assert scene.errors == []
        return
    scene.until(lambda: bool(scene.errors)).run(2.0)
    [error] = scene.state["errors"]
    assert (error["errorType"], error["errorLevel"]) == ("NODE_UNREACHABLE", "CRITICAL")
    found = {one["referenceKey"]: one["referenceValue"] for one in error["errorReferences"]}
    assert found == {"nodeId": "n2", "zoneId": "z"}
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3)
    scene.act("cancelOrder", "c").until(lambda: scene.status("c") == "FINISHED")
    scene.order(graph((1, 0), (0, 0)), "o2").until(lambda: scene.done)
    assert scene.errors == []


def test_the_trajectory_of_an_edge_overrides_the_direction_of_a_zone():
    scene = in_zone("DIRECTED", direction=math.pi, directedLimitation="STRICT")
    line = {"degree": 1, "controlPoints": [{"x": 0, "y": 0}, {"x": 8, "y": 0}]}
    scene.order(graph((0, 0), (8, 0), edge={"trajectory": line})).until(lambda: scene.done)
    assert scene.errors == []


@pytest.mark.parametrize("kind", ["PRIORITY", "PENALTY"])
def test_zones_for_planning_do_not_change_an_order(kind):
    scene = in_zone(kind, **{f"{kind.lower()}Factor": 1.0})
    scene.order(graph((0, 0), (8, 0))).until(lambda: scene.done)
    assert scene.errors == []
    assert kind in scene.sent["factsheet"][-1]["typeSpecification"]["supportedZones"]


def test_a_zone_on_another_edge_is_stopped_at_on_the_way():
    scene = in_zone("DIRECTED", direction=math.pi, directedLimitation="STRICT")
    scene.order(graph((0, 0), (0, 3), (8, 3), (8, 0), (0, 0)))
    scene.until(lambda: scene.done)
    assert scene.errors == [], "it is driven in its direction"
