"""The jerk-limited profile on the wire: rapids, jogs and homing; all else is unchanged."""

import numpy as np
import pytest

from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.cycle_time import estimate
from rigless.robots.welder.offline.sim_controller import VirtualController
from rigless.robots.welder.offline.trajectory import MotionSimulator, Waypoint

from .scene import Bench

RAMP_S = 120 / 500 + 500 / 5000  # joint 1 from rest to full speed
PREPARED_S = 0.09  # what a change finds prepared is still run


@pytest.fixture
def bench():
    return Bench("profile=jerk")


def watch(bench, step_s=0.002):
    """Accelerations of the joints until idle."""
    seen = []
    for _ in range(20000):
        bench.sim.run(step_s)
        seen.append(bench.truth.accelerations_degps2)
        if bench.state.mode == "Idle":
            return np.array(seen)
    raise AssertionError(bench.state.mode)


def assert_smooth(accelerations, step_s=0.002):
    jerks = np.abs(np.diff(accelerations, axis=0)) / step_s
    assert (jerks <= np.array(WelderConfig().limits.max_degps3) * 1.001).all()
    assert np.abs(accelerations).max() > 1


def test_a_rapid(bench):
    bench.ask("G0 X90")
    assert bench.until_idle() == pytest.approx(90 / 120 + RAMP_S, abs=0.002)
    assert bench.truth.joints_deg[0] == 90
    bench.ask("G0 X0 Y20 C-100")
    assert_smooth(watch(bench))


def test_feed_moves_stay_as_they_were(bench):
    bench.ask("G1 X90 F7200")
    assert bench.until_idle() == pytest.approx(0.990, abs=0.002)
    bench.ask("G38.3 X0 F3600")
    assert bench.until_idle() == pytest.approx(90 / 60 + 60 / 500, abs=0.002)


def test_a_jog_and_its_cancel(bench):
    bench.ask("$J=G91 X120 F7200")
    bench.run(0.5)
    before = bench.truth.joints_deg[0]
    bench.send(b"\x85")
    assert_smooth(watch(bench))
    assert bench.truth.joints_deg[0] - before == pytest.approx(
        120 * (RAMP_S / 2 + PREPARED_S), abs=1.3
    )
    bench.ask("$J=G90 X0 F7200")
    bench.until_idle()
    assert bench.truth.joints_deg[0] == 0


def test_hold_resume_and_override_in_flight(bench):
    bench.ask("G0 X150")
    bench.run(0.2)
    bench.send("!")
    bench.run(0.6)
    assert bench.status()["mode"] == "Hold:0"
    bench.send("~")
    bench.run(0.4)
    bench.send(b"\x96")  # rapids at 50 %
    bench.run(0.4)
    assert bench.status()["FS"] == "3600,0"
    assert_smooth(watch(bench))
    assert bench.truth.joints_deg[0] == 150


def test_homing(bench):
    bench.ask("$H")
    assert_smooth(watch(bench, 0.004), 0.004)
    assert bench.truth.joints_deg == pytest.approx(WelderConfig().homing.pose_deg)
    assert bench.truth.homed


def test_a_point_to_point_move_of_the_tip():
    bench = Bench("profile=jerk", "coordinates=cartesian")
    bench.ask("G0 X420 Y-80 Z400 A180 B-15 C0")
    assert_smooth(watch(bench))
    assert bench.truth.torch_mm == pytest.approx((420, -80, 400), abs=0.001)
    bench.ask("$J=G91 Z-20 F6000")
    bench.until_idle()
    assert bench.truth.torch_mm[2] == pytest.approx(380, abs=0.001)


def test_a_snapshot_while_it_comes_to_rest_goes_on_the_same(bench):
    bench.ask("G0 X150")
    bench.run(0.3)
    bench.send("!")
    bench.run(0.1)
    snapshot = bench.sim.snapshot()
    found = []
    for one in (bench, Bench("profile=jerk")):
        one.sim.restore(snapshot)
        one.run(0.5)
        one.send("~")
        one.run(0.3)
        found.append(one.truth)
    assert found[0] == found[1]
    assert 0 < found[0].velocities_degps[0] <= 120


def test_estimates_are_what_the_controller_takes():
    config = WelderConfig(profile="jerk")
    program = "G0 X90\nG1 X60 F3600\nG0 X0 Y10\nG4 P0.5\nG0 Y0"
    found = estimate(program, config)
    assert found.total_s > estimate(program).total_s + 0.3
    controller = VirtualController(config)
    controller.connect()
    controller.enable()
    begin = controller.simulation_time_s
    for line in program.splitlines():
        assert controller.send_gcode(line.replace("X", "A").replace("Y", "B"))
    assert controller.wait_idle()
    assert controller.simulation_time_s - begin == pytest.approx(found.total_s, abs=0.1)
    simulator = MotionSimulator(controller)
    points = [Waypoint([1.0, 0.2, 0, 0, 0, 0]), Waypoint([0.0] * 6, 0.5)]
    dry, real = simulator.dry_run(points), simulator.simulate_trajectory(points)
    assert real.total_time_s == pytest.approx(dry.total_time_s, abs=0.1)
