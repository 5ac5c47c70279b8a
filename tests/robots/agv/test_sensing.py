"""Inputs, outputs and devices: set by users, by axes at their ends and by faults."""

import pytest

from rigless.kernel.inputs import Clear, Inject
from rigless.robots.agv.config import own
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.motion import motors as m

from .bench import bench


def mock(**config):
    return {"type": "MOCK", "config": config}


def with_inputs(*entries):
    io = own()["io"]
    return {**io, "digitalInputs": [*io["digitalInputs"], *entries]}


def running(**changes):
    sim, robot = bench(**changes)
    sim.run(seconds=0.05)
    return sim, robot, robot.machine


def test_limit_sensors_follow_the_axis():
    sim, _, machine = running()
    assert machine.inputs() == {"estop": False, "hoist_low": True, "hoist_high": False}
    machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=1.0)
    assert not machine.inputs()["hoist_low"]
    assert not machine.inputs()["hoist_high"]
    sim.run(seconds=3.0)
    assert machine.inputs() == {"estop": False, "hoist_low": False, "hoist_high": True}


def test_a_limit_sensor_answers_within_its_tolerance():
    near = {"motorId": "hoist", "edge": "MAX", "tolerance": {"unit": "cm", "value": 2}}
    entry = {"ioId": "nearly_up", "type": "LIMIT_SENSOR", "driver": mock(**near)}
    sim, _, machine = running(io=with_inputs(entry))
    machine.motors.move_axis("hoist", 0.279)
    sim.run(seconds=5.0)
    assert not machine.inputs()["nearly_up"]
    machine.motors.move_axis("hoist", 0.281)
    sim.run(seconds=2.0)
    assert machine.inputs()["nearly_up"]
    assert not machine.inputs()["hoist_high"]


def test_every_input_of_the_configuration_can_be_set_by_people():
    sim, robot, machine = running(
        io=with_inputs({"ioId": "pallet", "type": "PRESENCE", "driver": mock()})
    )
    assert {"estop", "pallet", "hoist_low", "remote_estop", "obstacle_m", "charging"} <= set(
        robot.inputs
    )
    sim.set_input("agv", "pallet", True)
    sim.set_input("agv", "hoist_high", True)
    sim.run(seconds=0.05)
    assert machine.inputs()["pallet"]
    assert machine.inputs()["hoist_high"]
    assert machine.io()["pallet"]
    sim.set_input("agv", "pallet", False)
    sim.run(seconds=0.05)
    assert not machine.inputs()["pallet"]


def test_there_is_an_estop_in_any_case():
    sim, _, machine = running(io={"digitalInputs": []})
    sim.set_input("agv", "estop", True)
    sim.run(seconds=0.05)
    assert machine.estop == "MANUAL"
    assert machine.inputs() == {"estop": True}


@pytest.mark.parametrize(("name", "says"), [("estop", "MANUAL"), ("remote_estop", "REMOTE")])
def test_an_estop_that_gives_nothing_is_pressed(name, says):
    sim, _, machine = running()
    sim.apply(Inject("agv", name, "off"))
    sim.run(seconds=0.05)
    assert machine.estop == says


@pytest.mark.parametrize(
    ("name", "says"), [("estop", "MANUAL"), ("rear_button", "MANUAL"), ("remote_estop", "REMOTE")]
)
def test_an_estop_stops_the_robot_and_its_axes_and_both_go_on_afterwards(name, says):
    sim, _, machine = running(
        io=with_inputs({"ioId": "rear_button", "type": "ESTOP_CHAIN", "driver": mock()})
    )
    machine.drive.go([Waypoint(5, 0)])
    machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=2.0)
    assert machine.drive.velocity[0] == 1.2
    assert machine.motors.health("hoist").velocity == pytest.approx(100)
    sim.set_input("agv", name, True)
    sim.run(seconds=0.5)
    assert machine.drive.velocity[0] == pytest.approx(0.7), "at its deceleration, not at once"
    sim.run(seconds=1.0)
    assert machine.estop == says
    assert not machine.drive.driving
    assert machine.motors.health("hoist").velocity == 0.0
    machine.motors.move_axis("gripper", 0.05)
    sim.run(seconds=1.0)
    assert machine.motors.axis_position("gripper") == 0.0
    assert machine.motors.axis_busy("gripper")
    assert machine.motors.axis_busy("hoist")
    machine.acknowledge()
    assert machine.estop == says, "it is still pressed"
    sim.set_input("agv", name, False)
    at = machine.drive.pose
    sim.run(seconds=2.0)
    assert (machine.estop, machine.drive.pose) == (says, at), "a release does not start motion"
    machine.acknowledge()
    sim.run(seconds=8.0)
    assert machine.estop == "NONE"
    assert machine.drive.pose == (5.0, 0.0, 0.0)
    assert machine.motors.axis_position("hoist") == 0.3
    assert machine.motors.axis_position("gripper") == 0.05


