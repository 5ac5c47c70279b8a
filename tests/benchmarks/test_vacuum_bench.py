"""`rigless bench vacuum`, briefly measured: it gives its figures, from a real process and real sockets too. How large they are
is not for a test to say."""

import json
import math
import sys

import pytest

from rigless.cli.bench import run_benchmarks, table

INDOORS = {"silent_x", "computed_x", "sensing_x", "encoded_x"}
LIVE = {
    "status_per_s", "scans_per_s", "speed_held", "status_p50_ms", "status_p99_ms", "scan_p50_ms", "scan_p99_ms", "cpu_share",
}  # fmt: skip


@pytest.fixture(scope="module")
def figures():
    with pytest.MonkeyPatch.context() as patch:
        written: list[str] = []
        patch.setenv("RIGLESS_BENCH_SECONDS", "0.3")
        patch.setattr("rigless.cli.bench.line", written.append)
        patch.setitem(sys.modules, "irsim", None)  # as if it were not installed
        run_benchmarks(["vacuum"], json=True)
    return json.loads("".join(written))


def test_it_has_its_figures(figures):
    assert set(figures) == {*INDOORS, "peers", "live_10x"}
    assert set(figures["live_10x"]) == LIVE
    assert figures["peers"] == {"irsim": {"missing": "pip install ir-sim"}}


def test_the_figures_are_positive_and_finite(figures):
    for name in INDOORS:
        assert math.isfinite(figures[name])
        assert figures[name] > 0
    for name, value in figures["live_10x"].items():
        assert math.isfinite(value), name
        assert value >= 0 if name == "cpu_share" else value > 0, name


def test_they_can_be_printed(figures):
    assert any("silent_x" in row for row in table(figures))
