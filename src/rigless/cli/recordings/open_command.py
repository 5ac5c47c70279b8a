"""The options and the help of `rigless open`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to `rigless`."""

    @app.command("open")
    def open_(
        file: Annotated[
            Path,
            typer.Argument(
                metavar="F.mcap|parquet|csv|jsonl", help="A recording, or a table of a sweep."
            ),
        ],
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
        """Show a recording or the table of a sweep in the panel, until Ctrl-C.

        Prints the URL, then `ready`. No simulation runs and no port of a robot is opened.

        Examples:

          rigless open run.mcap

          rigless open run.mcap --at 12.4

          rigless open sweep.parquet
        """
        if file.suffix.lower() in (".parquet", ".csv", ".jsonl"):
            from rigless.cli.recordings.open_table import open_table

            sys.exit(open_table(file, at, panel, not no_auth))
        from rigless.cli.recordings.open import open_recording

        sys.exit(open_recording(file, at, panel, not no_auth))
