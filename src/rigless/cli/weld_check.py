"""`rigless welder validate`: a weld program run in virtual time in its cell, judged, and told to people and machines."""

from collections.abc import Callable, Iterable
from pathlib import Path

from rigless import console
from rigless.console import print_line, print_note, progress
from rigless.kernel.problems import InputError, Problem
from rigless.robots.welder.offline.findings import Report
from rigless.robots.welder.offline.validate import Demands, validate_in
from rigless.robots.welder.robot import Welder
from rigless.scenario.load import open_target


def check(
    program: Path,
    cell: Path | None,
    target: str,
    settings: Iterable[str],
    seed: int | None,
    heat: str,
    strict: bool,
    outputs: dict[str, Path | None],
) -> int:
    """Validate; gives the exit code."""
    text = console.read_text(program)
    demands = Demands(*heat_range(heat))
    extra = [f"cell={cell}"] if cell is not None else []
    sim = open_target(target, [*settings, *extra], seed).simulation
    robot = next((name for name, robot in sim.robots.items() if isinstance(robot, Welder)), None)
    if robot is None:
        raise InputError(
            Problem(
                target, "has no welder in it", "name a welder's simulation.yaml, or leave it out"
            )
        )
    with progress(program.name) as bar:
        report = validate_in(
            sim,
            robot,
            text,
            demands,
            name=str(program),
            progress=lambda share: bar.update(0, completed=share),
        )
    report.cell = str(cell or "")
    write(report, text, outputs)
    show(report)
    return 1 if report.errors or (strict and report.warnings) else 0


def heat_range(given: str) -> tuple[float, float]:
    """LOW:HIGH in kJ/mm; either may be left out."""
    low, colon, high = given.partition(":")
    try:
        found = float(low or 0.0), float(high or "inf")
    except ValueError:
        found = (1.0, 0.0)
    if (given and not colon) or not 0.0 <= found[0] < found[1]:
        raise InputError(
            Problem("--heat", f"{given!r} is not a range in kJ/mm", "for example --heat 0.2:1.5")
        )
    return found


def show(report: Report) -> None:
    """The findings on stdout as compilers tell them, the figures on stderr."""
    from rigless.robots.welder.offline.report_text import place

    for found in report.findings:
        print_line(place(found, report.program))
    mark, style = (
        ("valid", "bold green") if report.valid else (f"{len(report.errors)} errors", "bold red")
    )
    print_note(f"{report.program}: {mark}, {len(report.warnings)} warnings", style)
    print_note(
        f"  cycle time {report.cycle_time_s:.2f} s, torch path {report.distance_mm:.0f} mm, {report.gcode_executed} lines,"
        f" arc on {report.arc_on_s:.1f} s, {report.weld_length_mm:.0f} mm welded, {report.collisions} collisions"
    )


def write(report: Report, text: str, outputs: dict[str, Path | None]) -> None:
    from rigless.robots.welder.offline import report_text as reports

    makers: dict[str, Callable[[], str]] = {
        "json": lambda: reports.json(report),
        "junit": lambda: reports.junit(report),
        "sarif": lambda: reports.sarif(report),
        "html": lambda: reports.html(report, text),
    }
    for kind, path in outputs.items():
        if path is not None:
            console.write_text(path, makers[kind]())
