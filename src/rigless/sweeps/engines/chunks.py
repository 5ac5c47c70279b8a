"""Chunks of tasks: short runs travel to a cluster together.

A cluster takes some milliseconds for each of its own tasks, which is much for a run of ten. A chunk
has about `WORK_S` of work, by the time that runs took so far.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice

from rigless.sweeps.row import Row
from rigless.sweeps.task import Task

WORK_S = 0.25
MOST = 64  # tasks in a chunk
AHEAD = 3  # chunks in the cluster for each worker
NEWEST = 0.2  # the weight of the newest run in the mean
RowOf = Callable[[Task, str], Row]


class Chunks:
    """Takes chunks from tasks. Until a run has ended, and for lost tasks, a chunk is one task.

    `begin` is called for each lot of tasks; the times of runs are kept from lot to lot.
    """

    def __init__(self) -> None:
        self._run_s = WORK_S
        self.begin(())

    def begin(self, tasks: Iterable[Task]) -> None:
        """Take the next chunks from these tasks."""
        self._source = iter(tasks)
        self._waiting: deque[Task] = deque()
        self._lost: deque[Task] = deque()

    def take(self, workers: int) -> list[Task]:
        """Return the next chunk. It is empty if there are no more tasks."""
        if self._lost:
            return [self._lost.popleft()]
        size = max(1, min(MOST, int(WORK_S / self._run_s)))
        ahead = AHEAD * workers * size
        self._waiting.extend(islice(self._source, max(0, ahead - len(self._waiting))))
        if len(self._waiting) < ahead:  # smaller ones, so that all workers end at the same time
            size = min(size, math.ceil(len(self._waiting) / (AHEAD * workers)))
        return [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]

    def ended(self, rows: list[Row]) -> list[Row]:
        """Note the times of the runs of a chunk, and return the rows."""
        for row in rows:
            if row.wall_s > 0.0:
                self._run_s += NEWEST * (row.wall_s - self._run_s)
        return rows

    def not_ended(self, chunk: list[Task], engine: str, row_of: RowOf, reason: str) -> list[Row]:
        """Return the row of a chunk that failed for a reason, made by `row_of`.

        If it has several tasks, one of them may be the cause. Then there is no row, and each of
        them is taken again on its own.
        """
        if len(chunk) > 1:
            self._lost.extend(chunk)
            return []
        chunk[0].row.engine = engine
        return [row_of(chunk[0], reason)]
