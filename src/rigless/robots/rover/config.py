"""Every number of the rover, with its source.

Sources: [seed] the sensor simulator's document, whose parameters these are by name, type and
default; [upstream] later forms of that node; [wire] facts about the ROS 2 wire; [ours] a choice of
this project, with its reason. Angles are ENU: 0 is east, counter-clockwise is positive. A
`ros__parameters` file (native.py) must give its origin, and has no default transforms;
`rigless run rover` has both.
"""

from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, Strict, field_validator, model_validator

from rigless.kernel.robot import Config
from rigless.ros.topics import name_problem

Number = Annotated[float, Strict(), Field(ge=-1e9, le=1e9)]
NotNegative = Annotated[float, Strict(), Field(ge=0, le=1e9)]
Positive = Annotated[float, Strict(), Field(gt=0, le=1e9)]
Period = Annotated[float, Strict(), Field(ge=1e-4, le=3600)]
Latitude = Annotated[float, Strict(), Field(ge=-90, le=90)]
Longitude = Annotated[float, Strict(), Field(ge=-180, le=180)]
Flag = Annotated[bool, Strict()]
Frame = Annotated[str, Field(min_length=1, max_length=255)]
Start = Literal["zero", "stationary"]
Fix = Literal["none", "fix", "float", "fixed"]


class EncVel(Config):
    """[seed] white noise and a drifting scale factor on both speeds."""

    vx_noise_std_mps: NotNegative = 0.0
    wz_noise_std_radps: NotNegative = 0.0
    vx_drift_std: NotNegative = Field(
        0.0, description="steady-state deviation of the scale factor of linear.x"
    )
    wz_drift_std: NotNegative = 0.0
    drift_time_constant_s: Positive = 30.0
    drift_start: Start = Field(
        "zero", description="[wire] initial drift: 0, or drawn from its steady state"
    )


