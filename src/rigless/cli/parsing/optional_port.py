"""Commands with an option whose value may be left out: `--foxglove` and `--foxglove 9000`."""

from typing import Any

from typer.core import TyperCommand

FOXGLOVE_PORT = 8765  # the port that Foxglove proposes


class OptionalPort(TyperCommand):
    """A command whose option --foxglove has a default port; typer has no such options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for place, word in enumerate(args):
            following = args[place + 1] if place + 1 < len(args) else "-"
            if word == "--":
                break
            if word == "--foxglove" and not following.lstrip("-").isdigit():
                args[place] = f"--foxglove={FOXGLOVE_PORT}"
        return super().parse_args(ctx, args)
