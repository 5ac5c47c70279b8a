"""The axes of a sweep: keys with the values or the distribution that they take.

Every axis maps a number u in [0, 1) to a value, so that grids, random samples, Sobol sequences and
searches use the same axes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Protocol

DIGITS = 9  # of a sampled number, so that a setting is short to read and to type


class Axis(Protocol):
    """A parameter of a sweep."""

    @property
    def key(self) -> str: ...

    @property
    def text(self) -> str:
        """The values, for people."""

    def at(self, u: float) -> Any:
        """Return the value at u in [0, 1)."""

    def values(self) -> Sequence[Any] | None:
        """Return all values in order, or None if they are a continuum."""


@dataclass(frozen=True)
class Values:
    """A list of values, each as likely as the others."""

    key: str
    listed: tuple[Any, ...]

    @property
    def text(self) -> str:
        shown = ", ".join(map(str, self.listed[:5]))
        return shown + (f" … ({len(self.listed)} values)" if len(self.listed) > 5 else "")

    def at(self, u: float) -> Any:
        return self.listed[min(int(u * len(self.listed)), len(self.listed) - 1)]

    def values(self) -> Sequence[Any]:
        return self.listed


@dataclass(frozen=True)
class Choice:
    """A list of values with weights. In a grid each value stands once."""

    key: str
    listed: tuple[Any, ...]
    weights: tuple[float, ...]

    @property
    def text(self) -> str:
        total = sum(self.weights)
        pairs = zip(self.listed, self.weights, strict=True)
        return ", ".join(f"{value} ({weight / total:.0%})" for value, weight in pairs)

    def at(self, u: float) -> Any:
        rest = u * sum(self.weights)
        for value, weight in zip(self.listed, self.weights, strict=True):
            rest -= weight
            if rest < 0:
                return value
        return self.listed[-1]

    def values(self) -> Sequence[Any]:
        return self.listed


@dataclass(frozen=True)
class Uniform:
    """A number between two limits, each as likely as the others."""

    key: str
    low: float
    high: float

    @property
    def text(self) -> str:
        return f"{self.low:g} to {self.high:g}"

    def at(self, u: float) -> float:
        return rounded(self.low + (self.high - self.low) * u)

    def values(self) -> None:
        return None


@dataclass(frozen=True)
class Normal:
    """A number of a normal distribution."""

    key: str
    mean: float
    deviation: float

    @property
    def text(self) -> str:
        return f"normal, mean {self.mean:g}, standard deviation {self.deviation:g}"

    def at(self, u: float) -> float:
        inside = min(max(u, 2.0**-54), 1.0 - 2.0**-53)
        return rounded(NormalDist(self.mean, self.deviation).inv_cdf(inside))

    def values(self) -> None:
        return None


def linear(key: str, low: float, high: float, count: int) -> Values:
    """Return `count` numbers from low to high, evenly apart."""
    step = (high - low) / (count - 1) if count > 1 else 0.0
    numbers = [rounded(low + step * index) for index in range(count)]
    if count > 1:
        numbers[-1] = rounded(high)
    whole = float(low).is_integer() and float(high).is_integer() and float(step).is_integer()
    return Values(key, tuple(int(number) for number in numbers) if whole else tuple(numbers))


def rounded(value: float) -> float:
    """Return a number with DIGITS significant digits."""
    return float(f"{value:.{DIGITS}g}")
