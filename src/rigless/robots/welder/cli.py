"""`rigless welder …`: what can be said about a weld program without a robot."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Look at weld programs and cells: what is wrong with them, how long they take, what the arm reaches.",
    no_args_is_help=True,
)


def commands() -> typer.Typer:
    """Return the commands of `rigless welder`."""
    return app


@app.command("cycle-time")
def cycle_time(
    program: Annotated[Path, typer.Argument(metavar="PROG", help="A G-code program.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    letters: Annotated[
        str, typer.Option(help="The program's axis letters: XYZABC, or ABCUVW.")
    ] = "XYZABC",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a config key of the welder."),
    ] = None,
    baud: Annotated[
        int,
        typer.Option(
            min=0,
            max=12_000_000,
            help="Bits a second of the serial line that brings the program; 0 is no limit.",
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
    from rigless.console import print_line, read_text
    from rigless.kernel.plain import to_json
    from rigless.kernel.problems import InputError, Problem
    from rigless.robots.welder.config import WelderConfig
    from rigless.robots.welder.offline.cycle_time import estimate
    from rigless.scenario.load import open_target

    if letters not in ("XYZABC", "ABCUVW"):
        raise InputError(Problem("--letters", f"{letters!r} is not a choice", "XYZABC or ABCUVW"))
    text = read_text(program)
    words = [f"letters={letters}", f"baud={baud}", *(settings or ())]
    config = open_target("welder", words, collect=False).simulation.robot("welder").config
    assert isinstance(config, WelderConfig)
    found = estimate(text, config)
    seconds = {
        f"{name}_s": getattr(found, f"{name}_s")
        for name in ("motion", "process", "dwell", "io", "stream", "total")
    }
    if json:
        errors = [
            {"line": number, "text": text, "error": why} for number, text, why in found.errors
        ]
        counts = {
            "path_deg": found.path_deg,
            "path_mm": found.path_mm,
            "lines": found.lines,
            "moves": found.moves,
            "errors": errors,
        }
        print_line(to_json({"program": str(program), **seconds, **counts}).decode())
    else:
        for name, value in seconds.items():
            print_line(f"{name.removesuffix('_s'):8} {value:10.3f} s")
        for number, text, why in found.errors:
            print_line(f"{program}:{number}: {why}  ({text})")
    raise typer.Exit(1 if found.errors else 0)


@app.command("validate")
def validate(
    program: Annotated[Path, typer.Argument(metavar="PROG", help="A G-code program.")],
    cell: Annotated[Path | None, typer.Option(help="What stands around the arm (YAML).")] = None,
    config: Annotated[
        str, typer.Option(help="A simulation.yaml or scenario with the welder.")
    ] = "welder",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="key=value, for example letters=ABCUVW.")
    ] = None,
    heat: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Heat input that every seam keeps to, kJ/mm.")
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    seed: Annotated[int | None, typer.Option(help="Of the arc's chances.")] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="F", help="Write JSON, the same for the same run.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="F", help="Write JUnit XML, a test a rule.")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option(metavar="F", help="Write SARIF 2.1.0 for code review.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="F", help="Write a page with plots and the program.")
    ] = None,
) -> None:
    """Run a program in virtual time and tell everything that is wrong with it, by line: collisions, limits, singularities,
    poses out of reach, alarms, arc faults, heat input.

    Exit code 0 if it is valid; 1 if something is wrong; 2 if the program or the cell cannot be read.

    Examples:

      rigless welder validate seam.nc --cell cell.yaml

      rigless welder validate seam.nc --cell cell.yaml --heat 0.2:1.5 --html report.html --junit report.xml
    """
    from rigless.cli.weld_check import check

    outputs = {"json": json, "junit": junit, "sarif": sarif, "html": html}
    raise typer.Exit(check(program, cell, config, settings or (), seed, heat, strict, outputs))


@app.command("reach")
def reach(
    pose: Annotated[
        list[str],
        typer.Option(
            metavar="X,Y,Z,RX,RY,RZ",
            help="A pose of the torch's tip: mm, and roll, pitch, yaw in degrees. May be repeated.",
        ),
    ] = [],
    cell: Annotated[
        str,
        typer.Option(
            metavar="CELL",
            help="What stands around the arm: a cell's YAML, or a shipped one's name.",
        ),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    map_mm: Annotated[
        float,
        typer.Option(
            "--map", metavar="MM", help="Map all of the workspace, a place every so many mm."
        ),
    ] = 0.0,
    out: Annotated[
        Path | None, typer.Option(metavar="F", help="Where the map goes: .npz, .csv or .ply.")
    ] = None,
    frame: Annotated[
        str,
        typer.Option(
            help="What poses are told in: base (the arm's), or work (the cell's work frame)."
        ),
    ] = "base",
    jobs: Annotated[
        int, typer.Option(min=0, max=256, help="Processes for a map; 0: one a core.")
    ] = 0,
) -> None:
    """Say whether the torch gets to a pose, or map everything it gets to.

    A pose is of the torch's tip (the end of the wire, z out of the torch) in millimetres and degrees; the angles are roll, pitch and yaw about
    fixed axes. It is reachable if there are joint angles for it (has_solution) within their limits (within_limits) at which nothing
    touches (collision_free). Exit code 0 if all poses are reachable, 1 if not, 2 for bad input.

    A map tries six directions of the torch at each place and tells how many are reached there.

    Examples:

      rigless welder reach --pose 800,0,500,180,0,0 --json

      rigless welder reach --pose 0,0,50,180,0,0 --frame work --cell weld_table

      rigless welder reach --map 50 --out reach.ply --cell cramped
    """
    from rigless.cli.reach import answer, draw_map

    if bool(pose) == bool(map_mm):
        raise typer.BadParameter("give --pose, or --map with --out; one of them")
    raise typer.Exit(
        draw_map(map_mm, out, cell, jobs, json) if map_mm else answer(pose, cell, frame, json)
    )
