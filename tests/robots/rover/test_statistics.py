"""The rover's errors have the size and correlation of the config and the covariances."""

import math

import numpy as np
import pytest

from rigless.robots.rover import body as b
from rigless.robots.rover.arrays import make_constants
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.state import level_mount
from rigless.sensors.encoder import speed_variance
from rigless.sensors.gps import position_variance
from rigless.sensors.noise import noise_key

SIGMAS = 5.0


def setup(**tables):
    config = RoverConfig.model_validate(tables)
    keys = np.array([noise_key(5, part) for part in ("encoder", "imu", "gps")])
    return config, make_constants(config), keys


def mean_square(errors, variance, worth):
    """Assert that errors have this variance, as far as the number of samples allows."""
    assert np.mean(np.square(errors)) == pytest.approx(variance, rel=SIGMAS * math.sqrt(2 / worth))


def test_encoders():
    enc = {
        "vx_noise_std_mps": 0.05,
        "wz_noise_std_radps": 0.02,
        "vx_drift_std": 0.04,
        "wz_drift_std": 0.1,
        "drift_time_constant_s": 0.5,
    }
    _, const, keys = setup(enc_vel=enc)
    body, count, v, w = np.zeros(b.BODY_SIZE), 60_000, 1.5, -0.8
    body[b.GOAL_V], body[b.GOAL_W] = v, w
    read, scales = np.empty((count, 2)), np.empty((count, 2))
    for n in range(count):
        b.advance(body, const)
        b.measure(body, const, keys, n + 1)
        read[n], scales[n] = body[b.ENC_V : b.ENC_W + 1], body[b.SCALE_V : b.SCALE_W + 1]
    rho = math.exp(-0.01 / 0.5)
    worth = count * (1 - rho**2) / (1 + rho**2)
    read, scales = read[500:], scales[500:]
    for column, (speed, noise, drift) in enumerate(((v, 0.05, 0.04), (w, 0.02, 0.1))):
        mean_square(read[:, column] - speed * (1 + scales[:, column]), noise**2, count)
        mean_square(scales[:, column], drift**2, worth)
        mean_square(read[:, column] - speed, speed_variance(speed, noise, drift), worth)
    white = read - np.array([v, w]) * (1 + scales)
    assert abs(np.corrcoef(white.T)[0, 1]) < SIGMAS / math.sqrt(count)
    assert abs(np.corrcoef(scales.T)[0, 1]) < SIGMAS / math.sqrt(worth)


def test_the_imu_is_white():
    _, const, keys = setup(
        imu={
            "yaw_noise_std_rad": 0.03,
            "wz_noise_std_radps": 0.2,
            "accelerometer": True,
            "accel_noise_std_mps2": 0.5,
        }
    )
    body, out, count = np.zeros(b.BODY_SIZE), np.zeros(5), 20_000
    read = np.empty((count, 5))
    for n in range(count):
        b.read_imu(body, const, level_mount(), keys, n + 1, out)
        read[n] = out
    read[:, 4] -= 9.80665
    for column, std in enumerate((0.03, 0.2, 0.5, 0.5, 0.5)):
        mean_square(read[:, column], std**2, count)
        assert abs(np.corrcoef(read[1:, column], read[:-1, column])[0, 1]) < SIGMAS / math.sqrt(
            count
        )
    assert np.abs(np.corrcoef(read.T) - np.eye(5)).max() < SIGMAS / math.sqrt(count)


def test_the_gyros_bias_walks_as_the_root_of_time():
    ends = []
    for seed in range(400):
        _, const, keys = setup(imu={"gyro_walk_radps": 0.02})
        keys = np.array([noise_key(seed, part) for part in "abc"])
        body = np.zeros(b.BODY_SIZE)
        b.step_many(
            body,
            np.zeros((5, 5)),
            const,
            level_mount(),
            keys,
            0,
            400,
            0,
            1.0,
            np.zeros(3),
            np.zeros((2, 2)),
        )
        ends.append(body[b.BIAS])
    mean_square(np.array(ends), 0.02**2 * 4.0, 400)


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_gps(scale):
    gps = {
        "noise_std_m": 0.6,
        "drift_std_m": 1.2,
        "drift_time_constant_s": 2.0,
        "vertical_noise_std_m": 2.0,
    }
    _, const, keys = setup(gps=gps)
    body, out, count = np.zeros(b.BODY_SIZE), np.zeros(3), 60_000
    read, drifts = np.empty((count, 3)), np.empty((count, 2))
    for n in range(count):
        b.read_gps(body, const, level_mount(), scale, keys, n + 1, out)
        read[n], drifts[n] = out, body[b.DRIFT_X : b.DRIFT_Y + 1]
    rho = math.exp(-0.1 / 2.0)
    worth = count * (1 - rho**2) / (1 + rho**2)
    for column in range(2):
        mean_square(drifts[300:, column], 1.2**2, worth)
        mean_square(read[300:, column], position_variance(0.6, 1.2, scale), worth)
        mean_square(read[300:, column] - scale * drifts[300:, column], (scale * 0.6) ** 2, count)
    mean_square(read[:, 2], (scale * 2.0) ** 2, count)
    assert abs(np.corrcoef(drifts.T)[0, 1]) < SIGMAS / math.sqrt(worth)


@pytest.mark.parametrize("start", ["zero", "stationary"])
def test_dead_reckoning_has_a_consistent_covariance(start):
    """Over many runs the NEES of position and heading under their covariance is 3."""
    enc = {
        "vx_noise_std_mps": 0.1,
        "wz_noise_std_radps": 0.1,
        "vx_drift_std": 0.02,
        "wz_drift_std": 0.03,
        "drift_time_constant_s": 3.0,
    }
    many, scores = 400, []
    for seed in range(many):
        config, const, _ = setup(enc_vel={**enc, "drift_start": start})
        keys = np.array([noise_key(seed, part) for part in "abc"])
        body, doubt = np.zeros(b.BODY_SIZE), np.zeros((5, 5))
        if start == "stationary":
            draws = np.random.default_rng(seed).standard_normal(2)
            body[b.SCALE_V], body[b.SCALE_W] = draws * (
                config.enc_vel.vx_drift_std,
                config.enc_vel.wz_drift_std,
            )
            doubt[3, 3], doubt[4, 4] = (
                config.enc_vel.vx_drift_std**2,
                config.enc_vel.wz_drift_std**2,
            )
        for leg, (v, w) in enumerate(((1.0, 0.4), (0.5, -0.9), (1.2, 0.1))):
            body[b.GOAL_V], body[b.GOAL_W] = v, w
            b.step_many(
                body,
                doubt,
                const,
                level_mount(),
                keys,
                200 * leg,
                200,
                0,
                1.0,
                np.zeros(3),
                np.zeros((2, 2)),
            )
        error = body[b.ODO_X : b.ODO_YAW + 1] - body[b.X : b.YAW + 1]
        error[2] = (error[2] + math.pi) % (2 * math.pi) - math.pi
        scores.append(error @ np.linalg.solve(doubt[:3, :3], error))
    assert np.allclose(doubt, doubt.T, rtol=1e-9)
    assert np.mean(scores) == pytest.approx(3.0, abs=SIGMAS * math.sqrt(2 * 3 / many))
