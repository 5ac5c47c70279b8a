"""One run of a sweep as data, and its execution in a worker.

A task names everything that decides the result: the scenario with its settings, the seed, and the
commands of programs. Equal tasks give equal rows on every engine.
"""

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import msgspec

from rigless.kernel.problems import InputError
from rigless.runs.children import run_in_child
from rigless.runs.request import Request, run_here
from rigless.scenario.load import open_target
from rigless.sweeps.row import Row

RECORDING = "run.mcap"  # in the folder of a run


@dataclass
class Task:
    """One run: its row without results, its target, and the texts of its settings.

    `limit_s` bounds its wall time.
    """

    index: int
    row: Row
    target: str
    settings: list[str] = field(default_factory=list)
    commands: dict[str, list[str]] = field(default_factory=dict)
    limit_s: float = 600.0
    isolate: bool = False
    has_programs: bool = False
    folder: str = ""  # for the files of a run with programs, kept if it does not pass
    given_from: str = ""

    def request(self, folder: str) -> Request:
        return Request(
            self.target,
            self.settings,
            self.row.seed,
            self.commands,
            folder=folder,
            record=str(Path(folder, RECORDING)) if self.folder else "",
            given_from=self.given_from,
            isolate=self.isolate,
        )


@cache
def rigless_version() -> str:
    try:
        return version_of("rigless")
    except PackageNotFoundError:  # the sources without an installation
        return "unknown"


def worker_name(process: int) -> str:
    return f"{socket.gethostname()}:{process}"


def run_task(task: Task) -> Row:
    """Run a task and return its row. Mistakes in the settings make the row an error."""
    row = task.row
    row.worker = worker_name(os.getpid())
    try:
        if not task.has_programs:
            built = open_target(task.target, task.settings, row.seed, collect=False)
            row.judge(run_here(task.request(""), built))
            return row
        with _folder(task) as folder:
            request = task.request(str(folder))
            result = run_in_child(request) if task.isolate else run_here(request)
            row.judge(result)
    except InputError as error:
        row.verdict, row.note = "error", str(error)
    return row


@contextmanager
def _folder(task: Task) -> Iterator[Path]:
    """Make a folder for a run with programs, and remove it unless it is to be kept."""
    if not task.folder:
        with tempfile.TemporaryDirectory(prefix="rigless-run-") as temporary:
            yield Path(temporary)
        return
    folder = Path(task.folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    yield folder
    if task.row.verdict == "pass":
        shutil.rmtree(folder, ignore_errors=True)


def encode(value: Any) -> bytes:
    """Return a task, a row, or a list of them as bytes."""
    return msgspec.msgpack.encode(value)


def decode_task(data: bytes) -> Task:
    return msgspec.msgpack.decode(data, type=Task)


def decode_tasks(data: bytes) -> list[Task]:
    return msgspec.msgpack.decode(data, type=list[Task])


def decode_rows(data: bytes) -> list[Row]:
    return msgspec.msgpack.decode(data, type=list[Row])


def decode_row(data: bytes) -> Row:
    return msgspec.msgpack.decode(data, type=Row)
