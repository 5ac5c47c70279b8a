"""The options and the help of `rigless open`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to `rigless`."""

    @app.command("open")
    def open_(
        file: Annotated[Path, typer.Argument(metavar="F.mcap")],
        at: Annotated[
            float | None,
            typer.Option(metavar="S", help="Show this instant; default: the beginning."),
        ] = None,
        panel: Annotated[
            str | None,
            typer.Option(
                metavar="HOST:PORT",
                help="Where the panel listens; default 127.0.0.1:8080, or any free port.",
            ),
        ] = None,
        no_auth: Annotated[
            bool,
            typer.Option("--no-auth", help="No token: anyone on this machine may look at it."),
        ] = False,
    ) -> None:
        """Show a recording in the panel, at an instant, until Ctrl-C.

        Prints the panel's URL, then `ready`. No simulation runs and no port is opened.

        Examples:

          rigless open run.mcap

          rigless open run.mcap --at 12.4
        """
        from rigless.cli.recordings.open import open_recording

        sys.exit(open_recording(file, at, panel, not no_auth))
