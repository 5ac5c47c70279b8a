"""The machine as a whole: deterministic, restorable, and cheap at rest."""

import pytest

from rigless.kernel.inputs import SetInput
from rigless.kernel.plain import pack, to_json, unpack
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.motion import motors as m

from .bench import BenchState, bench, profile

SCRIPT = {
    "obstacleScript": [{"atS": 3.0, "untilS": 4.5, "distanceM": 0.5}, {"x": 3.0, "y": 2.0}],
    "barcodeScript": [{"atS": 2.0, "code": "X"}],
    "markers": [{"code": "M", "x": 1.0, "y": 0.5}],
    "faultInjectionRules": [
        {"target": "hoist", "atS": 5.0, "durationS": 1.0},
        {"target": "gripper", "chancePerS": 0.3, "durationS": 0.2},
    ],
}


def scene(seed=3):
    sim, robot = bench(seed=seed, runtime=profile(**SCRIPT))
    sim.run(seconds=0.5)
    robot.machine.drive.go([Waypoint(2, 1, stop=False), Waypoint(4, 2, theta=1.0), Waypoint(0, 0)])
    robot.machine.motors.move_axis("hoist", 0.25)
    sim.core.plan(2_000_000_000, SetInput("agv", "estop", True))
    sim.core.plan(2_700_000_000, SetInput("agv", "estop", False))
    return sim, robot


def everything(robot):
    machine = robot.machine
    return (
        pack(robot.state),
        machine.motors.healths(),
        machine.motors.readings(),
        machine.io(),
        machine.devices(),
        machine.battery,
        machine.drive.pose,
        robot.scanned,
        robot.noticed,
    )


def test_the_same_seed_gives_the_same_and_another_does_not():
    runs = []
    for seed in (3, 3, 4):
        sim, robot = scene(seed)
        sim.run(seconds=12.0)
        runs.append(everything(robot))
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_how_time_is_cut_changes_nothing():
    whole, cut = scene(), scene()
    whole[0].run(seconds=10.0)
    for _ in range(1000):
        cut[0].run(seconds=0.01)
        everything(cut[1])  # observation does not change it either
    assert everything(whole[1]) == everything(cut[1])


@pytest.mark.parametrize("at_s", [0.0, 1.0, 1.8, 3.2, 5.3])
def test_from_a_snapshot_it_goes_on_as_it_did(at_s):
    sim, robot = scene()
    sim.run(seconds=at_s)
    saved, scanned, noticed = sim.snapshot(), list(robot.scanned), list(robot.noticed)
    sim.run(seconds=4.0)
    expected = everything(robot)
    for _ in range(2):
        sim.restore(saved)
        robot.scanned, robot.noticed = list(scanned), list(noticed)
        sim.run(seconds=4.0)
        assert everything(robot) == expected


def test_what_it_says_of_itself_after_a_restore_is_of_then():
    """Two runs from one snapshot with equal change counts must not share cached values."""
    sim, robot = bench(io={})
    sim.run(seconds=0.5)
    saved = sim.snapshot()
    seen = []
    for motor in ("hoist", "gripper"):
        sim.restore(saved)
        robot.machine.motors.move_axis(motor, 0.05)
        sim.run(seconds=0.3)
        seen.append((robot.machine.state.changes, robot.machine.motors.health("hoist").position))
    assert seen[0][0] == seen[1][0]
    assert seen[0][1] > 0
    assert seen[1][1] == 0


def test_its_state_is_plain_data():
    sim, robot = scene()
    sim.run(seconds=5.2)
    kept = unpack(pack(robot.state), BenchState)
    assert isinstance(kept.machine, MachineState)
    assert pack(kept) == pack(robot.state)
    assert kept.machine.motors.shape == robot.machine.state.motors.shape
    assert to_json(robot.machine.devices())


def test_a_tick_at_rest_changes_nothing_but_the_time_it_has_rested():
    sim, robot = bench()
    sim.run(seconds=1.5)
    before = unpack(pack(robot.state), BenchState)
    sim.run(seconds=0.3)
    now = robot.state.machine
    assert now.rest_s == pytest.approx(before.machine.rest_s + 0.3)
    before.machine.rest_s = now.rest_s
    assert pack(before) == pack(robot.state)
    assert not now.moving


