"""The wall time of a sweep's runs, for its rate and the time left."""

import time

from rigless.sweeps.row import Row


class RunClock:
    """Counts from the moment in which the first run began: the start of workers is no run."""

    def __init__(self) -> None:
        self._begun, self._started = time.monotonic(), False

    def add(self, row: Row) -> None:
        """Note that a run has ended. Rows of an earlier sweep must not be added."""
        if not self._started and row.wall_s > 0:
            self._started = True
            self._begun = max(self._begun, time.monotonic() - row.wall_s)

    def seconds(self, now: float | None = None) -> float:
        """Return the time since then, or since the construction if no run has ended."""
        return (time.monotonic() if now is None else now) - self._begun
