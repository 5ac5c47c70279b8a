"""Drifts and noise against closed forms and an independent Allan deviation.

Tolerances are five standard deviations of the estimate, from the effective number of samples:
correlated samples count less.
"""

import math

import allantools
import numpy as np
import pytest
from numba import njit

from rigless.sensors.drift import pull, wander
from rigless.sensors.noise import block, noise_key, normal

SIGMAS = 5.0
COUNT = 200_000


@njit
def walk(key, count, keep, kick, white):
    values, x = np.empty(count), 0.0
    for n in range(count):
        words = block(key, n + 1, 0)
        x = wander(x, keep, kick, normal(words[0]))
        values[n] = x + white * normal(words[1])
    return values


def drift(std, dt_s, tau_s, name, white=0.0, count=COUNT):
    keep, kick = pull(dt_s, tau_s)
    return walk(noise_key(7, name), count, keep, kick * std, white)


@pytest.mark.parametrize(("dt_s", "tau_s"), [(0.01, 0.3), (0.1, 0.5), (1.0, 0.5), (0.1, 60.0)])
def test_steady_deviation_and_time_constant_are_as_configured(dt_s, tau_s):
    std, rho = 0.7, math.exp(-dt_s / tau_s)
    values = drift(std, dt_s, tau_s, f"{dt_s}{tau_s}")[int(10 * tau_s / dt_s) :]
    worth = len(values) * (1 - rho**2) / (1 + rho**2)  # squares forget twice as fast
    assert values.var() == pytest.approx(std**2, rel=SIGMAS * math.sqrt(2 / worth))
    assert abs(values.mean()) < SIGMAS * std * math.sqrt((1 + rho) / (1 - rho) / len(values))
    lag = max(1, round(tau_s / dt_s))
    found = np.mean(values[lag:] * values[:-lag]) / values.var()
    assert found == pytest.approx(math.exp(-lag * dt_s / tau_s), abs=2 * SIGMAS / math.sqrt(worth))


def test_from_zero_the_variance_grows_as_it_should():
    """Over many drifts the variance is σ²(1 − e^(−2t/τ)) at every t."""
    std, dt_s, tau_s, many = 2.0, 0.1, 3.0, 2000
    keep, kick = pull(dt_s, tau_s)
    paths = np.array(
        [walk(noise_key(seed, "x"), 60, keep, kick * std, 0.0) for seed in range(many)]
    )
    for step in (0, 9, 29, 59):
        wanted = std**2 * -math.expm1(-2 * (step + 1) * dt_s / tau_s)
        assert paths[:, step].var() == pytest.approx(wanted, rel=SIGMAS * math.sqrt(2 / many))


def test_a_long_step_is_many_short_ones():
    """Ten steps have the same effect as one step of ten times the length."""
    keep, kick = pull(0.1, 4.0)
    once_keep, once_kick = pull(1.0, 4.0)
    assert keep**10 == pytest.approx(once_keep)
    assert kick**2 * sum(keep ** (2 * n) for n in range(10)) == pytest.approx(once_kick**2)


def allan(std, rho, white, m):
    """Return the Allan variance of averages over m samples, from the autocovariance."""
    i = np.arange(m)
    near = np.abs(i[:, None] - i[None, :])
    far = np.abs(i[:, None] - (i[None, :] + m))
    return std**2 * (rho**near - rho**far).mean() + white**2 / m


@pytest.mark.parametrize(("std", "white"), [(0.0, 0.4), (0.5, 0.0), (0.5, 1.0)])
def test_the_allan_deviation_is_that_of_the_model(std, white):
    dt_s, tau_s = 0.1, 2.0
    values = drift(std, dt_s, tau_s, f"allan{std}{white}", white)
    averages = [1, 4, 16, 64, 256]
    _, found, _, pairs = allantools.adev(
        values, rate=1 / dt_s, data_type="freq", taus=[m * dt_s for m in averages]
    )
    for m, deviation, count in zip(averages, found, pairs, strict=True):
        wanted = math.sqrt(allan(std, math.exp(-dt_s / tau_s), white, m))
        assert deviation == pytest.approx(wanted, rel=0.5 * SIGMAS * math.sqrt(3 / count)), m


def test_draws_with_other_keys_and_words_are_uncorrelated():
    first, second = drift(1.0, 0.1, 0.05, "a"), drift(1.0, 0.1, 0.05, "b")
    assert abs(np.corrcoef(first, second)[0, 1]) < SIGMAS / math.sqrt(COUNT)
