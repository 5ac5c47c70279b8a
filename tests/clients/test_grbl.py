"""The client for real boards against our wire, on TCP and a pseudo terminal."""

import math

import pytest

import rigless
from rigless.clients.grbl import GrblController, open_controller
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.sim_controller import VirtualController


@pytest.fixture
def host():
    with rigless.serve("welder", speed=20.0) as found:
        yield found


@pytest.fixture(params=["grbl", "pty"])
def controller(request, host):
    found = open_controller(host.address("welder", request.param).removeprefix("pty://"))
    assert found.connect()
    assert found.enable()
    yield found
    found.disconnect()


def idle(controller):
    while controller.status().moving:
        continue
    return controller.joint_state()


def test_one_argument_decides(host):
    assert isinstance(open_controller(), VirtualController)
    assert isinstance(open_controller("/dev/ttyACM0"), GrblController)
    assert (
        open_controller("simulation", WelderConfig(planner_blocks=20)).config.planner_blocks == 20
    )


def test_it_moves_a_board(controller):
    assert not controller.is_simulation
    assert controller.send_gcode("G0 A10 W-20")
    assert idle(controller).positions == pytest.approx(
        [math.radians(v) for v in (10, 0, 0, 0, 0, -20)], abs=1e-5
    )
    assert controller.home()
    assert controller.is_homed
    assert not controller.send_gcode("G77")
    assert controller.status().error_code == 20


def test_it_jogs_stops_and_does_io(controller):
    assert controller.jog(1, -0.5)
    assert controller.stop_jog()
    assert controller.joint_state().positions[1] < 0
    assert controller.set_digital_output(3, True)
    assert controller.digital_io().outputs == 8
    assert controller.set_analog_output(1, 5.0)
    assert controller.analog_io().outputs[1] == 5.0
    assert controller.stop()
    assert controller.emergency_stop()
    assert not controller.is_enabled


def test_inputs_are_read_over_the_wire(host):
    controller = open_controller(host.address("welder", "grbl"))
    controller.connect()
    controller.enable()
    host.set_input("welder", "di4", True)
    host.set_input("welder", "ai3", 2.5)
    assert controller.digital_io().inputs == 1 << 4
    assert controller.analog_io().inputs[3] == 2.5
    controller.disconnect()


def test_an_answer_counts_however_slow_the_line_is(host):
    controller = open_controller(host.address("welder", "grbl"))
    assert controller.connect()
    assert controller.enable()
    host.set_input("welder", "di4", True)
    host.inject("welder", "grbl", "delay", ms=2000.0)  # a tenth of a second at this pace
    assert not controller.send_gcode("G77")
    assert controller.status().error_code == 20
    assert controller.enable()
    assert controller._read("M66 P4 L0") == 1
    controller.disconnect()


def test_a_board_that_is_not_there():
    assert not open_controller("tcp://127.0.0.1:1").connect()
    assert not open_controller("/dev/no-such-line").connect()
    assert not open_controller("/dev/null").connect()


def test_a_board_that_goes_away(host):
    controller = open_controller(host.address("welder", "grbl"))
    assert controller.connect()
    host.inject("welder", "grbl", "disconnect")
    controller.status()
    assert not controller.is_connected
