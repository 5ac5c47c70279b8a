"""`rigless agv …`: create, validate and describe robot_config.json files and layouts."""

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rigless.robots.agv.checks.report import FileReport

app = typer.Typer(
    help="Create, validate and describe robot_config.json files and layouts.", no_args_is_help=True
)


def commands() -> typer.Typer:
    """Return the commands of `rigless agv`."""
    return app


def use_all() -> None:
    """Use what AGVs of a fleet do together, in the warehouse that they have by default."""
    from rigless.scenario.load import load
    from rigless.scenario.warm_up import warm_up

    warm_up(load("agv", settings=["count=2"]))


@app.command("new")
def new(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path(
        "robot_config.json"
    ),
    robot_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="The robotId; default: agv.")
    ] = None,
    settings: Annotated[
        list[str],
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Set a key, for example dimensions.lengthMm=1200."
        ),
    ] = [],
) -> None:
    """Write a robot_config.json to start from: two drive wheels, a gripper and a hoist.

    An existing file is not overwritten.

    Examples:

      rigless agv new

      rigless agv new fleet/RBT-007.json --id RBT-007 --set motors.0.limits.maxSpeed.value=2
    """
    from rigless.console import print_note, write_text
    from rigless.kernel.problems import InputError, Problem

    if out.exists():
        raise InputError(Problem(str(out), "exists already", "choose another file"))
    names = [f'identity.robotId="{robot_id}"'] if robot_id is not None else []
    write_text(out, _new_config([*settings, *names]))
    print_note(f"wrote {out}; next: rigless agv validate {out}, rigless run {out}", "dim")


@app.command("validate")
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="robot_config.json files.")],
    json: Annotated[
        Path | None, typer.Option(metavar="F", help="Write JSON, the same for the same files.")
    ] = None,
    settings: Annotated[
        list[str],
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Set a key first, for example runtime.mode=MOCK."
        ),
    ] = [],
    no_environment: Annotated[
        bool,
        typer.Option(
            "--no-environment", help="Do not check this computer: no credentials, drivers or maps."
        ),
    ] = False,
) -> None:
    """Report all problems of configurations: file, line, key, reason, fix, and a code.

    There are three passes: the shape of each key, keys that must agree with each other, and what
    this computer must have (credentials, drivers, maps). A robot does not boot with errors;
    warnings point to likely mistakes.

    Exit code 0 if all files are valid, 2 if not.

    Examples:

      rigless agv validate robot_config.json

      rigless agv validate fleet/*.json --set runtime.mode=MOCK --no-environment --json report.json
    """
    from rigless.console import print_line, print_note, write_text
    from rigless.robots.agv.checks.report import as_json

    reports = [_report(file, settings, not no_environment) for file in files]
    if json is not None:
        write_text(json, as_json(reports))
    for report in reports:
        for line in report.lines():
            print_line(line)
        print_note(report.summary(), "bold red" if report.errors else "bold green")
    raise typer.Exit(2 if any(report.errors for report in reports) else 0)


@app.command("schema")
def schema(
    messages: Annotated[
        bool,
        typer.Option("--messages", help="Describe the messages instead of robot_config.json."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="F|DIR",
            help="Write to this file, or with --messages to this folder, instead of stdout.",
        ),
    ] = None,
) -> None:
    """Print the JSON Schema (2020-12) of robot_config.json, for editors and other validators.

    It describes the shape of a file; `validate` also checks keys against each other.

    With --messages, print the AsyncAPI 3 document of the robot's subjects, with the schemas of all
    messages. With --out DIR, write asyncapi.json, messages.schema.json (all messages in one
    schema), and one schema for each message in DIR/schemas.

    Examples:

      rigless agv schema --out robot_config.schema.json

      rigless agv schema | jq '.["$defs"].Motor'

      rigless agv schema --messages --out contract
    """
    from rigless.console import print_line, print_note, write_files, write_text
    from rigless.robots.agv.contract.files import asyncapi_text, contract_files
    from rigless.robots.agv.schema import schema_text

    if out is None:
        print_line((asyncapi_text() if messages else schema_text()).rstrip("\n"))
    elif not messages:
        write_text(out, schema_text())
    else:
        files = contract_files()
        write_files(out, files)
        print_note(f"wrote {len(files)} files to {out}", "dim")


