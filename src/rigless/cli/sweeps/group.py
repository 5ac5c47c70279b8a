"""The commands below `rigless sweep`."""

import typer

from rigless.cli.sweeps import compare_command, report_command, show_command, sweep_command
from rigless.cli.sweeps.default_group import DefaultGroup


def register(app: typer.Typer) -> None:
    """Add `rigless sweep` with its sub-commands."""
    group = typer.Typer(
        cls=DefaultGroup,
        help="Run a scenario many times and judge it.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    sweep_command.register(group)
    show_command.register(group)
    report_command.register(group)
    compare_command.register(group)
    app.add_typer(group, name="sweep")
