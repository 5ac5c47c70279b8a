"""`rigless sweep report`: write the page of a sweep."""

from pathlib import Path

from rigless.console import print_line, print_note, write_text
from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.report import render_report, summarize
from rigless.sweeps.statistics.goal import Goal, goal_of
from rigless.sweeps.table import read_table


def write_report(table: Path, html: Path, x: str | None, y: str | None, want: float | None) -> int:
    """Write the page and print the verdict. Return the exit code."""
    rows = read_table(table)
    if not rows:
        raise InputError(Problem("", "the table has no rows", "run the sweep first", str(table)))
    if html.resolve() == table.resolve():
        raise InputError(Problem("--html", "names the table itself", "choose another file"))
    goal = Goal(want) if want is not None else goal_of(rows, str(table))
    summary = summarize(rows, goal, x, y)
    write_text(html, render_report(summary, str(table)))
    print_note(f"wrote {html}", "dim")
    print_line(summary.decision.line)
    return 0
