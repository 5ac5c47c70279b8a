"""Beams that are aimed together start where beams that are aimed one by one do."""

import numpy as np
import pytest

from rigless.robots.vacuum.lidar.turn import aim, aim_all

from .test_measure import lidar


def trail(rng, turn, size=30):
    """Return a ring of poses at 110 Hz, its oldest entry, and the heading that wraps."""
    poses = np.zeros((size, 4))
    poses[:, 0] = np.arange(size) / 110.0
    poses[:, 1:3] = np.cumsum(rng.uniform(-0.003, 0.003, (size, 2)), axis=0)
    heading = rng.uniform(-3.2, 3.2) + turn * np.arange(size)
    poses[:, 3] = (heading + np.pi) % (2 * np.pi) - np.pi
    return poses


@pytest.mark.parametrize("beams", [1, 15, 16, 17, 36, 360])
@pytest.mark.parametrize("turn", [0.0, 0.004, -0.018, 0.3])  # the last one has no small angles
@pytest.mark.parametrize("rolling", [0.0, 1.0])
def test_beams_together_have_the_same_bits(beams, turn, rolling):
    rng = np.random.default_rng(beams)
    angles = np.linspace(np.pi, -np.pi, beams, endpoint=False)
    numbers = {"OX": -3.0, "OY": 2.0, "OCOS": np.cos(0.3), "OSIN": np.sin(0.3), "ROLLING": rolling}
    setup = lidar(**numbers)
    for newer in (0, 3):
        for first in (0, 7, 29):
            poses = trail(rng, turn)
            ring = np.roll(poses, first, axis=0)
            end_s = poses[-1 - newer, 0]
            ours, theirs = np.full((beams, 4), np.nan), np.full((beams, 4), np.nan)
            directions = np.cos(angles), np.sin(angles)
            args = setup, ring, first, newer, end_s - 0.2, end_s, beams, *directions
            aim_all(*args, ours)
            aim(*args, 0, theirs)
            assert ours.tobytes() == theirs.tobytes()
            assert np.isfinite(ours).all()
    assert beams < 2 or len(np.unique(ours[:, 2])) > 1
