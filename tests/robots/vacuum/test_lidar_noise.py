"""The lidar's errors: noise, misses, quantisation, surfaces, edges, and motor jitter."""

import math

import numpy as np
import pytest

from rigless.robots.vacuum.wire import Scan

from .scene import NOISELESS, beam_ranges, box, difference, heard, switch, vacuum, write_map

HALF_X, HALF_Y = 2.0, 1.5
ANGLES = -math.pi + 2 * math.pi * np.arange(360) / 360
MEANT = beam_ranges((0.0, 0.0, 0.0), ANGLES, HALF_X, HALF_Y)


def scans(folder, *settings, seconds=20.0, seed=1, cells=None, materials=None):
    drawn, origin = box(HALF_X, HALF_Y)
    setting = write_map(
        folder, drawn if cells is None else cells, 0.05, origin, materials=materials
    )
    mount = ("lidar_frame=lidar_mount", "lidar.enabled=true")
    return heard(vacuum(*NOISELESS, setting, *mount, *settings, seed=seed), seconds, Scan)


def errors(found, meant=MEANT):
    """Return range errors (scan, beam) of scans without missing points."""
    return np.array([one.distances - meant for one in found])


def test_range_noise_has_its_deviation_and_no_mean(tmp_path):
    wrong = errors(scans(tmp_path, "lidar.noise.range_stddev=0.01"))
    assert wrong.std() == pytest.approx(0.01, rel=4 / math.sqrt(2 * wrong.size))
    assert wrong.mean() == pytest.approx(0.0, abs=4 * 0.01 / math.sqrt(wrong.size))


def test_range_noise_is_independent_between_beams_scans_and_seeds(tmp_path):
    wrong = errors(scans(tmp_path, "lidar.noise.range_stddev=0.01"))
    other = errors(scans(tmp_path, "lidar.noise.range_stddev=0.01", seed=2))
    limit = 4 / math.sqrt(wrong.size)
    for one, two in ((wrong[:, 1:], wrong[:, :-1]), (wrong[1:], wrong[:-1]), (wrong, other)):
        assert abs(np.corrcoef(one.ravel(), two.ravel())[0, 1]) < limit


def test_range_noise_grows_with_the_square_of_the_range(tmp_path):
    wrong = errors(
        scans(tmp_path, "lidar.noise.range_stddev=0.002", "lidar.noise.range_stddev_per_m2=0.01")
    )
    scaled = wrong / (0.002 + 0.01 * MEANT**2)
    assert scaled.std() == pytest.approx(1.0, rel=4 / math.sqrt(2 * wrong.size))
    for part in (MEANT < 1.6, MEANT > 2.0):
        assert scaled[:, part].std() == pytest.approx(
            1.0, rel=4 / math.sqrt(2 * scaled[:, part].size)
        )


def test_range_bias(tmp_path):
    assert errors(scans(tmp_path, "lidar.noise.range_bias=0.03", seconds=1.0)) == pytest.approx(
        0.03, abs=1e-5
    )


def test_angle_noise_has_its_deviation(tmp_path):
    found = scans(tmp_path, "lidar.noise.angle_stddev=0.002")
    wrong = difference(np.array([one.angles for one in found]) - ANGLES)
    assert wrong.std() == pytest.approx(0.002, rel=4 / math.sqrt(2 * wrong.size))
    assert np.abs(errors(found)).max() < 1e-5


def test_misses_are_left_out_at_their_rate(tmp_path):
    found = scans(tmp_path, "lidar.noise.miss_rate=0.1")
    total = 360 * len(found)
    missing = total - sum(len(one.angles) for one in found)
    assert missing / total == pytest.approx(0.1, abs=4 * math.sqrt(0.1 * 0.9 / total))
    assert min(one.distances.min() for one in found) > 1.0  # an invalid point is not sent as zero


def test_quality_falls_with_distance(tmp_path):
    (one,) = scans(tmp_path, seconds=0.2)
    assert one.qualities.tolist() == [int(200 - 10 * d) for d in MEANT]
    (one,) = scans(tmp_path, "lidar.noise.quality_distance_decay=150", seconds=0.2)
    assert one.qualities.tolist() == [max(1, int(200 - 150 * d)) for d in MEANT]
    assert one.qualities.min() == 1


def test_quantisation_in_steps_of_a_quarter_millimetre(tmp_path):
    found = scans(
        tmp_path, "lidar.noise.quantisation=0.00025", "lidar.noise.range_stddev=0.005", seconds=1.0
    )
    steps = np.concatenate([one.distances for one in found]).astype(float) / 0.00025
    assert np.abs(steps - np.rint(steps)).max() < 1e-3
    assert (
        np.abs(errors(scans(tmp_path, "lidar.noise.quantisation=0.00025", seconds=0.2))).max()
        < 0.000126
    )


