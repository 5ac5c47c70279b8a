"""Find the commands of the robots: `robots/NAME/cli.py` is mounted as `rigless NAME …`."""

import importlib.util
from pathlib import Path
from types import ModuleType

import typer

ROBOTS = Path(__file__).resolve().parent.parent / "robots"


def robots_with_commands() -> list[str]:
    """Return the names of the installed robots that have a `cli.py`."""
    return sorted(path.parent.name for path in ROBOTS.glob("*/cli.py"))


def robot_commands() -> dict[str, typer.Typer]:
    """Load every robot's `cli.py` and return what its `commands()` returns, by robot.

    Only that file is loaded, not the robot's package: help stays quick, and a robot whose extra is
    not installed does not break the help of the others.
    """
    return {name: commands_of(name).commands() for name in robots_with_commands()}


def commands_of(robot: str) -> ModuleType:
    """Load the `cli.py` of a robot."""
    name = f"rigless.robots.{robot}.cli"
    spec = importlib.util.spec_from_file_location(name, ROBOTS / robot / "cli.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
