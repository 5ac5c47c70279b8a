"""The seed's own tests of its controller, in virtual time, and the rest of the interface."""

import math

import pytest

from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.motion_controller import MotionController
from rigless.robots.welder.offline.sim_controller import VirtualController


@pytest.fixture
def controller():
    found = VirtualController(WelderConfig(update_rate_hz=100))
    yield found
    found.disconnect()


@pytest.fixture
def ready(controller):
    assert controller.connect()
    assert controller.enable()
    return controller


def test_connect_and_disconnect(controller):
    assert not controller.is_connected
    assert controller.connect()
    assert controller.is_connected
    assert controller.is_simulation
    controller.disconnect()
    assert not controller.is_connected
    assert not controller.status().connected


def test_jog_motion(ready):
    before = ready.joint_state().positions[0]
    assert ready.jog(0, 0.1)
    ready.run(0.1)
    moving = ready.joint_state()
    assert moving.velocities[0] == pytest.approx(0.1)
    assert ready.stop_jog()
    after = ready.joint_state()
    assert after.positions[0] > before
    assert after.velocities[0] == 0


@pytest.mark.parametrize("axis", range(6))
def test_all_axes_jog_both_ways(ready, axis):
    for velocity in (0.2, -0.2):
        before = ready.joint_state().positions[axis]
        assert ready.jog(axis, velocity)
        ready.run(0.5)
        ready.stop_jog()
        assert (ready.joint_state().positions[axis] - before) * velocity > 0


def test_gcode_execution(ready):
    assert ready.home()
    assert ready.is_homed
    assert ready.send_gcode("G1 A45 F100")
    ready.run(1.0)
    assert ready.joint_state().velocities[0] == pytest.approx(math.radians(100 / 60))
    assert ready.wait_idle()
    assert ready.joint_state().positions[0] == pytest.approx(math.radians(45), abs=0.01)


def test_emergency_stop(ready):
    ready.jog(0, 0.5)
    ready.run(0.05)
    assert ready.emergency_stop()
    assert not ready.is_enabled
    assert ready.joint_state().velocities[0] == pytest.approx(0.0, abs=0.001)
    assert not ready.send_gcode("G0 A1")
    assert ready.enable()


def test_dwell_and_rapid(ready):
    assert ready.send_gcode("G0 A10")
    assert ready.send_gcode("G4 P0.5")
    begin = ready.simulation_time_s
    assert ready.wait_idle()
    assert ready.simulation_time_s - begin > 0.5


def test_nothing_is_taken_before_it_is_enabled(controller):
    assert not controller.enable()
    controller.connect()
    assert not controller.send_gcode("G0 A1")
    assert not controller.jog(0, 0.1)
    assert not controller.home()
    assert not controller.set_digital_output(1, True)


def test_time_scale_and_pause(ready):
    begin = ready.simulation_time_s
    ready.set_time_scale(4.0)
    ready.run(0.5)
    assert ready.simulation_time_s - begin == pytest.approx(2.0)
    ready.pause()
    ready.run(5.0)
    assert ready.simulation_time_s - begin == pytest.approx(2.0)
    ready.resume()
    ready.run(0.25)
    assert ready.simulation_time_s - begin == pytest.approx(3.0)
    with pytest.raises(ValueError, match="out of range"):
        ready.set_time_scale(0.0)


def test_io(ready):
    assert ready.set_digital_output(5, True)
    assert ready.digital_io().outputs == 1 << 5
    ready.set_input("di7", True)
    assert ready.digital_io().inputs == 1 << 7
    assert ready.set_analog_output(2, 7.5)
    ready.set_input("ai1", 2.0)
    assert (ready.analog_io().outputs[2], ready.analog_io().inputs[1]) == (7.5, 2.0)
    for call in (
        lambda: ready.set_digital_output(32, True),
        lambda: ready.set_analog_output(0, 10.5),
        lambda: ready.set_analog_output(8, 1),
    ):
        with pytest.raises(ValueError, match=r"digital pin|out of range|analog channel"):
            call()


def test_callbacks(ready):
    statuses, joints = [], []
    ready.set_status_callback(statuses.append)
    ready.set_joint_state_callback(joints.append)
    ready.send_gcode("G1 A10 F600")
    ready.run(0.5)
    assert len(statuses) >= 40
    assert statuses[-1].moving
    assert joints[-1].positions[0] > joints[0].positions[0]
    ready.set_status_callback(None)
    ready.set_joint_state_callback(None)


