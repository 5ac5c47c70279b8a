"""`rigless list`: robots, scenarios and worlds that can be run."""

from rigless.console import print_line
from rigless.scenario import kinds
from rigless.scenario.bundled import bundled_scenarios
from rigless.worlds.bundled import bundled_cells, bundled_maps, bundled_mazes


def show() -> None:
    _section(
        "robots",
        [(kind, kinds.summary(kind)) for kind in kinds.installed()],
        "none installed; a robot folder runs too: rigless run ./my_robot",
    )
    _section(
        "scenarios",
        [(name, str(path)) for name, path in bundled_scenarios().items()],
        "none installed; write one: docs/reference/scenarios.md",
    )
    shipped = (bundled_maps(), bundled_mazes(), bundled_cells())
    _section(
        "worlds",
        [(name, str(path)) for kind in shipped for name, path in kind.items()],
        "none installed",
    )


def _section(title: str, rows: list[tuple[str, str]], empty: str) -> None:
    print_line(f"{title}:")
    for name, text in rows:
        print_line(f"  {name:<20} {text}")
    if not rows:
        print_line(f"  ({empty})")
