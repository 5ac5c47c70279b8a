"""Groups of commands in `rigless --help`, and of options in `rigless run --help`."""

from typing import Any

COMMANDS = {
    "Simulate": ("list", "run", "demo", "send", "ctl"),
    "Test software": ("check", "sweep", "shrink"),
    "Recordings": ("open", "replay", "diff", "export"),
    "Set-up": ("compile", "examples", "new", "bench"),
}
OF_ROBOTS = "Files of robots"  # commands that a robot brings
RUN_OPTIONS = {
    "Time": ("speed", "fast", "lockstep", "duration", "exit_at_end"),
    "Robots": ("set", "settings", "seed", "ros", "backend", "vda5050", "embedded_nats", "state"),
    "Panel and recordings": (
        "panel",
        "no_panel",
        "no_auth",
        "record",
        "recordings",
        "foxglove",
        "window",
        "quiet",
    ),
    "Programs of the scenario": ("program", "no_programs", "isolate"),
    "Fleets": ("count", "processes", "shard"),
}


def arrange(group: Any) -> None:
    """Put the commands of `rigless` and the options of `rigless run` in their groups and order."""
    commands: dict[str, Any] = group.commands
    order = [name for names in COMMANDS.values() for name in names]
    for name, command in commands.items():
        command.rich_help_panel = _panel_of(name, COMMANDS) or OF_ROBOTS
    group.commands = {name: commands[name] for name in sorted(commands, key=_rank(order))}
    run = commands["run"]
    names = [name for part in RUN_OPTIONS.values() for name in part]
    for param in run.params:
        if param.param_type_name == "option":
            param.rich_help_panel = _panel_of(param.name, RUN_OPTIONS)
    run.params.sort(key=lambda param: _rank(names)(param.name))


def _panel_of(name: str, panels: dict[str, tuple[str, ...]]) -> str | None:
    return next((panel for panel, names in panels.items() if name in names), None)


def _rank(order: list[str]) -> Any:
    """Return a sort key: names that are not in the order come last, as they were."""
    places = {name: place for place, name in enumerate(order)}
    return lambda name: places.get(name, len(order))
