"""Sobol points, compared with scipy's and with the properties of a digital net."""

import numpy as np
import pytest
from scipy.stats import qmc

from rigless.sweeps.sobol import MOST_DIMENSIONS, sobol


def test_points_are_those_of_scipy():
    expected = qmc.Sobol(MOST_DIMENSIONS, scramble=False).random_base2(10)
    assert np.array_equal(sobol(MOST_DIMENSIONS, 1024), expected)


@pytest.mark.parametrize("seed", [0, 1, 2**62])
def test_a_shifted_sequence_is_still_even(seed):
    points = sobol(7, 256, seed)
    assert points.min() >= 0
    assert points.max() < 1
    for column in points.T:  # one point in each of 256 intervals
        assert len(set((column * 256).astype(int))) == 256
    plain = qmc.discrepancy(np.random.default_rng(1).random((256, 7)))
    assert qmc.discrepancy(points) < plain / 2


def test_a_seed_gives_one_sequence_of_any_length():
    assert np.array_equal(sobol(5, 100, 3)[:30], sobol(5, 30, 3))
    assert np.array_equal(sobol(5, 20, 3)[:, :2], sobol(2, 20, 3))
    assert not np.array_equal(sobol(5, 30, 3), sobol(5, 30, 4))


def test_more_dimensions_than_the_table_are_random():
    points = sobol(MOST_DIMENSIONS + 3, 500, 1)
    assert points.shape == (500, MOST_DIMENSIONS + 3)
    assert np.array_equal(points[:, :MOST_DIMENSIONS], sobol(MOST_DIMENSIONS, 500, 1))
    assert 0.4 < points[:, -1].mean() < 0.6
    assert len(set(points[:, -1])) == 500
