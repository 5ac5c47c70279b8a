"""The engine `ray`: a Ray cluster at an address, or one of its own on this machine."""

import logging
import os
import socket
import time
from collections.abc import Iterable, Iterator
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.engines.chunks import AHEAD, Chunks
from rigless.sweeps.engines.engine import ATTEMPTS, EngineLostError, broken, lost
from rigless.sweeps.engines.remote import run_remote
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task, decode_rows, encode

CONNECT_S = 5.0
LOOK_S = 5.0  # between two looks at the cluster while no run ends
STORE_BYTES = 200_000_000  # of shared memory for a cluster of our own


class RayEngine:
    """Workers of a Ray cluster; each has one core."""

    name = "ray"

    def __init__(self, address: str | None, workers: int | None, files: bytes):
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            import ray
        except ModuleNotFoundError:
            fix = "pip install 'rigless[ray]'"
            raise InputError(Problem("--engine ray", "Ray is not installed", fix)) from None
        options: dict[str, Any] = {"address": address}
        if address is None:
            options = {
                "address": "local",
                "num_cpus": workers or len(os.sched_getaffinity(0)),
                "include_dashboard": False,
                "object_store_memory": STORE_BYTES,
                "_node_ip_address": "127.0.0.1",
            }
        try:
            _check_answers(address)
            ray.init(logging_level=logging.ERROR, log_to_driver=False, **options)
        except (OSError, ValueError, RuntimeError) as error:
            what = f"no Ray cluster answers at {address}: {str(error).splitlines()[0]}"
            fix = (
                "start it: ray start --head; then --address auto, or ray://HOST:10001; "
                "if it authenticates by a token, set RAY_AUTH_MODE=token"
            )
            raise InputError(Problem("--address", what, fix)) from None
        self._ray = ray
        # Task retries cover the death of a Ray worker.
        self._remote = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(run_remote)
        self._files = ray.put(files)
        self._cores, self._look_s = 1, 0.0
        self._chunks = Chunks()
        self._at = ray.get_runtime_context().gcs_address

    @property
    def workers(self) -> int:
        """The number of cores, at most LOOK_S old."""
        if time.monotonic() > self._look_s:
            self._look()
        return self._cores

    def run(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Return the row of each task as it ends. Raises EngineLostError."""
        self._chunks.begin(tasks)
        running: dict[Any, list[Task]] = {}
        self._submit(running)
        while running:
            for reference in self._wait(list(running)):
                rows = self._rows(reference, running.pop(reference))
                self._submit(running)
                yield from rows

    def close(self) -> None:
        """End the connection, and the cluster if it is the engine's own."""
        self._ray.shutdown()

    def _submit(self, running: dict[Any, list[Task]]) -> None:
        """Keep enough chunks in the cluster."""
        workers = max(1, self.workers)
        while len(running) < workers * AHEAD and (chunk := self._chunks.take(workers)):
            running[self._remote.remote(encode(chunk), self._files, self.name)] = chunk

    def _wait(self, running: list[Any]) -> list[Any]:
        """Return references whose tasks have ended."""
        while True:
            done, _ = self._ray.wait(running, timeout=LOOK_S)
            if done:
                return list(done)
            self._look()

    def _look(self) -> None:
        """Count the cores. Raises EngineLostError.

        Ray itself waits a minute for a lost head, and then ends this process.
        """
        try:
            _check_answers(self._at)
        except OSError:
            raise self._lost() from None
        self._cores = int(self._ray.cluster_resources().get("CPU", 1))
        self._look_s = time.monotonic() + LOOK_S

    def _lost(self) -> EngineLostError:
        what = f"the head of the Ray cluster at {self._at} no longer answers"
        return EngineLostError(Problem("--engine ray", what, "start it again"))

    def _rows(self, reference: Any, chunk: list[Task]) -> list[Row]:
        """Return the rows of a chunk that has ended; none if its tasks are to be run again."""
        try:
            return self._chunks.ended(decode_rows(self._ray.get(reference)))
        except self._ray.exceptions.LocalRayletDiedError:
            raise self._lost() from None
        except self._ray.exceptions.RayError as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            died = not isinstance(error, self._ray.exceptions.RayTaskError)
            return self._chunks.not_ended(chunk, self.name, lost if died else broken, reason)


def _check_answers(address: str | None) -> None:
    """Raise OSError if nothing listens at HOST:PORT; Ray itself would try for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_S).close()
