"""The path ahead in states and visualization of 3.0: plannedPath and intermediatePath."""

from datetime import datetime

import pytest

from .scene import Scene, action, graph
from .test_orders import ARC

L_SHAPE = ((0, 0), (4, 0), (4, 3), (9, 3))


def seconds(text):
    return datetime.fromisoformat(text).timestamp()


def points(state):
    return [(at["x"], at["y"]) for at in state["plannedPath"]["trajectory"]["controlPoints"]]


def test_the_planned_path_leads_from_the_robot_along_the_base():
    scene = Scene("3.0.0").run(0.05)
    assert "plannedPath" not in scene.state
    scene.order(graph(*L_SHAPE, base=3))
    assert points(scene.state) == [(0, 0), (4, 0), (4, 3)]
    assert scene.state["plannedPath"]["traversedNodes"] == ["n1", "n2"]
    scene.until(lambda: scene.truth.pose[0] > 2.0).act("stateRequest", "s")
    here = scene.state["mobileRobotPosition"]
    assert points(scene.state)[0] == (here["x"], here["y"])
    assert points(scene.state)[1:] == [(4, 0), (4, 3)]
    scene.order(graph((4, 3), (9, 3), first=2), update=1)
    assert points(scene.state)[1:] == [(4, 0), (4, 3), (9, 3)]
    shown = scene.sent["visualization"][-1]
    assert shown["plannedPath"]["traversedNodes"] == ["n1", "n2"]
    scene.until(lambda: scene.done)
    assert {"plannedPath", "intermediatePath"}.isdisjoint(scene.state)


@pytest.mark.parametrize("places", [((0, 0), (4, 0)), ((0, 0), (4, 0), (4, 3)), ((0, 0), (-3, 1))])
def test_the_robot_arrives_when_the_path_says(places):
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph(*places, edge={"maxSpeed": 0.7}))
    listed = scene.state["intermediatePath"]["polyline"]
    assert (listed[0]["x"], listed[0]["y"], listed[0]["theta"]) == (0, 0, 0)
    assert listed[0]["eta"] == scene.state["timestamp"]
    began = scene.sim.now_s
    scene.until(lambda: scene.done)
    took = seconds(listed[-1]["eta"]) - seconds(listed[0]["eta"])
    assert took == pytest.approx(scene.sim.now_s - began, abs=0.2)


def test_the_times_of_a_drive_at_speed_are_right():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph((0, 0), (3, 0), (8, 0))).until(lambda: scene.truth.pose[0] > 1.5)
    scene.act("stateRequest", "s")
    listed, began = scene.state["intermediatePath"]["polyline"], scene.sim.now_s
    scene.until(lambda: scene.visited()[-1] == "n1")
    passed = scene.sim.now_s - began
    scene.until(lambda: scene.done)
    found = [seconds(one["eta"]) - seconds(listed[0]["eta"]) for one in listed]
    assert found == [
        0.0,
        pytest.approx(passed, abs=0.1),
        pytest.approx(scene.sim.now_s - began, abs=0.2),
    ]


def test_a_long_path_has_times_up_to_the_first_node_beyond_ten_metres():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph(*((4.0 * index, 0) for index in range(8))))
    listed, began = scene.state["intermediatePath"]["polyline"], scene.sim.now_s
    assert [at["x"] for at in listed] == [0, 4, 8, 12]
    assert len(points(scene.state)) == 8
    scene.until(lambda: scene.visited()[-1] == "n3")
    took = seconds(listed[-1]["eta"]) - seconds(listed[0]["eta"])
    assert took == pytest.approx(scene.sim.now_s - began, abs=0.15), "it does not stop there"


def test_the_path_with_times_ends_where_the_robot_stands_for_an_action():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph((0, 0), (2, 0), (4, 0), at={2: [action("detectObject", "d", "SOFT")]}))
    assert [at["x"] for at in scene.state["intermediatePath"]["polyline"]] == [0, 2]
    assert points(scene.state) == [(0, 0), (2, 0), (4, 0)]


def test_a_curve_is_planned_as_a_polyline():
    scene = Scene("3.0.0").run(0.05)
    scene.order(graph((0, 0), (2, 2), edge={"trajectory": ARC}))
    line = points(scene.state)
    assert len(line) > 20
    assert line[-1] == (2, 2)
    times = [seconds(one["eta"]) for one in scene.state["intermediatePath"]["polyline"]]
    assert times == sorted(times)
    began = scene.sim.now_s
    scene.until(lambda: scene.done)
    assert times[-1] - times[0] == pytest.approx(scene.sim.now_s - began, rel=0.1)


def test_the_path_has_no_place_in_2_1():
    scene = Scene("2.1.0").run(0.05)
    scene.order(graph(*L_SHAPE)).run(1.0)
    assert {"plannedPath", "intermediatePath"}.isdisjoint(scene.state)
