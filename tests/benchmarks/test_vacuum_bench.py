"""A short run of `rigless bench vacuum` with a real process and sockets: it has its figures."""

import math

import pytest

from rigless.cli.bench import table

from .measuring import figures_of

INDOORS = {"silent_x", "computed_x", "sensing_x", "encoded_x"}
LIVE = {
    "status_per_s",
    "scans_per_s",
    "speed_held",
    "status_p50_ms",
    "status_p99_ms",
    "scan_p50_ms",
    "scan_p99_ms",
    "cpu_share",
}


@pytest.fixture(scope="module")
def figures():
    return figures_of("vacuum", without=("irsim",))


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


def test_the_figures_can_be_printed(figures):
    assert any("silent_x" in row for row in table(figures))
