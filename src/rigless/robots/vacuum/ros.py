"""The vacuum as a ROS node, as a bridge in front of the real one makes it.

Its telemetry becomes odometry (dead reckoning from the wheels' ticks), a laser scan (points sorted
into rays), IMU and battery; cmd_vel becomes a drive command. Frames (REP 105): odom → base_link →
base_scan and imu_link.
"""

import math
from typing import Protocol

import numpy as np

from rigless.kernel.elementary import sin_cos
from rigless.robots.vacuum.body import STANDARD_GRAVITY
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.state import RosState, VacuumState
from rigless.robots.vacuum.wire import Scan, Status
from rigless.ros import messages as m
from rigless.ros.bridge import NOT_PROVIDED, Bridge, planar
from rigless.ros.topics import Topic
from rigless.sensors.attitude import about_z

WRAP = 1 << 16
CHARGING, DISCHARGING, FULL, LITHIUM_ION = 1, 2, 4, 2  # BatteryState's constants
BATTERY_S = 1.0
TOPICS = (
    Topic("scan", m.LaserScan, "out"),
    Topic("odom", m.Odometry, "out"),
    Topic("imu", m.Imu, "out"),
    Topic("battery_state", m.BatteryState, "out"),
    Topic("/tf", m.TFMessage, "out", depth=100),
    Topic("/tf_static", m.TFMessage, "out", transient_local=True, depth=1),
)


class Stateful(Protocol):
    """The part of a robot that its ROS node needs: time and state."""

    @property
    def now_ns(self) -> int: ...
    @property
    def state(self) -> VacuumState: ...


