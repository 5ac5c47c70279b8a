"""Run a benchmark in a test: briefly, and with its figures as `--json` prints them."""

import json
import sys
from typing import Any

import pytest

from rigless.cli.bench import run_benchmarks


def figures_of(name: str, seconds: float = 0.3, without: tuple[str, ...] = ()) -> Any:
    """Run a benchmark, with the modules `without` hidden; return its figures."""
    with pytest.MonkeyPatch.context() as patch:
        written: list[str] = []
        patch.setenv("RIGLESS_BENCH_SECONDS", str(seconds))
        patch.setattr("rigless.cli.bench.print_line", written.append)
        for module in without:
            patch.setitem(sys.modules, module, None)
        run_benchmarks([name], json=True)
    return json.loads("".join(written))