@pytest.mark.parametrize("why", ["estop", "obstacle_m", "not allowed", "fault", "rule"])
def test_a_robot_that_waits_costs_no_more_than_one_at_rest_and_goes_on_when_it_may(why):
    rules = [{"target": "drive_left", "atS": 1.5, "durationS": 3.0}] if why == "rule" else []
    sim, robot = bench(runtime=profile(faultInjectionRules=rules))
    sim.run(seconds=0.1)
    machine = robot.machine
    machine.drive.go([Waypoint(3, 0)])
    sim.run(seconds=1.0)
    start = {
        "estop": lambda: sim.set_input("agv", "estop", True),
        "obstacle_m": lambda: sim.set_input("agv", "obstacle_m", 0.3),
        "not allowed": lambda: setattr(machine, "drive_allowed", False),
        "fault": lambda: sim.inject("agv", "drive_right"),
        "rule": lambda: None,
    }
    end = {
        "estop": lambda: (sim.set_input("agv", "estop", False), machine.acknowledge()),
        "obstacle_m": lambda: sim.set_input("agv", "obstacle_m", -1),
        "not allowed": lambda: setattr(machine, "drive_allowed", True),
        "fault": lambda: sim.clear("agv"),
        "rule": lambda: None,
    }
    start[why]()
    sim.run(seconds=2.5)
    assert not machine.drive.driving
    assert machine.drive.path_left == 1
    assert not machine.state.moving or why in ("fault", "rule")
    end[why]()
    sim.run(seconds=7.0)
    assert machine.drive.arrived
    assert machine.drive.pose[:2] == (3.0, 0.0)


def test_healths_are_made_once_while_nothing_changes():
    sim, robot = bench()
    sim.run(seconds=0.1)
    first = robot.machine.motors.healths()
    sim.run(seconds=0.5)
    assert robot.machine.motors.healths() is first
    robot.machine.motors.move_axis("hoist", 0.1)
    sim.run(seconds=0.1)
    assert robot.machine.motors.healths() is not first
    assert robot.machine.motors.health("hoist").velocity > 0


def test_a_robot_with_nothing_but_a_drive_ticks():
    sim, robot = bench(motors=[], io={"digitalInputs": [], "digitalOutputs": [], "devices": []})
    sim.run(seconds=0.1)
    assert robot.machine.motors.healths() == []
    assert robot.machine.devices() == {}
    assert not robot.machine.motors.drive_fault
    assert robot.machine.motors.missing_functions == []
    assert robot.machine.motors.motor_of("HOIST") is None


def test_feedback_is_in_the_state_where_other_drivers_may_write_it():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    machine.drivers.disable(3)
    machine.state.wake()
    sim.run(seconds=0.1)
    assert machine.state.motors[3, m.MODE] == m.DISABLE
    assert machine.motors.health("hoist").state == "DISABLED"


def test_speeds_and_safety_can_be_set_while_it_runs():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    machine.drive.go([Waypoint(6, 0)])
    sim.run(seconds=2.0)
    assert machine.drive.velocity[0] == 1.2
    slow = {motor.motorId: motor for motor in robot.config.motors}
    limits = slow["drive_left"].limits
    slower = limits.model_copy(
        update={"maxSpeed": limits.maxSpeed.model_copy(update={"value": 0.5})}
    )
    motors = (slow["drive_left"].model_copy(update={"limits": slower}), *robot.config.motors[1:])
    safety = robot.config.safety.model_copy(update={"obstacleStopDistanceMeters": 1.4})
    config = robot.config.model_copy(update={"motors": motors, "safety": safety})
    kept = pack(robot.state)
    machine.configure(config)
    assert pack(robot.state) == kept
    sim.run(seconds=0.3)
    assert machine.drive.velocity[0] == pytest.approx(0.9), "it slows down at its deceleration"
    sim.run(seconds=1.0)
    assert machine.drive.velocity[0] == 0.5
    sim.set_input("agv", "obstacle_m", 1.3)
    sim.run(seconds=1.0)
    assert machine.obstacle_stop
    machine.configure(robot.config)
    sim.run(seconds=0.1)
    assert machine.obstacle_stop
    machine.resample()
    sim.run(seconds=0.1)
    assert not machine.obstacle_stop
    sim.run(seconds=12.0)
    assert machine.drive.pose == (6.0, 0.0, 0.0)
