"""Runs of candidates within a budget: each is tried once, and counted."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rigless.runs.result import Result
from rigless.scenario.verdict import Verdict
from rigless.sweeps.shrink.candidate import REJECTED, Candidate, run_candidates
from rigless.sweeps.shrink.draft import Data, Draft
from rigless.sweeps.shrink.failure import Failure

Run = Callable[[list[Candidate]], list[Result]]
Progress = Callable[[int, str], None]  # runs so far, and the current step


class BudgetSpentError(Exception):
    """All runs of the budget are used."""


@dataclass
class Trials:
    """Runs candidates of a draft.

    A candidate fails if `enough` of at most `times` runs show the failure. `width` candidates are
    given to `run` at once; more are of use only if it runs them in parallel.
    """

    draft: Draft
    budget: int
    run: Run = run_candidates
    width: int = 1
    enough: int = 1
    times: int = 1
    progress: Progress = lambda runs, text: None
    runs: int = 0
    rejected: int = 0
    step: str = ""
    _known: dict[str, Verdict | None] = field(default_factory=dict)

    def candidate(self, data: Data) -> Candidate:
        return Candidate(self.draft.complete(data), str(self.draft.folder))

    def results(self, candidates: list[Candidate]) -> list[Result]:
        """Run candidates and count the runs. Raises BudgetSpentError."""
        if self.runs + len(candidates) > self.budget:
            raise BudgetSpentError
        found = self.run(candidates)
        invalid = sum(result.invalid.startswith(REJECTED) for result in found)
        self.rejected += invalid
        self.runs += len(found) - invalid
        self.progress(self.runs, self.step)
        return found

    def first(self, failure: Failure, options: Sequence[Data]) -> tuple[int, Verdict] | None:
        """Return the first option that shows the failure, with its verdict."""
        for begin in range(0, len(options), self.width):
            verdicts = self._verdicts(failure, options[begin : begin + self.width])
            for number, verdict in enumerate(verdicts):
                if verdict is not None:
                    return begin + number, verdict
        return None

    def fails(self, failure: Failure, data: Data) -> Verdict | None:
        """Return the verdict that shows the failure in a candidate, or None."""
        return self._verdicts(failure, [data])[0]

    def _verdicts(self, failure: Failure, options: Sequence[Data]) -> list[Verdict | None]:
        keys = [json.dumps(data, sort_keys=True) for data in options]
        new = {key: data for key, data in zip(keys, options, strict=True) if key not in self._known}
        found: dict[str, list[Verdict | None]] = {key: [] for key in new}
        open_keys = list(new)
        while open_keys:
            left = self.budget - self.runs
            if left <= 0:
                raise BudgetSpentError
            open_keys, later = open_keys[:left], open_keys[left:]
            results = self.results([self.candidate(new[key]) for key in open_keys])
            for key, result in zip(open_keys, results, strict=True):
                found[key].append(failure.of(result))
                if result.invalid.startswith(REJECTED):
                    found[key] = [None] * self.times
            open_keys = [key for key in open_keys + later if self._undecided(found[key])]
        for key, verdicts in found.items():
            shown = [verdict for verdict in verdicts if verdict is not None]
            self._known[key] = shown[0] if len(shown) >= self.enough else None
        return [self._known[key] for key in keys]

    def _undecided(self, verdicts: list[Verdict | None]) -> bool:
        shown = sum(verdict is not None for verdict in verdicts)
        left = self.times - len(verdicts)
        return shown < self.enough <= shown + left
