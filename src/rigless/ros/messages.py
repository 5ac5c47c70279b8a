"""ROS 2 messages as plain data, with the fields, names and order of their .msg files.

The annotation of a field gives its layout in CDR. The types are msgspec Structs, which are created
in a tenth of the time of frozen dataclasses.
"""

from typing import Annotated

from msgspec import Struct

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


class Time(Struct, frozen=True, gc=False):
    sec: Int32 = 0
    nanosec: UInt32 = 0


class Header(Struct, frozen=True, gc=False):
    stamp: Time = Time()
    frame_id: str = ""


class Vector3(Struct, frozen=True, gc=False):
    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0


class Point(Struct, frozen=True, gc=False):
    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0


class Quaternion(Struct, frozen=True, gc=False):
    x: Float64 = 0.0
    y: Float64 = 0.0
    z: Float64 = 0.0
    w: Float64 = 1.0


class Pose(Struct, frozen=True, gc=False):
    position: Point = Point()
    orientation: Quaternion = Quaternion()


class Twist(Struct, frozen=True, gc=False):
    linear: Vector3 = Vector3()
    angular: Vector3 = Vector3()


class TwistStamped(Struct, frozen=True, gc=False):
    header: Header = Header()
    twist: Twist = Twist()


class PoseWithCovariance(Struct, frozen=True, gc=False):
    pose: Pose = Pose()
    covariance: Floats36 = ZERO36


class TwistWithCovariance(Struct, frozen=True, gc=False):
    twist: Twist = Twist()
    covariance: Floats36 = ZERO36


class TwistWithCovarianceStamped(Struct, frozen=True, gc=False):
    header: Header = Header()
    twist: TwistWithCovariance = TwistWithCovariance()


class Odometry(Struct, frozen=True, gc=False):
    header: Header = Header()
    child_frame_id: str = ""
    pose: PoseWithCovariance = PoseWithCovariance()
    twist: TwistWithCovariance = TwistWithCovariance()


class Imu(Struct, frozen=True, gc=False):
    header: Header = Header()
    orientation: Quaternion = Quaternion()
    orientation_covariance: Floats9 = ZERO9
    angular_velocity: Vector3 = Vector3()
    angular_velocity_covariance: Floats9 = ZERO9
    linear_acceleration: Vector3 = Vector3()
    linear_acceleration_covariance: Floats9 = ZERO9


class NavSatStatus(Struct, frozen=True, gc=False):
    status: Int8 = 0
    service: UInt16 = 1


class NavSatFix(Struct, frozen=True, gc=False):
    header: Header = Header()
    status: NavSatStatus = NavSatStatus()
    latitude: Float64 = 0.0
    longitude: Float64 = 0.0
    altitude: Float64 = 0.0
    position_covariance: Floats9 = ZERO9
    position_covariance_type: UInt8 = 0


class Transform(Struct, frozen=True, gc=False):
    translation: Vector3 = Vector3()
    rotation: Quaternion = Quaternion()


class TransformStamped(Struct, frozen=True, gc=False):
    header: Header = Header()
    child_frame_id: str = ""
    transform: Transform = Transform()


class TFMessage(Struct, frozen=True, gc=False):
    transforms: tuple[TransformStamped, ...] = ()


class Clock(Struct, frozen=True, gc=False):
    clock: Time = Time()


class LaserScan(Struct, frozen=True, gc=False):
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


class Range(Struct, frozen=True, gc=False):
    header: Header = Header()
    radiation_type: UInt8 = 0
    field_of_view: Float32 = 0.0
    min_range: Float32 = 0.0
    max_range: Float32 = 0.0
    range: Float32 = 0.0
    variance: Float32 = 0.0


class JointState(Struct, frozen=True, gc=False):
    header: Header = Header()
    name: tuple[str, ...] = ()
    position: Float64s = ()
    velocity: Float64s = ()
    effort: Float64s = ()


class BatteryState(Struct, frozen=True, gc=False):
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


class Log(Struct, frozen=True, gc=False):
    stamp: Time = Time()
    level: UInt8 = 0
    name: str = ""
    msg: str = ""
    file: str = ""
    function: str = ""
    line: UInt32 = 0
