"""The Cartesian profile on the wire: path and speed of the tool, and poses out of reach."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.cycle_time import estimate
from rigless.robots.welder.offline.sim_controller import VirtualController
from rigless.robots.welder.offline.trajectory import MotionSimulator, PoseWaypoint, Waypoint

from .scene import Bench, welder

START = "start_deg=[0,-20,60,0,45,0]"  # the tip at X319 Z373, pointing down, leaning 20°
CARTESIAN = ("coordinates=cartesian", START)
TOLERANCE_MM = 0.002  # $12
LIMITS = WelderConfig().limits


@pytest.fixture
def bench():
    return Bench(*CARTESIAN)


def mpos(bench):
    return [float(part) for part in bench.status()["MPos"].split(",")]


def tip(bench):
    return np.array(bench.truth.torch_mm)


def watch(bench, step_s=0.01, most_s=60.0):
    """Run until idle; what was true on the way."""
    seen = []
    for _ in range(int(most_s / step_s)):
        bench.sim.run(step_s)
        seen.append(bench.truth)
        if bench.state.mode in ("Idle", "Alarm"):
            return seen
    raise AssertionError(bench.state.mode)


def test_reports_are_the_tips_pose(bench):
    assert mpos(bench) == pytest.approx([319.015, 0, 373.164, -180, -20, 0], abs=0.002)
    frame = bench.robot.arm.torch(np.radians([0, -20, 60, 0, 45, 0]))
    assert frame[:3, 3] * 1000 == pytest.approx(mpos(bench)[:3], abs=0.001)
    assert "[HOME:" in bench.send("$#\n")


def test_a_line_is_straight_at_the_programmed_speed(bench):
    bench.ask("G1 X400 Y-120 Z300 A-170 F3000")
    begin, end = np.array([319.015, 0, 373.164]), np.array([400, -120, 300])
    length = np.linalg.norm(end - begin)
    seen = watch(bench)
    for truth in seen:
        gap = np.array(truth.torch_mm) - begin
        assert (
            np.linalg.norm(gap - gap @ (end - begin) * (end - begin) / length**2)
            < TOLERANCE_MM + 0.001
        )
    assert mpos(bench) == pytest.approx([400, -120, 300, -170, -20, 0], abs=0.001)
    places = np.array([truth.torch_mm for truth in seen])
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / 0.01
    assert speeds[30:-30] == pytest.approx(50.0, rel=0.01)
    assert bench.sim.now_s == pytest.approx(length / 50, abs=0.1)


def test_the_feed_reported_is_the_tips(bench):
    bench.ask("G1 Y80 F1200")
    bench.run(1.0)
    assert bench.status()["FS"] == "1200,0"
    bench.until_idle()
    bench.ask("G0 Y-80")
    bench.run(0.1)
    feed = float(bench.status()["FS"].split(",")[0]) / 60
    before = tip(bench)
    bench.run(0.001)
    assert np.linalg.norm(tip(bench) - before) / 0.001 == pytest.approx(feed, rel=0.02)


def test_a_move_that_only_turns_takes_degrees_a_minute(bench):
    there = tip(bench)
    bench.ask("G1 A-150 F600")
    assert bench.until_idle() == pytest.approx(3.0, abs=0.05)
    assert tip(bench) == pytest.approx(there, abs=0.001)
    assert mpos(bench)[3:] == pytest.approx([-150, -20, 0], abs=0.001)


def test_slow_feeds_are_kept_too(bench):
    bench.ask("G1 Y0.5 F3")
    bench.run(5.0)
    assert tip(bench)[1] == pytest.approx(0.25, abs=0.001)


@pytest.mark.parametrize(
    ("line", "axes", "centre"),
    [
        ("G17 G2 Y-60 X319.015 I0 J-30", (0, 1), (319.015, -30)),
        ("G18 G3 X299.015 Z353.164 I-20 K0", (2, 0), (373.164, 299.015)),
        ("G19 G2 Y0 Z373.164 J20 K0 P2", (1, 2), (20, 373.164)),
    ],
)
def test_arcs_in_all_planes(bench, line, axes, centre):
    radius = math.dist([tip(bench)[axis] for axis in axes], centre)
    assert bench.ask(f"{line} F6000") in (["ok"], [])
    seen = watch(bench, 0.02)
    assert len(seen) > 15
    for truth in seen:
        around = [truth.torch_mm[axis] for axis in axes]
        assert math.dist(around, centre) == pytest.approx(radius, abs=TOLERANCE_MM + 0.001)
    assert bench.state.mode == "Idle"


def test_a_rapid_is_straight_in_joint_space(bench):
    before = np.array(bench.truth.joints_deg)
    bench.ask("G0 X450 Y200 Z450 A-160 B0 C20")
    seen = watch(bench, 0.02)
    after = np.array(seen[-1].joints_deg)
    assert mpos(bench) == pytest.approx([450, 200, 450, -160, 0, 20], abs=0.001)
    for truth in seen:
        gap = np.array(truth.joints_deg) - before
        share = gap @ (after - before) / np.dot(after - before, after - before)
        assert gap == pytest.approx(share * (after - before), abs=1e-6)
    used = np.abs([truth.velocities_degps for truth in seen]) / LIMITS.max_degps
    assert used.max() == pytest.approx(1.0, abs=0.01)


POINTS = st.lists(
    st.tuples(
        st.floats(300, 500), st.floats(-250, 250), st.floats(250, 500),
        st.floats(-30, 30), st.floats(-40, 40),
        st.sampled_from([600.0, 6000.0, 60000.0]),
    ),
    min_size=1, max_size=3,
)  # fmt: skip


@settings(max_examples=8, derandomize=True)
@given(points=POINTS)
def test_no_joint_exceeds_its_limits_whatever_the_feed(points):
    bench = Bench(*CARTESIAN)
    for x, y, z, a, c, feed in points:
        bench.send(f"G1 X{x:.3f} Y{y:.3f} Z{z:.3f} A{a - 180:.3f} C{c:.3f} F{feed:.0f}\n")
    seen = watch(bench, 0.017, 200)
    assert bench.state.mode == "Idle"
    velocities, accelerations = (
        np.abs([getattr(truth, name) for truth in seen])
        for name in ("velocities_degps", "accelerations_degps2")
    )
    assert (velocities <= np.array(LIMITS.max_degps) * 1.001).all()
    assert (accelerations <= np.array(LIMITS.max_degps2) * 1.001).all()
    x, y, z, *_ = points[-1]
    assert tip(bench) == pytest.approx([round(v, 3) for v in (x, y, z)], abs=0.001)


def test_joints_follow_bends_within_their_acceleration():
    """Joint velocities step from chord to chord; over a chord they stay within the limits."""
    bench = Bench(*CARTESIAN)
    bench.ask("G91 G2 X0 Y0 I0 J40 F60000")
    seen = watch(bench, 0.001)
    velocities = np.array([truth.velocities_degps for truth in seen])
    over = 20  # ms, a few chords
    changes = np.abs(velocities[over:] - velocities[:-over]) / (over / 1000) / LIMITS.max_degps2
    assert 0.5 < changes.max() < 1.0


def test_a_straight_wrist_slows_the_tip_down():
    bench = Bench("coordinates=cartesian")  # all joints at zero
    bench.ask("G1 G91 Y30 F6000")
    bench.run(0.3)
    assert abs(tip(bench)[1]) < 0.5
    assert abs(bench.truth.joints_deg[3]) > 5
    bench.until_idle()
    assert tip(bench)[1] == pytest.approx(30, abs=0.001)


# What cannot be


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("N7 G1 X5000 F600", "joint 2 would be at 60.0°"),
        ("N7 G0 X5000", "the arm does not reach farther"),
        ("N7 G1 X-319 F600", "joint"),
        ("N7 G2 X2319 I1000 F600", "joint"),
        ("N7 G38.3 Z-3000 F600", ""),
        ("N7 G0 B70 A0 X500 Z300", "joint"),
    ],
)
def test_out_of_reach_is_the_alarm_of_a_soft_limit(bench, line, why):
    before = tip(bench)
    assert "ALARM:2" in bench.send(line + "\n", 0.1)
    (event,) = bench.events("unreachable")
    assert event.data["line"] == 7
    assert line in event.text
    assert why in event.text
    assert tip(bench) == pytest.approx(before, abs=1e-9)  # it did not even set out
    assert len(event.data["pose"]) == 6
    bench.send(b"\x18")
    bench.ask("$X")
    assert bench.ask("G1 Y10 F600") == ["ok"]
    bench.until_idle()
    assert tip(bench)[1] == pytest.approx(10, abs=0.001)


def test_out_of_reach_in_check_mode(bench):
    bench.ask("$C")
    assert bench.ask("G1 Y100 F600") == ["ok"]
    assert bench.ask("G2 Y100 I50 P20") == []  # a long one goes on from tick to tick
    assert bench.run(1.0) == "ok\r\n"
    assert "ALARM:2" in bench.send("G1 Y2000\n", 0.1)
    assert tip(bench) == pytest.approx([319.015, 0, 373.164], abs=0.001)


def test_a_path_that_fails_far_along_brakes_and_stops(bench):
    """Its first thousand chords are fine; the turn of the torch then meets a joint's limit."""
    bench.ask("$12=0.00001")
    bench.ask("G1 X360 Z-500 F6000")
    seen = watch(bench, 0.01)
    assert "ALARM:2" in bench.said()
    assert bench.events("unreachable")
    assert 0 < 373 - seen[-1].torch_mm[2] < 873


