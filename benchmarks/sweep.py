"""Runs a minute of a sweep over a 10 s vacuum scenario, and the cost of each engine.

The baselines are a plain Python loop over `rigless.load` and one call of `rigless check` per run.
Engines that are not installed are left out. RIGLESS_BENCH_SECONDS (60 s) limits the measurement.
"""

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rigless_benchmarks._shrinking import measure_shrinking

import rigless
from rigless.scenario.load import open_target
from rigless.sweeps.engines.choose import make_engine
from rigless.sweeps.engines.engine import Engine
from rigless.sweeps.preparation import Question, prepare
from rigless.sweeps.sweep import Sweep
from rigless.sweeps.vary.plan import Plan

FULL_SECONDS = 60.0
SCENARIO = str(Path(__file__).with_name("_one_run.toml"))
SECONDS = 10.0  # simulated in a run


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS)) / 6
    loop = _plain_loop(seconds)
    check = _check_per_run(seconds)
    figures: dict[str, Any] = {}
    names = [name for name in ("local", "dask", "ray") if name == "local" or _installed(name)]
    for name in names:
        for workers in (1, 2):
            per_run_s, start_s = _engine(name, workers, seconds / 2)
            figures[f"{name}_{workers}_workers"] = {
                "runs_per_minute": round(60 / per_run_s),
                "times_a_plain_loop": round(loop / per_run_s, 2),
                "times_check_per_run": round(check / per_run_s, 1),
                "overhead_per_run_ms": round(1e3 * (per_run_s * workers - loop), 2),
                "start_s": round(start_s, 2),
            }
    for name in names:
        one, two = (figures[f"{name}_{n}_workers"]["runs_per_minute"] for n in (1, 2))
        figures[f"{name}_2_workers"]["times_one_worker"] = round(two / one, 2)
        figures[f"{name}_1_workers"]["times_one_worker"] = 1.0
    return {
        "plain_loop_runs_per_minute": round(60 / loop),
        "check_per_run_runs_per_minute": round(60 / check, 1),
        **figures,
        "shrinking": measure_shrinking(),
    }


def _installed(engine: str) -> bool:
    return find_spec({"dask": "distributed", "ray": "ray"}[engine]) is not None


def _plain_loop(seconds: float) -> float:
    """Return the time of a run in a loop over rigless.load; nothing is judged in it."""
    rigless.load(SCENARIO, seed=0).run(SECONDS)
    begin, count = time.perf_counter(), 0
    while count < 5 or time.perf_counter() - begin < seconds:
        built = open_target(SCENARIO, (), count, collect=False)
        built.simulation.run(SECONDS)
        count += 1
    return (time.perf_counter() - begin) / count


def _check_per_run(seconds: float) -> float:
    """Return the time of one `rigless check`."""
    begin, count = time.perf_counter(), 0
    while count < 2 or time.perf_counter() - begin < seconds:
        words = [sys.executable, "-m", "rigless", "check", SCENARIO, "--seed", str(count)]
        subprocess.run(words, check=True, capture_output=True)
        count += 1
    return (time.perf_counter() - begin) / count


def _engine(name: str, workers: int, seconds: float) -> tuple[float, float]:
    """Return the time per run of a warm engine, and the time until its first row."""
    prepared = prepare(Question(SCENARIO))
    begin = time.perf_counter()
    engine = make_engine(name, prepared, workers=workers)
    try:
        _rows(engine, prepared, range(4 * workers))  # every worker has loaded its functions
        start_s = time.perf_counter() - begin
        first, per_run_s, spent_s = 1000, 1.0, 0.0
        while spent_s < seconds:
            count = 20 * workers
            begin = time.perf_counter()
            _rows(engine, prepared, range(first, first + count))
            took_s = time.perf_counter() - begin
            per_run_s = took_s / count if spent_s == 0.0 else min(per_run_s, took_s / count)
            first, spent_s = first + count, spent_s + took_s
    finally:
        engine.close()
    return per_run_s, start_s


def _rows(engine: Engine, prepared: Any, seeds: range) -> None:
    rows = list(Sweep(prepared, engine).run(Plan([{}], seeds)))
    bad = [row for row in rows if row.verdict != "pass"]
    assert not bad, bad[0]
