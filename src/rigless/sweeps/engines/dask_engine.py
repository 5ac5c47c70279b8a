"""The engine `dask`: a Dask cluster at an address, or one of its own on this machine."""

import logging
import os
from asyncio import CancelledError
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.engines.engine import ATTEMPTS, EngineLostError, Note, broken, lost
from rigless.sweeps.engines.remote import run_remote
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task, decode_row, encode

AHEAD = 3  # tasks in the cluster for each worker
CONNECT_S = 10.0
LOOK_S = 5.0  # between two looks at the cluster while no run ends
START_S = 60.0  # until workers have started on a busy machine


class DaskEngine:
    """Workers of a Dask cluster."""

    name = "dask"

    def __init__(self, address: str | None, workers: int | None, files: bytes, note: Note):
        try:
            from distributed import Client
            from distributed.deploy.subprocess import SubprocessCluster
        except ModuleNotFoundError:
            fix = "pip install 'rigless[dask]'"
            raise InputError(Problem("--engine dask", "Dask is not installed", fix)) from None
        for name in ("client", "batched"):  # the engine reports a lost scheduler itself
            logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
        self._note, self._cluster = note, None
        self._size = 1 if address else workers or len(os.sched_getaffinity(0))
        try:
            if address is None:
                self._cluster = SubprocessCluster(  # its workers do not import a caller's script
                    host="127.0.0.1",
                    scheduler_kwargs={"dashboard": False},
                    n_workers=self._size,
                    threads_per_worker=1,
                    worker_kwargs={"dashboard": False},
                )
            self._client = Client(address or self._cluster, timeout=CONNECT_S)
        except (OSError, TimeoutError, ValueError) as error:
            what = f"no Dask scheduler answers at {address}: {error}"
            fix = "start it: dask scheduler --host 127.0.0.1; then dask worker tcp://127.0.0.1:8786"
            raise InputError(Problem("--address", what, fix)) from None
        try:
            self._client.wait_for_workers(self._size, START_S)
        except TimeoutError:
            self.close()
            what = f"the Dask scheduler at {address} has no workers"
            fix = f"start one on each machine: dask worker {address}"
            raise InputError(Problem("--address", what, fix)) from None
        self._at = str(self._client.scheduler_info(n_workers=0)["address"])
        # As the result of a task it is made again if the workers that hold it are lost.
        self._files = self._client.submit(bytes, files, pure=True)

    @property
    def workers(self) -> int:
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def run(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Return the row of each task as it ends. Raises EngineLostError."""
        source = iter(tasks)
        running: dict[Any, Task] = {}
        ended: SimpleQueue[Any] = SimpleQueue()
        try:
            more = self._submit(source, running, ended)
            while running:
                future = self._wait(ended)
                yield self._row(future, running.pop(future))
                future.release()
                if more:
                    more = self._submit(source, running, ended)
        except (OSError, CancelledError) as error:  # Dask's errors of closed connections
            raise self._lost() from error

    def close(self) -> None:
        """End the connection, and the cluster if it is the engine's own."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _submit(
        self, source: Iterator[Task], running: dict[Any, Task], ended: SimpleQueue[Any]
    ) -> bool:
        """Keep enough tasks in the cluster. Return False if there are no more."""
        wanted = max(1, self.workers) * AHEAD
        while len(running) < wanted:
            task = next(source, None)
            if task is None:
                return False
            future = self._client.submit(
                run_remote, encode(task), self._files, self.name, pure=False, retries=ATTEMPTS - 1
            )
            running[future] = task
            future.add_done_callback(ended.put)
        return True

    def _wait(self, ended: SimpleQueue[Any]) -> Any:
        """Return the next future that has ended. Say so if the cluster has no workers."""
        said = False
        while True:
            try:
                return ended.get(timeout=LOOK_S)
            except Empty:
                if self._client.status != "running":
                    raise self._lost() from None
                if not said and not self.workers:
                    said = True
                    self._note(f"the cluster has no workers: start one: dask worker {self._at}")

    def _row(self, future: Any, task: Task) -> Row:
        if future.status == "finished":
            return decode_row(future.result())
        if future.status != "error":
            raise self._lost()
        error = future.exception()
        task.row.engine = self.name
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return (
            lost(task, reason) if type(error).__name__ == "KilledWorker" else broken(task, reason)
        )

    def _lost(self) -> EngineLostError:
        what = f"the Dask scheduler at {self._at} no longer answers"
        return EngineLostError(Problem("--engine dask", what, "start it again"))
