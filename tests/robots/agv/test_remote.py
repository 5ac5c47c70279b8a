"""Real parts in virtual time: wheels follow, axes arrive, lost parts are safe, runs repeat."""

import json
import math

import pytest

from rigless.hardware.codec import HardwareCodec, encode_reading
from rigless.hardware.messages import (
    DeviceReading,
    DriverState,
    InputReading,
    MotorCommand,
    MotorReading,
    OutputReading,
)
from rigless.kernel.plain import pack, unpack
from rigless.kernel.ports import WireError
from rigless.kernel.problems import InputError
from rigless.kernel.simulation import Simulation
from rigless.robots.agv import Robot
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.hardware_port import PORT, hardware_port, real_parts
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.machine.state import MachineState

from .plant import Plant, real_config


@pytest.fixture
def plant() -> Plant:
    made = Plant(real_config())
    made.run(0.2)
    return made


def place(plant: Plant) -> tuple[float, float, float]:
    """Return the pose of the real wheels by dead reckoning of straight legs and turns in place."""
    left, right = plant.drives["drive_left"].position, plant.drives["drive_right"].position
    base = plant.robot.config.dimensions.trackWidthMm / 1000
    return (left + right) / 2, (right - left) / base, left - right


def test_the_wheels_are_driven_to_where_the_robot_says_it_is(plant):
    machine = plant.robot.machine
    machine.drive.go([Waypoint(2.0, 0.0)])
    plant.until(lambda: machine.drive.driving)
    farthest = beyond = 0.0
    while not machine.drive.arrived:
        plant.run(0.02)
        farthest = max(farthest, abs(machine.drive.pose[0] - place(plant)[0]))
        beyond = max(beyond, place(plant)[0] - 2.0)
    assert machine.drive.pose[:2] == pytest.approx((2.0, 0.0), abs=1e-6)
    plant.run(1.0)
    assert place(plant)[0] == pytest.approx(2.0, abs=2e-3)
    assert place(plant)[1] == pytest.approx(0.0, abs=5e-3)
    assert 0.0 < farthest < 0.1, "behind by what the delay costs, and no more"
    assert beyond < 5e-3
    assert plant.drives["drive_left"].commands[-1].kind == "STOP"


def test_a_turn_is_turned_by_the_wheels(plant):
    machine = plant.robot.machine
    machine.drive.go([Waypoint(0.0, 0.0, theta=math.pi / 2)])
    plant.until(lambda: machine.drive.arrived)
    plant.run(1.0)
    assert place(plant)[1] == pytest.approx(math.pi / 2, abs=0.01)
    assert place(plant)[0] == pytest.approx(0.0, abs=2e-3)


def test_an_axis_is_there_when_it_is_read_to_be_there(plant):
    machine, gripper = plant.robot.machine, plant.drives["gripper"]
    machine.motors.move_axis("gripper", 0.05)
    plant.run(0.1)
    assert gripper.commands[-1] == MotorCommand("POSITION", 0.05, "gripper")
    plant.until(lambda: not machine.motors.axis_busy("gripper"))
    assert gripper.position == pytest.approx(0.05, abs=1e-3)
    assert machine.motors.axis_position("gripper") == gripper.position
    gripper.stuck = True
    machine.motors.move_axis("gripper", 0.0)
    plant.run(5.0)
    assert machine.motors.axis_busy("gripper"), "not before"


def test_commands_are_repeated_but_not_in_every_tick(plant):
    commands = plant.drives["hoist"].commands
    before = len(commands)
    plant.run(2.0)
    assert {command.kind for command in commands[before:]} == {"STOP"}
    assert 18 <= len(commands) - before <= 22


def test_what_is_read_is_what_is_told(plant):
    readings = {one.motorId: one for one in plant.robot.machine.motors.readings()}
    assert readings["drive_left"].currentA == 1.5
    assert readings["gripper"].tempC == 40.0
    assert plant.robot.machine.motors.healthy("drive_left")


@pytest.mark.parametrize("how", ["lost", "silent"])
def test_a_lost_wheel_stops_the_robot_and_is_found_again(plant, how):
    machine, other = plant.robot.machine, plant.drives["drive_right"]
    machine.drive.go([Waypoint(5.0, 0.0)])
    plant.run(1.5)
    assert other.velocity > 0.5
    if how == "lost":
        plant.lose("drive_left", "cable")
    else:
        plant.silent.add("drive_left")
    plant.run(0.1 if how == "lost" else 0.6)
    assert machine.motors.drive_fault
    assert not machine.motors.health("drive_left").connected
    assert machine.motors.health("drive_left").faultCode == "DISCONNECTED"
    plant.until(lambda: other.velocity == 0.0)
    assert other.commands[-1].kind == "STOP"
    if how == "lost":
        assert (pytest.approx(1.7, abs=0.05), "DRIVER_LOST", "drive_left") in plant.robot.noticed
    x = machine.drive.pose[0]
    plant.silent.clear()
    plant.drives["drive_left"].position = 100.0  # its counter restarts elsewhere
    plant.run(0.1)
    assert not machine.motors.drive_fault
    assert machine.drive.pose[0] == pytest.approx(x, abs=0.02)
    plant.until(lambda: machine.drive.arrived)
    assert machine.drive.pose[:2] == pytest.approx((5.0, 0.0), abs=1e-3), "it goes on"


