"""The Pacbot to ROS: what a bridge in front of the real one makes of its sensor messages, and of cmd_vel wheel commands.

The Pacbot's axes are right and forward, those of ROS forward and left (REP 103).
"""

import math
from typing import TYPE_CHECKING, Any

from rigless.robots.pacbot.arrays import BEARINGS_RAD, tof_names
from rigless.robots.pacbot.config import WHEELS
from rigless.ros import messages as m
from rigless.ros.bridge import NOT_PROVIDED, UNKNOWN, Bridge
from rigless.ros.topics import Topic
from rigless.sensors.attitude import about_z

if TYPE_CHECKING:
    from rigless.robots.pacbot.config import PacbotConfig

INFRARED = 1  # Range's constant
JOINTS = tuple(f"wheel_{wheel}" for wheel in WHEELS)


class RosBridge(Bridge):
    """Mixed into the Pacbot."""

    if TYPE_CHECKING:
        config: PacbotConfig
        go: Any

    def ros_topics(self) -> tuple[Topic, ...]:
        return (
            *(Topic(f"range/{name}", m.Range, "out") for name in tof_names(self.config)),
            Topic("imu", m.Imu, "out"),
            Topic("joint_states", m.JointState, "out"),
            Topic("/tf_static", m.TFMessage, "out", transient_local=True, depth=1),
        )

    def ros_drive(self, ahead: float, aside: float, turn: float) -> None:
        """All wheels as fast as wanted; if one cannot, all are slower alike, so that the way stays the same."""
        body = self.config.body
        shares = (
            -aside / body.wheel_speed_mps,
            ahead / body.wheel_speed_mps,
            turn / body.turn_speed_radps,
        )
        most = max(abs(shares[0]), abs(shares[1])) + abs(
            shares[2]
        )  # of the wheel that has most to do
        self.go(*(share / max(most, 1.0) for share in shares))

    def ros_static(self) -> m.TFMessage:
        base, radius, imu = (
            m.Header(frame_id=self.ros_frame("base_link")),
            self.config.body.radius_m,
            self.config.imu,
        )
        found = [
            m.TransformStamped(
                base,
                self.ros_frame(f"range_{name}"),
                m.Transform(
                    m.Vector3(radius * math.cos(yaw), radius * math.sin(yaw)),
                    m.Quaternion(*about_z(yaw)),
                ),
            )
            for name in tof_names(self.config)
            for yaw in [BEARINGS_RAD[name] - math.pi / 2]
        ]
        at = m.Vector3(imu.mount_y_m, -imu.mount_x_m)
        return m.TFMessage(
            (*found, m.TransformStamped(base, self.ros_frame("imu_link"), m.Transform(at)))
        )

    def ros_readings(
        self, tof: dict[str, float], encoders: dict[str, float], imu: tuple[float, float, float]
    ) -> None:
        """The sensor messages have come."""
        self.ros_tick()
        kind = self.config.tof
        for name, range_m in tof.items():
            header = self.ros_header(f"range_{name}")
            measured = (
                kind.cone_rad,
                kind.min_range_m,
                kind.max_range_m,
                range_m,
                kind.noise_stddev_m**2,
            )
            self.ros_say(f"range/{name}", m.Range(header, INFRARED, *measured))
        self.ros_say("imu", self.ros_imu(*imu))
        turns = 2 * math.pi / self.config.encoders.ticks_per_rev
        angles = tuple(encoders[wheel] * turns for wheel in WHEELS)
        self.ros_say("joint_states", m.JointState(self.ros_header("base_link"), JOINTS, angles))

    def ros_imu(self, right: float, ahead: float, turn: float) -> m.Imu:
        imu = self.config.imu
        force, rate = max(imu.accel_stddev_mps2**2, 1e-9), max(imu.gyro_stddev_radps**2, 1e-9)
        return m.Imu(
            self.ros_header("imu_link"),
            m.Quaternion(),
            NOT_PROVIDED,
            m.Vector3(z=turn),
            (UNKNOWN, 0.0, 0.0, 0.0, UNKNOWN, 0.0, 0.0, 0.0, rate),
            m.Vector3(ahead, -right),
            (force, 0.0, 0.0, 0.0, force, 0.0, 0.0, 0.0, UNKNOWN),
        )
