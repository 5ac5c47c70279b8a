"""The cross-entropy method: a normal distribution that moves to the worst runs it has drawn.

After each generation its mean and its deviation become those of the elite, the runs with the worst
margins. If it has shrunk to a point, or a failure is found, it starts again at the worst run
outside of the surroundings of known failures.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rigless.sweeps.search.space import Point, Trial

GENERATION = 20  # runs; a space with many axes needs more
ELITE = 0.2  # of a generation
SMOOTHING = 0.7  # the share of the elite in the new distribution
FIRST_DEVIATION = 0.2  # of the width of an axis
SMALLEST_DEVIATION = 0.01


class CrossEntropy:
    """Proposes points; `trials` is the list that the search extends."""

    def __init__(
        self,
        dimensions: int,
        random: np.random.Generator,
        trials: list[Trial],
        excluded: Callable[[Trial], bool],
    ):
        self._random, self._trials, self._excluded = random, trials, excluded
        self._size = max(GENERATION, 4 * dimensions)
        self._mean = np.full(dimensions, 0.5)
        self._deviation = np.full(dimensions, FIRST_DEVIATION)
        self._begin = -1  # the first trial of this generation; -1 before a start

    def restart(self) -> None:
        """Begin again at another place."""
        self._begin = -1

    def propose(self, count: int) -> list[Point]:
        """Return the next points."""
        self._learn()
        return [self._draw() for _ in range(count)]

    def _learn(self) -> None:
        if self._begin < 0:
            self._start()
            return
        known = self._eligible(self._trials[self._begin :])
        if len(known) < self._size:
            return
        elite = _points(known[: max(4, round(ELITE * len(known)))])
        self._mean += SMOOTHING * (elite.mean(axis=0) - self._mean)
        self._deviation += SMOOTHING * (elite.std(axis=0) - self._deviation)
        self._begin = len(self._trials)
        if float(self._deviation.max()) < SMALLEST_DEVIATION:
            self._start()

    def _start(self) -> None:
        """Place the distribution at one of the worst runs."""
        worst = self._eligible(self._trials)[:4]
        if worst:
            chosen = worst[int(self._random.integers(len(worst)))]
            self._mean = np.array(chosen.point)
        self._deviation = np.full(len(self._mean), FIRST_DEVIATION)
        self._begin = len(self._trials)

    def _eligible(self, trials: list[Trial]) -> list[Trial]:
        """Return the trials with a score that are not near a known failure, the worst first."""
        scored = [one for one in trials if one.score is not None and not self._excluded(one)]
        return sorted(scored, key=lambda one: one.score or 0.0)

    def _draw(self) -> Point:
        spread = np.maximum(self._deviation, SMALLEST_DEVIATION)
        place = self._random.normal(self._mean, spread)
        place = np.abs(place)  # reflected at the ends
        place = np.where(place >= 1, 2 - place, place)
        return tuple(float(u) for u in np.clip(place, 0.0, np.nextafter(1.0, 0.0)))


def _points(trials: list[Trial]) -> NDArray[np.float64]:
    return np.array([one.point for one in trials])
