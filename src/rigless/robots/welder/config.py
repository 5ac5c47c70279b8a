"""Every number of the welder, with where it comes from.

Sources: [seed] the simulation mode proposal; [wire] facts about grblHAL and the
arm; [ours] a choice of this project, with its reason.
Units are in the names; axes of the controller are in degrees, as on the wire.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from rigless.kernel.robot import Config

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Six = tuple[float, float, float, float, float, float]
SixPositive = tuple[Positive, Positive, Positive, Positive, Positive, Positive]
SixNotNegative = tuple[NotNegative, NotNegative, NotNegative, NotNegative, NotNegative, NotNegative]
Volts = Annotated[float, Field(ge=0, le=10)]
Pin = Annotated[int, Field(ge=0, le=31)]
Channel = Annotated[int, Field(ge=0, le=7)]
LinkNumber = Annotated[int, Field(ge=0, le=7)]
PinName = Annotated[str, Field(min_length=1, max_length=40)]


def _rgb(value: Any) -> Any:
    """Accept a colour as in a web page, too."""
    if isinstance(value, str) and len(value) == 7 and value[0] == "#":
        try:
            return int(value[1:], 16)
        except ValueError:
            return value
    return value


Rgb = Annotated[int, BeforeValidator(_rgb), Field(ge=0, le=0xFFFFFF)]


class Limits(Config):
    """[wire] The arm's table."""

    low_deg: Six = (-170.0, -120.0, -80.0, -185.0, -120.0, -360.0)
    high_deg: Six = (170.0, 60.0, 165.0, 185.0, 120.0, 360.0)
    max_degps: SixPositive = (120.0, 120.0, 120.0, 190.0, 190.0, 250.0)
    max_degps2: SixPositive = (500.0, 500.0, 500.0, 800.0, 800.0, 1000.0)
    max_degps3: SixPositive = Field(
        (5000.0, 5000.0, 5000.0, 8000.0, 8000.0, 10000.0),
        description="[ours] full acceleration after 0.1 s",
    )

    @model_validator(mode="after")
    def check_order(self) -> "Limits":
        if any(low >= high for low, high in zip(self.low_deg, self.high_deg, strict=True)):
            raise ValueError("low_deg must be below high_deg for every joint")
        return self


class Homing(Config):
    """[wire] Order and home pose. Speeds [ours]: a tenth of the joints' to seek, slow to locate."""

    pose_deg: Six = (0.0, -45.0, 90.0, 0.0, 45.0, 0.0)
    order: tuple[tuple[Annotated[int, Field(ge=1, le=6)], ...], ...] = ((5, 6), (4,), (2, 3), (1,))
    seek_degpm: Positive = Field(3600.0, description="$25")
    locate_degpm: Positive = Field(300.0, description="$24")
    pull_off_deg: Positive = Field(1.0, description="$27")
    required: bool = Field(False, description="start in ALARM:11 until homed")


class Link(Config):
    """[seed] An output that switches an input after a delay."""

    output: Pin
    input: Pin
    delay_ms: NotNegative = 0.0


class VirtualIo(Config):
    """Names shown at pins; the pins of the process have names already."""

    links: tuple[Link, ...] = ()
    input_names: dict[Pin, PinName] = {}
    output_names: dict[Pin, PinName] = {}
    part_sensor_input: Pin = Field(10, description="[ours] input of the panel's part sensor button")


