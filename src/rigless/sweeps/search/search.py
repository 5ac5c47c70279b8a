"""The search: which settings to run next, and the failures until now."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal, Protocol

import numpy as np

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.row import Row
from rigless.sweeps.search.cross_entropy import CrossEntropy
from rigless.sweeps.search.failures import Failure, Failures
from rigless.sweeps.search.space import Axis, Point, Trial, settings_at
from rigless.sweeps.sobol import sobol
from rigless.sweeps.statistics.decision import settings_key
from rigless.sweeps.statistics.margins import scales_of

Method = Literal["auto", "optuna", "cross-entropy"]
COVER = 1 / 3  # at most this share of the runs covers the space first
LEAST_COVER = 8
RANDOM = 0.2  # of the runs after that are anywhere
REDRAWS = 20  # of a point whose settings were run before


class Optimiser(Protocol):
    """Proposes points that are worse than the known ones."""

    def propose(self, count: int) -> list[Point]: ...

    def restart(self) -> None: ...


class Search:
    """Asks for runs until the budget is spent.

    With cross-entropy, equal seeds and equal results give equal questions, if the results of a
    batch are added before the next one is asked for. Inside a batch the order of results
    does not matter.

        search = Search(axes, seed=1, budget=200)
        while batch := search.ask(20):
            for settings in batch:
                search.tell(settings, run(settings))
        search.failures()
    """

    def __init__(self, axes: Sequence[Axis], seed: int, budget: int, method: Method = "auto"):
        self.axes, self.budget, self.asked = list(axes), budget, 0
        self.method = _chosen(method)
        self._random = np.random.Generator(np.random.Philox([seed, 1]))
        self._cover = [tuple(map(float, u)) for u in sobol(len(axes), cover_count(budget), seed)]
        self._trials: list[Trial] = []
        self._by_settings: dict[bytes, Trial] = {}
        self._failures = Failures()
        self._optimiser: Optimiser = self._make_optimiser()
        self._stale = False  # results came since the last question

    def ask(self, count: int) -> list[dict[str, Any]]:
        """Return the settings of at most `count` runs, none if the search has ended.

        It ends if the budget is spent or all settings that the axes can give were asked for.
        """
        if self._stale:
            self._judge()
        found: list[dict[str, Any]] = []
        count = min(count, self.budget - self.asked)
        cover, self._cover = self._cover[:count], self._cover[count:]
        proposed = cover + (
            self._optimiser.propose(count - len(cover)) if count > len(cover) else []
        )
        for number, point in enumerate(proposed):
            covering = number < len(cover)
            if not covering and self._random.random() < RANDOM:
                point = self._anywhere()
            trial = self._new_trial(point)
            if trial is not None:
                self._trials.append(trial)
                self._by_settings[settings_key(trial.settings)] = trial
                found.append(trial.settings)
        self.asked += len(found)
        return found

    def tell(self, settings: dict[str, Any], row: Row) -> None:
        """Add the result of a run."""
        trial = self._by_settings.get(settings_key(settings))
        if trial is None:
            what = f"the search did not ask for {settings}"
            raise InputError(Problem("tell", what, "use settings that ask() returned"))
        trial.row = row
        self._stale = True

    def failures(self) -> list[Failure]:
        """Return the distinct failures, the worst first."""
        self._judge()
        return self._failures.summary()

    def _judge(self) -> None:
        """Score all results on the scale of all results, and group the failures.

        Groups depend on the order of questions, not on that of answers.
        """
        self._stale = False
        known = [trial for trial in self._trials if trial.row is not None]
        scales = scales_of(trial.row for trial in known if trial.row is not None)
        groups = len(self._failures.groups)
        self._failures.groups.clear()
        for trial in known:
            trial.score = scales.score(trial.row) if trial.row is not None else None
            if trial.score is not None and trial.score < 0:
                self._failures.add(trial)
        if len(self._failures.groups) > groups:
            self._optimiser.restart()

    def _new_trial(self, point: Point) -> Trial | None:
        """Return a trial at a point, or elsewhere if its settings were asked for before."""
        for _ in range(REDRAWS):
            trial = Trial(point, settings_at(self.axes, point))
            if settings_key(trial.settings) not in self._by_settings:
                return trial
            point = self._anywhere()
        return None

    def _anywhere(self) -> Point:
        return tuple(float(u) for u in self._random.random(len(self.axes)))

    def _make_optimiser(self) -> Optimiser:
        size, near = len(self.axes), self._failures.is_near
        if self.method == "optuna":
            from rigless.sweeps.search.tree_parzen import TreeParzen

            return TreeParzen(size, self._random, self._trials, near)
        return CrossEntropy(size, self._random, self._trials, near)


def cover_count(budget: int) -> int:
    """Return the number of runs that cover the space first, a power of two."""
    count = LEAST_COVER
    while 2 * count <= budget * COVER:
        count *= 2
    return min(count, budget)


def _chosen(method: Method) -> Method:
    installed = find_spec("optuna") is not None
    if method == "optuna" and not installed:
        fix = "pip install 'rigless[search]', or use cross-entropy"
        raise InputError(Problem("--search", "needs 'optuna', which is not installed", fix))
    if method == "auto":
        return "optuna" if installed else "cross-entropy"
    return method