def test_soft_limits_off_leaves_the_reach(bench):
    bench.ask("$20=0")
    assert "ALARM:2" in bench.send("G1 X5000 F600\n", 0.1)
    assert "does not reach" in bench.events("unreachable")[0].text


def test_letters_of_joints_are_refused():
    with pytest.raises(InputError, match="takes XYZABC"):
        welder("coordinates=cartesian", "letters=ABCUVW")


# The rest of the controller


def test_jogging(bench):
    assert bench.ask("$J=G91 Z-40 F3000") == ["ok"]
    bench.run(0.4)
    assert bench.status()["mode"] == "Jog"
    bench.send(b"\x85")
    bench.until_idle()
    stopped = mpos(bench)
    assert -25 < stopped[2] - 373.164 < -15
    assert stopped[:2] == pytest.approx([319.015, 0], abs=0.004)
    assert bench.ask("$J=G91 X2000 F3000") == ["error:15"]
    assert "$J=G91 X2000 F3000 cannot be run" in bench.events("unreachable")[0].text
    assert bench.ask("$J=G90 X319.015 Y0 Z373.164 F3000") == ["ok"]
    bench.until_idle()
    assert mpos(bench)[2] == pytest.approx(373.164, abs=0.001)


def test_a_jog_too_long_for_the_planner_can_be_cancelled(bench):
    assert bench.ask("$J=G91 Y300 F600") == []
    bench.run(0.5)
    assert bench.send(b"\x85") == "ok\r\n"
    bench.until_idle()
    assert 4 < tip(bench)[1] < 6


