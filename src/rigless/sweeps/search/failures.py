"""The distinct failures of a search."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rigless.sweeps.row import Row
from rigless.sweeps.search.space import Trial, distance

NEAR = 0.15  # failures of one expectation that are closer are one


@dataclass
class Failure:
    """Failing runs of one expectation in one region; `row` is the worst of them."""

    expectation: str
    row: Row
    settings: dict[str, Any]
    score: float
    count: int = 1


@dataclass
class Failures:
    """The failing trials by expectation and region."""

    groups: list[list[Trial]] = field(default_factory=list)

    def add(self, trial: Trial) -> bool:
        """Add a failing trial. Return True if it begins a new group."""
        assert trial.row is not None
        for group in self.groups:
            first = group[0]
            assert first.row is not None
            if first.row.failed == trial.row.failed and distance(first, trial) < NEAR:
                group.append(trial)
                return False
        self.groups.append([trial])
        return True

    def is_near(self, trial: Trial) -> bool:
        """Return True if a failure is known in the surroundings of a trial."""
        return any(distance(group[0], trial) < NEAR for group in self.groups)

    def summary(self) -> list[Failure]:
        """Return the distinct failures, the worst first."""
        found = [_failure(group) for group in self.groups]
        return sorted(found, key=lambda failure: failure.score)


def _failure(group: Iterable[Trial]) -> Failure:
    trials = list(group)
    worst = min(trials, key=lambda trial: trial.score or 0.0)
    assert worst.row is not None
    assert worst.score is not None
    return Failure(worst.row.failed, worst.row, worst.settings, worst.score, len(trials))
