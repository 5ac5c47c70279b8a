"""A process that has imported rigless and forks a process for each run.

A new interpreter needs up to a second of processor time to import a robot. A fork needs none, has
one thread, as a private network demands, and leaves nothing behind.

Theory of operation. `rigless` starts `python -m rigless.runs.fork_server FD MODULES…`. FD is a
socket, over which each run arrives as msgpack (`Wish`) after its size. The writing end of a pipe is
attached to the size. The server forks, and writes the exit code into that pipe when the run has
ended. It ends with the socket, also if rigless was killed, and its runs get a SIGTERM.
"""

import contextlib
import gc
import importlib
import os
import random
import select
import signal
import socket
import sys
import traceback
from dataclasses import dataclass
from typing import Any

import msgspec

from rigless.programs.reaper import PR_SET_PDEATHSIG, prctl

HEAD_BYTES = 4  # the size of a message


@dataclass
class Wish:
    """A run as files, and the surroundings of the process that wants it, as bytes of the system."""

    question: bytes
    reply: bytes
    errors: bytes  # the file for stderr
    isolate: bool
    cwd: bytes
    path: list[bytes]
    environment: dict[bytes, bytes]


class Server:
    """The process that forks."""

    def __init__(self, control: socket.socket):
        self.control = control
        self.running: dict[int, int] = {}  # process id → pipe for its exit code
        self.wakeup, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches rigless, which then ends this
        signal.set_wakeup_fd(write_end)

    def run(self) -> None:
        """Serve until rigless closes the socket."""
        waiting: list[Any] = [self.control, self.wakeup]
        while True:
            ready, _, _ = select.select(waiting, [], [])
            if self.wakeup in ready:
                os.read(self.wakeup, 1000)
                self.reap()
            if self.control in ready:
                size, pipes, _, _ = socket.recv_fds(self.control, HEAD_BYTES, 1)
                if not size:
                    break
                wanted = int.from_bytes(size, "big")
                if len(data := self._receive(wanted)) < wanted:  # it was closed in the middle
                    break
                self.start(msgspec.msgpack.decode(data, type=Wish), pipes[0])
        for child in self.running:
            os.kill(child, signal.SIGTERM)

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := self.control.recv(size - len(data))):
            data += more
        return data

    def start(self, wish: Wish, pipe: int) -> None:
        """Fork a process for a run."""
        server = os.getpid()
        child = os.fork()
        if child:
            self.running[child] = pipe
            return
        code = 1
        try:
            self.control.close()
            for one in (pipe, *self.running.values()):
                os.close(one)
            _become(wish, server)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def reap(self) -> None:
        """Report the ends of runs."""
        while self.running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            pipe = self.running.pop(pid)
            with contextlib.suppress(OSError):  # rigless has gone
                os.write(pipe, b"%d" % os.waitstatus_to_exitcode(status))
            os.close(pipe)


def _become(wish: Wish, server: int) -> None:
    """Take over the surroundings of rigless in this forked process, and do the run."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    errors = os.open(wish.errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(errors, 2)
    os.close(errors)
    if os.getppid() != server:  # it was killed before: no signal will come
        return
    random.seed()
    sys.path[:] = map(os.fsdecode, wish.path)
    os.environ.clear()
    os.environb.update(wish.environment)
    os.chdir(wish.cwd)
    if wish.isolate:
        from rigless.programs import namespace

        namespace.enter()
    from rigless.runs.request import answer

    answer(os.fsdecode(wish.question), os.fsdecode(wish.reply))


def main(control: int, modules: list[str]) -> None:
    """Import modules, then serve."""
    for module in modules:
        with contextlib.suppress(Exception):  # the run itself reports it
            importlib.import_module(module)
    gc.collect()
    gc.freeze()  # what is shared must not be written to by the collector
    Server(socket.socket(fileno=control)).run()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
