"""A short run of `rigless bench rover`: it has its figures, whatever their values."""

import math

from .measuring import figures_of


def test_it_gives_its_figures():
    figures = figures_of("rover")
    assert set(figures) >= {"unheard_x", "messages_built_x", "recorded_x", "recorded_mib_per_h"}
    for value in figures.values():
        assert isinstance(value, dict) or (math.isfinite(value) and value > 0)
