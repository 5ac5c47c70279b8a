"""Contacts of robots with robots, obstacles and walls, and fields along the swept path."""

import math

import numpy as np
import pytest

from rigless.kernel.inputs import MoveObstacle, PlaceObstacle
from rigless.kernel.problems import InputError
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import World
from rigless.robots.agv import Robot
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.motion.footprint import (
    convex_hull,
    disc_separation,
    is_convex,
    middle,
    put,
    separation,
    with_load,
)
from rigless.scenario.load import open_target
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

from .configs import changed

LENGTH, WIDTH = 0.9, 0.65


def agv(name, x, y=0.0, theta=0.0, sees=True, **changes):
    profile = {"initialPose": {"x": x, "y": y, "theta": theta}, "robotsAreObstacles": sees}
    keys = {"identity.robotId": name, "runtime.simulationProfile": profile, **changes}
    return Robot(name, RobotConfig.model_validate(changed(keys)))


def together(*robots, world=None):
    sim = Simulation(robots, world or World())
    sim.run(0.1)
    return sim


def go(robot, x, y=0.0, theta=None):
    robot.machine.drive.go([Waypoint(x, y, theta)])


def corners(robot):
    given = np.array(robot.machine.protection.corners)
    placed = np.zeros_like(given)
    put(given, len(given), *robot.machine.drive.pose, placed)
    return placed


def apart(one, two):
    a, b = corners(one), corners(two)
    return separation(a, len(a), b, len(b), 1e9)[0]


def least(sim, seconds, step_s=0.1):
    """Run, and return the smallest distance of any two robots."""
    robots, smallest = list(sim.robots.values()), math.inf
    for _ in range(round(seconds / step_s)):
        sim.run(step_s)
        smallest = min(smallest, *(apart(a, b) for n, a in enumerate(robots) for b in robots[:n]))
    return smallest


def events(sim, code):
    return [event for event in sim.events if event.code == code]


# Contacts


def crash(closing=1.0, **changes):
    """Let two robots that do not see each other drive into each other."""
    a = agv("a", 0.0, sees=False, **changes)
    b = agv("b", 6.0, theta=math.pi, sees=False, **changes)
    sim = together(a, b)
    go(a, 20.0)
    go(b, -20.0)
    sim.run(6.0)
    return sim, a, b


def test_two_robots_that_collide_say_who_where_and_how_fast_and_both_stop():
    sim, a, b = crash()
    hits = events(sim, "collision")
    assert [(hit.robot, hit.data["about"]["other"]) for hit in hits] == [("a", "b"), ("b", "a")]
    for hit in hits:
        about = hit.data["about"]
        assert (about["kind"], about["closingMps"]) == ("robot", pytest.approx(2.4, abs=0.02))
        assert (about["x"], about["y"]) == pytest.approx((3.0, 0.0), abs=0.02)
    for robot in (a, b):
        assert robot.truth().reasons == ["COLLISION_STOP"]
        assert robot.truth().velocity == (0.0, 0.0)
        assert robot.metrics["collisions"] == 1
    assert -0.03 < apart(a, b) < 0.0


def test_a_collision_is_acknowledged_and_driving_deeper_is_another_one():
    sim, a, b = crash()
    for robot in ("a", "b"):
        request = {"commandId": "1", "commandType": "MOVE", "params": {"x": 3.0, "y": 5.0}}
        sim.send(robot, "nats", m.CommandRequest(**request))
    acks = [one.payload for one in sim.take("a", "nats") if one.type == "command.ack"]
    assert [(ack.status, ack.code) for ack in acks] == [("REJECTED", "STATUS_FORBIDS")]
    sim.send("a", "nats", m.CommandRequest(commandId="2", commandType="RESUME", params={}))
    sim.run(0.2)
    assert a.truth().reasons == ["COLLISION_STOP"]  # it drove on, deeper
    assert len(events(sim, "collision")) == 4
    a.machine.drive.halt()
    sim.send("b", "nats", m.CommandRequest(commandId="2", commandType="CLEAR_FAULT", params={}))
    go(b, b.machine.drive.pose[0] + 3.0)
    sim.run(3.0)
    assert b.truth().reasons == ["COLLISION_STOP"]  # its corners turn into the other one
    b.relocate(5.0, 0.0, 0.0)  # by hand
    sim.send("b", "nats", m.CommandRequest(commandId="3", commandType="CLEAR_FAULT", params={}))
    sim.run(10.0)
    assert b.truth().reasons == []
    assert apart(a, b) > 1.0


