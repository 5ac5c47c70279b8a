"""How the command line talks to people: notes on stderr in colours that mean something, data on stdout."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigless.kernel.events import Event
    from rigless.kernel.problems import InputError

COLOURS = {"debug": "dim", "info": "", "warning": "yellow", "error": "red", "critical": "bold red"}


@cache
def console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def say(text: str = "", style: str = "") -> None:
    console().print(text, style=style or None, markup=False, soft_wrap=True)


def complain(error: "InputError") -> None:
    """Every problem on its own line: where, what, and how to fix it."""
    for problem in error.problems:
        say(f"error: {problem}", "red")


def tell(event: "Event") -> None:
    robot = f"{event.robot}: " if event.robot else ""
    say(
        f"{event.time_ns / 1e9:10.3f} s  {event.severity:<8} {robot}{event.text}",
        COLOURS[event.severity],
    )


def line(text: str) -> None:
    """A line for programs, on stdout at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


@contextmanager
def patience(after_s: float = 5.0) -> Iterator[None]:
    """Who waits long for a start is told why that may be."""
    text = "still starting: the first start after an installation or a change compiles for this machine (a minute or so)"
    note = threading.Timer(after_s, say, (text, "dim"))
    note.daemon = True
    note.start()
    try:
        yield
    finally:
        note.cancel()


def progress(label: str) -> Any:
    """A progress bar on stderr that shows only in a terminal; `update(task, completed=…)`."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=console(), disable=not console().is_terminal, transient=True)
    bar.add_task(label, total=1.0)
    return bar
