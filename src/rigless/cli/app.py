"""The commands and their help. The work is in the modules that they import."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from rigless.cli.parsing import completion
from rigless.cli.parsing.naming_group import NamingGroup
from rigless.cli.parsing.optional_port import Broker, OptionalPort, explained
from rigless.cli.parsing.shard_options import Processes, Shard, shard_settings
from rigless.cli.parsing.shared_options import (
    Foxglove,
    Isolate,
    NoAuth,
    NoPanel,
    Panel,
    Programs,
    Recordings,
    Seed,
    Settings,
    Target,
)

app = typer.Typer(
    cls=NamingGroup,
    help="The robot's real interface, without the robot.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
ctl = typer.Typer(
    help="Control the instance that runs on this machine (or --url).", no_args_is_help=True
)
new = typer.Typer(
    help="Make a robot of your own: a folder that runs and passes its tests.", no_args_is_help=True
)
app.add_typer(ctl, name="ctl")
app.add_typer(new, name="new")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"rigless {version('rigless')}")
        raise typer.Exit


@app.callback()
def options(
    show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    return


@app.command("list")
def list_(
    paths: Annotated[bool, typer.Option("--paths", help="Show files instead.")] = False,
) -> None:
    """Show the robots, scenarios and worlds that are installed."""
    from rigless.cli.catalogue import show

    show(paths)


@app.command(cls=OptionalPort)
def run(
    target: Target,
    speed: Annotated[
        float | None, typer.Option(min=0.1, max=100, help="Simulated seconds per real second.")
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="As fast as possible.")] = False,
    lockstep: Annotated[
        bool,
        typer.Option("--lockstep", help="Advance only by rigless ctl step or the API."),
    ] = False,
    duration: Annotated[
        float | None,
        typer.Option(metavar="S", min=0.0, max=1e9, help="Stop after this much simulated time."),
    ] = None,
    seed: Seed = None,
    record: Annotated[
        Path | None, typer.Option(metavar="F.mcap", help="Record everything to this file.")
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=10_000, help="Number of robots: NAME-1, NAME-2 …"),
    ] = None,
    settings: Settings = [],
    panel: Panel = None,
    no_panel: NoPanel = False,
    no_auth: NoAuth = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show warnings and errors only.")
    ] = False,
    window: Annotated[
        bool,
        typer.Option("--window", help="Show pacbots in a native window; closing it ends the run."),
    ] = False,
    ros: Annotated[
        bool,
        typer.Option(
            "--ros", help="Also be a ROS 2 node (vacuum, pacbot): --set ros.enabled=true."
        ),
    ] = False,
    backend: Annotated[
        str,
        typer.Option(
            metavar="dds|rclpy",
            help="Implementation of ROS ports: built in, or the installed rclpy.",
        ),
    ] = "dds",
    embedded_nats: Annotated[
        bool,
        typer.Option(
            "--embedded-nats",
            help="Start a NATS server and use it instead of the one in the config.",
        ),
    ] = False,
    vda5050: Broker = None,
    program: Programs = [],
    no_programs: Annotated[
        bool, typer.Option("--no-programs", help="Do not start the scenario's programs.")
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of an AGV's outbox and the NATS store; default RIGLESS_STATE.",
        ),
    ] = None,
    recordings: Recordings = None,
    foxglove: Foxglove = None,
    exit_at_end: Annotated[
        bool,
        typer.Option("--exit", help="End after the scenario's duration, even if there is a panel."),
    ] = False,
    isolate: Isolate = False,
    shard: Shard = None,
    processes: Processes = None,
) -> None:
    """Put a simulated robot on its real ports until Ctrl-C.

    Prints each port, the panel's URL, then `ready`.

    Examples:

      rigless run vacuum

      rigless run pacbot --set maze=arena --speed 2

      rigless run examples/thermostat --speed 10 --set start_c=5 --set ports.line=0

      rigless run examples/thermostat/winter.toml --fast --record winter.mcap

      rigless run agv --count 200 --processes 4

      rigless run agv --vda5050

      rigless run vacuum --foxglove

      rigless run robot_config.json --set runtime.mode=MOCK --embedded-nats

      rigless run nav.toml --isolate
    """
    from rigless.cli.isolation import isolate_run

    address = isolate_run(panel, not no_panel, foxglove, shard or processes) if isolate else panel
    from rigless.cli.fleet_size import warn_of_size
    from rigless.cli.live import Options, run_live
    from rigless.cli.parsing.program_commands import parse_commands
    from rigless.cli.processes import run_processes
    from rigless.console import compile_progress
    from rigless.host.environment import Environment
    from rigless.kernel.problems import InputError, Problem
    from rigless.scenario.load import open_target
    from rigless.transports.capabilities import ros_backends

    _only_one(fast=fast, lockstep=lockstep, speed=speed is not None)
    pace = "fast" if fast else "lockstep" if lockstep else speed
    if backend not in ros_backends():
        fix = f"use {' or '.join(ros_backends())}"
        raise InputError(Problem("--backend", f"{backend!r} is not a backend", fix))
    settings = [
        *settings,
        *(["ros.enabled=true"] if ros else []),
        *([f"vda5050.url={vda5050}"] if vda5050 is not None else []),
        *shard_settings(shard, processes, count),
    ]
    with compile_progress(Path(target).name):
        load_transport = partial(
            Environment(None, embedded_nats, backend).load_transport, fast=fast
        )
        try:
            built = open_target(target, settings, seed, False, load_transport)
        except InputError as error:
            raise (explained(error, target) if vda5050 is not None else error) from None
    options = Options(
        pace,
        duration,
        record,
        address,
        not no_panel,
        not no_auth,
        quiet,
        window,
        backend,
        embedded_nats,
        state,
        recordings,
        not no_programs,
        parse_commands(program, built.scenario),
        foxglove,
        exit=exit_at_end,
        isolated=isolate,
    )
    warn_of_size(built, options, processes or 1)
    if processes is not None:
        sys.exit(run_processes(target, settings, built, options))
    sys.exit(run_live(built, options))


@app.command(cls=OptionalPort)
def demo(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET", help="Further robots to show, such as examples/thermostat."
        ),
    ] = [],
    settings: Settings = [],
    panel: Panel = None,
    no_auth: NoAuth = False,
    recordings: Recordings = None,
    foxglove: Foxglove = None,
) -> None:
    """Start every installed robot at work, with the panel on 127.0.0.1:8080.

    Small programs drive the robots over their own ports. If another client connects to a robot,
    its program yields.

    Examples:

      rigless demo

      rigless demo examples/thermostat --set vacuum.ports.commands=6555
    """
    from rigless.cli.live import Options, run_live
    from rigless.console import compile_progress
    from rigless.scenario.load import demo as build_demo

    with compile_progress("all robots"):
        built = build_demo(targets, settings)
    options = Options(
        panel=panel, auth=not no_auth, recordings=recordings, foxglove=foxglove, demo=True
    )
    sys.exit(run_live(built, options))


@app.command()
def check(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET…",
            help="Scenarios (or robots) to run.",
            autocompletion=completion.targets,
        ),
    ],
    junit: Annotated[Path | None, typer.Option(metavar="F", help="Write a JUnit report.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="F", help="Write an HTML report.")] = None,
    json: Annotated[Path | None, typer.Option(metavar="F", help="Write a JSON report.")] = None,
    record_failures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep a recording of every run that fails, here."),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="F", help="Write a summary for the page of a CI job.")
    ] = None,
    program: Programs = [],
    runs: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep the files of runs with programs here; default: of failed runs, in the "
            "state folder.",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(metavar="N", min=1, max=256, help="Number of runs at the same time.")
    ] = 1,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="End at the first run that does not pass.")
    ] = False,
    seed: Seed = None,
    settings: Settings = [],
) -> None:
    """Run scenarios headless and check what they expect.

    Scenarios run faster than real time. With programs they run in wall time, at the speed of the
    scenario. Exit code 0: all expectations hold; 1: some do not; 2: bad input.

    Examples:

      rigless check vacuum_explore

      rigless check examples/thermostat/winter.toml

      rigless check scenarios/*.toml --junit report.xml --html report.html

      rigless check scenarios/*.toml --record-failures failures

      rigless check nav.toml --program nav="./build/nav --fast"
    """
    from rigless.cli.check import Reports, check_all

    files = Reports(junit, html, json, markdown)
    code = check_all(
        targets, settings, seed, files, record_failures, program, runs, jobs, fail_fast
    )
    sys.exit(code)


@app.command()
def diff(
    left: Annotated[Path, typer.Argument(metavar="A.mcap", help="A recording.")],
    right: Annotated[Path, typer.Argument(metavar="B.mcap", help="Another one.")],
) -> None:
    """Name the first difference between two recordings by robot, port, time and field.

    Exit code 0: equal; 1: different; 2: damaged or not recordings.

    Example:

      rigless diff before.mcap after.mcap
    """
    from rigless.cli.recordings.replay import diff_recordings

    sys.exit(diff_recordings(left, right))


@app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="F.mcap", help="A recording.")],
    ros2bag: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Write the ROS topics as a ROS 2 bag to a new folder."),
    ],
) -> None:
    """Export a recording for other tools.

    The bag has the topics of rovers, and of vacuums and pacbots that ran with --ros.

    Example:

      rigless export run.mcap --ros2bag run_bag
    """
    from rigless.cli.recordings.replay import export_recording

    raise typer.Exit(export_recording(file, ros2bag))


@app.command()
def bench(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME", help="Which benchmarks; default: all.")
    ] = [],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure speed and scale on this machine, side by side with peers.

    Example:

      rigless bench kernel --json
    """
    from rigless.cli.bench import run_benchmarks

    run_benchmarks(names, json)


@app.command("compile")
def compile_(
    robots: Annotated[
        list[str],
        typer.Argument(
            metavar="[ROBOT]…",
            help="Robots or robot folders to compile; default: all that are installed.",
            autocompletion=completion.robots,
        ),
    ] = [],
) -> None:
    """Compile the robots' functions for this machine, so that their first start is quick.

    Do it once after an installation or an update, or when an image is built. Functions that are
    compiled already are skipped.

    Examples:

      rigless compile

      rigless compile vacuum ./my_robot
    """
    from rigless.cli.compile import compile_robots

    sys.exit(compile_robots(robots))


@app.command()
def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="The example to show or copy; default: all.",
            autocompletion=completion.examples,
        ),
    ] = None,
    copy: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Copy to this folder; it is created.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """List the bundled examples, show one, or copy them: scripts, robots, G-code, configs.

    Examples:

      rigless examples

      rigless examples --copy examples

      rigless examples thermostat --copy .
    """
    from rigless.cli.examples import show_examples

    show_examples(name, copy, force)


@new.callback()
def new_options() -> None:
    return


@new.command("robot")
def new_robot(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A Python name, such as my_robot.")],
    into: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder to make it in; default: this one.")
    ] = Path(),
) -> None:
    """Make a folder with a small complete robot, its scenario and its test.

    The test passes as it is. Replace the robot piece by piece with your own.

    Examples:

      rigless new robot my_robot

      rigless new robot conveyor --into robots
    """
    from rigless.cli.new_robot import make_robot, show_next_steps

    show_next_steps(make_robot(name, into))


def _only_one(**flags: bool) -> None:
    given = [f"--{name}" for name, on in flags.items() if on]
    if len(given) > 1:
        raise typer.BadParameter(f"{' and '.join(given)} exclude each other; choose one")


def _add_sub_commands() -> None:
    from rigless.cli.instance import control, devices, send_command
    from rigless.cli.recordings import open_command, replay_command
    from rigless.cli.robot_commands import robot_commands
    from rigless.cli.sweeps import group, shrink_command

    control.register(ctl)
    devices.register(ctl)
    open_command.register(app)
    replay_command.register(app)
    send_command.register(app)
    group.register(app)
    shrink_command.register(app)
    for robot, commands in robot_commands().items():
        app.add_typer(commands, name=robot)


_add_sub_commands()