def test_beams_that_graze_a_wall_get_no_echo(tmp_path):
    (one,) = scans(tmp_path, "lidar.noise.incidence_limit=0.7", seconds=0.2)
    heading = ANGLES + 0.2182
    x = -0.11 + 0.025 * np.cos(heading) + MEANT * np.cos(heading)
    across_x = np.abs(np.abs(x) - HALF_X) < 1e-6
    incidence = np.arccos(np.where(across_x, np.abs(np.cos(heading)), np.abs(np.sin(heading))))
    assert np.abs(incidence - 0.7).min() > 1e-4
    assert 0 < np.count_nonzero(incidence > 0.7) < 180
    assert difference(one.angles - ANGLES[incidence < 0.7]) == pytest.approx(0.0, abs=1e-6)


def on_right_wall(meant=MEANT):
    heading = ANGLES + 0.2182
    return np.abs(-0.11 + 0.025 * np.cos(heading) + meant * np.cos(heading) - HALF_X) < 1e-6


@pytest.mark.parametrize(("material", "lost"), [(1, 0.9), (2, 0.5)])
def test_glass_and_dark_walls_swallow_echoes(tmp_path, material, lost):
    cells, _ = box(HALF_X, HALF_Y)
    materials = np.zeros(cells.shape, int)
    materials[1:-1, -1] = material
    found = scans(tmp_path, "lidar.noise.materials=true", materials=materials)
    there = on_right_wall()
    seen = np.array(
        [
            np.isin(np.arange(360), np.rint((one.angles + math.pi) * 180 / math.pi) % 360)
            for one in found
        ]
    )
    assert seen[:, ~there].all()
    total = seen[:, there].size
    assert 1 - seen[:, there].mean() == pytest.approx(
        lost, abs=4 * math.sqrt(lost * (1 - lost) / total)
    )
    assert (
        len(scans(tmp_path, seconds=0.2, materials=materials)[0].angles) == 360
    )  # an option, off by default


def test_a_mirror_shows_the_room_behind_it(tmp_path):
    cells, _ = box(HALF_X, HALF_Y)
    materials = np.zeros(cells.shape, int)
    materials[1:-1, -1] = 3
    (one,) = scans(tmp_path, "lidar.noise.materials=true", seconds=0.2, materials=materials)
    # as in a room twice as long, seen from its left half
    behind = beam_ranges((-HALF_X, 0.0, 0.0), ANGLES, 2 * HALF_X, HALF_Y)
    meant = np.where(on_right_wall(), behind, MEANT)
    assert one.distances == pytest.approx(meant, abs=1e-5)
    assert one.distances.max() > MEANT.max() + 0.5


def test_mixed_pixels_lie_between_the_post_and_the_wall_behind(tmp_path):
    cells, _ = box(HALF_X, HALF_Y)
    cells[30:33, 61:64] = True  # a post about 1 m ahead
    fine = ("lidar.num_rays=3600",)  # a beam each 1.7 mrad; one is 4 mrad wide
    clean = scans(tmp_path, *fine, seconds=2.0, cells=cells)
    mixed = scans(tmp_path, *fine, "lidar.noise.mixed_pixels=1", seconds=2.0, cells=cells)
    assert [between(one) for one in clean] == [0] * len(clean)
    counts = [between(one) for one in mixed]
    assert 0 < sum(counts) / len(counts) < 6  # only at its two edges
    rare = scans(tmp_path, *fine, "lidar.noise.mixed_pixels=0.1", seconds=20.0, cells=cells)
    assert 0 < sum(map(between, rare)) / len(rare) < 0.3 * sum(counts) / len(counts)


def between(one):
    """Return the number of points in the free space between post and wall."""
    ahead = np.abs(one.angles + 0.2182) < 0.3
    return int(((one.distances[ahead] > 1.3) & (one.distances[ahead] < 1.8)).sum())


def test_an_uneven_motor_leaves_some_turns_short(tmp_path):
    counts = np.array([len(one.angles) for one in scans(tmp_path, "lidar.speed_jitter=0.05")])
    assert counts.max() == 360
    short = counts[counts < 360]
    assert len(short) == pytest.approx(len(counts) / 2, abs=4 * math.sqrt(len(counts) / 4))
    assert 360 - short.mean() == pytest.approx(360 * 0.05 * math.sqrt(2 / math.pi), rel=0.4)


def test_a_cold_start_has_partial_scans_each_time_it_is_switched_on(tmp_path):
    for settings in ((), ("lidar.enabled=false",)):
        sim = vacuum(*NOISELESS, "lidar.enabled=true", "lidar.cold_start_s=1.0", *settings)
        if settings:
            sim.run(3.0)
            switch(sim, "lidar", "enable")
        found = heard(sim, 1.4, Scan)
        assert [len(one.angles) for one in found] == [72, 144, 216, 288, 360, 360, 360]
