"""Measures how late the host handles due events.

Robots whose interface reports it get it as an input. The value changes in steps and at most once a
second, since each change is an input to every such robot.
"""

from collections import deque

SAMPLES = 500
FEWEST = 50
EVERY_NS = 1_000_000_000
PART = 0.99
STEPS_MS = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
NS_PER_MS = 1e6


class Lateness:
    """`p99_ms` is the 99th percentile of the lateness, rounded up to a step.

    It falls only when the percentile is well below the step.
    """

    def __init__(self) -> None:
        self.p99_ms = 0.0
        self._late_ns: deque[int] = deque(maxlen=SAMPLES)
        self._next_ns = 0

    def note(self, late_ns: int) -> None:
        self._late_ns.append(late_ns)

    def changed(self, wall_ns: int) -> bool:
        """Update `p99_ms`, at most once a second; return whether it changed."""
        if wall_ns < self._next_ns or len(self._late_ns) < FEWEST:
            return False
        self._next_ns = wall_ns + EVERY_NS
        late_ms = sorted(self._late_ns)[int(PART * (len(self._late_ns) - 1))] / NS_PER_MS
        if 0.3 * self.p99_ms <= late_ms <= self.p99_ms:
            return False
        step_ms = next((step for step in STEPS_MS if late_ms <= step), STEPS_MS[-1])
        before, self.p99_ms = self.p99_ms, step_ms
        return step_ms != before
