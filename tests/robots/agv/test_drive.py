"""The drive: exact legs in minimum time, limits in every phase, stops, holds and dead reckoning."""

import math

import numpy as np
import pytest

from rigless.kernel.inputs import Clear, Inject
from rigless.robots.agv.config import own
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m

from .bench import bench, profile, ticks, trapezoid_s
from .drive_watch import ACC, BASE, DEC, DT_S, TOP, Watch, until


def one_drive():
    return [{**own()["motors"][0], "motorId": "drive"}, *own()["motors"][2:]]


def peak_speed(machine, done):
    speeds = [0.0]

    def watched():
        speeds.append(abs(machine.drive.velocity[0]))
        return done()

    until(machine, watched)
    return speeds


# Closed forms


@pytest.mark.parametrize("distance", [0.001, 0.05, 0.7, 1.5, 7.3])
def test_a_straight_leg_takes_the_trapezoids_time(distance):
    _, robot = bench()
    machine = robot.machine
    machine.drive.go([Waypoint(distance, 0.0)])
    count = until(machine, lambda: machine.drive.arrived)
    assert 0 <= count * DT_S - trapezoid_s(distance, TOP, ACC, DEC) < 2 * DT_S
    assert machine.drive.pose == (distance, 0.0, 0.0)
    assert machine.drive.velocity == (0.0, 0.0)


@pytest.mark.parametrize("angle", [0.02, -0.5, 1.57, 3.0])
def test_a_turn_in_place_takes_the_trapezoids_time(angle):
    _, robot = bench()
    machine = robot.machine
    machine.drive.go([Waypoint(0.0, 0.0, theta=angle)])
    count = until(machine, lambda: machine.drive.arrived)
    expected_s = trapezoid_s(abs(angle) * BASE / 2, TOP, ACC, DEC)
    assert 0 <= count * DT_S - expected_s < 2 * DT_S
    assert machine.drive.pose == (0.0, 0.0, angle)


def test_a_leg_may_be_slower_and_so_may_the_whole_robot():
    for set_limit in (
        lambda machine: machine.drive.go([Waypoint(3, 0, max_speed=0.4)]),
        lambda machine: (machine.drive.go([Waypoint(3, 0)]), machine.drive.limit_speed(0.4)),
    ):
        _, robot = bench()
        set_limit(robot.machine)
        count = until(robot.machine, lambda machine=robot.machine: machine.drive.arrived)
        assert 0 <= count * DT_S - trapezoid_s(3, 0.4, ACC, DEC) < 2 * DT_S


def test_a_curved_way_is_an_exact_arc():
    """With constant wheel speeds the robot stays on a circle, at any tick rate."""
    _, robot = bench()
    drive, const, wheels = (
        robot.machine.state.drive.copy(),
        robot.machine.const,
        robot.machine.wheels,
    )
    motors = m.at_rest(robot.machine.limits)
    left, right, count = 0.3, 0.5, 400
    for _ in range(count):
        motors[0, m.POSITION] += left * 0.05
        motors[1, m.POSITION] += right * 0.05
        d.advance(drive, np.zeros((0, d.PATH_SIZE)), const, motors, wheels, 0.05)
    radius, turned = (
        BASE / 2 * (left + right) / (right - left),
        (right - left) / BASE * count * 0.05,
    )
    assert drive[d.X] == pytest.approx(radius * math.sin(turned), abs=1e-9)
    assert drive[d.Y] == pytest.approx(radius * (1 - math.cos(turned)), abs=1e-9)
    assert drive[d.THETA] == pytest.approx(math.remainder(turned, math.tau), abs=1e-9)
    assert drive[d.ODOMETER] == pytest.approx(0.4 * 20)


# Path


def test_a_corner_is_not_cut_nor_overrun():
    _, robot = bench()
    machine = robot.machine
    machine.drive.go([Waypoint(2, 0, stop=False), Waypoint(2, 2)])
    places = []

    def watched():
        places.append(machine.drive.pose)
        return machine.drive.arrived

    until(machine, watched)
    assert max(x for x, _, _ in places) <= 2 + 1e-6
    assert all(abs(y) < 1e-9 or abs(x - 2) < 1e-9 for x, y, _ in places)


def test_sent_aside_at_speed_it_comes_to_rest_before_it_turns_and_never_backs_up():
    for to in (Waypoint(2, 3), Waypoint(2.2, 0)):
        _, robot = bench()
        machine = robot.machine
        machine.drive.go([Waypoint(9, 0)])
        until(machine, lambda machine=machine: machine.drive.pose[0] > 2)
        machine.drive.go([to])
        while machine.drive.velocity[0] > 0:
            assert machine.drive.pose[1:] == (0.0, 0.0)
            machine.tick(DT_S)
        slowest = []
        until(
            machine,
            lambda machine=machine, slowest=slowest: (
                slowest.append(machine.drive.velocity[0]) or machine.drive.arrived
            ),
        )
        assert min(slowest) >= 0
        assert machine.drive.pose[:2] == (to.x, to.y)


