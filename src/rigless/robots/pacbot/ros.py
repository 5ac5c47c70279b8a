"""The Pacbot as a ROS node, as a bridge in front of the real one makes it.

Sensor messages become ranges, IMU, joint states and odometry (dead reckoning from the wheels'
ticks); cmd_vel becomes wheel commands. The Pacbot's axes are right and forward, those of ROS are
forward and left (REP 103).
"""

import math
from collections.abc import Callable

from rigless.kernel.elementary import sin_cos
from rigless.kernel.robot import Robot
from rigless.motion.omni import body_speeds, displacement
from rigless.robots.pacbot.arrays import BEARINGS_RAD, tof_names
from rigless.robots.pacbot.config import WHEELS, Body, PacbotConfig
from rigless.ros import messages as m
from rigless.ros.bridge import NOT_PROVIDED, UNKNOWN, Bridge, planar
from rigless.ros.topics import Topic
from rigless.sensors.attitude import about_z

INFRARED = 1  # Range's constant
JOINTS = tuple(f"wheel_{wheel}" for wheel in WHEELS)


def topics(config: PacbotConfig) -> tuple[Topic, ...]:
    return (
        *(Topic(f"range/{name}", m.Range, "out") for name in tof_names(config)),
        Topic("imu", m.Imu, "out"),
        Topic("joint_states", m.JointState, "out"),
        Topic("odom", m.Odometry, "out"),
        Topic("/tf", m.TFMessage, "out", depth=100),
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
        self._robot, self._config = robot, config
        self._arm_m = config.body.wheel_speed_mps / config.body.turn_speed_radps
        self._ticks_per_m = config.encoders.ticks_per_rev / (
            2 * math.pi * config.body.wheel_radius_m
        )

    def greet(self) -> None:
        """Publish the static transforms; the transport keeps them for late subscribers."""
        bridge, radius, imu = self.bridge, self._config.body.radius_m, self._config.imu
        base = m.Header(frame_id=bridge.frame("base_link"))
        transforms = []
        for name in tof_names(self._config):
            yaw = BEARINGS_RAD[name] - math.pi / 2
            sine, cosine = sin_cos(yaw)
            position = m.Vector3(radius * cosine, radius * sine)
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
        bridge.publish_log()
        variance = tof.noise_stddev_m**2
        for name, range_m in ranges.items():
            header = bridge.header(f"range_{name}")
            limits = tof.cone_rad, tof.min_range_m, tof.max_range_m
            # The wire has the largest range for no echo, ROS has infinity (REP 117).
            echo_m = range_m if range_m < round(tof.max_range_m, 4) else math.inf
            message = m.Range(header, INFRARED, *limits, echo_m, variance)
            bridge.publish(f"range/{name}", message)
        bridge.publish("imu", self._imu(*imu))
        rad_per_tick = 2 * math.pi / self._config.encoders.ticks_per_rev
        angles = tuple(ticks[wheel] * rad_per_tick for wheel in WHEELS)
        bridge.publish("joint_states", m.JointState(bridge.header("base_link"), JOINTS, angles))
        self._publish_odometry()

    def update_odometry(self, ticks: tuple[float, float, float, float]) -> None:
        """Advance the dead-reckoned pose and its variance by the ticks since the last reading."""
        ros, config = self._robot.state.ros, self._config
        counts = zip(ticks, ros.ticks, strict=True)
        travel = [(now - before) / self._ticks_per_m for now, before in counts]
        ros.ticks = ticks
        # The wheels turn at the rate of physics, of which a reading sees one or several steps.
        steps = self._robot.state.ticks
        ros.step_s, ros.steps = (steps - ros.steps) / config.physics_hz, steps
        north, south, east, west = travel
        right, forward, turn = body_speeds(north, south, east, west, self._arm_m)
        ros.step = forward, -right, turn
        to_right, ahead = displacement(ros.theta, right, forward, turn, 1.0)
        ros.x, ros.y = ros.x + ahead, ros.y - to_right
        ros.theta = math.remainder(ros.theta + turn, 2 * math.pi)
        slipped = config.encoders.noise**2 * sum(part * part for part in travel)
        ros.variance_rad2 += slipped / (4 * self._arm_m) ** 2
        ros.variance_m2 += slipped / 4 + ros.variance_rad2 * (right * right + forward * forward)

    def _publish_odometry(self) -> None:
        ros, bridge, config = self._robot.state.ros, self.bridge, self._config
        header, child = bridge.header("odom"), bridge.frame("base_link")
        rotation = m.Quaternion(*about_z(ros.theta))
        pose = m.PoseWithCovariance(
            m.Pose(m.Point(ros.x, ros.y), rotation), planar(ros.variance_m2, ros.variance_rad2)
        )
        hz = 1.0 / ros.step_s if ros.step_s else 0.0
        forward, left, turn = (part * hz for part in ros.step)
        counted = (hz / self._ticks_per_m) ** 2 / 6.0  # the difference of two counts, each rounded
        noise = config.encoders.noise**2
        speed = noise * (forward * forward + left * left) + counted
        turning = noise * turn * turn + counted / (4 * self._arm_m**2)
        twist = m.Twist(m.Vector3(forward, left), m.Vector3(z=turn))
        velocity = m.TwistWithCovariance(twist, planar(speed, turning))
        bridge.publish("odom", m.Odometry(header, child, pose, velocity))
        moved = m.Transform(m.Vector3(ros.x, ros.y), rotation)
        bridge.publish("/tf", m.TFMessage((m.TransformStamped(header, child, moved),)))

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
