"""One run of a program: started through the reaper, read without blocking, ended for certain."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rigless.programs import reaper
from rigless.programs.output_log import OutputLog
from rigless.programs.reaper import processes_below
from rigless.programs.usage import Usage

CHUNK = 1 << 14  # read in one turn of the loop, so that a flood does not hold up the simulation
DISCARDED_AT_ONCE = 16  # chunks in one turn beyond the limit of the output
CHILDREN_S = 0.01  # between two looks for children
KILL_S = 5.0  # until the processes of a killed program must have gone


class Process:
    """A running command with all its processes.

    `on_exit` is called once, when the command itself has ended. Processes that it leaves behind go
    on until `end`.
    """

    def __init__(self, words: list[str], log: OutputLog, usage: Usage):
        self.words = words
        self.log, self.usage = log, usage
        self.pid: int | None = None  # of the command, after it has started
        self.exit: int | None = None  # negative: a signal
        self.failure = ""  # why it could not be started
        self.outlived: list[str] = []  # names of processes that were still there at the end
        self.on_exit: Callable[[], None] = lambda: None
        self._loop = asyncio.get_running_loop()
        self._cwd = Path()
        self._reports = b""
        self._reaper: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._gone = asyncio.Event()
        self._exited = asyncio.Event()
        self._exit_known = False

    def start(self, cwd: Path, env: Mapping[str, str]) -> None:
        """Start it. If that fails, `failure` says why; `on_exit` is called in any case."""
        self._cwd = cwd
        mine, its = socket.socketpair()
        words = [sys.executable, "-I", "-S", reaper.__file__, str(its.fileno()), *self.words]
        try:
            self._reaper = subprocess.Popen(
                words,
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(its.fileno(),),
                start_new_session=True,
            )
        except OSError as error:
            mine.close()
            self.failure = self._explain(error, cwd)
            self._gone.set()
            self._loop.call_soon(self._report_exit)
            return
        finally:
            its.close()
        mine.setblocking(False)
        self._socket = mine
        assert self._reaper.stdout is not None
        assert self._reaper.stderr is not None
        for stream, pipe in (("out", self._reaper.stdout), ("err", self._reaper.stderr)):
            os.set_blocking(pipe.fileno(), False)
            self._loop.add_reader(pipe.fileno(), self._read, stream, pipe.fileno())
        self._loop.add_reader(mine.fileno(), self._read_reports)

    def _explain(self, error: OSError, cwd: Path) -> str:
        if not cwd.is_dir():
            return f"its working folder {str(cwd)!r} does not exist"
        name = self.words[0]
        if isinstance(error, FileNotFoundError):
            if "/" in name and (cwd / name).exists():
                return f"{name!r} cannot be started: {why_not_found(cwd / name)}"
            where = f"in {cwd}" if "/" in name else "on PATH"
            return f"command not found: there is no {name!r} {where}"
        if isinstance(error, PermissionError):
            return f"{name!r} cannot be executed: it is a folder or lacks the execute permission"
        if error.errno == errno.ENOEXEC:
            return f"{name!r} cannot be started: it is no program for this machine, and no script"
        return f"{name!r} cannot be started: {os.strerror(error.errno or 0)}"

    # Output and reports

    def _read(self, stream: str, descriptor: int) -> None:
        for _ in range(DISCARDED_AT_ONCE if self.log.full else 1):
            try:
                data = os.read(descriptor, CHUNK)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._loop.remove_reader(descriptor)
                self.log.end_of(stream)
                return
            self.log.receive(stream, data)

    def _drain(self) -> None:
        """Read what is left in the pipes, before the end is reported."""
        if self._reaper is None:
            return
        for stream, pipe in (("out", self._reaper.stdout), ("err", self._reaper.stderr)):
            if pipe is not None and not pipe.closed:
                for _ in range(1 << 10):
                    try:
                        data = os.read(pipe.fileno(), CHUNK)
                    except OSError:
                        break
                    if not data:
                        break
                    self.log.receive(stream, data)
                self.log.end_of(stream)

    def _read_reports(self) -> None:
        assert self._socket is not None
        try:
            got = self._socket.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            got = b""
        *lines, self._reports = (self._reports + got).split(b"\n")
        for line in lines:
            self._report(line.decode(errors="replace").split(" "))
        if not got:
            self._loop.remove_reader(self._socket.fileno())
            self._close()

    def _report(self, words: list[str]) -> None:
        match words:
            case ["started", pid]:
                self.pid = int(pid)
            case ["failed", number]:
                self.failure = self._explain(OSError(int(number), ""), self._cwd)
            case ["exited", status, cpu_s, rss_kb, reaper_rss_kb]:
                if not self.failure:
                    self.exit = int(status)
                    self.usage.ended(float(cpu_s), float(rss_kb), float(reaper_rss_kb))
                self._drain()
                self._report_exit()
            case ["outlived", _, *name]:
                self.outlived.append(" ".join(name))

    def _report_exit(self) -> None:
        if not self._exit_known:
            self._exit_known = True
            self._exited.set()
            self.on_exit()

    def _close(self) -> None:
        if self._reaper is None or self._gone.is_set():
            return
        self._drain()
        for pipe in (self._reaper.stdout, self._reaper.stderr):
            if pipe is not None:
                self._loop.remove_reader(pipe.fileno())
                pipe.close()
        if self._socket is not None:
            self._socket.close()
        self._reaper.wait()
        self._gone.set()
        self._report_exit()

    # State and control

    @property
    def root(self) -> int:
        """The process id of the reaper; all processes of the program are below it."""
        return self._reaper.pid if self._reaper is not None else 0

    @property
    def alive(self) -> bool:
        """True until the command itself has ended."""
        return self._reaper is not None and not self._exit_known

    def _command(self, line: str) -> None:
        if self._socket is not None and not self._gone.is_set():
            with contextlib.suppress(OSError):
                self._socket.send(line.encode() + b"\n")

    def send_signal(self, number: int) -> None:
        """Send a signal to all of its processes."""
        self._command(f"signal {number}")

    def limit(self, share: float) -> None:
        """Let all of its processes run only for a share of the time; 0 stops them."""
        self._command(f"share {share:.9f}")

    def abandon(self) -> None:
        """Close the connection to the reaper, which then ends all processes by itself."""
        if self._reaper is None or self._gone.is_set():
            return
        if self._socket is not None:
            self._socket.close()
        for pipe in (self._reaper.stdout, self._reaper.stderr):
            if pipe is not None:
                pipe.close()
        self._reaper.wait()
        self._gone.set()

    async def end(self, number: int = signal.SIGTERM, grace_s: float = 5.0) -> bool:
        """Ask all of its processes to end; kill those that are left after the grace time.

        Return True if the command itself had to be killed.
        """
        killed = False
        if self.alive:
            self.limit(1.0)  # a stopped process gets no signal
            self._command(f"signal {number}")
            try:
                async with asyncio.timeout(grace_s):
                    await self._exited.wait()
                    while processes_below(self.root):  # its children may need a moment, too
                        await asyncio.sleep(CHILDREN_S)
            except TimeoutError:
                killed = self.alive
        self._command("end")
        try:
            await asyncio.wait_for(self._gone.wait(), KILL_S)
        except TimeoutError:
            self.log.note("some of its processes cannot be ended")
            if self._reaper is not None:
                self._reaper.kill()
            self._close()
        return killed


def why_not_found(file: Path) -> str:
    """Return why the system does not find a program whose file exists."""
    with contextlib.suppress(OSError), file.open("rb") as script:
        first = script.read(200).split(b"\n", 1)[0]
        if first.startswith(b"#!"):
            interpreter = first[2:].decode(errors="replace").strip(" ").split(" ")[0]
            return f"its first line names {interpreter!r}, which does not exist"
    return "the loader that it needs does not exist on this machine"
