"""`make bench-report`: measure, and write the performance page with the facts of this machine."""

import json
import os
import platform
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from building import performance
from building.places import DOCS, ROOT

PAGE = DOCS / "explanation" / "performance.md"
FIGURES = DOCS / "measurements" / "benchmarks.json"  # of the last measurement of each benchmark
LONGEST_S = 600  # of one benchmark; the longest needs three minutes on a quiet machine
SHORT = {"RIGLESS_BENCH_SECONDS": "2"}  # smaller fleets and shorter times


def write(*names: str) -> int:
    """Measure all benchmarks and write the page; with names, replace the sections of these."""
    unknown = [name for name in names if name not in performance.TITLES]
    if unknown:
        choices = ", ".join(performance.TITLES)
        print(f"unknown: {', '.join(unknown)}; choose from {choices}", file=sys.stderr)
        return 2
    kept = json.loads(FIGURES.read_text("utf-8"))["benchmarks"] if FIGURES.exists() else {}
    failed = []
    for name in names or performance.TITLES:
        when = f"{datetime.now(UTC):%Y-%m-%d}, load before it {os.getloadavg()[0]:.1f} processes"
        figures = measured(name)
        if figures is None:
            figures = measured(name, short=True)
            when += ", in a short form"
        if figures is None:
            failed.append(name)  # the page keeps its earlier figures, with their date
        else:
            kept[name] = {"when": when, "figures": figures}
    ordered = {name: kept[name] for name in performance.TITLES if name in kept}
    result = {"machine": dict(machine()), "benchmarks": ordered}
    FIGURES.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(performance.page(result), "utf-8")
    if failed:
        again = f"make bench-report NAMES={shlex.quote(' '.join(failed))}"
        print(f"these failed: {again}", file=sys.stderr)
    return int(bool(failed))


def measured(name: str, short: bool = False) -> dict[str, Any] | None:
    """Return the figures of one benchmark, or None if it fails or takes too long."""
    environment = os.environ | (SHORT if short else {})
    begun = time.monotonic()
    command = [sys.executable, "-m", "rigless", "bench", name, "--json"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env=environment,
    ) as process:  # fmt: skip
        try:
            text, problem = process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            text, problem = "", f"not ready after {LONGEST_S} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # servers and robots, if any are left
    took = f"{time.monotonic() - begun:.0f} s"
    try:
        figures: dict[str, Any] = json.loads(text)
    except ValueError:
        print(f"FAILED {name}, {took}: {problem.strip()}", file=sys.stderr)
        return None
    print(f"measured {name}, {took}", file=sys.stderr)
    return figures


def machine() -> Iterator[tuple[str, str]]:
    """Yield the facts of this machine."""
    text = Path("/proc/cpuinfo").read_text("utf-8")
    models = [line.partition(": ")[2] for line in text.splitlines() if "model name" in line]
    yield "processor", f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield "memory", f"{memory:.0f} GiB"
    yield "system", f"{platform.system()} {platform.release().partition('-')[0]}"
    yield "Python", platform.python_version()