def test_it_turns_drives_and_turns_again():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    machine.drive.go([Waypoint(0.0, 2.0, theta=0.0)])
    until(machine, lambda: machine.drive.velocity[0] > 0)
    assert machine.drive.pose == pytest.approx((0.0, 0.0, math.pi / 2), abs=1e-3)
    assert machine.drive.leg[0] == 0
    assert machine.drive.driving
    until(machine, lambda: machine.drive.leg[1] > 1.0)
    assert machine.drive.pose[1] == pytest.approx(machine.drive.leg[1])
    until(machine, lambda: machine.drive.arrived)
    assert machine.drive.pose == (0.0, 2.0, 0.0)
    assert not machine.drive.driving
    assert machine.drive.reached == 1


def test_it_goes_through_waypoints_on_a_line_at_speed_and_stops_at_those_that_ask_for_it():
    def slowest(stop):
        _, robot = bench()
        machine = robot.machine
        machine.drive.go([Waypoint(3, 0, stop=stop), Waypoint(6, 0)])
        until(machine, lambda: machine.drive.pose[0] > 1.5)
        return min(peak_speed(machine, lambda: machine.drive.pose[0] > 4.5)[1:])

    assert slowest(False) == TOP
    assert slowest(True) == 0.0


def test_a_slower_leg_is_entered_at_its_speed():
    _, robot = bench()
    machine = robot.machine
    machine.drive.go(
        [Waypoint(3, 0, stop=False), Waypoint(5, 0, max_speed=0.3, stop=False), Waypoint(9, 0)]
    )
    until(machine, lambda: machine.drive.reached == 1)
    assert machine.drive.velocity[0] == pytest.approx(0.3)
    assert max(peak_speed(machine, lambda: machine.drive.reached == 2)) <= 0.3 * (1 + 1e-9)
    assert max(peak_speed(machine, lambda: machine.drive.arrived)) == TOP


def test_a_horizon_that_is_released_in_time_costs_no_speed_and_later_it_stops():
    def slowest(extend_at):
        _, robot = bench()
        machine = robot.machine
        machine.drive.go([Waypoint(3, 0, stop=False)])
        until(machine, lambda: machine.drive.pose[0] >= extend_at or machine.drive.arrived)
        machine.drive.extend([Waypoint(6, 0)])
        speeds = peak_speed(machine, lambda: machine.drive.pose[0] > 4.0)[1:]
        until(machine, lambda: machine.drive.arrived)
        assert machine.drive.pose == (6.0, 0.0, 0.0)
        assert machine.drive.reached == 2
        return min(speeds)

    brakes_at = 3 - TOP**2 / (2 * DEC)
    assert slowest(brakes_at - 0.05) == TOP
    assert 0.3 < slowest(brakes_at + 0.3) < TOP
    assert slowest(3.0) == 0.0


def test_a_hold_keeps_the_path_and_a_halt_forgets_it():
    _, robot = bench()
    machine = robot.machine
    machine.drive.go([Waypoint(5, 0)])
    until(machine, lambda: machine.drive.velocity[0] == TOP)
    at, needs_m = machine.drive.pose[0], machine.drive.stop_distance_m
    machine.drive_allowed = False
    ticks(machine, 300)
    assert machine.drive.velocity[0] == 0.0
    assert machine.drive.path_left == 1
    assert not machine.drive.arrived
    assert machine.drive.pose[0] - at == pytest.approx(needs_m, abs=1e-6)
    assert needs_m == pytest.approx(0.72)
    machine.drive_allowed = True
    until(machine, lambda: machine.drive.velocity[0] == TOP)
    machine.drive.halt()
    ticks(machine, 300)
    assert machine.drive.velocity[0] == 0.0
    assert machine.drive.path_left == 0
    assert machine.drive.pose[0] < 5
    assert not machine.drive.arrived


def test_an_faulty_drive_motor_brings_the_robot_to_rest_within_its_limits():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    machine.drive.go([Waypoint(9, 0)])
    sim.run(seconds=3.0)
    watch = Watch(robot, DT_S)
    sim.apply(Inject("agv", "drive_left", "disconnected"))
    for _ in range(int(TOP / DEC / DT_S) + 2):
        watch.tick()
    assert machine.drive.velocity == (0.0, 0.0)
    assert machine.motors.drive_fault
    assert machine.drive.path_left == 1
    assert abs(machine.drive.pose[2]) < 0.05
    sim.apply(Clear("agv", "drive_left"))
    watch.to_the_end()
    assert machine.drive.pose[:2] == (9.0, 0.0)
    assert abs(machine.drive.pose[2]) < 0.05


@pytest.mark.parametrize("kind", ["weak", "lag"])
def test_a_wheel_that_does_less_than_it_should_bends_the_way_and_the_robot_aims_anew(kind):
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    sim.apply(
        Inject("agv", "drive_left", kind, {"factor": 0.9} if kind == "weak" else {"tau_s": 0.05})
    )
    machine.drive.go([Waypoint(4, 0)])
    until(machine, lambda: machine.drive.pose[0] > 0.4)
    assert machine.drive.pose[2] > 1e-3
    until(machine, lambda: machine.drive.arrived)
    assert machine.drive.pose[:2] == pytest.approx((4, 0), abs=2e-3)


