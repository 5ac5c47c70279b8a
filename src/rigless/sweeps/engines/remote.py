"""Run tasks within a worker of a cluster.

Each thread of it has a worker process of its own, as the engine `local` has, so that a run that
hangs or crashes does not harm the cluster's worker, and rows are the same as locally.
"""

import os
import threading
from functools import lru_cache
from pathlib import Path

from rigless.sweeps.engines.local import LocalEngine
from rigless.sweeps.files import Bundle, decode_bundle
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task, decode_tasks, encode, rigless_version

_own = threading.local()


@lru_cache(maxsize=8)
def _unpacked(data: bytes) -> tuple[Bundle, Path]:
    bundle = decode_bundle(data)
    return bundle, bundle.unpack()


def run_remote(chunk: bytes, files: bytes, engine: str) -> bytes:
    """Run the tasks of a chunk, with the files of their scenario, and return their rows."""
    rows: list[Row] = []
    tasks: list[Task] = []
    for task in decode_tasks(chunk):
        row = _why_not(task) or _placed(task, files)
        if row is None:
            tasks.append(task)
        else:
            rows.append(row)
    if tasks:
        local: LocalEngine | None = getattr(_own, "engine", None)
        if local is None:
            local = _own.engine = LocalEngine(1)
        rows += local.run(tasks)
    for row in rows:
        row.engine = engine
    return encode(rows)


def _why_not(task: Task) -> Row | None:
    if task.row.version == rigless_version():
        return None
    task.row.note = (
        f"this worker has rigless {rigless_version()}, the sweep {task.row.version}: "
        "install the same version"
    )
    return task.row


def _placed(task: Task, files: bytes) -> Row | None:
    """Point a task to the files on this machine. Return an error row if some are missing."""
    bundle, folder = _unpacked(files)
    missing = [path for path in bundle.elsewhere if not os.path.exists(path)]
    if missing:
        task.row.note = (
            f"missing on {os.uname().nodename}: {', '.join(missing[:3])}: copy it there, "
            "or keep it below the folder of the scenario"
        )
        return task.row
    if bundle.files:
        task.target = str(folder / bundle.target)
        task.given_from = str(folder / os.path.relpath(task.given_from, bundle.root))
    return None
