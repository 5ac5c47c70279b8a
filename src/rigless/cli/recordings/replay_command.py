"""The options and the help of `rigless replay`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to `rigless`."""

    @app.command()
    def replay(
        file: Annotated[Path, typer.Argument(metavar="F.mcap", help="A recording.")],
        verify: Annotated[
            bool,
            typer.Option(
                "--verify", help="Re-run from the recorded inputs and compare (the default)."
            ),
        ] = False,
        serve: Annotated[
            bool, typer.Option("--serve", help="Play the recorded outputs on the real ports.")
        ] = False,
        speed: Annotated[float, typer.Option(min=0.1, max=100, help="Pace of --serve.")] = 1.0,
        now: Annotated[
            bool,
            typer.Option("--now", help="With --serve: start at once, not with the first client."),
        ] = False,
        program: Annotated[
            str | None,
            typer.Option(
                metavar="COMMAND",
                help="With --serve: start this program against the recording; {robot.port.host} "
                "and the like are filled in.",
            ),
        ] = None,
        compare: Annotated[
            bool,
            typer.Option(
                "--compare", help="Compare what the program sends with what was recorded."
            ),
        ] = False,
        tolerance: Annotated[
            list[str],
            typer.Option(metavar="FIELD=ABS|REL%", help="Allow a number to differ by this much."),
        ] = [],
        delay_tolerance: Annotated[
            float,
            typer.Option(
                metavar="MS", min=0, max=1e9, help="Allowed delay of a message, in wall time."
            ),
        ] = 250.0,
        ignore: Annotated[
            list[str], typer.Option(metavar="FIELD", help="Do not compare this field.")
        ] = [],
        report: Annotated[
            Path | None, typer.Option(metavar="F", help="Write the comparison as JSON.")
        ] = None,
        settings: Annotated[
            list[str],
            typer.Option(
                "--set",
                metavar="KEY=VALUE",
                help="Set a config key, or ports.NAME=[HOST:]PORT (0: any free).",
            ),
        ] = [],
    ) -> None:
        """Run a recording again and compare, or play it on the wire.

        Exit code of --verify: 0 the same, 1 different, 2 damaged or not a recording.

        With --program the ports are free ones unless --set gives them. Exit code of --compare:
        0 the same within tolerance, 1 different, 2 bad input. It is open loop: the robot does not
        react to the program.

        Examples:

          rigless replay winter.mcap --verify

          rigless replay winter.mcap --serve --speed 10

          rigless replay run.mcap --serve --program "./nav {vacuum.commands.port}" --compare
        """
        from rigless.cli.recordings.replay import serve_recording, verify_recording

        _only_together(
            verify and serve,
            "--verify and --serve exclude each other; choose one",
        )
        _only_together(program is not None and not serve, "--program needs --serve")
        _only_together(program is not None and now, "--program starts time with its connection")
        for name, given in (
            ("--compare", compare),
            ("--tolerance", tolerance),
            ("--ignore", ignore),
            ("--report", report),
        ):
            _only_together(bool(given) and program is None, f"{name} needs --program")
            _only_together(bool(given) and not compare, f"{name} needs --compare")
        if program is not None:
            from rigless.cli.recordings.replay_program import Request, replay_program

            request = Request(
                file, program, compare, speed, tolerance, delay_tolerance, ignore, report, settings
            )
            sys.exit(replay_program(request))
        sys.exit(serve_recording(file, speed, now, settings) if serve else verify_recording(file))


def _only_together(wrong: bool, text: str) -> None:
    if wrong:
        raise typer.BadParameter(text)
