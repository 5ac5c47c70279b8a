"""The config as arrays for the compiled functions, made once when a robot starts."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled.elementary import sines_cosines
from rigless.kernel.elementary import atan2, cos, exp, sin_cos
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.lidar import beams as s
from rigless.robots.vacuum.power import power_array
from rigless.worlds.grid import Grid

Array = NDArray[np.float64]
MODES = {"stop": 0, "slide": 1, "passthrough": 2}
CLIFFS = ("left_side", "left_front", "right_front", "right_side")  # in the order of the flags
# The bumper and cliff switches for each value of a tick's flags.
SWITCHES: list[tuple[Any, Any]] = [
    (
        (bool(flags & b.BUMP_LEFT), bool(flags & b.BUMP_RIGHT)),
        tuple(bool(flags & b.CLIFF_FIRST << bit) for bit in range(4)),
    )
    for flags in range(b.HIT)
]


@dataclass(frozen=True)
class Arrays:
    const: Array
    setup: Array
    power: Array
    clear: Any
    cliff_sensors: Array
    carpets: Array
    gyro_axes: Array
    accel_axes: Array
    deviations: Array
    biases: Array
    angles: Array  # of the beams in the lidar's frame, in the order of the scan
    cosines: Array  # of the beams' directions in the robot's frame
    sines: Array
    trail_size: int


def make_arrays(config: VacuumConfig, grid: Grid) -> Arrays:
    angles = _beam_angles(config)
    sines, cosines = sines_cosines(angles + config.lidar.angle_offset)
    transforms = config.frame_transforms
    gyro, accel = transforms.imu_gyro, transforms.imu_accel
    imu = config.imu
    return Arrays(
        const=_constants(config, grid),
        setup=_lidar_setup(config, grid),
        power=power_array(config),
        clear=grid.clear,
        cliff_sensors=_cliff_sensors(config),
        carpets=np.array([(*c.x, *c.y, c.slip) for c in config.carpets], float).reshape(-1, 5),
        gyro_axes=np.array([gyro.x, gyro.y, gyro.z], float),
        accel_axes=np.array([accel.x, accel.y, accel.z], float),
        deviations=np.array(
            [imu.gyro_noise.stddev, imu.accel_noise.stddev, imu.tilt_noise.stddev], float
        ),
        biases=np.array([imu.gyro_noise.bias, imu.accel_noise.bias, imu.tilt_noise.bias], float),
        angles=angles,
        cosines=cosines,
        sines=sines,
        # The ticks of a scan, and those until the next one.
        trail_size=2 * math.ceil(config.imu.update_rate_hz / config.lidar.scan_rate_hz) + 2,
    )


def _beam_angles(config: VacuumConfig) -> Array:
    """Return the beams' angles: descending raw angles through the frame transform."""
    count, transform = config.lidar.num_rays, config.frame_transforms.lidar
    raw = 2 * np.pi * (1.0 - np.arange(count) / count)
    angles = transform.scale * raw + transform.offset
    return np.asarray((angles + np.pi) % (2 * np.pi) - np.pi)


def _constants(config: VacuumConfig, grid: Grid) -> Array:
    robot, noise, bumpers = config.robot, config.encoder.noise, config.bumpers
    limited = 0.0 if config.mock_compat else 1.0
    const = np.zeros(b.CONST_SIZE)
    const[b.DT] = 1.0 / config.imu.update_rate_hz
    const[b.RADIUS], const[b.BASE], const[b.TICKS_PER_M] = (
        robot.robot_radius,
        robot.wheel_base,
        robot.ticks_per_meter,
    )
    const[b.ACC_V], const[b.ACC_W] = (
        robot.max_linear_acceleration * limited,
        robot.max_angular_acceleration * limited,
    )
    const[b.MODE], const[b.FRICTION] = MODES[robot.collision_mode], robot.slide_friction
    const[b.SLIP_BIAS], const[b.SLIP_STD] = noise.slip_bias, noise.slip_stddev
    const[b.SCALE_DIFFERENCE] = noise.scale_difference
    const[b.REACH] = bumpers.trigger_distance
    const[b.LEFT_A], const[b.LEFT_B] = bumpers.left.start_angle, bumpers.left.end_angle
    const[b.RIGHT_A], const[b.RIGHT_B] = bumpers.right.start_angle, bumpers.right.end_angle
    const[b.TILT_KEEP] = exp(-const[b.DT] / config.imu.tilt_time_constant_s)
    const[b.GYRO_LSB], const[b.ACCEL_LSB] = (
        config.imu.gyro_lsb_per_radps,
        config.imu.accel_lsb_per_g,
    )
    const[b.RES], const[b.OX], const[b.OY] = grid.resolution_m, grid.origin[0], grid.origin[1]
    const[b.OSIN], const[b.OCOS] = sin_cos(grid.origin[2])
    const[b.YAW] = atan2(float(const[b.OSIN]), float(const[b.OCOS]))
    away_m = max((abs(c.x) + abs(c.y) for c in config.cliffs.sensors), default=0.0)
    const[b.LEVEL] = -1.0 if grid.cliff.any() else away_m / grid.resolution_m + 1.0
    return const


def _lidar_setup(config: VacuumConfig, grid: Grid) -> Array:
    lidar, noise = config.lidar, config.lidar.noise
    setup = np.zeros(s.SETUP_SIZE)
    setup[s.MOUNT_X], setup[s.MOUNT_Y], setup[s.OPTICAL] = (
        lidar.mounting_x,
        lidar.mounting_y,
        lidar.optical_offset,
    )
    setup[s.MIN_RANGE], setup[s.MAX_RANGE], setup[s.OFFSET] = (
        lidar.min_range,
        lidar.max_range,
        lidar.angle_offset,
    )
    setup[s.STD], setup[s.STD_PER_M2], setup[s.BIAS] = (
        noise.range_stddev,
        noise.range_stddev_per_m2,
        noise.range_bias,
    )
    setup[s.ANGLE_STD], setup[s.MISS] = noise.angle_stddev, noise.miss_rate
    setup[s.Q_BASE], setup[s.Q_DECAY] = noise.quality_base, noise.quality_distance_decay
    setup[s.Q_STD] = noise.quality_stddev
    setup[s.GRAZING] = max(0.0, cos(noise.incidence_limit)) if noise.incidence_limit < 1.57 else 0.0
    setup[s.MATERIALS], setup[s.MIXED], setup[s.QUANTUM] = (
        noise.materials,
        noise.mixed_pixels,
        noise.quantisation,
    )
    setup[s.CENTRED] = config.lidar_frame == "robot_center"
    setup[s.ROLLING] = lidar.rolling
    setup[s.RES], setup[s.OX], setup[s.OY] = grid.resolution_m, grid.origin[0], grid.origin[1]
    setup[s.OSIN], setup[s.OCOS] = sin_cos(grid.origin[2])
    return setup


def _cliff_sensors(config: VacuumConfig) -> Array:
    sensors = config.cliffs.sensors if config.cliffs.enabled else ()
    return np.array([(c.x, c.y, CLIFFS.index(c.name)) for c in sensors], float).reshape(-1, 3)