# Chassis


def test_a_track_drive_keeps_to_its_line_and_takes_corners_at_speed():
    _, robot = bench(motors=one_drive())
    machine = robot.machine
    machine.drive.go([Waypoint(3, 0, stop=False), Waypoint(3, 3, stop=False), Waypoint(0, 3)])
    speeds = peak_speed(machine, lambda: machine.drive.reached == 1)
    assert speeds[-1] == TOP
    assert machine.drive.pose[2] == pytest.approx(math.pi / 2)
    assert machine.drive.pose[0] == 3.0
    count = until(machine, lambda: machine.drive.arrived)
    assert machine.drive.pose == pytest.approx(
        (0, 3, -math.pi), abs=1e-12
    ) or machine.drive.pose == pytest.approx((0, 3, math.pi))
    assert 0 <= (count + len(speeds) - 2) * DT_S - trapezoid_s(9, TOP, ACC, DEC) < 3 * DT_S
    assert machine.drive.odometer_m == pytest.approx(9.0)


def test_a_track_drive_goes_back_the_way_it_came_without_turning():
    """The sides keep their places: it cannot turn on its track."""
    _, robot = bench(motors=one_drive())
    machine = robot.machine
    there = [Waypoint(3, 0, stop=False), Waypoint(3, 3)]
    machine.drive.go(there)
    until(machine, lambda: machine.drive.arrived)
    assert machine.drive.pose == pytest.approx((3, 3, math.pi / 2))
    machine.drive.go([Waypoint(3, 0, stop=False), Waypoint(0, 0)])
    assert min(peak_speed(machine, lambda: machine.drive.reached == 1)[3:]) > 0.0
    assert (machine.drive.velocity[0], machine.drive.pose[2]) == (-TOP, pytest.approx(0.0))
    machine.drive.extend([Waypoint(-2, 0), Waypoint(1, 0)])
    until(machine, lambda: machine.drive.reached == 3)
    until(machine, lambda: machine.drive.velocity[0] != 0.0)
    assert machine.drive.velocity[0] > 0.0
    until(machine, lambda: machine.drive.arrived)
    assert machine.drive.pose == pytest.approx((1, 0, 0))
    assert machine.drive.odometer_m == pytest.approx(6 + 6 + 2 + 3)


def test_wheels_are_found_by_metadata_by_name_or_by_order():
    def sides(*motors):
        template = own()["motors"][0]
        _, robot = bench(
            motors=[{**template, "motorId": name, "metadata": more} for name, more in motors]
        )
        return robot.machine.wheels[:, d.SIDE].tolist()

    assert sides(("a", {"side": "right"}), ("b", {"side": "LEFT"})) == [1, -1]
    assert sides(("rightWheel", {}), ("wheel_left", {})) == [1, -1]
    assert sides(("a", {}), ("b", {}), ("c", {}), ("d", {})) == [-1, -1, 1, 1]


def test_wheels_in_turns_drive_as_far_as_their_size_says():
    limits = {
        "maxSpeed": {"unit": "rpm", "value": 120},
        "maxAcceleration": {"unit": "rps2", "value": 1.5},
        "maxDeceleration": {"unit": "rps2", "value": 2},
    }
    motors = [
        {**motor, "limits": limits, "metadata": {"wheelDiameterMm": 150}}
        for motor in own()["motors"][:2]
    ]
    _, robot = bench(motors=motors)
    machine, around = robot.machine, math.pi * 0.15
    machine.drive.go([Waypoint(5, 0)])
    count = until(machine, lambda: machine.drive.arrived)
    assert 0 <= count * DT_S - trapezoid_s(5, 2 * around, 1.5 * around, 2 * around) < 2 * DT_S
    assert machine.drive.pose == (5.0, 0.0, 0.0)
    assert machine.motors.health("drive_left").position == pytest.approx(5 / around), "in turns"


def test_the_slowest_wheel_sets_the_pace():
    motors = own()["motors"]
    slow = {**motors[1]["limits"], "maxSpeed": {"unit": "mps", "value": 0.5}}
    _, robot = bench(motors=[motors[0], {**motors[1], "limits": slow}])
    robot.machine.drive.go([Waypoint(3, 0)])
    assert max(peak_speed(robot.machine, lambda: robot.machine.drive.arrived)) == 0.5
    assert robot.machine.drive.pose == (3.0, 0.0, 0.0)


def test_it_starts_where_the_profile_or_the_scenario_says_and_can_be_placed():
    _, robot = bench(
        runtime=profile(initialPose={"x": 1.0, "y": 2.0, "theta": 0.5, "mapId": "hall"})
    )
    machine = robot.machine
    assert machine.drive.pose == (1.0, 2.0, 0.5)
    assert machine.drive.map_id == "hall"
    machine.drive.go([Waypoint(5, 5)])
    ticks(machine, 50)
    machine.drive.place(7.0, 8.0, 2 * math.pi + 0.25, "yard")
    ticks(machine, 200)
    assert machine.drive.pose == pytest.approx((7.0, 8.0, 0.25), abs=0.4)
    assert machine.drive.map_id == "yard"
    assert not machine.drive.driving
