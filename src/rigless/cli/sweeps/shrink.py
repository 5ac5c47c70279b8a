"""`rigless shrink`: print the trail, the sizes, and the culprits."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rigless.console import print_line, print_note, progress
from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.shrink import Culprit, Shrunk, find_culprit, shrink
from rigless.sweeps.shrink.trail import Step
from rigless.sweeps.shrink.trials import Progress


@dataclass
class Wanted:
    """The options of the command."""

    target: str
    row: str | None
    seed: int | None
    out: Path | None
    budget: int
    expect: str
    fails: str
    settings: list[str]
    force: bool

    def options(self) -> dict[str, Any]:
        """Return the arguments of `shrink` and `find_culprit`. Raises InputError."""
        return {
            "seed": self.seed,
            "out": self.out,
            "budget": self.budget,
            "expect": self.expect,
            "fails": self._fails(),
            "settings": self.settings,
            "force": self.force,
        }

    def _fails(self) -> tuple[int, int] | None:
        if not self.fails:
            return None
        found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", self.fails)
        if found is None:
            raise InputError(Problem("--fails", f"{self.fails!r} is not K/N", "for example 2/3"))
        return int(found[1]), int(found[2])


def run_shrink(wanted: Wanted, passing_seed: int | None) -> int:
    """Shrink, print the trail and the result, and return the exit code."""
    if wanted.out is None:
        fix = "for example --out small.toml; or --culprit, which needs no file"
        raise InputError(Problem("--out", "name the file to write", fix))
    if passing_seed is not None:
        raise InputError(Problem("--passing-seed", "belongs to --culprit", "add --culprit"))
    with _progress(wanted) as report:
        found = shrink(
            wanted.target, wanted.row, **wanted.options(), progress=report, report=_print_step
        )
    _print_shrunk(found, wanted.budget)
    return 0


def run_culprit(wanted: Wanted, passing_seed: int | None) -> int:
    """Find the streams that decide, print them as a table, and return the exit code."""
    with _progress(wanted) as report:
        found = find_culprit(
            wanted.target,
            wanted.row,
            passing_seed=passing_seed,
            **wanted.options(),
            progress=report,
            report=print_note,
        )
    _print_culprit(found)
    return 0


@contextmanager
def _progress(wanted: Wanted) -> Iterator[Progress]:
    with progress("shrink") as bar:

        def report(runs: int, text: str) -> None:
            shown = f"{runs} of at most {wanted.budget} runs: {text}"
            bar.update(bar.task_ids[0], completed=runs / wanted.budget, description=shown)

        yield report


def _print_step(step: Step) -> None:
    print_note(f"{step.runs:4} run{'s' if step.runs != 1 else ' '}  {step.text}")


def _print_shrunk(found: Shrunk, budget: int) -> None:
    print_note(f"before: {found.before}")
    print_note(f"after:  {found.after}", "bold")
    print_note(f"{found.failure}: {found.detail}")
    if not found.complete:
        fix = f"a larger --budget may make it smaller: rigless shrink {found.path} --out …"
        print_note(f"ended early: the budget of {budget} runs is spent; {fix}", "yellow")
    rejected = f", {found.rejected} candidates were no valid scenario" if found.rejected else ""
    print_note(f"{found.runs} runs{rejected}; the file was run again and fails as before", "dim")
    print_note(f"repeat it: rigless check {found.path}", "dim")
    print_line(str(found.path))


def _print_culprit(found: Culprit) -> None:
    one, other = found.failing_seed, found.passing_seed
    heads = ("stream", f"seed {one}, this one of {other}", f"seed {other}, this one of {one}")
    rows = [
        (
            swap.stream,
            "passes" if swap.failing_passes else "fails",
            "fails" if swap.passing_fails else "passes",
        )
        for swap in found.swaps
    ]
    widths = [max(len(row[n]) for row in (heads, *rows)) for n in range(3)]
    for row in (heads, *rows):
        mark = "  decides" if row[0] in found.streams else ""
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print_line(("  ".join(cells) + mark).rstrip())
    names = " and ".join(found.streams)
    print_note(
        f"{names} of seed {one} make{'s' * (len(found.streams) == 1)} seed {other} fail: "
        f"{found.failure}; {found.runs} runs",
        "bold",
    )
    if found.path is not None:
        print_note(f"repeat it: rigless check {found.path}", "dim")
