"""Statistics of runs that pass or fail: intervals, run counts, tests of pairs, sequential tests.

`total` is the number of runs with a verdict, `passed` is the number of those that passed.
"""

import math
from statistics import NormalDist

from rigless.sweeps.statistics import beta

CONFIDENCE = 0.95
MOST_RUNS = 10_000_000  # a number of further runs above this is no useful answer
Interval = tuple[float, float]


def normal_quantile(confidence: float) -> float:
    """Return z: a normal value is within ±z with this probability."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(passed: int, total: int, confidence: float = CONFIDENCE) -> Interval:
    """Return Wilson's score interval of a pass rate. Without runs it is [0, 1]."""
    if total == 0:
        return 0.0, 1.0
    z, rate = normal_quantile(confidence), passed / total
    scale = 1 + z * z / total
    centre = (rate + z * z / (2 * total)) / scale
    half = z * math.sqrt(rate * (1 - rate) / total + (z / (2 * total)) ** 2) / scale
    low = 0.0 if passed == 0 else max(centre - half, 0.0)
    high = 1.0 if passed == total else min(centre + half, 1.0)
    return low, high


def clopper_pearson(passed: int, total: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact interval of a pass rate. Its coverage is guaranteed; it is wider."""
    tail, failed = (1 - confidence) / 2, total - passed
    low = beta.quantile(tail, passed, failed + 1) if passed else 0.0
    high = beta.quantile(1 - tail, passed + 1, failed) if failed else 1.0
    return low, high


def further_runs(
    passed: int, total: int, want: float, confidence: float = CONFIDENCE
) -> int | None:
    """Return about how many more runs decide if the pass rate stays as it is.

    Wilson's interval excludes `want` if (rate − want)² > z²·want·(1 − want)/n. Return None if no
    useful number of runs decides.
    """
    rate = passed / total if total else 1.0
    distance = rate - want
    if distance == 0:
        return None
    needed = normal_quantile(confidence) ** 2 * want * (1 - want) / distance**2
    more = max(math.ceil(needed) - total, 1)
    return more if more <= MOST_RUNS else None


def sign_test(more: int, fewer: int) -> float:
    """Return the two-sided p-value of this many differences up and down, if both are as likely."""
    total, least = more + fewer, min(more, fewer)
    if total == 0 or more == fewer:
        return 1.0
    # P(X ≤ k) of a binomial with probability 1/2 is a probability of the beta distribution.
    return min(2 * math.exp(beta.log_below(0.5, total - least, least + 1)), 1.0)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test.

    The counts are the pairs of which only the first, or only the second, passed.
    """
    return sign_test(only_first, only_second)


def holm(p_values: list[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method, in the given order."""
    corrected, largest = [1.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in enumerate(order):
        largest = max(largest, min(p_values[index] * (len(p_values) - rank), 1.0))
        corrected[index] = largest
    return corrected


def log_evidence_above(passed: int, total: int, rate: float) -> float:
    """Return the logarithm of the evidence that the true pass rate is above `rate`.

    It is the mean likelihood ratio of all rates above, weighted by Jeffreys' prior. If the true
    rate is not above, the evidence ever exceeds x with probability at most 1/x (Ville), after any
    number of looks. Robbins 1970, "Statistical methods related to the law of the iterated
    logarithm", section 4.
    """
    if rate >= 1:
        return -math.inf
    failed = total - passed
    if rate <= 0:
        return math.inf if passed else 0.0
    a, b = passed + 0.5, failed + 0.5
    mixture = beta.log_beta(a, b) + beta.log_above(rate, a, b)
    prior = beta.log_beta(0.5, 0.5) + beta.log_above(rate, 0.5, 0.5)
    return mixture - prior - passed * math.log(rate) - failed * math.log1p(-rate)


def log_evidence_below(passed: int, total: int, rate: float) -> float:
    """Return the logarithm of the evidence that the true pass rate is below `rate`."""
    return log_evidence_above(total - passed, total, 1 - rate)


def sequence_interval(passed: int, total: int, alpha: float, beta_: float) -> Interval:
    """Return an interval that stays valid if it is looked at after every run.

    The true rate is ever below it with probability at most `alpha`, and ever above it with
    probability at most `beta_`.
    """
    return (
        _lower(passed, total, math.log(1 / alpha)),
        1 - _lower(total - passed, total, math.log(1 / beta_)),
    )


def _lower(passed: int, total: int, wanted: float) -> float:
    """Return the largest rate that the evidence excludes from below."""
    low, high = 0.0, passed / total if total else 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle > 0 and log_evidence_above(passed, total, middle) >= wanted:
            low = middle
        else:
            high = middle
    return low


class Sprt:
    """Wald's sequential test of a good pass rate against a bad one.

    It accepts a rate of `bad` or less with probability at most about `alpha`, and rejects a rate
    of `good` or more with probability at most about `beta_`.
    """

    def __init__(self, bad: float, good: float, alpha: float, beta_: float):
        self.log_ratio = 0.0
        self._pass = math.log(good / bad)
        self._fail = math.log((1 - good) / (1 - bad)) if good < 1 else -math.inf
        self._accept = math.log((1 - beta_) / alpha)
        self._reject = math.log(beta_ / (1 - alpha))

    def add(self, passed: bool) -> bool | None:
        """Add a run. Return True to accept, False to reject, None to go on."""
        self.log_ratio += self._pass if passed else self._fail
        return self.result

    @property
    def result(self) -> bool | None:
        if self.log_ratio >= self._accept:
            return True
        return False if self.log_ratio <= self._reject else None