class Welding(Config):
    """[wire] The process; ranges of the analog outputs and limits are [ours]."""

    pre_flow_ms: NotNegative = 300.0
    arc_start_timeout_ms: Positive = 500.0
    arc_start_retries: Annotated[int, Field(ge=0, le=20)] = 3
    retry_pause_ms: NotNegative = 200.0
    hot_start_ms: NotNegative = 200.0
    crater_fill_ms: NotNegative = 500.0
    burn_back_ms: NotNegative = 50.0
    post_flow_ms: NotNegative = 500.0
    current_a: Positive = 180.0
    voltage_v: Positive = 22.0
    wire_mpm: Positive = Field(8.0, description="wire feed, m/min")
    wire_diameter_mm: Positive = 1.0
    wire_density_gpcm3: Positive = Field(7.85, description="steel")
    gas_lpm: Positive = 15.0
    gas_low_lpm: NotNegative = 5.0
    gas: Literal["program", "automatic"] = Field(
        "program",
        description="[wire] program: M7 or M8 opens the gas; automatic: the power source does, from"
        " pre-flow to post-flow",
    )
    travel_mmps: Positive = Field(10.0, description="travel speed of the defaults")
    efficiency: Annotated[float, Field(gt=0, le=1)] = Field(0.8, description="MIG/MAG")
    hot_start_share: Positive = Field(1.2, description="[ours] of the current")
    crater_share: Positive = Field(0.6, description="[ours] of the current")
    strike_mean_ms: Positive = Field(80.0, description="[ours] time until the arc strikes")
    strike_stddev_ms: NotNegative = Field(25.0, description="[ours]")
    current_tau_ms: Positive = Field(15.0, description="[ours] first order")
    voltage_tau_ms: Positive = Field(10.0, description="[ours] first order")
    wire_tau_ms: Positive = Field(60.0, description="[ours] first order")
    gas_tau_ms: Positive = Field(80.0, description="[ours] first order")
    ripple_share: NotNegative = Field(
        0.01, description="[ours] noise of measured current and voltage"
    )
    amps_per_volt: Positive = Field(40.0, description="[ours] AO0: 10 V is 400 A")
    volts_per_volt: Positive = Field(5.0, description="[ours] AO1: 10 V is 50 V")
    mpm_per_volt: Positive = Field(2.0, description="[ours] AO2: 10 V is 20 m/min")
    most_a: Positive = Field(400.0, description="[ours] above it: over-current")
    most_v: Positive = Field(45.0, description="[ours] above it: over-voltage")
    fastest_mmps: Positive = Field(60.0, description="[ours] above it the arc is lost")
    stickout_mm: tuple[Positive, Positive] = Field(
        (5.0, 25.0), description="[ours] if shorter the wire sticks, if longer the arc is lost"
    )
    thermal_a: Positive = Field(250.0, description="[ours] continuous current of the source")
    thermal_tau_s: Positive = Field(600.0, description="[ours] thermal time constant")
    spool_m: Positive = Field(1500.0, description="[ours] wire on a full spool")
    hold_on_fault: bool = Field(True, description="[ours] a fault of the process holds the feed")
    arc_detect_input: Pin = Field(0, description="input that is on while the arc burns, for M66")
    arc_output: Pin = Field(0, description="[seed] M3 switches DO0")
    gas_output: Pin = Field(1, description="[ours] M7 and M8 switch DO1")


class Torch(Config):
    """[wire] The tool centre point, from the flange."""

    length_mm: NotNegative = 180.0
    tilt_deg: Annotated[float, Field(ge=-90, le=90)] = 15.0
    wire_mm: NotNegative = Field(
        15.0, description="[ours] bare wire at the end, may touch the work"
    )
    radius_mm: Positive = Field(18.0, description="[ours]")
    nozzle_radius_mm: Positive = Field(10.0, description="[ours]")
    mass_kg: NotNegative = Field(2.0, description="[ours] including its part of the hose")


class Collision(Config):
    """[seed] Collision checks; the base is link 0, the torch 7."""

    enable: bool = True
    check_self_collision: bool = True
    check_environment: bool = True
    self_collision_pairs: tuple[tuple[LinkNumber, LinkNumber], ...] = Field(
        (),
        description="pairs of links to check; none: all pairs that can collide",
    )
    on_collision: Literal["stop", "report"] = Field(
        "stop", description="[ours] stop: the drives trip, ALARM:17; report: only log an event"
    )
    margin_mm: NotNegative = Field(
        0.0,
        description="[ours] distance to everything in the cell, in addition to the cell's margins",
    )

    @model_validator(mode="after")
    def check_pairs(self) -> "Collision":
        for first, second in self.self_collision_pairs:
            if first == second:
                raise ValueError(f"self_collision_pairs: [{first}, {second}] is one link, not two")
        return self


class Visualization(Config):
    """[seed] Initial view and colours of the panel's page: 0xRRGGBB or "#rrggbb"."""

    show_collision_volumes: bool = False
    show_trajectory_preview: bool = True
    show_weld_trail: bool = True
    show_workspace_boundary: bool = False
    robot_color: Rgb = 0xFF5E00
    ghost_robot_color: Rgb = 0x808080
    collision_color: Rgb = 0xFF0000
    trajectory_color: Rgb = 0x00FF00
    weld_color: Rgb = 0xFFD700
    weld_trail_by: Literal["heat", "age"] = Field(
        "heat", description="[ours] quantity shown by the colour of the weld trail"
    )
    reach_map: str = Field(
        "", description="[ours] a map that `rigless welder reach --map 50 --out FILE.npz` wrote"
    )


