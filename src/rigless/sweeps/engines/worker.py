"""A worker process of the engine `local`: it runs tasks from a socket until the socket closes."""

import contextlib
import os
import signal
import socket
import sys
import threading
from queue import SimpleQueue

from rigless.programs.reaper import PR_SET_PDEATHSIG, prctl
from rigless.sweeps.engines.frames import Frames, send_frame
from rigless.sweeps.task import decode_task, encode, run_task


def work(link: socket.socket) -> None:
    """Run tasks in the order of arrival and send their rows.

    A thread reads, so that the worker ends at once, also within a run, when the link is closed.
    """
    tasks: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        frames = Frames()
        with contextlib.suppress(OSError):
            while data := link.recv(1 << 20):
                for frame in frames.feed(data):
                    tasks.put(frame)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=read, daemon=True).start()
    while True:
        task = decode_task(tasks.get())
        if os.path.isdir(task.given_from):
            os.chdir(task.given_from)  # in a cluster: settings may name files from there
        row = run_task(task)
        send_frame(link, encode(row))


def main(number: str) -> None:
    """Serve the socket of this number."""
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started it
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    with (
        contextlib.suppress(BrokenPipeError, ConnectionResetError),
        socket.socket(fileno=int(number)) as link,
    ):
        work(link)


if __name__ == "__main__":
    main(sys.argv[1])
