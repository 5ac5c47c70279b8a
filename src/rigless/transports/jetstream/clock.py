"""Estimates the server's clock, by which the age of a command is judged.

So the date of this machine may be wrong. Each reply that carries the server's time was made between
request and reply; of the last samples, the one with the shortest round trip is the best. Local time
is monotonic, so that setting the date of this machine does not move the estimate.
"""

from collections import deque

SAMPLES = 8
RATE = 2e-4  # drift between two clocks, s/s


class ServerClock:
    def __init__(self) -> None:
        self._samples: deque[tuple[int, int, int]] = deque(
            maxlen=SAMPLES
        )  # sent, received (local), server's time

    @property
    def known(self) -> bool:
        return bool(self._samples)

    def sample(self, sent_ns: int, received_ns: int, server_ns: int) -> None:
        if self._samples and not self._fits(sent_ns, received_ns, server_ns):
            self._samples.clear()  # the server's clock was set
        self._samples.append((sent_ns, received_ns, server_ns))

    def _fits(self, sent_ns: int, received_ns: int, server_ns: int) -> bool:
        """Return whether a sample is consistent with the others."""
        begun, ended, there = self._best()
        slack = int((received_ns - begun) * RATE) + 1_000_000
        return (
            there - ended - slack <= server_ns - sent_ns
            and server_ns - received_ns <= there - begun + slack
        )

    def _best(self) -> tuple[int, int, int]:
        return min(self._samples, key=lambda sample: sample[1] - sample[0])

    def now_ns(self, local_ns: int) -> int:
        """Return the server's time in nanoseconds since 1970."""
        sent, received, server = self._best()
        return server + local_ns - (sent + received) // 2

    def age_ms(self, stored_ns: int, local_ns: int) -> float:
        """Return the age of a stored message; 0 while the server's clock is unknown."""
        return max(0.0, (self.now_ns(local_ns) - stored_ns) / 1e6) if self._samples else 0.0
