"""The welder's page: pose, buttons, and a sender that is not disturbed by them."""

import numpy as np
import pytest

from rigless.robots.welder.view import angles_deg

from .scene import Bench, Peer, fields, welder


def press(bench, name):
    for given in bench.robot.view().act(name):
        bench.sim.apply(given)


def give(bench, inputs):
    for given in inputs:
        bench.sim.apply(given)


def test_the_buttons():
    bench = Bench()
    bench.ask("G1 X50 F600", 0.5)
    press(bench, "hold")
    bench.run(0.5)
    assert bench.state.mode == "Hold"
    press(bench, "resume")
    assert bench.state.mode == "Run"
    press(bench, "reset")
    press(bench, "unlock")
    assert bench.state.mode == "Idle"
    press(bench, "home")
    bench.run(60)
    assert bench.robot.view().measure()["homed"] == 1


def test_what_is_injected():
    bench = Bench()
    bench.ask("M3", 2.0)
    press(bench, "arc fault")
    bench.run(0.5)
    assert bench.truth.weld.fault == "arc_lost"
    press(bench, "part sensor")
    assert bench.robot.input["di10"] is True
    press(bench, "part sensor")
    assert bench.robot.input["di10"] is False
    press(bench, "estop")
    bench.run(0.1)
    assert (bench.state.mode, bench.robot.view().stopped) == ("Alarm", True)


@pytest.mark.parametrize("name", ["feed", "power"])
@pytest.mark.parametrize("percent", [10, 11, 99, 100, 137, 199, 200])
def test_a_slider_brings_an_override_to_a_value(name, percent):
    bench = Bench("command_delay_ms=1")
    for before in (200, 10, percent):  # at once, as a hand does while time stands still
        give(bench, bench.robot.view().slide(name, before))
    bench.run(0.01)
    assert bench.robot.view().measure()[name] == percent
    told = fields(bench.send("\x87", 0.01))["Ov"].split(",")
    assert told[{"feed": 0, "power": 2}[name]] == str(percent)


@pytest.mark.parametrize("percent", [25, 50, 100])
def test_rapids_have_three_speeds(percent):
    bench = Bench()
    give(bench, bench.robot.view().slide("rapid", percent))
    assert bench.state.rapid_percent == percent


def test_arc_power_scales_current_and_wire():
    bench = Bench()
    bench.ask("M3", 3.0)
    before = bench.truth.weld
    give(bench, bench.robot.view().slide("power", 120))
    bench.run(2.0)
    after = bench.truth.weld
    assert after.current_a == pytest.approx(1.2 * before.current_a, rel=1e-3)
    assert after.wire_mpm == pytest.approx(1.2 * before.wire_mpm, rel=1e-3)
    assert after.voltage_v == pytest.approx(before.voltage_v, rel=1e-3)


@pytest.mark.parametrize("axis", range(6))
def test_a_jog_is_a_step_or_goes_on_until_it_is_let_go(axis):
    bench = Bench("letters=ABCUVW")
    view = bench.robot.view()
    give(bench, view.jog(axis, -5.0, 1.0))
    bench.run(2.0)
    assert bench.truth.joints_deg[axis] == pytest.approx(-5)
    give(bench, view.jog(axis, float("inf"), 1.0))
    bench.run(0.5)
    assert (bench.state.mode, bench.truth.velocities_degps[axis]) == ("Jog", pytest.approx(30))
    give(bench, view.halt())
    bench.run(0.5)
    assert (bench.state.mode, bench.truth.velocities_degps[axis]) == ("Idle", 0)
    assert -5 < bench.truth.joints_deg[axis] < 15
    give(bench, view.jog(axis, float("-inf"), 1.0))
    bench.run(60)
    assert bench.truth.joints_deg[axis] == pytest.approx(bench.robot.config.limits.low_deg[axis])


@pytest.mark.parametrize(
    "settings", [(), ("command_delay_ms=5",), ("baud=300",)], ids=["", "delay", "slow line"]
)
@pytest.mark.parametrize("busy", ["", "G4 P1", "M66 P3 L3 Q1", "M0"])
def test_a_jog_that_is_let_go_before_it_began_does_not_begin(busy, settings):
    """The jog works with a line in execution, a slow serial line, and while time is paused."""
    bench = Bench(*settings)
    if busy:
        bench.ask(busy)
    view = bench.robot.view()
    give(bench, view.jog(0, float("inf"), 1.0))
    give(bench, view.halt())
    bench.run(3.0)
    press(bench, "resume")
    bench.run(3.0)
    assert abs(bench.truth.joints_deg[0]) < 0.1
    assert bench.state.mode == "Idle"


def test_a_sender_gets_no_answer_to_the_pendant():
    sim = welder()
    peer = Peer(sim)
    robot = sim.robot("welder")
    sim.run(0.1)
    peer.received = b""
    for given in (*robot.view().jog(0, 5.0, 1.0), *robot.view().act("unlock")):
        sim.apply(given)
    sim.run(1.0)
    assert sim.truth("welder").joints_deg[0] == pytest.approx(5)
    assert peer.received == b""
    peer.say(b"G1 X20 F100\n")
    sim.run(0.1)
    for given in (*robot.view().act("home"), *robot.view().jog(0, 5.0, 1.0)):
        sim.apply(given)
    sim.run(0.1)
    assert peer.received == b"ok\r\n"
    assert [event.code for event in sim.events][-2:] == ["pendant", "pendant"]
    peer.say(b"G1 X19\n")  # what the panel did wrong is not held against it
    sim.run(0.1)
    assert peer.received == b"ok\r\nok\r\n"


def test_the_panel_does_not_mend_what_a_sender_did_wrong():
    bench = Bench()
    bench.ask("G999")
    press(bench, "unlock")
    assert bench.ask("G21") == ["error:20"]


def test_pins_have_names():
    parts = {
        part.name: part for part in Bench("virtual_io.output_names.7=Clamp").robot.view().parts
    }
    assert (parts["do0"].label, parts["do0"].short) == ("DO0 Arc on", "")
    assert (parts["do7"].label, parts["do7"].short) == ("DO7 Clamp", "")
    assert (parts["di10"].label, parts["di3"].label, parts["di3"].short) == (
        "DI10 Part sensor",
        "DI3",
        "3",
    )


def test_the_torchs_angles():
    for wanted in (
        (0, 0, 0),
        (10, 20, 30),
        (180, -15, 5),
        (-170, 80, -179),
        (25, 90, 0),
        (25, -90, 0),
    ):
        rx, ry, rz = np.radians(wanted)
        about_x = np.array([[1, 0, 0], [0, np.cos(rx), -np.sin(rx)], [0, np.sin(rx), np.cos(rx)]])
        about_y = np.array([[np.cos(ry), 0, np.sin(ry)], [0, 1, 0], [-np.sin(ry), 0, np.cos(ry)]])
        about_z = np.array([[np.cos(rz), -np.sin(rz), 0], [np.sin(rz), np.cos(rz), 0], [0, 0, 1]])
        frame = np.eye(4)
        frame[:3, :3] = about_z @ about_y @ about_x
        assert angles_deg(frame) == pytest.approx(wanted, abs=1e-6)


def test_the_torchs_speed():
    bench = Bench()
    x, y, _ = bench.truth.torch_mm
    bench.ask("G1 X50 F600", 1.0)
    assert bench.robot.view().measure()["speed"] == pytest.approx(
        np.radians(10) * np.hypot(x, y), rel=1e-3
    )
