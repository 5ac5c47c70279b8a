"""Every number of the Pacbot, with its source.

Sources: [seed] the simulator's plan; [wire] facts about real Pacbots and the public simulator;
[ours] a choice of this project, with its reason. There are two profiles: `seed`, the default, is
the plan's robot, `upstream` the public simulator's. A given key overrides its profile.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rigless.kernel.robot import Config
from rigless.ros.bridge import RosConfig

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Pair = tuple[Annotated[int, Field(ge=0, le=999)], Annotated[int, Field(ge=0, le=999)]]
Address = Annotated[str, Field(pattern=r":\d{1,5}$")]

WHEELS = ("north", "south", "east", "west")  # in the order of their ids
COMPASS = (*WHEELS, "northeast", "southeast", "southwest", "northwest")

PROFILES: dict[str, dict[str, Any]] = {
    "seed": {},
    "upstream": {  # [wire]
        "body": {"wheel_speed_mps": 0.5, "turn_speed_radps": 4.0},
        "encoders": {"ticks_per_rev": 512},
        "tof": {
            "min_range_m": 0.0,
            "max_range_m": 2.0,
            "noise_stddev_m": 0.005,
            "noise_limit_m": 0.0,
        },
    },
}


class Body(Config):
    """[seed] 15 cm across, 1.5 kg, a solid disc. 0.3 m/s at 7.5 cm from the centre is 4 rad/s."""

    radius_m: Annotated[float, Field(gt=0, le=10)] = 0.075
    mass_kg: Positive = 1.5
    inertia_kgm2: Positive | None = Field(None, description="default: that of a solid disc, m·r²/2")
    wheel_radius_m: Positive = 0.025
    wheel_speed_mps: Annotated[float, Field(gt=0, le=100)] = Field(
        0.3, description="speed of a wheel at command 1"
    )
    turn_speed_radps: Annotated[float, Field(gt=0, le=1000)] = Field(
        4.0, description="turn rate with all wheels at command 1"
    )
    damping_per_s: NotNegative = 0.1
    wall_friction: NotNegative = Field(
        0.0, description="friction coefficient of the rim against walls"
    )


class Gains(Config):
    """[ours] speed of each wheel as a share of nominal: no two motors are alike."""

    north: NotNegative = 1.0
    south: NotNegative = 1.0
    east: NotNegative = 1.0
    west: NotNegative = 1.0


class Motors(Config):
    """[seed] lag of 50 ms. The rest are options [ours], off by default."""

    tau_s: NotNegative = 0.05
    dead_band: Share = Field(0.0, description="commands below this do not turn a wheel")
    gain: Gains = Gains()
    slip: Annotated[float, Field(ge=0, le=0.95)] = Field(
        0.0, description="share of the wheels' travel that is lost"
    )
    grip: NotNegative = Field(
        0.0, description="friction coefficient of wheels on the floor; 0: they never spin"
    )
    watchdog_s: NotNegative = Field(
        0.0, description="stop this long after the last motor command; 0: never"
    )


class Encoders(Config):
    """[seed] noise is relative to the ticks of a step: a standing wheel has none."""

    ticks_per_rev: Positive = 1000
    noise: Share = 0.005


class Imu(Config):
    """[ours] figures of a common MEMS part at 100 Hz (MPU-6050 class).

    Axes: right, forward, counter-clockwise.
    """

    accel_stddev_mps2: NotNegative = 0.03
    accel_bias_mps2: tuple[float, float] = (0.0, 0.0)
    accel_filter_s: NotNegative = Field(
        0.01, description="low-pass filter, so that an impact is seen at any rate"
    )
    gyro_stddev_radps: NotNegative = 0.002
    gyro_bias_radps: float = 0.0
    gyro_drift_radps: NotNegative = Field(1e-4, description="random walk of the bias in one second")
    mount_x_m: float = 0.0
    mount_y_m: float = 0.0


class Tof(Config):
    """[seed] 4 to 8 sensors around the rim, 5 cm to 1 m, ±1 cm.

    [wire] real ones measure about 5 times a second: rate_hz.
    """

    count: Annotated[int, Field(ge=4, le=8)] = 4
    rate_hz: Annotated[float, Field(gt=0, le=1000)] = 60.0
    min_range_m: NotNegative = 0.05
    max_range_m: Annotated[float, Field(gt=0, le=100)] = 1.0
    noise_stddev_m: NotNegative = 0.005
    noise_limit_m: NotNegative = Field(0.01, description="limit of the noise; 0: none")
    dropout: Share = Field(
        0.0, description="probability of no echo, which reads as the largest range"
    )
    cone_rad: Annotated[float, Field(ge=0, le=1.5)] = Field(
        0.0, description="field of view; the nearest echo in it counts"
    )

    @model_validator(mode="after")
    def limits(self) -> "Tof":
        if self.min_range_m >= self.max_range_m:
            raise ValueError("min_range_m must be below max_range_m")
        return self


class Pins(Config):
    """[wire] the pins of each wheel, in any order."""

    north: Pair = (17, 27)
    south: Pair = (22, 23)
    east: Pair = (24, 25)
    west: Pair = (5, 6)

    @model_validator(mode="after")
    def distinct(self) -> "Pins":
        if len({frozenset(getattr(self, wheel)) for wheel in WHEELS}) < len(WHEELS):
            raise ValueError("two wheels have the same pins")
        return self


class Network(Config):
    """[wire] older clients expect sensors on 5556.

    The competition's TCP port is 23, which only an administrator may open; 3023 is [ours].
    """

    commands: Address = "127.0.0.1:5555"
    sensors: Address = "127.0.0.1:5557"
    strings: Address = "127.0.0.1:5556"
    game: Address = "127.0.0.1:3002"
    game_tcp: Address = "127.0.0.1:3023"


class Camera(Config):
    """The camera over the arena. [ours] a webcam and a laptop: 10 pictures a second, 0.1 s late."""

    rate_hz: Annotated[float, Field(ge=0, le=1000)] = Field(
        10.0, description="0: no camera; clients send Pacman's cell"
    )
    delay_s: Annotated[float, Field(ge=0, le=60)] = 0.1
    noise_stddev_m: NotNegative = Field(0.0, description="error of the position in each picture")


class Game(Config):
    """[wire] the competition's game server. The numbers of its rules are in game/board.py."""

    enabled: bool = Field(
        False,
        description="serve the game on ports `game` and `game_tcp`; the maze is then `arena` "
        "unless given",
    )
    rate_hz: Annotated[float, Field(gt=0, le=1000)] = 24.0
    frame: Literal[2025, 2024] = Field(
        2025, description="version of the frames; 2024: for clients from before August 2024"
    )
    ghosts: Annotated[int, Field(ge=0, le=4)] = Field(
        4, description="number of ghosts that play, of red, pink, cyan, orange"
    )
    referee_s: NotNegative = Field(
        0.0,
        description="0: clients start and resume the game. Else the robot is put at its start this "
        "long after the beginning, a life or a level, and play begins",
    )
    camera: Camera = Camera()


