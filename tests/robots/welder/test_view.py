"""The welder's page: the arm where it is, the operator's buttons, and a sender beside them that is not disturbed."""

import numpy as np
import pytest

from rigless.robots.welder.view import BODIES, pose

from .scene import Bench, Peer, welder


def press(bench, name):
    for given in bench.robot.view().act(name):
        bench.sim.apply(given)


def test_the_arm_is_drawn_where_it_is():
    bench = Bench()
    rows = np.array(bench.robot.view().draw()["arm"])
    assert rows.shape == (len(BODIES), 8)
    assert rows[-1, :3] * 1000 == pytest.approx(bench.truth.torch_mm)
    assert np.linalg.norm(rows[:, 3:7], axis=1) == pytest.approx(1)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("angle", [0.0, 0.5, 2.0, np.pi, -3.0])
def test_quaternions(axis, angle):
    frame = np.eye(4)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    frame[a, a] = frame[b, b] = np.cos(angle)
    frame[a, b], frame[b, a] = -np.sin(angle), np.sin(angle)
    wanted = np.zeros(4)
    wanted[axis], wanted[3] = np.sin(angle / 2), np.cos(angle / 2)
    assert abs(np.dot(pose(frame)[3:], wanted)) == pytest.approx(1)


def test_the_buttons():
    bench = Bench()
    press(bench, "jog J2 −")
    bench.run(1.0)
    assert bench.truth.joints_deg[1] == pytest.approx(-5)
    bench.ask("G1 X50 F600", 0.5)
    press(bench, "hold")
    bench.run(0.5)
    assert bench.state.mode == "Hold"
    press(bench, "feed −10 %")
    press(bench, "resume")
    assert (bench.state.mode, bench.state.feed_percent) == ("Run", 90)
    press(bench, "reset")
    press(bench, "unlock")
    assert bench.state.mode == "Idle"
    press(bench, "home")
    bench.run(60)
    assert bench.robot.view().measure()["homed"] == 1
    bench.ask("M3", 2.0)
    press(bench, "arc fault")
    bench.run(0.5)
    assert bench.truth.weld.fault == "arc_lost"


def test_a_sender_gets_no_answer_to_the_pendant():
    sim = welder()
    peer = Peer(sim)
    sim.run(0.1)
    peer.heard = b""
    for name in ("jog J1 +", "unlock"):
        for given in sim.robot("welder").view().act(name):
            sim.apply(given)
    sim.run(1.0)
    assert sim.truth("welder").joints_deg[0] == pytest.approx(5)
    assert peer.heard == b""
    peer.say(b"G1 X20 F100\n")
    sim.run(0.1)
    for given in sim.robot("welder").view().act("home"):
        sim.apply(given)
    sim.run(0.1)
    assert peer.heard == b"ok\r\n"
    assert [event.code for event in sim.events][-1] == "pendant"
