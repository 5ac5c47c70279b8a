"""A group of commands with a default: `rigless sweep SCENARIO` is `rigless sweep run SCENARIO`."""

from typing import Any

from rigless.cli.parsing.naming_group import NamingGroup

DEFAULT = "run"


class DefaultGroup(NamingGroup):
    """A group that runs DEFAULT if the first word is no command of it."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if not args or args[0] not in self.commands:
            args = [DEFAULT, *(args or ["--help"])]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return "" if name == DEFAULT else name, command, rest  # it is not part of the usage line
