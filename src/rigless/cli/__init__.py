"""The command line. Commands import what they need when they run, so that help is quick.

Until `main` runs, Ctrl-C shows a traceback, so nothing else is imported before it.
"""

import _thread
import os
import sys
import time

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from types import FrameType

    from rigless.kernel.problems import InputError

REPEAT_S = 0.01  # long enough to leave the code that discards exceptions
_discarded: list[float] = []  # times of interrupts that Python discarded


def main() -> None:
    """Run the command line. A user's mistake is printed as sentences on stderr with exit code 2."""
    hook = sys.unraisablehook
    _discarded.clear()
    try:
        sys.unraisablehook = _repeat_interrupt
        sys.exit(_run())
    except BrokenPipeError:
        sys.exit(0)
    except KeyboardInterrupt:  # also while the imports of a command are still running
        sys.exit(130)
    except Exception:
        if not _discarded:
            raise
        from signal import SIG_IGN, SIGINT, signal

        signal(SIGINT, SIG_IGN)  # the repeated one
        sys.exit(130)  # an interrupted compilation fails in numba
    finally:
        sys.unraisablehook = hook


def _repeat_interrupt(unraisable: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C that Python discards, as in the clean-up after an import.

    Without this, it shows a traceback and the command goes on. One more signal is not enough: it
    has no effect until a wait ends that begins just after it, and Python discards it as well if it
    arrives in this function. So signals are sent until Python's handler has run elsewhere.
    """
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return

    from signal import SIGINT, default_int_handler, getsignal, signal

    _discarded.append(time.monotonic())
    sending = _thread.RLock()  # reentrant, since one signal may interrupt the handler of another
    arrived = False

    def arrive(number: int, frame: "FrameType | None") -> None:
        nonlocal arrived
        if arrived or _is_discarded_in(frame):
            return
        with sending:
            arrived = True
        signal(SIGINT, default_int_handler)  # handles a signal that was sent meanwhile first
        default_int_handler(number, frame)

    def repeat() -> None:
        pending = True
        while pending:
            time.sleep(REPEAT_S)
            with sending:
                if not arrived:
                    os.kill(os.getpid(), SIGINT)  # unlike interrupt_main, this ends a wait
            pending = not arrived and getsignal(SIGINT) is arrive

    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, arrive)
    _thread.start_new_thread(repeat, ())


def _is_discarded_in(frame: "FrameType | None") -> bool:
    """Return True if Python discards an exception that is raised in the frame."""
    while frame is not None:
        if frame.f_code is _repeat_interrupt.__code__:
            return True
        frame = frame.f_back
    return False


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
