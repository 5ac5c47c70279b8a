"""The options and the help of `rigless sweep SCENARIO`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from rigless.cli.parsing import completion


def register(group: typer.Typer) -> None:
    """Add the default command of `rigless sweep`."""

    @group.command("run", hidden=True)
    def sweep(
        target: Annotated[
            str,
            typer.Argument(
                metavar="SCENARIO",
                help="A scenario with expectations.",
                autocompletion=completion.targets,
            ),
        ],
        vary: Annotated[
            list[str],
            typer.Option(
                metavar="KEY=VALUES",
                help="A parameter: KEY=a,b,c, KEY=lo..hi:n, KEY=lo..hi, KEY=uniform(lo,hi), "
                "KEY=normal(mean,sd), ROBOT.start=free_space, program.NAME='./a','./b'. "
                "KEY is any that --set takes.",
            ),
        ] = [],
        seeds: Annotated[
            str | None,
            typer.Option(
                metavar="N|A..B", help="Run each setting with N seeds from 0, or with A to B."
            ),
        ] = None,
        samples: Annotated[
            int | None,
            typer.Option(
                metavar="N", min=1, help="N samples of the axes instead of the full grid."
            ),
        ] = None,
        sampling: Annotated[
            str, typer.Option(metavar="sobol|random", help="The kind of samples.")
        ] = "sobol",
        pairwise: Annotated[
            bool,
            typer.Option("--pairwise", help="Few settings with every pair of values of two axes."),
        ] = False,
        repeat: Annotated[
            int, typer.Option(metavar="N", min=1, help="Repeat each run; for programs.")
        ] = 1,
        settings: Annotated[
            list[str],
            typer.Option("--set", metavar="KEY=VALUE", help="Set a config key in all runs."),
        ] = [],
        programs: Annotated[
            list[str],
            typer.Option(
                "--program", metavar="NAME=COMMAND", help="Replace the command of a program."
            ),
        ] = [],
        engine: Annotated[
            str, typer.Option(metavar="local|dask|ray", help="Where the runs are carried out.")
        ] = "local",
        address: Annotated[
            str | None,
            typer.Option(
                metavar="URL",
                help="The cluster: tcp://HOST:8786 (dask), auto or ray://HOST:10001 (ray).",
            ),
        ] = None,
        workers: Annotated[
            int | None,
            typer.Option(metavar="N", min=1, max=1024, help="Number of workers; default: cores."),
        ] = None,
        want: Annotated[
            float | None,
            typer.Option(
                metavar="P", help="The wanted pass rate, such as 0.99; default: every run passes."
            ),
        ] = None,
        until: Annotated[
            str | None,
            typer.Option(metavar="decided", help="Stop as soon as the verdict on P is sound."),
        ] = None,
        alpha: Annotated[
            float, typer.Option(help="With --until: probability of a wrong PASS.")
        ] = 0.05,
        beta: Annotated[
            float, typer.Option(help="With --until: probability of a wrong FAIL.")
        ] = 0.05,
        bad: Annotated[
            float | None,
            typer.Option(
                metavar="P", help="With --until: a rate that must FAIL; saves runs between."
            ),
        ] = None,
        search: Annotated[
            bool, typer.Option("--search", help="Look for failures; --samples bounds the runs.")
        ] = False,
        limit: Annotated[
            float | None,
            typer.Option(metavar="S", min=0.1, help="Wall time after which a run is ended."),
        ] = None,
        out: Annotated[
            Path | None,
            typer.Option(
                metavar="F.parquet|csv|jsonl", help="The table of runs; a second call goes on."
            ),
        ] = None,
        runs: Annotated[
            Path | None,
            typer.Option(
                metavar="DIR", help="Keep the folders of runs with programs that did not pass."
            ),
        ] = None,
        retry: Annotated[
            bool,
            typer.Option("--retry", help="Repeat runs of the table that are invalid or errors."),
        ] = False,
        no_isolate: Annotated[
            bool, typer.Option("--no-isolate", help="No private networks, also if a program asks.")
        ] = False,
        yes: Annotated[
            bool, typer.Option("--yes", "-y", help="Also if there are over 100,000 runs.")
        ] = False,
        quiet: Annotated[
            bool, typer.Option("--quiet", "-q", help="Only the verdict on stdout, and errors.")
        ] = False,
        panel: Annotated[
            str | None,
            typer.Option(metavar="HOST:PORT", help="Show the sweep in a browser while it runs."),
        ] = None,
    ) -> None:
        """Run a scenario many times and judge how often it passes.

        The last line on stdout is the verdict, the runs that passed, and a 95 % interval of the
        pass rate: PASS, FAIL or UNDECIDED 97/100 [0.9155, 0.9898]. Exit code 0, 1 or 3; 2 is bad
        input. Without --want one failed run is a FAIL.

        Further commands: rigless sweep report F, rigless sweep show F ROW, rigless sweep compare
        A B; rigless shrink F ROW makes the smallest scenario that still fails.

        Examples:

          rigless sweep vacuum_obstacle --seeds 200 --out runs.parquet

          rigless sweep vacuum_obstacle --vary world.obstacles.0.x=1.0..2.0:11 --seeds 10

          rigless sweep nav.toml --vary vacuum.start=free_space --samples 500 --want 0.99

          rigless sweep nav.toml --seeds 100000 --want 0.99 --until decided

          rigless sweep nav.toml --engine dask --address tcp://10.0.0.5:8786 --seeds 10000 --yes
        """
        from rigless.cli.sweeps.sweep import Wish, run_sweep

        wish = Wish(
            target, vary, seeds, samples, sampling, pairwise, repeat, settings, programs, engine,
            address, workers, want, until, alpha, beta, bad, search, limit, out, runs,
            retry, not no_isolate, yes, quiet, panel,
        )  # fmt: skip
        sys.exit(run_sweep(wish))
