"""The options of `rigless run` that split a fleet over processes."""

from typing import Annotated

import typer

MOST_PROCESSES = 64

Shard = Annotated[
    str | None,
    typer.Option(
        metavar="K/N",
        help="Run only part K of N of the robots; the other parts run in other processes.",
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MOST_PROCESSES,
        help="Split the robots over N processes; this one supervises them and has the panel.",
    ),
]


def shard_settings(shard: str | None, processes: int | None, count: int | None) -> list[str]:
    """Return these options as settings of the scenario. Raises InputError."""
    from rigless.kernel.fleet.shard import Shard as Part
    from rigless.kernel.problems import InputError, Problem

    if shard is not None and processes is not None:
        raise typer.BadParameter("--shard and --processes exclude each other; choose one")
    if shard is not None and Part.parse(shard).number == 0:
        what = f"{shard!r} has no robots: parts count from 1"
        raise InputError(Problem("--shard", what, f"1{shard[1:]}"))
    part = shard if shard is not None else f"0/{processes}" if processes else ""
    return [*([f"count={count}"] if count else []), *([f"shard={part}"] if part else [])]
