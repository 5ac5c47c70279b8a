"""`make bench-report`: measure, and write the performance page with the facts of this machine."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from building.places import DOCS, ROOT
from building.reference.tables import table

PAGE = DOCS / "explanation" / "performance.md"
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
GPU = """
## Batches on a graphics processor

![Robot ticks a second of vacuums, Pacbots and rovers on one NVIDIA H200](../pictures/gpu-batch.svg)

Each robot of a batch has the bits of its simulation on the CPU. See
[the measurement](../measurements/2026-11-19-h200-third.txt) and [batches](../reference/batch.md).
"""


def write(*names: str) -> int:
    """Measure the benchmarks of these names, or all, and write the page."""
    parts = [INTRO, "## The machine\n\n", table(("", ""), machine()), "\n"]
    for name in names or NAMES:
        command = [sys.executable, "-m", "rigless", "bench", name, "--json"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name}: {done.stderr}", file=sys.stderr)
            return 1
        parts += [section(name, json.loads(done.stdout))]
        print(f"measured {name}", file=sys.stderr)
    PAGE.write_text("".join([*parts, GPU]), "utf-8")
    return 0


def machine() -> Iterator[tuple[str, str]]:
    """Yield the facts of this machine."""
    text = Path("/proc/cpuinfo").read_text("utf-8")
    models = [line.partition(": ")[2] for line in text.splitlines() if "model name" in line]
    yield "processor", f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield "memory", f"{memory:.0f} GiB"
    yield "system", f"{platform.system()} {platform.release().partition('-')[0]}"
    yield "Python", platform.python_version()
    yield "load before the start", f"{os.getloadavg()[0]:.1f} processes"
    yield "date", f"{datetime.now(UTC):%Y-%m-%d}"


def section(name: str, figures: Mapping[str, Any]) -> str:
    """Return the section of a benchmark: its single figures, then a table for each group."""
    parts = [f"## {name}\n\n"]
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
