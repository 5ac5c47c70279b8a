"""The rover's motion: Euler's rule at the high rate, command timeout, east-north-up."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.robots.rover.body import V, W
from rigless.ros.messages import Twist, TwistStamped, Vector3
from rigless.scenario.build import build
from rigless.scenario.model import Scenario

from .scene import ENDLESS, TRUTH, codes, command, heading, rover, said, turn

ROOT = Path(__file__).parents[3]


def euler(v, w, yaw, dt, steps):
    """Return the end of a path by Euler's rule: each step uses the heading before it."""
    x = math.fsum(v * dt * math.cos(yaw + k * w * dt) for k in range(steps))
    y = math.fsum(v * dt * math.sin(yaw + k * w * dt) for k in range(steps))
    return x, y, turn(yaw + steps * w * dt)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    v=st.floats(-5, 5),
    w=st.floats(-6, 6),
    yaw=st.floats(-10, 10),
    period_ms=st.sampled_from([1, 5, 10, 20]),
)
def test_the_pose_is_eulers(v, w, yaw, period_ms):
    sim = rover(
        f"imu.initial_yaw_rad={yaw!r}",
        f"high_rate_update_period_s={period_ms / 1000}",
        ENDLESS,
        collect=False,
    )
    command(sim, v, w)
    sim.run(0.4)
    x, y, theta = sim.truth("rover").pose
    wanted = euler(v, w, yaw, period_ms / 1000, 400 // period_ms)
    assert (x, y) == pytest.approx(wanted[:2], abs=1e-9)
    assert abs(turn(theta - wanted[2])) < 1e-9
    assert -math.pi <= theta < math.pi


def test_north_is_a_yaw_of_90_degrees_and_left_is_positive():
    sim = rover(f"imu.initial_yaw_rad={math.pi / 2}", ENDLESS)
    command(sim, 1.0)
    sim.run(1.0)
    assert sim.truth("rover").pose == pytest.approx((0, 1, math.pi / 2))
    command(sim, 1.0, 0.5)
    sim.run(0.2)
    assert sim.truth("rover").pose[0] < 0


@pytest.mark.parametrize(("timeout_s", "ticks"), [(0.5, 50), (0.0, 0), (0.255, 25)])
def test_a_command_counts_until_it_is_older_than_the_limit(timeout_s, ticks):
    sim = rover(f"cmd_vel_timeout_s={timeout_s}")
    command(sim, 1.0)
    sim.run(2.0)
    assert sim.truth("rover").pose[0] == pytest.approx(0.01 * ticks)
    assert codes(sim) == ["cmd-vel-timeout"]


def test_a_command_that_is_repeated_does_not_grow_old():
    sim = rover()
    for _ in range(5):
        command(sim, 1.0)
        sim.run(0.5)
    assert sim.truth("rover").pose[0] == pytest.approx(2.5)
    assert codes(sim) == []


def test_fast_forward_equals_single_ticks():
    """Fast-forwarded ticks equal single ticks: timeouts, fixes, drifts and a walking bias."""
    noisy = (
        "enc_vel.vx_drift_std=0.1",
        "enc_vel.wz_noise_std_radps=0.1",
        "imu.gyro_walk_radps=0.1",
        "gps.drift_std_m=1.0",
    )
    for extra in (
        (),
        ("low_rate_update_period_s=0.033",),
        ("gps.fix_schedule=[{at_s=0.5,fix='float'}]",),
    ):
        ends = []
        for steps, collect in (([2.97], False), ([0.0049] * 606 + [0.0006], False), ([2.97], True)):
            sim = rover(*noisy, *extra, collect=collect)
            command(sim, 1.0, 0.7)
            for step in steps:
                sim.run(step)
            assert sim.now_ns == 2_970_000_000
            ends.append(sim.snapshot())
        assert ends[0] == ends[1] == ends[2]
        assert sim.robots["rover"].state.fixes == (90 if "0.033" in str(extra) else 29)


def test_limits_bound_speed_and_acceleration():
    sim = rover(
        "limits.linear_mps=2.0",
        "limits.angular_radps=1.0",
        "limits.linear_mps2=4.0",
        "limits.angular_radps2=2.0",
        ENDLESS,
    )
    command(sim, 9.0, -9.0)
    sim.run(0.25)
    assert sim.truth("rover").velocity == pytest.approx((1.0, -0.5))
    sim.run(1.0)
    assert sim.truth("rover").velocity == pytest.approx((2.0, -1.0))
    command(sim, 0.0)
    begin = sim.truth("rover").distance_m
    sim.run(2.0)
    assert sim.truth("rover").distance_m - begin == pytest.approx(
        2.0**2 / (2 * 4.0), abs=0.5 * 2.0 * 0.01 + 1e-9
    )


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_not_finite_is_refused(bad):
    sim = rover(ENDLESS)
    command(sim, 0.5)
    robot = sim.robots["rover"]
    robot.motors.accept_command(Twist(Vector3(bad), Vector3()))
    robot.motors.accept_command(Twist(Vector3(), Vector3(0, 0, bad)))
    sim.run(1.0)
    assert sim.truth("rover").pose[0] == pytest.approx(0.5)
    assert codes(sim) == ["bad-command", "bad-command"]


def test_a_stamped_twist_drives_too():
    sim = rover("twist_stamped=true")
    assert sim.robots["rover"].ports[0].options["node"].topics[0].type is TwistStamped
    sim.send("rover", "dds", TwistStamped(twist=Twist(Vector3(1.0), Vector3())))
    sim.run(0.3)
    assert sim.truth("rover").pose[0] == pytest.approx(0.3)


def test_walls_stop_it_and_its_encoders():
    sim = rover("map_file=empty_room", "start_y_m=1.0", ENDLESS)
    command(sim, 1.0)
    sim.run(4.0)
    x, y, _ = sim.truth("rover").pose
    command(sim, 1.0)
    reading = said(sim, "enc_vel", 0.1)[-1]
    assert x == pytest.approx(3.0 - 0.35, abs=1e-3)
    assert y == pytest.approx(1.0)
    assert reading.twist.twist.linear.x == pytest.approx(0.0, abs=1e-6)
    assert sim.truth("rover").contacts
    assert codes(sim).count("collision") == 1
    assert sim.truth("rover").distance_m == pytest.approx(x, abs=1e-6)
    command(sim, -1.0)
    sim.run(1.0)
    assert sim.truth("rover").pose[0] == pytest.approx(x - 1.0, abs=1e-6)
    assert not sim.truth("rover").contacts


def test_it_can_be_put_elsewhere():
    sim = rover()
    sim.set_input("rover", "teleport", "3, -2 7.0")
    assert sim.truth("rover").pose == pytest.approx((3, -2, 7.0 - 2 * math.pi))
    sim.set_input("rover", "teleport", "5 6")
    assert sim.truth("rover").pose == pytest.approx((5, 6, 0))
    for wrong in ("there", "1", "nan 0 0", "1e300 0"):
        sim.set_input("rover", "teleport", wrong)
    assert sim.truth("rover").pose == pytest.approx((5, 6, 0))
    assert codes(sim) == ["bad-teleport"] * 4


def test_the_emergency_stop_holds():
    sim = rover(ENDLESS)
    command(sim, 1.0)
    sim.run(0.5)
    sim.set_input("rover", "estop", True)
    sim.run(1.0)
    assert sim.truth("rover").pose[0] == pytest.approx(0.5)
    sim.set_input("rover", "estop", False)
    sim.run(0.5)
    assert sim.truth("rover").pose[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("target", "kind", "params", "speeds"),
    [
        ("drive", "stall", {}, (0.0, 0.4)),
        ("drive", "weak", {"factor": 0.25}, (0.2, 0.4)),
        ("steering", "inverted", {}, (0.8, -0.4)),
        ("steering", "runaway", {"level": -0.5}, (0.8, -0.5)),
    ],
)
def test_faults_of_the_drive(target, kind, params, speeds):
    sim = rover(ENDLESS)
    command(sim, 0.8, 0.4)
    sim.inject("rover", target, kind, **params)
    sim.run(0.5)
    body = sim.robots["rover"].state.body
    assert (body[V], body[W]) == pytest.approx(speeds)
    sim.clear("rover")
    sim.run(0.1)
    assert (body[V], body[W]) == pytest.approx((0.8, 0.4))


def test_ground_truth_is_published_under_both_names():
    sim = rover(ENDLESS)
    command(sim, 1.0, 0.5)
    for topic in (TRUTH, "odom/ground_truth"):
        found = said(sim, topic, 1.0)
        assert len(found) == 100
        truth = sim.truth("rover")
        pose = found[-1].pose.pose
        assert (pose.position.x, pose.position.y, heading(pose.orientation)) == pytest.approx(
            truth.pose
        )
        assert (found[-1].header.frame_id, found[-1].child_frame_id) == (
            "map",
            "base_link_ground_truth",
        )


def test_walls_that_are_not_met_change_nothing():
    ends = []
    for place in ("", "empty_room"):
        sim = rover(f"map_file='{place}'", ENDLESS)
        command(sim, 0.7, 0.9)
        sim.run(3.0)
        ends.append(sim.truth("rover").pose)
    assert ends[0] == ends[1]


def test_rovers_in_one_room_stop_at_each_other():
    world = {"map": "empty_room"}
    robots = [
        {"kind": "rover", "name": name, "start": {"x": x}} for name, x in (("a", -1.5), ("b", 0.0))
    ]
    sim = build(Scenario.model_validate({"world": world, "robots": robots})).simulation
    for _ in range(4):
        command(sim, 1.0, robot="a")
        sim.run(0.5)
    assert sim.truth("a").pose[0] == pytest.approx(-0.7, abs=1e-3)
    assert sim.truth("b").pose[0] == 0.0
    assert sim.robots["a"].metrics["collisions"] == 1


def test_a_start_inside_a_wall_or_off_the_map_is_an_error():
    with pytest.raises(InputError, match=r"does not fit at its start .* --set start_x_m=2."):
        rover("map_file=empty_room", "start_x_m=2.9")
    with pytest.raises(InputError, match=r"off the map, .* --set start_x_m=2."):
        rover("map_file=empty_room", "start_x_m=500")


def test_a_missing_map_is_an_error():
    with pytest.raises(InputError, match="nowhere"):
        rover("map_file=nowhere")


def test_the_sample_of_the_how_to_drives_five_metres(capsys):
    page = (ROOT / "docs" / "how-to" / "drive-a-rover.md").read_text()
    (sample,) = re.findall(r"```python\n(import rigless.*?)```", page, re.DOTALL)
    exec(sample, {})
    x, y, _ = eval(capsys.readouterr().out)
    assert (x, y) == pytest.approx((5.0, 0.0))
