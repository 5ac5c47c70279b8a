"""Sweeps on a real Dask cluster and on a real Ray give the rows of the engine `local`."""

import json
import os
import signal
import subprocess
import sys
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
RIGLESS = [sys.executable, "-m", "rigless"]
DEADLINE_S = 120.0
SEEDS = 12


def stable(table: Path) -> list[dict[str, Any]]:
    rows = [row.flat() for row in read_table(table)]
    return [{key: row[key] for key in row if key not in UNSTABLE} for row in rows]


class Cluster:
    """A Dask scheduler and its workers, as processes."""

    def __init__(self, folder: Path):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        where = ("--port", "0", "--scheduler-file", self.file)
        self.scheduler = self._start("scheduler", *where, log="log0")
        end = time.monotonic() + DEADLINE_S
        while not (self.file.exists() and self.file.read_text().endswith("}")):
            assert time.monotonic() < end, (folder / "log0").read_text()
            time.sleep(0.05)
        self.address = str(json.loads(self.file.read_text())["address"])

    def add_worker(self) -> None:
        """Start a worker without waiting for it."""
        name = f"worker{len(self.workers) + 1}"
        own = ["--name", name, "--nthreads", 1, "--local-directory", self.folder / name]
        words = ("--scheduler-file", self.file, "--no-nanny", *own)
        self.workers.append(self._start("worker", *words, log=name + ".log"))

    def end(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()

    def _start(self, *words: object, log: str) -> subprocess.Popen[bytes]:
        every = [*map(str, words), "--host", "127.0.0.1", "--no-dashboard"]
        with (self.folder / log).open("wb") as out:
            return subprocess.Popen([DASK, *every], stdout=out, stderr=out, cwd=self.folder)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("dask"))
    cluster.add_worker()
    cluster.add_worker()
    try:
        yield cluster
    finally:
        cluster.end()


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


def test_dask_gives_the_same_rows_also_when_all_workers_die(
    cluster: Cluster,
    rigless_process: Callable[..., Any],
    rigless_command: Callable[..., Any],
    expected: Callable[..., list[dict[str, Any]]],
    tmp_path: Path,
) -> None:
    """The files of the scenario are lost with the workers; a new worker gets them again."""
    table = tmp_path / "t.parquet"
    words = ("--vary", "hall.heater_w=600,1500", "--seeds", SEEDS, "--out", table)
    process = rigless_process(
        "sweep", COLD, *words, "--engine", "dask", "--address", cluster.address, ready=False
    )
    _until_rows(process, table)
    for worker in cluster.workers:
        os.kill(worker.pid, signal.SIGKILL)
    cluster.add_worker()
    assert process.wait() == 1, process.errors
    assert stable(table) == expected(rigless_command)
    assert {row.engine for row in read_table(table)} == {"dask"}


def test_a_lost_scheduler_ends_a_sweep_with_a_sentence(
    cluster: Cluster, rigless_process: Callable[..., Any], tmp_path: Path
) -> None:
    table = tmp_path / "t.jsonl"
    options = ("--engine", "dask", "--address", cluster.address, "--out", table)
    process = rigless_process("sweep", COLD, "--seeds", 5000, *options, ready=False)
    _until_rows(process, table)
    os.kill(cluster.scheduler.pid, signal.SIGKILL)
    assert process.wait() == 2, process.errors
    assert f"the Dask scheduler at {cluster.address} no longer answers" in process.errors
    assert f"stopped after {len(read_table(table))} of 5000 runs" in process.errors
    assert "Traceback" not in process.errors


def test_ctrl_c_in_a_terminal_ends_a_sweep_on_a_dask_cluster_of_its_own(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """A terminal sends the signal to all processes of the command, not only to rigless."""
    table = tmp_path / "t.jsonl"
    words = [*RIGLESS, "sweep", COLD, "--seeds", "5000", "--engine", "dask", "--workers", "1"]
    process = subprocess.Popen(
        [*words, "--out", table],
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
        text=True,
    )
    end = time.monotonic() + DEADLINE_S
    try:
        while not (journal_of(table).exists() and journal_of(table).stat().st_size):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        errors = process.communicate(timeout=DEADLINE_S)[1]
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGINT, errors
    assert f"stopped after {len(read_table(table))} of 5000 runs" in errors
    assert "Traceback" not in errors


def _until_rows(process: Any, table: Path) -> None:
    journal = journal_of(table)
    process.until(
        lambda: process.popen.poll() is not None or (journal.exists() and journal.stat().st_size),
        "the first row",
    )


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