def test_a_button_held_on_the_page_jogs_the_tip_as_far_as_it_goes(bench):
    view = bench.robot.view()
    (step,) = view.jog(2, -5.0, 1.0)
    assert step.fields["text"].startswith("$J=G91 G21 Z-5.0000 F")
    (held,) = view.jog(0, math.inf, 1.0)
    bench.sim.apply(held)
    bench.run(60.0)
    assert bench.state.mode == "Idle"
    assert not bench.events("unreachable")
    assert tip(bench)[0] > 700
    assert tip(bench)[1:] == pytest.approx([0, 373.164], abs=0.003)
    assert bench.ask("$J=G91 X20 F1000") == ["error:15"]


def test_hold_and_resume_end_at_the_target(bench):
    bench.ask("G1 X400 Y100 F6000")
    bench.run(0.6)
    bench.send("!")
    bench.run(0.5)
    assert bench.status()["mode"] == "Hold:0"
    held = tip(bench)
    bench.run(1.0)
    assert (tip(bench) == held).all()
    bench.send("~")
    bench.until_idle()
    assert mpos(bench)[:3] == pytest.approx([400, 100, 373.164], abs=0.001)


def test_feed_override_is_of_the_tips_speed(bench):
    bench.ask("G1 Y100 F1200")
    bench.run(0.5)
    bench.send(b"\x91\x91\x91")
    bench.run(0.5)
    assert bench.status()["FS"] == "1560,0"


def test_work_offsets_and_incremental_moves(bench):
    bench.ask("G10 L20 P1 X0 Y0 Z0 A0")
    bench.ask("G1 X10 Y20 A5 F6000")
    bench.until_idle()
    assert mpos(bench) == pytest.approx([329.015, 20, 373.164, -175, -20, 0], abs=0.002)
    bench.ask("G91 G1 Z-5")
    bench.until_idle()
    assert mpos(bench)[2] == pytest.approx(368.164, abs=0.002)
    bench.ask("G90 G92 X100")
    bench.ask("G1 X101")
    bench.until_idle()
    assert mpos(bench)[0] == pytest.approx(330.015, abs=0.002)


def test_inches_are_of_the_linear_words(bench):
    bench.ask("G20 G91 G1 Y1 A-5 F100")
    bench.until_idle()
    assert mpos(bench)[1] == pytest.approx(25.4, abs=0.001)
    assert mpos(bench)[3] == pytest.approx(-185, abs=0.001)


@pytest.mark.parametrize(
    "line", ["G93 G1 X369.015 F30", "G93 G1 A-150 F30", "G93 G2 X349.015 Y-30 I0 J-30 C40 F30"]
)
def test_inverse_time(bench, line):
    bench.ask(line)
    assert bench.until_idle() == pytest.approx(2.0, abs=0.1)


def test_probing(bench):
    bench.ask("G38.2 Z330 F600")
    bench.run(1.0)
    bench.input("probe", True)
    bench.run(0.5)
    said = bench.said()
    place = [float(part) for part in bench.state.probe.position]
    assert place == pytest.approx([319.015, 0, 363.2, -180, -20, 0], abs=0.3)
    assert bench.state.mode == "Idle"
    assert bench.state.probe.touched, said
    bench.input("probe", False)
    assert "ALARM:5" in bench.send("G38.2 Z340 F6000\n", 3.0)


