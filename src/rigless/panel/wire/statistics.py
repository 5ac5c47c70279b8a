"""Counts, rates and jitter of messages, by robot, port, direction and type."""

from collections import deque
from itertools import pairwise
from statistics import pstdev
from typing import NamedTuple

from rigless.panel.wire.models import WireStatistics

WINDOW = 100  # messages over which rate and jitter are measured
SILENT_S = 2.0  # without a message for this time, and five periods, the rate is zero


class Key(NamedTuple):
    robot: str
    port: str
    direction: str
    type: str


class _Counter:
    __slots__ = ("bytes", "count", "sizes", "times")

    def __init__(self) -> None:
        self.count = 0
        self.bytes = 0
        self.times: deque[int] = deque(maxlen=WINDOW)
        self.sizes: deque[int] = deque(maxlen=WINDOW)


class Statistics:
    """Exact counts of all messages, sampled or not. Rates are in simulated time."""

    def __init__(self) -> None:
        self._counters: dict[Key, _Counter] = {}

    def add(self, key: Key, time_ns: int, size: int) -> None:
        """Count one message."""
        counter = self._counters.get(key)
        if counter is None:
            counter = self._counters[key] = _Counter()
        counter.count += 1
        counter.bytes += size
        counter.times.append(time_ns)
        counter.sizes.append(size)

    def rows(self, now_ns: int, robot: str = "", limit: int = 200) -> list[WireStatistics]:
        """Return the statistics of each type, the most frequent first."""
        chosen = [
            (key, counter) for key, counter in self._counters.items() if robot in ("", key.robot)
        ]
        chosen.sort(key=lambda pair: -pair[1].count)
        return [_row(key, counter, now_ns) for key, counter in chosen[:limit]]


def _row(key: Key, counter: _Counter, now_ns: int) -> WireStatistics:
    times = list(counter.times)
    gaps = [after - before for before, after in pairwise(times)]
    span_ns = sum(gaps)
    rate_hz = jitter_ms = 0.0
    if gaps and span_ns > 0 and min(gaps) >= 0:
        period_ns = span_ns / len(gaps)
        if now_ns - times[-1] < max(SILENT_S * 1e9, 5 * period_ns):
            rate_hz, jitter_ms = 1e9 / period_ns, pstdev(gaps) / 1e6
    return {
        "robot": key.robot,
        "port": key.port,
        "direction": "in" if key.direction == "in" else "out",
        "kind": key.type,
        "count": counter.count,
        "bytes": counter.bytes,
        "rate_hz": rate_hz,
        "jitter_ms": jitter_ms,
        "bytes_per_s": rate_hz * sum(counter.sizes) / max(len(counter.sizes), 1),
    }
