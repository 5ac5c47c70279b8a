"""A short run of `rigless bench welder`: it has its figures, and cycle times are right."""

import math

import pytest

from .measuring import figures_of


@pytest.fixture(scope="module")
def figures():
    return figures_of("welder")


def test_cycle_times_are_the_firmwares(figures):
    assert abs(figures["planner_bound_error_percent"]["worst"]) < 0.5
    assert abs(figures["dense_error_percent"]["worst"]) < 2.0


def test_the_other_figures_are_there(figures):
    plain = {
        "lines_parsed_and_planned_per_s",
        "welding_x",
        "moving_x",
        "forward_us",
        "inverse_all_us",
    }
    assert set(figures) == {
        *plain,
        "planner_bound_error_percent",
        "dense_error_percent",
        "live_10x",
    }
    for value in [*(figures[name] for name in plain), *figures["live_10x"].values()]:
        assert math.isfinite(value)
        assert value > 0