def test_without_the_setting_a_collision_is_reported_and_stops_nobody():
    sim, a, b = crash(**{"safety.stopOnCollision": False})
    sim.run(20.0)
    assert [a.machine.drive.pose[0], b.machine.drive.pose[0]] == [20.0, -20.0]
    assert [a.metrics["collisions"], b.metrics["collisions"]] == [1, 1]


def test_an_obstacle_that_is_put_on_a_robot_at_rest_is_a_collision():
    a = agv("a", 0.0)
    sim = together(a)
    sim.apply(PlaceObstacle("box", 1.0, 0.0, size_m=(0.4, 0.4)))
    sim.run(0.2)
    assert not events(sim, "collision")
    sim.world.state.obstacles["box"].end = (0.6, 0.0, 0.0)
    sim.run(0.2)
    (hit,) = events(sim, "collision")
    assert hit.data["about"] == {
        "other": "box", "kind": "obstacle", "x": 0.425, "y": 0.0, "closingMps": 0.0,
    }  # fmt: skip


def test_an_obstacle_that_is_pushed_through_a_robot_is_one_collision():
    a = agv("a", 0.0, **{"safety.stopOnObstacle": False})
    sim = together(a)
    sim.apply(PlaceObstacle("box", 3.0, 0.0, size_m=(0.4, 0.4)))
    sim.apply(MoveObstacle("box", 0.4, 0.0, over_s=5.0))
    sim.run(3.0)
    assert not events(sim, "collision")
    sim.run(2.5)
    assert len(events(sim, "collision")) == 1
    sim.send("a", "nats", m.CommandRequest(commandId="1", commandType="RESUME", params={}))
    sim.run(1.0)
    assert a.truth().reasons == []  # it was acknowledged, and the robot did not move
    go(a, 5.0)
    sim.run(2.0)  # it drives deeper into the box
    assert len(events(sim, "collision")) == 2
    sim.apply(MoveObstacle("box", -3.0, 0.0, over_s=3.0))
    sim.run(4.0)
    sim.apply(MoveObstacle("box", 0.5, 0.0, over_s=0.5))
    sim.run(1.0)
    assert len(events(sim, "collision")) == 3  # another contact


def hall(wall_x):
    cells = np.zeros((200, 200), bool)
    cells[:, round((wall_x + 10) / 0.1)] = True
    return GridWorld(Grid(cells, 0.1, (-10.0, -10.0, 0.0)))


def test_a_wall_is_hit_by_a_robot_that_does_not_look_and_by_a_corner_in_a_turn():
    a = agv("a", 0.0, **{"safety.stopOnObstacle": False})
    sim = together(a, world=hall(3.0))
    go(a, 9.0)
    sim.run(6.0)
    (hit,) = events(sim, "collision")
    assert (hit.data["about"]["other"], hit.data["about"]["closingMps"]) == ("wall", 1.2)
    assert a.machine.drive.pose[0] == pytest.approx(3.0 - LENGTH / 2, abs=0.02)
    b = agv("b", 2.5, theta=math.pi / 2)  # 0.175 m from the wall, and its corners need 0.23 m
    sim = together(b, world=hall(3.0))
    go(b, 2.5, 5.0, 0.0)
    sim.run(20.0)
    assert len(events(sim, "collision")) == 1