def test_without_stop_on_estop_it_is_told_and_nothing_else():
    sim, _, machine = running(safety={**own()["safety"], "stopOnEstop": False})
    machine.drive.go([Waypoint(3, 0)])
    sim.set_input("agv", "estop", True)
    sim.run(seconds=6.0)
    assert machine.estop == "MANUAL"
    assert machine.drive.arrived


def test_an_axis_that_is_stopped_under_estop_does_not_go_on():
    sim, _, machine = running()
    machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=1.0)
    sim.set_input("agv", "estop", True)
    sim.run(seconds=1.0)
    machine.motors.stop_axis("hoist")
    sim.set_input("agv", "estop", False)
    at = machine.motors.axis_position("hoist")
    sim.run(seconds=2.0)
    assert machine.motors.axis_position("hoist") == at
    assert not machine.motors.axis_busy("hoist")


def test_a_stuck_input_stays_and_an_estop_chain_that_gives_nothing_counts_as_pressed():
    sim, _, machine = running()
    sim.apply(Inject("agv", "hoist_low", "stuck"))
    sim.run(seconds=0.05)
    machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=4.0)
    assert machine.inputs()["hoist_low"]
    assert machine.inputs()["hoist_high"]
    sim.apply(Clear("agv", "hoist_low"))
    sim.run(seconds=0.05)
    assert not machine.inputs()["hoist_low"]
    sim.apply(Inject("agv", "estop", "off"))
    sim.run(seconds=0.05)
    assert machine.estop == "MANUAL"
    sim.apply(Clear("agv"))
    sim.run(seconds=0.05)
    assert machine.estop_released
    machine.acknowledge()
    assert machine.estop == "NONE"
    assert machine.inputs()["hoist_high"]


def test_outputs_are_set_and_others_are_refused():
    _, _, machine = running()
    assert machine.outputs() == {"buzzer": False, "beacon": False}
    machine.set_output("buzzer", True)
    assert machine.outputs()["buzzer"]
    assert machine.io()["buzzer"]
    with pytest.raises(ValueError, match=r"'horn'.*buzzer"):
        machine.set_output("horn", True)


def test_devices_tell_what_they_read_and_can_be_off():
    sim, robot, machine = running()
    assert machine.devices() == {
        "lidar0": {"online": True, "nearestM": None},
        "scanner0": {"online": True},
    }
    sim.set_input("agv", "obstacle_m", 1.25)
    sim.run(seconds=0.05)
    assert machine.devices()["lidar0"] == {"online": True, "nearestM": 1.25}
    sim.apply(Inject("agv", "lidar0", "off"))
    sim.run(seconds=0.05)
    assert machine.devices()["lidar0"] == {"online": False}
    sim.apply(Clear("agv", "lidar0"))
    sim.run(seconds=0.05)
    assert machine.devices()["lidar0"]["online"]
    assert [code for _, code, source in robot.noticed if source == "lidar0"] == [
        "DEVICE_OFF",
        "DEVICE_ON",
    ]


def test_what_wired_drivers_say_counts_as_what_people_set():
    sim, _, machine = running()
    machine.state.wired["estop"] = True
    sim.set_input("agv", "charging", True)  # so that inputs are sampled
    sim.run(seconds=0.05)
    assert machine.estop == "MANUAL"
    assert machine.state.motors[0, m.CONNECTED] == 1.0


def test_an_input_that_guards_the_way_sees_what_is_in_it():
    script = {"name": "", "obstacleScript": [{"atS": 1.0, "untilS": 2.0, "distanceM": 0.55}]}
    entry = {"ioId": "field", "type": "OBSTACLE_FIELD", "driver": mock()}
    sim, _, machine = running(
        io=with_inputs(entry), runtime={**own()["runtime"], "simulationProfile": script}
    )
    assert not machine.inputs()["field"]
    sim.run(seconds=1.0)
    assert machine.inputs()["field"]
    sim.run(seconds=1.0)
    assert not machine.inputs()["field"]
    sim.set_input("agv", "obstacle_m", 0.7)  # nearer than the warning, but not where it stops
    sim.run(seconds=0.05)
    assert not machine.inputs()["field"]


@pytest.mark.parametrize("stops", [True, False])
def test_an_input_that_guards_the_way_stops_the_robot(stops):
    entry = {"ioId": "bumper", "type": "BUMPER", "driver": mock()}
    safety = {**own()["safety"], "stopOnObstacle": stops}
    sim, _, machine = running(io=with_inputs(entry), safety=safety)
    machine.drive.go([Waypoint(5, 0)])
    sim.run(seconds=2.0)
    sim.set_input("agv", "bumper", True)
    sim.run(seconds=1.5)
    assert (machine.obstacle_stop, machine.field_violation, machine.drive.velocity[0] == 0.0) == (
        stops,
        True,
        stops,
    )
    sim.set_input("agv", "bumper", False)
    sim.run(seconds=6.0)
    assert machine.drive.arrived
    sim.apply(Inject("agv", "bumper", "off"))  # the state is unknown
    sim.run(seconds=0.05)
    assert machine.obstacle_stop == stops
