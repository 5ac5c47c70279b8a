"""Sweeps on a real Dask cluster and on a real Ray give the rows of the engine `local`."""

import json
import os
import signal
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rigless.sweeps.row import UNSTABLE
from rigless.sweeps.table import journal_of, read_table

ROOT = Path(__file__).resolve().parents[2]
COLD = ROOT / "tests" / "sweeps" / "cold_room.toml"
DASK = Path(sysconfig.get_path("scripts")) / "dask"
DEADLINE_S = 120.0
SEEDS = 12


def stable(table: Path) -> list[dict[str, Any]]:
    rows = [row.flat() for row in read_table(table)]
    return [{key: row[key] for key in row if key not in UNSTABLE} for row in rows]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a Dask scheduler, and its two workers as processes."""
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    words = ["--host", "127.0.0.1", "--no-dashboard"]
    started = [_start(folder, "scheduler", "--port", "0", "--scheduler-file", file, *words)]
    end = time.monotonic() + DEADLINE_S
    while not file.exists():
        assert time.monotonic() < end, (folder / "log0").read_text()
        time.sleep(0.05)
    for number in (1, 2):
        own = ["--name", number, "--nthreads", 1, "--local-directory", folder / f"worker{number}"]
        started.append(
            _start(folder, "worker", "--scheduler-file", file, "--no-nanny", *own, *words,
                   log=f"log{number}")
        )  # fmt: skip
    try:
        yield str(json.loads(file.read_text())["address"]), started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _start(folder: Path, *words: object, log: str = "log0") -> subprocess.Popen[bytes]:
    with (folder / log).open("wb") as out:
        return subprocess.Popen([DASK, *map(str, words)], stdout=out, stderr=out, cwd=folder)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[dict[str, Any]]]:
    """Return a function that gives the rows of the engine `local`."""
    table = tmp_path_factory.mktemp("local") / "t.parquet"

    def rows(run: Callable[..., Any]) -> list[dict[str, Any]]:
        if not table.exists():
            _sweep(run, table)
        return stable(table)

    return rows


def _sweep(run: Callable[..., Any], table: Path, *words: object) -> Any:
    vary = ("--vary", "hall.heater_w=600,1500")
    found = run("sweep", COLD, *vary, "--seeds", SEEDS, "--out", table, *words)
    assert found.returncode == 1, found.stderr
    return found


def test_dask_gives_the_same_rows_also_when_a_worker_dies(
    cluster: tuple[str, list[Any]],
    rigless_process: Callable[..., Any],
    rigless_command: Callable[..., Any],
    expected: Callable[..., list[dict[str, Any]]],
    tmp_path: Path,
) -> None:
    address, workers = cluster
    table = tmp_path / "t.parquet"
    words = ("--vary", "hall.heater_w=600,1500", "--seeds", SEEDS, "--out", table)
    process = rigless_process(
        "sweep", COLD, *words, "--engine", "dask", "--address", address, ready=False
    )
    process.until(
        lambda: (
            process.popen.poll() is not None
            or (journal_of(table).exists() and journal_of(table).stat().st_size)
        ),
        "the first row",
    )
    os.kill(workers[0].pid, signal.SIGKILL)
    assert process.wait() == 1, process.errors
    assert stable(table) == expected(rigless_command)
    assert {row.engine for row in read_table(table)} == {"dask"}


def test_ray_gives_the_same_rows(
    rigless_command: Callable[..., Any],
    expected: Callable[..., list[dict[str, Any]]],
    tmp_path: Path,
) -> None:
    table = tmp_path / "t.parquet"
    _sweep(rigless_command, table, "--engine", "ray", "--workers", 2)
    assert stable(table) == expected(rigless_command)
    assert {row.engine for row in read_table(table)} == {"ray"}


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_an_address_that_does_not_answer_gets_a_sentence(
    rigless_command: Callable[..., Any], engine: str
) -> None:
    address = "tcp://127.0.0.1:9" if engine == "dask" else "127.0.0.1:9"
    found = rigless_command("sweep", COLD, "--engine", engine, "--address", address)
    assert found.returncode == 2, found.stderr
    assert f"answers at {address}" in found.stderr
    assert "Traceback" not in found.stderr
