"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from rigless.cli.parsing import completion
from rigless.cli.parsing.optional_port import FOXGLOVE_PORT

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A robot kind, a scenario .toml, a robot's own native file, or a robot folder.",
        autocompletion=completion.targets,
    ),
]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a config key, or ports.NAME=[HOST:]PORT (0: any free).",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed of all randomness; default: the scenario's.", min=0, max=2**63 - 1),
]
Panel = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Where the panel listens; default 127.0.0.1:8080, or any free port.",
    ),
]
Recordings = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of recordings and snapshots of panel and API; default: in the state folder.",
    ),
]
Programs = Annotated[
    list[str],
    typer.Option(metavar="NAME=COMMAND", help="Replace the command of a program of the scenario."),
]
Foxglove = Annotated[
    int | None,
    typer.Option(
        metavar="[PORT]",
        min=0,
        max=65535,
        help=f"Serve Foxglove on this port of this machine; without PORT, {FOXGLOVE_PORT}.",
    ),
]
NoPanel = Annotated[bool, typer.Option("--no-panel", help="Serve no panel and no control API.")]
NoAuth = Annotated[
    bool,
    typer.Option(
        "--no-auth", help="No token for panel and API: anyone on this machine may use them."
    ),
]
Isolate = Annotated[
    bool,
    typer.Option(
        "--isolate",
        help="Run robots and programs in a private network (Linux); the panel stays reachable.",
    ),
]
