"""Properties of the drive: limits hold and ends are exact, whatever happens on the way."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.agv.machine.path import Waypoint

from .bench import bench, profile, trapezoid_s
from .drive_watch import ACC, BASE, DEC, DT_S, Watch, until

PLACE = st.floats(-2.0, 2.0).map(lambda value: round(value, 3))
WAYPOINT = st.builds(
    Waypoint,
    PLACE,
    PLACE,
    st.none() | st.floats(-3.1, 3.1),
    st.none() | st.floats(0.2, 2.0),
    st.booleans(),
)
LINE = st.builds(  # many on one line, so that they are passed at speed
    lambda length, cap, stop: (length, cap, stop),
    st.floats(0.05, 1.5),
    st.none() | st.floats(0.2, 2.0),
    st.booleans(),
)
EVENT = st.tuples(
    st.integers(1, 60),
    st.one_of(
        st.tuples(st.just("limit"), st.none() | st.floats(0.05, 1.5)),
        st.tuples(st.just("allow"), st.booleans()),
        st.tuples(st.just("obstacle"), st.just(-1.0) | st.floats(0.0, 2.0)),
        st.tuples(st.just("extend"), st.lists(WAYPOINT, min_size=1, max_size=2)),
        st.tuples(st.just("estop"), st.booleans()),
    ),
)


def arrived_at(machine, last):
    x, y, theta = machine.drive.pose
    assert (x, y) == (last.x, last.y)
    assert machine.drive.velocity == (0.0, 0.0)
    if last.theta is not None:
        assert theta == last.theta
    assert machine.drive.path_left == 0


@settings(max_examples=60)
@given(st.lists(WAYPOINT, min_size=1, max_size=4), st.lists(EVENT, max_size=5))
def test_whatever_happens_on_the_way_limits_are_kept_and_the_end_is_exact(waypoints, events):
    _, robot = bench()
    watch = Watch(robot)
    robot.machine.drive.go(waypoints)
    last = waypoints[-1]
    for count, (what, value) in events:
        for _ in range(count):
            watch.tick()
        watch.do(what, value)
        last = value[-1] if what == "extend" else last
    watch.to_the_end()
    arrived_at(robot.machine, last)


@settings(max_examples=60)
@given(
    st.lists(LINE, min_size=1, max_size=6),
    st.floats(-3.1, 3.1),
    st.lists(EVENT, max_size=4),
    st.sampled_from(["free", "ahead", "back"]),
)
def test_on_a_line_too(legs, direction, events, way):
    """A robot on a track cannot turn: it drives backwards to a target behind it."""
    theta = direction + (math.pi if way == "back" else 0.0)
    track = {"kinematics": "TRACK", "initialPose": {"x": 0.0, "y": 0.0, "theta": theta}}
    _, robot = bench() if way == "free" else bench(runtime=profile(**track))
    watch, s, waypoints = Watch(robot, strict=True), 0.0, []
    for length, cap, stop in legs:
        s += length
        waypoints.append(
            Waypoint(s * math.cos(direction), s * math.sin(direction), None, cap, stop)
        )
    robot.machine.drive.go(waypoints[:2])
    left = waypoints[2:]
    for count, (what, value) in events:
        for _ in range(count):
            watch.tick()
        if what == "extend":
            robot.machine.drive.extend(left[:1])
            left = left[1:]
        else:
            watch.do(what, value)
    robot.machine.drive.extend(left)
    watch.to_the_end()
    x, y, found = robot.machine.drive.pose
    assert (x, y) == (waypoints[-1].x, waypoints[-1].y)
    assert math.remainder(found - theta, math.tau) == pytest.approx(0.0, abs=1e-6)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 50), WAYPOINT), min_size=1, max_size=5), st.booleans())
def test_sent_elsewhere_on_its_way_it_keeps_its_limits(moves, track):
    """A track ends with the heading of the line."""
    moves = [(count, replace(to, theta=None) if track else to) for count, to in moves]
    _, robot = bench(runtime=profile(kinematics="TRACK")) if track else bench()
    watch = Watch(robot)
    for count, to in moves:
        robot.machine.drive.go([to])
        for _ in range(count):
            watch.tick()
    watch.to_the_end()
    arrived_at(robot.machine, moves[-1][1])


def test_turns_keep_the_speed_limit_too():
    _, robot = bench()
    machine = robot.machine
    machine.drive.limit_speed(0.2)
    machine.drive.go([Waypoint(0.0, 0.0, theta=2.0)])
    count = until(machine, lambda: machine.drive.arrived)
    assert 0 <= count * DT_S - trapezoid_s(2.0 * BASE / 2, 0.2, ACC, DEC) < 2 * DT_S
