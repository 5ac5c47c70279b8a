"""What the rover's encoders and IMU say of a tick, through their faults, and the messages that tell it."""

from typing import Any

import numpy as np

from rigless.motion.diff_drive import clamp
from rigless.robots.rover import body as b
from rigless.robots.rover import wire
from rigless.robots.rover.gps import Receiver
from rigless.ros.codec import Published
from rigless.ros.messages import Clock, Header
from rigless.sensors.encoder import speed_variance

WILDEST = 1e9  # no fault makes a reading larger, so that numbers stay numbers


class Readings(Receiver):
    read_out: b.Array  # where the compiled functions leave the IMU's numbers
    turned: b.Array

    def sense_encoders(self) -> bool:
        """Faults change what the encoders say; False: they say nothing, and dead reckoning stands."""
        body = self.state.body
        sensed = [
            self.sense("enc_vx", body.item(b.ENC_V)),
            self.sense("enc_wz", body.item(b.ENC_W)),
        ]
        silent = None in sensed or self.fault("enc_vel", "off") is not None
        body[b.ENC_V], body[b.ENC_W] = (
            (0.0, 0.0) if silent else (clamp(value, WILDEST) for value in sensed)
        )
        return not silent

    def publish(self, said: bool) -> None:
        """All messages of a tick, with one stamp."""
        config, state = self.config, self.state
        stamp = wire.stamp_of(self.stamp_epoch_ns + self.now_ns)
        x, y, yaw, v, w = state.body[: b.W + 1].tolist()
        imu = self.imu_message(Header(stamp, config.imu_frame_id)) if state.imu_mounted else None
        if not self.wanted("dds"):
            return
        if config.publish_clock:
            self.emit("dds", Published("/clock", Clock(stamp)))
        if said:
            enc = config.enc_vel
            variance_v = speed_variance(v, enc.vx_noise_std_mps, enc.vx_drift_std)
            variance_w = speed_variance(w, enc.wz_noise_std_radps, enc.wz_drift_std)
            read_v, read_w = state.body[b.ENC_V : b.ENC_W + 1].tolist()
            header = Header(stamp, config.base_frame_id)
            self.emit(
                "dds",
                Published("enc_vel", wire.enc_vel(header, read_v, read_w, variance_v, variance_w)),
            )
        if imu is not None:
            self.emit("dds", Published("imu", imu))
        truth = wire.ground_truth(
            Header(stamp, config.map_frame_id), config.base_frame_id, x, y, yaw, v, w
        )
        for topic in config.ground_truth_topics:
            self.emit("dds", Published(topic, truth))

    def imu_message(self, header: Header) -> Any:
        """The IMU's message of this tick, or None if it is silent."""
        state, config = self.state, self.config.imu
        yaw, rate, felt = self.read_imu()
        if self.fault("imu", "off") is not None:
            return None
        walked = config.gyro_walk_radps**2 * self.now_ns / 1e9
        variance = max(
            config.wz_noise_std_radps**2 + config.gyro_bias_radps**2 + walked, wire.FLOOR
        )
        sure_yaw, sure_rate = (
            0.0 if value is None else clamp(value, WILDEST) for value in (yaw, rate)
        )
        b.turn_imu(sure_yaw, sure_rate, wire.FLOOR, variance, state.mount, self.turned)
        yaw_variance = None if yaw is None else config.yaw_noise_std_rad**2
        white, (x, y, z) = config.accel_noise_std_mps2**2, config.accel_bias_mps2
        variances = (white + x * x, white + y * y, white + z * z)
        acceleration = felt if config.accelerometer else None
        return wire.imu(
            header, self.turned.tolist(), yaw_variance, rate is not None, acceleration, variances
        )

    def read_imu(self) -> tuple[float | None, float | None, list[float] | None]:
        """Yaw from magnetic north, yaw rate, and what the accelerometer feels; None: not read."""
        state = self.state
        b.read_imu(state.body, self.const, state.mount, state.keys, state.ticks, self.read_out)
        yaw, rate, *felt = self.read_out.tolist()
        if not self.faults:
            return yaw, rate, felt
        force = self.sense("imu_accel", np.array(felt))
        feels = None if force is None else np.clip(force, -WILDEST, WILDEST).tolist()
        return self.sense("imu_yaw", yaw), self.sense("imu_wz", rate), feels
