"""The options and the help of `rigless sweep report`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(group: typer.Typer) -> None:
    """Add the command to `rigless sweep`."""

    @group.command()
    def report(
        table: Annotated[Path, typer.Argument(metavar="F", help="The table of a sweep.")],
        html: Annotated[Path, typer.Option(metavar="F", help="Write the page to this file.")],
        x: Annotated[
            str | None, typer.Option("--x", metavar="KEY", help="The x axis of the heat map.")
        ] = None,
        y: Annotated[
            str | None, typer.Option("--y", metavar="KEY", help="The y axis of the heat map.")
        ] = None,
        want: Annotated[
            float | None,
            typer.Option(
                metavar="P", min=0, max=1, help="The wanted pass rate; default: that of the sweep."
            ),
        ] = None,
    ) -> None:
        """Write the report of a sweep as one HTML page, also while the sweep still runs.

        The page has the verdict with its interval, a heat map of the two parameters on which the
        pass rate depends most, all runs as lines, the failures with commands that show, shrink and
        check them, distributions of margins and metrics, and the coverage of the parameters. It
        makes no requests. Prints the verdict; exit code 0: the page is written, 2: bad input.

        Examples:

          rigless sweep report runs.parquet --html report.html

          rigless sweep report runs.parquet --html report.html --x start_y --want 0.99
        """
        from rigless.cli.sweeps.report import write_report

        sys.exit(write_report(table, html, x, y, want))
