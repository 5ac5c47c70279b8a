"""The state of a sweep that its page shows: rows, progress, and the newest summary."""

import threading
import time
from dataclasses import dataclass, field

from rigless.sweeps.report.data import Summary, summarize
from rigless.sweeps.row import Row

SHARE = 0.1  # of the time that summaries may take while a sweep runs


@dataclass
class LiveSweep:
    """Rows as they come from the thread of the sweep, for the thread of the server."""

    name: str
    total: int
    want: float | None = None
    table: str = ""
    finished: bool = False
    _rows: dict[str, Row] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _begun: float = field(default_factory=time.monotonic)
    _ended: float = 0.0
    _summary: Summary | None = None
    _summarized: int = -1  # rows in the summary
    _next: float = 0.0  # time from which another summary may be made

    def add(self, row: Row) -> None:
        """Add the row of a run that has ended."""
        with self._lock:
            self._rows[row.key] = row

    def finish(self) -> None:
        """Note that no more rows come."""
        self.finished, self._ended = True, time.monotonic()

    @property
    def done(self) -> int:
        return len(self._rows)

    @property
    def seconds(self) -> float:
        """The wall time that the sweep has taken so far."""
        return (self._ended or time.monotonic()) - self._begun

    def row(self, key: str) -> Row | None:
        return self._rows.get(key)

    def summary(self) -> tuple[int, Summary]:
        """Return the number of rows in the newest summary, and the summary.

        It is made again if there are more rows and if summaries took little time so far.
        """
        now = time.monotonic()
        if self._summary is None or (
            self.done != self._summarized and (now >= self._next or self.finished)
        ):
            with self._lock:
                rows = list(self._rows.values())
            self._summary, self._summarized = summarize(rows, self.want), len(rows)
            took_s = time.monotonic() - now
            self._next = now + took_s / SHARE
        return self._summarized, self._summary
