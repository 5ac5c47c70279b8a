"""The command line. Commands import what they need when they run, so that help is quick."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rigless.kernel.problems import InputError


def main() -> None:
    """Run the command line. A user's mistake is printed as sentences on stderr with exit code 2."""
    from rigless.cli.app import app
    from rigless.console import print_problems
    from rigless.kernel.problems import InputError

    try:
        app()
    except InputError as error:
        print_problems(error)
        sys.exit(2)
    except ModuleNotFoundError as error:
        missing = _missing_extra(error.name or "", *sys.argv[1:2])
        if missing is None:
            raise
        print_problems(missing)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)


def _missing_extra(package: str, command: str = "") -> "InputError | None":
    """Return the error for a package that a robot's commands need; None if that is not the case.

    The extra has the name of the robot.
    """
    from rigless.cli.robot_commands import robots_with_commands
    from rigless.kernel.problems import InputError, Problem

    if command not in robots_with_commands() or package.partition(".")[0] in ("", "rigless"):
        return None
    reason = f"rigless {command} needs {package!r}, which is not installed"
    return InputError(Problem("", reason, f"pip install 'rigless[{command}]'"))
