"""Words that the shell completes: robots, scenarios and examples. Files complete by themselves.

Each key press starts the command, so nothing heavy is imported here.
"""

from collections.abc import Iterator

from rigless.scenario.bundled import bundled_scenarios, folder


def robots(incomplete: str) -> list[str]:
    return _matching(incomplete, _robots())


def targets(incomplete: str) -> list[str]:
    """Return robots and scenarios; with none that match, the shell completes file names."""
    return _matching(incomplete, [*_robots(), *bundled_scenarios()])


def examples(incomplete: str) -> list[str]:
    place = folder("examples")
    names = sorted(path.stem for path in place.iterdir()) if place else []
    return _matching(incomplete, names)


def _robots() -> Iterator[str]:
    from rigless.cli.robot_commands import ROBOTS

    return (path.parent.name for path in sorted(ROBOTS.glob("*/robot.py")))


def _matching(incomplete: str, names: "Iterator[str] | list[str]") -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
