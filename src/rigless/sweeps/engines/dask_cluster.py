"""A Dask scheduler and its workers on this machine, for one sweep.

They are started by the reaper, in sessions of their own. Ctrl-C in a terminal therefore reaches
only rigless, which ends them in order. They also end if rigless is killed.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from rigless.programs import reaper

POLL_S = 0.05
END_S = 60.0  # for the processes to end on a busy machine
SHOWN = 300  # characters of the last line of a log
HERE = ("--host", "127.0.0.1", "--no-dashboard")


class DaskCluster:
    """A scheduler and workers of one thread each. `address` is that of the scheduler.

    Raises OSError or TimeoutError if the scheduler does not start.
    """

    def __init__(self, workers: int, start_s: float):
        self._stack = ExitStack()
        temporary = tempfile.TemporaryDirectory(prefix="rigless-dask-", ignore_cleanup_errors=True)
        self._folder = Path(self._stack.enter_context(temporary))
        self._file = self._folder / "scheduler.json"
        try:
            scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", self._file)
            self.address = self._address(scheduler, start_s)
            self._start("worker", self.address, "--nworkers", workers, "--nthreads", 1,
                        "--local-directory", self._folder)  # fmt: skip
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all processes."""
        self._stack.close()

    def _start(self, *words: object) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
        # A pipe would fill up and hold the process.
        log = self._stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "dask", *map(str, words), *HERE]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", reaper.__file__, str(theirs.fileno()), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self._stack.callback(process.wait, END_S)
        self._stack.enter_context(ours)  # the reaper ends its command when this is closed
        return process, log

    def _address(self, scheduler: tuple[subprocess.Popen[bytes], IO[bytes]], start_s: float) -> str:
        """Wait until the scheduler has written its address."""
        process, log = scheduler
        end_s = time.monotonic() + start_s
        while time.monotonic() < end_s:
            try:
                return str(json.loads(self._file.read_text())["address"])
            except (FileNotFoundError, json.JSONDecodeError):  # it is being written
                if process.poll() is not None:
                    break
            time.sleep(POLL_S)
        log.seek(0)
        lines = log.read().decode(errors="replace").strip().splitlines()
        raise OSError(lines[-1][:SHOWN] if lines else "the scheduler did not start")
