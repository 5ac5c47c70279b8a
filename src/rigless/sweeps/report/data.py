"""The summary of a sweep as plain data: the verdict, axes, heat maps, lines and failures.

Everything is binned, sampled or capped, so that its size does not grow with the number of rows.
`notes` says what was left out.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem, unknown
from rigless.sweeps.report.axes import (
    FAILED,
    SEED,
    UNJUDGED,
    AxisSummary,
    BinnedAxis,
    Outcomes,
    binned_axes,
    influence,
    outcomes_of,
)
from rigless.sweeps.report.histograms import MOST as MOST_HISTOGRAMS
from rigless.sweeps.report.histograms import Histogram, histograms
from rigless.sweeps.row import Row, fill_metrics
from rigless.sweeps.statistics.decision import Cell, Decision, cells
from rigless.sweeps.statistics.goal import Goal, goal_of
from rigless.sweeps.statistics.margins import scales_of

MOST_AXES = 40
MAPPED_AXES = 12  # axes with heat maps and lines, those with the largest influence
MOST_LINES = 1200
MOST_FAILURES = 200
MOST_CELLS = 60
PLACES = 10_000  # the resolution of a place on an axis
COARSE = 6  # bins of an axis for the coverage of pairs
SEARCHED = "A search chose the points: the pass rate says nothing."
SCORES = 2.0  # scaled margins are shown from minus to plus this


@dataclass
class Heat:
    """Counts of runs over the bins of two axes, row by row: index = y bin · width + x bin.

    `worst` is the smallest scaled margin, None without a run.
    """

    x: int
    y: int
    total: list[int]
    failed: list[int]
    worst: list[float | None]
    influence: float
    coverage: float  # the share of coarse bins with a run


@dataclass
class Line:
    """A run as a line through its places on the axes, from 0 to 10,000; -1 without value."""

    places: list[int]
    failed: bool


@dataclass
class FailedRun:
    """A failing run in the list."""

    index: int
    key: str
    settings: dict[str, Any]
    seed: int
    repeat: int
    expectation: str
    margin: float | None
    score: float
    broke_at_s: float | None
    note: str
    scenario: str
    places: list[int]


@dataclass
class Facts:
    """The circumstances of the runs."""

    scenarios: list[str]
    versions: list[str]
    engines: list[str]
    workers: int
    simulated_s: float
    wall_s: float
    slowest_s: float
    deterministic: int
    seeds: int
    settings: int


@dataclass
class Summary:
    """Everything that a report shows. `mapped` are the indices of axes with heat maps."""

    decision: Decision
    rows: int
    axes: list[AxisSummary]
    mapped: list[int]
    heats: list[Heat]
    chosen: tuple[int, int] | None  # x and y of the first heat map
    lines: list[Line]
    histograms: list[Histogram]
    failures: list[FailedRun]
    expectations: dict[str, int]  # how often each was the first to fail
    cells: list[Cell]
    cell_count: int
    pair_coverage: float | None
    facts: Facts
    notes: list[str] = field(default_factory=list)
    running: bool = False  # there is no verdict yet


def summarize(
    rows: list[Row], goal: Goal | None = None, x: str | None = None, y: str | None = None
) -> Summary:
    """Return the summary of a table. `x` and `y` choose the axes of the first heat map.

    Without a goal, that of the table decides.
    """
    goal = goal or goal_of(rows)
    fill_metrics(rows)
    outcomes = outcomes_of(rows)
    scales = scales_of(rows)
    scores = np.array([_number(scales.score(row)) for row in rows])
    axes = binned_axes(rows, outcomes)
    notes: list[str] = []
    if len(axes) > MOST_AXES:
        notes.append(f"{MOST_AXES} of {len(axes)} parameters are shown, by influence.")
    order = sorted(range(len(axes)), key=lambda n: (axes[n].summary.key == SEED, -_weight(axes[n])))
    for key in (x, y):  # chosen axes are never left out
        if key is not None:
            order.insert(0, order.pop(order.index(_index(axes, key))))
    axes = [axes[n] for n in order[:MOST_AXES]]
    mapped = list(range(min(len(axes), MAPPED_AXES)))
    if len(axes) > MAPPED_AXES:
        notes.append(f"Heat maps and lines have the {MAPPED_AXES} parameters that matter most.")
    heats = [_heat(axes, a, b, outcomes, scores) for a, b in combinations(mapped, 2)]
    places = _places([axes[n] for n in mapped], scores)
    failures, expectations = _failures(rows, scores, places, notes)
    groups = cells(rows)
    worst_cells = sorted(groups, key=lambda cell: (cell.high, cell.low))[:MOST_CELLS]
    drawn = histograms(rows, outcomes)
    if len(drawn) > MOST_HISTOGRAMS:
        notes.append(f"{MOST_HISTOGRAMS} of {len(drawn)} margins and metrics are shown.")
    pairs = [heat.coverage for heat in heats if SEED not in _keys(axes, heat)]
    decision = goal.decide(rows)
    if goal.searched:
        decision.sentence += f" {SEARCHED}"
    return Summary(
        decision,
        len(rows),
        [axis.summary for axis in axes],
        mapped,
        heats,
        _chosen(axes, heats, x, y),
        _lines(outcomes, places, scores, notes),
        drawn[:MOST_HISTOGRAMS],
        failures,
        expectations,
        worst_cells if len(groups) < len(rows) else [],
        len(groups),
        float(np.mean(pairs)) if pairs else None,
        _facts(rows, len(groups)),
        notes,
    )


def _weight(axis: BinnedAxis) -> float:
    return axis.summary.influence


def _keys(axes: list[BinnedAxis], heat: Heat) -> tuple[str, str]:
    return axes[heat.x].summary.key, axes[heat.y].summary.key


def _index(axes: list[BinnedAxis], key: str) -> int:
    keys = [axis.summary.key for axis in axes]
    if key not in keys:
        raise unknown("parameter", key, keys, "--x and --y")
    return keys.index(key)


def _number(score: float | None) -> float:
    return np.nan if score is None else score


def _heat(
    axes: list[BinnedAxis],
    x: int,
    y: int,
    outcomes: Outcomes,
    scores: NDArray[np.float64],
) -> Heat:
    width, height = axes[x].size, axes[y].size
    present = (axes[x].bins >= 0) & (axes[y].bins >= 0)
    cell = np.where(present, axes[y].bins * width + axes[x].bins, -1)
    judged = present & (outcomes != UNJUDGED)
    size = width * height
    worst = np.full(size, np.inf)
    np.minimum.at(worst, cell[judged], scores[judged])
    return Heat(
        x,
        y,
        np.bincount(cell[judged], minlength=size).tolist(),
        np.bincount(cell[judged & (outcomes == FAILED)], minlength=size).tolist(),
        [round(float(one), 3) if np.isfinite(one) else None for one in worst],
        influence(cell, size, outcomes),
        _coverage(axes[x], axes[y], present),
    )


def _coverage(x: BinnedAxis, y: BinnedAxis, present: NDArray[np.bool_]) -> float:
    """Return the share of pairs of coarse bins in which there is a run."""
    sizes = [min(axis.size, COARSE) for axis in (x, y)]
    coarse = [
        axis.bins[present] * size // axis.size for axis, size in zip((x, y), sizes, strict=True)
    ]
    return len(set((coarse[1] * sizes[0] + coarse[0]).tolist())) / (sizes[0] * sizes[1])


def _chosen(
    axes: list[BinnedAxis], heats: list[Heat], x: str | None, y: str | None
) -> tuple[int, int] | None:
    """Return the axes of the first heat map: the given ones, or the pair with most influence."""
    fixed = [_index(axes, key) if key is not None else None for key in (x, y)]
    if fixed[0] is not None and fixed[0] == fixed[1]:
        what = f"{y!r} is the x axis as well"
        raise InputError(Problem("--y", what, "choose another parameter"))
    possible = [
        heat for heat in heats if all(axis is None or axis in (heat.x, heat.y) for axis in fixed)
    ]
    if not possible:
        return None
    best = max(possible, key=lambda heat: (SEED not in _keys(axes, heat), heat.influence))
    first, second = best.x, best.y
    if fixed[0] == second or fixed[1] == first:
        first, second = second, first
    return first, second


def _places(axes: list[BinnedAxis], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place of each row on each axis, and on that of the scaled margin."""
    margin = (np.clip(scores, -SCORES, SCORES) + SCORES) / (2 * SCORES)
    columns = [*(axis.places for axis in axes), margin]
    stacked = np.column_stack(columns)
    return np.where(np.isfinite(stacked), np.rint(stacked * PLACES), -1).astype(np.int64)


