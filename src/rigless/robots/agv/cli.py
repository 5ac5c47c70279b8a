"""`rigless agv …`: what can be said about a robot_config.json without a robot."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Configurations of config-driven robots: a new one, what is wrong with one, what they may hold.",
    no_args_is_help=True,
)


def commands() -> typer.Typer:
    """Return the commands of `rigless agv`."""
    return app


@app.command("new")
def new(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path(
        "robot_config.json"
    ),
    robot_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Its robotId; else the file's is agv.")
    ] = None,
    settings: Annotated[
        list[str],
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Set a key, for example dimensions.lengthMm=1200."
        ),
    ] = [],
) -> None:
    """Write a robot_config.json to begin with: the robot that comes with rigless, with two wheels, gripper and hoist.

    A file that is there already is left as it is.

    Examples:

      rigless agv new

      rigless agv new fleet/RBT-007.json --id RBT-007 --set motors.0.limits.maxSpeed.value=2
    """
    from rigless.cli.agv_check import begin

    begin(out, [*settings, *([f'identity.robotId="{robot_id}"'] if robot_id is not None else [])])


@app.command("validate")
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="robot_config.json files.")],
    json: Annotated[
        Path | None, typer.Option(metavar="F", help="Write JSON, the same for the same files.")
    ] = None,
    settings: Annotated[
        list[str],
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Set a key before, for example runtime.mode=MOCK."
        ),
    ] = [],
    no_environment: Annotated[
        bool,
        typer.Option(
            "--no-environment", help="Ask nothing of this machine: no credentials, drivers or maps."
        ),
    ] = False,
) -> None:
    """Tell everything that is wrong with a robot's configuration: file, line, key, what, how to mend it, and a code for programs.

    Three passes: the shape of each key, what keys say about each other, and what this machine must have (credentials, drivers, maps).
    Errors are what a robot does not boot with; warnings are what may not be meant.

    Exit code 0 if all files are valid, 2 if not.

    Examples:

      rigless agv validate robot_config.json

      rigless agv validate fleet/*.json --set runtime.mode=MOCK --no-environment --json report.json
    """
    from rigless.cli.agv_check import check

    raise typer.Exit(check(files, settings, not no_environment, json))


@app.command("schema")
def schema(
    out: Annotated[
        Path | None, typer.Option(metavar="F", help="Write it here rather than to stdout.")
    ] = None,
) -> None:
    """Give the JSON Schema (2020-12) of robot_config.json, for editors and other checkers.

    It tells the shape of a file; what keys say about each other is told by validate.

    Examples:

      rigless agv schema --out robot_config.schema.json

      rigless agv schema | jq '.["$defs"].Motor'
    """
    from rigless.console import print_line, write_text
    from rigless.robots.agv.schema import schema_text

    if out is None:
        print_line(schema_text().rstrip("\n"))
    else:
        write_text(out, schema_text())
