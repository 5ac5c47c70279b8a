"""The config as an array for the compiled functions, made once when a rover starts."""

import math

import numpy as np

from rigless.kernel.problems import InputError, Problem
from rigless.robots.rover import body as b
from rigless.robots.rover.config import RoverConfig
from rigless.sensors.drift import pull


def make_constants(config: RoverConfig) -> b.Array:
    const = np.zeros(b.CONST_SIZE)
    enc, imu, gps, dt = config.enc_vel, config.imu, config.gps, config.high_rate_update_period_s
    const[b.DT] = dt
    const[b.ACC_V], const[b.ACC_W] = config.limits.linear_mps2, config.limits.angular_radps2
    const[b.STD_V], const[b.STD_W] = enc.vx_noise_std_mps, enc.wz_noise_std_radps
    keep, kick = pull(dt, enc.drift_time_constant_s)
    const[b.KEEP], const[b.KICK_V], const[b.KICK_W] = (
        keep,
        kick * enc.vx_drift_std,
        kick * enc.wz_drift_std,
    )
    const[b.WALK] = imu.gyro_walk_radps * math.sqrt(dt)
    const[b.STD_YAW], const[b.STD_RATE] = imu.yaw_noise_std_rad, imu.wz_noise_std_radps
    const[b.DECLINATION] = declination_offset(config)
    const[b.STD_ACCEL], const[b.BIAS_AX : b.BIAS_AZ + 1] = (
        imu.accel_noise_std_mps2,
        imu.accel_bias_mps2,
    )
    keep, kick = pull(config.low_rate_update_period_s, gps.drift_time_constant_s)
    const[b.GPS_KEEP], const[b.GPS_KICK] = keep, kick * gps.drift_std_m
    const[b.STD_GPS], const[b.STD_UP] = gps.noise_std_m, gps.vertical_noise_std_m or 0.0
    if (vn := config.vn300) is not None:
        keep, kick = pull(dt, vn.vel_drift_time_constant_s)
        const[b.INS_KEEP], const[b.INS_STD_V] = keep, vn.vx_noise_std_mps
        const[b.INS_KICK_V], const[b.INS_KICK_W] = (
            kick * vn.vx_drift_std_mps,
            kick * vn.wz_drift_std_radps,
        )
        keep, kick = pull(dt, vn.yaw_drift_time_constant_s)
        const[b.INS_KEEP_YAW], const[b.INS_KICK_YAW] = keep, kick * vn.yaw_drift_std_rad
    return const


def declination_offset(config: RoverConfig) -> float:
    """Return the magnetometer's yaw minus the true yaw."""
    imu = config.imu
    declination = (
        imu.magnetic_declination_rad
        if imu.magnetic_declination == "given"
        else model_declination(config)
    )
    return declination if imu.declination_convention == "physical" else -declination


def model_declination(config: RoverConfig) -> float:
    """Return the World Magnetic Model's declination at the origin.

    Raises InputError if pygeomag is not installed.
    """
    try:
        import pygeomag
    except ModuleNotFoundError:
        fix = "pip install 'rigless[declination]', or give imu.magnetic_declination_rad"
        what = "auto needs 'pygeomag', which is not installed"
        raise InputError(Problem("imu.magnetic_declination", what, fix)) from None
    gps = config.gps
    model = pygeomag.GeoMag(coefficients_file="wmm/WMM_2025.COF")
    field = model.calculate(
        gps.origin_latitude_deg,
        gps.origin_longitude_deg,
        gps.origin_altitude_m / 1000,
        config.imu.magnetic_model_year,
    )
    return math.radians(field.d)
