"""The progress of a sweep: a bar in a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rigless.console import print_note, stderr_console
from rigless.sweeps.row import Row
from rigless.sweeps.run_clock import RunClock

LINE_S = 10.0  # between lines that are no bar


class Progress:
    """Shows runs, failures, the rate and the time left.

    `bounded` sweeps may end before all runs. `known` returns the runs that were in the table.
    """

    def __init__(self, name: str, total: int, quiet: bool = False, bounded: bool = False):
        self._total, self._bounded = total, bounded
        self.known: Callable[[], int] = lambda: 0
        self._done = self._failed = self._unjudged = 0
        self._clock, self._line = RunClock(), time.monotonic()
        self._quiet = quiet
        self.watch: Callable[[Row], None] = lambda row: None
        self._bar: Any = None
        if not quiet and stderr_console().is_terminal:
            self._bar = _bar()
            self._task = self._bar.add_task(name, total=total, state="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def add(self, row: Row) -> None:
        """Count a run that has ended."""
        self.watch(row)
        self._done += 1
        if self._done > self.known():
            self._clock.add(row)
        self._failed += row.verdict == "fail"
        self._unjudged += row.verdict in ("error", "invalid")
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, state=self.text())
        elif not self._quiet and time.monotonic() - self._line > LINE_S:
            self._line = time.monotonic()
            print_note(f"{self._done}/{self._total} runs, {self.text()}", "dim")

    def text(self) -> str:
        """Return failures, rate and time left."""
        rate = (self._done - self.known()) / max(self._clock.seconds(), 1e-3)
        parts = [f"{self._failed} failed"]
        parts += [f"{self._unjudged} without verdict"] if self._unjudged else []
        if rate > 0:
            left = f"{_duration((self._total - self._done) / rate)} left"
            parts += [f"{60 * rate:.0f} runs/min", f"at most {left}" if self._bounded else left]
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes}:{rest:02}"


def _bar() -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}"),
    )
    return Progress(*columns, console=stderr_console(), transient=True)
