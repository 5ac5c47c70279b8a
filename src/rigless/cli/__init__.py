"""The command line. Commands import what they need when they run, so that help is quick.

Until `main` runs, Ctrl-C shows a traceback, so nothing else is imported before it.
"""

import sys

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from rigless.kernel.problems import InputError


def main() -> None:
    """Run the command line. A user's mistake is printed as sentences on stderr with exit code 2."""
    try:
        sys.exit(_run())
    except BrokenPipeError:
        sys.exit(0)
    except KeyboardInterrupt:  # also while the imports of a command are still running
        sys.exit(130)


def _run() -> int:
    from rigless.cli.app import app
    from rigless.console import CompileNote, print_problems
    from rigless.kernel.compilation import observed
    from rigless.kernel.problems import InputError

    try:
        with observed(CompileNote()):
            app()
    except InputError as error:
        print_problems(error)
        return 2
    except ModuleNotFoundError as error:
        missing = _missing_extra(error.name or "", *sys.argv[1:2])
        if missing is None:
            raise
        print_problems(missing)
        return 2
    return 0


def _missing_extra(package: str, command: str = "") -> "InputError | None":
    """Return the error for a package of an extra that is not installed; None for another one."""
    from rigless.kernel.problems import InputError, Problem
    from rigless.scenario.extras import extra_of, install_command

    extra = extra_of(package, preferred=command)
    if extra is None:
        return None
    reason = f"rigless {command} needs {package!r}, which is not installed"
    return InputError(Problem("", reason, install_command(extra)))
