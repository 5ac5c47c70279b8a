"""The page of a robot with VDA 5050: its order on the map and in lists, and its errors."""

from .scene import Scene, action, graph


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
