"""Reproduce the failing run that a shrink or a search for a culprit begins with."""

from dataclasses import dataclass

from rigless.kernel.problems import InputError, Problem
from rigless.runs.result import Result
from rigless.runs.session import duration_of
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import build_raw
from rigless.scenario.noise import stream_names
from rigless.scenario.verdict import Verdict
from rigless.sweeps.shrink.candidate import run_candidate
from rigless.sweeps.shrink.draft import Data
from rigless.sweeps.shrink.failure import Failure, find_failure
from rigless.sweeps.shrink.origin import Origin
from rigless.sweeps.shrink.trials import Progress, Run, Trials

LEAST_BUDGET = 10
ONCE, OFTEN = (1, 1), (2, 3)  # k of n runs must fail, without and with programs


@dataclass
class Reproduced:
    """A failing run that was reproduced: its trials, its failure, and its random streams."""

    trials: Trials
    failure: Failure
    verdict: Verdict
    data: Data  # with seed and duration
    streams: list[str]


def reproduce(
    origin: Origin,
    budget: int,
    expect: str,
    fails: tuple[int, int] | None,
    run: Run,
    width: int,
    progress: Progress,
) -> Reproduced:
    """Run a scenario in this process and return what fails. Raises InputError if nothing does."""
    if budget < LEAST_BUDGET:
        what = f"{budget} runs are too few to try anything"
        raise InputError(Problem("--budget", what, f"use {LEAST_BUDGET} or more"))
    draft = origin.draft
    built = build_raw(draft.complete(draft.data), draft.source, collect=False)
    ExpectationMonitor(built, duration_of(built))  # it raises what is wrong with expectations
    enough, times = fails or (OFTEN if built.scenario.programs else ONCE)
    if not 1 <= enough <= times:
        raise InputError(Problem("--fails", f"{enough}/{times} is no k/n", "for example 2/3"))
    seed, duration_s = built.simulation.seed, duration_of(built)
    data = {**draft.data, "seed": seed, "duration_s": duration_s}
    trials = Trials(draft, budget, run, width, enough, times, progress)
    candidate = trials.candidate(data)
    results: list[Result] = []
    failure: Failure | None = None
    for number in range(times):
        results.append(run_candidate(candidate))
        trials.runs += 1
        last = number == times - 1
        if failure is None and (last or not results[-1].passed):
            failure, verdict = find_failure(
                results[-1],
                data.get("expect", []),
                expect or origin.expected,
                draft.file,
                origin.changed,
            )
        shown = sum(failure is not None and failure.of(each) is not None for each in results)
        if shown >= enough:
            break
    assert failure is not None
    if shown < enough:
        what = f"{failure} in {shown} of {times} runs only"
        fix = f"a candidate must fail {enough} of {times}; try --fails 1/{times}"
        raise InputError(Problem("--fails", what, fix, draft.file))
    streams = candidate.streams
    if candidate.isolate and not streams:  # it ran in a process of its own
        streams = [name for name in stream_names(built.simulation) if "*" not in name]
    return Reproduced(trials, failure, verdict, data, streams)
