"""Draws of noise that is off, compared with the medians of scipy."""

import numpy as np
import pytest
from scipy import stats

from rigless.kernel.streams.median_generator import BY_SAMPLES, MedianGenerator


@pytest.fixture
def off():
    return MedianGenerator(np.random.Philox(key=1))


def test_draws_are_medians(off):
    assert (off.random(), off.standard_normal(), off.normal(3.0, 0.1)) == (0.5, 0.0, 3.0)
    assert off.uniform(2.0, 4.0) == 3.0
    assert off.exponential(2.0) == pytest.approx(stats.expon(scale=2.0).median())
    assert off.gumbel(1.0, 2.0) == pytest.approx(stats.gumbel_r(1.0, 2.0).median())
    assert off.lognormal(0.5, 2.0) == pytest.approx(stats.lognorm(2.0, scale=np.exp(0.5)).median())
    assert off.laplace(4.0) == off.logistic(4.0) == 4.0
    assert off.gamma(2.0, 3.0) == pytest.approx(stats.gamma(2.0, scale=3.0).median(), rel=0.1)
    assert off.poisson(7.0) == stats.poisson(7.0).median()
    assert [off.integers(5), off.integers(2, 4), off.integers(0, 10, endpoint=True)] == [2, 2, 5]


def test_shapes_are_those_of_a_real_generator(off):
    real, means = np.random.default_rng(1), np.arange(3.0)
    for draw in (
        lambda rng: rng.random((2, 3)),
        lambda rng: rng.standard_normal(4),
        lambda rng: rng.normal(means, 1.0),
        lambda rng: rng.normal(means, 1.0, (2, 3)),
        lambda rng: rng.normal(0.0, means),
        lambda rng: rng.integers(0, 9, size=5),
        lambda rng: rng.integers(0, [3, 9]),
        lambda rng: rng.choice(["a", "b"], 4),
        lambda rng: rng.choice(8, (2, 2), replace=False),
        lambda rng: rng.poisson(means, (2, 3)),
        lambda rng: rng.multivariate_normal([0, 0], np.eye(2)),
        lambda rng: rng.bytes(6),
        lambda rng: rng.permutation(5),
        lambda rng: rng.permuted(means),
    ):
        found, expected = np.asarray(draw(off)), np.asarray(draw(real))
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)


def test_choices_are_the_middle_and_shuffles_change_nothing(off):
    items = ["a", "b", "c"]
    off.shuffle(items)
    assert items == ["a", "b", "c"]
    assert off.choice(items) == "b"
    assert off.choice(items, p=[0.1, 0.1, 0.8]) == "c"
    assert off.permutation(3).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="low >= high"):
        off.integers(3, 3)


def test_no_distribution_of_numpy_is_left_random(off):
    """Any public method that MedianGenerator does not define would draw from its bits."""
    own = {*vars(MedianGenerator), *BY_SAMPLES}
    inherited = {name for name in dir(np.random.Generator) if not name.startswith("_")} - own
    assert inherited == {"bit_generator", "spawn"}