class RosBridge:
    """Publish telemetry on ROS topics; `bridge` is the node."""

    def __init__(self, bridge: Bridge, robot: Stateful, config: VacuumConfig):
        self.bridge, self._robot, self._config = bridge, robot, config

    def greet(self) -> None:
        """Publish the static transforms; the transport keeps them for late subscribers.

        Points are seen from the robot's centre, unless the config sets the lidar's frame.
        """
        lidar, bridge = self._config.lidar, self.bridge
        mounted = self._config.lidar_frame == "lidar_mount"
        position = m.Vector3(lidar.mounting_x, lidar.mounting_y) if mounted else m.Vector3()
        rotation = m.Quaternion(*about_z(lidar.angle_offset)) if mounted else m.Quaternion()
        base = m.Header(frame_id=bridge.frame("base_link"))
        scan_frame, imu_frame = bridge.frame("base_scan"), bridge.frame("imu_link")
        transforms = (
            m.TransformStamped(base, scan_frame, m.Transform(position, rotation)),
            m.TransformStamped(base, imu_frame, m.Transform()),
        )
        bridge.publish("/tf_static", m.TFMessage(transforms))

    def publish_status(self, status: Status) -> None:
        """Update dead reckoning by a status packet; publish it if there is a subscriber."""
        ros, bridge, config = self._robot.state.ros, self.bridge, self._config
        update_odometry(ros, status, config)
        if not bridge.wanted:
            return
        bridge.publish_clock()
        bridge.publish_log()
        header, child = bridge.header("odom"), bridge.frame("base_link")
        rotation = m.Quaternion(*about_z(ros.theta))
        pose = m.PoseWithCovariance(
            m.Pose(m.Point(ros.x, ros.y), rotation), planar(ros.variance_m2, ros.variance_rad2)
        )
        rate_hz = config.imu.update_rate_hz
        twist = m.Twist(m.Vector3(ros.step_m * rate_hz), m.Vector3(z=ros.step_rad * rate_hz))
        tick_variance = 1.0 / (6.0 * config.robot.ticks_per_meter**2)  # of two quantised counts
        slip = config.encoder.noise.slip_stddev**2
        speed = (slip * ros.step_m**2 + tick_variance) * rate_hz**2
        turn = (
            slip * ros.step_rad**2 + 4 * tick_variance / config.robot.wheel_base**2
        ) * rate_hz**2
        velocity = m.TwistWithCovariance(twist, planar(speed, turn))
        bridge.publish("odom", m.Odometry(header, child, pose, velocity))
        moved = m.Transform(m.Vector3(ros.x, ros.y), rotation)
        bridge.publish("/tf", m.TFMessage((m.TransformStamped(header, child, moved),)))
        bridge.publish("imu", self._imu(status))
        if ros.reports % max(round(rate_hz * BATTERY_S), 1) == 1:
            bridge.publish("battery_state", self._battery(status))

    def _imu(self, status: Status) -> m.Imu:
        imu, axes = self._config.imu, self._config.frame_transforms
        turn, force = 1.0 / imu.gyro_lsb_per_radps, STANDARD_GRAVITY / imu.accel_lsb_per_g
        gyro = m.Vector3(status.gyro_x * turn, status.gyro_y * turn, status.gyro_z * turn)
        accel = m.Vector3(status.accel_x * force, status.accel_y * force, status.accel_z * force)
        gyro_axes = (axes.imu_gyro.x, axes.imu_gyro.y, axes.imu_gyro.z)
        accel_axes = (axes.imu_accel.x, axes.imu_accel.y, axes.imu_accel.z)
        gyro_variance = _diagonal([imu.gyro_noise.stddev[axis[0]] for axis in gyro_axes], turn)
        accel_variance = _diagonal([imu.accel_noise.stddev[axis[0]] for axis in accel_axes], force)
        header = self.bridge.header("imu_link")
        return m.Imu(
            header, m.Quaternion(), NOT_PROVIDED, gyro, gyro_variance, accel, accel_variance
        )

    def _battery(self, status: Status) -> m.BatteryState:
        not_measured = (math.nan,) * 5
        if status.is_charging:
            charge = CHARGING
        else:
            full = status.is_dock_connected and status.battery_level >= 100
            charge = FULL if full else DISCHARGING
        return m.BatteryState(
            self.bridge.header("base_link"),
            status.battery_voltage,
            *not_measured,
            status.battery_level / 100,
            charge,
            0,
            LITHIUM_ION,
            True,
        )

    def publish_scan(self, scan: Scan) -> None:
        """Publish a turn of the lidar: the nearest point of each ray, inf for none (REP 117)."""
        lidar = self._config.lidar
        count, turn_s = lidar.num_rays, 1.0 / lidar.scan_rate_hz
        step = 2 * math.pi / count
        centred = self._config.lidar_frame == "robot_center"
        offset_m = lidar.optical_offset + (
            math.hypot(lidar.mounting_x, lidar.mounting_y) if centred else 0.0
        )
        ranges = np.full(count, np.inf, np.float32)
        rays = np.rint((scan.angles.astype(float) + math.pi) / step).astype(int) % count
        np.minimum.at(
            ranges, rays, scan.distances + np.float32(0.0 if centred else lidar.optical_offset)
        )
        header = self.bridge.header("base_scan", self._robot.now_ns - round(turn_s * 1e9))
        nearest, farthest = max(lidar.min_range - offset_m, 0.0), lidar.max_range + offset_m
        message = m.LaserScan(
            header, -math.pi, math.pi - step, step, turn_s / count, turn_s, nearest, farthest,
            tuple(ranges.tolist()),
        )  # fmt: skip
        self.bridge.publish("scan", message)


def update_odometry(ros: RosState, status: Status, config: VacuumConfig) -> None:
    """Advance the dead-reckoned pose and its variance by the ticks since the last packet."""
    robot = config.robot
    left, right = status.wheel_left, status.wheel_right
    if ros.reports:
        steps = [((now - before + WRAP // 2) % WRAP - WRAP // 2) / robot.ticks_per_meter
                 for now, before in ((left, ros.left), (right, ros.right))]  # fmt: skip
        ros.step_m, ros.step_rad = (
            0.5 * (steps[0] + steps[1]),
            (steps[1] - steps[0]) / robot.wheel_base,
        )
        middle = ros.theta + 0.5 * ros.step_rad
        sine, cosine = sin_cos(middle)
        ros.x += ros.step_m * cosine
        ros.y += ros.step_m * sine
        ros.theta = math.remainder(ros.theta + ros.step_rad, 2 * math.pi)
        slipped = config.encoder.noise.slip_stddev**2 * (steps[0] ** 2 + steps[1] ** 2)
        ros.variance_rad2 += slipped / robot.wheel_base**2
        ros.variance_m2 += 0.25 * slipped + ros.variance_rad2 * ros.step_m**2
    ros.reports += 1
    ros.left, ros.right = left, right


def _diagonal(deviations: list[float], scale: float) -> tuple[float, ...]:
    """Return the 3×3 covariance of three independent axes."""
    x, y, z = (max((deviation * scale) ** 2, 1e-9) for deviation in deviations)
    return (x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z)
