"""Beams that are measured together have the bits of beams that are measured one by one."""

import numpy as np
import pytest
from numba import njit

from rigless.robots.vacuum.lidar import beams as s
from rigless.sensors.noise import noise_key


@njit
def one_by_one(setup, angles, cosines, sines, truth_m, noise, key, number, out):
    for k in range(len(truth_m)):
        seen, angle, distance, quality = s.measure(
            setup, angles[k], cosines[k], sines[k], truth_m[k], noise, k, key, number, k
        )
        out[0, k], out[1, k], out[2, k], out[3, k] = angle, distance, quality, seen


def lidar(**numbers):
    """Return a lidar's numbers: those of a Delta-2D, and some that differ."""
    usual = {"MIN_RANGE": 0.15, "MAX_RANGE": 8.0, "STD": 0.005, "ANGLE_STD": 0.001, "MISS": 0.01,
             "Q_BASE": 200.0, "Q_DECAY": 10.0, "CENTRED": 1.0, "OPTICAL": 0.025, "MOUNT_X": -0.11,
             "OFFSET": 0.3, "RES": 0.02}  # fmt: skip
    setup = np.zeros(s.SETUP_SIZE)
    for name, value in (usual | numbers).items():
        setup[getattr(s, name)] = value
    return setup


@pytest.mark.parametrize("beams", [1, 15, 16, 17, 36, 360])
@pytest.mark.parametrize(
    "numbers",
    [
        {},
        {"QUANTUM": 0.00025, "BIAS": 0.01, "STD_PER_M2": 0.002},
        {"CENTRED": 0.0},
        {"MOUNT_X": 0.4, "MOUNT_Y": -0.3, "MIN_RANGE": 0.0},  # points behind the robot's centre
        {"ANGLE_STD": 0.02},  # no small angles
        {"Q_STD": 30.0, "Q_DECAY": 40.0},
    ],
)
def test_beams_together_equal_beams_alone(numbers, beams):
    rng, setup = np.random.default_rng(beams), lidar(**numbers)
    angles = rng.uniform(-np.pi, np.pi, beams)
    for number in range(20):
        truth_m = rng.choice((0.01, 0.3, 1.0, 9.0), beams) * rng.uniform(0.0, 1.0, beams)
        truth_m[rng.random(beams) < 0.2] = np.inf
        noise = np.column_stack((rng.standard_normal((beams, 2)), rng.random((beams, 2))))
        parts = setup, angles, np.cos(angles), np.sin(angles), truth_m, noise
        alone, together = np.zeros((4, beams)), np.zeros((4, beams))
        one_by_one(*parts, noise_key(1, "lidar"), number, alone)
        s.measure_all(*parts, noise_key(1, "lidar"), number, together)
        seen = alone[3] > 0
        assert np.array_equal(seen, together[3] > 0)
        assert alone[:2, seen].tobytes() == together[:2, seen].tobytes()
        assert np.array_equal(alone[2, seen], np.trunc(together[2, seen]))
        assert beams < 36 or 0 < seen.sum() < beams
