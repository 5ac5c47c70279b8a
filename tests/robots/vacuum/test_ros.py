"""The vacuum as a ROS node: topics from its telemetry, and driving by cmd_vel."""

import io
import math

import numpy as np
import pytest

from rigless.kernel.inputs import Arrive, Connect, Inject, SetInput
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.ros import cdr
from rigless.ros import messages as m
from rigless.scenario.load import open_target

QUIET = [
    "lidar.noise.range_stddev=0",
    "lidar.noise.angle_stddev=0",
    "lidar.noise.miss_rate=0",
    "encoder.noise.slip_stddev=0",
    "imu.gyro_noise.stddev=[0, 0, 0]",
    "imu.accel_noise.stddev=[0, 0, 0]",
]


def start(*settings, name="vacuum"):
    sim = open_target(
        "vacuum", ["ros=true", "map_file=empty_room", *QUIET, *settings], 1
    ).simulation
    sim.apply(Connect(name, "ros", 1, "peer", "here"))
    return sim


def drive(sim, ahead, turn, subject="/cmd_vel"):
    sim.apply(
        Arrive(
            "vacuum", "ros", 1, cdr.encode(m.Twist(m.Vector3(ahead), m.Vector3(z=turn))), subject
        )
    )


def said(sim, topic):
    return [
        published.message for published in sim.take("vacuum", "ros") if published.topic == topic
    ]


def yaw(rotation):
    return 2 * math.atan2(rotation.z, rotation.w)


def test_there_is_no_node_unless_asked_for():
    sim = open_target("vacuum", [], 1).simulation
    assert [port.name for port in sim.robots["vacuum"].ports] == ["commands", "telemetry"]
    with pytest.raises(InputError, match="namespace"):
        open_target("vacuum", ["ros.enabled=true", "ros.namespace=1st"], 1)


def test_odometry_follows_the_wheels():
    sim = start("ros.cmd_vel_timeout_s=0", "start_x=0.5", "start_theta=1.0")
    begin = sim.truth("vacuum").pose
    drive(sim, 0.2, 0.3)
    sim.run(4.0)
    odom = said(sim, "odom")[-1]
    x, y, theta = sim.truth("vacuum").pose
    dx, dy = x - begin[0], y - begin[1]
    c, s = math.cos(begin[2]), math.sin(begin[2])
    at = odom.pose.pose.position
    assert (at.x, at.y) == pytest.approx((c * dx + s * dy, c * dy - s * dx), abs=2e-3)
    assert yaw(odom.pose.pose.orientation) == pytest.approx(theta - begin[2], abs=5e-3)
    assert (odom.header.frame_id, odom.child_frame_id) == ("odom", "base_link")
    assert (odom.twist.twist.linear.x, odom.twist.twist.angular.z) == pytest.approx(
        (0.2, 0.3), abs=0.2
    )


def test_tf_equals_odom():
    sim = start()
    drive(sim, 0.2, 0.3)
    sim.run(0.5)
    published = sim.take("vacuum", "ros")
    odoms = [one.message for one in published if one.topic == "odom"]
    moved = [one.message.transforms[0] for one in published if one.topic == "/tf"]
    assert len(odoms) == len(moved) == 55
    for odom, one in zip(odoms, moved, strict=True):
        assert (one.header, one.child_frame_id) == (odom.header, "base_link")
        assert (one.transform.translation.x, one.transform.translation.y) == (
            odom.pose.pose.position.x,
            odom.pose.pose.position.y,
        )
        assert one.transform.rotation == odom.pose.pose.orientation


@pytest.mark.parametrize("frame", ["robot_center", "lidar_mount"])
def test_every_ray_ends_at_a_wall(frame):
    sim = start(f"lidar_frame={frame}", "start_x=0.4", "start_theta=0.7")
    sim.run(0.45)
    published = sim.take("vacuum", "ros")
    scan = [one.message for one in published if one.topic == "scan"][-1]
    static = {
        one.child_frame_id: one.transform
        for p in published
        if p.topic == "/tf_static"
        for one in p.message.transforms
    }
    assert len(scan.ranges) == 360
    assert scan.angle_max == pytest.approx(scan.angle_min + 359 * scan.angle_increment)
    ranges = np.array(scan.ranges)
    angles = scan.angle_min + np.arange(360) * scan.angle_increment
    hit = np.isfinite(ranges)
    assert hit.sum() > 300
    assert ((ranges[hit] >= scan.range_min) & (ranges[hit] <= scan.range_max)).all()
    mount = static["base_scan"]
    turned = angles[hit] + yaw(mount.rotation)
    px, py = (
        mount.translation.x + ranges[hit] * np.cos(turned),
        mount.translation.y + ranges[hit] * np.sin(turned),
    )
    x, y, theta = sim.truth("vacuum").pose
    wx, wy = (
        x + math.cos(theta) * px - math.sin(theta) * py,
        y + math.sin(theta) * px + math.cos(theta) * py,
    )
    grid = sim.robots["vacuum"].grid
    cx, cy = grid.to_cells(wx, wy)
    occupied = np.argwhere(grid.occupied)[:, ::-1] + 0.5  # x, y of the cells' centres
    off = (
        np.abs(np.stack([cx, cy], 1)[:, None] - occupied[None]).max(2).min(1) - 0.5
    )  # cells from the nearest one's edge
    assert (
        np.quantile(off, 0.9) * grid.resolution_m < 0.03
    )  # rays are sorted into degrees: 1.7 cm at 2 m


