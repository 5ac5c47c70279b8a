"""Statistics, compared with scipy and with closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rigless.sweeps.statistics import (
    Sprt,
    beta,
    clopper_pearson,
    further_runs,
    holm,
    log_evidence_above,
    log_evidence_below,
    mcnemar,
    sequence_interval,
    sign_test,
    wilson,
)

COUNTS = [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20), (198, 200), (4999, 5000), (31_000, 100_000)]


@pytest.mark.parametrize(("passed", "total"), COUNTS)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_intervals_are_those_of_scipy(passed, total, confidence):
    result = stats.binomtest(passed, total)
    for own, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        expected = result.proportion_ci(confidence, method)
        assert own(passed, total, confidence) == pytest.approx(tuple(expected), abs=1e-9)


@given(st.floats(0, 1), st.floats(0.5, 5000), st.floats(0.5, 5000))
def test_the_beta_distribution_is_that_of_scipy(x, a, b):
    expected = stats.beta.logcdf(x, a, b)
    if expected > -600:  # below, scipy's is 0
        assert beta.log_below(x, a, b) == pytest.approx(expected, abs=1e-7, rel=1e-7)


def test_without_failures_the_upper_bound_is_three_over_n():
    assert 1 - clopper_pearson(300, 300, 0.9)[0] == pytest.approx(3 / 300, rel=0.01)


@pytest.mark.parametrize("want", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(("passed", "total"), [(10, 10), (5, 10), (96, 100), (80, 100)])
def test_the_number_of_further_runs_is_the_first_that_decides(passed, total, want):
    more = further_runs(passed, total, want)

    def decided(runs):
        rate, z = passed / total, stats.norm.ppf(0.975)  # the score test, which Wilson inverts
        return abs(rate - want) >= z * math.sqrt(want * (1 - want) / runs)

    assert decided(total + more)
    assert more == 1 or not decided(total + more - 1)


def test_no_number_of_runs_decides_at_the_wanted_rate():
    assert further_runs(99, 100, 0.99) is None
    assert further_runs(9_900_001, 10_000_000, 0.99) is None  # more runs than anybody makes


@pytest.mark.parametrize(
    ("more", "fewer"), [(0, 0), (1, 0), (3, 3), (9, 1), (40, 60), (5_100, 4_900), (0, 2_000)]
)
def test_the_sign_test_is_the_binomial_test(more, fewer):
    expected = stats.binomtest(more, more + fewer).pvalue if more + fewer else 1.0
    assert sign_test(more, fewer) == pytest.approx(expected, rel=1e-8, abs=1e-300)
    assert mcnemar(fewer, more) == sign_test(more, fewer)


def test_holm_corrects_for_the_number_of_tests():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_walds_test_decides_where_its_closed_form_says():
    test = Sprt(0.95, 0.99, 0.05, 0.05)
    runs = next(n for n in range(1, 200) if test.add(True))
    assert runs == math.ceil(math.log(19) / math.log(0.99 / 0.95)) == 72
    test = Sprt(0.95, 0.99, 0.05, 0.05)
    assert (test.add(False), test.add(False)) == (None, False)


@pytest.mark.parametrize(("bad", "good", "alpha"), [(0.8, 0.9, 0.05), (0.9, 0.95, 0.1)])
def test_walds_test_errs_as_rarely_as_set(bad, good, alpha):
    random = np.random.default_rng(4)
    accepted = 0
    for _ in range(1500):
        test, result = Sprt(bad, good, alpha, 0.1), None
        while result is None:
            result = test.add(bool(random.random() < bad))
        accepted += result
    # Wald's bound is alpha/(1 − beta); 4 standard deviations of 1500 trials are added.
    bound = alpha / 0.9
    assert alpha / 4 < accepted / 1500 < bound + 4 * math.sqrt(bound / 1500)


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.99])
@pytest.mark.parametrize(("passed", "total"), [(5, 5), (40, 50), (300, 300), (970, 1000), (0, 7)])
def test_evidence_is_the_mean_likelihood_ratio(rate, passed, total):
    """Numerical integration of the definition, with p = sin² t to remove the poles of the prior."""
    failed = total - passed

    def mean(begin, end):
        t = np.linspace(begin, end, 200_001)
        p = np.clip(np.sin(t) ** 2, 1e-300, 1)
        q = np.clip(np.cos(t) ** 2, 1e-300, 1)
        logs = passed * np.log(p / rate) + failed * np.log(q / (1 - rate))
        top = logs.max()
        return top + math.log(np.trapezoid(np.exp(logs - top), t) / (end - begin))

    split = math.asin(math.sqrt(rate))
    above, below = mean(split, math.pi / 2), mean(0, split)
    assert log_evidence_above(passed, total, rate) == pytest.approx(above, rel=1e-4, abs=1e-3)
    assert log_evidence_below(passed, total, rate) == pytest.approx(below, rel=1e-4, abs=1e-3)


@given(st.integers(0, 400), st.integers(0, 400))
def test_an_interval_for_all_times_has_the_seen_rate_inside(passed, failed):
    total = passed + failed
    low, high = sequence_interval(passed, total, 0.05, 0.05)
    assert 0 <= low <= high <= 1
    if total:
        assert low <= passed / total <= high
        once = wilson(passed, total)
        assert high - low >= once[1] - once[0] - 0.02  # sound at all times costs width
    for bound, evidence in ((low, log_evidence_above), (1 - high, None)):
        if 0 < bound < 1 and evidence:
            assert evidence(passed, total, bound) >= math.log(20) - 1e-6
