"""The verdict of a sweep: PASS, FAIL or UNDECIDED, with its interval and its reason."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from rigless.sweeps.row import Row
from rigless.sweeps.statistics import CONFIDENCE, further_runs, wilson

Word = Literal["PASS", "FAIL", "UNDECIDED"]
EXIT_CODES: dict[Word, int] = {"PASS": 0, "FAIL": 1, "UNDECIDED": 3}
LONGEST_REASON = 200  # characters


@dataclass
class Decision:
    """The verdict on all runs of a sweep.

    `low` and `high` bound the true pass rate. `further` is about the number of runs that would
    decide, None if no number is known. `unjudged` runs are invalid or errors: they say nothing
    about the software and count in neither `passed` nor `total`.
    """

    word: Word
    passed: int
    total: int
    low: float
    high: float
    sentence: str
    further: int | None = None
    unjudged: int = 0
    want: float | None = None

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.word]

    @property
    def line(self) -> str:
        """The last line on stdout."""
        bounds = f"[{_down(self.low)}, {_up(self.high)}]"
        return f"{self.word} {self.passed}/{self.total} {bounds}"


@dataclass
class Cell:
    """The runs with equal settings."""

    settings: dict[str, Any]
    passed: int = 0
    total: int = 0
    unjudged: int = 0
    low: float = 0.0
    high: float = 1.0


@dataclass
class Tally:
    """Counts of verdicts. `reason` is that of the first run without a verdict."""

    passed: int = 0
    failed: int = 0
    unjudged: int = 0
    reason: str = ""

    def add(self, row: Row) -> None:
        if row.verdict == "pass":
            self.passed += 1
        elif row.verdict == "fail":
            self.failed += 1
        else:
            if not self.unjudged:
                self.reason = f"{row.verdict}: {row.note}" if row.note else row.verdict
            self.unjudged += 1

    @property
    def total(self) -> int:
        return self.passed + self.failed


def tally(rows: Iterable[Row]) -> Tally:
    """Count the verdicts of rows."""
    counts = Tally()
    for row in rows:
        counts.add(row)
    return counts


def decide(
    rows: Iterable[Row], want: float | None = None, confidence: float = CONFIDENCE
) -> Decision:
    """Return the verdict on a number of runs that was fixed before the first one.

    With `want`, Wilson's interval decides: PASS if it is not below `want`, FAIL if it is below.
    Without it, one failure is a FAIL. Use `Sequential` if the results decide when to stop.
    """
    counts = tally(rows)
    low, high = wilson(counts.passed, counts.total, confidence)
    word: Word = "UNDECIDED"
    if want is None:
        word = "FAIL" if counts.failed else "PASS" if counts.total else "UNDECIDED"
    elif counts.total and high < want:
        word = "FAIL"
    elif counts.total and low >= want:
        word = "PASS"
    further = None
    if want is not None and word == "UNDECIDED":
        further = further_runs(counts.passed, counts.total, want, confidence)
    return conclude(word, counts, (low, high), want, further)


def conclude(
    word: Word,
    counts: Tally,
    bounds: tuple[float, float],
    want: float | None,
    further: int | None,
) -> Decision:
    """Return the decision in words. A PASS with unjudged runs becomes UNDECIDED."""
    sentences = [_sentence(word, counts, want, further)]
    if counts.unjudged:
        reason = counts.reason.splitlines()[0][:LONGEST_REASON] if counts.reason else ""
        count = f"{counts.unjudged} run{'s have' if counts.unjudged > 1 else ' has'} no verdict"
        sentences.append(f"{count}; the first is {reason.rstrip('.')}.")
        if word == "PASS":
            word = "UNDECIDED"
            sentences[0] = "Runs without a verdict prevent a PASS."
    return Decision(
        word,
        counts.passed,
        counts.total,
        *bounds,
        " ".join(sentences),
        further,
        counts.unjudged,
        want,
    )


def cells(rows: Iterable[Row], confidence: float = CONFIDENCE) -> list[Cell]:
    """Return the counts and the interval of each combination of settings, in order of rows.

    Each interval holds on its own. Of many cells about 1 − confidence lie outside of theirs.
    """
    found: dict[bytes, tuple[Cell, Tally]] = {}
    for row in rows:
        key = settings_key(row.settings)
        if key not in found:
            found[key] = Cell(row.settings), Tally()
        found[key][1].add(row)
    for cell, counts in found.values():
        cell.passed, cell.total, cell.unjudged = counts.passed, counts.total, counts.unjudged
        cell.low, cell.high = wilson(counts.passed, counts.total, confidence)
    return [cell for cell, _ in found.values()]


def settings_key(settings: dict[str, Any]) -> bytes:
    """Return settings as bytes that do not depend on their order."""
    return msgspec.json.encode(settings, order="deterministic")


def reasons(rows: Iterable[Row]) -> Counter[str]:
    """Return how often each expectation was the first to fail."""
    return Counter(row.failed or row.note or "unknown" for row in rows if row.verdict == "fail")


def percent(share: float) -> str:
    """Return a share as a percentage for people, with enough digits next to 0 and 100."""
    distance = min(share, 1 - share) * 100
    digits = 0 if share in (0, 1) else 1 if distance >= 1 else 2
    return f"{100 * share:.{digits}f} %"


def _sentence(word: Word, counts: Tally, want: float | None, further: int | None) -> str:
    if not counts.total:
        return "No run has a verdict."
    if want is None:
        if counts.failed:
            return f"{counts.failed:,} of {counts.total:,} runs failed."
        return "The run passed." if counts.total == 1 else f"All {counts.total:,} runs passed."
    seen = f"{counts.passed:,} of {counts.total:,} runs passed ({percent(_rate(counts))})"
    wanted = f"the wanted {percent(want)}"
    if word == "PASS":
        return f"{seen}; the true rate is at least {wanted}."
    if word == "FAIL":
        return f"{seen}; the true rate is below {wanted}."
    if want >= 1:
        return f"{seen}; no number of runs proves a rate of {percent(want)}."
    if further is None:
        return f"{seen}; more runs at this rate do not decide about {wanted}."
    runs = "run" if further == 1 else "runs"
    return f"{seen}; about {further:,} more {runs} at this rate decide about {wanted}."


def _rate(counts: Tally) -> float:
    return counts.passed / counts.total


def _down(value: float) -> str:
    return f"{math.floor(value * 10_000 + 1e-9) / 10_000:.4f}"


def _up(value: float) -> str:
    return f"{math.ceil(value * 10_000 - 1e-9) / 10_000:.4f}"