class Imu(Config):
    """[seed] absolute yaw and yaw rate with white noise. The rest are options [ours]."""

    yaw_noise_std_rad: NotNegative = 0.0
    wz_noise_std_radps: NotNegative = 0.0
    magnetic_declination_rad: Number = Field(0.0, description="positive if east of true north")
    initial_yaw_rad: Number = 0.0
    magnetic_declination: Literal["given", "auto"] = Field(
        "given",
        description="[wire] auto: from the World Magnetic Model at the origin (needs pygeomag)",
    )
    magnetic_model_year: Annotated[float, Field(ge=2025, le=2030)] = Field(
        2026.0, description="the date for auto, within WMM2025"
    )
    declination_convention: Literal["physical", "robot_localization"] = Field(
        "physical",
        description="[wire] a magnetometer reads yaw + declination; upstream and "
        "robot_localization have the other sign",
    )
    gyro_bias_radps: Number = 0.0
    gyro_walk_radps: NotNegative = Field(0.0, description="random walk of the bias in one second")
    accelerometer: Flag = Field(
        False, description="false: linear_acceleration_covariance[0] is −1, not provided"
    )
    accel_noise_std_mps2: NotNegative = 0.0
    accel_bias_mps2: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)

    @model_validator(mode="before")
    @classmethod
    def auto_by_either_key(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("magnetic_declination_rad") == "auto":
            return {**given, "magnetic_declination_rad": 0.0, "magnetic_declination": "auto"}
        return given


class Scales(Config):
    """[ours] scale of the errors by kind of fix: RTK has centimetres, a plain fix a metre."""

    fix: NotNegative = 1.0
    float: NotNegative = 0.2
    fixed: NotNegative = 0.02


class FixFrom(Config):
    """[ours] the kind of fix from this time on."""

    at_s: NotNegative
    fix: Fix


class Gps(Config):
    """[seed] white noise and a drifting position. The rest are options [ours], off by default."""

    origin_latitude_deg: Latitude = 46.5191  # [ours] a lawn in Lausanne
    origin_longitude_deg: Longitude = 6.5668
    noise_std_m: NotNegative = 0.0
    drift_std_m: NotNegative = 0.0
    drift_time_constant_s: Positive = 60.0
    drift_start: Start = "zero"
    origin_altitude_m: Number = Field(
        0.0, description="height of the map's plane above the ellipsoid, at its origin"
    )
    vertical_noise_std_m: NotNegative | None = Field(
        None, description="default: exact altitude, with the horizontal variance"
    )
    latency_s: Annotated[float, Strict(), Field(ge=0, le=3600)] = Field(
        0.0, description="a fix is sent this long after its stamp"
    )
    outages_s: tuple[tuple[NotNegative, NotNegative], ...] = Field(
        (), description="pairs of begin and end without a fix"
    )
    fix_schedule: tuple[FixFrom, ...] = ()
    scale: Scales = Scales()

    @model_validator(mode="after")
    def in_order(self) -> "Gps":
        if any(end <= begin for begin, end in self.outages_s):
            raise ValueError("outages_s: each must end after it begins")
        times = [entry.at_s for entry in self.fix_schedule]
        if times != sorted(times):
            raise ValueError("fix_schedule: entries must be in the order of at_s")
        return self


class Vn300(Config):
    """[upstream] an INS (VN-300): one error of each quantity for all topics that report it.

    The position is that of gps and odom, the velocity that of ins_vel, odom and imu, the yaw that
    of imu and odom. An error is white noise and a drift (Ornstein-Uhlenbeck).
    """

    imu_frame_id: Frame = "imu_link"
    ins_frame_id: Frame = "base_link"
    position_noise_std_m: NotNegative = 0.0
    position_drift_std_m: NotNegative = 0.0
    position_drift_time_constant_s: Positive = 120.0
    vx_noise_std_mps: NotNegative = 0.0
    wz_noise_std_radps: NotNegative = 0.0
    vx_drift_std_mps: NotNegative = 0.0
    wz_drift_std_radps: NotNegative = 0.0
    vel_drift_time_constant_s: Positive = 120.0
    yaw_noise_std_rad: NotNegative = 0.0
    yaw_drift_std_rad: NotNegative = 0.0
    yaw_drift_time_constant_s: Positive = 300.0


class Mount(Config):
    """A transform as in tf_static: the pose of `child` in `parent`, in metres and radians.

    The rotation is roll, then pitch, then yaw.
    """

    parent: Frame
    child: Frame
    x: Number = 0.0
    y: Number = 0.0
    z: Number = 0.0
    roll: Number = 0.0
    pitch: Number = 0.0
    yaw: Number = 0.0


class Limits(Config):
    """[ours] limits of the drive; 0: no limit, as in the seed."""

    linear_mps: NotNegative = 0.0
    angular_radps: NotNegative = 0.0
    linear_mps2: NotNegative = 0.0
    angular_radps2: NotNegative = 0.0


class RoverConfig(Config):
    map_frame_id: Frame = "map"
    base_frame_id: Frame = "base_link"
    imu_frame_id: Frame = "imu_link"
    gps_frame_id: Frame = "gps_link"
    # [ours] the name of REP 105
    odom_frame_id: Frame = "odom"
    # [upstream] the frame of the true pose
    ground_truth_base_frame_id: Frame = "base_link_ground_truth"
    publish_odom_tf: Flag | Literal["auto"] = Field(
        "auto",
        description="[ours] publish odom → base_link; auto: until another node publishes it",
    )
    cmd_vel_timeout_s: NotNegative = Field(
        0.5, description="stop if the last cmd_vel is older than this"
    )
    high_rate_update_period_s: Period = 0.01
    low_rate_update_period_s: Period = 0.1
    enc_vel: EncVel = EncVel()
    imu: Imu = Imu()
    gps: Gps = Gps()
    # [upstream] the node with a VN-300 in place of imu and gps; see ins.py
    vn300: Vn300 | None = None
    datum: tuple[Latitude, Longitude, Number] | None = Field(
        None, description="with vn300: latitude, longitude and height of the map's origin"
    )
    initial_yaw_rad: Number | None = Field(None, description="with vn300: the heading at start")
    update_period_s: Period | None = Field(None, description="with vn300: of all topics")
    # [ours] an IMU in the middle, the antenna behind it on a mast
    transforms: tuple[Mount, ...] = (
        Mount(parent="base_link", child="imu_link", z=0.2),
        Mount(parent="base_link", child="gps_link", x=-0.2, z=0.6),
    )
    start_x_m: Number = 0.0
    start_y_m: Number = 0.0
    limits: Limits = Limits()
    map_file: str = Field("", description="[ours] a map with walls; default: an open plane")
    radius_m: Annotated[float, Strict(), Field(gt=0, le=100)] = 0.35  # [ours] a small field robot
    # The node
    node_name: str = "sensor_simulator"
    namespace: str | None = Field(
        None, description="default: none for a robot named rover, else the robot's name"
    )
    remaps: dict[str, str] = {}
    twist_stamped: Flag = Field(False, description="cmd_vel is a TwistStamped")
    ground_truth_topics: tuple[str, ...] = (
        "ground_truth",
        "odom/ground_truth",
    )  # [wire] one and its alias
    publish_clock: Flag = Field(
        False, description="publish /clock at the high rate, for nodes with use_sim_time"
    )
    use_sim_time: Flag = Field(
        False, description="stamps are simulated time; the epoch_s input is ignored"
    )

    @model_validator(mode="after")
    def of_one_node(self) -> "RoverConfig":
        given = ("datum", self.datum), ("initial_yaw_rad", self.initial_yaw_rad)
        for key, value in (*given, ("update_period_s", self.update_period_s)):
            if value is not None and self.vn300 is None:
                raise ValueError(f"{key} belongs to the node with a vn300 block, which is missing")
        return self

    @field_validator("node_name", "namespace", "ground_truth_topics", "remaps")
    @classmethod
    def ros_names(cls, value: object) -> object:
        names = (
            value
            if isinstance(value, tuple)
            else (*value, *value.values())
            if isinstance(value, dict)
            else (value,)
        )
        for name in names:
            if isinstance(name, str) and name and (problem := name_problem(name)):
                raise ValueError(problem)
        return value

    @property
    def high_hz(self) -> Fraction:
        return 1 / Fraction(str(self.high_rate_update_period_s))

    @property
    def low_hz(self) -> Fraction:
        return 1 / Fraction(str(self.low_rate_update_period_s))

    @property
    def fix_every(self) -> int:
        """High-rate ticks per GPS tick; 0 if that is not a whole number.

        Then GPS has ticks of its own.
        """
        ratio = self.high_hz / self.low_hz
        return ratio.numerator if ratio.denominator == 1 else 0
