"""A short run of `rigless bench weld_cell`: it has its figures, whatever their values."""

import math

from .measuring import figures_of


def test_the_figures_are_there():
    figures = figures_of("weld_cell")
    assert set(figures) == {"ten_primitives", "weld_table", "map"}
    assert {"configuration_us", "forward_us", "all_pairs_us", "reach_us", "pair_loop_us"} <= set(
        figures["ten_primitives"]
    )
    assert {"map_s", "places", "reached"} <= set(figures["map"])
    for group in figures.values():
        for value in group.values():
            assert math.isfinite(value)
            assert value > 0
