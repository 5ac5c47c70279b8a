"""The battery: discharged by time and driving, charged by a charger, reported when low."""

import pytest

from rigless.robots.agv.machine.path import Waypoint

from .bench import bench, profile
from .scene import Scene


def running(**battery):
    sim, robot = bench(runtime=profile(battery=battery))
    return sim, robot, robot.machine


def test_it_empties_with_time():
    sim, _, machine = running(capacityWh=100.0, idleW=30.0, initialSoc=0.9)
    sim.run(seconds=360.0)
    assert machine.battery == (pytest.approx(0.9 - 3.0 / 100, abs=1e-4), False)


def test_driving_takes_what_its_speed_takes():
    sim, _, machine = running(capacityWh=10.0, idleW=0.0, driveWPerMps=150.0)
    machine.drive.go([Waypoint(9, 0)])
    sim.run(seconds=12.0)
    assert machine.drive.arrived
    assert machine.battery[0] == pytest.approx(1 - 150 * 9 / 3600 / 10, abs=1e-4), (
        "by the metre, whatever the speed"
    )


def test_a_charger_fills_it_to_the_brim():
    sim, _, machine = running(
        capacityWh=100.0, idleW=30.0, chargeW=330.0, initialSoc=0.5, taperFromSoc=1.0
    )
    sim.set_input("agv", "charging", True)
    sim.run(seconds=360.0)
    assert machine.battery == (pytest.approx(0.8, abs=1e-3), True)
    sim.run(seconds=360.0)
    assert machine.battery == (1.0, True)
    sim.set_input("agv", "charging", False)
    sim.run(seconds=36.0)
    assert machine.battery == (pytest.approx(0.997, abs=1e-4), False)


@pytest.mark.parametrize("rested_s", [0.0, 0.37])
def test_on_the_charger_an_empty_robot_drives_on_whenever_it_is_put_there(rested_s):
    sim, _, machine = running(capacityWh=1.0, idleW=36.0, driveWPerMps=0.0, initialSoc=0.02)
    machine.drive.go([Waypoint(9, 0)])
    sim.run(seconds=10.0)
    while machine.state.rest_s:
        sim.run(seconds=0.01)
    sim.run(seconds=rested_s)
    assert (machine.battery[0], machine.drive.arrived) == (0.0, False)
    sim.set_input("agv", "charging", True)
    sim.run(seconds=20.0)
    assert machine.drive.arrived


def test_a_charger_gives_nothing_for_the_time_before():
    sim, _, machine = running(capacityWh=1.0, idleW=0.0, chargeW=360.0, initialSoc=0.5)
    sim.run(seconds=10.5)
    assert machine.state.rest_s == pytest.approx(0.5, abs=0.1)
    sim.set_input("agv", "charging", True)
    sim.run(seconds=0.9)
    sim.set_input("agv", "charging", False)
    sim.run(seconds=0.1)
    assert machine.battery[0] == pytest.approx(0.59, abs=0.0021), (
        "a tenth a second, to within two ticks"
    )


def test_people_are_told_when_it_is_low_and_when_it_is_empty_it_drives_no_more():
    sim, robot, machine = running(capacityWh=1.0, idleW=36.0, driveWPerMps=0.0, initialSoc=0.2)
    sim.run(seconds=18.0)
    machine.drive.go([Waypoint(9, 0)])
    sim.run(seconds=12.0)
    ((low_s, *noticed),) = robot.noticed
    assert noticed == ["BATTERY_LOW", "battery"]
    assert machine.battery[0] == 0.0
    assert not machine.drive.driving
    assert 0.5 < machine.drive.pose[0] < 5
    assert machine.drive.path_left == 1
    assert low_s == pytest.approx(5.0, abs=1.1)


def test_an_empty_battery_is_an_error_until_it_is_charged():
    small = {"capacityWh": 1.0, "idleW": 36.0, "chargeW": 360.0, "initialSoc": 0.05}
    scene = Scene(runtime={"simulationProfile": {"battery": small}}).run(0.1)
    name = scene.command("MOVE", x=9.0, y=0.0)
    scene.run(8)
    assert (scene.status, scene.ack(name).status, scene.truth.driving) == ("ERROR", "FAILED", False)
    assert [(fault.code, fault.level) for fault in scene.last("state").errors] == [
        ("BATTERY_EMPTY", "FATAL")
    ]
    assert scene.ack(scene.command("MOVE", x=0.0, y=0.0)).code == "STATUS_FORBIDS"
    scene.sim.set_input("agv", "charging", True)
    scene.run(2)
    assert scene.status == "RUNNING"
    assert [event.clearedAt is None for event in scene.events("BATTERY_EMPTY")] == [True, False]


def test_without_a_profile_it_never_gets_low():
    sim, robot = bench()
    robot.machine._battery.use(robot.state.machine, 1e6, 1.0)
    assert (robot.machine.battery[0], robot.noticed) == (0.2, [])
    robot.machine.drive.go([Waypoint(1, 0)])
    sim.run(seconds=5.0)
    assert robot.machine.drive.arrived


def test_of_a_real_battery_nothing_is_told():
    scene = Scene(runtime={"mode": "REAL"}).run(1.1)
    assert (scene.last("state").battery, scene.last("telemetry").battery) == (None, {})
