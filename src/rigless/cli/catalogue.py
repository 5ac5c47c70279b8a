"""`rigless list`: robots, scenarios and worlds that can be run."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import shorten

from rigless.console import print_line
from rigless.scenario import extras, kinds
from rigless.scenario.bundled import bundled_scenarios, describe_file
from rigless.worlds.bundled import bundled_cells, bundled_maps, bundled_mazes

LONGEST = 120  # characters of a description


def show(paths: bool = False) -> None:
    """Print every robot, scenario and world with its description, or with its path."""
    _section(
        "robots",
        [(kind, kinds.summary(kind) + _missing(kind)) for kind in kinds.installed()],
        "none installed; a robot folder runs too: rigless run ./my_robot",
    )
    _section(
        "scenarios",
        _rows(bundled_scenarios(), paths),
        "none installed; write one: docs/reference/scenarios.md",
    )
    worlds = _rows(bundled_maps(), paths, "map: ") + _rows(bundled_mazes(), paths, "maze: ")
    _section("worlds", worlds + _rows(bundled_cells(), paths, "weld cell: "), "none installed")


def _rows(files: Mapping[str, Path], paths: bool, prefix: str = "") -> list[tuple[str, str]]:
    return [
        (
            name,
            str(path)
            if paths
            else shorten(prefix + describe_file(path), LONGEST, placeholder=" …"),
        )
        for name, path in files.items()
    ]


def _section(title: str, rows: list[tuple[str, str]], empty: str) -> None:
    print_line(f"{title}:")
    for name, text in rows:
        print_line(f"  {name:<20} {text}")
    if not rows:
        print_line(f"  ({empty})")


def _missing(kind: str) -> str:
    """Return a second line for a robot that cannot run: its missing packages and the fix."""
    names = extras.missing(kind)
    if not names:
        return ""
    return f"\n{'':<23}not installed: {', '.join(names)}; {extras.install_command(kind)}"
