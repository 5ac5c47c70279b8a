"""Names of the message types, and their hashes.

Each type has a ROS name (`sensor_msgs/msg/Imu`), a DDS name (`sensor_msgs::msg::dds_::Imu_`) and a
RIHS01 hash, which peers compare. The hashes are those of Jazzy and Kilted; a test compares them
with an independent library.
"""

from rigless.ros import graph as g
from rigless.ros import messages as m
from rigless.ros import parameter_services as p

_TYPES: dict[type, tuple[str, str]] = {
    m.Time: (
        "builtin_interfaces",
        "b106235e25a4c5ed35098aa0a61a3ee9c9b18d197f398b0e4206cea9acf9c197",
    ),
    m.Header: ("std_msgs", "f49fb3ae2cf070f793645ff749683ac6b06203e41c891e17701b1cb597ce6a01"),
    m.Vector3: (
        "geometry_msgs",
        "cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d",
    ),
    m.Point: ("geometry_msgs", "6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881"),
    m.Quaternion: (
        "geometry_msgs",
        "8a765f66778c8ff7c8ab94afcc590a2ed5325a1d9a076ffff38fbce36f458684",
    ),
    m.Pose: ("geometry_msgs", "d501954e9476cea2996984e812054b68026ae0bfae789d9a10b23daf35cc90fa"),
    m.Twist: ("geometry_msgs", "9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"),
    m.TwistStamped: (
        "geometry_msgs",
        "5f0fcd4f81d5d06ad9b4c4c63e3ea51b82d6ae4d0558f1d475229b1121db6f64",
    ),
    m.PoseWithCovariance: (
        "geometry_msgs",
        "9a7c0fd234b7f45c6098745ecccd773ca1085670e64107135397aee31c02e1bb",
    ),
    m.TwistWithCovariance: (
        "geometry_msgs",
        "49f574f033f095d8b6cd1beaca5ca7925e296e84af1716d16c89d38b059c8c18",
    ),
    m.TwistWithCovarianceStamped: (
        "geometry_msgs",
        "77b67434531e6529b7a0091357b186b6ebdb17fd9ffd3e0c7ce9d3fb11a44563",
    ),
    m.Odometry: ("nav_msgs", "3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0"),
    m.Imu: ("sensor_msgs", "7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b"),
    m.NavSatStatus: (
        "sensor_msgs",
        "d1ed3befa628e09571bd273b888ba1c1fd187c9a5e0006b385d7e5e9095a3204",
    ),
    m.NavSatFix: (
        "sensor_msgs",
        "62223ab3fe210a15976021da7afddc9e200dc9ec75231c1b6a557fc598a65404",
    ),
    m.Transform: (
        "geometry_msgs",
        "beb83fbe698636351461f6f35d1abb20010c43d55374d81bd041f1ba2581fddc",
    ),
    m.TransformStamped: (
        "geometry_msgs",
        "0a241f87d04668d94099cbb5ba11691d5ad32c2f29682e4eb5653424bd275206",
    ),
    m.TFMessage: ("tf2_msgs", "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"),
    m.Clock: ("rosgraph_msgs", "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564"),
    m.LaserScan: (
        "sensor_msgs",
        "64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828",
    ),
    m.Range: ("sensor_msgs", "b42b62562e93cbfe9d42b82fe5994dfa3d63d7d5c90a317981703f7388adff3a"),
    m.JointState: (
        "sensor_msgs",
        "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e",
    ),
    m.BatteryState: (
        "sensor_msgs",
        "4bee5dfce981c98faa6828b868307a0a73f992ed0789f374ee96c8f840e69741",
    ),
    m.Log: ("rcl_interfaces", "e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac"),
    g.Gid: ("rmw_dds_common", "a8e2f2bd4b156011c7ed7618c1db625ac341c2dc3ff09b8dd107f33f20dcec07"),
    g.NodeEntitiesInfo: (
        "rmw_dds_common",
        "8ecbfcad87fa92b9c1458f525b5faf5bf7cab9427a92524d72a394112992b5ab",
    ),
    g.ParticipantEntitiesInfo: (
        "rmw_dds_common",
        "e725f4a506958c79f95dd693b965722c57b19cd18e7eff984f49561b93dc985d",
    ),
    p.ParameterValue: (
        "rcl_interfaces",
        "115fc089a387e23c7ecd3525c9189c379109119d6ab82e8dfbde0fdf6a7f9b68",
    ),
    p.Parameter: (
        "rcl_interfaces",
        "ddfe6442cffc462317adb5c92536a7b6dd55858c5c3e1e328165a6b73c2831af",
    ),
    p.ParameterDescriptor: (
        "rcl_interfaces",
        "52175dbfda6c51153101d33d2a9da05743f66f02d5ab2ca9ec4709b46b73d704",
    ),
    p.ListParametersResult: (
        "rcl_interfaces",
        "237ae3428413dcbcfb452b510c42355f3a2b021dc091afa3e18526d57022f1cd",
    ),
    p.SetParametersResult: (
        "rcl_interfaces",
        "cfcc0fb0371ee5159b403960ef4300f8f9d2f1fd6117c8666b7f9654d528a9b1",
    ),
    p.FloatingPointRange: (
        "rcl_interfaces",
        "e6af23a23c177fee5f3075c8b1e435162a9b63c863d78c06017460b49684262d",
    ),
    p.IntegerRange: (
        "rcl_interfaces",
        "f7b7fdc0f65f07702e099218e13288c3963bcb9345bde78b560e6cd19800fc5a",
    ),
}


def type_name(kind: type) -> str:
    return f"{_TYPES[kind][0]}/msg/{kind.__name__}"


def dds_type_name(kind: type) -> str:
    return f"{_TYPES[kind][0]}::msg::dds_::{kind.__name__}_"


def type_hash(kind: type) -> str:
    return f"RIHS01_{_TYPES[kind][1]}"


def type_of(name: str) -> type:
    """Return the message type of a ROS name. Raises KeyError."""
    return _BY_NAME[name]


def known() -> tuple[type, ...]:
    return tuple(_TYPES)


_BY_NAME = {type_name(kind): kind for kind in _TYPES}
