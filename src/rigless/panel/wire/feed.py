"""The subscription of one client: its filter, and the rows that it gets next.

A client gets at most a fixed number of rows at once. If more pass its filter, abnormal ones and an
even sample of the others are sent, and the rest is counted.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rigless.panel.wire.log import Entry, WireLog
from rigless.panel.wire.models import WireRow
from rigless.panel.wire.rows import refused_because, row_of, searchable

BATCH = 150  # rows sent at once, ten times per second
ALL_BATCH = 500  # of a recording, and of a search
FIRST = 2000  # rows of the past that a new subscription gets
SEARCH_S = 0.008  # computing time of one search


@dataclass(frozen=True)
class Filter:
    """The messages that a client wants; empty fields select all."""

    robot: str = ""
    port: str = ""
    direction: str = ""
    kind: str = ""
    subject: str = ""
    text: str = ""
    abnormal: bool = False

    def selects(self, entry: Entry) -> bool:
        """Return True if the entry passes, apart from its text."""
        packet = entry.packet
        return (
            (not self.robot or packet.robot == self.robot or entry.jump)
            and (not self.port or packet.port == self.port)
            and (not self.direction or packet.direction == self.direction)
            and (not self.kind or entry.kind == self.kind)
            and (not self.subject or packet.subject == self.subject)
            and (not self.abnormal or entry.abnormal or bool(refused_because(entry)))
        )


@dataclass
class Batch:
    """Rows to send. `skipped` rows passed the filter and were left out."""

    rows: list[WireRow] = field(default_factory=list)
    skipped: int = 0
    reset: bool = False


class Feed:
    """One client's place in a log. Of a log with `all_rows`, nothing is left out."""

    def __init__(
        self,
        log: WireLog,
        chosen: Filter,
        serial: int = 0,
        all_rows: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ):
        self.log, self.filter, self.serial = log, chosen, serial
        self.searching = False
        self._all_rows = all_rows
        self._clock = clock
        self._paused = False
        self._cursor = 0  # the number of the first entry not looked at
        self._reset = self._late = True

    def restart(self) -> None:
        """Begin with the past again, as after the log was cleared."""
        self._cursor, self._reset, self._late = 0, True, True

    def pause(self, on: bool) -> None:
        """Stop or continue sending rows. After a pause, more of the past is sent."""
        self._late |= self._paused and not on
        self._paused = on

    def batch(self) -> Batch | None:
        """Return the rows that are due, or None."""
        if self._paused and not self._reset:
            return None
        found = self._look()
        reset, late = self._reset, self._late
        self._reset, self._late = False, self.searching
        if not found and not reset:
            return None
        if self._all_rows:
            chosen = found
        elif reset and not self.searching:
            chosen = found = found[-FIRST:]  # the past is not counted as left out
        else:
            chosen = _sample(found, FIRST if late else BATCH)
        return Batch([row_of(entry) for entry in chosen], len(found) - len(chosen), reset)

    def _look(self) -> list[Entry]:
        """Return the entries that pass. A search stops after a while and continues next time."""
        select, needle = self.filter.selects, self.filter.text.lower()
        if not needle and not self._all_rows:
            found = [entry for entry in self.log.since(self._cursor) if select(entry)]
            self._cursor = self.log.next_number
            return found
        found = []
        end = self._clock() + SEARCH_S
        for entry in self.log.since(self._cursor):
            self._cursor = entry.number + 1
            if select(entry) and (not needle or needle in searchable(entry)):
                found.append(entry)
            if self._clock() > end or len(found) >= ALL_BATCH:
                break
        self.searching = self._cursor < self.log.next_number
        return found


def _sample(entries: list[Entry], limit: int) -> list[Entry]:
    """Return at most so many entries in order: abnormal ones, then an even sample of the others."""
    if len(entries) <= limit:
        return entries
    first = [entry for entry in entries if entry.abnormal]
    others = [entry for entry in entries if not entry.abnormal]
    kept = _evenly(first, limit - min(len(others), limit // 4))
    return sorted([*kept, *_evenly(others, limit - len(kept))])


def _evenly(entries: list[Entry], count: int) -> list[Entry]:
    if len(entries) <= count:
        return entries
    return [entries[n * len(entries) // count] for n in range(count)]