class PacbotConfig(Config):
    profile: Literal["seed", "upstream"] = "seed"
    maze: str = Field("empty", description="a maze .json, or the name of a bundled maze")
    start_x_m: float | None = Field(None, description="default: the maze's start")
    start_y_m: float | None = None
    start_theta_rad: float = 0.0
    physics_hz: Annotated[float, Field(ge=10, le=10_000)] = 100.0  # [seed]
    sensors_hz: Annotated[float, Field(gt=0, le=1000)] = 60.0  # [wire]
    uart: bool = Field(False, description="accept motor commands as 8 bytes on a serial line")
    strings: bool = Field(
        False, description="accept W A S D Q E and north, south, east, west on a PULL socket"
    )
    tile_s: Positive = Field(0.8, description="[wire] duration of a move by one tile")
    body: Body = Body()
    motors: Motors = Motors()
    encoders: Encoders = Encoders()
    imu: Imu = Imu()
    tof: Tof = Tof()
    pins: Pins = Pins()
    network: Network = Network()
    game: Game = Game()
    ros: RosConfig = Field(
        RosConfig(),
        description="[ours] an additional ROS node: ranges, imu, joint states; cmd_vel in",
    )

    @model_validator(mode="before")
    @classmethod
    def fill_in(cls, data: Any) -> Any:
        """Fill in the profile's values, and the arena for a game without a maze."""
        if (
            isinstance(data, dict)
            and isinstance(data.get("game"), dict)
            and data["game"].get("enabled")
        ):
            data = {"maze": "arena", **data}
        name = data.get("profile", "seed") if isinstance(data, dict) else ""
        if not isinstance(name, str) or name not in PROFILES:
            return data
        filled = dict(data)
        for table, values in PROFILES[name].items():
            overrides = data.get(table, {})
            if isinstance(overrides, dict):
                filled[table] = {**values, **overrides}
        return filled

    @model_validator(mode="after")
    def whole_start(self) -> "PacbotConfig":
        if (self.start_x_m is None) != (self.start_y_m is None):
            raise ValueError("start_x_m and start_y_m must be given together")
        return self