@app.command("layout")
def layout(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A layout (TOML or JSON), a LIF file, or a bundled layout."
        ),
    ],
    map_name: Annotated[
        str | None,
        typer.Option("--map", metavar="MAP", help="Check it against the walls of this map."),
    ] = None,
    lif: Annotated[
        Path | None, typer.Option(metavar="F", help="Export as LIF 1.0.0, for a master control.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write as a layout in JSON, as from a LIF file."),
    ] = None,
    vehicle: Annotated[
        str, typer.Option(metavar="TYPE", help="The vehicleTypeId of the export.")
    ] = "rigless.agv",
    map_id: Annotated[str, typer.Option(metavar="ID", help="The mapId of the export.")] = "map",
) -> None:
    """Check the layout of a warehouse, describe it, and convert it from and to LIF.

    Exit code 0 if it is valid, 2 if not.

    Examples:

      rigless agv layout site.toml --map hall

      rigless agv layout warehouse_100 --lif warehouse.lif.json

      rigless agv layout plant.lif.json --out plant.json
    """
    from datetime import UTC, datetime

    from rigless.console import print_line, print_note, write_text
    from rigless.worlds.bundled import find_layout, find_map
    from rigless.worlds.layout.layout_file import read_layout
    from rigless.worlds.layout.lif import lif_of_layout
    from rigless.worlds.layout.summary import describe, layout_text
    from rigless.worlds.maps import load_map

    grid = load_map(find_map(map_name)) if map_name is not None else None
    found = read_layout(find_layout(file), grid)
    for warning in found.warnings:
        print_note(str(warning), "yellow")
    print_line(describe(found.layout))
    if lif is not None:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.00Z")
        data = lif_of_layout(found.layout, now, vehicle, map_id)
        write_text(lif, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        print_note(f"wrote {lif}; LIF has no widths, doors, lifts and conveyors", "dim")
    if out is not None:
        write_text(out, layout_text(found.layout))
        print_note(f"wrote {out}", "dim")


def _new_config(settings: Sequence[str]) -> str:
    """Return the text of the config that comes with rigless, with these settings."""
    from rigless.kernel.problems import InputError, Problem
    from rigless.robots.agv.checks.examine import examine_config
    from rigless.robots.agv.config import OWN
    from rigless.scenario.load import apply_config_settings

    text = OWN.read_text("utf-8")
    given = json.loads(text)
    config: dict[str, Any] = copy.deepcopy(given)
    problems: list[Problem] = []
    apply_config_settings(config, settings, problems)
    findings = examine_config(config)[1]
    problems += [finding for finding in findings if finding.severity == "error"]
    if problems:
        raise InputError(problems)
    return text if config == given else json.dumps(config, indent=2, ensure_ascii=False) + "\n"


def _report(file: Path, settings: Sequence[str], environment: bool) -> "FileReport":
    """Validate a file."""
    from rigless.kernel.problems import InputError, Problem
    from rigless.robots.agv import Robot
    from rigless.robots.agv.checks.report import FileReport
    from rigless.robots.agv.native import read_config
    from rigless.scenario.load import apply_config_settings
    from rigless.scenario.requirements import check_with_environment

    native, syntax = read_config(file)
    report = FileReport(str(file))
    report.problems += [replace(problem, stage="syntax") for problem in syntax]
    if native is None:
        return report
    problems: list[Problem] = []
    apply_config_settings(native.data, settings, problems)
    if problems:
        raise InputError(problems)
    config, findings = (
        check_with_environment(Robot, native.data)
        if environment
        else Robot.check_config(native.data)
    )
    report.robot = config.identity.robotId if config is not None else ""
    report.problems += [finding.located(native.file, native.lines) for finding in findings]
    return report
