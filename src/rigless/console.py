"""Console output and text files of commands: notes and progress on stderr, data on stdout."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rigless.kernel.compilation import observed
from rigless.kernel.problems import InputError, Problem

if TYPE_CHECKING:
    from rigless.kernel.events import Event

COLOURS = {"debug": "dim", "info": "", "warning": "yellow", "error": "red", "critical": "bold red"}
EVENTS_PER_S = 40  # lines of events in a second of wall time


@cache
def stderr_console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_note(text: str = "", style: str = "") -> None:
    """Print a line for people on stderr."""
    stderr_console().print(text, style=style or None, markup=False, soft_wrap=True)


def print_problems(error: InputError) -> None:
    """Print every problem of an error on its own line: where, what, and how to fix it."""
    for problem in error.problems:
        print_note(f"error: {problem}", "red")


def print_event(event: "Event") -> None:
    """Print the time, severity, robot and text of an event on stderr."""
    robot = f"{event.robot}: " if event.robot else ""
    print_note(
        f"{event.time_ns / 1e9:10.3f} s  {event.severity:<8} {robot}{event.text}",
        COLOURS[event.severity],
    )


class EventPrinter:
    """Prints events, but not more than a terminal can show.

    A flood of messages may cause an event each. Printing them would take more time than handling
    the messages.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._begin_s = -1.0
        self._printed = self._left_out = 0

    def show(self, event: "Event") -> None:
        """Print an event, or only count it. The next event later on prints the count."""
        now_s = self._clock()
        if self._begin_s < 0 or now_s - self._begin_s >= 1.0:
            self.finish()
            self._begin_s, self._printed = now_s, 0
        if self._printed >= EVENTS_PER_S:
            self._left_out += 1
            return
        self._printed += 1
        print_event(event)

    def finish(self) -> None:
        """Print the number of events that were left out."""
        if self._left_out:
            print_note(f"{self._left_out} more events were not printed; the panel has the newest")
        self._left_out = 0


def print_line(text: str) -> None:
    """Print a line for programs on stdout and flush it."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class CompileNote:
    """Prints one line in a process when something is compiled for this machine."""

    printed = False  # by any of them

    def __init__(self) -> None:
        self.functions = 0

    def begin(self, function: str) -> None:
        if not CompileNote.printed:
            CompileNote.printed = True
            print_note("compiling for this machine; later starts are quick …", "dim")
        self.functions += 1

    def end(self, done: int, total: int) -> None:
        return


class CompileBar(CompileNote):
    """Shows the progress of compilation in a terminal, and one line elsewhere."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label, self._begun = label, 0.0
        self._bar: Any = None

    def begin(self, function: str) -> None:
        if not stderr_console().is_terminal:
            super().begin(function)
            return
        if self._bar is None:
            self._begun = time.monotonic()
            self._bar = progress(self._label)
            self._bar.start()
        self.functions += 1
        self._bar.update(self._bar.task_ids[0], description=f"compiling {self._label}: {function}")

    def end(self, done: int, total: int) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done / max(total, 1))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            took_s = time.monotonic() - self._begun
            print_note(f"compiled {self._label} in {took_s:.0f} s; later starts are quick", "dim")


@contextmanager
def compile_progress(label: str) -> Iterator[None]:
    """Show the progress of compilation inside the block, if anything is compiled."""
    bar = CompileBar(label)
    try:
        with observed(bar):
            yield
    finally:
        bar.close()


def progress(label: str) -> Any:
    """Return a progress bar on stderr, shown only in a terminal; `update(task, completed=…)`."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    console = stderr_console()
    bar = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
    bar.add_task(label, total=1.0)
    return bar


def read_text(path: Path) -> str:
    """Read a text file named on the command line; raise InputError if that fails."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise InputError(Problem("", f"cannot be read: {error.strerror}", file=str(path))) from None


def write_text(path: Path, text: str) -> None:
    """Write a text file named on the command line; raise InputError if that fails."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            Problem(str(path), f"cannot be written: {error.strerror}", "choose another file")
        ) from None


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write text files by their paths below a folder, which is created; raise InputError."""
    for name, text in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what = f"cannot be created: {error.strerror}"
            raise InputError(Problem(str(path.parent), what, "choose another folder")) from None
        write_text(path, text)
