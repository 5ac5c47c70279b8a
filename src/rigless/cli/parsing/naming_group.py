"""Errors of the command line that name the value that was given."""

from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperGroup

from rigless.cli.parsing.help_panels import arrange
from rigless.cli.parsing.plain_help import simplify, simplify_parameters


class NamingGroup(TyperGroup):
    """The commands of `rigless`: plain help in groups, and errors that name the given value."""

    def __init__(self, **options: Any):
        super().__init__(**options)
        arrange(self)
        simplify(self)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in the order of their groups."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        simplify_parameters(self)  # typer adds those for completion after the others
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command. The error for an unknown one names the most similar one."""
        near = get_close_matches(args[0], self.commands, n=1, cutoff=0.6)
        if near and args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            details: list[Any] = getattr(error.__cause__, "errors", list)()  # of pydantic
            if details and isinstance(details[0].get("input"), str):
                limits = details[0].get("ctx", {})
                kinds = {
                    "float_parsing": "is not a number",
                    "int_parsing": "is not a whole number",
                    "less_than_equal": f"is too large; it is at most {limits.get('le')}",
                    "greater_than_equal": f"is too small; it is at least {limits.get('ge')}",
                }
                reason = kinds.get(details[0]["type"], f"is not valid: {error.message}")
                error.message = f"{details[0]['input']!r} {reason}"
            raise