def test_a_loss_is_told_once_for_each_reason(plant):
    """A driver repeats its reason at each attempt to reconnect."""
    plant.run(0.5)
    for kind, name in (("motor", "drive_left"), ("input", "estop")):
        plant.silent.add(name)
        for reason in ("cable", "cable", "cable", "address", "address"):
            plant.sim.send("agv", PORT, DriverState(False, reason, kind, name))
            plant.run(0.1)
        assert [source for _, code, source in plant.robot.noticed if code == "DRIVER_LOST"].count(
            name
        ) == 2
        plant.silent.clear()
        plant.run(0.1)
        plant.sim.send("agv", PORT, DriverState(False, "address", kind, name))
        plant.run(0.1)
        assert [source for _, code, source in plant.robot.noticed if code == "DRIVER_LOST"].count(
            name
        ) == 3


def test_a_lost_motor_is_told_to_stop_and_no_more(plant):
    machine, gripper = plant.robot.machine, plant.drives["gripper"]
    machine.motors.move_axis("gripper", 0.08)
    plant.run(0.2)
    plant.silent.add("gripper")
    plant.run(0.7)
    count = len(gripper.commands)
    assert gripper.commands[-1].kind == "STOP"
    plant.run(0.5)
    assert len(gripper.commands) == count
    plant.until(lambda: not machine.motors.axis_busy("gripper"), 1.0)
    plant.silent.clear()
    plant.run(0.5)
    assert gripper.commands[-1].kind == "STOP", "and does not go on by itself"
    assert machine.motors.healthy("gripper")


def test_a_drives_own_fault_is_an_error_until_it_is_reset(plant):
    machine, drive = plant.robot.machine, plant.drives["drive_left"]
    machine.drive.go([Waypoint(5.0, 0.0)])
    plant.run(1.5)
    drive.fault = "0x7305"
    plant.run(0.1)
    assert machine.motors.health("drive_left").state == "ERROR"
    assert machine.motors.health("drive_left").faultCode == "0x7305"
    plant.until(lambda: plant.drives["drive_right"].velocity == 0.0)
    machine.motors.reset_motor("drive_left")
    plant.run(0.1)
    assert MotorCommand("RESET", id="drive_left") in drive.commands
    assert machine.motors.healthy("drive_left")
    plant.until(lambda: machine.drive.arrived)


def test_the_pose_is_true_after_a_wheel_went_its_own_way(plant):
    machine, left, right = (
        plant.robot.machine,
        plant.drives["drive_left"],
        plant.drives["drive_right"],
    )
    machine.drive.go([Waypoint(5.0, 0.0)])
    plant.run(1.5)
    left.fault, left.velocity = "0x7305", 0.0  # stops dead, the other one brakes
    plant.until(lambda: right.velocity == 0.0)
    plant.run(0.5)
    base = plant.robot.config.dimensions.trackWidthMm / 1000
    assert machine.drive.pose[2] == pytest.approx((right.position - left.position) / base, abs=0.02)
    assert machine.drive.pose[2] > 0.5


def test_a_wheel_that_does_not_follow_is_an_error(plant):
    machine = plant.robot.machine
    plant.drives["drive_left"].stuck = True
    machine.drive.go([Waypoint(5.0, 0.0)])
    plant.until(lambda: machine.motors.health("drive_left").faultCode == "NOT_FOLLOWING", 5.0)
    plant.run(2.0)
    assert machine.motors.drive_fault
    assert plant.drives["drive_right"].velocity == 0.0
    plant.drives["drive_left"].stuck = False
    machine.motors.reset_motor("drive_left")
    plant.run(0.1)
    assert not machine.motors.drive_fault


