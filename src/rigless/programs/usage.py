"""Memory and CPU time of a program with all its processes (Linux)."""

import contextlib
import os
from dataclasses import dataclass, field

from rigless.programs.reaper import processes_below_quickly
from rigless.scenario.verdict import Series

TICKS = os.sysconf("SC_CLK_TCK")
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6
POINTS = 1200  # of a series; then every second point is dropped


@dataclass
class Usage:
    """The use of the machine so far."""

    cpu_s: float = 0.0
    memory_mb: float = 0.0  # the largest sum over all processes at one time
    cpu: Series = field(default_factory=Series)  # in cores
    memory: Series = field(default_factory=Series)  # in MB
    _of_process: dict[int, float] = field(default_factory=dict)
    _last: tuple[float, float] | None = None  # wall time, CPU time

    def sample(self, root: int, time_s: float, wall_s: float) -> None:
        """Measure the processes below `root` at a simulated and a wall time."""
        memory_mb = 0.0
        for pid in processes_below_quickly(root):
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{pid}/stat", "rb") as stat:
                    fields = stat.read().rpartition(b")")[2].split()
                self._of_process[pid] = (int(fields[11]) + int(fields[12])) / TICKS
                memory_mb += int(fields[21]) * PAGE_MB
        self.cpu_s = max(self.cpu_s, sum(self._of_process.values()))
        self.memory_mb = max(self.memory_mb, memory_mb)
        if self._last is not None and wall_s > self._last[0]:
            cores = (self.cpu_s - self._last[1]) / (wall_s - self._last[0])
            _append(self.cpu, time_s, max(cores, 0.0))
            _append(self.memory, time_s, memory_mb)
        self._last = (wall_s, self.cpu_s)

    def ended(self, cpu_s: float, max_rss_kb: float, reaper_rss_kb: float) -> None:
        """Take the figures that the system gives when the processes have ended.

        Its memory begins with that of the reaper, which it was forked from. A figure of this size
        says nothing, unless the program ended before it was measured.
        """
        self.cpu_s = max(self.cpu_s, cpu_s)
        if max_rss_kb > reaper_rss_kb or not self.memory_mb:
            self.memory_mb = max(self.memory_mb, max_rss_kb * 1024 / 1e6)


def _append(series: Series, time_s: float, value: float) -> None:
    series.times_s.append(round(time_s, 3))
    series.values.append(round(value, 3))
    if len(series.times_s) > POINTS:
        series.times_s, series.values = series.times_s[::2], series.values[::2]
