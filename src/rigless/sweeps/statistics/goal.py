"""The goal of a sweep: all runs pass, or a sound verdict on a wanted pass rate.

A table keeps the goal in the column `goal`, as the options of the command, so that its report gives
the same verdict as the sweep.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.row import Row
from rigless.sweeps.statistics.decision import Decision, decide
from rigless.sweeps.statistics.sequential import ERROR_RATE, Sequential

NUMBERS = ("want", "alpha", "beta", "bad")


@dataclass(frozen=True)
class Goal:
    """The verdict that a sweep asks for. `searched`: its points were chosen to fail."""

    want: float | None = None
    until_decided: bool = False
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    bad: float | None = None  # a rate at which it must fail
    searched: bool = False

    @property
    def text(self) -> str:
        """The goal as options of the command; "" if every run must pass."""
        words = ["--search"] if self.searched else []
        if self.want is not None:
            words.append(f"--want {self.want!r}")
        if self.until_decided:
            words.append(f"--until decided --alpha {self.alpha!r} --beta {self.beta!r}")
        if self.until_decided and self.bad is not None:
            words.append(f"--bad {self.bad!r}")
        return " ".join(words)

    def sequential(self) -> Sequential | None:
        """Return the test that ends the sweep as soon as the verdict is sound."""
        if not self.until_decided or self.want is None:
            return None
        return Sequential(self.want, self.alpha, self.beta, self.bad)

    def decide(self, rows: Iterable[Row]) -> Decision:
        """Return the verdict on rows in the order of the plan."""
        sequential = self.sequential()
        if sequential is None:
            return decide(rows, self.want)
        for row in rows:
            if (decision := sequential.add(row)) is not None:
                return decision
        return sequential.decision()


def goal_of(rows: Sequence[Row], table: str = "") -> Goal:
    """Return the goal of the last sweep that wrote to a table. Raises InputError."""
    text = rows[-1].goal if rows else ""
    words = text.split()
    try:
        numbers = {
            name: float(words[words.index(f"--{name}") + 1])
            for name in NUMBERS
            if f"--{name}" in words
        }
    except (ValueError, IndexError):
        fix = "run the sweep again, or leave the column out"
        raise InputError(Problem("goal", f"{text!r} is no goal of a sweep", fix, table)) from None
    return Goal(**numbers, until_decided="--until" in words, searched="--search" in words)
