"""Every number of the vacuum, with its source. Tables and keys are those of the mock's TOML file.

Sources: [seed] the mock device proposal; [wire] facts about the public daemon; [ours] a choice of
this project, with its reason. Units: metres, seconds, radians and their rates, unless a name says
otherwise.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from rigless.kernel.key_path import dotted
from rigless.kernel.problems import Problem
from rigless.kernel.robot import Config
from rigless.robots.vacuum.profiles import HARDWARE, MOCK, changed, merged
from rigless.ros.bridge import RosConfig


def _is_true(value: Any) -> bool:
    """Return True for what pydantic takes as true."""
    return value is True or str(value).lower() in ("1", "1.0", "true", "t", "yes", "y", "on")


def _plus_or_minus_one(value: float) -> float:
    if value not in (-1.0, 1.0):
        raise ValueError("must be 1 or -1")
    return value


Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Axis = tuple[Annotated[int, Field(ge=0, le=2)], Literal[-1, 1]]
Sign = Annotated[float, AfterValidator(_plus_or_minus_one)]
Three = tuple[float, float, float]
ThreeNotNegative = tuple[NotNegative, NotNegative, NotNegative]
PortNumber = Annotated[int, Field(ge=1, le=65535)]


class Body(Config):
    """[seed] CRL-200S. Linear acceleration [ours]: full speed within 0.3 s.

    Angular acceleration: that of the iRobot Create 3, a base of the same size, whose wheels
    accelerate at 0.9 m/s².
    """

    wheel_base: Positive = 0.233
    wheel_radius: Positive = 0.033
    ticks_per_meter: Positive = 4464.0
    max_linear_speed: Positive = 0.3
    max_angular_speed: Positive = 1.0
    max_linear_acceleration: NotNegative = Field(1.0, description="0 switches the limit off")
    max_angular_acceleration: NotNegative = Field(7.7, description="0 switches the limit off")
    robot_radius: Positive = 0.17
    collision_mode: Literal["stop", "slide", "passthrough"] = "stop"
    slide_friction: Share = 0.3


class LidarNoise(Config):
    """[seed] estimates. The keys after `miss_rate` are options [ours], off by default."""

    range_stddev: NotNegative = 0.005
    range_bias: float = 0.0
    angle_stddev: NotNegative = 0.001
    quality_base: Annotated[float, Field(ge=0, le=255)] = 200
    quality_distance_decay: NotNegative = 10
    miss_rate: Share = 0.01
    range_stddev_per_m2: NotNegative = Field(
        0.0, description="triangulation: sigma grows with the square of the range"
    )
    incidence_limit: Annotated[float, Field(gt=0, le=1.5708)] = Field(
        1.5708, description="beams at more than this angle to a wall's normal get no echo"
    )
    materials: bool = Field(
        False, description="glass, dark and mirror cells of the map lose echoes"
    )
    mixed_pixels: Share = Field(
        0.0, description="chance of a range between the two surfaces at an edge"
    )
    quantisation: NotNegative = Field(0.0, description="the Delta-2D reports steps of 0.00025 m")
    quality_stddev: NotNegative = Field(0.0, description="deviation of the quality of a point")


class Lidar(Config):
    """[seed] Delta-2D. [wire] it starts disabled and turns in descending raw angle."""

    num_rays: Annotated[int, Field(ge=1, le=4096)] = 360
    scan_rate_hz: Annotated[float, Field(gt=0, le=100)] = 5.0
    min_range: NotNegative = 0.15
    max_range: Positive = 8.0
    mounting_x: float = -0.110
    mounting_y: float = 0.0
    optical_offset: float = 0.025
    angle_offset: float = 0.2182
    noise: LidarNoise = LidarNoise()
    enabled: bool = Field(False, description="on from the start, without ENABLE")
    rolling: bool = Field(True, description="each beam starts at the robot's pose at its instant")
    speed_jitter: Annotated[float, Field(ge=0, le=0.2)] = Field(
        0.0, description="relative deviation of the motor speed"
    )
    cold_start_s: NotNegative = Field(
        0.0, description="after ENABLE the motor spins up; scans are partial"
    )

    @model_validator(mode="after")
    def limits(self) -> "Lidar":
        if self.min_range >= self.max_range:
            raise ValueError("min_range must be below max_range")
        return self


class GyroNoise(Config):
    stddev: ThreeNotNegative = (5, 5, 10)
    bias: Three = (0, 0, 0)
    drift_rate: float = 0.0


class AccelNoise(Config):
    stddev: ThreeNotNegative = (10, 10, 20)
    bias: Three = (0, 0, 0)


class TiltNoise(Config):
    stddev: ThreeNotNegative = (5, 5, 5)
    bias: Three = (0, 0, 0)


class Imu(Config):
    """[seed] noise in raw units on the device's own axes.

    Scales [wire]: clients disagree about the gyro's; 1000 is the mock's.
    """

    update_rate_hz: Annotated[float, Field(gt=0, le=1000)] = 110.0
    gyro_noise: GyroNoise = GyroNoise()
    accel_noise: AccelNoise = AccelNoise()
    tilt_noise: TiltNoise = TiltNoise()
    gyro_lsb_per_radps: Positive = 1000.0
    accel_lsb_per_g: Positive = 16384.0
    tilt_time_constant_s: Positive = Field(
        0.5, description="[ours] low-pass filter of the tilt sensor"
    )


class EncoderNoise(Config):
    slip_stddev: NotNegative = 0.002
    slip_bias: Annotated[float, Field(gt=-1)] = 0.0
    quantization_noise: bool = True
    scale_difference: Annotated[float, Field(gt=-1, lt=1)] = Field(
        0.0, description="[ours] share that the right encoder counts more than the left"
    )


class Encoder(Config):
    update_rate_hz: Annotated[float, Field(gt=0, le=1000)] = 110.0
    noise: EncoderNoise = EncoderNoise()


class Arc(Config):
    start_angle: Annotated[float, Field(ge=-3.1416, le=3.1416)]
    end_angle: Annotated[float, Field(ge=-3.1416, le=3.1416)]

    @model_validator(mode="after")
    def order(self) -> "Arc":
        if self.start_angle >= self.end_angle:
            raise ValueError("start_angle must be below end_angle")
        return self


class Bumpers(Config):
    trigger_distance: NotNegative = 0.01
    left: Arc = Arc(start_angle=0.3, end_angle=1.57)
    right: Arc = Arc(start_angle=-1.57, end_angle=-0.3)


class CliffSensor(Config):
    name: Literal["left_side", "left_front", "right_front", "right_side"]
    x: float
    y: float


class Cliffs(Config):
    enabled: bool = True
    sensors: tuple[CliffSensor, ...] = (
        CliffSensor(name="left_side", x=0.12, y=0.10),
        CliffSensor(name="left_front", x=0.15, y=0.05),
        CliffSensor(name="right_front", x=0.15, y=-0.05),
        CliffSensor(name="right_side", x=0.12, y=-0.10),
    )


class Battery(Config):
    """[seed] fixed values.

    `model = "discharge"` [ours] drains by load and charges on the dock; 13.5 V to 15.5 V is 0 to
    100 %.
    """

    voltage: Annotated[float, Field(ge=0, le=30)] = 14.8
    level: Annotated[float, Field(ge=0, le=100)] = 85
    is_charging: bool = False
    model: Literal["fixed", "discharge"] = "fixed"
    capacity_wh: Positive = 37.0
    idle_w: NotNegative = 4.0
    drive_w: NotNegative = 12.0
    suction_w: NotNegative = 20.0
    charge_w: NotNegative = 20.0


class Sensors(Config):
    battery: Battery = Battery()
    dustbox_attached: bool = True
    dock_connected: bool = False
    start_button: Annotated[int, Field(ge=0, le=65535)] = 0
    dock_button: Annotated[int, Field(ge=0, le=65535)] = 0

    @model_validator(mode="before")
    @classmethod
    def lift(cls, data: Any) -> Any:
        """Take these keys from [sensors.battery] too.

        The seed's file has them after that table, so TOML puts them into it.
        """
        battery = data.get("battery") if isinstance(data, dict) else None
        if isinstance(battery, dict):
            names = {
                "dustbox_attached",
                "dock_connected",
                "start_button",
                "dock_button",
            } & battery.keys()
            data = {**data, **{name: battery[name] for name in names}}
            data["battery"] = {key: value for key, value in battery.items() if key not in names}
        return data


class Dock(Config):
    """[ours] position of the charging dock; the robot charges within `reach` of it."""

    x: float = 0.0
    y: float = 0.0
    reach: Positive = 0.05


class Carpet(Config):
    """[ours] a rectangle of floor on which wheels slip: `slip` of their travel is lost."""

    x: tuple[float, float]
    y: tuple[float, float]
    slip: Share


class Actuators(Config):
    log_state_changes: bool = True


class LidarTransform(Config):
    """[seed] output = scale · input + offset; mounted backward, clockwise angles."""

    scale: Sign = -1.0
    offset: float = 3.14159265


class GyroTransform(Config):
    x: Axis = (2, 1)
    y: Axis = (1, 1)
    z: Axis = (0, -1)


class AccelTransform(Config):
    x: Axis = (0, 1)
    y: Axis = (1, 1)
    z: Axis = (2, 1)


class FrameTransforms(Config):
    lidar: LidarTransform = LidarTransform()
    imu_gyro: GyroTransform = GyroTransform()
    imu_accel: AccelTransform = AccelTransform()


class Network(Config):
    """[wire] two conventions for the UDP port: its own number (5556), or that of the TCP port."""

    bind_address: str = "127.0.0.1:5555"
    udp_streaming_port: PortNumber = 5556
    udp_client_port: PortNumber | None = Field(None, description="default: the TCP port's number")
    udp_ports: Literal["both", "streaming", "client"] = "both"


class VacuumConfig(Config):
    also_compile: ClassVar[tuple[str, ...]] = ("scan_packed=true", "realism=hardware")

    name: str = "Mock CRL-200S"
    map_file: str = Field("apartment", description="a map YAML, or the name of a bundled map")
    start_x: float = 0.0
    start_y: float = 0.0
    start_theta: float = 0.0
    speed_factor: Annotated[float, Field(ge=0.1, le=100)] = 1.0
    random_seed: Annotated[int, Field(ge=0, lt=2**63)] | None = Field(
        None, description="0 picks one and prints it"
    )
    log_level: Literal["minimal", "standard", "verbose"] = "standard"
    log_interval_s: Positive = Field(
        1.0, description="period of the pose events of log level verbose"
    )
    mock_compat: bool = Field(
        False, description="behave as the upstream mock where it differs from the real driver"
    )
    realism: Literal["seed", "hardware"] = Field(
        "seed", description="hardware: imperfections of a real robot, see profiles.py"
    )
    lidar_frame: Literal["robot_center", "lidar_mount"] = "robot_center"
    scan_packed: bool = Field(False, description="also send the packed scan")
    client_policy: Literal["reject", "takeover"] = "reject"
    sense_unheard: bool = Field(
        False, description="compute all readings and scans without a subscriber, for benchmarks"
    )
    deadman_timeout_ms: NotNegative = Field(
        0.0, description="stop this long after the last velocity command; 0: never"
    )
    stop_on_disconnect: bool = False
    robot: Body = Body()
    lidar: Lidar = Lidar()
    imu: Imu = Imu()
    encoder: Encoder = Encoder()
    bumpers: Bumpers = Bumpers()
    cliffs: Cliffs = Cliffs()
    sensors: Sensors = Sensors()
    dock: Dock | None = None
    carpets: tuple[Carpet, ...] = ()
    actuators: Actuators = Actuators()
    frame_transforms: FrameTransforms = FrameTransforms()
    network: Network = Network()
    ros: RosConfig = Field(
        RosConfig(),
        description="[ours] an additional ROS node: scan, odom, tf, imu, battery; cmd_vel in",
    )

    @model_validator(mode="before")
    @classmethod
    def profiles(cls, data: Any) -> Any:
        """Fill in the keys behind one word. Other keys that are given win over `realism`.

        `mock_compat` wins over them: the upstream mock ignores a lidar's mounting.
        """
        if isinstance(data, Mapping) and data.get("realism") == "hardware":
            data = merged(HARDWARE, data)
        if isinstance(data, Mapping) and _is_true(data.get("mock_compat")):
            data = merged(data, MOCK)
        return data

    @model_validator(mode="after")
    def one_profile(self) -> "VacuumConfig":
        if self.mock_compat and self.realism == "hardware":
            raise ValueError(
                "mock_compat and realism = hardware contradict each other: choose one of them"
            )
        return self

    @model_validator(mode="after")
    def one_status_rate(self) -> "VacuumConfig":
        if {
            "imu",
            "encoder",
        } <= self.model_fields_set and self.imu.update_rate_hz != self.encoder.update_rate_hz:
            raise ValueError(
                "imu.update_rate_hz and encoder.update_rate_hz differ, but one packet carries both"
            )
        return self


def notes(config: VacuumConfig, given: Any) -> list[Problem]:
    """Return a warning for each profile whose keys were also given with other values."""
    found = []
    if config.realism == "hardware" and (keys := _listed(HARDWARE, given)):
        what = f"hardware leaves these keys as they are given: {keys}"
        found.append(Problem.at(("realism",), what, "remove them", severity="warning"))
    if config.mock_compat and (keys := _listed(MOCK, given)):
        what = f"the upstream mock ignores the values given for {keys}"
        found.append(Problem.at(("mock_compat",), what, severity="warning"))
    return found


def _listed(profile: Mapping[str, Any], given: Any) -> str:
    return ", ".join(dotted(path) for path in changed(profile, given))
