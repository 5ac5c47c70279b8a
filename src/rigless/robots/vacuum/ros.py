"""The vacuum to ROS: what a bridge in front of the real one makes of its telemetry, and of cmd_vel a drive command.

Odometry is reckoned from the wheels' ticks, scans are points sorted into rays. Frames (REP 105): odom → base_link → base_scan, imu_link.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rigless.robots.vacuum.body import STANDARD_GRAVITY
from rigless.robots.vacuum.state import RosState
from rigless.robots.vacuum.wire import Scan, Status
from rigless.ros import messages as m
from rigless.ros.bridge import NOT_PROVIDED, UNKNOWN, Bridge
from rigless.ros.topics import Topic
from rigless.sensors.attitude import about_z

if TYPE_CHECKING:
    from rigless.robots.vacuum.config import VacuumConfig

WRAP = 1 << 16
CHARGING, DISCHARGING, FULL, LITHIUM_ION = 1, 2, 4, 2  # BatteryState's constants
BATTERY_S = 1.0


class RosBridge(Bridge):
    """Mixed into the vacuum."""

    if TYPE_CHECKING:
        config: VacuumConfig
        set_velocity: Any
        turn_lidar: Any

    def ros_topics(self) -> tuple[Topic, ...]:
        return (
            Topic("scan", m.LaserScan, "out"),
            Topic("odom", m.Odometry, "out"),
            Topic("imu", m.Imu, "out"),
            Topic("battery_state", m.BatteryState, "out"),
            Topic("/tf", m.TFMessage, "out", depth=100),
            Topic("/tf_static", m.TFMessage, "out", transient_local=True, depth=1),
        )

    def ros_drive(self, ahead: float, aside: float, turn: float) -> None:
        self.set_velocity(ahead, turn)

    def ros_static(self) -> m.TFMessage:
        """Points come as seen from the robot's centre, unless the config wants them as seen from the lidar."""
        lidar = self.config.lidar
        mounted = self.config.lidar_frame == "lidar_mount"
        at = m.Vector3(lidar.mounting_x, lidar.mounting_y) if mounted else m.Vector3()
        turned = m.Quaternion(*about_z(lidar.angle_offset)) if mounted else m.Quaternion()
        base = m.Header(frame_id=self.ros_frame("base_link"))
        return m.TFMessage(
            (
                m.TransformStamped(base, self.ros_frame("base_scan"), m.Transform(at, turned)),
                m.TransformStamped(base, self.ros_frame("imu_link"), m.Transform()),
            )
        )

    def ros_status(self, status: Status) -> None:
        """A status packet has come."""
        ros: RosState = self.state.ros
        reckon(ros, status, self.config)
        if not self.ros_wanted():
            return
        self.ros_tick()
        header = self.ros_header("odom")
        child, place = self.ros_frame("base_link"), m.Quaternion(*about_z(ros.theta))
        pose = m.PoseWithCovariance(
            m.Pose(m.Point(ros.x, ros.y), place), _diagonal(ros.variance_m2, ros.variance_rad2)
        )
        rate = self.config.imu.update_rate_hz
        twist = m.Twist(m.Vector3(ros.step_m * rate), m.Vector3(z=ros.step_rad * rate))
        grain = 1.0 / (6.0 * self.config.robot.ticks_per_meter**2)  # of two quantised counts
        slip = self.config.encoder.noise.slip_stddev**2
        spread = (slip * ros.step_m**2 + grain) * rate**2
        turning = (slip * ros.step_rad**2 + 4 * grain / self.config.robot.wheel_base**2) * rate**2
        self.ros_say(
            "odom",
            m.Odometry(
                header, child, pose, m.TwistWithCovariance(twist, _diagonal(spread, turning))
            ),
        )
        moved = m.Transform(m.Vector3(ros.x, ros.y), place)
        self.ros_say("/tf", m.TFMessage((m.TransformStamped(header, child, moved),)))
        self.ros_say("imu", self.ros_imu(status))
        if ros.reports % max(round(rate * BATTERY_S), 1) == 1:
            self.ros_say("battery_state", self.ros_battery(status))

    def ros_imu(self, status: Status) -> m.Imu:
        imu, axes = self.config.imu, self.config.frame_transforms
        turn, force = 1.0 / imu.gyro_lsb_per_radps, STANDARD_GRAVITY / imu.accel_lsb_per_g
        gyro = m.Vector3(status.gyro_x * turn, status.gyro_y * turn, status.gyro_z * turn)
        accel = m.Vector3(status.accel_x * force, status.accel_y * force, status.accel_z * force)
        deviations = [
            imu.gyro_noise.stddev[axis[0]]
            for axis in (axes.imu_gyro.x, axes.imu_gyro.y, axes.imu_gyro.z)
        ]
        forces = [
            imu.accel_noise.stddev[axis[0]]
            for axis in (axes.imu_accel.x, axes.imu_accel.y, axes.imu_accel.z)
        ]
        header = self.ros_header("imu_link")
        rates, felt = _three(deviations, turn), _three(forces, force)
        return m.Imu(header, m.Quaternion(), NOT_PROVIDED, gyro, rates, accel, felt)

    def ros_battery(self, status: Status) -> m.BatteryState:
        unmeasured = (math.nan,) * 5
        full = status.battery_level >= 100
        doing = (
            CHARGING
            if status.is_charging
            else FULL
            if status.is_dock_connected and full
            else DISCHARGING
        )
        share = status.battery_level / 100
        header = self.ros_header("base_link")
        return m.BatteryState(
            header, status.battery_voltage, *unmeasured, share, doing, 0, LITHIUM_ION, True
        )

    def ros_scan(self, scan: Scan) -> None:
        """A turn of the lidar has come: its points by angle, the nearest in each ray; inf where there is none (REP 117)."""
        lidar = self.config.lidar
        count, turn_s = lidar.num_rays, 1.0 / lidar.scan_rate_hz
        step = 2 * math.pi / count
        centred = self.config.lidar_frame == "robot_center"
        out_m = lidar.optical_offset + (
            math.hypot(lidar.mounting_x, lidar.mounting_y) if centred else 0.0
        )
        ranges = np.full(count, np.inf, np.float32)
        places = np.rint((scan.angles.astype(float) + math.pi) / step).astype(int) % count
        np.minimum.at(
            ranges, places, scan.distances + np.float32(0.0 if centred else lidar.optical_offset)
        )
        begin_ns = self.now_ns - round(turn_s * 1e9)
        header = self.ros_header("base_scan", begin_ns)
        nearest = max(lidar.min_range - out_m, 0.0)
        self.ros_say(
            "scan",
            m.LaserScan(header, -math.pi, math.pi - step, step, turn_s / count, turn_s, nearest, lidar.max_range + out_m,
                        tuple(ranges.tolist())),
        )  # fmt: skip


