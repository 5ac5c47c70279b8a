"""The options and the help of `rigless shrink`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to `rigless`."""

    @app.command()
    def shrink(
        target: Annotated[
            str, typer.Argument(metavar="F|SCENARIO", help="A table of a sweep, or a scenario.")
        ],
        row: Annotated[
            str | None,
            typer.Argument(
                metavar="ROW", help="A row of the table: a number, a key, or worst; default: worst."
            ),
        ] = None,
        seed: Annotated[
            int | None, typer.Option(min=0, max=2**63 - 1, help="The seed that fails.")
        ] = None,
        out: Annotated[
            Path | None, typer.Option(metavar="small.toml", help="Write the scenario here.")
        ] = None,
        budget: Annotated[
            int, typer.Option(metavar="RUNS", help="End after this many runs at the latest.")
        ] = 500,
        culprit: Annotated[
            bool, typer.Option("--culprit", help="Name the random streams that make it fail.")
        ] = False,
        passing_seed: Annotated[
            int | None,
            typer.Option(min=0, max=2**63 - 1, help="With --culprit: a seed that passes."),
        ] = None,
        expect: Annotated[
            str, typer.Option(metavar="NAME", help="The expectation; default: the first to fail.")
        ] = "",
        fails: Annotated[
            str,
            typer.Option(
                metavar="K/N", help="Runs that must fail; default 1/1, with programs 2/3."
            ),
        ] = "",
        settings: Annotated[
            list[str], typer.Option("--set", metavar="KEY=VALUE", help="Set a key first.")
        ] = [],
        force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    ) -> None:
        """Find the smallest scenario that still fails the same expectation.

        Drops faults, obstacles, robots and commands, switches noise off, shortens the run and
        rounds numbers. Each candidate is one run. With --culprit it swaps random streams between
        the failing seed and one that passes, and names those that decide.

        Exit code 0; 2 if the run passes or the input is wrong.

        Examples:

          rigless shrink patrol.toml --seed 812 --out small.toml

          rigless shrink sweep.parquet 17 --out small.toml --budget 200

          rigless shrink sweep.parquet 3f2a --culprit
        """
        from rigless.cli.sweeps.shrink import Wanted, run_culprit, run_shrink

        wanted = Wanted(target, row, seed, out, budget, expect, fails, settings, force)
        sys.exit(run_culprit(wanted, passing_seed) if culprit else run_shrink(wanted, passing_seed))
