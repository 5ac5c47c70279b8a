"""`rigless welder …`: what can be said about a weld program without a robot."""

from pathlib import Path
from typing import Annotated

import typer

welder = typer.Typer(help="Look at weld programs: how long they take.", no_args_is_help=True)


@welder.callback()
def commands() -> None:
    return


@welder.command("cycle-time")
def cycle_time(
    program: Annotated[Path, typer.Argument(metavar="PROG", help="A G-code program.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    letters: Annotated[str, typer.Option(help="The program's axis letters: XYZABC, or ABCUVW.")] = "XYZABC",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a config key of the welder.")
    ] = None,
    baud: Annotated[
        int,
        typer.Option(
            min=0, max=12_000_000, help="Bits a second of the serial line that brings the program; 0 is no limit."
        ),
    ] = 0,
) -> None:
    """Say how long a program takes, by motion, process, dwell and I/O, without running it.

    A dense program (many tiny blocks) may run shorter than its text takes to send: --baud 115200 plans with the lines that have come
    by then, as the controller does. Time at rest in want of a line is told as stream.

    Exit code 0; 1 if lines of it cannot be run; 2 if there is no such program.

    Example:

      rigless welder cycle-time seam.nc --set coordinates=cartesian --json

      rigless welder cycle-time spline.nc --baud 115200
    """
    from rigless.cli.speak import line
    from rigless.kernel.plain import to_json
    from rigless.kernel.problems import InputError, Problem
    from rigless.robots.welder.config import WelderConfig
    from rigless.robots.welder.cycle_time import estimate
    from rigless.scenario.load import open_target

    if letters not in ("XYZABC", "ABCUVW"):
        raise InputError(Problem("--letters", f"{letters!r} is not a choice", "XYZABC or ABCUVW"))
    try:
        text = program.read_text("utf-8", errors="replace")
    except OSError as error:
        raise InputError(Problem("", f"cannot be read: {error.strerror}", file=str(program))) from None
    words = [f"letters={letters}", f"baud={baud}", *(settings or ())]
    config = open_target("welder", words, collect=False).simulation.robot("welder").config
    assert isinstance(config, WelderConfig)
    found = estimate(text, config)
    seconds = {
        f"{name}_s": getattr(found, f"{name}_s") for name in ("motion", "process", "dwell", "io", "stream", "total")
    }
    if json:
        errors = [{"line": number, "text": text, "error": why} for number, text, why in found.errors]
        counts = {
            "path_deg": found.path_deg,
            "path_mm": found.path_mm,
            "lines": found.lines,
            "moves": found.moves,
            "errors": errors,
        }
        line(to_json({"program": str(program), **seconds, **counts}).decode())
    else:
        for name, value in seconds.items():
            line(f"{name.removesuffix('_s'):8} {value:10.3f} s")
        for number, text, why in found.errors:
            line(f"{program}:{number}: {why}  ({text})")
    raise typer.Exit(1 if found.errors else 0)
