"""The options and the help of `rigless sweep show`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(group: typer.Typer) -> None:
    """Add the command to `rigless sweep`."""

    @group.command("show")
    def show(
        table: Annotated[Path, typer.Argument(metavar="F", help="The table of a sweep.")],
        row: Annotated[
            str,
            typer.Argument(
                metavar="ROW", help="A number from 0, the beginning of a key, or worst."
            ),
        ] = "worst",
        record: Annotated[
            Path | None, typer.Option(metavar="F.mcap", help="Record the run to this file.")
        ] = None,
        html: Annotated[
            Path | None, typer.Option(metavar="F.html", help="Write a report of the run.")
        ] = None,
        open_: Annotated[
            bool, typer.Option("--open", help="Open the run in the panel at its failure.")
        ] = False,
        panel: Annotated[
            str | None,
            typer.Option(metavar="HOST:PORT", help="Where the panel listens, with --open."),
        ] = None,
    ) -> None:
        """Run a row of a sweep again and show its verdict.

        A deterministic run is the same byte for byte. The command says so if it is not: then the
        scenario, its files or the version have changed since.

        Examples:

          rigless sweep show runs.parquet worst

          rigless sweep show runs.parquet 17 --record failure.mcap

          rigless sweep show runs.parquet 3f9a --open
        """
        from rigless.cli.sweeps.show import show_row

        sys.exit(show_row(table, row, record, html, open_, panel))