def test_the_e_stop_stops_and_a_chain_that_is_lost_is_pressed(plant):
    machine, drive = plant.robot.machine, plant.drives["drive_left"]
    machine.drive.go([Waypoint(5.0, 0.0)])
    plant.run(1.5)
    plant.inputs["estop"] = True
    plant.run(0.1)
    assert machine.estop == "MANUAL"
    plant.until(lambda: drive.velocity == 0.0)
    plant.run(0.2)
    assert drive.commands[-1].kind == "STOP"
    count, x = len(drive.commands), machine.drive.pose[0]
    drive.position += 0.1  # it is pushed
    plant.drives["drive_right"].position += 0.1
    plant.run(0.5)
    assert {command.kind for command in drive.commands[count:]} == {"STOP"}, (
        "it does not drive back"
    )
    assert machine.drive.pose[0] == pytest.approx(x + 0.1, abs=1e-6)
    plant.inputs["estop"] = False
    plant.run(1.0)
    assert machine.estop == "MANUAL", "it waits to be acknowledged"
    machine.acknowledge()
    plant.run(1.0)
    assert machine.estop == "NONE"
    assert drive.velocity > 0.1
    plant.silent.add("estop")
    plant.run(0.7)
    assert machine.estop == "MANUAL"
    assert machine.lost == ["estop"]
    plant.until(lambda: drive.velocity == 0.0)
    plant.silent.clear()
    plant.run(0.1)
    machine.acknowledge()
    assert machine.estop == "NONE"
    assert machine.lost == []


def test_an_input_that_guards_the_way_stops_the_robot_and_stands_for_the_worst_when_it_is_lost():
    config = real_config()
    entry = {"ioId": "bumper", "type": "BUMPER", "driver": {"type": "PLC", "config": {}}}
    config["io"]["digitalInputs"].append(entry)
    plant = Plant(config)
    machine = plant.robot.machine
    plant.run(0.2)
    assert not machine.obstacle_stop
    plant.inputs["bumper"] = True
    plant.run(0.1)
    assert (machine.obstacle_stop, machine.field_violation) == (True, True)
    plant.inputs["bumper"] = False
    plant.run(0.1)
    assert not machine.obstacle_stop
    plant.silent.add("bumper")
    plant.run(0.8)
    assert machine.obstacle_stop


def test_outputs_go_out_and_are_off_after_a_loss(plant):
    machine, buzzer = plant.robot.machine, plant.outputs["buzzer"]
    machine.set_output("buzzer", True)
    plant.run(0.5)
    assert buzzer == [], "its driver is not there yet"
    plant.tell("buzzer", OutputReading(False, "buzzer"))
    machine.set_output("buzzer", True)
    plant.run(0.3)
    assert buzzer[-1] is True
    plant.run(0.5)  # its readings are stale
    assert machine.outputs()["buzzer"] is False
    plant.tell("buzzer", OutputReading(True, "buzzer"))
    plant.run(0.1)
    assert buzzer[-1] is False


def test_devices_say_what_is_ahead_and_what_was_read():
    plant = Plant(real_config("lidar0", "scanner0"))
    machine = plant.robot.machine
    plant.sim.run(0.1)
    assert machine.devices()["lidar0"] == {"online": False}
    plant.tell("lidar0", DeviceReading({"obstacle_m": 1.2}, "lidar0"))
    plant.tell("scanner0", DeviceReading({"code": "P-17"}, "scanner0"))
    plant.tell("scanner0", DeviceReading({"code": "P-17"}, "scanner0"))
    plant.sim.run(0.02)
    assert machine.obstacle_m == 1.2
    assert machine.field_violation
    assert not machine.obstacle_stop
    assert [code for _, _, code in plant.robot.scanned] == ["P-17", "P-17"]
    assert machine.devices()["scanner0"] == {"online": True, "lastCode": "P-17", "reads": 2}
    plant.tell("lidar0", DeviceReading({"obstacle_m": None, "field_violation": True}, "lidar0"))
    plant.sim.run(0.02)
    assert machine.obstacle_stop
    plant.tell("lidar0", DeviceReading({"obstacle_m": "near", "field_violation": False}, "lidar0"))
    plant.sim.run(0.02)
    assert math.isinf(machine.obstacle_m)
    assert not machine.obstacle_stop


def test_a_device_without_news_is_there_while_its_driver_says_so():
    plant = Plant(real_config("scanner0"))
    machine = plant.robot.machine
    for _ in range(5):
        plant.tell("scanner0", DriverState(True, "", "device", "scanner0"))
        plant.sim.run(0.4)
        assert machine.devices()["scanner0"] == {"online": True}
    plant.sim.run(0.4)
    assert machine.devices()["scanner0"] == {"online": False}


def test_a_motor_is_there_when_it_is_read_and_not_before():
    plant = Plant(real_config("hoist"))
    plant.tell("hoist", DriverState(True, "", "motor", "hoist"))
    plant.sim.run(0.1)
    assert not plant.robot.machine.motors.healthy("hoist")
    plant.tell("hoist", plant.drives["hoist"].reading("hoist"))
    plant.sim.run(0.1)
    assert plant.robot.machine.motors.healthy("hoist")


