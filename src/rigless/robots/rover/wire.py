"""The rover's wire: its node, topics and quality of service, and its readings as ROS messages.

Variances are never zero, since ROS reads a covariance of zeros as unknown: exact values have FLOOR.
"""

from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.tf.frames import namespace_of
from rigless.ros import rosout
from rigless.ros.messages import (
    Clock,
    Header,
    Imu,
    NavSatFix,
    NavSatStatus,
    Odometry,
    Point,
    Pose,
    PoseWithCovariance,
    Quaternion,
    TFMessage,
    Time,
    Twist,
    TwistStamped,
    TwistWithCovariance,
    TwistWithCovarianceStamped,
    Vector3,
)
from rigless.ros.parameters import parameters_of
from rigless.ros.topics import Node, Topic
from rigless.sensors.attitude import about_z

FLOOR = 1e-9
LATEST_S = 2**31 - 1  # the largest `sec` of a stamp
NOT_PROVIDED = (-1.0, *(0.0,) * 8)
# NO_FIX, FIX, SBAS_FIX, GBAS_FIX; ROS has no status for float.
STATUS = {"none": -1, "fix": 0, "float": 1, "fixed": 2}
SERVICE_GPS, SBAS_FIX = 1, 1
UNKNOWN, DIAGONAL_KNOWN = 0, 2
FLAT = Vector3()
NOT_PARAMETERS = ("namespace", "node_name")  # not parameters in ROS


def node_of(config: RoverConfig, robot: str) -> Node:
    """Return the rover's ROS node.

    A robot that is not named rover has its name as namespace, so that topics do not clash.
    """
    topics = [
        Topic("cmd_vel", TwistStamped if config.twist_stamped else Twist, "in"),
        Topic("/tf_static", TFMessage, "in", transient_local=True, depth=100),
        Topic("/tf_static", TFMessage, "out", transient_local=True, depth=1),
        Topic("/tf", TFMessage, "out", depth=100),
        Topic("enc_vel", TwistWithCovarianceStamped, "out"),
        Topic("imu", Imu, "out"),
        Topic("gps", NavSatFix, "out"),
        *(Topic(name, Odometry, "out") for name in config.ground_truth_topics),
        rosout.TOPIC,
    ]
    if config.vn300 is not None:
        topics += [
            Topic("ins_vel", TwistWithCovarianceStamped, "out"),
            Topic("odom", Odometry, "out"),
        ]
    if config.publish_odom_tf == "auto":
        topics.append(Topic("/tf", TFMessage, "in", depth=100))
    if config.publish_clock:
        topics.append(Topic("/clock", Clock, "out"))
    namespace = namespace_of(config, robot) or "/"
    parameters = parameters_of(config, without=NOT_PARAMETERS)
    return Node(config.node_name, tuple(topics), namespace, dict(config.remaps), parameters)


def drive_line(config: RoverConfig, robot: str) -> str:
    """Return a shell command that makes the rover drive a curve until cmd_vel_timeout_s."""
    twist = '{"linear": {"x": 0.5}, "angular": {"z": 0.4}}'
    message = f'{{"twist": {twist}}}' if config.twist_stamped else twist
    topic = node_of(config, robot).full_name("cmd_vel")
    return f"rigless send {{robot}} dds --subject {topic} --json '{message}'"


def stamp_of(time_ns: int) -> Time:
    sec, nanosec = divmod(time_ns, 1_000_000_000)
    return Time(min(sec, LATEST_S), nanosec)


def diagonal6(*variances: float) -> tuple[float, ...]:
    """Return a 6×6 covariance with these variances on its diagonal."""
    a, b, c, d, e, f = variances
    z = 0.0
    return (
        a, z, z, z, z, z,
        z, b, z, z, z, z,
        z, z, c, z, z, z,
        z, z, z, d, z, z,
        z, z, z, z, e, z,
        z, z, z, z, z, f,
    )  # fmt: skip


EXACT6 = diagonal6(*(FLOOR,) * 6)


def enc_vel(
    header: Header, v: float, w: float, variance_v: float, variance_w: float
) -> TwistWithCovarianceStamped:
    twist = Twist(Vector3(v, 0.0, 0.0), Vector3(0.0, 0.0, w))
    covariance = diagonal6(
        max(variance_v, FLOOR), FLOOR, FLOOR, FLOOR, FLOOR, max(variance_w, FLOOR)
    )
    return TwistWithCovarianceStamped(header, TwistWithCovariance(twist, covariance))


def imu(
    header: Header,
    turned: list[float],
    yaw_variance: float | None,
    has_rate: bool,
    acceleration: list[float] | None,
    acceleration_variances: tuple[float, float, float],
) -> Imu:
    """Return the IMU's message; values that are None are marked as not provided.

    `turned` is orientation, angular velocity and its covariance on the sensor's axes.
    """
    has_yaw = yaw_variance is not None
    ax, ay, az = (max(variance, FLOOR) for variance in acceleration_variances)
    return Imu(
        header,
        Quaternion(*turned[:4]) if has_yaw else Quaternion(),
        (FLOOR, 0.0, 0.0, 0.0, FLOOR, 0.0, 0.0, 0.0, max(yaw_variance, FLOOR))
        if yaw_variance is not None
        else NOT_PROVIDED,
        Vector3(*turned[4:7]) if has_rate else FLAT,
        tuple(turned[7:16]) if has_rate else NOT_PROVIDED,
        Vector3(*acceleration) if acceleration is not None else FLAT,
        (ax, 0.0, 0.0, 0.0, ay, 0.0, 0.0, 0.0, az) if acceleration is not None else NOT_PROVIDED,
    )


def gps(
    header: Header,
    kind: str,
    place: tuple[float, float, float],
    variance: float,
    up_variance: float,
    augmented: bool = False,
) -> NavSatFix:
    """Return a fix. An INS is augmented: its plain fix has the status of SBAS."""
    status = NavSatStatus(max(STATUS[kind], SBAS_FIX if augmented else -1), SERVICE_GPS)
    if kind == "none":
        status = NavSatStatus(STATUS[kind], SERVICE_GPS)
        return NavSatFix(header, status, *place, position_covariance_type=UNKNOWN)
    level, up = max(variance, FLOOR), max(up_variance, FLOOR)
    return NavSatFix(
        header, status, *place, (level, 0.0, 0.0, 0.0, level, 0.0, 0.0, 0.0, up), DIAGONAL_KNOWN
    )


def ground_truth(
    header: Header, child: str, x: float, y: float, yaw: float, v: float, w: float
) -> Odometry:
    pose = Pose(Point(x, y, 0.0), Quaternion(*about_z(yaw)))
    twist = Twist(Vector3(v, 0.0, 0.0), Vector3(0.0, 0.0, w))
    return Odometry(
        header, child, PoseWithCovariance(pose, EXACT6), TwistWithCovariance(twist, EXACT6)
    )