def test_contacts_are_part_of_snapshots():
    sim, _a, _b = crash()
    saved = sim.snapshot()
    sim.run(3.0)
    after = sim.snapshot().to_bytes()
    sim.restore(saved)
    sim.run(3.0)
    assert sim.snapshot().to_bytes() == after
    assert len(events(sim, "collision")) <= 2


# Footprints


def test_a_footprint_is_a_polygon_of_the_config_and_grows_with_the_load():
    wedge = [{"xMm": 1000, "yMm": 0}, {"xMm": -200, "yMm": 300}, {"xMm": -200, "yMm": -300}]
    a, b = agv("a", 0.0, **{"dimensions.footprint": wedge}), agv("b", 4.0)
    sim = together(a, b)
    go(a, 9.0)
    sim.run(10.0)
    assert a.machine.drive.pose[0] == pytest.approx(4.0 - 0.45 - 0.6 - 1.0, abs=1e-5)
    a.machine.state.load_size_m = (2.4, 1.2)
    a.machine.protection.reshape()
    assert a.machine.protection.front_m == 1.2
    assert len(a.machine.protection.corners) == 4  # the load is over the whole wedge
    assert with_load([(1.0, 0.0), (-0.2, 0.3), (-0.2, -0.3)], (0.4, 0.6)) == [
        (-0.2, -0.3), (0.2, -0.3), (1.0, 0.0), (0.2, 0.3), (-0.2, 0.3),
    ]  # fmt: skip


def test_a_footprint_that_is_not_convex_is_an_error():
    dent = [{"xMm": x, "yMm": y} for x, y in ((500, 0), (-500, 300), (0, 0), (-500, -300))]
    _config, found = Robot.check_config(changed({"dimensions.footprint": dent}))
    assert [problem.code for problem in found if problem.severity == "error"] == [
        "FOOTPRINT_NOT_CONVEX"
    ]
    with pytest.raises(InputError):
        open_target("agv", ['dimensions.footprint=[{"xMm": 1, "yMm": 0}]'])


def test_overlaps_are_exact():
    square = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    other = np.zeros((4, 2))
    put(square, 4, 2.5, 0.0, math.pi / 4, other)
    gap, nx, ny = separation(square, 4, other, 4, 1e9)
    assert (gap, nx, ny) == pytest.approx((1.5 - math.sqrt(2), 1.0, 0.0))
    put(square, 4, 1.5, 0.5, 0.0, other)
    assert separation(square, 4, other, 4, 1e9)[0] == pytest.approx(-0.5)
    assert middle(square, 4, other, 4) == pytest.approx((0.75, 0.25))
    assert disc_separation(square, 4, 3.0, 0.0, 0.5)[0] == pytest.approx(1.5)
    assert disc_separation(square, 4, 2.0, 2.0, 1.0)[0] == pytest.approx(math.sqrt(2) - 1)
    assert disc_separation(square, 4, 0.5, 0.0, 0.1)[0] == pytest.approx(-0.6)
    assert is_convex([(0, 0), (1, 0), (0, 1)])
    assert is_convex([(0, 0), (0, 1), (1, 0)])
    assert not is_convex([(0, 0), (1, 1), (1, 0), (0, 1)])
    assert len(convex_hull([(0, 0), (2, 0), (1, 0), (2, 2), (0, 2), (1, 1)])) == 4


# Fields


@pytest.mark.parametrize("degrees", [45, 90, 135])
@pytest.mark.parametrize("late_m", [0.0, 0.3, -0.8])
def test_robots_that_cross_keep_apart(degrees, late_m):
    theta, way_m = math.radians(degrees), 4.0 + late_m
    a = agv("a", 0.0)
    b = agv("b", 4.0 - way_m * math.cos(theta), -way_m * math.sin(theta), theta)
    sim = together(a, b)
    go(a, 10.0)
    go(b, 4.0 + 6.0 * math.cos(theta), 6.0 * math.sin(theta))
    assert least(sim, 15.0) > 0.15
    assert not events(sim, "collision")
    if late_m == 0.0:  # neither has right of way: that is the task of traffic control
        about = [event.data["about"] for event in events(sim, "deadlock")]
        assert about == [{"robots": ["a", "b"]}] * 2
        assert a.truth().reasons == b.truth().reasons == ["OBSTACLE"]


