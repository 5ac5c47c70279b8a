"""`make bench-report`: measure, and write the performance page with the facts of this machine."""

import ast
import json
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from building.places import DOCS, ROOT
from building.reference.tables import table

PAGE = DOCS / "explanation" / "performance.md"
LONGEST_S = 240  # of one benchmark
BUDGET_S = 590  # of all of them
SHORTEST_S = 20  # with less time none begins
SHORT = {"RIGLESS_BENCH_SECONDS": "2"}  # smaller fleets and shorter times
NAMES = (
    "lidar", "batch", "kernel", "vacuum", "pacbot", "rover", "welder", "weld_cell", "agv", "fleet",
    "vda5050", "programs", "sweep", "panel",
)  # fmt: skip
INTRO = """# Performance

The figures of one machine, measured by `make bench-report`, which writes this page. On your
machine: `rigless bench NAME`. Peers are measured in the same process and minute; those that are not
installed are left out.

Higher is better for figures in `/s`, lower for times. Figures of one core are in CPU time, so that
other load disturbs them little; those of several cores and of real time need a quiet machine.

"""
GPU = """## Batches on a graphics processor

![Robot ticks a second of vacuums, Pacbots and rovers on one NVIDIA H200](../pictures/gpu-batch.svg)

Each robot of a batch has the bits of its simulation on the CPU. See
[the measurement](../measurements/2026-11-19-h200-third.txt) and [batches](../reference/batch.md).
"""


def write(*names: str) -> int:
    """Measure all benchmarks and write the page; with names, replace the sections of these."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; choose from {', '.join(NAMES)}", file=sys.stderr)
        return 2
    facts = table(("", ""), [*machine()])
    kept = sections(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    failed, end = [], time.monotonic() + BUDGET_S
    chosen = sorted(names or NAMES, key=lambda one: one in kept)  # missing ones first
    for place, name in enumerate(chosen):
        when = f"{datetime.now(UTC):%Y-%m-%d}, load before it {os.getloadavg()[0]:.1f} processes"
        left_s = end - time.monotonic()
        share_s = min(LONGEST_S, left_s, 2.5 * left_s / (len(chosen) - place))  # many need less
        figures = measured(name, share_s) if share_s > SHORTEST_S else None
        if figures is None and (left_s := end - time.monotonic()) > SHORTEST_S:
            figures = measured(name, min(share_s, left_s), short=True)
            when += ", in a short form"
        if figures is None:
            failed.append(name)  # the page keeps its earlier figures, with their date
        else:
            kept[name] = section(name, figures, when)
    parts = [INTRO, "## The machine\n\n", facts, "\n", *(kept[n] for n in NAMES if n in kept), GPU]
    PAGE.write_text("".join(parts), "utf-8")
    if failed:
        again = f"make bench-report NAMES={shlex.quote(' '.join(failed))}"
        print(f"these failed, or there was no time: {again}", file=sys.stderr)
    return int(bool(failed))


def measured(name: str, longest_s: float, short: bool = False) -> dict[str, Any] | None:
    """Return the figures of one benchmark, or None if it fails or takes too long."""
    environment = os.environ | (SHORT if short else {})
    begun = time.monotonic()
    command = [sys.executable, "-m", "rigless", "bench", name, "--json"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env=environment,
    ) as process:  # fmt: skip
        try:
            text, problem = process.communicate(timeout=longest_s)
        except subprocess.TimeoutExpired:
            text, problem = "", f"not ready after {longest_s:.0f} s"
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


def sections(page: str) -> dict[str, str]:
    """Return the sections of a page by their titles."""
    parts = re.split(r"(?m)^(?=## )", page)[1:]
    return {part[3:].partition("\n")[0]: part.rstrip("\n") + "\n\n" for part in parts}


def purpose(name: str) -> str:
    """Return the docstring of a benchmark: the figures that it measures, and the conditions."""
    source = (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def machine() -> Iterator[tuple[str, str]]:
    """Yield the facts of this machine."""
    text = Path("/proc/cpuinfo").read_text("utf-8")
    models = [line.partition(": ")[2] for line in text.splitlines() if "model name" in line]
    yield "processor", f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield "memory", f"{memory:.0f} GiB"
    yield "system", f"{platform.system()} {platform.release().partition('-')[0]}"
    yield "Python", platform.python_version()


def section(name: str, figures: Mapping[str, Any], when: str) -> str:
    """Return the section of a benchmark: its single figures, then a table for each group."""
    parts = [f"## {name}\n\n{purpose(name)} Measured {when}.\n\n"]
    single = [(f"`{key}`", shown(one)) for key, one in figures.items() if not nested(one)]
    parts += [table(("figure", ""), single), "\n"] if single else []
    for key, one in figures.items():
        if nested(one) and isinstance(one, Mapping):
            parts += group(key, one)
    return "".join(parts)


def group(name: str, figures: Mapping[str, Any]) -> list[str]:
    """Return the table of a group; groups within it are its rows."""
    rows = {key: one for key, one in figures.items() if isinstance(one, Mapping)}
    plain = {key: one for key, one in figures.items() if not isinstance(one, Mapping)}
    parts = [f"### {name}\n\n"]
    if plain:
        parts += [
            table(("figure", ""), [(f"`{key}`", shown(one)) for key, one in plain.items()]),
            "\n",
        ]
    if rows:
        heads = list(dict.fromkeys(head for row in rows.values() for head in row))
        lines = [(key, *(shown(row.get(head, "")) for head in heads)) for key, row in rows.items()]
        parts += [table(("", *heads), lines), "\n"]
    return parts


def nested(value: Any) -> bool:
    return isinstance(value, Mapping | list)


def shown(value: Any) -> str:
    """Return a figure with three digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value == 0 or 0.001 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1e}"
