"""A test that stops a sweep as soon as its verdict is sound.

Every look at an ordinary 95 % interval is another chance to be wrong. The tests here allow a look
after each run: the probability of a wrong PASS or FAIL stays below the error rates at all times.
"""

import math

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.row import Row
from rigless.sweeps.statistics import (
    MOST_RUNS,
    Sprt,
    log_evidence_above,
    log_evidence_below,
    sequence_interval,
)
from rigless.sweeps.statistics.decision import Decision, Tally, Word, conclude

ERROR_RATE = 0.05


class Sequential:
    """Decides after each run if the pass rate is at least `want`.

    `alpha` bounds the probability of a PASS although the true rate is below `want`, `beta` that of
    a FAIL although it is not. If `bad` is given, Wald's test decides between `want` and `bad`:
    then `alpha` bounds a PASS at a rate of `bad` or less, and fewer runs are needed. Any verdict
    between the two rates may be given then.
    """

    def __init__(
        self,
        want: float,
        alpha: float = ERROR_RATE,
        beta: float = ERROR_RATE,
        bad: float | None = None,
    ):
        _check(want, alpha, beta, bad)
        self.want, self.alpha, self.beta = want, alpha, beta
        self.counts = Tally()
        self._sprt = Sprt(bad, want, alpha, beta) if bad is not None else None
        self._word: Word = "UNDECIDED"

    def add(self, row: Row) -> Decision | None:
        """Add a run. Return the decision if the sweep may stop, otherwise None.

        Runs without a verdict do not count. If there are any, a PASS becomes UNDECIDED.
        """
        before = self.counts.total
        self.counts.add(row)
        if self._word == "UNDECIDED" and self.counts.total > before:
            self._word = self._judge(row.verdict == "pass")
        return None if self._word == "UNDECIDED" else self.decision()

    def decision(self) -> Decision:
        """Return the verdict on the runs until now."""
        counts = self.counts
        bounds = sequence_interval(counts.passed, counts.total, self.alpha, self.beta)
        further = self._further() if self._word == "UNDECIDED" else None
        return conclude(self._word, counts, bounds, self.want, further)

    def _judge(self, passed: bool) -> Word:
        if self._sprt is not None:
            accepted = self._sprt.add(passed)
            return "UNDECIDED" if accepted is None else "PASS" if accepted else "FAIL"
        return self._word_of(self.counts.passed, self.counts.total)

    def _word_of(self, passed: int, total: int) -> Word:
        if log_evidence_above(passed, total, self.want) >= math.log(1 / self.alpha):
            return "PASS"
        if log_evidence_below(passed, total, self.want) >= math.log(1 / self.beta):
            return "FAIL"
        return "UNDECIDED"

    def _further(self) -> int | None:
        """Return about how many runs decide if the pass rate stays as it is."""
        passed, total = self.counts.passed, self.counts.total
        if total == 0 or self._sprt is not None:
            return None

        def decides(runs: int) -> bool:
            return self._word_of(round(passed * runs / total), runs) != "UNDECIDED"

        low, high = total, 2 * total
        while not decides(high):
            low, high = high, 2 * high
            if high > MOST_RUNS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if decides(middle) else (middle, high)
        return high - total


def _check(want: float, alpha: float, beta: float, bad: float | None) -> None:
    problems = []
    if not 0 < want <= 1:
        problems.append(Problem("--want", f"{want:g} is no share", "use more than 0, at most 1"))
    for name, rate in (("--alpha", alpha), ("--beta", beta)):
        if not 0 < rate < 0.5:
            problems.append(Problem(name, f"{rate:g} is no error rate", "use 0.001 to 0.4"))
    if bad is not None and not 0 < bad < want:
        problems.append(Problem("--bad", f"{bad:g} is not between 0 and {want:g}", "use less"))
    if problems:
        raise InputError(problems)
