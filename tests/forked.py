"""Start `rigless`, or a script that uses it, as a fork of a process that has imported it already.

A new interpreter needs 2 to 4 s of processor time to import a robot and the panel. A fork needs
none of it, and is still a process of its own: it has its own environment, files, signals and exit
code. Modules and compiled code are loaded before the fork, so tests of these need a new
interpreter.
"""

import os
import runpy
import select
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping
from contextlib import chdir
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).resolve().parent
IMPORTED = [
    "rigless.cli.app",
    "rigless.cli.live",
    "rigless.panel.server",
    "rigless.recordings.replay",
    "typer.rich_utils",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "numba.np.arraymath",  # it imports SciPy, where that is installed
    "preloaded",  # all robots
]
CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(IMPORTED)


class Forked:
    """A running command or script, with the methods of `subprocess.Popen` that tests use."""

    def __init__(
        self,
        words: tuple[str, ...],
        out: Path,
        err: Path,
        environment: Mapping[str, str],
        cwd: Path | None = None,
        script: Path | None = None,
    ):
        if environment.get("PYTHONPATH") != os.environ.get("PYTHONPATH"):
            raise ValueError("PYTHONPATH differs: imports need a new interpreter (fresh=True)")
        files = str(out), str(err)
        place = str(cwd or Path.cwd())
        self._process = CONTEXT.Process(
            target=_run,
            args=(words, files, dict(environment), place, script and str(script), os.getpid()),
        )
        with chdir(HERE):  # the process that is forked imports from its working directory
            self._process.start()
        self.pid: int = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("rigless", timeout or 0.0)
        return code

    def send_signal(self, signum: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, signum)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _run(
    words: tuple[str, ...],
    files: tuple[str, str],
    environment: dict[str, str],
    cwd: str,
    script: str | None,
    tests: int,
) -> None:
    """Run the command, or the script with warnings as errors, in this process."""
    from rigless.cli import main

    if "preloaded" not in sys.modules:  # an import that fails there is not reported
        raise ImportError("tests/preloaded.py was not imported before the fork")
    threading.Thread(target=_end_with, args=(tests,), daemon=True).start()
    for number, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, files[0], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, files[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(path, flags, 0o644)
        os.dup2(opened, number)
        os.close(opened)
    # A file has a block buffer, so that lines which are not flushed stay invisible.
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding=environment.get("PYTHONIOENCODING"), closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    if script is None:
        sys.argv = ["rigless", *words]
        main()
    else:
        warnings.simplefilter("error")
        sys.argv = [script, *words]
        sys.path.insert(0, str(Path(script).parent))
        runpy.run_path(script, run_name="__main__")


def _end_with(tests: int) -> None:
    """End this process when the process of the tests has ended, also if that was killed."""
    try:
        descriptor = os.pidfd_open(tests)
    except ProcessLookupError:
        os._exit(1)
    select.select([descriptor], [], [])
    os._exit(1)
