"""Traffic: holds, limits and zones, duplicated and reordered, and the traffic state."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.agv import messages as m
from rigless.robots.agv.modules import traffic, zones

from .scene import Scene


def moving(**changes):
    scene = Scene(**changes).run(0.1)
    scene.command("MOVE", id="go", x=6.0, y=0.0)
    return scene.run(2)


# Holds


def test_a_held_move_goes_on_after_the_release():
    scene = moving()
    scene.control("HOLD")
    scene.run(2)
    assert (scene.status, scene.truth.velocity[0], scene.truth.reasons) == (
        "PAUSED",
        0.0,
        ["TRAFFIC_HOLD"],
    )
    assert (scene.last("traffic.state").held, scene.last("traffic.state").holdIds) == (True, ["h1"])
    assert scene.acks("go") == ["ACCEPTED", "RUNNING"]
    scene.control("RELEASE", seq=2)
    scene.run(8)
    assert scene.acks("go")[-1] == "SUCCEEDED"
    assert scene.truth.pose[0] == pytest.approx(6.0, abs=1e-3)


def test_a_move_that_comes_while_held_waits_for_the_release():
    scene = Scene().run(0.1)
    scene.control("HOLD").run(0.1)
    scene.command("MOVE", id="go", x=1.0, y=0.0)
    scene.run(2)
    assert (scene.acks("go"), scene.truth.pose[0]) == (["ACCEPTED", "RUNNING"], 0.0)
    scene.control("RELEASE", seq=2)
    scene.run(4)
    assert (scene.acks("go")[-1], scene.truth.pose[0]) == ("SUCCEEDED", pytest.approx(1.0))


@pytest.mark.parametrize("name", ["estop", "PAUSE"])
def test_what_a_person_stopped_begins_nothing(name):
    scene = Scene().run(0.1)
    scene.control("HOLD")
    if name == "estop":
        scene.sim.set_input("agv", "estop", True)
    else:
        scene.command("PAUSE", id="pause")
    scene.run(0.1)
    scene.command("MOVE", id="go", x=1.0, y=0.0)
    assert scene.acks("go") == ["REJECTED"]


def test_a_move_that_expires_before_it_could_begin_is_not_done():
    scene = Scene().run(0.1)
    scene.control("HOLD")
    scene.command("MOVE", id="late", valid_s=3.0, x=1.0, y=0.0)
    scene.run(2.9)
    assert scene.acks("late") == ["ACCEPTED", "RUNNING"]
    scene.run(0.2)
    assert (scene.ack("late").status, scene.ack("late").code) == ("EXPIRED", "EXPIRED")
    scene.command("MOVE", id="begun", valid_s=3.0, x=1.0, y=0.0)
    scene.control("RELEASE", seq=2).run(0.2)
    scene.control("HOLD", seq=3).run(5)
    assert scene.acks("begun") == ["ACCEPTED", "RUNNING"]  # a running command does not expire
    scene.control("RELEASE", seq=4).run(5)
    assert scene.acks("begun")[-1] == "SUCCEEDED"


def test_a_hold_brakes_within_the_limits():
    scene = moving()
    v = scene.truth.velocity[0]
    scene.control("HOLD")
    x = scene.truth.pose[0]
    scene.until(lambda: not scene.truth.driving)
    assert scene.truth.pose[0] - x == pytest.approx(v * v / 2.0, abs=0.04)


def test_a_hold_whose_time_has_passed_is_ignored_and_one_ends_by_itself():
    scene = moving()
    scene.control("HOLD", valid_s=0.0)
    scene.run(0.1)
    assert (scene.status, scene.events("TRAFFIC_HOLD")) == ("RUNNING", [])
    scene.control("HOLD", id="h2", valid_s=1.0)
    scene.run(0.9)
    assert scene.status == "PAUSED"
    scene.run(0.2)
    assert scene.status == "RUNNING"


def test_a_state_never_tells_of_a_hold_in_one_place_alone():
    scene = Scene(streams={"stateHz": 1}).run(0.1)
    scene.control("HOLD", valid_s=0.52).run(1)
    states = [
        (state.holds, state.status, state.statusReasons) for state in scene.published("state")
    ]
    assert (["h1"], "PAUSED", ["TRAFFIC_HOLD"]) in states
    assert all(bool(holds) == ("TRAFFIC_HOLD" in reasons) for holds, _, reasons in states)


def test_a_release_that_comes_late_is_a_release():
    scene = moving()
    scene.control("HOLD")
    scene.run(0.1)
    scene.control("RELEASE", seq=2, valid_s=-5.0)
    scene.run(0.1)
    assert scene.status == "RUNNING"


def test_the_servers_time_counts_for_holds():
    scene = Scene().run(0.1)
    scene.send(
        m.TrafficControl(
            controlId="h",
            kind="HOLD",
            seq=1,
            validUntil="2040-01-01T00:00:02Z",
            receivedAtNs=2208988800 * 10**9,
        )
    )
    scene.run(1.9)
    assert scene.status == "PAUSED"
    scene.run(0.2)
    assert scene.status == "RUNNING"


@pytest.mark.parametrize(
    ("release", "left"),
    [
        ({"id": "h1", "seq": 9}, ["h2"]),
        ({"id": "r", "value": "h2"}, ["h1"]),
        ({"id": "r", "value": {"controlId": "h2"}}, ["h1"]),
        ({"id": "r"}, []),
        ({"id": "r", "value": "ghost"}, ["h1", "h2"]),
    ],
)
def test_which_hold_a_release_means(release, left):
    scene = Scene().run(0.1)
    scene.control("HOLD", id="h1").control("HOLD", id="h2")
    scene.control("RELEASE", **release)
    scene.run(0.1)
    assert scene.last("state").holds == left


@pytest.mark.parametrize("count", [2, 7])
def test_a_release_with_an_id_of_its_own_ends_what_was_said_before_it(count):
    scene = Scene().run(0.1)
    scene.control("HOLD", id="c1", seq=count - 1).control("HOLD", id="c9", seq=9).run(0.1)
    scene.control("RELEASE", id="c2", seq=count).run(0.1)
    assert scene.last("state").holds == ["c9"]


@pytest.mark.parametrize("release", [{"id": "h1", "seq": 2}, {"id": "r", "seq": 2, "value": "h1"}])
def test_a_release_that_overtakes_its_hold_leaves_what_is_newer(release):
    scene = Scene().run(0.1)
    scene.control("HOLD", id="h2", seq=5).control("RELEASE", **release).run(0.1)
    assert scene.last("state").holds == ["h2"]
    assert [event.data for event in scene.events("UNKNOWN_CONTROL")] == [{"controlId": "h1"}]
    scene.control("HOLD", id="h1", seq=1).run(0.1)
    assert scene.last("state").holds == ["h2"]
    scene.control("HOLD", id="h1", seq=3).run(0.1)
    assert scene.last("state").holds == ["h2", "h1"]


def test_a_release_of_a_name_that_no_control_may_have_is_told():
    scene = Scene().run(0.1)
    scene.control("HOLD").control("RELEASE", id="r", value="x" * 60_000).run(0.1)
    assert (
        "controlId" in scene.events("INVALID_PARAMS")[0].message,
        scene.last("state").holds,
    ) == (True, ["h1"])


def test_a_release_of_a_hold_that_has_run_out_leaves_the_others():
    scene = Scene().run(0.1)
    scene.control("HOLD", id="h1", valid_s=0.5).control("HOLD", id="h2").run(1)
    scene.control("RELEASE", id="h1", seq=2).run(0.1)
    assert scene.last("state").holds == ["h2"]


@pytest.mark.parametrize("release", [{"id": "pass", "seq": 2}, {"id": "r", "value": "pass"}])
def test_a_release_of_a_grant_ends_the_grant_alone(release):
    scene = moving()
    scene.control("ZONE_BLOCK", id="z", zone={"minX": 4.0, "minY": -1.0, "maxX": 5.0, "maxY": 1.0})
    scene.control("GRANT", id="pass", value="z").control("HOLD", id="h").run(1)
    scene.control("RELEASE", **release).run(0.1)
    assert scene.last("state").holds == ["h"]
    scene.control("RELEASE", id="h", seq=2).run(10)
    assert (scene.last("state").holds, scene.truth.pose[0] < 4.0) == (["z"], True)


def test_controls_out_of_order_and_twice():
    scene = Scene().run(0.1)
    scene.control("RELEASE", seq=5).control("HOLD", seq=4).run(0.1)
    assert scene.status == "RUNNING"
    scene.control("HOLD", seq=6).run(0.1)
    assert scene.status == "PAUSED"
    scene.control("RELEASE", seq=7).control("HOLD", seq=6).run(0.1)
    assert scene.status == "RUNNING"


def test_what_is_remembered_of_controls_is_bounded(monkeypatch):
    monkeypatch.setattr(traffic, "MOST_SEQS", 5)
    scene = Scene().run(0.1)
    for n in range(9):
        scene.control("SPEED_LIMIT", id=f"s{n}", value=1.0, valid_s=0.1)
    assert list(scene.robot.state.traffic.seqs) == [f"s{n}/SPEED_LIMIT" for n in range(4, 9)]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.permutations([("HOLD", 1), ("RELEASE", 2), ("HOLD", 3), ("RELEASE", 4), ("HOLD", 5)]),
    st.booleans(),
)
def test_in_whatever_order_the_last_word_counts(order, twice):
    """Of the holds and releases of one control, the highest seq decides."""
    scene = _ready()
    for kind, seq in order * (2 if twice else 1):
        scene.control(kind, seq=seq)
    scene.run(0.05)
    assert scene.status == "PAUSED"
    scene.control("RELEASE", seq=6)
    scene.run(0.05)
    assert scene.status == "RUNNING"


_made = []


def _ready():
    if not _made:
        scene = Scene().run(0.1)
        _made[:] = [scene, scene.sim.snapshot()]
    _made[0].sim.restore(_made[1])
    return _made[0]


# Limits


def test_a_speed_limit_slows_and_the_lowest_counts():
    scene = moving()
    scene.control("SPEED_LIMIT", id="a", value={"mps": 0.5}).control(
        "SPEED_LIMIT", id="b", value=0.2, valid_s=2.0
    )
    scene.control("SPEED_LIMIT", id="c", value={"unit": "mmps", "value": 500}, valid_s=9.0)
    scene.run(1.5)
    assert scene.truth.velocity[0] == pytest.approx(0.2)
    scene.run(1.5)
    assert scene.truth.velocity[0] == pytest.approx(0.5)
    scene.control("RELEASE", id="a", seq=2)
    scene.run(1)
    assert scene.truth.velocity[0] == pytest.approx(0.5)
    scene.control("RELEASE", id="c", seq=2)
    scene.run(1)
    assert scene.truth.velocity[0] == pytest.approx(1.2)
    assert scene.status == "RUNNING"


@pytest.mark.parametrize(
    "value", ["fast", -1, {"mps": None}, True, [1], float(2**70), {}, {"unit": "mps"}]
)
def test_a_limit_that_is_none_is_told(value):
    scene = Scene().run(0.1)
    scene.control("SPEED_LIMIT", value=value)
    assert "mps" in scene.events("INVALID_PARAMS")[0].message


# Zones


ZONES = [
    {"minX": 4.0, "minY": -1.0, "maxX": 5.0, "maxY": 1.0},
    {"polygon": [[4.0, -1.0], [5.0, -1.0], [5.0, 1.0], [4.0, 1.0]]},
    [{"x": 4.0, "y": -1.0}, {"x": 5.0, "y": -1.0}, {"x": 5.0, "y": 1.0}, {"x": 4.0, "y": 1.0}],
    {"x": 5.0, "y": 0.0, "radius": 1.0},
]


@pytest.mark.parametrize("zone", ZONES)
def test_the_robot_stands_before_a_blocked_zone(zone):
    scene = Scene().run(0.1)
    scene.control("ZONE_BLOCK", id="z1", zone=zone)
    scene.command("MOVE", id="go", x=8.0, y=0.0)
    scene.run(8)
    assert (scene.status, scene.truth.reasons, scene.truth.velocity[0]) == (
        "PAUSED",
        ["ZONE_BLOCK:z1"],
        0.0,
    )
    front = scene.truth.pose[0] + 0.45
    assert 3.7 < front <= 4.0
    scene.control("GRANT", id="g1", value="z1")
    scene.run(8)
    assert scene.acks("go")[-1] == "SUCCEEDED"


def test_a_robot_on_a_track_stands_before_a_zone_behind_it():
    scene = Scene(runtime={"simulationProfile": {"kinematics": "TRACK"}}).run(0.1)
    scene.control("ZONE_BLOCK", id="z1", zone={"x": -5.0, "y": 0.0, "radius": 1.0})
    scene.control("ZONE_BLOCK", id="z2", zone={"x": 2.0, "y": 0.0, "radius": 1.0})
    name = scene.command("MOVE", x=-8.0, y=0.0)
    scene.run(2)
    assert scene.last("traffic.state").velocity.v == -1.2
    scene.run(6)
    assert (scene.truth.reasons, scene.truth.velocity[0], scene.truth.pose[2]) == (
        ["ZONE_BLOCK:z1"],
        0.0,
        0.0,
    )
    assert -4.0 <= scene.truth.pose[0] - 0.45 < -3.7
    assert len(scene.events("ZONE_BLOCK")) == 1
    scene.control("RELEASE", id="z1", seq=2).run(8)
    assert (scene.acks(name)[-1], scene.truth.pose) == ("SUCCEEDED", (-8.0, 0.0, 0.0))


@pytest.mark.parametrize("tick_hz", [10, 100])
def test_before_a_blocked_zone_it_brakes_once(tick_hz):
    scene = Scene(runtime={"tickHz": tick_hz}).run(0.1)
    scene.control("ZONE_BLOCK", id="z1", zone=ZONES[0])
    scene.command("MOVE", id="go", x=8.0, y=0.0)
    scene.run(8)
    assert (scene.status, scene.truth.velocity[0]) == ("PAUSED", 0.0)
    assert len(scene.events("ZONE_BLOCK")) == 1  # the begin only


def test_a_zone_ends_with_its_time_and_one_aside_is_passed():
    scene = Scene().run(0.1)
    scene.control("ZONE_BLOCK", id="z1", zone=ZONES[0], valid_s=6.0)
    scene.control("ZONE_BLOCK", id="z2", zone={"x": 2.0, "y": 1.5, "radius": 1.0})
    scene.command("MOVE", id="go", x=8.0, y=0.0)
    scene.run(5)
    assert scene.status == "PAUSED"
    scene.run(8)
    assert scene.acks("go")[-1] == "SUCCEEDED"


def test_a_robot_in_a_zone_may_leave_it():
    scene = Scene().run(0.1)
    scene.control("ZONE_BLOCK", id="z1", zone={"x": 0.0, "y": 0.0, "radius": 1.0})
    scene.command("MOVE", id="go", x=3.0, y=0.0)
    scene.run(6)
    assert scene.acks("go")[-1] == "SUCCEEDED"


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.floats(1.2, 5.0), st.floats(-0.9, 0.9), st.floats(0.1, 1.0), st.floats(0.2, 3.1))
def test_no_blocked_zone_is_ever_entered(x, y, radius, at_s):
    """The block may arrive at any time, unless it is too late to brake."""
    scene = _ready()
    scene.command("MOVE", id="go", x=6.0, y=0.0)
    scene.run(at_s)
    ahead = zones.swept(
        scene.truth.pose, 0.9, 0.65, scene.robot.machine.drive.stop_distance_m + 0.05, 0.05, False
    )
    too_late = zones.touches(ahead, [], (x, y, radius))
    scene.control("ZONE_BLOCK", id="z", zone={"x": x, "y": y, "radius": radius})
    for _ in range(60):
        scene.run(0.1)
        body = zones.footprint(scene.truth.pose, 0.9, 0.65)
        assert too_late or not zones.touches(body, [], (x, y, radius))


@pytest.mark.parametrize(
    "zone",
    [
        None,
        {},
        [],
        [[0, 0], [1, 1]],
        {"x": 0, "y": 0, "radius": 0},
        {"minX": 1, "minY": 0, "maxX": 0, "maxY": 1},
        {"polygon": [[0, 0], [1, "a"], [1, 1]]},
        {"radius": 1},
        "hall",
    ],
)
def test_a_zone_that_is_none_is_told(zone):
    scene = Scene().run(0.1)
    scene.control("ZONE_BLOCK", zone=zone)
    assert "zone" in scene.events("INVALID_PARAMS")[0].message
    assert scene.robot.state.traffic.zones == {}


NUMBER = st.integers(-20, 20).map(lambda n: n / 4)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.tuples(NUMBER, NUMBER, NUMBER), st.lists(st.tuples(NUMBER, NUMBER), min_size=3, max_size=3)
)
def test_shapes_touch_where_a_dense_grid_of_points_says_so(pose, corners):
    """A triangle and a body, compared with points on a grid over the body."""
    body = zones.footprint(pose, 2.0, 1.0)
    c, s = math.cos(pose[2]), math.sin(pose[2])
    points = [
        (pose[0] + c * a / 20 - s * b / 20, pose[1] + s * a / 20 + c * b / 20)
        for a in range(-20, 21)
        for b in range(-10, 11)
    ]
    if any(zones.inside(point, corners) for point in points):
        assert zones.touches(body, corners, None)


# Traffic state


def test_the_footprint_is_the_body():
    scene = Scene().run(0.1)
    scene.command("INIT_POSE", x=1.0, y=2.0, theta=math.pi / 2)
    scene.run(0.2)
    state = scene.last("traffic.state")
    assert sorted(state.footprint) == sorted(
        [(0.675, 2.45), (0.675, 1.55), (1.325, 1.55), (1.325, 2.45)]
    )
    assert (state.held, state.stopDistanceM, state.edgeId) == (False, 0.0, None)


def test_the_stopping_distance_is_that_of_the_brakes():
    scene = moving()
    state = scene.last("traffic.state")
    assert state.stopDistanceM == pytest.approx(state.velocity.v**2 / 2.0, abs=1e-3)


def test_a_robot_without_the_module_neither_listens_nor_speaks():
    scene = Scene(capabilities={"supportedModules": {"traffic": False}}).run(0.1)
    scene.control("HOLD")
    scene.run(1)
    scene.send(m.SettingsDesired(version=1, settings={"streams.trafficHz": 50}))
    scene.run(1)
    assert scene.status == "RUNNING"
    assert scene.published("traffic.state") == []
    assert scene.events("NOT_SUPPORTED")[0].source == "traffic.control"
