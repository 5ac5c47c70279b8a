"""Compare two sweeps run by run: pairs have the same settings, seed and repeat.

Noise is keyed by the seed, so both runs of a pair have the same conditions. Only pairs that differ
are evidence, and a few of them are enough.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Literal

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.row import Row, fill_metrics
from rigless.sweeps.statistics import holm, mcnemar, sign_test
from rigless.sweeps.statistics.decision import Tally, settings_key, tally

ALPHA = 0.05
Word = Literal["BETTER", "WORSE", "NO DIFFERENCE"]


@dataclass
class Change:
    """A pair whose verdict changed."""

    before: Row
    after: Row

    @property
    def worse(self) -> bool:
        return self.before.verdict == "pass"


@dataclass
class Shift:
    """A margin or a metric in both tables: in how many pairs it rose and fell, and how much."""

    kind: Literal["margin", "metric"]
    name: str
    pairs: int
    up: int
    down: int
    median_change: float  # of the pairs that changed
    p: float  # of the sign test
    corrected_p: float = 1.0  # for the number of margins and metrics, by Holm's method


@dataclass
class Comparison:
    """Two tables, pair by pair."""

    pairs: int
    unjudged: int  # pairs of which a run has no verdict
    only_before: int
    only_after: int
    before: Tally
    after: Tally
    worse: list[Change]
    better: list[Change]
    p: float  # of McNemar's test
    shifts: list[Shift] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    alpha: float = ALPHA

    @property
    def word(self) -> Word:
        if self.p >= self.alpha or len(self.worse) == len(self.better):
            return "NO DIFFERENCE"
        return "WORSE" if len(self.worse) > len(self.better) else "BETTER"

    @property
    def line(self) -> str:
        """The last line on stdout."""
        counts = f"{len(self.worse)} worse, {len(self.better)} better of {self.pairs} pairs"
        return f"{self.word}: {counts}, p = {self.p:.3g}"


def compare(before: list[Row], after: list[Row], alpha: float = ALPHA) -> Comparison:
    """Compare two tables of one scenario. Raises InputError if they have no run in common."""
    notes = _check_same_scenario(before, after)
    fill_metrics([*before, *after])
    compared = _compared(before, after)
    for key, (one, two) in compared.items():
        notes.append(f"Compared: {key} = {one}, then {two}.")
    old, new = _by_run(before, compared), _by_run(after, compared)
    common = [(old[key], new[key]) for key in old if key in new]
    if not common:
        what = "the tables have no run in common: no settings, seed and repeat are in both"
        raise InputError(Problem("", what, "run both sweeps with the same --vary and --seeds"))
    judged = [pair for pair in common if all(one.verdict in ("pass", "fail") for one in pair)]
    changes = [Change(*pair) for pair in judged if pair[0].verdict != pair[1].verdict]
    worse = [change for change in changes if change.worse]
    better = [change for change in changes if not change.worse]
    if not all(row.deterministic for pair in common for row in pair):
        notes.append("Runs with programs are not deterministic: some pairs differ by chance.")
    return Comparison(
        len(judged),
        len(common) - len(judged),
        len(old) - len(common),
        len(new) - len(common),
        tally(one for one, _ in judged),
        tally(two for _, two in judged),
        worse,
        better,
        mcnemar(len(worse), len(better)),
        _shifts(judged),
        notes,
        alpha,
    )


def _by_run(rows: Iterable[Row], left_out: Container[str]) -> dict[tuple[bytes, int, int], Row]:
    def settings(row: Row) -> bytes:
        return settings_key({k: v for k, v in row.settings.items() if k not in left_out})

    return {(settings(row), row.seed, row.repeat): row for row in rows}


def _compared(before: list[Row], after: list[Row]) -> dict[str, tuple[str, str]]:
    """Return the settings that are the same in all runs of a table but differ between the tables.

    They are what is compared, such as the commands of two builds.
    """
    first, second = _constants(before), _constants(after)
    varied = {key for rows in (before, after) for row in rows for key in row.settings}
    return {
        key: (first.get(key, "the default"), second.get(key, "the default"))
        for key in sorted(varied)
        if first.get(key, "") != second.get(key, "")
        and all(key in found or not _has(rows, key)
                for found, rows in ((first, before), (second, after)))
    }  # fmt: skip


def _constants(rows: list[Row]) -> dict[str, str]:
    """Return the settings that all rows have with one value, as text."""
    values: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for row in rows:
        for key, value in row.settings.items():
            values.setdefault(key, set()).add(settings_key({key: value}).decode())
            counts[key] = counts.get(key, 0) + 1
    return {
        key: str(rows[0].settings[key])
        for key, texts in values.items()
        if len(texts) == 1 and counts[key] == len(rows)
    }


def _has(rows: list[Row], key: str) -> bool:
    return any(key in row.settings for row in rows)


def _check_same_scenario(before: list[Row], after: list[Row]) -> list[str]:
    """Raise if the scenarios have different names. Return notes on smaller differences."""
    notes = []
    first, second = _names(before), _names(after)
    if first and second and not first & second:
        what = f"the tables are of different scenarios: {_listed(first)} and {_listed(second)}"
        raise InputError(Problem("", what, "compare two sweeps of one scenario"))
    texts = [{row.content for row in rows if row.content} for rows in (before, after)]
    if all(texts) and texts[0] != texts[1]:
        notes.append("The text of the scenario, or a file that it uses, changed between them.")
    builds = [{row.programs for row in rows if row.programs} for rows in (before, after)]
    if all(builds) and builds[0] != builds[1]:
        notes.append("The files of the programs differ: these are two builds.")
    versions = [{row.version for row in rows if row.version} for rows in (before, after)]
    if all(versions) and versions[0] != versions[1]:
        notes.append(f"Versions of rigless: {_listed(versions[0])}, then {_listed(versions[1])}.")
    return notes


def _names(rows: list[Row]) -> set[str]:
    """Return the names of scenarios without their folders, which differ between checkouts."""
    return {Path(row.scenario).name for row in rows if row.scenario}


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _shifts(pairs: list[tuple[Row, Row]]) -> list[Shift]:
    """Return the margins, then the metrics, that are in both tables."""
    found = [*_shifts_of("margin", pairs, lambda row: row.margins)]
    found += _shifts_of("metric", pairs, lambda row: row.metrics)
    for shift, corrected in zip(found, holm([shift.p for shift in found]), strict=True):
        shift.corrected_p = corrected
    return found


def _shifts_of(
    kind: Literal["margin", "metric"],
    pairs: list[tuple[Row, Row]],
    values: Callable[[Row], dict[str, float] | dict[str, float | None]],
) -> Iterator[Shift]:
    names: dict[str, None] = {}
    for before, _ in pairs:
        names.update(dict.fromkeys(values(before)))
    for name in names:
        both = [(values(before).get(name), values(after).get(name)) for before, after in pairs]
        changes = [two - one for one, two in both if one is not None and two is not None]
        if not changes:
            continue
        up, down = sum(one > 0 for one in changes), sum(one < 0 for one in changes)
        middle = median([one for one in changes if one] or [0.0])
        yield Shift(kind, name, len(changes), up, down, middle, sign_test(up, down))
