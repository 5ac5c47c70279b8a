"""Console output and text files of commands: notes and progress on stderr, data on stdout."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rigless.kernel.problems import InputError, Problem

if TYPE_CHECKING:
    from rigless.kernel.events import Event

COLOURS = {"debug": "dim", "info": "", "warning": "yellow", "error": "red", "critical": "bold red"}


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


def print_line(text: str) -> None:
    """Print a line for programs on stdout and flush it."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@contextmanager
def slow_start_note(after_s: float = 5.0) -> Iterator[None]:
    """Explain a start that takes longer than this: compiling is the usual reason."""
    text = (
        "still starting: the first start after an installation or a change compiles for this "
        "machine (a minute or so)"
    )
    note = threading.Timer(after_s, print_note, (text, "dim"))
    note.daemon = True
    note.start()
    try:
        yield
    finally:
        note.cancel()


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
