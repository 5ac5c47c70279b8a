"""The cost of programs under test: start to verdict, isolated runs side by side, reaction times.

Start to verdict is compared with the bare start of the same command, eight isolated runs at once
with one, and measured reaction times with the delay of a program that keeps it exactly.

RIGLESS_BENCH_SECONDS (30 s) limits the repetitions.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rigless.runs.children import run_in_child
from rigless.runs.request import Request, run_here
from rigless.runs.result import Result

FULL_SECONDS = 30.0
HERE = Path(__file__).parent
HEAD = f"""
name = "doorbell"
duration_s = 60
late_max_ms = 1000
[[robots]]
kind = "{HERE}/_doorbell"
name = "doorbell"
"""
SHORT = """
[[programs]]
name = "short"
command = "true"
isolate = {isolate}
"""
REACTION = f"""
[[programs]]
name = "answer"
command = "{sys.executable} -S {HERE}/_doorbell_program.py {{doorbell.line.port}} DELAY"
[[expect]]
after = "ring"
reacts_within_ms = 240
from_s = 1.0
to_s = SECONDS
port = "line"
message = "Open"
"""
DELAYS_MS = (1, 10, 100)
SIDE_BY_SIDE = 8


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    repeats = max(3, round(20 * min(1.0, seconds / FULL_SECONDS)))
    with tempfile.TemporaryDirectory(prefix="rigless-bench-") as folder:
        return {
            "start_to_verdict": _overhead(Path(folder), repeats),
            "isolated": _side_by_side(Path(folder)),
            **{
                f"reaction_to_{delay_ms}_ms": _reaction(Path(folder), delay_ms, seconds / 6)
                for delay_ms in DELAYS_MS
            },
        }


def _request(folder: Path, text: str) -> Request:
    """Return a run of a scenario with a new folder for its files."""
    own = Path(tempfile.mkdtemp(dir=folder))
    scenario = own / "doorbell.toml"
    scenario.write_text(HEAD + text)
    return Request(str(scenario), folder=str(own), record=str(own / "run.mcap"))


def _checked(result: Result) -> Result:
    assert not result.failure, result.failure
    return result


def _overhead(folder: Path, repeats: int) -> dict[str, float]:
    ours_ms, bare_ms = [], []
    for _ in range(repeats):
        begin = time.perf_counter()
        subprocess.run(["true"], check=True)
        bare_ms.append((time.perf_counter() - begin) * 1000)
        request = _request(folder, SHORT.format(isolate="false"))
        begin = time.perf_counter()
        _checked(run_here(request))
        ours_ms.append((time.perf_counter() - begin) * 1000)
    ours, bare = statistics.median(ours_ms), statistics.median(bare_ms)
    return {"median_ms": ours, "bare_command_ms": bare, "overhead_ms": ours - bare}


def _side_by_side(folder: Path) -> dict[str, float]:
    """Compare the time of eight isolated runs at once with that of one."""

    def one(_: int = 0) -> Result:
        request = _request(folder, SHORT.format(isolate="true"))
        request.isolate = True
        return _checked(run_in_child(request))

    one()
    begin = time.perf_counter()
    one()
    alone_s = time.perf_counter() - begin
    begin = time.perf_counter()
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        list(pool.map(one, range(SIDE_BY_SIDE)))
    together_s = time.perf_counter() - begin
    return {
        "one_s": alone_s,
        "eight_s": together_s,
        "ratio_to_one": together_s / alone_s,
        "ratio_to_eight_in_turn": together_s / (SIDE_BY_SIDE * alone_s),
        "cores": float(os.cpu_count() or 1),
    }


def _reaction(folder: Path, delay_ms: int, seconds: float) -> dict[str, float]:
    """Measure the error of reaction times against a program that keeps its delay."""
    end_s = max(3.0, seconds)
    text = REACTION.replace("DELAY", str(delay_ms)).replace("SECONDS", f"{end_s:g}")
    request = _request(folder, text)
    request.settings = [f"duration_s={end_s + 0.5:g}"]
    result = _checked(run_here(request))
    verdict = next(each for each in result.verdicts if each.series is not None)
    assert verdict.series is not None
    errors = sorted(value - delay_ms for value in verdict.series.values)
    return {
        "measured": float(len(errors)),
        "error_median_ms": statistics.median(errors),
        "error_max_ms": errors[-1],
        "error_min_ms": errors[0],
    }
