"""The rover's encoder and IMU readings as ROS messages, with their covariances."""

from rigless.motion.diff_drive import clamp
from rigless.robots.rover import body as b
from rigless.robots.rover import wire
from rigless.robots.rover.config import EncVel, Imu, RoverConfig, Vn300
from rigless.robots.rover.faults import MAX_READING
from rigless.robots.rover.state import RoverState
from rigless.ros import messages as m
from rigless.sensors.encoder import speed_variance

ImuReading = tuple[float | None, float | None, list[float] | None]  # yaw, yaw rate, acceleration


def stamp(config: RoverConfig, state: RoverState, time_ns: int) -> m.Time:
    return wire.stamp_of((0 if config.use_sim_time else state.epoch_ns) + time_ns)


def encoder_message(
    header: m.Header, config: EncVel, body: b.Array
) -> m.TwistWithCovarianceStamped:
    v, w, read_v, read_w = body[[b.V, b.W, b.ENC_V, b.ENC_W]].tolist()
    variance_v = speed_variance(v, config.vx_noise_std_mps, config.vx_drift_std)
    variance_w = speed_variance(w, config.wz_noise_std_radps, config.wz_drift_std)
    return wire.enc_vel(header, read_v, read_w, variance_v, variance_w)


def imu_message(
    header: m.Header,
    config: Imu,
    ins: Vn300 | None,
    reading: ImuReading,
    mount: b.Array,
    now_ns: int,
    scratch: b.Array,
) -> m.Imu:
    """Return the message of a reading on the IMU's own axes. `scratch` holds 16 numbers."""
    yaw, rate, accel = reading
    walk = config.gyro_walk_radps**2 * now_ns / 1e9
    rate_variance = config.wz_noise_std_radps**2 + config.gyro_bias_radps**2 + walk
    if ins is not None:
        rate_variance += ins.wz_drift_std_radps**2
    rate_variance = max(rate_variance, wire.FLOOR)
    sure_yaw, sure_rate = (
        0.0 if value is None else clamp(value, MAX_READING) for value in (yaw, rate)
    )
    b.turn_imu(sure_yaw, sure_rate, wire.FLOOR, rate_variance, mount, scratch)
    drift = 0.0 if ins is None else ins.yaw_drift_std_rad**2
    yaw_variance = None if yaw is None else config.yaw_noise_std_rad**2 + drift
    white, (x, y, z) = config.accel_noise_std_mps2**2, config.accel_bias_mps2
    variances = (white + x * x, white + y * y, white + z * z)
    return wire.imu(
        header,
        scratch.tolist(),
        yaw_variance,
        rate is not None,
        accel if config.accelerometer else None,
        variances,
    )
