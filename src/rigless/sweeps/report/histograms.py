"""Distributions of margins and metrics, split by verdict."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rigless.sweeps.report.axes import FAILED, PASSED, Outcomes
from rigless.sweeps.row import Row

BINS = 30
MOST = 60  # distributions
FAR = 25.0  # values further than this many spreads from the middle half are put in the last bin


@dataclass
class Histogram:
    """Counts of a value in bins of equal width from low to high, by verdict.

    The outer bins also hold the values outside of the limits: `below` and `above` of them.
    """

    kind: Literal["margin", "metric"]
    name: str
    low: float
    high: float
    passed: list[int]
    failed: list[int]
    passed_median: float | None
    failed_median: float | None
    smallest: float
    largest: float
    below: int = 0
    above: int = 0


def histograms(rows: list[Row], outcomes: Outcomes) -> list[Histogram]:
    """Return the distributions of all margins, then of all metrics, of runs with a verdict."""
    found = [*_histograms("margin", rows, outcomes, lambda row: row.margins)]
    return [*found, *_histograms("metric", rows, outcomes, lambda row: row.metrics)]


def _histograms(
    kind: Literal["margin", "metric"],
    rows: list[Row],
    outcomes: Outcomes,
    values: Callable[[Row], dict[str, float] | dict[str, float | None]],
) -> Iterator[Histogram]:
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(values(row)))
    for name in names:
        column = [values(row).get(name) for row in rows]
        numbers = np.array([np.nan if one is None else float(one) for one in column])
        good = np.isfinite(numbers)
        passed, failed = numbers[good & (outcomes == PASSED)], numbers[good & (outcomes == FAILED)]
        if len(passed) or len(failed):
            yield _histogram(kind, name, passed, failed)


def _histogram(
    kind: Literal["margin", "metric"],
    name: str,
    passed: NDArray[np.float64],
    failed: NDArray[np.float64],
) -> Histogram:
    both = np.concatenate([passed, failed])
    smallest, largest = float(both.min()), float(both.max())
    first, third = np.percentile(both, [25, 75])
    spread = float(third - first)
    low, high = smallest, largest
    if spread > 0:
        low, high = (
            max(low, float(first) - FAR * spread),
            min(high, float(third) + FAR * spread),
        )
    if high <= low:
        low, high = low - 0.5, low + 0.5
    if kind == "margin" and low < 0 < high:  # an edge at 0 separates passed and failed
        width = (high - low) / (BINS - 1)
        low = -math.ceil(-low / width) * width
        high = low + BINS * width
    counts = [
        np.histogram(np.clip(part, low, high), BINS, (low, high))[0].tolist()
        for part in (passed, failed)
    ]
    return Histogram(
        kind,
        name,
        low,
        high,
        counts[0],
        counts[1],
        float(np.median(passed)) if len(passed) else None,
        float(np.median(failed)) if len(failed) else None,
        smallest,
        largest,
        int((both < low).sum()),
        int((both > high).sum()),
    )
