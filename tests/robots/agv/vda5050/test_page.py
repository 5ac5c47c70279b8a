"""The page of a robot with VDA 5050: its order on the map and in lists, and its errors."""

from .scene import Scene, action, graph
from .test_zone_paths import SQUARE, answer, in_zone


def test_the_page_shows_base_horizon_actions_and_errors():
    scene = Scene("2.1.0").run(0.05)
    view = scene.robot.view()
    assert view.lines()["order"].texts == ()
    at = {0: [action("detectObject", "look", "NONE")], 4: [action("pick", "p1")]}
    scene.order(graph((0, 0), (3, 0), (3, 2), base=2, at=at))
    scene.order(graph((9, 9)), "other").run(0.5)
    drawn = {name: [tuple(point) for point in part] for name, part in view.draw().items() if name in
             ("route", "horizon", "order nodes")}  # fmt: skip
    assert drawn["route"][1:] == [(3.0, 0.0)]
    assert drawn["horizon"] == [(3.0, 0.0), (3.0, 2.0)]
    assert drawn["order nodes"] == [(3.0, 0.0), (3.0, 2.0)]
    lines = view.lines()
    assert lines["order"].texts == (
        "o1 · update 0 · active", "last node n0 (0)", "n1 (2) base", "n2 (4) horizon"
    )  # fmt: skip
    assert lines["actions"].texts == (
        "RUNNING detectObject (NONE) · look", "WAITING pick (HARD) · p1"
    )  # fmt: skip
    [error] = lines["vda errors"].texts
    assert error.startswith("WARNING orderError: order o1 is still being executed · topic order")
    assert "orderId other, orderUpdateId 0" in error
    assert (lines["vda errors"].current, lines["vda errors"].wrong) == (1, (1,))
    assert view.measure()["vda session"] == 1.0
    scene.report("CONNECTING").report("UP").report("DOWN")
    assert view.measure()["vda session"] == 0.0


def test_the_page_shows_blocked_zones_with_those_of_traffic_control():
    drawn = in_zone("BLOCKED").robot.view().draw()
    assert [tuple(point) for point in drawn["zones"]][:5] == [*SQUARE, SQUARE[0]]
    assert len(drawn["zone set"]) == 0


def test_the_page_shows_zones_requests_and_the_curves_of_edges():
    scene = in_zone("RELEASE")
    view = scene.robot.view()
    assert "zone set" in {part.name for part in view.parts}
    line = {"degree": 1, "controlPoints": [{"x": 0, "y": 0}, {"x": 0, "y": 2}, {"x": 4, "y": 2}]}
    scene.order(graph((0, 0), (4, 0), (8, 0), base=2, edge={"trajectory": line})).run(0.5)
    drawn = view.draw()
    assert [tuple(point) for point in drawn["zone set"]][:5] == [*SQUARE, SQUARE[0]]
    assert len(drawn["zones"]) == 0
    assert (0.0, 2.0) in [tuple(point) for point in drawn["route"]]
    assert [tuple(point) for point in drawn["horizon"]] == [
        (4.0, 0.0), (0.0, 0.0), (0.0, 2.0), (4.0, 2.0), (8.0, 0.0)
    ]  # fmt: skip
    assert view.lines()["requests"].texts == ("REQUESTED ACCESS z · request-1",)
    answer(scene, "GRANTED")
    scene.run(0.5)
    answer(scene, "REVOKED")
    assert view.lines()["requests"].wrong == (1,)
