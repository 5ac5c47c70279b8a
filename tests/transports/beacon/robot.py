"""Publishes at 100 and 10 Hz, keeps received messages, and stops after 0.5 s without a command."""

from dataclasses import dataclass, field

from rigless.kernel.ports import Connected
from rigless.kernel.robot import Config, Robot, every, on
from rigless.ros import messages as m
from rigless.ros.codec import Published, ros_port
from rigless.ros.topics import Node, Topic

TIMEOUT_S = 0.5


class BeaconConfig(Config):
    namespace: str = "/"
    remaps: dict[str, str] = {}


@dataclass
class BeaconState:
    speed_mps: float = 0.0
    told_ns: int = -(10**12)
    frames: list[str] = field(default_factory=list)


class Beacon(Robot):
    Config = BeaconConfig
    State = BeaconState

    @property
    def ports(self):
        topics = (
            Topic("imu", m.Imu, "out"),
            Topic("gps", m.NavSatFix, "out"),
            Topic("scan", m.LaserScan, "out", reliable=False),
            Topic("/tf_static", m.TFMessage, "out", transient_local=True, depth=1),
            Topic("home", m.Pose, "out", transient_local=True, depth=1),
            Topic("/tf_static_in", m.TFMessage, "in", transient_local=True, depth=100),
            Topic("cmd_vel", m.Twist, "in"),
        )
        return (
            ros_port(
                Node(
                    self.name.replace("-", "_"),
                    topics,
                    self.config.namespace,
                    self.config.remaps,
                    {"gps.rate_hz": 10.0, "home": (1.0, 2.0), "level": 3, "on": True, "text": "a"},
                )
            ),
        )

    def header(self):
        return m.Header(m.Time(*divmod(self.now_ns, 10**9)), "base_link")

    @every(100)
    def fast(self):
        if self.now_ns - self.state.told_ns > TIMEOUT_S * 1e9:
            self.state.speed_mps = 0.0
        if self.wanted("dds"):
            speed = m.Vector3(x=self.state.speed_mps)
            covariance = (0.25, *(0.0,) * 8)
            self.emit(
                "dds",
                Published(
                    "imu",
                    m.Imu(self.header(), angular_velocity=speed, orientation_covariance=covariance),
                ),
            )

    @every(10)
    def slow(self):
        if self.wanted("dds"):
            status = m.NavSatStatus(-1, 3)
            self.emit(
                "dds",
                Published(
                    "gps",
                    m.NavSatFix(
                        self.header(), status, 47.0, 8.5, 400.0, position_covariance_type=2
                    ),
                ),
            )
            self.emit(
                "dds",
                Published(
                    "scan", m.LaserScan(self.header(), ranges=tuple(float(n) for n in range(360)))
                ),
            )

    @on(Connected)
    def greet(self, message, link):
        frames = m.TransformStamped(
            m.Header(frame_id="base_link"), "imu_link", m.Transform(m.Vector3(z=0.5))
        )
        self.emit("dds", Published("/tf_static", m.TFMessage((frames,))))
        self.emit("dds", Published("home", m.Pose(m.Point(1.0, 2.0))))

    @on(Published)
    def hear(self, published, link):
        if published.topic == "cmd_vel":
            self.state.speed_mps, self.state.told_ns = published.message.linear.x, self.now_ns
        else:
            self.state.frames += [
                transform.child_frame_id for transform in published.message.transforms
            ]
