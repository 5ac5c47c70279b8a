"""The simulation profile: obstacles, walls, codes and faults by script."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.kernel.world import Obstacle, World
from rigless.robots.agv.config import own
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.motion.obstacles import box_gap, disc_gap
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

from .bench import bench, profile

HALF_LENGTH, STOP, WARN = 0.45, 0.6, 1.5  # of the robot that comes with rigless


def running(world=None, seed=0, **script):
    sim, robot = bench(world, seed, runtime=profile(**script))
    sim.run(seconds=0.05)
    return sim, robot, robot.machine


# Obstacles


def test_an_obstacle_ahead_stops_the_robot_while_it_is_there():
    sim, _, machine = running(obstacleScript=[{"atS": 2.0, "untilS": 5.0, "distanceM": 0.4}])
    machine.drive.go([Waypoint(9, 0)])
    sim.run(seconds=1.9)
    assert machine.drive.velocity[0] > 1.0
    assert not machine.obstacle_stop
    assert machine.obstacle_m == math.inf
    sim.run(seconds=0.15)
    assert machine.obstacle_stop
    assert machine.field_violation
    assert machine.drive.velocity[0] > 1.0, "it brakes within its limits"
    sim.run(seconds=2.0)
    assert machine.drive.velocity[0] == 0.0
    assert machine.obstacle_m == 0.4
    assert machine.drive.path_left == 1
    sim.run(seconds=12.0)
    assert not machine.obstacle_stop
    assert machine.drive.pose == (9.0, 0.0, 0.0)


def test_people_can_put_something_in_the_way():
    sim, _, machine = running()
    sim.set_input("agv", "obstacle_m", 1.2)
    sim.run(seconds=0.02)
    assert (machine.obstacle_m, machine.obstacle_stop, machine.field_violation) == (
        1.2,
        False,
        True,
    )
    sim.set_input("agv", "obstacle_m", 0.6)
    sim.run(seconds=0.02)
    assert machine.obstacle_stop
    sim.set_input("agv", "obstacle_m", -1)
    sim.run(seconds=0.02)
    assert not machine.obstacle_stop
    assert not machine.field_violation


def test_it_stops_at_its_stop_distance_from_what_stands_at_a_place_and_goes_on_when_it_is_gone():
    sim, _, machine = running(obstacleScript=[{"x": 4.0, "y": 0.3, "radiusM": 0.25, "untilS": 9.0}])
    machine.drive.go([Waypoint(6, 0)])
    sim.run(seconds=8.0)
    edge = 4.0 - 0.25  # its middle is within the robot's width
    assert machine.obstacle_stop
    assert machine.drive.velocity[0] == 0.0
    assert machine.drive.pose[0] == pytest.approx(edge - HALF_LENGTH - STOP, abs=1e-5)
    sim.run(seconds=8.0)
    assert machine.drive.pose == (6.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("y", "stops"), [(0.62, True), (0.63, False), (-0.62, True), (-0.63, False)]
)
def test_what_is_beside_the_way_does_not_stop_it(y, stops):
    """Half the width, 0.325 m, the margin of the field, and the radius, 0.25 m: 0.625 m."""
    sim, _, machine = running(obstacleScript=[{"x": 2.0, "y": y, "radiusM": 0.25}])
    machine.drive.go([Waypoint(4, 0)])
    sim.run(seconds=7.0)
    assert machine.obstacle_stop == stops
    assert machine.drive.arrived != stops


def test_backwards_it_looks_back():
    sim, _, machine = running(obstacleScript=[{"x": -3.0, "y": 0.0}], kinematics="TRACK")
    machine.drive.go([Waypoint(-5, 0)])
    sim.run(seconds=8.0)
    assert machine.obstacle_stop
    assert machine.drive.pose[0] == pytest.approx(-3 + 0.25 + HALF_LENGTH + STOP, abs=1e-5)


@pytest.mark.parametrize(("radius", "turns"), [(0.5, True), (0.95, False)])
def test_it_turns_away_from_an_obstacle_if_its_corners_have_room(radius, turns):
    """Its corners need the half diagonal less half the length: 0.555 - 0.45 m."""
    sim, _, machine = running(obstacleScript=[{"x": 1.45, "y": 0.0, "radiusM": radius}])
    machine.drive.go([Waypoint(3, 0)])
    sim.run(seconds=2.0)
    assert machine.obstacle_stop
    machine.drive.go([Waypoint(0, -3)])
    sim.run(seconds=0.5)
    assert (machine.drive.pose[2] < 0.0) == turns
    sim.run(seconds=8.0)
    assert machine.drive.arrived == turns
    assert machine.obstacle_stop != turns


def test_without_stop_on_obstacle_it_only_warns():
    sim, robot = bench(
        runtime=profile(obstacleScript=[{"distanceM": 0.2}]),
        safety={**own()["safety"], "stopOnObstacle": False},
    )
    sim.run(seconds=0.05)
    robot.machine.drive.go([Waypoint(2, 0)])
    sim.run(seconds=4.0)
    assert robot.machine.drive.arrived
    assert robot.machine.field_violation
    assert not robot.machine.obstacle_stop


def test_where_no_distances_are_given_it_sees_far_enough_to_stand_half_a_metre_before_an_obstacle():
    sim, robot = bench(safety={"stopOnEstop": True, "stopOnObstacle": True})
    found = []
    for distance in (1.53, 1.51, 0.51, 0.49):
        sim.set_input("agv", "obstacle_m", distance)
        sim.run(seconds=0.02)
        found.append((robot.machine.field_violation, robot.machine.obstacle_stop))
    assert found == [(False, False), (True, False), (True, False), (True, True)]
    sim, robot = bench(
        runtime=profile(obstacleScript=[{"x": 4.0, "y": 0.0, "radiusM": 0.3}]),
        safety={"stopOnEstop": True, "stopOnObstacle": True},
    )
    robot.machine.drive.go([Waypoint(6, 0)])
    sim.run(seconds=9.0)
    assert robot.machine.drive.pose[0] == pytest.approx(4.0 - 0.3 - HALF_LENGTH - 0.5, abs=1e-3)


@settings(max_examples=50)
@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.05, 1.0), st.floats(-3.1, 3.1))
def test_the_gap_to_a_disc_is_that_of_its_points(x, y, radius, heading):
    gap = disc_gap(np.array([[x, y, radius]]), 0.0, 0.0, heading, 0.4, 0.3)
    angles = np.linspace(0, 2 * math.pi, 20_001)
    px, py = x + radius * np.cos(angles), y + radius * np.sin(angles)
    ahead, aside = (
        px * math.cos(heading) + py * math.sin(heading),
        py * math.cos(heading) - px * math.sin(heading),
    )
    ways = ahead[np.abs(aside) <= 0.3]
    if x * math.cos(heading) + y * math.sin(heading) <= 0 or not len(ways):
        assert gap == math.inf or not len(ways)
    else:
        assert gap == pytest.approx(max(ways.min() - 0.4, 0.0), abs=2e-3)


@settings(max_examples=50)
@given(
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(0.05, 1.0),
    st.floats(0.05, 1.0),
    st.floats(-3.1, 3.1),
    st.floats(-3.1, 3.1),
)
def test_the_gap_to_a_box_is_that_of_its_points(x, y, half_x, half_y, theta, heading):
    gap = box_gap(np.array([[x, y, half_x, half_y, theta]]), 0.0, 0.0, heading, 0.4, 0.3)
    part = np.linspace(-1, 1, 4001)
    ones = np.ones_like(part)
    along = half_x * np.concatenate([part, part, ones, -ones])
    across = half_y * np.concatenate([ones, -ones, part, part])
    px, py = (
        x + along * math.cos(theta) - across * math.sin(theta),
        y + along * math.sin(theta) + across * math.cos(theta),
    )
    ahead, aside = (
        px * math.cos(heading) + py * math.sin(heading),
        py * math.cos(heading) - px * math.sin(heading),
    )
    ways = ahead[np.abs(aside) <= 0.3]
    if len(ways) and ways.max() > 0:
        assert (
            gap == pytest.approx(max(ways.min() - 0.4, 0.0), abs=5e-3)
            or np.abs(np.abs(aside) - 0.3).min() < 2e-3
        )
    else:
        assert (
            gap == math.inf or np.abs(np.abs(aside) - 0.3).min() < 2e-3 or abs(ahead.max()) < 2e-3
        )


@pytest.mark.parametrize("shape", [{"radius_m": 0.25}, {"size_m": (0.5, 0.8)}])
def test_the_obstacles_of_the_world_stop_it_and_it_goes_on_when_they_move_away(shape):
    away = (4.0, 9.0, 0.0)
    world = World(
        {
            "box": Obstacle(
                **shape, begin=(4.0, 0.0, 0.0), end=away, begin_ns=8 * 10**9, end_ns=8 * 10**9 + 1
            )
        }
    )
    sim, _, machine = running(world)
    machine.drive.go([Waypoint(6, 0)])
    sim.run(seconds=7.0)
    assert machine.obstacle_stop
    assert machine.drive.pose[0] == pytest.approx(4 - 0.25 - HALF_LENGTH - STOP, abs=1e-5)
    sim.run(seconds=8.0)
    assert machine.drive.pose == (6.0, 0.0, 0.0)


def hall():
    """Return a map of 20 m × 8 m in cells of 5 cm.

    It has a wall across at x = 9 m, and a pillar of one cell at y = 2 m.
    """
    occupied = np.zeros((160, 400), bool)
    occupied[:, 280] = True
    occupied[86, 200] = True
    return GridWorld(Grid(occupied, 0.05, (-5.0, -2.0, 0.0)))


def test_the_walls_of_a_map_stop_it():
    sim, _, machine = running(hall(), map="hall")
    machine.drive.go([Waypoint(12, 0)])
    sim.run(seconds=15.0)
    assert machine.obstacle_stop
    assert machine.drive.pose[0] == pytest.approx(9 - HALF_LENGTH - STOP, abs=1e-4)


def test_a_thin_pillar_is_not_missed_and_a_wall_behind_the_end_of_the_way_is_no_obstacle():
    sim, _, machine = running(hall(), map="hall")
    machine.drive.place(0.0, 2.1, 0.0)
    machine.drive.go([Waypoint(8.0, 2.1)])
    sim.run(seconds=9.0)
    assert machine.obstacle_stop
    assert machine.drive.pose[0] == pytest.approx(5 - HALF_LENGTH - STOP, abs=1e-4)
    sim, _, machine = running(hall(), map="hall")
    machine.drive.go([Waypoint(8.4, 0.0)])
    sim.run(seconds=12.0)
    assert machine.drive.pose == (8.4, 0.0, 0.0)
    assert not machine.obstacle_stop


# Codes


def test_codes_are_read_at_their_times_by_the_scanner_that_is_named_or_the_first():
    sim, robot, machine = running(
        barcodeScript=[{"atS": 1.0, "code": "A"}, {"atS": 0.5, "code": "B", "deviceId": "scanner0"}]
    )
    sim.run(seconds=2.0)
    assert robot.scanned == [(0.5, "scanner0", "B"), (1.0, "scanner0", "A")]
    assert machine.devices()["scanner0"] == {"online": True, "lastCode": "A", "reads": 2}
    assert machine.scans == []


@pytest.mark.parametrize("hz", [1, 100])
def test_each_marker_is_read_once_a_passage_at_any_tick(hz):
    """At 1 Hz the robot drives a metre between two ticks, over markers of 5 cm."""
    markers = [
        {"code": f"M{i}", "x": 1.0 + 0.7 * i, "y": 0.04 * (-1) ** i, "radiusM": 0.05}
        for i in range(5)
    ]
    beside = [{"code": "beside", "x": 2.0, "y": 0.06, "radiusM": 0.05}]
    runtime = {**profile(markers=markers + beside, kinematics="TRACK"), "tickHz": hz}
    sim, robot = bench(runtime=runtime)
    sim.run(seconds=1.0)
    robot.machine.drive.go([Waypoint(6, 0)])
    sim.run(seconds=15.0)
    assert robot.machine.drive.arrived
    assert [code for _, _, code in robot.scanned] == ["M0", "M1", "M2", "M3", "M4"]
    robot.machine.drive.go([Waypoint(0, 0)])
    sim.run(seconds=15.0)
    assert [code for _, _, code in robot.scanned][5:] == ["M4", "M3", "M2", "M1", "M0"]


def test_a_marker_under_the_robot_is_read_when_it_is_switched_on_and_not_by_a_scanner_that_is_off():
    here = [{"code": "HERE", "x": 0.0, "y": 0.0}]
    sim, robot, machine = running(markers=here)
    assert [code for _, _, code in robot.scanned] == ["HERE"]
    off = [{"target": "scanner0", "kind": "off", "atS": 0.0}]
    sim, robot, machine = running(
        markers=[{"code": "THERE", "x": 1.0, "y": 0.0}], faultInjectionRules=off
    )
    machine.drive.go([Waypoint(2, 0)])
    sim.run(seconds=4.0)
    assert machine.drive.arrived
    assert robot.scanned == []


# Faults


def test_a_fault_begins_at_its_time_and_ends_after_its_duration():
    sim, robot, machine = running(
        faultInjectionRules=[{"target": "hoist", "atS": 1.0, "durationS": 0.5}]
    )
    sim.run(seconds=0.9)
    assert machine.motors.healthy("hoist")
    sim.run(seconds=0.1)
    assert machine.motors.health("hoist").state == "ERROR"
    assert robot.fault("hoist", "error")
    sim.run(seconds=0.4)
    assert not machine.motors.healthy("hoist")
    sim.run(seconds=0.1)
    assert machine.motors.healthy("hoist")
    assert machine.motors.health("hoist").state == "IDLE"
    assert not robot.faults


def test_a_fault_without_duration_stays_until_it_is_cleared():
    sim, _, machine = running(
        faultInjectionRules=[{"target": "hoist", "kind": "disconnected", "atS": 0.5}]
    )
    sim.run(seconds=5.0)
    assert not machine.motors.health("hoist").connected
    sim.clear("agv", "hoist")
    sim.run(seconds=1.0)
    assert machine.motors.health("hoist").connected


def test_faults_begin_after_a_distance_and_with_a_command():
    rules = [
        {"target": "gripper", "afterDistanceM": 1.0},
        {"target": "hoist", "onCommand": "GRIP", "durationS": 1.0},
        {"target": "drive_left", "kind": "weak", "onCommand": "MOVE", "params": {"factor": 0.5}},
    ]
    sim, robot, machine = running(faultInjectionRules=rules)
    machine.drive.go([Waypoint(3, 0)])
    while machine.drive.odometer_m < 1.0:
        assert machine.motors.healthy("gripper")
        sim.run(seconds=0.01)
    sim.run(seconds=0.02)
    assert not machine.motors.healthy("gripper")
    assert machine.motors.healthy("hoist")
    for _ in range(2):
        machine.command_began("GRIP")
        sim.run(seconds=0.05)
        assert not machine.motors.healthy("hoist")
        sim.run(seconds=1.0)
        assert machine.motors.healthy("hoist")
    machine.command_began("MOVE")
    assert robot.fault("drive_left", "weak").params == {"factor": 0.5}


def test_faults_by_chance_come_as_often_as_they_should_and_depend_on_the_seed():
    rule = {"target": "hoist", "chancePerS": 0.2, "durationS": 0.5}
    runtime = {**profile(faultInjectionRules=[rule]), "tickHz": 10}

    def times(seed):
        sim, _ = bench(seed=seed, runtime=runtime)
        sim.run(seconds=1000.0)
        return [event.time_ns for event in sim.events if event.code == "fault-injected"]

    found = times(1)
    mean_s = 0.5 - 1 / math.log(0.8)  # the fault itself, and the wait for the next
    assert len(found) == pytest.approx(1000 / mean_s, rel=0.2)
    assert found == times(1)
    assert found != times(2)


def test_a_rule_for_something_that_is_not_there_is_an_error_with_a_suggestion():
    with pytest.raises(InputError, match="hoist"):
        running(faultInjectionRules=[{"target": "hoits", "atS": 1.0}])
