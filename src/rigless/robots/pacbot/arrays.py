"""The config as arrays for the compiled functions, made once when a robot starts."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.elementary import exp, sin_cos
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot import tof as r
from rigless.robots.pacbot.config import COMPASS, WHEELS, PacbotConfig
from rigless.worlds.grid import Grid

Array = NDArray[np.float64]

BEARINGS_RAD = {  # from the body's right, counter-clockwise; north is forward
    "north": math.pi / 2, "south": -math.pi / 2, "east": 0.0, "west": math.pi,
    "northeast": math.pi / 4, "southeast": -math.pi / 4, "southwest": -3 * math.pi / 4,
    "northwest": 3 * math.pi / 4,
}  # fmt: skip


@dataclass(frozen=True)
class Arrays:
    const: Array
    setup: Array
    clear: Any
    bearings: Array
    names: tuple[str, ...]  # of the ToF sensors


def tof_names(config: PacbotConfig) -> tuple[str, ...]:
    return COMPASS[: config.tof.count]


def make_arrays(config: PacbotConfig, grid: Grid) -> Arrays:
    names = tof_names(config)
    bearings = np.array([BEARINGS_RAD[name] for name in names])
    return Arrays(_constants(config, grid), _setup(config), grid.clear, bearings, names)


def _constants(config: PacbotConfig, grid: Grid) -> Array:
    body, motors, imu = config.body, config.motors, config.imu
    dt_s = 1.0 / config.physics_hz
    const = np.zeros(b.CONST_SIZE)
    const[b.DT] = dt_s
    const[b.RADIUS], const[b.MASS] = body.radius_m, body.mass_kg
    const[b.INERTIA] = body.inertia_kgm2 or 0.5 * body.mass_kg * body.radius_m**2
    const[b.SPEED], const[b.ARM] = (
        body.wheel_speed_mps,
        body.wheel_speed_mps / body.turn_speed_radps,
    )
    const[b.TAU], const[b.DRAG] = motors.tau_s, body.damping_per_s
    const[b.DEAD], const[b.SLIP], const[b.GRIP] = motors.dead_band, motors.slip, motors.grip
    const[b.FRICTION] = body.wall_friction
    const[b.TICKS_PER_M] = config.encoders.ticks_per_rev / (2 * math.pi * body.wheel_radius_m)
    const[b.TICK_STD] = config.encoders.noise
    const[b.ACCEL_NEW] = 1.0 - exp(-dt_s / imu.accel_filter_s) if imu.accel_filter_s > 0 else 1.0
    const[b.MOUNT_X], const[b.MOUNT_Y] = imu.mount_x_m, imu.mount_y_m
    const[b.BIAS_STEP] = imu.gyro_drift_radps * math.sqrt(dt_s)
    const[b.ACCEL_STD], const[b.GYRO_STD] = imu.accel_stddev_mps2, imu.gyro_stddev_radps
    const[b.ACCEL_BIAS_X], const[b.ACCEL_BIAS_Y] = imu.accel_bias_mps2
    const[b.RES], const[b.OX], const[b.OY] = grid.resolution_m, grid.origin[0], grid.origin[1]
    const[b.OSIN], const[b.OCOS] = sin_cos(grid.origin[2])
    const[b.GAIN : b.GAIN + 4] = [getattr(motors.gain, wheel) for wheel in WHEELS]
    return const


def _setup(config: PacbotConfig) -> Array:
    tof = config.tof
    setup = np.zeros(r.SETUP_SIZE)
    setup[r.MIN_RANGE], setup[r.MAX_RANGE] = tof.min_range_m, tof.max_range_m
    setup[r.STD], setup[r.LIMIT] = tof.noise_stddev_m, tof.noise_limit_m
    setup[r.DROPOUT], setup[r.CONE] = tof.dropout, tof.cone_rad
    return setup
