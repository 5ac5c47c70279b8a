"""The command line. Commands import what they need when they run, so that help is quick."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rigless.kernel.problems import InputError

ROBOTS = ("agv", "welder")  # that have commands of their own, and extras of the same names


def main() -> None:
    """Entry point: a person's mistake becomes sentences on stderr and exit code 2, never a traceback."""
    from rigless.cli.app import app
    from rigless.cli.speak import complain
    from rigless.kernel.problems import InputError

    try:
        app()
    except InputError as error:
        complain(error)
        sys.exit(2)
    except ModuleNotFoundError as error:
        lacking = _lacking(error.name or "", *sys.argv[1:2])
        if lacking is None:
            raise
        complain(lacking)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)


def _lacking(package: str, command: str = "") -> "InputError | None":
    """What to say of a package that a robot's own commands need and that is not there; None if that is not what is wrong."""
    from rigless.kernel.problems import InputError, Problem

    if command not in ROBOTS or package.partition(".")[0] in ("", "rigless"):
        return None
    what = f"rigless {command} needs {package!r}, which is not installed"
    return InputError(Problem("", what, f"pip install 'rigless[{command}]'"))
