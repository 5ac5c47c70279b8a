"""Expectations on the number of messages a second in a window."""

from typing import Any

from rigless.kernel.timing.rate import to_ns
from rigless.scenario.expect.counts import MessageWatch
from rigless.scenario.expect.curve import Curve
from rigless.scenario.expect.margins import inside, moment
from rigless.scenario.verdict import Verdict

BINS = 100  # points of the plot
PER_BIN = 5  # messages in a bin at least, at the expected rate


class RateWatch(MessageWatch):
    """A mean rate: the number of messages over the length of the window.

    A window without to_s lasts until the end of the run. The plot has the rate in short bins.
    """

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.low, self.high = 0, None
        end_ns = to_ns(self.run.duration_s) if self.end_ns is None else self.end_ns
        length_s = max((end_ns - self.start_ns) / 1e9, 1e-9)
        wanted_hz = self.e.min_hz or self.e.max_hz or 1.0
        self._bin_s = min(length_s, max(length_s / BINS, PER_BIN / wanted_hz))
        self._bins: dict[int, int] = {}

    def see(self, time_ns: int, robot: str) -> None:
        self.count += 1
        key = int((time_ns - self.start_ns) / 1e9 / self._bin_s)
        self._bins[key] = self._bins.get(key, 0) + 1

    def decided(self) -> bool:
        if self.failure or self.window_ended():
            return True
        if self.end_ns is None:
            return False
        hz = self.count / max((self.end_ns - self.start_ns) / 1e9, 1e-9)
        if self.e.max_hz is not None:
            return hz > self.e.max_hz
        return hz >= (self.e.min_hz or 0.0)

    def verdict(self) -> Verdict:
        e, length_s = self.e, self.closing_s() - self.start_ns / 1e9
        if self.end_ns is not None and self.decided():  # also if the run ends in the window
            length_s = (self.end_ns - self.start_ns) / 1e9
        if self.failure or length_s <= 0:
            ended = moment(self.run.now_ns / 1e9)
            what = self.failure or f"the run ended at {ended}, before from_s"
            return self.result(False, what, low=e.min_hz, high=e.max_hz)
        hz = self.count / length_s
        margin = inside(hz, e.min_hz, e.max_hz)
        far = "" if margin >= 0 else f", {-margin:.4g} too {'few' if self._is_slow(hz) else 'many'}"
        noun = "message" if hz == 1 else "messages"
        return self.result(
            margin >= 0,
            f"{hz:.6g} {noun} per second, {self.count} in {length_s:g} s{far}",
            margin=margin,
            broke_at_s=self.closing_s(),
            curve=self._plot(),
            low=e.min_hz,
            high=e.max_hz,
        )

    def _is_slow(self, hz: float) -> bool:
        return self.e.min_hz is not None and hz < self.e.min_hz

    def _plot(self) -> Curve:
        """Return the rate in each full bin."""
        curve, begin_s = Curve(), self.start_ns / 1e9
        full = int((self.closing_s() - begin_s) / self._bin_s + 1e-9)
        for key in range(full):
            hz = self._bins.get(key, 0) / self._bin_s
            curve.add(begin_s + (key + 0.5) * self._bin_s, hz)
        return curve
