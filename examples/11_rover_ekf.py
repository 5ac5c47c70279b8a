"""A Kalman filter fuses a rover's encoders, IMU and GPS in virtual time, and is checked.

NEES is the squared error in terms of the filter's own covariance. For x, y and yaw it is 3 on
average if the covariances in the messages are true.
"""

from math import atan2, cos, remainder, sin, sqrt, tau

import numpy as np

import rigless

NOISE = ["enc_vel.vx_noise_std_mps=0.1", "enc_vel.wz_noise_std_radps=0.05"]
NOISE += ["imu.yaw_noise_std_rad=0.1", "gps.noise_std_m=0.5", "cmd_vel_timeout_s=5.0"]
ANTENNA_M, DT_S, SENSORS = -0.2, 0.01, ("enc_vel", "imu", "gps")  # it is behind the middle


def predict(x, p, v, w, var_v, var_w):
    c, s = DT_S * cos(x[2]), DT_S * sin(x[2])
    f = np.array([[1, 0, -v * s], [0, 1, v * c], [0, 0, 1]])
    g = np.array([[c, 0], [s, 0], [0, DT_S]])
    return x + g @ [v, w], f @ p @ f.T + g @ np.diag([var_v, var_w]) @ g.T


def correct(x, p, innovation, h, variance):
    gain = p @ h / (h @ p @ h + variance)
    return x + gain * innovation, p - np.outer(gain, h @ p)


def fuse(x, p, topic, m, plane):
    if topic == "enc_vel":
        twist, variances = m.twist.twist, m.twist.covariance
        return predict(x, p, twist.linear.x, twist.angular.z, variances[0], variances[35])
    if topic == "imu":
        innovation = remainder(2 * atan2(m.orientation.z, m.orientation.w) - x[2], tau)
        return correct(x, p, innovation, np.array([0, 0, 1]), m.orientation_covariance[8])
    east, north, _ = plane.to_enu(m.latitude, m.longitude, m.altitude)
    for axis, measured in enumerate((east, north)):
        dx, dy = ANTENNA_M * cos(x[2]), ANTENNA_M * sin(x[2])
        h = np.array([[1, 0, -dy], [0, 1, dx]])[axis]
        innovation = measured - x[axis] - (dx, dy)[axis]
        x, p = correct(x, p, innovation, h, m.position_covariance[0])
    return x, p


scores = []
for seed in range(10):
    sim, x, p = rigless.load("rover", seed, NOISE), np.zeros(3), 1e-6 * np.eye(3)
    for turn in (0.3, -0.4, 0.1):
        sim.send("rover", "dds", {"type": "Twist", "linear": {"x": 0.8}, "angular": {"z": turn}})
        sim.run(5.0)
        for out in (out for out in sim.take("rover", "dds") if out.topic in SENSORS):
            x, p = fuse(x, p, out.topic, out.message, sim.robots["rover"].plane)
        error = [remainder(a - b, tau) for a, b in zip(x, sim.truth("rover").pose, strict=True)]
        scores.append(error @ np.linalg.inv(p) @ error)
    print(f"run {seed}: sure to {sqrt(p[0, 0]):.3f} m, NEES {scores[-1]:.1f}")
mean, spread = sum(scores) / len(scores), 3 * sqrt(2 / (3 * len(scores)))
print(f"NEES {mean:.2f}; a consistent filter has 3 ± {1.96 * spread:.2f} in 95 % of all cases:")
print("consistent" if abs(mean - 3) < 3 * spread else "the covariances are wrong")