def test_a_robot_turns_on_the_spot_only_if_its_corners_have_room():
    a, b = agv("a", 0.0), agv("b", 0.0, 0.85)  # 0.2 m between them; its corners need 0.23 m
    sim = together(a, b)
    go(a, 0.0, -3.0)
    assert least(sim, 5.0) > 0.0
    assert a.truth().reasons == ["OBSTACLE"]
    go(b, 5.0, 0.85)
    sim.run(15.0)
    assert a.machine.drive.pose[:2] == pytest.approx((0.0, -3.0))
    assert not events(sim, "collision")


def test_a_robot_that_drives_by_sees_one_that_turns():
    a, b = agv("a", -4.0), agv("b", 0.0, 0.75)
    sim = together(a, b)
    go(a, 4.0)
    sim.run(3.2)
    go(b, 0.0, 5.0)
    assert least(sim, 12.0, 0.05) > 0.0
    assert not events(sim, "collision")


def test_robots_in_a_circle_are_named_until_it_opens():
    places = ((0.0, 0.0), (1.3, 0.2), (1.1, 1.5), (-0.2, 1.3))  # each one is before the next
    robots = [agv(name, *places[n], n * math.pi / 2) for n, name in enumerate("abcd")]
    sim = together(*robots)
    for robot in robots:
        x, y, theta = robot.machine.drive.pose
        go(robot, x + 9 * math.cos(theta), y + 9 * math.sin(theta))
    sim.run(5.0)
    found = {event.robot: event.data["about"]["robots"] for event in events(sim, "deadlock")}
    assert found == {key: ["a", "b", "c", "d"] for key in "abcd"}
    robots[0].relocate(50.0, 50.0, 0.0)
    sim.run(2.0)
    assert {event.robot for event in events(sim, "deadlock-cleared")} == set("abcd")


def test_twenty_robots_that_swap_their_places_at_random_never_overlap():
    draw = np.random.default_rng(3)
    places = [(3.0 * (n % 5), 3.0 * (n // 5)) for n in range(20)]
    robots = [
        agv(f"r{n}", x, y, float(draw.uniform(-3, 3)), **{"runtime.tickHz": 25})
        for n, (x, y) in enumerate(places)
    ]
    sim = together(*robots)
    for robot, to in zip(robots, draw.permutation(20).tolist(), strict=True):
        go(robot, *places[to])
    assert least(sim, 25.0, 0.5) > 0.0
    assert not events(sim, "collision")
    assert events(sim, "deadlock")


def test_two_hundred_robots_with_a_move_each_do_not_drive_through_each_other():
    settings = ["count=200", "runtime.tickHz=10", "streams.stateHz=1", "streams.trafficHz=1"]
    sim = open_target("agv", settings, seed=5, collect=False).simulation
    robots, draw = list(sim.robots.values()), np.random.default_rng(1)
    for robot, to in zip(robots, draw.permutation(200).tolist(), strict=True):
        go(robot, *robots[to].machine.drive.pose[:2])
    sim.run(20.0)
    assert not events(sim, "collision")
    poses = np.array([robot.machine.drive.pose for robot in robots])
    near = [
        (a, b)
        for a in range(200)
        for b in np.flatnonzero(np.hypot(*(poses[:a, :2] - poses[a, :2]).T) < 1.2)
    ]
    assert min((apart(robots[a], robots[b]) for a, b in near), default=1.0) > 0.0
    assert sum(robot.truth().odometer_m > 1.0 for robot in robots) > 100