def _lines(
    outcomes: Outcomes,
    places: NDArray[np.int64],
    scores: NDArray[np.float64],
    notes: list[str],
) -> list[Line]:
    """Return runs with a verdict; if there are too many, a sample in which half are failures."""
    judged = np.flatnonzero(outcomes != UNJUDGED)
    chosen = judged
    if len(judged) > MOST_LINES:
        failed = judged[outcomes[judged] == FAILED]
        passed = judged[outcomes[judged] != FAILED]
        from_passed = min(len(passed), max(MOST_LINES // 2, MOST_LINES - len(failed)))
        chosen = np.concatenate(
            [_spread(failed, MOST_LINES - from_passed), _spread(passed, from_passed)]
        )
        notes.append(f"{len(chosen):,} of {len(judged):,} runs are drawn as lines.")
    return [Line(places[n].tolist(), bool(outcomes[n] == FAILED)) for n in chosen]


def _spread(indices: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return a random sample that is the same for the same table."""
    if len(indices) <= count:
        return indices
    random = np.random.Generator(np.random.Philox(len(indices)))
    return np.sort(random.choice(indices, count, replace=False))


def _failures(
    rows: list[Row], scores: NDArray[np.float64], places: NDArray[np.int64], notes: list[str]
) -> tuple[list[FailedRun], dict[str, int]]:
    failed = [n for n, row in enumerate(rows) if row.verdict == "fail"]
    failed.sort(key=lambda n: (scores[n], n))
    counts = Counter(rows[n].failed or "unknown" for n in failed)
    if len(failed) > MOST_FAILURES:
        notes.append(f"The list has the {MOST_FAILURES} worst of {len(failed):,} failures.")
    return [
        _failed_run(n, rows[n], float(scores[n]), places[n].tolist())
        for n in failed[:MOST_FAILURES]
    ], dict(counts.most_common())


def _failed_run(index: int, row: Row, score: float, places: list[int]) -> FailedRun:
    own = row.margins.get(row.failed)
    return FailedRun(
        index,
        row.key,
        row.settings,
        row.seed,
        row.repeat,
        row.failed,
        own if own is not None else row.margin,
        round(score, 4),
        row.broke_at_s,
        row.note,
        row.scenario,
        places,
    )


def _facts(rows: list[Row], settings: int) -> Facts:
    return Facts(
        sorted({row.scenario for row in rows if row.scenario}),
        sorted({row.version for row in rows if row.version}),
        sorted({row.engine for row in rows if row.engine}),
        len({row.worker for row in rows if row.worker}),
        sum(row.simulated_s for row in rows),
        sum(row.wall_s for row in rows),
        max((row.wall_s for row in rows), default=0.0),
        sum(row.deterministic for row in rows),
        len({row.seed for row in rows}),
        settings,
    )
