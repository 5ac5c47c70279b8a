"""Find the noise that decides: swap random streams between a failing and a passing seed.

The noise of a run is a set of streams, each a function of its seed and name. A run of the passing
seed with some streams of the failing one is therefore as exact as any other.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.streams import setting_of
from rigless.runs.result import Result
from rigless.sweeps.shrink.candidate import run_candidates
from rigless.sweeps.shrink.ddmin import minimize
from rigless.sweeps.shrink.draft import Data
from rigless.sweeps.shrink.failure import Failure
from rigless.sweeps.shrink.origin import find_origin
from rigless.sweeps.shrink.output import check_out, text_of, write_verified
from rigless.sweeps.shrink.reproduce import Reproduced, reproduce
from rigless.sweeps.shrink.trials import BudgetSpentError, Progress, Run

SEEDS_TRIED = 50  # to find one that passes
LISTED = 16  # streams that are tried one by one; of more only the culprits


@dataclass(frozen=True)
class Swap:
    """One stream swapped between the two seeds.

    `failing_passes`: the failing run passes with this stream of the passing seed. `passing_fails`:
    the passing run fails with this stream of the failing seed.
    """

    stream: str
    failing_passes: bool
    passing_fails: bool


@dataclass
class Culprit:
    """The streams that decide between a failing and a passing seed."""

    failure: Failure
    failing_seed: int
    passing_seed: int
    streams: list[str]  # a minimal set: with them, the run of the passing seed fails
    swaps: list[Swap]
    scenario: Data  # of the passing seed, with these streams of the failing one
    text: str
    runs: int
    path: Path | None = None


def find_culprit(
    target: str | Path,
    row: int | str | None = None,
    *,
    seed: int | None = None,
    passing_seed: int | None = None,
    out: str | Path | None = None,
    budget: int = 500,
    expect: str = "",
    fails: tuple[int, int] | None = None,
    settings: Iterable[str] = (),
    force: bool = False,
    run: Run = run_candidates,
    width: int = 1,
    progress: Progress = lambda runs, text: None,
    report: Callable[[str], None] = lambda text: None,
) -> Culprit:
    """Return the random streams that make a seed fail where another one passes.

    The arguments are those of `shrink`. Without `passing_seed` the first of 0, 1, 2 … that passes
    is taken. Raises InputError, for example if no seed passes or the noise decides nothing.

        from rigless.sweeps.shrink import find_culprit
        find_culprit("patrol.toml", seed=812).streams
    """
    path = Path(out) if out is not None else None
    if path is not None:
        check_out(path, force)
    origin = find_origin(str(target), None if row is None else str(row), seed, settings)
    found = reproduce(origin, budget, expect, fails, run, width, progress)
    trials, failure, failing = found.trials, found.failure, int(found.data["seed"])
    report(f"seed {failing}: {failure}: {found.verdict.detail}")
    search = _Search(found, failing, -1)
    trials.budget -= trials.times  # for the verification of the file
    try:
        search.passing = _passing_seed(found, passing_seed)
        report(f"seed {search.passing}: it passes")
        streams = search.streams()
        swaps = search.swaps(streams)
    except BudgetSpentError:
        what = f"the budget of {budget} runs is spent before the streams are known"
        raise InputError(Problem("--budget", what, "use more")) from None
    finally:
        trials.budget += trials.times
    data = search.passing_with(streams)
    comment = [
        f"Seed {search.passing} passes, but with {', '.join(streams)} of seed {failing}",
        f"{failure}. All other noise is that of seed {search.passing}.",
        f"Made by rigless shrink --culprit from {origin.words}.",
    ]
    text = text_of(origin.draft, data, comment, path.parent if path is not None else Path())
    if path is not None:
        write_verified(path, text, failure, trials)
    return Culprit(failure, failing, search.passing, streams, swaps, data, text, trials.runs, path)


def _passing_seed(found: Reproduced, wanted: int | None) -> int:
    """Return a seed whose run passes the expectation. Raises InputError if there is none."""
    trials, failing = found.trials, int(found.data["seed"])
    trials.step = "passing seed"
    seeds = range(SEEDS_TRIED) if wanted is None else [wanted]
    options = [each for each in seeds if each != failing]
    for begin in range(0, len(options), trials.width):
        batch = options[begin : begin + trials.width]
        candidates = [trials.candidate({**found.data, "seed": each}) for each in batch]
        for each, result in zip(batch, trials.results(candidates), strict=True):
            if _passes(result, found.failure):
                return each
    if wanted is None:
        what = f"none of the seeds 0 to {SEEDS_TRIED - 1} passes"
        fix = "name one with --passing-seed, or shrink it: the noise does not seem to decide"
    else:
        what, fix = f"seed {wanted} does not pass", "another one, or none to have one searched for"
    raise InputError(Problem("--passing-seed", what, fix))


def _passes(result: Result, failure: Failure) -> bool:
    named = [verdict for verdict in result.verdicts if verdict.text == failure.text]
    return not (result.invalid or result.failure) and all(verdict.passed for verdict in named)


@dataclass
class _Search:
    """The search for the streams that decide between two seeds."""

    found: Reproduced
    failing: int
    passing: int

    def passing_with(self, streams: Iterable[str]) -> Data:
        """Return the scenario of the passing seed with some streams of the failing one."""
        return self._mixed(self.passing, self.failing, streams)

    def streams(self) -> list[str]:
        """Return a minimal set of streams that make the passing seed fail."""
        trials, failure = self.found.trials, self.found.failure
        trials.step = "streams"
        noise = self.found.data.get("noise", {})
        names = [name for name in self.found.streams if setting_of(noise, name) is None]
        if not names:
            what = "the scenario uses no random streams that the seed decides"
            raise InputError(Problem("noise", what, "shrink it without --culprit"))
        if trials.fails(failure, self.passing_with(names)) is None:
            what = f"with all noise of seed {self.failing}, seed {self.passing} still passes"
            raise InputError(
                Problem("noise", what, "the seed decides in another way than by noise")
            )

        def first(parts: list[list[str]]) -> int | None:
            options = [self.passing_with(part) for part in parts]
            found = trials.first(failure, options)
            return None if found is None else found[0]

        return minimize(names, first)

    def swaps(self, streams: list[str]) -> list[Swap]:
        """Return the effect of swapping single streams in both directions."""
        trials, failure, names = self.found.trials, self.found.failure, self.found.streams
        noise = self.found.data.get("noise", {})
        names = [name for name in names if setting_of(noise, name) is None]
        trials.step = "swaps"

        def fails(data: Data) -> bool:
            return trials.fails(failure, data) is not None

        return [
            Swap(
                name,
                not fails(self._mixed(self.failing, self.passing, [name])),
                fails(self.passing_with([name])),
            )
            for name in (names if len(names) <= LISTED else streams)
        ]

    def _mixed(self, seed: int, other: int, streams: Iterable[str]) -> Data:
        data = self.found.data
        noise = {**data.get("noise", {}), **dict.fromkeys(streams, other)}
        return {**data, "seed": seed, "noise": noise}
