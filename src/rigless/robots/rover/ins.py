"""The rover with an INS (VN-300) in place of a magnetometer IMU and GPS.

The INS has one error of each quantity. Position and yaw are those of the receiver and the IMU with
the parameters of the vn300 block, so `gps`, `imu`, `ins_vel` and `odom` of a tick agree.
"""

from rigless.kernel.robot import Robot
from rigless.robots.rover import body as b
from rigless.robots.rover import wire
from rigless.robots.rover.config import RoverConfig, Vn300
from rigless.robots.rover.readings import ImuReading
from rigless.robots.rover.state import RoverState
from rigless.ros import messages as m
from rigless.sensors.attitude import about_z


def resolve(config: RoverConfig) -> RoverConfig:
    """Return the config with receiver and IMU as the vn300 block sets them."""
    vn = config.vn300
    if vn is None:
        return config
    position = {
        "noise_std_m": vn.position_noise_std_m,
        "drift_std_m": vn.position_drift_std_m,
        "drift_time_constant_s": vn.position_drift_time_constant_s,
    }
    if config.datum is not None:
        keys = ("origin_latitude_deg", "origin_longitude_deg", "origin_altitude_m")
        position |= dict(zip(keys, config.datum, strict=True))
    attitude = {
        "yaw_noise_std_rad": vn.yaw_noise_std_rad,
        "wz_noise_std_radps": vn.wz_noise_std_radps,
        "magnetic_declination": "given",  # its yaw is from true north
        "magnetic_declination_rad": 0.0,
    }
    if config.initial_yaw_rad is not None:
        attitude["initial_yaw_rad"] = config.initial_yaw_rad
    period_s = config.update_period_s or config.high_rate_update_period_s
    changes = {
        "gps": config.gps.model_copy(update=position),
        "imu": config.imu.model_copy(update=attitude),
        "imu_frame_id": vn.imu_frame_id,
        "gps_frame_id": vn.ins_frame_id,
        "high_rate_update_period_s": period_s,
        "low_rate_update_period_s": period_s,
    }
    return config.model_copy(update=changes)


class Ins:
    """The topics of the INS: velocity and odometry."""

    def __init__(self, robot: Robot, config: Vn300, const: b.Array):
        self._robot, self._config, self._const = robot, config, const

    def messages(
        self, time: m.Time, map_frame: str, frame: str, reading: ImuReading
    ) -> dict[str, object]:
        """Return the messages of this tick by topic. Without a fix there is no odometry."""
        yaw, rate, _ = reading
        if rate is None:
            return {}
        vn, state = self._config, self._state
        speed = b.read_ins_speed(state.body, self._const, state.keys, state.ticks)
        variance_v = vn.vx_noise_std_mps**2 + vn.vx_drift_std_mps**2
        variance_w = vn.wz_noise_std_radps**2 + vn.wz_drift_std_radps**2
        velocity = wire.enc_vel(m.Header(time, frame), speed, rate, variance_v, variance_w)
        found: dict[str, object] = {"ins_vel": velocity}
        fix = state.fix
        if yaw is not None and fix.kind != "none" and fix.epoch_ns == self._robot.now_ns:
            pose = m.Pose(m.Point(fix.east_m, fix.north_m), m.Quaternion(*about_z(yaw)))
            level = max(fix.variance_m2, wire.FLOOR)
            turned = max(vn.yaw_noise_std_rad**2 + vn.yaw_drift_std_rad**2, wire.FLOOR)
            covariance = wire.diagonal6(level, level, *(wire.FLOOR,) * 3, turned)
            found["odom"] = m.Odometry(
                m.Header(time, map_frame),
                frame,
                m.PoseWithCovariance(pose, covariance),
                velocity.twist,
            )
        return found

    @property
    def _state(self) -> RoverState:
        state: RoverState = self._robot.state
        return state