def test_parts_that_come_one_after_the_other_are_not_missed_at_boot():
    sim = Simulation([Robot("agv", RobotConfig.model_validate(real_config()))])
    motors = ("drive_left", "drive_right", "gripper", "hoist")
    for said in [
        *(MotorReading(0.0, 0.0, "IDLE", "", 0.0, 25.0, name) for name in motors),
        InputReading(False, "estop"),
    ]:
        sim.send("agv", PORT, said)
    sim.run(0.05)
    assert sim.truth("agv").status == "RUNNING"
    assert [said.payload.code for said in sim.take("agv", "nats") if said.type == "events"] == []


def test_parts_of_type_mock_stay_simulated():
    plant = Plant(real_config("drive_left", "drive_right"))
    machine = plant.robot.machine
    plant.run(0.1)
    machine.motors.move_axis("gripper", 0.05)
    plant.until(lambda: not machine.motors.axis_busy("gripper"))
    assert machine.motors.axis_position("gripper") == 0.05
    assert set(plant.drives) == {"drive_left", "drive_right"}
    plant.sim.set_input("agv", "estop", True)
    plant.run(0.1)
    assert machine.estop == "MANUAL"


def test_it_is_the_same_again_and_from_a_snapshot():
    def scene(plant):
        plant.run(0.2)
        plant.robot.machine.drive.go([Waypoint(1.0, 0.0)])
        plant.run(0.7)
        return plant

    first, second = scene(Plant(real_config())), scene(Plant(real_config()))
    assert pack(first.robot.state) == pack(second.robot.state)
    state = first.robot.state.machine
    assert pack(unpack(pack(state), MachineState)) == pack(state)


def test_which_parts_are_real_follows_from_the_config():
    assert hardware_port(RobotConfig.model_validate({"runtime": {"mode": "MOCK"}})) is None
    assert hardware_port(RobotConfig.model_validate({"runtime": {"mode": "REAL"}})) is None, (
        "all of them are MOCK"
    )
    config = real_config("gripper", "hoist_low")
    config["motors"][2]["driver"]["config"] = {
        "node": 7,
        "pollMs": 50,
        "staleMs": 900,
        "watchdogMs": 250,
    }
    config["io"]["digitalInputs"][1]["driver"]["config"] = {
        "address": 3,
        "motorId": "hoist",
        "edge": "MIN",
    }
    gripper, low = real_parts(RobotConfig.model_validate(config))
    assert gripper.config == {"node": 7}
    assert (gripper.poll_s, gripper.watchdog_s) == (0.05, 0.25)
    assert (gripper.max_speed, gripper.position_max, gripper.unit) == (
        pytest.approx(0.05),
        pytest.approx(0.08),
        "m",
    )
    assert (low.kind, low.signal, low.config) == ("input", "LIMIT_SENSOR", {"address": 3})
    config["motors"][2]["driver"]["config"] = {"staleMs": "soon"}
    with pytest.raises(
        InputError, match=r"motors.gripper.driver.config.staleMs: 'soon' is not a time"
    ):
        real_parts(RobotConfig.model_validate(config))


def test_strangers_are_passed_over(plant):
    for message in (
        DriverState(False, "x", "device", "who"),
        OutputReading(True, "who"),
        DeviceReading({}, "who"),
    ):
        plant.tell("", message)
    plant.run(0.1)
    assert plant.robot.machine.motors.healthy("drive_left")


@pytest.mark.parametrize("reads", ["many", None, [1]])
def test_a_device_may_have_its_own_idea_of_a_word(reads):
    plant = Plant(real_config("scanner0"))
    plant.sim.send("agv", PORT, DeviceReading({"reads": reads}, "scanner0"))
    plant.sim.send("agv", PORT, DeviceReading({"code": "A1"}, "scanner0"))
    assert plant.robot.machine.devices()["scanner0"] == {
        "online": True,
        "lastCode": "A1",
        "reads": 1,
    }


@pytest.mark.parametrize(
    "data",
    [b'{"data": {"obstacle_m": 1' + b"0" * 400 + b"}}", b'{"data": {"a": 18446744073709551616}}'],
)
def test_what_cannot_be_kept_is_not_taken(data):
    with pytest.raises(WireError, match="64 bits"):
        HardwareCodec().decode(data, "device/lidar0")
    with pytest.raises(ValueError, match="64 bits"):
        encode_reading("device", "lidar0", DeviceReading(json.loads(data)["data"]))


def test_a_motor_that_is_nowhere_is_not_believed():
    with pytest.raises(WireError):
        HardwareCodec().decode(
            b'{"position": 1e300, "velocity": 0, "state": "IDLE"}', "motor/drive_left"
        )
