"""Counts, rates and jitter of messages, by robot, port, direction, type and subject."""

from collections import deque
from itertools import pairwise
from statistics import pstdev
from typing import NamedTuple

from rigless.panel.wire.models import WireStatistics

WINDOW = 100  # instants over which rate and jitter are measured; one may have many messages
MOST = 2000  # types and subjects; more subjects are counted together
OTHERS = "(other subjects)"
SILENT_S = 2.0  # without a message for this time, and five periods, the rate is zero


class Key(NamedTuple):
    robot: str
    port: str
    direction: str
    type: str
    subject: str = ""  # a topic of ROS, NATS or MQTT


class _Counter:
    __slots__ = ("bytes", "count", "counts", "sizes", "times")

    def __init__(self) -> None:
        self.count = 0
        self.bytes = 0
        self.times: deque[int] = deque(maxlen=WINDOW)
        self.counts: deque[int] = deque(maxlen=WINDOW)
        self.sizes: deque[int] = deque(maxlen=WINDOW)

    def add(self, time_ns: int, size: int) -> None:
        self.count += 1
        self.bytes += size
        if self.times and self.times[-1] == time_ns:
            self.counts[-1] += 1
            self.sizes[-1] += size
            return
        self.times.append(time_ns)
        self.counts.append(1)
        self.sizes.append(size)


class Statistics:
    """Exact counts of all messages, sampled or not. Rates are in simulated time."""

    def __init__(self) -> None:
        self._counters: dict[Key, _Counter] = {}

    def add(self, key: Key, time_ns: int, size: int) -> None:
        """Count one message."""
        counter = self._counters.get(key)
        if counter is None:
            if key.subject and len(self._counters) >= MOST:
                key = key._replace(subject=OTHERS)
            counter = self._counters.setdefault(key, _Counter())
        counter.add(time_ns, size)

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
    rate_hz = jitter_ms = bytes_per_s = 0.0
    silent_ns = max(SILENT_S * 1e9, 5 * span_ns / max(len(gaps), 1))
    if gaps and min(gaps) > 0 and now_ns - times[-1] < silent_ns:
        rate_hz = (sum(counter.counts) - counter.counts[0]) / span_ns * 1e9
        bytes_per_s = rate_hz * sum(counter.sizes) / sum(counter.counts)
        jitter_ms = pstdev(gaps) / 1e6
    return {
        "robot": key.robot,
        "port": key.port,
        "direction": "in" if key.direction == "in" else "out",
        "kind": key.type,
        "subject": key.subject,
        "count": counter.count,
        "bytes": counter.bytes,
        "rate_hz": rate_hz,
        "jitter_ms": jitter_ms,
        "bytes_per_s": bytes_per_s,
    }
