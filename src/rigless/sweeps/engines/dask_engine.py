"""The engine `dask`: a Dask cluster at an address, or one of its own on this machine."""

import logging
import os
import time
from asyncio import CancelledError
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.engines.chunks import AHEAD, Chunks
from rigless.sweeps.engines.dask_cluster import DaskCluster
from rigless.sweeps.engines.engine import ATTEMPTS, EngineLostError, Note, broken, lost
from rigless.sweeps.engines.remote import run_remote
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task, decode_rows, encode

CONNECT_S = 10.0
LOOK_S = 5.0  # between two looks at the cluster while no run ends
AGAIN_S = 0.2  # between two looks at runs whose results were lost with a worker
START_S = 60.0  # until a scheduler or workers have started on a busy machine


class DaskEngine:
    """Workers of a Dask cluster."""

    name = "dask"

    def __init__(self, address: str | None, workers: int | None, files: bytes, note: Note):
        try:
            from distributed import Client
        except ModuleNotFoundError:
            fix = "pip install 'rigless[dask]'"
            raise InputError(Problem("--engine dask", "Dask is not installed", fix)) from None
        for name in ("client", "batched"):  # the engine reports a lost scheduler itself
            logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
        self._note = note
        self._cluster: DaskCluster | None = None
        self._size = 1 if address else workers or len(os.sched_getaffinity(0))
        try:
            if address is None:
                self._cluster = DaskCluster(self._size, START_S)
                address = self._cluster.address
            self._client = Client(address, timeout=CONNECT_S)
        except (OSError, TimeoutError, ValueError) as error:
            if self._cluster is not None:
                self._cluster.close()
            if address is None:
                fix = "look at the reason, or start a cluster yourself and give its --address"
                raise InputError(Problem("--engine dask", f"did not start: {error}", fix)) from None
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
        self._look_s = 0.0
        self._chunks = Chunks()
        # As the result of a task it is made again if the workers that hold it are lost.
        self._files = self._client.submit(bytes, files, pure=True)

    @property
    def workers(self) -> int:
        """The number of workers, at most LOOK_S old."""
        if time.monotonic() > self._look_s:
            self._look()
        return self._size

    def run(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Return the row of each task as it ends. Raises EngineLostError."""
        self._chunks.begin(tasks)
        running: dict[Any, list[Task]] = {}
        ended: SimpleQueue[Any] = SimpleQueue()
        try:
            self._submit(running, ended)
            while running:
                future = self._wait(ended)
                rows = self._rows(future, running.pop(future))
                future.release()
                self._submit(running, ended)
                yield from rows
        except (OSError, CancelledError) as error:  # Dask's errors of closed connections
            raise self._lost() from error

    def close(self) -> None:
        """End the connection, and the cluster if it is the engine's own."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _submit(self, running: dict[Any, list[Task]], ended: SimpleQueue[Any]) -> None:
        """Keep enough chunks in the cluster."""
        workers = max(1, self.workers)
        while len(running) < workers * AHEAD and (chunk := self._chunks.take(workers)):
            future = self._client.submit(
                run_remote, encode(chunk), self._files, self.name, pure=False, retries=ATTEMPTS - 1
            )
            running[future] = chunk
            future.add_done_callback(ended.put)

    def _wait(self, ended: SimpleQueue[Any]) -> Any:
        """Return the next future that has ended. Say so if the cluster has no workers."""
        said = False
        while True:
            future = self._next(ended)
            if future is not None:
                return future
            if self._client.status != "running":
                raise self._lost()
            if not said and not self.workers:
                said = True
                self._note(f"the cluster has no workers: start one: dask worker {self._at}")

    def _next(self, ended: SimpleQueue[Any]) -> Any:
        """Return a future that has ended, None after a while.

        The result of a lost one died with its worker. Dask makes it again; until then it waits.
        """
        lost_ones: list[Any] = []
        try:
            while True:
                future = ended.get(timeout=AGAIN_S if lost_ones else LOOK_S)
                if future.status != "lost":
                    return future
                lost_ones.append(future)
        except Empty:
            return None
        finally:
            for future in lost_ones:
                ended.put(future)

    def _look(self) -> None:
        """Count the workers. The scheduler is asked, which takes some milliseconds."""
        self._size = len(self._client.scheduler_info(n_workers=-1)["workers"])
        self._look_s = time.monotonic() + LOOK_S

    def _rows(self, future: Any, chunk: list[Task]) -> list[Row]:
        """Return the rows of a chunk that has ended; none if its tasks are to be run again."""
        if future.status in ("finished", "lost"):  # the result of a lost one is made again
            return self._chunks.ended(decode_rows(future.result()))
        if future.status != "error":
            raise self._lost()
        error = future.exception()
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        died = type(error).__name__ == "KilledWorker"
        return self._chunks.not_ended(chunk, self.name, lost if died else broken, reason)

    def _lost(self) -> EngineLostError:
        what = f"the Dask scheduler at {self._at} no longer answers"
        return EngineLostError(Problem("--engine dask", what, "start it again"))
