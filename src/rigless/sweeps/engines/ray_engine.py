"""The engine `ray`: a Ray cluster at an address, or one of its own on this machine."""

import logging
import os
import socket
from collections.abc import Iterable, Iterator
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.engines.engine import ATTEMPTS, lost
from rigless.sweeps.engines.remote import run_remote
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task, decode_row, encode

AHEAD = 3  # tasks in the cluster for each worker
CONNECT_S = 5.0
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
            fix = "start it: ray start --head; then --address auto, or ray://HOST:10001"
            raise InputError(Problem("--address", what, fix)) from None
        self._ray = ray
        # Task retries cover the death of a Ray worker.
        self._remote = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(run_remote)
        self._files = ray.put(files)

    @property
    def workers(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 1))

    def run(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Return the row of each task as it ends."""
        source = iter(tasks)
        running: dict[Any, Task] = {}
        more = True
        while more or running:
            while more and len(running) < max(1, self.workers) * AHEAD:
                task = next(source, None)
                if task is None:
                    more = False
                else:
                    running[self._remote.remote(encode(task), self._files, self.name)] = task
            if running:
                done, _ = self._ray.wait(list(running))
                for reference in done:
                    yield self._row(reference, running.pop(reference))

    def close(self) -> None:
        """End the connection, and the cluster if it is the engine's own."""
        self._ray.shutdown()

    def _row(self, reference: Any, task: Task) -> Row:
        try:
            return decode_row(self._ray.get(reference))
        except self._ray.exceptions.RayError as error:
            task.row.engine = self.name
            return lost(task, f"{type(error).__name__}: {error}".splitlines()[0])


def _check_answers(address: str | None) -> None:
    """Raise OSError if nothing listens at HOST:PORT; Ray itself would try for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_S).close()