def test_errors_are_told(ready):
    assert not ready.send_gcode("G77")
    status = ready.status()
    assert (status.error, status.error_code, status.error_message) == (True, 20, "error:20")
    assert not ready.send_gcode("G0 A1\nG0 A2")


def test_letters_are_translated_outside_comments(ready):
    assert ready.translate("G1 A1 b2 W3 (A B) ; C") == "G1 X1 Y2 C3 (A B) ; C"
    wire = VirtualController(letters="XYZABC")
    assert wire.translate("G1 A1") == "G1 A1"


def test_reset_and_set_joint_positions(ready):
    ready.set_joint_positions([0.1] * 6)
    assert ready.joint_state().positions == pytest.approx([0.1] * 6)
    ready.send_gcode("G91 G1 A1 F600")
    ready.wait_idle()
    assert ready.joint_state().positions[0] == pytest.approx(
        0.1 + math.radians(1), abs=math.radians(0.0005)
    )  # a step
    ready.reset()
    assert (ready.simulation_time_s, ready.joint_state().positions) == (0.0, [0.0] * 6)


def test_a_controller_that_is_not_connected_says_so(controller):
    with pytest.raises(RuntimeError, match="not connected"):
        controller.run(1.0)


def test_the_interface_cannot_be_made_half():
    with pytest.raises(TypeError):
        MotionController()


def test_lines_wait_for_room_in_the_receive_buffer():
    """A board without flow control loses what it has no room for."""
    controller = VirtualController(WelderConfig(planner_blocks=15, rx_bytes=128), letters="XYZABC")
    controller.connect()
    controller.enable()
    begin = controller.simulation_time_s
    for n in range(60):
        assert controller.send_gcode(f"G1 X{(n + 1) % 2} F60 (a comment that makes the line long)")
        assert controller.robot.controller.reports.rx_free() >= 0
        assert sum(one.size for one in controller.robot.state.rx) <= 127
    assert controller.simulation_time_s - begin > 20
    controller.disconnect()


def test_enable_forgives_a_wrong_line(ready):
    assert not ready.send_gcode("G77")
    assert not ready.send_gcode("G0 A1")
    assert ready.enable()
    assert ready.send_gcode("G0 A1")


@pytest.mark.parametrize(
    "said", [b"error:x\n", b"<Idle|MPos:1..2,-,3>\n", b"[OPT:V,1,999999999999,6]\n", b"\xff\x00<\n"]
)
def test_nonsense_from_a_board_is_survived(ready, said, monkeypatch):
    monkeypatch.setattr(ready, "_receive_bytes", lambda seconds: said)
    ready._receive(0.0)
    assert ready._joints().positions == [0.0] * 6
    assert ready._status().connected


def test_joints_are_only_put_where_they_can_be(ready):
    for wrong in ([0.0] * 5, [9.0] * 6, [float("nan")] * 6):
        with pytest.raises(ValueError, match="within their limits"):
            ready.set_joint_positions(wrong)


def test_io_from_the_machines_side(ready):
    seen = []
    ready.io.set_digital_input_callback(lambda pin, on: seen.append(("in", pin, on)))
    ready.io.set_digital_output_callback(lambda pin, on: seen.append(("out", pin, on)))
    ready.io.link(4, 9, 50)
    ready.io.set_digital_output(4, True)
    ready.run(0.04)
    assert not ready.io.digital_input(9)
    ready.run(0.02)
    assert seen == [("out", 4, True), ("in", 9, True)]
    ready.io.unlink(4)
    ready.send_gcode("M65 P4")
    ready.run(0.1)
    ready.io.set_digital_input(31, True)
    assert seen[2:] == [("out", 4, False), ("in", 31, True)]
    ready.io.set_analog_input(3, 2.5)
    ready.io.set_analog_output(7, 10.0)
    assert (ready.io.analog_input(3), ready.io.analog_output(7), ready.io.digital_output(4)) == (
        2.5,
        10.0,
        False,
    )
    for wrong in (
        lambda: ready.io.link(32, 0),
        lambda: ready.io.link(0, 0, -1),
        lambda: ready.io.set_analog_input(0, 11),
        lambda: ready.io.digital_input(-1),
    ):
        with pytest.raises(ValueError, match=r"no digital pin|not possible|out of range"):
            wrong()
