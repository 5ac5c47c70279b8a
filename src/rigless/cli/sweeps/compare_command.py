"""The options and the help of `rigless sweep compare`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(group: typer.Typer) -> None:
    """Add the command to `rigless sweep`."""

    @group.command()
    def compare(
        before: Annotated[Path, typer.Argument(metavar="A", help="The table of the first sweep.")],
        after: Annotated[Path, typer.Argument(metavar="B", help="The table of the second.")],
        alpha: Annotated[
            float,
            typer.Option(metavar="P", min=1e-9, max=0.5, help="The level of significance."),
        ] = 0.05,
        strict: Annotated[
            bool,
            typer.Option("--strict", help="Exit 1 if any run that passed in A fails in B."),
        ] = False,
        limit: Annotated[
            int, typer.Option(metavar="N", min=0, help="List at most this many changed runs.")
        ] = 20,
    ) -> None:
        """Compare two sweeps of one scenario run by run, such as of two versions of a program.

        Runs with the same settings, seed and repeat are a pair. Pass and fail are compared by
        McNemar's exact test, margins and metrics by the sign test, corrected for their number.

        Exit code 1 if B is significantly worse: more runs changed from pass to fail than back, and
        p of McNemar's test is below --alpha. Margins and metrics are shown; they do not decide.
        Exit code 0: no significant difference, or better. 2: bad input, such as two tables without
        a run in common.

        Examples:

          rigless sweep compare before.parquet after.parquet

          rigless sweep compare main.csv branch.csv --strict
        """
        from rigless.cli.sweeps.compare import compare_tables

        sys.exit(compare_tables(before, after, alpha, strict, limit))
