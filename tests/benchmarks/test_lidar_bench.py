"""A short run of `rigless bench lidar`: it has its figures, and no ray is wrong.

The peers need not be installed here.
"""

import importlib
import math

import numpy as np
import pytest

from rigless.cli.bench import table

from .measuring import figures_of

SPEED = {"rays_per_s", "wrong_rays", "max_error_m", "p99_error_m", "rays"}
GROWTH = {"rays_per_s", "ns_per_ray", "dda_rays_per_s", "wrong_rays", "prepare_ms"}
MAPS = [f"map_{size}" for size in (250, 500, 1000, 2000, 4000)]
BEAMS = [f"beams_{count}" for count in (90, 360, 1440, 3600)]
RIGHT_M = 1e-6


@pytest.fixture(scope="module")
def figures():
    return figures_of("lidar", without=("irsim", "mujoco"))


@pytest.fixture(scope="module")
def part(figures):
    """Return a function that imports a module of the loaded benchmark."""
    return lambda name: importlib.import_module(f"rigless_benchmarks.{name}")


def test_it_has_its_figures(figures):
    assert set(figures) == {*SPEED, "peers", *MAPS, *BEAMS}
    assert all(set(figures[group]) == GROWTH for group in MAPS + BEAMS)
    assert (
        set(figures["peers"]["numba_dda"]) == set(figures["peers"]["numba_distance_field"]) == SPEED
    )


def test_no_ray_is_wrong(figures):
    assert figures["rays"] > 0
    assert figures["wrong_rays"] == 0
    assert figures["max_error_m"] <= RIGHT_M
    assert [figures[group]["wrong_rays"] for group in MAPS + BEAMS] == [0] * 9


def test_a_march_through_a_distance_field_is_found_to_be_wrong(figures):
    marched = figures["peers"]["numba_distance_field"]
    assert marched["wrong_rays"] > 0
    assert marched["max_error_m"] > RIGHT_M


def test_missing_peers_come_with_the_command_that_installs_them(figures):
    assert figures["peers"]["irsim"] == {"missing": "pip install ir-sim"}
    assert figures["peers"]["mujoco"] == {"missing": "pip install mujoco"}


def test_the_figures_are_finite_and_can_be_printed(figures):
    groups = [figures, *(figures[group] for group in MAPS + BEAMS), figures["peers"]["numba_dda"]]
    for group in groups:
        assert all(
            math.isfinite(value) and value >= 0
            for value in group.values()
            if isinstance(value, int | float)
        )
        assert group["rays_per_s"] > 0
    assert any("rays_per_s" in row for row in table(figures))


def test_boxes_cover_the_occupied_cells_once(part):
    cells = part("_floor").draw_flat(400)
    covered = np.zeros(cells.shape, int)
    for x, y, wide, high in part("_mujoco").boxes(cells):
        covered[y : y + high, x : x + wide] += 1
    assert np.array_equal(covered, cells)


def test_the_reference_measures_a_box_room(part):
    cells = np.zeros((100, 200), bool)
    cells[:, 150] = cells[80] = True
    ranges = part("_casters").dda(cells, 8.0)(
        np.array([[1.0, 1.0, 0.0]]), np.array([1e-9, np.pi / 2, np.pi])
    )
    assert ranges[0] == pytest.approx([2.0, 0.6, math.inf])
