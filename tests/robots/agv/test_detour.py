"""Blocked motions ask for another route."""

from typing import Any

import pytest

from rigless.robots.agv import messages as m

from .scene import Scene

PROFILE = {"obstacleScript": [{"x": 4.0, "y": 0.0, "radiusM": 0.3}]}


def blocked(**safety: Any) -> Scene:
    return Scene(runtime={"simulationProfile": PROFILE}, safety=safety)


def answer(scene: Scene, *points: tuple[float, float]) -> None:
    request = scene.last("route.request")
    nodes = [m.Node(f"n{k}", 2 * k, x, y, True) for k, (x, y) in enumerate(points)]
    edges = [
        m.Edge(f"e{k}", 2 * k + 1, nodes[k].nodeId, nodes[k + 1].nodeId)
        for k in range(len(nodes) - 1)
    ]
    scene.send(m.RouteResponse(request.requestId, "OK", "around", 1, nodes, edges))


def test_a_move_that_an_obstacle_blocks_asks_for_a_route_and_follows_it_to_its_target():
    scene = blocked()
    scene.run(0.1)
    name = scene.command("MOVE", x=8.0, y=0.0, theta=1.5)
    scene.run(13.0)
    assert scene.published("route.request") == []
    scene.run(3.0)
    (request,) = scene.published("route.request")
    assert (request.reason, request.to, request.avoid) == ("REROUTE", {"x": 8.0, "y": 0.0}, [])
    assert request.start["x"] == pytest.approx(4.0 - 0.3 - 0.6 - 0.45, abs=1e-3)
    answer(scene, (2.6, 0.0), (2.6, 3.0), (6.0, 3.0))
    scene.run(35.0)
    assert scene.truth.pose == pytest.approx((8.0, 0.0, 1.5), abs=1e-6)
    assert scene.acks(name) == ["ACCEPTED", "RUNNING", "SUCCEEDED"]


def test_without_an_answer_it_waits_and_asks_again_and_goes_on_when_the_path_is_free():
    scene = Scene(
        runtime={"simulationProfile": {"obstacleScript": [{**PROFILE["obstacleScript"][0],
                                                           "untilS": 60.0}]}},
        safety={"rerouteAfterSeconds": 4.0},
    )  # fmt: skip
    scene.run(0.1)
    name = scene.command("MOVE", valid_s=600.0, x=8.0, y=0.0)
    scene.run(45.0)
    assert len(scene.published("route.request")) == 2  # a response may take 30 s
    request = scene.last("route.request")
    scene.send(m.RouteResponse(request.requestId, "NO_ROUTE", "", 0, [], []))
    scene.run(30.0)
    assert scene.truth.pose[0] == 8.0
    assert scene.acks(name)[-1] == "SUCCEEDED"


def test_it_can_be_switched_off():
    scene = blocked(rerouteAfterSeconds=0.0)
    scene.run(0.1)
    scene.command("MOVE", x=8.0, y=0.0)
    scene.run(40.0)
    assert scene.published("route.request") == []
