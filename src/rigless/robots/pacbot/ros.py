"""The Pacbot as a ROS node, as a bridge in front of the real one makes it.

Sensor messages become ranges, IMU and joint states; cmd_vel becomes wheel commands. The Pacbot's
axes are right and forward, those of ROS forward and left (REP 103).
"""

import math
from collections.abc import Callable

from rigless.kernel.robot import Robot
from rigless.robots.pacbot.arrays import BEARINGS_RAD, tof_names
from rigless.robots.pacbot.config import WHEELS, Body, PacbotConfig
from rigless.ros import messages as m
from rigless.ros.bridge import NOT_PROVIDED, UNKNOWN, Bridge
from rigless.ros.topics import Topic
from rigless.sensors.attitude import about_z

INFRARED = 1  # Range's constant
JOINTS = tuple(f"wheel_{wheel}" for wheel in WHEELS)


def topics(config: PacbotConfig) -> tuple[Topic, ...]:
    return (
        *(Topic(f"range/{name}", m.Range, "out") for name in tof_names(config)),
        Topic("imu", m.Imu, "out"),
        Topic("joint_states", m.JointState, "out"),
        Topic("/tf_static", m.TFMessage, "out", transient_local=True, depth=1),
    )


def body_shares(body: Body, forward: float, left: float, turn: float) -> tuple[float, float, float]:
    """Return a velocity as shares of full speed: right, forward, turn.

    If a wheel would exceed full speed, all are scaled alike, so that the direction stays.
    """
    right_share = -left / body.wheel_speed_mps
    forward_share = forward / body.wheel_speed_mps
    turn_share = turn / body.turn_speed_radps
    fastest = max(abs(right_share), abs(forward_share)) + abs(turn_share)  # of the wheels
    scale = max(fastest, 1.0)
    return right_share / scale, forward_share / scale, turn_share / scale


class RosBridge:
    """Publish sensor readings on ROS topics; `bridge` is the node."""

    def __init__(
        self,
        robot: Robot,
        config: PacbotConfig,
        drive: Callable[[float, float, float], None],
        timeout: Callable[[int], None],
    ):
        self.bridge = Bridge(robot, config.ros, topics(config), drive, timeout)
        self._config = config

    def greet(self) -> None:
        """Publish the static transforms; the transport keeps them for late subscribers."""
        bridge, radius, imu = self.bridge, self._config.body.radius_m, self._config.imu
        base = m.Header(frame_id=bridge.frame("base_link"))
        transforms = []
        for name in tof_names(self._config):
            yaw = BEARINGS_RAD[name] - math.pi / 2
            position = m.Vector3(radius * math.cos(yaw), radius * math.sin(yaw))
            transform = m.Transform(position, m.Quaternion(*about_z(yaw)))
            transforms.append(m.TransformStamped(base, bridge.frame(f"range_{name}"), transform))
        imu_at = m.Transform(m.Vector3(imu.mount_y_m, -imu.mount_x_m))
        transforms.append(m.TransformStamped(base, bridge.frame("imu_link"), imu_at))
        bridge.publish("/tf_static", m.TFMessage(tuple(transforms)))

    def publish_readings(
        self, ranges: dict[str, float], ticks: dict[str, float], imu: tuple[float, float, float]
    ) -> None:
        bridge, tof = self.bridge, self._config.tof
        bridge.publish_clock()
        variance = tof.noise_stddev_m**2
        for name, range_m in ranges.items():
            header = bridge.header(f"range_{name}")
            limits = tof.cone_rad, tof.min_range_m, tof.max_range_m
            message = m.Range(header, INFRARED, *limits, range_m, variance)
            bridge.publish(f"range/{name}", message)
        bridge.publish("imu", self._imu(*imu))
        rad_per_tick = 2 * math.pi / self._config.encoders.ticks_per_rev
        angles = tuple(ticks[wheel] * rad_per_tick for wheel in WHEELS)
        bridge.publish("joint_states", m.JointState(bridge.header("base_link"), JOINTS, angles))

    def _imu(self, right: float, forward: float, turn: float) -> m.Imu:
        imu = self._config.imu
        accel, gyro = max(imu.accel_stddev_mps2**2, 1e-9), max(imu.gyro_stddev_radps**2, 1e-9)
        return m.Imu(
            self.bridge.header("imu_link"),
            m.Quaternion(),
            NOT_PROVIDED,
            m.Vector3(z=turn),
            (UNKNOWN, 0.0, 0.0, 0.0, UNKNOWN, 0.0, 0.0, 0.0, gyro),
            m.Vector3(forward, -right),
            (accel, 0.0, 0.0, 0.0, accel, 0.0, 0.0, 0.0, UNKNOWN),
        )
