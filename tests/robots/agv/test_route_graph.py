"""Routes: base and horizon, joining, actions at nodes, and requests for detours."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.agv import messages as m
from rigless.robots.agv.modules import route_graph

from .scene import Scene


def node(name, number, x, y, released=True, **more):
    return m.Node(name, number, float(x), float(y), released, **more)


def edges(nodes, **speeds):
    return [
        m.Edge(
            f"{a.nodeId}{b.nodeId}",
            a.sequenceId + 1,
            a.nodeId,
            b.nodeId,
            speeds.get(f"{a.nodeId}{b.nodeId}"),
        )
        for a, b in pairwise(nodes)
    ]


def response(nodes, revision=1, request="", route="r1", status="OK", **speeds):
    return m.RouteResponse(
        requestId=request,
        status=status,
        routeId=route,
        revision=revision,
        nodes=nodes,
        edges=edges(nodes, **speeds),
    )


def plain(parts):
    return [{key: getattr(part, key) for key in part.__struct_fields__} for part in parts]


LINE = [node("a", 0, 0, 0), node("b", 2, 2, 0), node("c", 4, 4, 0)]


def test_a_given_route_is_followed_by_its_name():
    scene = Scene().run(0.1)
    scene.send(response(LINE))
    name = scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.run(1.5)
    state = scene.last("traffic.state")
    assert (state.edgeId, state.nextNodes) == ("ab", ["b", "c"])
    assert state.s == pytest.approx(state.pose.x, abs=1e-3)
    scene.run(1.5)
    assert scene.last("traffic.state").edgeId == "bc"
    scene.run(5)
    assert (scene.acks(name)[-1], scene.ack(name).result["nodeId"]) == ("SUCCEEDED", "c")
    assert scene.truth.pose[0] == pytest.approx(4.0, abs=1e-3)


def test_a_response_of_what_the_contract_requires_and_no_more():
    scene = Scene().run(0.1)
    name = scene.command("FOLLOW_ROUTE", to={"x": 4, "y": 0})
    asked = scene.last("route.request").requestId
    scene.send(m.RouteResponse(requestId=asked, nodes=LINE[:2], edges=edges(LINE[:2])))
    scene.run(5)
    assert (scene.ack(name).status, scene.ack(name).result) == (
        "SUCCEEDED",
        {"routeId": asked, "nodeId": "b"},
    )
    scene.send(m.RouteResponse(requestId="", nodes=LINE))
    assert scene.events("ROUTE_REJECTED")


def test_a_whole_route_in_the_command_and_no_stop_where_it_leads_straight_on():
    scene = Scene().run(0.1)
    scene.command("FOLLOW_ROUTE", nodes=plain(LINE), edges=plain(edges(LINE)))
    scene.until(lambda: scene.truth.pose[0] > 1.95)
    assert scene.truth.velocity[0] == pytest.approx(1.2)


def test_edges_have_their_speed():
    scene = Scene().run(0.1)
    scene.command("FOLLOW_ROUTE", nodes=plain(LINE), edges=plain(edges(LINE, ab=0.4, bc=0.9)))
    scene.run(3)
    assert scene.truth.velocity[0] == pytest.approx(0.4)
    scene.until(lambda: scene.truth.pose[0] > 3.0)
    assert scene.truth.velocity[0] == pytest.approx(0.9)


def test_actions_at_the_end_of_the_base_are_done_once():
    scene = Scene().run(0.1)
    nodes = [
        node("a", 0, 0, 0),
        node(
            "b", 2, 1, 0, actions=[{"type": "WAIT", "params": {"seconds": 0.1}}, {"type": "PAUSE"}]
        ),
        node("c", 4, 2, 0, released=False),
    ]
    scene.send(response(nodes))
    name = scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.until(lambda: scene.status == "PAUSED")
    scene.command("RESUME")
    scene.run(2)
    assert scene.status == "RUNNING"
    scene.send(response([nodes[1], node("c", 4, 2, 0)], revision=2))
    scene.until(lambda: scene.acks(name)[-1] == "SUCCEEDED")
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=1e-3)


def test_actions_wait_while_the_robot_is_paused():
    scene = Scene().run(0.1)
    actions = [
        {"type": "PAUSE"},
        {"type": "SET_OUTPUT", "params": {"ioId": "buzzer", "value": True}},
    ]
    nodes = [node("a", 0, 0.1, 0, actions=actions)]
    name = scene.command("FOLLOW_ROUTE", nodes=plain(nodes))
    scene.until(lambda: scene.status == "PAUSED").run(0.5)
    assert scene.robot.machine.outputs()["buzzer"] is False
    scene.command("RESUME")
    scene.until(lambda: scene.acks(name)[-1] == "SUCCEEDED")
    assert scene.robot.machine.outputs()["buzzer"] is True


def test_a_route_that_comes_after_all_was_stopped_is_not_driven():
    scene = Scene().run(0.1)
    scene.command("FOLLOW_ROUTE", to={"x": 4.0, "y": 0.0})
    request = scene.last("route.request").requestId
    scene.command("STOP")
    scene.run(0.1).send(response(LINE, request=request)).run(1)
    assert scene.truth.odometer_m == 0.0


def test_actions_are_done_at_their_node():
    scene = Scene().run(0.1)
    nodes = [
        node("a", 0, 0, 0),
        node(
            "b",
            2,
            1,
            0,
            actions=[{"type": "RELEASE"}, {"type": "WAIT", "params": {"seconds": 0.5}}],
        ),
        node("c", 4, 1, 1, actions=[{"type": "GRIP", "params": {}}]),
    ]
    name = scene.command("FOLLOW_ROUTE", nodes=plain(nodes), edges=plain(edges(nodes)))
    scene.until(lambda: scene.truth.axes["gripper"] > 0.04)
    assert scene.truth.pose[:2] == pytest.approx((1.0, 0.0), abs=1e-3)
    scene.run(1)
    assert scene.truth.pose[:2] == pytest.approx((1.0, 0.0), abs=1e-3)
    scene.until(lambda: scene.acks(name)[-1] == "SUCCEEDED")
    assert scene.truth.pose[:2] == pytest.approx((1.0, 1.0), abs=1e-3)
    assert scene.truth.axes["gripper"] == pytest.approx(0.0, abs=1e-6)


def test_an_action_that_fails_ends_the_route():
    scene = Scene().run(0.1)
    nodes = [node("a", 0, 0.5, 0, actions=[{"type": "RELEASE"}]), node("b", 2, 2, 0)]
    name = scene.command("FOLLOW_ROUTE", nodes=plain(nodes), edges=plain(edges(nodes)))
    scene.until(lambda: scene.truth.axes["gripper"] > 0.01)
    scene.sim.inject("agv", "gripper", "error")
    scene.run(0.2)
    assert (scene.ack(name).status, scene.ack(name).code) == (
        "FAILED",
        "REQUIRED_MOTOR_UNAVAILABLE",
    )
    scene.run(1)
    assert not scene.truth.driving


# Base and horizon


AHEAD = [
    node("a", 0, 0, 0),
    node("b", 2, 2, 0),
    node("c", 4, 4, 0, released=False),
    node("d", 6, 6, 0, released=False),
]


def test_the_base_is_driven_to_its_end_and_the_horizon_waits():
    scene = Scene().run(0.1)
    scene.send(response(AHEAD))
    name = scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.run(8)
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=1e-3)
    assert scene.acks(name)[-1] == "RUNNING"
    assert scene.last("traffic.state").nextNodes == ["c", "d"]
    scene.send(response([AHEAD[1], node("c", 4, 4, 0), AHEAD[3]], revision=2))
    scene.run(5)
    assert scene.truth.pose[0] == pytest.approx(4.0, abs=1e-3)
    scene.send(response([node("c", 4, 4, 0), node("d", 6, 6, 0)], revision=3))
    scene.run(5)
    assert (scene.truth.pose[0], scene.acks(name)[-1]) == (
        pytest.approx(6.0, abs=1e-3),
        "SUCCEEDED",
    )


def test_what_is_left_of_a_route_is_its_horizon_too():
    scene = Scene().run(0.1)
    scene.send(response(AHEAD)).assign(("FOLLOW_ROUTE", {"routeId": "r1"})).run(8)
    progress = scene.last("task.progress")
    assert (progress.pct, progress.etaS) == (
        pytest.approx(100 / 3, abs=0.1),
        pytest.approx(4.0 / 1.2, abs=0.1),
    )


def test_a_horizon_released_in_time_is_driven_without_a_stop():
    scene = Scene().run(0.1)
    scene.send(response(AHEAD))
    scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.run(1.0)
    scene.send(response([node("b", 2, 2, 0), node("c", 4, 4, 0)], revision=2))
    scene.until(lambda: scene.truth.pose[0] > 1.98)
    assert scene.truth.velocity[0] == pytest.approx(1.2)


def test_a_horizon_around_a_corner_is_driven_by_way_of_the_corner():
    scene = Scene().run(0.1)
    scene.send(
        response([node("a", 0, 0, 0), node("b", 2, 2, 0), node("c", 4, 2, 2, released=False)])
    )
    name = scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.run(1.0)
    scene.send(response([node("b", 2, 2, 0), node("c", 4, 2, 2)], revision=2))
    scene.until(lambda: scene.truth.pose[1] > 0.1)
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=1e-3)
    scene.run(0.1)
    assert (scene.last("traffic.state").edgeId, scene.last("traffic.state").nextNodes) == (
        "bc",
        ["c"],
    )
    scene.until(lambda: scene.acks(name)[-1] == "SUCCEEDED")
    assert scene.truth.pose[:2] == pytest.approx((2.0, 2.0), abs=1e-3)


WRONG = {
    "its end is not held": [node("c", 4, 4, 0), node("d", 6, 6, 0)],
    "another node": [node("x", 2, 2, 0), node("c", 4, 4, 0)],
    "another place": [node("b", 2, 2, 1), node("c", 4, 4, 0)],
    "taken back": [node("a", 0, 0, 0), node("b", 2, 2, 0, released=False)],
    "a gap": [node("b", 2, 2, 0), node("c", 6, 4, 0)],
    "odd": [node("b", 3, 2, 0), node("c", 5, 4, 0)],
    "empty": [],
    "a strange action": [node("b", 2, 2, 0), node("c", 4, 4, 0, actions=[{"type": "DANCE"}])],
}


@pytest.mark.parametrize("why", WRONG)
def test_what_does_not_fit_is_rejected_and_the_route_stays(why):
    scene = Scene().run(0.1)
    scene.send(response(AHEAD))
    name = scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.run(0.5)
    scene.send(response(WRONG[why], revision=2))
    (event,) = scene.events("ROUTE_REJECTED")
    assert event.data["reasons"]
    assert (event.data["routeId"], event.data["revision"]) == ("r1", 2)
    scene.run(6)
    assert (scene.truth.pose[0], scene.acks(name)[-1]) == (pytest.approx(2.0, abs=1e-3), "RUNNING")


def test_an_older_revision_is_ignored():
    scene = Scene().run(0.1)
    scene.send(response(AHEAD, revision=5))
    scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.send(response([node("b", 2, 2, 0), node("c", 4, 4, 0)], revision=5))
    scene.run(6)
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=1e-3)
    assert scene.events("ROUTE_REJECTED") == []


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=6))
def test_however_a_route_is_released_it_is_the_same_route(parts):
    """A route released piece by piece equals the route released at once."""
    count = sum(parts) + 1
    whole = [node(f"n{i}", 2 * i, i, i % 2) for i in range(count)]
    route = route_graph.Route("r", 0, whole[:1], [])
    released = 0
    for revision, more in enumerate(parts, 1):
        piece = [
            node(known.nodeId, known.sequenceId, known.x, known.y, i <= released + more)
            for i, known in enumerate(whole)
            if i >= released
        ]
        route, found = route_graph.stitched(
            route, route_graph.Route("r", revision, piece, edges(piece))
        )
        assert found == []
        released += more
        assert route_graph.base_end(route.nodes) == released
    assert (route.nodes, route.edges) == (whole, edges(whole))


# Requests


def test_only_where_to_is_asked_for_and_answered():
    scene = Scene().run(0.1)
    name = scene.command("FOLLOW_ROUTE", to={"x": 4.0, "y": 0.0})
    asked = scene.last("route.request")
    assert (asked.reason, asked.to["x"], asked.start["x"]) == ("PREVIEW", 4.0, 0.0)
    scene.run(1)
    scene.send(response(LINE, request=asked.requestId, route="mine"))
    scene.run(7)
    assert (scene.acks(name)[-1], scene.ack(name).result["routeId"]) == ("SUCCEEDED", "mine")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (response([], status="NO_ROUTE"), "NO_ROUTE"),
        (response([]), "at least one node"),
        (None, "no response"),
    ],
)
def test_no_route_ends_the_command(answer, words):
    scene = Scene().run(0.1)
    name = scene.command("FOLLOW_ROUTE", to={"x": 4.0, "y": 0.0})
    if answer is not None:
        fields = {key: getattr(answer, key) for key in answer.__struct_fields__}
        scene.send(
            m.RouteResponse(**{**fields, "requestId": scene.last("route.request").requestId})
        )
    scene.run(31 if answer is None else 0.1)
    assert (scene.ack(name).status, words in scene.ack(name).message) == ("FAILED", True)
    assert scene.ack(scene.command("MOVE", x=0.1, y=0.0)).status == "RUNNING"


def test_a_way_that_stays_blocked_is_asked_around():
    scene = Scene().run(0.1)
    scene.send(response(LINE))
    name = scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.control("ZONE_BLOCK", id="z1", zone={"x": 2.5, "y": 0.0, "radius": 0.3})
    scene.run(6)
    assert scene.published("route.request") == []
    scene.run(4)
    (asked,) = scene.published("route.request")
    assert (asked.reason, asked.avoid, asked.to) == ("REROUTE", ["z1"], {"x": 4.0, "y": 0.0})
    x = scene.truth.pose[0]
    around = [node("p", 0, x, 0), node("q", 2, x, 2), node("s", 4, 4, 2), node("c", 6, 4, 0)]
    scene.send(response(around, request=asked.requestId, route="r2"))
    scene.run(15)
    assert scene.acks(name)[-1] == "SUCCEEDED"
    assert scene.truth.pose[:2] == pytest.approx((4.0, 0.0), abs=1e-3)


def test_how_long_the_way_has_been_blocked_counts_from_when_it_was_whatever_else_blocks_it_since():
    scene = Scene().run(0.1)
    scene.send(response([*LINE, node("d", 6, 9, 0)]))
    scene.command("FOLLOW_ROUTE", routeId="r1")
    for number, x in ((0, 2.5), (1, 7.0)):
        scene.control("ZONE_BLOCK", id=f"one{number}", zone={"x": x, "y": 0.0, "radius": 0.3})
        scene.until(lambda: scene.status == "PAUSED")
        since_s = scene.sim.now_s
        scene.run(3).control(
            "ZONE_BLOCK", id=f"two{number}", zone={"x": x, "y": 0.1, "radius": 0.4}
        )
        scene.until(lambda number=number: len(scene.published("route.request")) == number + 1)
        assert scene.sim.now_s - since_s == pytest.approx(5.0, abs=0.05)
        assert scene.last("route.request").avoid == [f"one{number}", f"two{number}"]
        scene.send(response([], status="NO_ROUTE", request=scene.last("route.request").requestId))
        for name in ("one", "two"):
            scene.control("RELEASE", id=f"{name}{number}", seq=2)
        scene.until(lambda: scene.status == "RUNNING")


def test_who_has_no_other_way_to_give_is_not_asked_again_at_once():
    scene = Scene().run(0.1)
    scene.send(response(LINE))
    scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.control("ZONE_BLOCK", id="z1", zone={"x": 2.5, "y": 0.0, "radius": 0.3})
    for status in ("NO_ROUTE", "REJECTED", "OK"):  # the last one is invalid
        before = len(scene.published("route.request"))
        scene.until(lambda before=before: len(scene.published("route.request")) > before)
        scene.send(response([], status=status, request=scene.last("route.request").requestId)).run(
            4.9
        )
        assert len(scene.published("route.request")) == before + 1


def test_another_way_that_comes_late_ends_what_is_done_at_a_node():
    scene = Scene().run(0.1)
    scene.send(
        response(
            [
                *LINE[:2],
                node("c", 4, 4, 0, actions=[{"type": "WAIT", "params": {"seconds": 600.0}}]),
            ]
        )
    )
    name = scene.command("FOLLOW_ROUTE", routeId="r1")
    scene.control("ZONE_BLOCK", id="z1", zone={"x": 2.5, "y": 0.0, "radius": 0.3})
    scene.until(lambda: scene.published("route.request"))
    scene.control("RELEASE", id="z1", seq=2)
    scene.until(lambda: scene.truth.pose[0] > 3.99).run(1)
    around = [node("p", 0, 4, 0), node("q", 2, 4, 1)]
    scene.send(response(around, request=scene.last("route.request").requestId, route="r2"))
    scene.until(lambda: scene.acks(name)[-1] == "SUCCEEDED")
    assert scene.robot.state.jobs.by_id == {}


def test_stop_ends_a_route_and_its_action():
    scene = Scene().run(0.1)
    nodes = [node("a", 0, 0.2, 0, actions=[{"type": "RELEASE"}]), node("b", 2, 2, 0)]
    name = scene.command("FOLLOW_ROUTE", nodes=plain(nodes), edges=plain(edges(nodes)))
    scene.until(lambda: scene.truth.axes["gripper"] > 0.01)
    scene.command("STOP")
    scene.run(2)
    assert scene.acks(name)[-1] == "CANCELLED"
    assert scene.truth.axes["gripper"] < 0.06
    assert (scene.robot.state.jobs.by_id, scene.robot.state.jobs.axes) == ({}, {})


def test_a_robot_without_the_module_neither_listens_nor_speaks():
    scene = Scene(capabilities={"supportedModules": {"route": False}}).run(0.1)
    scene.send(response(LINE))
    assert scene.events("NOT_SUPPORTED")[0].source == "route.response"
    for params in (
        {"routeId": "r1"},
        {"to": {"x": 1.0, "y": 0.0}},
        {"nodes": plain(LINE), "edges": plain(edges(LINE))},
    ):
        assert scene.ack(scene.command("FOLLOW_ROUTE", **params)).code == "NOT_SUPPORTED"
    assert scene.published("route.request") == []
