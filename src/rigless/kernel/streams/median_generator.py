"""A random generator whose every draw is the median of its distribution, for noise that is off."""

from collections.abc import Callable
from typing import Any

import numpy as np

SAMPLES = 999  # of a distribution without a formula here; odd, so that the median is one of them
BY_SAMPLES = (
    *("beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "geometric", "hypergeometric"),
    *("logseries", "multinomial", "multivariate_hypergeometric", "multivariate_normal"),
    *("negative_binomial", "noncentral_chisquare", "noncentral_f", "pareto", "poisson", "power"),
    *("rayleigh", "standard_gamma", "triangular", "vonmises", "wald", "weibull", "zipf"),
)


class MedianGenerator(np.random.Generator):
    """A generator without randomness: normal numbers are 0, uniform ones 0.5.

    A choice is the middle element, and a shuffle changes nothing. Distributions without a simple
    median give that of a fixed sample.
    """

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return _filled(0.5, size, out, dtype)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        return _filled(0.0, size, out, dtype)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        return _filled(np.log(2.0), size, out, dtype)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        return _filled(0.0 * np.asarray(df, float), size)

    def standard_cauchy(self, size: Any = None) -> Any:
        return _filled(0.0, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return _filled((np.asarray(low, float) + high) / 2, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return _filled(np.asarray(loc, float) + 0.0 * np.asarray(scale, float), size)

    laplace = logistic = normal

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return _filled(np.asarray(loc, float) - np.log(np.log(2.0)) * np.asarray(scale), size)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        return _filled(np.exp(np.asarray(mean, float) + 0.0 * np.asarray(sigma, float)), size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return _filled(np.log(2.0) * np.asarray(scale, float), size)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        low, high = (0, low) if high is None else (low, high)
        last = np.asarray(high) - (0 if endpoint else 1)
        if np.any(last < low):
            raise ValueError("low >= high")
        return _filled(np.asarray(low) + (last - low) // 2, size, dtype=dtype)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        items = np.arange(a) if isinstance(a, int | np.integer) else np.asarray(a)
        count = items.shape[axis]
        if not replace and size is not None:
            shape = (size,) if isinstance(size, int | np.integer) else tuple(size)
            return items.take(np.arange(int(np.prod(shape))).reshape(shape), axis)
        middle = (count - 1) // 2 if p is None else int(np.searchsorted(np.cumsum(p), 0.5))
        return items.take(_filled(middle, size, dtype=np.int64), axis)

    def bytes(self, length: int) -> bytes:
        return b"\x80" * length

    def shuffle(self, x: Any, axis: int = 0) -> None:
        return

    def permutation(self, x: Any, axis: int = 0) -> Any:
        return np.arange(x) if isinstance(x, int | np.integer) else np.array(x)

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        if out is None:
            return np.array(x)
        out[...] = x
        return out


def _filled(value: Any, size: Any, out: Any = None, dtype: Any = np.float64) -> Any:
    """Return a number, or an array of this size filled with it."""
    if out is not None:
        out[...] = value
        return out
    if size is not None:
        return np.array(np.broadcast_to(value, size), dtype)
    found = np.asarray(value, dtype)
    return found if found.ndim else found.item() if dtype != np.int64 else found[()]


def _by_samples(name: str) -> Callable[..., Any]:
    def draw(self: MedianGenerator, *args: Any, **options: Any) -> Any:
        method = getattr(np.random.Generator(np.random.Philox(key=0)), name)
        samples = np.array([method(*args, **options) for _ in range(SAMPLES)])
        found = np.median(samples, axis=0).astype(samples.dtype)
        return found if found.ndim else found.item()

    draw.__name__ = name
    return draw


for _name in BY_SAMPLES:
    setattr(MedianGenerator, _name, _by_samples(_name))
