"""The parameters of a sweep as axes with bins, and the axes on which the pass rate depends.

A setting that is a list or a table of numbers, such as a pose, becomes one axis for each number.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.sweeps.row import Row

BINS = 12  # of a number with more values
LEVELS = 16  # values of an axis that are shown on their own
OTHER = "other"
SEED = "seed"
Outcomes = NDArray[np.int8]  # of each row: 0 passed, 1 failed, 2 no verdict
PASSED, FAILED, UNJUDGED = 0, 1, 2


@dataclass
class AxisSummary:
    """A parameter: its bins, and the number of runs in each of them.

    `low` and `high` are the limits of an axis of numbers whose bins have equal widths; both are
    None if each bin is a value. `influence` is the variance of the pass rate over the bins, without
    the part that chance explains.
    """

    key: str
    labels: list[str]
    low: float | None = None
    high: float | None = None
    passed: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    unjudged: list[int] = field(default_factory=list)
    influence: float = 0.0
    distinct: int = 0


@dataclass
class BinnedAxis:
    """An axis with the bin and the place, from 0 to 1, of each row; the bin is -1 without value."""

    summary: AxisSummary
    bins: NDArray[np.int64]
    places: NDArray[np.float64]

    @property
    def size(self) -> int:
        return len(self.summary.labels)


def outcomes_of(rows: list[Row]) -> Outcomes:
    """Return the outcome of each row."""
    codes = {"pass": PASSED, "fail": FAILED}
    return np.array([codes.get(row.verdict, UNJUDGED) for row in rows], np.int8)


def binned_axes(rows: list[Row], outcomes: Outcomes) -> list[BinnedAxis]:
    """Return the axes that vary, the seed last if it is crossed with the others."""
    columns: dict[str, list[Any]] = {}
    for index, row in enumerate(rows):
        for name, value in _parts(row.settings):
            if name not in columns:
                columns[name] = [None] * len(rows)
            columns[name][index] = value
    found = [_binned(name, values) for name, values in columns.items()]
    axes = [axis for axis in found if axis.summary.distinct > 1]
    seeds = [row.seed for row in rows]
    count = len(set(seeds))
    if count > 1 and (count < len(rows) or not axes):
        axes.append(_binned(SEED, seeds))
    for axis in axes:
        _count(axis, outcomes)
    return axes


def influence(bins: NDArray[np.int64], size: int, outcomes: Outcomes) -> float:
    """Return the variance of the pass rate over bins, less the variance that chance gives.

    With N runs in B bins and an overall rate p, chance gives p·(1 − p)·(B − 1)/N.
    """
    judged = (outcomes != UNJUDGED) & (bins >= 0)
    runs = int(judged.sum())
    if runs == 0:
        return 0.0
    total = np.bincount(bins[judged], minlength=size)
    passed = np.bincount(bins[judged & (outcomes == PASSED)], minlength=size)
    used = total > 0
    rate = passed.sum() / runs
    variance = float((total[used] * (passed[used] / total[used] - rate) ** 2).sum() / runs)
    chance = rate * (1 - rate) * (int(used.sum()) - 1) / runs
    return max(variance - float(chance), 0.0)


def _parts(settings: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, dict) and value:
            yield from ((f"{key}.{name}", inner) for name, inner in value.items())
        elif isinstance(value, list) and value and all(_is_number(one) for one in value):
            yield from ((f"{key}.{n}", inner) for n, inner in enumerate(value))
        else:
            yield key, value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _binned(key: str, values: list[Any]) -> BinnedAxis:
    known = [value for value in values if value is not None]
    numeric = all(_is_number(value) for value in known)
    if not numeric:
        known_texts = [None if value is None else _text(value) for value in values]
        return _by_value(key, known_texts, Counter(text for text in known_texts if text), False)
    distinct = Counter(known)
    if len(distinct) <= LEVELS:
        return _by_value(key, values, distinct, True)
    numbers = np.array([np.nan if value is None else float(value) for value in values])
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    places = (numbers - low) / (high - low)
    present = np.isfinite(places)
    scaled = np.where(present, places, 0.0) * BINS
    bins = np.where(present, np.minimum(scaled, BINS - 1).astype(np.int64), -1)
    edges = np.linspace(low, high, BINS + 1)
    labels = [
        f"{_figure(float(a), high - low)} … {_figure(float(b), high - low)}"
        for a, b in pairwise(edges)
    ]
    return BinnedAxis(AxisSummary(key, labels, low, high, distinct=len(distinct)), bins, places)


def _by_value(key: str, values: list[Any], distinct: Counter[Any], numeric: bool) -> BinnedAxis:
    """Return an axis with a bin for each value, the most frequent ones if there are too many."""
    names = sorted(distinct) if numeric else [name for name, _ in distinct.most_common(LEVELS)]
    if not numeric and len(distinct) <= LEVELS:
        names.sort()
    labels = _labels(names)
    place = {name: n for n, name in enumerate(names)}
    rest = len(names)
    if len(distinct) > len(names):
        labels.append(OTHER)
    bins = np.array([-1 if value is None else place.get(value, rest) for value in values], np.int64)
    places = np.where(bins >= 0, (bins + 0.5) / max(len(labels), 1), np.nan)
    return BinnedAxis(AxisSummary(key, labels, distinct=len(distinct)), bins, places)


def _count(axis: BinnedAxis, outcomes: Outcomes) -> None:
    summary = axis.summary
    for code, name in ((PASSED, "passed"), (FAILED, "failed"), (UNJUDGED, "unjudged")):
        chosen = axis.bins[(outcomes == code) & (axis.bins >= 0)]
        setattr(summary, name, np.bincount(chosen, minlength=axis.size).tolist())
    summary.influence = influence(axis.bins, axis.size, outcomes)


def _labels(names: list[Any]) -> list[str]:
    """Return the texts of values: numbers with as few digits as tell them apart, at least four."""
    for digits in (4, 6, 9):
        texts = [f"{name:.{digits}g}" if isinstance(name, float) else _text(name) for name in names]
        if len(set(texts)) == len(texts):
            return texts
    return [_text(name) for name in names]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value)


def _figure(value: float, span: float) -> str:
    """Return an end of a bin with about three digits of the span."""
    digits = 2 - int(np.floor(np.log10(span))) if span > 0 else 2
    rounded = round(value, min(max(digits, 0), 12))
    return f"{rounded:.6g}"
