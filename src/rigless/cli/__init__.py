"""The command line. Commands import what they need when they run, so that help is quick."""

import sys


def main() -> None:
    """Entry point: a person's mistake becomes sentences on stderr and exit code 2, never a traceback."""
    from rigless.cli.app import app
    from rigless.kernel.problems import InputError

    try:
        app()
    except InputError as error:
        from rigless.cli.speak import complain

        complain(error)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
