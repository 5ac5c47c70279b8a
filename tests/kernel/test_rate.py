from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.timing.rate import NS_PER_S, Rate, to_ns


def test_110_hz_does_not_drift():
    rate = Rate(110)
    assert rate.due_ns(1) == 9_090_909
    assert rate.due_ns(110) == NS_PER_S
    assert rate.due_ns(110 * 86_400 * 365) == 86_400 * 365 * NS_PER_S


@pytest.mark.parametrize(
    ("hz", "num", "den"), [(0.1, 1, 10), (12.5, 25, 2), (33.3, 333, 10), (1e-3, 1, 1000)]
)
def test_decimal_rates_are_exact(hz, num, den):
    assert (Rate(hz).num, Rate(hz).den) == (num, den)


@given(st.fractions(Fraction(1, 1000), 100_000), st.integers(0, 10**9))
def test_due_times_are_the_floor_of_the_exact_time(exact, n):
    error = n * NS_PER_S / exact - Rate(exact).due_ns(n)
    assert 0 <= error < 1


@given(st.decimals(min_value="0.0001", max_value=1000, places=4))
def test_the_rate_of_a_period_has_that_period(seconds):
    assert Rate.of_period(float(seconds)).due_ns(1) == to_ns(float(seconds))


def test_a_rate_of_zero_is_a_rate_and_a_negative_one_is_not():
    assert Rate(0).hz == 0
    with pytest.raises(ValueError, match="cannot be negative: -1 Hz"):
        Rate(-1)


def test_a_rate_has_at_most_a_tick_a_nanosecond():
    assert Rate(1e9).due_ns(3) == 3
    with pytest.raises(ValueError, match="above 1 GHz"):
        Rate(1e9 + 1)


@pytest.mark.parametrize("hz", [float("nan"), float("inf")])
def test_a_rate_is_finite(hz):
    with pytest.raises(ValueError, match=str(hz)):
        Rate(hz)


@pytest.mark.parametrize(
    ("seconds", "ns"),
    [
        (0.1, 100_000_000),
        (0.3, 300_000_000),
        (1e-9, 1),
        (4e-10, 0),
        (6e-10, 1),
        (1e9 + 0.1, 10**18 + 10**8),
        (-2, -2 * NS_PER_S),
        (123456789.1234567, 123456789_123_456_700),
        (740865.5322280854, 740865_532_228_085),  # as floats, these two round the other way
        (783915.2710662466, 783915_271_066_247),
    ],
)
def test_seconds_become_the_nearest_nanosecond(seconds, ns):
    assert to_ns(seconds) == ns


@given(st.integers(0, 10**15))
def test_whole_nanoseconds_survive_the_way_through_seconds(ns):
    assert to_ns(ns / 1e9) == ns
