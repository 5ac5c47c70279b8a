"""The engine `local`: worker processes on this machine.

A worker is an interpreter of its own that keeps its imports, compiled functions and maps. Tasks and
rows go over a socket pair, length first. A worker that dies is replaced and its run repeated; one
that exceeds the limit of its run is killed. Workers end with this process, also if it is killed.
"""

import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO

from rigless.sweeps.engines.engine import ATTEMPTS, ended_at_limit, lost
from rigless.sweeps.engines.frames import Frames, send_frame
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task, decode_row, encode, worker_name

AHEAD = 2  # tasks at a worker: it begins the next while its row is read
GRACE_S = 5.0  # for workers with programs to end them
SHOWN = 300  # characters of a dead worker's last words


@dataclass
class Worker:
    """A worker process with the tasks that it has."""

    process: subprocess.Popen[bytes]
    link: socket.socket
    log: IO[bytes]
    frames: Frames = field(default_factory=Frames)
    tasks: deque[Task] = field(default_factory=deque)
    begun_s: float = 0.0  # of the first of its tasks

    @property
    def deadline_s(self) -> float:
        return self.begun_s + self.tasks[0].limit_s if self.tasks else float("inf")


class LocalEngine:
    """Worker processes on this machine, as many as cores unless given."""

    name = "local"

    def __init__(self, workers: int | None = None):
        self._wanted = workers or len(os.sched_getaffinity(0))
        self._workers: list[Worker] = []
        self._selector = selectors.DefaultSelector()
        self._attempts: dict[int, int] = {}

    @property
    def workers(self) -> int:
        return self._wanted

    def run(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Return the row of each task as it ends."""
        waiting: deque[Task] = deque()
        source = iter(tasks)
        left = True
        while True:
            while left and len(waiting) < self._wanted * AHEAD:
                task = next(source, None)
                if task is None:
                    left = False
                else:
                    waiting.append(task)
            self._hand_out(waiting)
            if not any(worker.tasks for worker in self._workers):
                return
            yield from self._collect(waiting)

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.link.close()  # a worker ends, with its programs, when its link does
            worker.process.send_signal(signal.SIGTERM)
        end_s = time.monotonic() + GRACE_S
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, end_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            worker.log.close()
        self._workers = []
        self._selector.close()
        self._selector = selectors.DefaultSelector()

    def _hand_out(self, waiting: deque[Task]) -> None:
        """Give waiting tasks to workers, start workers if more are of use."""
        while waiting and len(self._workers) < self._wanted:
            self._start()
            self._give(self._workers[-1], waiting.popleft())
        for depth in range(AHEAD):
            for worker in self._workers:
                if waiting and len(worker.tasks) <= depth:
                    self._give(worker, waiting.popleft())

    def _give(self, worker: Worker, task: Task) -> None:
        task.row.engine, task.row.worker = self.name, worker_name(worker.process.pid)
        if not worker.tasks:
            worker.begun_s = time.monotonic()
        worker.tasks.append(task)
        try:
            send_frame(worker.link, encode(task))
        except OSError:
            return  # it died; the selector reports the end of its link

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        words = [sys.executable, "-m", "rigless.sweeps.engines.worker", str(theirs.fileno())]
        # A pipe would fill up and hold the worker.
        log = tempfile.TemporaryFile()  # noqa: SIM115
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stderr=log, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        worker = Worker(process, ours, log)
        self._workers.append(worker)
        self._selector.register(ours, selectors.EVENT_READ, worker)

    def _collect(self, waiting: deque[Task]) -> Iterator[Row]:
        """Wait for rows, dead workers and limits."""
        nearest_s = min(worker.deadline_s for worker in self._workers)
        for key, _ in self._selector.select(max(0.0, nearest_s - time.monotonic())):
            worker: Worker = key.data
            try:
                data = worker.link.recv(1 << 20)
            except OSError:
                data = b""
            if not data:
                yield from self._bury(worker, waiting)
                continue
            for frame in worker.frames.feed(data):
                self._attempts.pop(worker.tasks.popleft().index, None)
                worker.begun_s = time.monotonic()
                yield decode_row(frame)
        now_s = time.monotonic()
        for worker in [each for each in self._workers if each.deadline_s <= now_s]:
            task = worker.tasks.popleft()
            self._remove(worker, waiting)
            yield ended_at_limit(task)

    def _bury(self, worker: Worker, waiting: deque[Task]) -> Iterator[Row]:
        """Repeat the run of a worker that died, unless it died of it several times."""
        if worker.tasks:
            task = worker.tasks[0]
            self._attempts[task.index] = self._attempts.get(task.index, 0) + 1
            if self._attempts[task.index] >= ATTEMPTS:
                worker.tasks.popleft()
                del self._attempts[task.index]  # the next sweep may have a run of this index
                yield lost(task, self._last_words(worker))
        self._remove(worker, waiting)

    def _remove(self, worker: Worker, waiting: deque[Task]) -> None:
        """End a worker and give its tasks back."""
        self._selector.unregister(worker.link)
        worker.link.close()
        worker.process.kill()
        worker.process.wait()
        worker.log.close()
        self._workers.remove(worker)
        waiting.extendleft(reversed(worker.tasks))

    @staticmethod
    def _last_words(worker: Worker) -> str:
        worker.process.kill()
        code = worker.process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        worker.log.seek(0)
        lines = worker.log.read().decode(errors="replace").strip().splitlines()
        return f"{how}: {lines[-1][:SHOWN]}" if lines else how
