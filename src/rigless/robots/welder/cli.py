"""`rigless welder …`: check weld programs and the reach of the torch without a robot."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rigless.kernel.simulation import Simulation
    from rigless.robots.welder.config import WelderConfig
    from rigless.robots.welder.offline.findings import Report
    from rigless.robots.welder.robot import Welder

FINEST_MM = 10.0  # of a map
BLOCK = 100  # places that a process computes at a time

ConfigOption = Annotated[
    str, typer.Option(metavar="FILE", help="A simulation.yaml or scenario with the welder.")
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a config key of the welder, for example urdf=arm.urdf. May be repeated.",
    ),
]

app = typer.Typer(
    help="Check weld programs and cells: errors, cycle time, reach.", no_args_is_help=True
)


def commands() -> typer.Typer:
    """Return the commands of `rigless welder`."""
    return app


def use_all() -> None:
    """Use the arm in its cell, for `rigless compile`: cycle times, reach, maps, checked motions."""
    from importlib.resources import files

    import numpy as np

    from rigless.motion.arm.continuous_collision import contacts_along
    from rigless.motion.arm.point_in_mesh import is_inside
    from rigless.motion.arm.reach_map import count_reached, tool_turns
    from rigless.robots.welder import Arm as WelderArm
    from rigless.robots.welder.arm.body import reach
    from rigless.robots.welder.config import WelderConfig
    from rigless.robots.welder.offline.cycle_time import estimate
    from rigless.scenario.load import load
    from rigless.scenario.warm_up import warm_up
    from rigless.worlds.cells.cell import Cell

    warm_up(load("welder", settings=["coordinates=cartesian", "cell=weld_table"]))
    estimate("G91 G0 Z-1\nG1 Z-1 F600\nG2 X1 I0.5\n", WelderConfig(coordinates="cartesian"))
    WelderArm().forward([0.0] * 6)
    reach(WelderConfig(urdf=str(files("rigless.robots.welder") / "arm.urdf")))  # as a user's
    arm = reach(cell=Cell.load("weld_table"))
    assert arm.collider is not None
    arm.pose(arm.collider.model.tool(np.zeros(6)))
    count_reached(arm, np.zeros((1, 3)), tool_turns())
    contacts_along(arm.collider, np.zeros((2, 6)))
    is_inside(arm.collider.cell["part"].solid.mesh, np.zeros(3))


@app.command("cycle-time")
def cycle_time(
    program: Annotated[Path, typer.Argument(metavar="PROG", help="A G-code program.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    letters: Annotated[
        str, typer.Option(help="The program's axis letters: XYZABC (default), or ABCUVW.")
    ] = "",
    config: ConfigOption = "welder",
    settings: SettingsOption = None,
    baud: Annotated[
        int,
        typer.Option(
            min=0,
            max=12_000_000,
            help="Bits per second of the serial line that carries the program; 0 is no limit.",
        ),
    ] = 0,
) -> None:
    """Print how long a program takes, by motion, process, dwell and I/O, without running it.

    A dense program (many tiny blocks) may run in less time than its text takes to send. With
    --baud 115200 the plan uses only lines that have arrived by then, as the controller does. Time
    at rest while waiting for lines is listed as stream.

    Exit code 0; 1 if lines of it cannot be run; 2 if there is no such program.

    Example:

      rigless welder cycle-time seam.nc --set coordinates=cartesian --json

      rigless welder cycle-time spline.nc --baud 115200
    """
    from rigless.console import print_line, print_note, read_text
    from rigless.kernel.plain import to_json
    from rigless.kernel.problems import InputError, Problem
    from rigless.robots.welder.offline.cycle_time import cartesian_hint, estimate

    if letters not in ("", "XYZABC", "ABCUVW"):
        raise InputError(Problem("--letters", f"{letters!r} is not a choice", "XYZABC or ABCUVW"))
    text = read_text(program)
    options = {"letters": letters, "baud": baud}
    words = [*(f"{key}={value}" for key, value in options.items() if value), *(settings or ())]
    welder = _open_welder(config, words)[1]
    found = estimate(text, welder.config, key=welder.noise_key("weld"))
    hint = cartesian_hint(text, welder.config, [error for _, _, error in found.errors])
    if json:
        print_line(to_json({"program": str(program), **found.summary(), "hint": hint}).decode())
    else:
        for row in found.rows(str(program)):
            print_line(row)
        if hint:
            print_note(f"hint: {hint}", "yellow")
    raise typer.Exit(1 if found.errors else 0)


@app.command("validate")
def validate(
    program: Annotated[Path, typer.Argument(metavar="PROG", help="A G-code program.")],
    cell: Annotated[Path | None, typer.Option(help="The cell around the arm (YAML).")] = None,
    config: ConfigOption = "welder",
    settings: SettingsOption = None,
    heat: Annotated[
        str,
        typer.Option(
            metavar="LOW:HIGH", help="Allowed heat input of every seam, kJ/mm. Default: 0.1:3"
        ),
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of the arc's random numbers.")] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="F", help="Write JSON, the same for the same run.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="F", help="Write JUnit XML, one test for each rule.")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option(metavar="F", help="Write SARIF 2.1.0 for code review.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="F", help="Write a page with plots and the program.")
    ] = None,
) -> None:
    """Run a program in virtual time and report all problems by line.

    Problems are collisions, limits, singularities, poses out of reach, alarms, arc faults and heat
    input.

    Exit code 0 if it is valid; 1 if there are errors; 2 if the program or the cell cannot be read.

    Examples:

      rigless welder validate seam.nc --cell cell.yaml

      rigless welder validate seam.nc --cell cell.yaml --heat 0.2:1.5 --html report.html
    """
    from rigless.console import print_line, print_note, progress, read_text, write_text
    from rigless.robots.welder.offline import report_text
    from rigless.robots.welder.offline.seam_checks import Demands
    from rigless.robots.welder.offline.validate import validate_in

    text = read_text(program)
    demands = Demands(*_heat_range(heat)) if heat else Demands()
    extra = [f"cell={cell}"] if cell is not None else []
    sim, robot = _open_welder(config, [*(settings or ()), *extra], seed)
    with progress(program.name) as bar:
        report = validate_in(
            sim,
            robot.name,
            text,
            demands,
            name=str(program),
            progress=lambda share: bar.update(0, completed=share),
        )
    report.cell = str(cell or "")
    if json is not None:
        write_text(json, report_text.json(report))
    if junit is not None:
        write_text(junit, report_text.junit(report))
    if sarif is not None:
        write_text(sarif, report_text.sarif(report))
    if html is not None:
        write_text(html, report_text.html(report, text))
    for finding in report.findings:
        print_line(report_text.row(finding, report.program))
    _print_summary(report, print_note)
    raise typer.Exit(1 if report.errors or (strict and report.warnings) else 0)


def _open_welder(
    target: str, settings: list[str], seed: int | None = None
) -> "tuple[Simulation, Welder]":
    """Return the simulation of a target and its first welder. Raises InputError."""
    from rigless.kernel.problems import InputError, Problem
    from rigless.robots.welder.robot import Welder
    from rigless.scenario.load import open_target

    sim = open_target(target, settings, seed).simulation
    for robot in sim.robots.values():
        if isinstance(robot, Welder):
            return sim, robot
    fix = "name a welder's simulation.yaml, or leave it out"
    raise InputError(Problem(target, "has no welder in it", fix))


def _heat_range(text: str) -> tuple[float, float]:
    """Read LOW:HIGH in kJ/mm; either may be left out. Raises InputError."""
    from rigless.kernel.problems import InputError, Problem

    low, colon, high = text.partition(":")
    try:
        limits = float(low or 0.0), float(high or "inf")
    except ValueError:
        limits = (1.0, 0.0)
    if (text and not colon) or not 0.0 <= limits[0] < limits[1]:
        fix = "for example --heat 0.2:1.5"
        raise InputError(Problem("--heat", f"{text!r} is not a range in kJ/mm", fix))
    return limits


def _print_summary(report: "Report", print_note: Any) -> None:
    from rigless.robots.welder.offline.findings import counted

    style = "bold green" if report.valid else "bold red"
    warnings = counted(len(report.warnings), "warning")
    print_note(f"{report.program}: {report.verdict}, {warnings}", style)
    print_note(
        f"  cycle time {report.cycle_time_s:.2f} s, torch path {report.distance_mm:.0f} mm,"
        f" {counted(report.gcode_executed, 'line')}, arc on {report.arc_on_s:.1f} s,"
        f" {report.weld_length_mm:.0f} mm welded, {counted(report.collisions, 'collision')}"
    )
    if report.hint:
        print_note(f"  hint: {report.hint}", "yellow")


@app.command("reach")
def reach(
    pose: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X,Y,Z,RX,RY,RZ",
            help="A pose of the tool centre point: mm, and roll, pitch, yaw in degrees."
            " May be repeated.",
        ),
    ] = None,
    cell: Annotated[
        str,
        typer.Option(
            metavar="CELL",
            help="The cell around the arm: a YAML file, or the name of a shipped one.",
        ),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    map_mm: Annotated[
        float,
        typer.Option("--map", metavar="MM", help="Map the workspace with this grid spacing in mm."),
    ] = 0.0,
    out: Annotated[
        Path | None, typer.Option(metavar="F", help="File of the map: .npz, .csv or .ply.")
    ] = None,
    frame: Annotated[
        str,
        typer.Option(help="The frame of poses: base (the arm's), or work (the cell's work frame)."),
    ] = "base",
    jobs: Annotated[
        int, typer.Option(min=0, max=256, help="Processes for a map; 0: one for each core.")
    ] = 0,
    config: ConfigOption = "welder",
    settings: SettingsOption = None,
) -> None:
    """Check whether the torch reaches a pose, or map its workspace.

    A pose is that of the tool centre point (the end of the wire, z out of the torch) in
    millimetres and degrees; the angles are roll, pitch and yaw about fixed axes. It is reachable if
    there are joint angles for it (has_solution) within their limits (within_limits) at which
    nothing touches (collision_free). Exit code 0 if all poses are reachable, 1 if not, 2 for bad
    input.

    A map tries six directions of the torch at each place and counts those that are reached.

    The arm, its torch and its limits are those of --config and --set. The cell is that of --cell,
    or else of the config.

    Examples:

      rigless welder reach --pose 800,0,500,180,0,0 --json

      rigless welder reach --pose 0,0,50,180,0,0 --frame work --cell weld_table

      rigless welder reach --map 50 --out reach.ply --cell cramped

      rigless welder reach --pose 800,0,500,180,0,0 --set urdf=irb2400.urdf
    """
    if bool(pose) == bool(map_mm):
        raise typer.BadParameter("give --pose, or --map with --out; one of them")
    arm = _config_of(config, settings or [], cell)
    if map_mm:
        write_map(map_mm, out, arm, jobs, json)
        raise typer.Exit
    raise typer.Exit(_check_poses(pose or [], arm, frame, json))


def _config_of(target: str, settings: list[str], cell: str) -> "WelderConfig":
    """Return the config of the first welder of a target. Raises InputError."""
    from rigless.robots.welder.config import WelderConfig

    if target == "welder" and not settings:
        return WelderConfig(cell=cell)
    config = _open_welder(target, settings)[1].config
    return config.model_copy(update={"cell": cell}) if cell else config


def _check_poses(poses: list[str], config: "WelderConfig", frame: str, json: bool) -> int:
    from rigless.console import print_line
    from rigless.kernel.plain import to_json
    from rigless.kernel.problems import unknown
    from rigless.robots.welder.offline import reach_report
    from rigless.worlds.frames import frame_mm_deg

    goals = [_pose(text) for text in poses]
    if frame not in ("base", "work"):
        raise unknown("frame", frame, ("base", "work"), "--frame")
    reach = reach_report.reach_of(config.model_dump_json())
    if frame == "work":
        reach.work = reach_report.load_cell(config.cell).work
    results = [reach.pose(frame_mm_deg(goal)) for goal in goals]
    if json:
        rows = [reach_report.row(*pair) for pair in zip(goals, results, strict=True)]
        print_line(to_json(rows[0] if len(rows) == 1 else rows).decode())
    else:
        for text, result in zip(poses, results, strict=True):
            print_line(f"{text}: {reach_report.sentence(result)}")
    return 0 if all(result.reachable for result in results) else 1


def _pose(text: str) -> list[float]:
    import math

    from rigless.kernel.problems import InputError, Problem

    try:
        pose = [float(part) for part in text.split(",")]
    except ValueError:
        pose = []
    if len(pose) != 6 or not all(math.isfinite(value) and abs(value) <= 1e6 for value in pose):
        fix = "six numbers, mm and degrees: --pose 800,0,500,180,0,0"
        raise InputError(Problem("--pose", f"{text!r} is not x,y,z,rx,ry,rz", fix))
    return pose


def write_map(
    resolution_mm: float,
    out: Path | None,
    config: "WelderConfig",
    jobs: int,
    json: bool,
    quiet: bool = False,
) -> None:
    """Map the workspace on all cores and write it to a file. Raises InputError."""
    from rigless.console import print_line
    from rigless.kernel.plain import to_json
    from rigless.kernel.problems import InputError, Problem
    from rigless.motion.arm.reach_map import DIRECTIONS, ReachMap, grid
    from rigless.robots.welder.offline import reach_report

    formats = {".npz": reach_report.npz, ".csv": reach_report.csv, ".ply": reach_report.ply}
    if out is None or out.suffix not in formats:
        fix = "--out reach.npz, or .csv, or .ply"
        raise InputError(Problem("--out", "a map needs a file for it", fix))
    if not FINEST_MM <= resolution_mm <= 1000:
        text = f"{resolution_mm:g} mm is out of range"
        raise InputError(Problem("--map", text, f"from {FINEST_MM:g} to 1000 mm"))
    keys = config.model_dump_json()
    places = grid(reach_report.reach_of(keys), resolution_mm / 1000)
    found = ReachMap(places, _count_all(places, keys, jobs), DIRECTIONS, resolution_mm / 1000)
    try:
        out.write_bytes(formats[out.suffix](found))
    except OSError as error:
        text = f"{out} cannot be written: {error.strerror}"
        raise InputError(Problem("--out", text, "choose another place")) from None
    low, high = (corner * 1000 for corner in found.bounds_m)
    summary = {
        "file": str(out),
        "resolution_mm": resolution_mm,
        "places": len(places),
        "reached": int((found.reached > 0).sum()),
        "reached_in_all_directions": int((found.reached == len(DIRECTIONS)).sum()),
        "low_mm": low.tolist(),
        "high_mm": high.tolist(),
    }
    if json:
        print_line(to_json(summary).decode())
    elif not quiet:
        print_line(f"{summary['reached']} of {summary['places']} places are reached; see {out}")


def _count_all(places: Any, config: str, jobs: int) -> Any:
    """Count the directions of all places in processes; the result does not depend on `jobs`."""
    import os

    import numpy as np

    from rigless.console import progress

    workers = jobs or os.cpu_count() or 1
    blocks = [places[begin : begin + BLOCK] for begin in range(0, len(places), BLOCK)]
    done: dict[int, Any] = {}
    with progress("reach") as bar:
        task = bar.task_ids[0]
        for number, counts in _count_blocks(blocks, config, min(workers, len(blocks))):
            done[number] = counts
            bar.update(task, completed=len(done) / len(blocks))
    return np.concatenate([done[number] for number in range(len(blocks))])


def _count_blocks(blocks: list[Any], config: str, workers: int) -> Iterator[tuple[int, Any]]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    from rigless.console import print_note
    from rigless.robots.welder.offline.reach_report import count_directions as count

    if workers <= 1:
        yield from ((number, count(config, block)) for number, block in enumerate(blocks))
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        numbers = {pool.submit(count, config, block): number for number, block in enumerate(blocks)}
        try:
            for future in as_completed(numbers):
                yield numbers[future], future.result()
        except KeyboardInterrupt:
            print_note("stopping …", "dim")
            pool.shutdown(cancel_futures=True)
            raise
