"""The node with a VN-300: one error of each quantity for gps, imu, ins_vel and odom."""

import math

import numpy as np
import pytest

from rigless.kernel.problems import InputError
from rigless.scenario.load import open_target

from .scene import command, heading, turn

FILE = """
sensor_simulator:
  ros__parameters:
    datum: [47.3769, 8.5417, 408.0]
    initial_yaw_rad: 0.5
    update_period_s: 0.02
    vn300:
      imu_frame_id: vn
      position_noise_std_m: 0.02
      position_drift_std_m: 0.3
      position_drift_time_constant_s: 0.5
      vx_noise_std_mps: 0.01
      vx_drift_std_mps: 0.02
      wz_noise_std_radps: 0.002
      wz_drift_std_radps: 0.003
      vel_drift_time_constant_s: 0.5
      yaw_noise_std_rad: 0.003
      yaw_drift_std_rad: 0.01
      yaw_drift_time_constant_s: 0.5
  transforms: [{parent: base_link, child: vn, yaw: 1.0}]
"""


def ins(folder, *settings, text=FILE, seed=1):
    file = folder / "params.yaml"
    file.write_text(text)
    return open_target(file, ["cmd_vel_timeout_s=1e6", *settings], seed).simulation


def by_topic(sim, seconds):
    sim.run(seconds)
    found = {}
    for out in sim.take("rover", "dds"):
        found.setdefault(out.topic, []).append(out.message)
    return found


def test_all_topics_of_a_tick_agree(tmp_path):
    sim = ins(tmp_path)
    command(sim, 0.5, 0.1)
    found = by_topic(sim, 2.0)
    plane = sim.robots["rover"].plane
    topics = ("gps", "imu", "ins_vel", "odom", "enc_vel", "ground_truth")
    assert [len(found[topic]) for topic in topics] == [100] * 6
    for fix, imu, velocity, odom in zip(*(found[topic] for topic in topics[:4]), strict=True):
        assert fix.header.stamp == imu.header.stamp == velocity.header.stamp == odom.header.stamp
        east, north, _ = plane.to_enu(fix.latitude, fix.longitude, fix.altitude)
        at = odom.pose.pose.position
        assert (at.x, at.y) == pytest.approx((east, north), abs=1e-6)
        mounted = heading(imu.orientation) - heading(odom.pose.pose.orientation)
        assert turn(mounted) == pytest.approx(1.0)
        assert odom.twist == velocity.twist
        assert velocity.twist.twist.angular.z == imu.angular_velocity.z
    assert (fix.header.frame_id, imu.header.frame_id, velocity.header.frame_id) == (
        "base_link",
        "vn",
        "base_link",
    )
    assert (odom.header.frame_id, odom.child_frame_id) == ("map", "base_link")
    assert (fix.status.status, round(fix.altitude)) == (1, 408)


def test_errors_have_the_reported_covariance(tmp_path):
    sim = ins(tmp_path)
    command(sim, 0.5, 0.1)
    found = by_topic(sim, 120.0)
    odom, truth = found["odom"], found["ground_truth"]
    pairs = list(zip(odom, truth, strict=True))
    errors = {
        0: [a.pose.pose.position.x - t.pose.pose.position.x for a, t in pairs],
        35: [
            turn(heading(a.pose.pose.orientation) - heading(t.pose.pose.orientation))
            for a, t in pairs
        ],
    }
    for place, values in errors.items():
        assert np.mean(np.square(values)) == pytest.approx(odom[-1].pose.covariance[place], rel=0.3)
    speeds = {
        0: [a.twist.twist.linear.x - t.twist.twist.linear.x for a, t in pairs],
        35: [a.twist.twist.angular.z - t.twist.twist.angular.z for a, t in pairs],
    }
    for place, values in speeds.items():
        reported = odom[-1].twist.covariance[place]
        assert np.mean(np.square(values)) == pytest.approx(reported, rel=0.3)
    assert found["imu"][-1].orientation_covariance[8] == odom[-1].pose.covariance[35]


def test_skipped_ticks_give_the_same_drifts(tmp_path):
    slow, fast = ins(tmp_path), ins(tmp_path)
    fast.core.collected = None  # nobody wants messages, so that ticks are done many at once
    for sim in (slow, fast):
        command(sim, 0.5, 0.1)
        sim.run(3.0)
    assert np.array_equal(
        slow.robots["rover"].state.body, fast.robots["rover"].state.body, equal_nan=True
    )


def test_the_ins_works_without_the_transform_of_its_imu(tmp_path):
    sim = ins(tmp_path, "transforms=[]")
    found = by_topic(sim, 0.1)
    assert {"gps", "ins_vel", "odom"} <= found.keys()
    assert "imu" not in found
    sim.inject("rover", "gps", "no_fix")
    assert "odom" not in by_topic(sim, 0.1)
    start = sim.truth("rover").pose
    assert start[2] == 0.5
    assert math.isclose(sim.robots["rover"].plane.height_m, 408.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (FILE.replace("    datum: [47.3769, 8.5417, 408.0]\n", ""), "datum: this key is required"),
        (FILE.replace("8.5417, 408.0]", "8.5417]"), "datum"),
        (FILE + "    gps: {noise_std_m: 1.0}\n", "noise_std_m: the vn300 block"),
        (FILE.replace("yaw_noise_std_rad: 0.003", "yaw_noise: 1"), "unknown key 'yaw_noise'"),
    ],
)
def test_mistakes_are_reported(tmp_path, text, reason):
    head, _, tail = text.partition("  transforms:")
    if "gps:" in tail:
        text = head + "    gps: {noise_std_m: 1.0}\n"
    with pytest.raises(InputError, match=reason):
        ins(tmp_path, text=text)
