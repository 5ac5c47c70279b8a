"""The interface of engines, and the rows of runs that did not end."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from rigless.kernel.problems import InputError
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task

Note = Callable[[str], None]  # shows a line to the user
ATTEMPTS = 3  # of a run whose worker died


class EngineLostError(InputError):
    """The cluster ended during a sweep. The rows so far are kept."""


class Engine(Protocol):
    """Carries out tasks. Rows come in any order; a run whose worker died is repeated."""

    name: str

    @property
    def workers(self) -> int:
        """The number of workers now."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Return the row of each task as it ends. Tasks are taken as workers become free."""

    def close(self) -> None:
        """End the workers that this engine started, and their runs."""


def ended_at_limit(task: Task) -> Row:
    """Return the row of a run that did not end in its time."""
    row = task.row
    row.verdict = "error"
    row.note = f"ended at its limit of {task.limit_s:g} s: the run hangs, or --limit is too small"
    row.wall_s = task.limit_s
    return row


def lost(task: Task, reason: str) -> Row:
    """Return the row of a run whose workers died every time."""
    row = task.row
    row.verdict, row.note = "error", f"its worker died {ATTEMPTS} times: {reason}"
    return row


def broken(task: Task, reason: str) -> Row:
    """Return the row of a run that a worker of a cluster could not begin."""
    row = task.row
    row.verdict, row.note = "error", f"its worker cannot run it: {reason}"
    return row