def test_homing_is_of_joints(bench):
    bench.ask("$H")
    bench.until_idle()
    assert bench.truth.joints_deg == pytest.approx(WelderConfig().homing.pose_deg)
    assert mpos(bench)[:3] == pytest.approx(tip(bench), abs=0.001)
    bench.ask("G91 G1 X50 F6000")
    bench.until_idle()
    assert bench.state.mode == "Idle"


def test_a_snapshot_in_the_middle_of_a_course_goes_on_the_same():
    """More chords than the planner holds, the rest still to be cut."""
    one = Bench(*CARTESIAN)
    one.ask("G91 G2 X0 Y0 I60 J0 P3 F12000")
    one.run(1.0)
    assert one.state.mode == "Run"
    assert one.state.course.share < 1.0
    snapshot = one.sim.snapshot()
    assert len(snapshot.to_bytes()) < 200_000
    one.run(3.0)
    wanted = (one.truth, one.status())
    one.sim.restore(snapshot)
    one.run(3.0)
    assert (one.truth, one.status()) == wanted
    two = Bench(*CARTESIAN)
    two.sim.restore(snapshot)
    two.run(3.0)
    assert two.truth == wanted[0]


PROGRAM = "G0 X400 Y-60 Z350\nG1 Y60 F1800\nG4 P0.5\nG2 X460 Y120 I60 J0 F3600\nG1 A-170 F1200\nM30"


def runs_for(text, config):
    controller = VirtualController(config)
    controller.connect()
    controller.enable()
    begin = controller.simulation_time_s
    for line in text.splitlines():
        assert controller.send_gcode(line)
    assert controller.wait_idle()
    return controller.simulation_time_s - begin


def test_cycle_times_are_what_the_controller_takes():
    config = WelderConfig(coordinates="cartesian", start_deg=(0, -20, 60, 0, 45, 0))
    found = estimate(PROGRAM, config)
    assert found.errors == []
    assert found.path_mm == pytest.approx(120 + 60 * math.pi / 2)
    assert runs_for(PROGRAM, config) == pytest.approx(found.total_s, abs=0.1)
    wrong = estimate("G1 X5000 F600\nG0 X400 Z300", config)
    assert [(number, "joint 2" in why) for number, _, why in wrong.errors] == [(1, True)]


def test_the_example_welds_its_seam_and_its_round_corner():
    program = (
        Path(__file__).parents[3] / "examples" / "programs" / "cartesian_seam.nc"
    ).read_text()
    config = WelderConfig(coordinates="cartesian")
    found = estimate(program, config)
    assert found.errors == []
    assert found.process_s == pytest.approx((120 + 20 * math.pi + 60) / 10, abs=0.1)
    bench, burnt = Bench("coordinates=cartesian"), []
    bench.send(program)
    for _ in range(700):
        bench.sim.run(0.05)
        if bench.truth.weld.arc_on:
            burnt.append(bench.truth.torch_mm)
    assert "Pgm End" in bench.said()
    assert bench.truth.weld.length_mm == pytest.approx(120 + 20 * math.pi + 60, abs=0.1)
    for x, y, z in burnt:
        seam = x - 420 if y <= 40 else y - 80 if x >= 460 else math.dist((x, y), (460, 40)) - 40
        assert abs(seam) < TOLERANCE_MM + 0.001
        assert z == pytest.approx(300, abs=TOLERANCE_MM + 0.001)


def test_trajectories_through_poses():
    controller = VirtualController(
        WelderConfig(coordinates="cartesian", start_deg=(0, -20, 60, 0, 45, 0))
    )
    controller.connect()
    controller.enable()
    simulator = MotionSimulator(controller)
    points = [
        PoseWaypoint((400, -60, 350, 180, -20, 0)),
        PoseWaypoint((400, 60, 350, 180, -20, 10), 40.0),
    ]
    dry = simulator.dry_run(points)
    real = simulator.simulate_trajectory(points)
    assert (dry.success, real.success, real.error_message) == (True, True, "")
    assert real.total_time_s == pytest.approx(dry.total_time_s, abs=0.1)
    assert real.trajectory_log[-1].positions == pytest.approx(
        dry.trajectory_log[-1].positions, abs=0.01
    )
    for found in (
        simulator.dry_run([Waypoint([0] * 6)]),
        simulator.simulate_trajectory([Waypoint([0] * 6)]),
    ):
        assert "must be a PoseWaypoint" in found.error_message
    far = PoseWaypoint((4000, 0, 0, 180, 0, 0), 10.0)
    assert "joint" in simulator.dry_run([far]).error_message
    assert not simulator.simulate_trajectory([far]).success
    assert "finite" in simulator.dry_run([PoseWaypoint((1, 2))]).error_message
    assert not controller.jog(0, 0.1)
