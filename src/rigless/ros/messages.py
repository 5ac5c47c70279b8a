"""ROS 2 messages as plain data, with the fields, names and order of their .msg files. Types in a field say how it is laid out in CDR."""

from dataclasses import dataclass
from typing import Annotated

Float64 = Annotated[float, "float64"]
Float32 = Annotated[float, "float32"]
Int8 = Annotated[int, "int8"]
Int16 = Annotated[int, "int16"]
Int32 = Annotated[int, "int32"]
UInt8 = Annotated[int, "uint8"]
UInt16 = Annotated[int, "uint16"]
UInt32 = Annotated[int, "uint32"]
Floats9 = Annotated[tuple[float, ...], "float64[9]"]
Floats36 = Annotated[tuple[float, ...], "float64[36]"]
Float64s = Annotated[tuple[float, ...], "float64[]"]
Float32s = Annotated[tuple[float, ...], "float32[]"]
ZERO9, ZERO36 = (0.0,) * 9, (0.0,) * 36


@dataclass(frozen=True)
class Time:
    sec: Int32 = 0
    nanosec: UInt32 = 0


@dataclass(frozen=True)
class Header:
    stamp: Time = Time()
    frame_id: str = ""


@dataclass(frozen=True)
class Vector3:
    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0


@dataclass(frozen=True)
class Point:
    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0


@dataclass(frozen=True)
class Quaternion:
    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0
    w: Float64 = 1.0


@dataclass(frozen=True)
class Pose:
    position: Point = Point()
    orientation: Quaternion = Quaternion()


@dataclass(frozen=True)
class Twist:
    linear: Vector3 = Vector3()
    angular: Vector3 = Vector3()


@dataclass(frozen=True)
class TwistStamped:
    header: Header = Header()
    twist: Twist = Twist()


@dataclass(frozen=True)
class PoseWithCovariance:
    pose: Pose = Pose()
    covariance: Floats36 = ZERO36


@dataclass(frozen=True)
class TwistWithCovariance:
    twist: Twist = Twist()
    covariance: Floats36 = ZERO36


@dataclass(frozen=True)
class TwistWithCovarianceStamped:
    header: Header = Header()
    twist: TwistWithCovariance = TwistWithCovariance()


@dataclass(frozen=True)
class Odometry:
    header: Header = Header()
    child_frame_id: str = ""
    pose: PoseWithCovariance = PoseWithCovariance()
    twist: TwistWithCovariance = TwistWithCovariance()


@dataclass(frozen=True)
class Imu:
    header: Header = Header()
    orientation: Quaternion = Quaternion()
    orientation_covariance: Floats9 = ZERO9
    angular_velocity: Vector3 = Vector3()
    angular_velocity_covariance: Floats9 = ZERO9
    linear_acceleration: Vector3 = Vector3()
    linear_acceleration_covariance: Floats9 = ZERO9


@dataclass(frozen=True)
class NavSatStatus:
    status: Int8 = 0
    service: UInt16 = 1


@dataclass(frozen=True)
class NavSatFix:
    header: Header = Header()
    status: NavSatStatus = NavSatStatus()
    latitude: Float64 = 0.0
    longitude: Float64 = 0.0
    altitude: Float64 = 0.0
    position_covariance: Floats9 = ZERO9
    position_covariance_type: UInt8 = 0


@dataclass(frozen=True)
class Transform:
    translation: Vector3 = Vector3()
    rotation: Quaternion = Quaternion()


@dataclass(frozen=True)
class TransformStamped:
    header: Header = Header()
    child_frame_id: str = ""
    transform: Transform = Transform()


@dataclass(frozen=True)
class TFMessage:
    transforms: tuple[TransformStamped, ...] = ()


@dataclass(frozen=True)
class Clock:
    clock: Time = Time()


@dataclass(frozen=True)
class LaserScan:
    header: Header = Header()
    angle_min: Float32 = 0.0
    angle_max: Float32 = 0.0
    angle_increment: Float32 = 0.0
    time_increment: Float32 = 0.0
    scan_time: Float32 = 0.0
    range_min: Float32 = 0.0
    range_max: Float32 = 0.0
    ranges: Float32s = ()
    intensities: Float32s = ()


@dataclass(frozen=True)
class Range:
    header: Header = Header()
    radiation_type: UInt8 = 0
    field_of_view: Float32 = 0.0
    min_range: Float32 = 0.0
    max_range: Float32 = 0.0
    range: Float32 = 0.0
    variance: Float32 = 0.0


@dataclass(frozen=True)
class JointState:
    header: Header = Header()
    name: tuple[str, ...] = ()
    position: Float64s = ()
    velocity: Float64s = ()
    effort: Float64s = ()


@dataclass(frozen=True)
class BatteryState:
    header: Header = Header()
    voltage: Float32 = 0.0
    temperature: Float32 = 0.0
    current: Float32 = 0.0
    charge: Float32 = 0.0
    capacity: Float32 = 0.0
    design_capacity: Float32 = 0.0
    percentage: Float32 = 0.0
    power_supply_status: UInt8 = 0
    power_supply_health: UInt8 = 0
    power_supply_technology: UInt8 = 0
    present: bool = True
    cell_voltage: Float32s = ()
    cell_temperature: Float32s = ()
    location: str = ""
    serial_number: str = ""
