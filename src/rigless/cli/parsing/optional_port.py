"""Commands with options whose value may be left out: `--foxglove`, `--foxglove 9000`."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from rigless.kernel.problems import InputError, Problem

FOXGLOVE_PORT = 8765  # the port that Foxglove proposes
BROKER = "mqtt://127.0.0.1:1883"  # the port of MQTT
Broker = Annotated[
    str | None,
    typer.Option(
        metavar="[mqtt://HOST:PORT]",
        help=f"Speak VDA 5050 (AGV): --set vda5050.url=URL; without URL, {BROKER}.",
    ),
]


class OptionalPort(TyperCommand):
    """A command whose options --foxglove and --vda5050 have defaults; typer has no such options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for place, word in enumerate(args):
            following = args[place + 1] if place + 1 < len(args) else "-"
            if word == "--":
                break
            if word == "--foxglove" and not following.lstrip("-").isdigit():
                args[place] = f"--foxglove={FOXGLOVE_PORT}"
            if word == "--vda5050" and "://" not in following:
                args[place] = f"--vda5050={BROKER}"
        return super().parse_args(ctx, args)


def explained(error: InputError, target: str) -> InputError:
    """Return the error of a run with --vda5050; it names the option if that is not possible."""
    for one in error.problems:
        if "unknown key 'vda5050'" in one.what:
            fix = "use it with an AGV: rigless run agv --vda5050"
            return InputError(Problem("--vda5050", f"{target} does not speak VDA 5050", fix))
        if one.where == "--set vda5050.url":
            fix = f"set it for each AGV, such as --set agv.vda5050.url={BROKER}"
            return InputError(Problem("--vda5050", "this scenario has several robots", fix))
    return error
