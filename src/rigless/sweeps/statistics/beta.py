"""The beta distribution in logarithms, which exact intervals and sequential tests are made of."""

import math

STEPS = 10_000  # of the continued fraction; it needs about the root of a + b
PRECISION = 1e-15
TINY = 1e-300


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def log_below(x: float, a: float, b: float) -> float:
    """Return the logarithm of the probability of at most x."""
    if x <= 0:
        return -math.inf
    if x >= 1:
        return 0.0
    if x < (a + 1) / (a + b + 2):
        return _log_tail(x, a, b)
    return _log_complement(_log_tail(1 - x, b, a))


def log_above(x: float, a: float, b: float) -> float:
    """Return the logarithm of the probability of more than x."""
    return log_below(1 - x, b, a)


def quantile(share: float, a: float, b: float) -> float:
    """Return the value below which this share of the distribution is."""
    low, high, wanted = 0.0, 1.0, math.log(share)
    while high - low > 1e-14:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if log_below(middle, a, b) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _log_complement(log_share: float) -> float:
    """Return log(1 − share)."""
    if log_share >= 0:
        return -math.inf
    return math.log(-math.expm1(log_share))


def _log_tail(x: float, a: float, b: float) -> float:
    """Return the probability below x by the continued fraction, which converges for small x.

    Numerical Recipes, 3rd edition, 6.4: Lentz's method.
    """
    front = a * math.log(x) + b * math.log1p(-x) - log_beta(a, b) - math.log(a)
    c, d = 1.0, 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 / _away_from_0(1 + step * d)
            c = _away_from_0(1 + step / c)
            fraction *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return min(front + math.log(fraction), 0.0)


def _away_from_0(value: float) -> float:
    return value if abs(value) > TINY else TINY