class WelderConfig(Config):
    """Config of the welder. Delays are the seed's; the TCP address is in robot.py."""

    name: str = "Welder"
    update_rate_hz: Annotated[float, Field(ge=10, le=10_000)] = Field(1000.0, description="[seed]")
    command_delay_ms: NotNegative = Field(1.0, description="[seed]")
    feedback_delay_ms: NotNegative = Field(0.5, description="[seed]")
    enable_dynamics: bool = Field(False, description="[seed] estimate the joints' torques")
    joint_inertia: SixNotNegative = Field(
        (1.0, 1.0, 0.5, 0.1, 0.1, 0.05),
        description="[seed] of the drives, at the joints, kg·m²",
    )
    joint_friction: SixNotNegative = Field(
        (0.1, 0.1, 0.05, 0.02, 0.02, 0.01), description="[seed] viscous, Nm·s/rad"
    )
    urdf: str = Field(
        "",
        description="another arm's URDF: its kinematics, joint limits, speeds and names, bodies and"
        " masses; empty: this arm's own",
    )
    tcp_link: str = Field(
        "",
        description="the URDF's link that is the tool centre point, z out of the torch; empty: a"
        " link named tcp, or else the torch below on the link tool0 or flange",
    )
    start_deg: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    letters: Literal["XYZABC", "ABCUVW"] = Field(
        "XYZABC", description="[wire] ABCUVW are the seed's joint letters"
    )
    coordinates: Literal["joints", "cartesian"] = Field(
        "joints",
        description="meaning of axis words: joints in degrees, or the tool centre point, X Y Z in"
        " mm and A B C in degrees",
    )
    profile: Literal["trapezoid", "jerk"] = Field(
        "trapezoid",
        description="profile of G0, jogs and homing: constant acceleration (grbl) or jerk-limited",
    )
    compat: Literal["grblHAL", "grbl"] = Field("grblHAL", description="[wire] name in the greeting")
    client_policy: Literal["reject", "takeover"] = Field(
        "reject", description="for a second client: reject it, or disconnect the first"
    )
    planner_blocks: Annotated[int, Field(ge=15, le=1000)] = Field(100, description="[wire]")
    rx_bytes: Annotated[int, Field(ge=128, le=65536)] = Field(1024, description="[wire]")
    baud: Annotated[int, Field(ge=0, le=12_000_000)] = Field(
        0, description="receive lines at the pace of a serial line of this rate; 0: no pacing"
    )
    default_time_scale: Annotated[float, Field(ge=0.1, le=100)] = Field(
        1.0, description="[seed] default speed of the run"
    )
    settings_file: str = Field(
        "", description="file that keeps $ settings and offsets between runs; empty: none"
    )
    junction_deviation: Positive = Field(0.01, description="[wire] $11")
    arc_tolerance: Positive = Field(0.002, description="$12")
    soft_limits: bool = Field(True, description="$20")
    limits: Limits = Limits()
    homing: Homing = Homing()
    cell: str = Field(
        "", description="the cell around the arm: a YAML file, or the name of a shipped one"
    )
    collision: Collision = Collision()
    virtual_io: VirtualIo = VirtualIo()
    welding: Welding = Welding()
    torch: Torch = Torch()
    visualization: Visualization = Visualization()

    @model_validator(mode="before")
    @classmethod
    def follow_urdf(cls, data: Any) -> Any:
        """Take limits and poses from the URDF. Raises InputError if it cannot be used."""
        if not isinstance(data, dict) or not isinstance(data.get("urdf"), str) or not data["urdf"]:
            return data
        from rigless.robots.welder.arm_description import with_urdf  # reads the file

        return with_urdf(data)

    @model_validator(mode="after")
    def check_tcp(self) -> "WelderConfig":
        if self.tcp_link and not self.urdf:
            raise ValueError("tcp_link names a link of a URDF, and urdf is not set")
        return self

    @model_validator(mode="after")
    def check_letters(self) -> "WelderConfig":
        if self.coordinates == "cartesian" and self.letters != "XYZABC":
            raise ValueError(
                f"letters = {self.letters!r} are joints; coordinates = 'cartesian' takes XYZABC"
            )
        return self

    @model_validator(mode="after")
    def check_start(self) -> "WelderConfig":
        for joint, (start, low, high) in enumerate(
            zip(self.start_deg, self.limits.low_deg, self.limits.high_deg, strict=True), 1
        ):
            if not low <= start <= high:
                raise ValueError(
                    f"start_deg of joint {joint} is {start:g}, outside {low:g} to {high:g}"
                )
        return self
