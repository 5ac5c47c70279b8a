"""The state of a sweep that its page shows: rows, progress, and the newest summary."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from rigless.sweeps.report.data import Summary, summarize
from rigless.sweeps.row import Row
from rigless.sweeps.run_clock import RunClock
from rigless.sweeps.statistics.decision import Decision, percent
from rigless.sweeps.statistics.goal import Goal

SHARE = 0.1  # of the time that summaries may take while a sweep runs
WATCHED_S = 3.0  # a page that asked more recently is open
LINGER_S = 5.0  # at most, until an open page has the end of the sweep


@dataclass
class LiveSweep:
    """Rows as they come from the thread of the sweep, for the thread of the server.

    `known` returns the number of runs that were in the table before.
    """

    name: str
    total: int
    goal: Goal = field(default_factory=Goal)
    table: str = ""
    finished: bool = False
    known: Callable[[], int] = lambda: 0
    decision: Decision | None = None  # on all runs, at the end
    _rows: dict[str, Row] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _clock: RunClock = field(default_factory=RunClock)
    _ended: float | None = None
    _summary: Summary | None = None
    _summarized: int = -1  # rows in the summary
    _next: float = 0.0  # time from which another summary may be made
    _asked: float = -WATCHED_S
    _end_shown: threading.Event = field(default_factory=threading.Event)

    def add(self, row: Row) -> None:
        """Add the row of a run that has ended."""
        with self._lock:
            self._rows[row.key] = row
            if len(self._rows) > self.known():
                self._clock.add(row)

    def finish(self, decision: Decision | None = None) -> None:
        """Note that no more rows come, and the verdict of the sweep."""
        if not self.finished:
            self.decision, self._ended, self.finished = decision, time.monotonic(), True

    def linger(self) -> None:
        """Wait until an open page has the end of the sweep, if there is one."""
        if time.monotonic() - self._asked < WATCHED_S:
            self._end_shown.wait(LINGER_S)

    @property
    def done(self) -> int:
        return len(self._rows)

    @property
    def seconds(self) -> float:
        """The wall time that the runs have taken so far."""
        return self._clock.seconds(self._ended)

    def row(self, key: str) -> Row | None:
        return self._rows.get(key)

    def asked(self, revision: int) -> None:
        """Note that a page has this revision."""
        self._asked = time.monotonic()
        if revision > self.done:
            self._end_shown.set()

    def summary(self) -> tuple[int, Summary]:
        """Return the revision of the newest summary, and the summary.

        It is made again if there are more rows and if summaries took little time so far. The
        revision is the number of its rows, and one more at the end.
        """
        now, finished = time.monotonic(), self.finished
        if self._summary is None or (
            self.done != self._summarized and (now >= self._next or finished)
        ):
            with self._lock:
                rows = list(self._rows.values())
            self._summary, self._summarized = summarize(rows, self.goal), len(rows)
            took_s = time.monotonic() - now
            self._next = now + took_s / SHARE
        return self._summarized + finished, self._judged(self._summary, finished)

    def _judged(self, summary: Summary, finished: bool) -> Summary:
        """Return a summary with the verdict at the end, and none before, except a sure one."""
        if finished:
            return replace(summary, decision=self.decision or summary.decision)
        counts = summary.decision
        if self.goal.want is None and counts.word == "FAIL":
            return summary
        seen = f"{counts.passed:,} of {counts.total:,} runs passed so far"
        rate = f" ({percent(counts.passed / counts.total)})" if counts.total else ""
        sentence = f"{seen}{rate}; the verdict comes at the end."
        return replace(summary, decision=replace(counts, sentence=sentence), running=True)
