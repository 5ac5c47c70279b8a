"""One run of a sweep as data, and its execution in a worker.

A task names everything that decides the result: the scenario with its settings, the seed, and the
commands of programs. Equal tasks give equal rows on every engine.
"""

import os
import socket
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import msgspec

from rigless.kernel.problems import InputError
from rigless.runs.request import Request, run_here, run_in_child
from rigless.scenario.load import open_target
from rigless.sweeps.row import Row


@dataclass
class Task:
    """One run: its row without results, its target, and the texts of its settings.

    `limit_s` bounds its wall time. `folder` is for the files of programs.
    """

    index: int
    row: Row
    target: str
    settings: list[str] = field(default_factory=list)
    commands: dict[str, list[str]] = field(default_factory=dict)
    limit_s: float = 600.0
    isolate: bool = False
    folder: str = ""
    given_from: str = ""

    def request(self) -> Request:
        return Request(
            self.target,
            self.settings,
            self.row.seed,
            self.commands,
            folder=self.folder,
            given_from=self.given_from,
            isolate=self.isolate,
        )


@cache
def rigless_version() -> str:
    try:
        return version_of("rigless")
    except PackageNotFoundError:  # the sources without an installation
        return "unknown"


@cache
def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def run_task(task: Task) -> Row:
    """Run a task and return its row. Mistakes in the settings make the row an error."""
    row = task.row
    row.worker = worker_name()
    request = task.request()
    if request.folder:
        Path(request.folder).mkdir(parents=True, exist_ok=True)
    try:
        if request.isolate:
            result = run_in_child(request)
        else:
            built = open_target(request.target, request.settings, request.seed, collect=False)
            result = run_here(request, built)
    except InputError as error:
        row.verdict, row.note = "error", str(error)
        return row
    row.judge(result)
    return row


def encode(value: Any) -> bytes:
    """Return a task or a row as bytes."""
    return msgspec.msgpack.encode(value)


def decode_task(data: bytes) -> Task:
    return msgspec.msgpack.decode(data, type=Task)


def decode_row(data: bytes) -> Row:
    return msgspec.msgpack.decode(data, type=Row)