def test_the_imu_in_si_units():
    sim = start("ros.cmd_vel_timeout_s=0")
    drive(sim, 0.2, 0.5)
    sim.run(3.0)
    imu = said(sim, "imu")[-1]
    assert imu.orientation_covariance[0] == -1
    assert imu.angular_velocity.z == pytest.approx(0.5, abs=2e-3)
    assert (imu.linear_acceleration.y, imu.linear_acceleration.z) == pytest.approx(
        (0.1, 9.80665), abs=2e-3
    )  # v·w, gravity


def test_commands_are_for_half_a_second():
    sim = start()
    drive(sim, 0.2, 0.0)
    sim.run(0.3)
    drive(sim, 0.2, 0.0)
    sim.run(0.49)
    assert sim.robots["vacuum"].state.command == (0.2, 0.0)
    sim.run(0.02)
    assert sim.robots["vacuum"].state.command == (0.0, 0.0)
    drive(sim, math.nan, 0.0)
    assert sim.robots["vacuum"].state.command == (0.0, 0.0)


def test_the_battery_once_a_second():
    sim = start("sensors.battery.level=40", "sensors.battery.is_charging=true")
    sim.run(3.05)
    found = said(sim, "battery_state")
    assert len(found) == 4
    assert (found[0].percentage, found[0].voltage, found[0].power_supply_status) == (0.4, 14.8, 1)
    assert math.isnan(found[0].current)


def test_a_stuck_encoder_is_seen_in_odometry():
    sim = start("ros.cmd_vel_timeout_s=0")
    drive(sim, 0.2, 0.0)
    sim.run(1.0)
    sim.apply(Inject("vacuum", "encoder_left", "stuck"))
    sim.run(1.0)
    assert abs(yaw(said(sim, "odom")[-1].pose.pose.orientation)) > 0.3


def test_frames_of_a_namespace_have_it_before_their_names():
    sim = start("ros.namespace=/v1", 'ros.remaps={cmd_vel="drive"}', "ros.clock=true")
    drive(sim, 0.1, 0.0, "/v1/drive")
    sim.run(0.2)
    published = sim.take("vacuum", "ros")
    assert sim.robots["vacuum"].state.command == (0.1, 0.0)
    odom = next(one.message for one in published if one.topic == "odom")
    assert (odom.header.frame_id, odom.child_frame_id) == ("v1/odom", "v1/base_link")
    assert (
        next(one.message for one in published if one.topic == "/clock").clock == odom.header.stamp
    )


def test_stamps_count_from_the_date():
    sim = start()
    sim.apply(SetInput("vacuum", "epoch_s", 1_700_000_000.5))
    sim.run(0.1)
    stamp = said(sim, "odom")[-1].header.stamp
    assert (stamp.sec, stamp.nanosec) == (1_700_000_000, 600_000_000)


def test_the_same_seed_the_same_bytes():
    tapes = [record_to_bytes(start(), 1.0) for _ in range(2)]
    assert tapes[0] == tapes[1]
    assert len(io.BytesIO(tapes[0]).getvalue()) > 1000


def test_a_snapshot_holds_the_bridge_too():
    sim = start()
    drive(sim, 0.2, 0.3)
    sim.run(0.4)
    saved = sim.snapshot()
    sim.take("vacuum", "ros")
    sim.run(0.4)
    first = sim.take("vacuum", "ros")
    sim.restore(saved)
    sim.take("vacuum", "ros")
    sim.run(0.4)
    again = sim.take("vacuum", "ros")
    assert len(first) > 100
    assert [cdr.encode(one.message) for one in again] == [cdr.encode(one.message) for one in first]
