"""`rigless sweep compare`: print how two sweeps differ."""

import json
from pathlib import Path

from rigless.console import print_line, print_note
from rigless.sweeps.row import Row
from rigless.sweeps.statistics.comparison import Change, Comparison, Shift, compare
from rigless.sweeps.statistics.decision import Tally, percent
from rigless.sweeps.table import read_table


def compare_tables(before: Path, after: Path, alpha: float, strict: bool, limit: int) -> int:
    """Print the comparison and return the exit code."""
    comparison = compare(read_table(before), read_table(after), alpha)
    for note in comparison.notes:
        print_note(note, "dim")
    for line in lines(comparison, limit):
        print_line(line)
    return 1 if comparison.word == "WORSE" or (strict and comparison.worse) else 0


def lines(comparison: Comparison, limit: int) -> list[str]:
    """Return the comparison as lines, the verdict last."""
    found = [
        f"passed in A: {_rate(comparison.before)}",
        f"passed in B: {_rate(comparison.after)}",
    ]
    for count, what in (
        (comparison.unjudged, "pairs left out: a run has no verdict"),
        (comparison.only_before, "runs only in A"),
        (comparison.only_after, "runs only in B"),
    ):
        found += [f"{count:,} {what}"] if count else []
    found += _changes("fail in B, passed in A", comparison.worse, limit)
    found += _changes("pass in B, failed in A", comparison.better, limit)
    if comparison.shifts:
        found += ["", "margins and metrics: pairs up, pairs down, median change, corrected p"]
        found += [_shift(shift, comparison.alpha) for shift in comparison.shifts]
    return [*found, "", comparison.line]


def _rate(counts: Tally) -> str:
    share = f" ({percent(counts.passed / counts.total)})" if counts.total else ""
    return f"{counts.passed:,}/{counts.total:,}{share}"


def _changes(title: str, changes: list[Change], limit: int) -> list[str]:
    if not changes:
        return []
    found = ["", f"{len(changes):,} {title}:"]
    for change in changes[:limit]:
        row = change.after if change.worse else change.before
        reason = f"  {row.failed or row.note}" if row.failed or row.note else ""
        found.append(f"  {change.before.key} {change.after.key}  {_run(row)}{reason}")
    if len(changes) > limit:
        found.append(f"  and {len(changes) - limit:,} more; list them with --limit {len(changes)}")
    return found


def _run(row: Row) -> str:

    parts = [f"{key}={_text(value)}" for key, value in row.settings.items()]
    parts.append(f"seed={row.seed}")
    parts += [f"repeat={row.repeat}"] if row.repeat else []
    return " ".join(parts)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _shift(shift: Shift, alpha: float) -> str:
    mark = "*" if shift.corrected_p < alpha else " "
    numbers = f"{shift.up:>6,} {shift.down:>6,} {shift.median_change:>+10.4g}"
    return f"{mark} {numbers}  p {shift.corrected_p:<9.3g} {shift.kind} {shift.name}"
