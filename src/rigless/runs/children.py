"""Runs in processes of their own, forked by one server for each process of rigless."""

import atexit
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import msgspec

from rigless.kernel.problems import InputError
from rigless.runs.fork_server import HEAD_BYTES, Wish
from rigless.runs.request import Answer, Request
from rigless.runs.result import Result

STDERR_SHOWN = 2000
NOT_FOR_RUNS = ("rigless.cli", "rigless.panel", "rigless.sweeps", "rigless.gym")
ALWAYS = ("rigless.runs.request", "rigless.runs.hosted")


class Children:
    """The connection to a fork server, which starts with the first run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0  # the process id that started it: a fork needs a server of its own
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def run(self, question: Path, reply: Path, errors: Path, isolate: bool) -> int:
        """Do a run, wait for its end, and return the exit code (negative: a signal)."""
        path = [os.fsencode(each or os.getcwd()) for each in sys.path]
        wish = Wish(
            os.fsencode(question),
            os.fsencode(reply),
            os.fsencode(errors),
            isolate,
            os.getcwdb(),
            path,
            dict(os.environb),
        )
        read_end, write_end = os.pipe()
        with open(read_end, "rb") as ended:
            try:
                with self._lock:
                    control, data = self._connected(), msgspec.msgpack.encode(wish)
                    socket.send_fds(control, [len(data).to_bytes(HEAD_BYTES, "big")], [write_end])
                    control.sendall(data)
            finally:
                os.close(write_end)
            code = ended.read()
        return int(code) if code else -1  # without a code, the server itself has died

    def _connected(self) -> socket.socket:
        if self._server is None or self._owner != os.getpid() or self._server.poll() is not None:
            self._start()
        assert self._control is not None
        return self._control

    def _start(self) -> None:
        if self._control is not None:  # of a server that has died, or of the parent of a fork
            self._control.close()
        mine, its = socket.socketpair()
        with its:
            words = [sys.executable, "-m", "rigless.runs.fork_server", str(its.fileno())]
            words += [*ALWAYS, *_useful_modules()]
            self._server = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, pass_fds=(its.fileno(),)
            )
        self._control, self._owner = mine, os.getpid()

    def close(self) -> None:
        """End the server, at the end of this process."""
        if self._control is not None:
            self._control.close()
        if self._server is not None and self._owner == os.getpid():
            self._server.wait()
        self._server = self._control = None


def _useful_modules() -> list[str]:
    """Return the modules of rigless that this process has imported, such as those of a robot."""
    return sorted(
        name
        for name in list(sys.modules)
        if name.startswith("rigless.") and not name.startswith(NOT_FOR_RUNS)
    )


CHILDREN = Children()
atexit.register(CHILDREN.close)


def run_in_child(request: Request) -> Result:
    """Run in a process of its own, in a private network if the request says so."""
    with tempfile.TemporaryDirectory(prefix="rigless-") as folder:
        question, reply, errors = (Path(folder) / name for name in ("request", "answer", "stderr"))
        question.write_bytes(msgspec.msgpack.encode(request))
        code = CHILDREN.run(question, reply, errors, request.isolate)
        if not reply.exists():
            how = errors.read_text(errors="replace")[-STDERR_SHOWN:] if errors.exists() else ""
            last = how.strip().splitlines()[-1:] or ["no output"]
            text = f"the process of the run ended with {code}: {last[0]}"
            return Result(request.target, request.target, request.seed or 0, 0.0, failure=text)
        found = msgspec.msgpack.decode(reply.read_bytes(), type=Answer)
    if found.result is None:
        raise InputError(found.problems)
    return found.result
