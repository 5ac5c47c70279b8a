"""A Kalman filter fuses a rover's encoders, IMU and GPS in virtual time, and is checked: are its errors as large as it says?

NEES is the squared error in terms of the filter's own covariance: 3 on average for x, y and yaw, or the messages' covariances lie."""

from math import atan2, cos, remainder, sin, sqrt, tau

import rigless

NOISE = "enc_vel.vx_noise_std_mps=0.1 enc_vel.wz_noise_std_radps=0.05 imu.yaw_noise_std_rad=0.1 gps.noise_std_m=0.5"
ARM_M, DT_S, N = -0.2, 0.01, range(3)  # the antenna is behind the middle
BEGIN = [0.0, 0.0, 0.0], [[1e-6, 0.0, 0.0], [0.0, 1e-6, 0.0], [0.0, 0.0, 1e-6]]


def predict(x, p, v, w, var_v, var_w):
    c, s = DT_S * cos(x[2]), DT_S * sin(x[2])
    f, g = [[1, 0, -v * s], [0, 1, v * c], [0, 0, 1]], [[c, 0], [s, 0], [0, DT_S]]
    q = [[g[i][0] * g[j][0] * var_v + g[i][1] * g[j][1] * var_w for j in N] for i in N]
    p = [[sum(f[i][k] * p[k][m] * f[j][m] for k in N for m in N) + q[i][j] for j in N] for i in N]
    return [x[0] + v * c, x[1] + v * s, x[2] + w * DT_S], p


def correct(x, p, surprise, h, variance):
    ph = [sum(p[i][k] * h[k] for k in N) for i in N]
    total = sum(h[i] * ph[i] for i in N) + variance
    return [x[i] + ph[i] / total * surprise for i in N], [
        [p[i][j] - ph[i] * ph[j] / total for j in N] for i in N
    ]


def nees(e, p):
    rest, gain = range(1, len(e)), [row[0] / p[0][0] for row in p]
    left = [[p[i][j] - gain[i] * p[0][j] for j in rest] for i in rest]
    return e[0] ** 2 / p[0][0] + (
        nees([e[i] - gain[i] * e[0] for i in rest], left) if rest else 0.0
    )


def fuse(x, p, topic, m, plane):
    if topic == "enc_vel":
        return predict(
            x,
            p,
            m.twist.twist.linear.x,
            m.twist.twist.angular.z,
            m.twist.covariance[0],
            m.twist.covariance[35],
        )
    if topic == "imu":
        surprise = remainder(2 * atan2(m.orientation.z, m.orientation.w) - x[2], tau)
        return correct(x, p, surprise, (0, 0, 1), m.orientation_covariance[8])
    (east, north, _), var = (
        plane.to_enu(m.latitude, m.longitude, m.altitude),
        m.position_covariance[0],
    )
    x, p = correct(x, p, east - x[0] - ARM_M * cos(x[2]), (1, 0, -ARM_M * sin(x[2])), var)
    return correct(x, p, north - x[1] - ARM_M * sin(x[2]), (0, 1, ARM_M * cos(x[2])), var)


scores = []
for seed in range(10):
    sim, (x, p) = rigless.load("rover", seed, [*NOISE.split(), "cmd_vel_timeout_s=5.0"]), BEGIN
    for turn in (0.3, -0.4, 0.1):
        sim.send("rover", "dds", {"type": "Twist", "linear": {"x": 0.8}, "angular": {"z": turn}})
        sim.run(5.0)
        for out in (out for out in sim.take("rover", "dds") if "ground_truth" not in out.topic):
            x, p = fuse(x, p, out.topic, out.message, sim.robots["rover"].plane)
        scores.append(
            nees(
                [remainder(a - b, tau) for a, b in zip(x, sim.truth("rover").pose, strict=True)], p
            )
        )
    print(
        f"run {seed}: sure to {sqrt(p[0][0]):.3f} m, NEES",
        ", ".join(f"{score:.1f}" for score in scores[-3:]),
    )
mean, spread = sum(scores) / len(scores), 3 * sqrt(2 / (3 * len(scores)))
print(
    f"NEES {mean:.2f}, where a filter that knows itself has 3 ± {1.96 * spread:.2f} in 95 of 100 tries:"
)
print("consistent" if abs(mean - 3) < 3 * spread else "the covariances lie")