def reckon(ros: RosState, status: Status, config: "VacuumConfig") -> None:
    """Where the robot has got to by what its wheels turned since the last packet, and how unsure that is."""
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
        ros.x += ros.step_m * math.cos(middle)
        ros.y += ros.step_m * math.sin(middle)
        ros.theta = math.remainder(ros.theta + ros.step_rad, 2 * math.pi)
        slipped = config.encoder.noise.slip_stddev**2 * (steps[0] ** 2 + steps[1] ** 2)
        ros.variance_rad2 += slipped / robot.wheel_base**2
        ros.variance_m2 += 0.25 * slipped + ros.variance_rad2 * ros.step_m**2
    ros.reports += 1
    ros.left, ros.right = left, right


def _diagonal(level: float, yaw: float) -> tuple[float, ...]:
    """A 6×6 covariance of motion in the plane."""
    values = (max(level, 1e-9), max(level, 1e-9), UNKNOWN, UNKNOWN, UNKNOWN, max(yaw, 1e-9))
    return tuple(values[row] if row == column else 0.0 for row in range(6) for column in range(6))


def _three(deviations: list[float], scale: float) -> tuple[float, ...]:
    x, y, z = (max((deviation * scale) ** 2, 1e-9) for deviation in deviations)
    return (x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z)
