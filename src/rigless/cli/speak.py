"""How the command line talks to people: notes on stderr in colours that mean something, data on stdout."""

import sys
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
    say(f"{event.time_ns / 1e9:10.3f} s  {event.severity:<8} {robot}{event.text}", COLOURS[event.severity])


def line(text: str) -> None:
    """A line for programs, on stdout at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


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
