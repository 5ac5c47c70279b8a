"""Shrink a failing run to the smallest scenario that fails in the same way."""

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rigless.sweeps.shrink.candidate import run_candidates
from rigless.sweeps.shrink.draft import Data
from rigless.sweeps.shrink.failure import Failure
from rigless.sweeps.shrink.origin import find_origin
from rigless.sweeps.shrink.output import check_out, text_of, write_verified
from rigless.sweeps.shrink.reproduce import reproduce
from rigless.sweeps.shrink.shrinker import Shrinker
from rigless.sweeps.shrink.trail import Size, Step
from rigless.sweeps.shrink.trials import Progress, Run

BUDGET = 500


@dataclass
class Shrunk:
    """The result of a shrink: the scenario as data and as the text of a file."""

    scenario: Data
    text: str
    failure: Failure
    detail: str
    before: Size
    after: Size
    trail: list[Step]
    runs: int
    rejected: int  # candidates that were no valid scenario, and needed no run
    complete: bool  # False if the budget ended it
    path: Path | None = None


def shrink(
    target: str | Path,
    row: int | str | None = None,
    *,
    seed: int | None = None,
    out: str | Path | None = None,
    budget: int = BUDGET,
    expect: str = "",
    fails: tuple[int, int] | None = None,
    settings: Iterable[str] = (),
    force: bool = False,
    run: Run = run_candidates,
    width: int = 1,
    progress: Progress = lambda runs, text: None,
    report: Callable[[Step], None] = lambda step: None,
) -> Shrunk:
    """Return the smallest scenario found that still fails the same expectation.

    The target is a scenario, or a table of a sweep with the number or the key of a row. `expect`
    names the expectation; by default it is the one that failed first. With `fails` = (k, n) a
    candidate must fail k of at most n runs, by default 2 of 3 if there are programs. `run` carries
    out candidates, `width` at once. Raises InputError, for example if the run passes.

        found = rigless.shrink("patrol.toml", seed=812, out="small.toml")
        print(found.after, found.runs)
    """
    path = Path(out) if out is not None else None
    if path is not None:
        check_out(path, force)
    origin = find_origin(str(target), None if row is None else str(row), seed, settings)
    found = reproduce(origin, budget, expect, fails, run, width, progress)
    trials, failure = found.trials, found.failure
    shrinker = Shrinker(trials, failure, found.data, found.verdict, found.streams, report)
    shrinker.note(f"{failure}: {found.verdict.detail}")
    trials.budget -= trials.times  # for the verification of the file
    complete = shrinker.shrink()
    trials.budget += trials.times
    before, after = Size.of(found.data), Size.of(shrinker.data)
    comment = [
        f"The smallest scenario found in which {failure}:",
        f"{shrinker.verdict.detail}.",
        f"Made by rigless shrink from {origin.words}.",
        f"Before: {before}.",
        f"Now: {after}; {trials.runs + trials.times} runs"
        + ("." if complete else ", then the budget ended it."),
        *([f"Check it: rigless check {shlex.quote(path.name)}"] if path is not None else []),
    ]
    folder = path.parent if path is not None else Path()
    text = text_of(origin.draft, shrinker.data, comment, folder)
    if path is not None:
        write_verified(path, text, failure, trials)
    return Shrunk(
        shrinker.data, text, failure, shrinker.verdict.detail, before, after,
        shrinker.trail.steps, trials.runs, trials.rejected, complete, path,
    )  # fmt: skip
