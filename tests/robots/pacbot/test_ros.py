"""The Pacbot as a ROS node: its sensors on the axes of ROS, and driving by cmd_vel."""

import math

import pytest

from rigless.kernel.inputs import Arrive, Connect
from rigless.ros import cdr
from rigless.ros import messages as m
from rigless.scenario.load import open_target

QUIET = [
    "imu.accel_stddev_mps2=0",
    "imu.gyro_stddev_radps=0",
    "imu.gyro_drift_radps=0",
    "encoders.noise=0",
    "body.damping_per_s=0",
]


def start(*settings):
    sim = open_target("pacbot", ["ros=true", *QUIET, *settings], 1).simulation
    sim.apply(Connect("pacbot", "ros", 1, "peer", "here"))
    return sim


def drive(sim, ahead, left, turn):
    twist = m.Twist(m.Vector3(ahead, left), m.Vector3(z=turn))
    sim.apply(Arrive("pacbot", "ros", 1, cdr.encode(twist), "/cmd_vel"))


def by_topic(sim):
    return {published.topic: published.message for published in sim.take("pacbot", "ros")}


@pytest.mark.parametrize(
    "wanted",
    [(0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.1, -0.05, 0.0), (0.0, 0.0, 1.0), (0.05, 0.0, -1.0)],
)
def test_cmd_vel_drives_it(wanted):
    sim = start()
    drive(sim, *wanted)
    sim.run(0.45)
    right, ahead, turn = sim.truth("pacbot").body_velocity
    assert (ahead, -right, turn) == pytest.approx(wanted, abs=1e-3)


def test_too_fast_is_slower_on_the_same_way():
    sim = start()
    drive(sim, 3.0, 1.5, 0.0)
    sim.run(0.45)
    right, ahead, turn = sim.truth("pacbot").body_velocity
    assert (ahead, -right, turn) == pytest.approx((0.3, 0.15, 0.0), abs=1e-3)


def test_it_stops_when_commands_do():
    sim = start()
    drive(sim, 0.1, 0.0, 0.0)
    sim.run(0.49)
    assert sim.truth("pacbot").commands["west"] > 0
    sim.run(0.02)
    assert set(sim.truth("pacbot").commands.values()) == {0.0}


def test_sensors_on_the_axes_of_ros():
    sim = start("ros.cmd_vel_timeout_s=0")
    drive(sim, 0.0, 0.1, 0.5)
    sim.run(1.0)
    found = by_topic(sim)
    truth = sim.truth("pacbot")
    imu = found["imu"]
    assert imu.angular_velocity.z == pytest.approx(0.5, abs=1e-3)
    right, ahead = truth.acceleration
    assert (imu.linear_acceleration.x, imu.linear_acceleration.y) == pytest.approx(
        (ahead, -right), abs=2e-3
    )
    assert abs(imu.linear_acceleration.x) > 0.04  # v·w, backward when it moves to the left
    joints = found["joint_states"]
    assert joints.name == ("wheel_north", "wheel_south", "wheel_east", "wheel_west")
    ticks = list(truth.ticks.values())
    assert joints.position == pytest.approx([tick / 1000 * 2 * math.pi for tick in ticks], abs=0.1)
    for ray in truth.tof:
        echo_m = ray.reading_m if ray.range_m < 1.0 else math.inf
        assert found[f"range/{ray.name}"].range == pytest.approx(echo_m, abs=1e-3)
        assert found[f"range/{ray.name}"].header.frame_id == f"range_{ray.name}"


def test_where_the_range_sensors_look():
    sim = start()
    static = {one.child_frame_id: one.transform for one in by_topic(sim)["/tf_static"].transforms}
    at = {
        name: (round(where.translation.x, 3), round(where.translation.y, 3))
        for name, where in static.items()
    }
    assert at["range_north"] == (0.075, 0.0)  # ahead
    assert at["range_west"] == (0.0, 0.075)  # to the left
    assert (at["range_south"], at["range_east"]) == ((-0.075, 0.0), (0.0, -0.075))


def test_it_feels_a_left_turn_on_its_left():
    sim = start("ros.cmd_vel_timeout_s=0")
    drive(sim, 0.1, 0.0, 0.5)
    sim.run(1.0)
    felt = by_topic(sim)["imu"].linear_acceleration
    assert (felt.x, felt.y) == pytest.approx((0.0, 0.05), abs=2e-3)  # v·w towards the centre


def test_no_echo_is_infinite():
    sim = start("tof.dropout=0")
    sim.inject("pacbot", "tof_west", "off")
    sim.run(1.0)
    found, truth = by_topic(sim), sim.truth("pacbot")
    lost = {ray.name for ray in truth.tof if ray.range_m > 1.0} | {"west"}
    infinite = {
        name.removeprefix("range/")
        for name, message in found.items()
        if name.startswith("range/") and message.range == math.inf
    }
    assert infinite == lost
    assert 0 < len(infinite) < len(truth.tof)


def test_odometry_is_dead_reckoning_on_the_axes_of_ros():
    sim = start("ros.cmd_vel_timeout_s=0", "start_theta_rad=0.7", "motors.slip=0")
    x0, y0, theta0 = sim.truth("pacbot").pose
    drive(sim, 0.05, 0.02, 0.4)
    sim.run(2.0)
    found, truth = by_topic(sim), sim.truth("pacbot")
    odom, moved = found["odom"], found["/tf"].transforms[0]
    # The heading of the Pacbot is that of its right side; forward is a quarter turn on.
    heading0 = theta0 + math.pi / 2
    dx, dy = truth.pose[0] - x0, truth.pose[1] - y0
    ahead = math.cos(heading0) * dx + math.sin(heading0) * dy
    left = math.cos(heading0) * dy - math.sin(heading0) * dx
    at = odom.pose.pose.position
    assert (at.x, at.y) == pytest.approx((ahead, left), abs=2e-3)
    assert 2 * math.atan2(
        odom.pose.pose.orientation.z, odom.pose.pose.orientation.w
    ) == pytest.approx(math.remainder(truth.pose[2] - theta0, 2 * math.pi), abs=0.02)
    speed = odom.twist.twist
    assert (speed.linear.x, speed.linear.y, speed.angular.z) == pytest.approx(
        (0.05, 0.02, 0.4), abs=0.1
    )
    assert (odom.header.frame_id, odom.child_frame_id) == ("odom", "base_link")
    assert (moved.transform.translation.x, moved.child_frame_id) == (at.x, "base_link")
