"""The tree-structured Parzen estimator of optuna."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rigless.sweeps.search.space import Point, Trial

AVOIDED = 2.0  # the score of a run in the surroundings of a known failure


class TreeParzen:
    """Proposes points. It has no state but the trials, so a restart needs no work."""

    def __init__(
        self,
        dimensions: int,
        random: np.random.Generator,
        trials: list[Trial],
        excluded: Callable[[Trial], bool],
    ):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna: Any = optuna
        self._random, self._trials, self._excluded = random, trials, excluded
        self._axes = {
            str(n): optuna.distributions.FloatDistribution(0.0, 1.0) for n in range(dimensions)
        }

    def restart(self) -> None:
        return

    def propose(self, count: int) -> list[Point]:
        """Return the next points."""
        sampler = self._optuna.samplers.TPESampler(
            seed=int(self._random.integers(2**31)), n_startup_trials=1, constant_liar=True
        )
        study = self._optuna.create_study(sampler=sampler)
        study.add_trials([self._known(one) for one in self._trials if one.score is not None])
        return [self._point(study.ask(self._axes)) for _ in range(count)]

    def _known(self, trial: Trial) -> Any:
        score = AVOIDED if self._excluded(trial) else min(trial.score or 0.0, AVOIDED)
        return self._optuna.trial.create_trial(
            params={str(n): u for n, u in enumerate(trial.point)},
            distributions=self._axes,
            value=score,
        )

    def _point(self, trial: Any) -> Point:
        return tuple(min(trial.params[name], float(np.nextafter(1.0, 0.0))) for name in self._axes)
