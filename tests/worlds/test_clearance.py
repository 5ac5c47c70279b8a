"""Distances of bodies to walls, obstacles and each other, against brute force."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.body import Body
from rigless.kernel.world import Obstacle, World
from rigless.worlds.floor import Floor
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld

WHERE = st.floats(-2.5, 2.5)
BODIES = st.one_of(
    st.builds(lambda x, y, r: Body(x, y, radius_m=r), WHERE, WHERE, st.floats(0.05, 0.6)),
    st.builds(
        lambda x, y, theta, a, b: Body(x, y, theta, size_m=(a, b)),
        WHERE, WHERE, st.floats(-4, 4), st.floats(0.1, 1.2), st.floats(0.1, 1.2),
    ),
)  # fmt: skip


def rim(body: Body, points: int = 400) -> np.ndarray:
    """Return points on the outline of a body."""
    if not body.size_m:
        angles = np.linspace(0, 2 * math.pi, points, endpoint=False)
        return np.column_stack([np.cos(angles), np.sin(angles)]) * body.radius_m + (body.x, body.y)
    corners = np.array(body.corners)
    shares = np.linspace(0, 1, points // 4, endpoint=False)[:, None]
    sides = zip(corners, np.roll(corners, -1, 0), strict=True)
    return np.concatenate([a + shares * (b - a) for a, b in sides])


def sampled_m(one: Body, two: Body) -> float:
    """Return the distance between outlines, to about a centimetre; 0 for bodies that overlap."""
    if one.overlaps(two):
        return 0.0
    gaps = rim(one)[:, None, :] - rim(two)[None, :, :]
    return float(np.hypot(gaps[..., 0], gaps[..., 1]).min())


@settings(max_examples=60, deadline=None)
@given(BODIES, BODIES)
def test_the_distance_of_two_bodies(one, two):
    exact = one.distance_m(two)
    assert exact == pytest.approx(two.distance_m(one), abs=1e-9)
    assert exact <= sampled_m(one, two) + 1e-9
    assert exact == pytest.approx(sampled_m(one, two), abs=0.02)


@settings(max_examples=60, deadline=None)
@given(BODIES, st.integers(0, 2**32 - 1), st.floats(-3, 3))
def test_the_distance_to_walls_is_that_to_the_nearest_cell(body, seed, yaw):
    cells = np.random.default_rng(seed).random((6, 7)) < 0.15
    grid = Grid(cells, 0.5, (-1.5, -1.0, yaw))
    squares = []
    for row, column in zip(*np.nonzero(cells), strict=True):
        x, y = grid.to_world(column + 0.5, row + 0.5)
        squares.append(Body(float(x), float(y), yaw, size_m=(0.5, 0.5)))
    wanted = min((body.distance_m(square) for square in squares), default=math.inf)
    assert GridWorld(grid).clearance_m(body, 0) == pytest.approx(wanted, abs=1e-6)


def test_obstacles_and_other_bodies_count():
    pose = (2.0, 0.0, 0.0)
    world = World({"box": Obstacle(size_m=(1.0, 1.0), begin=pose, end=pose)})
    disc = Body(0.0, 0.0, radius_m=0.5)
    assert World().clearance_m(disc, 0) == math.inf
    assert world.clearance_m(disc, 0) == pytest.approx(1.0)
    assert world.clearance_m(disc, 0, [Body(0.0, 0.8, radius_m=0.1)]) == pytest.approx(0.2)
    assert world.clearance_m(Body(1.6, 0.0, radius_m=0.5), 0) == 0.0


# The floor that can be swept

ROOM_M2 = 1.0 - (4 - math.pi) * 0.3**2  # a disc of 0.3 m does not get into the corners


def test_a_disc_covers_a_hall_but_not_its_corners():
    cells = np.ones((22, 42), bool)
    cells[1:-1, 1:-1] = False
    floor = Floor(Grid(cells, 0.1), 0.3)
    floor.start(1.0, 1.0)
    assert floor.area_m2 == pytest.approx(8.0 - (4 - math.pi) * 0.3**2, abs=0.05)
    assert floor.share == 0.0
    floor.sweep(1.0, 1.0, 2.0, 1.0)
    swept_m2 = 0.6 * 1.0 + math.pi * 0.3**2
    assert floor.share == pytest.approx(swept_m2 / floor.area_m2, abs=0.005)
    floor.sweep(2.0, 1.0, 1.0, 1.0)  # the same floor again
    assert floor.share == pytest.approx(swept_m2 / floor.area_m2, abs=0.005)
    for y_m in np.arange(0.4, 1.81, 0.05):
        floor.sweep(0.4, y_m, 3.8, y_m)
    assert floor.share == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(("door", "area_m2"), [(5, ROOM_M2), (7, 2 * ROOM_M2 + 0.07)])
def test_a_disc_reaches_a_room_behind_a_wide_door(door, area_m2):
    cells = np.ones((12, 23), bool)
    cells[1:-1, 1:11] = cells[1:-1, 12:-1] = False
    cells[3 : 3 + door, 11] = False
    floor = Floor(Grid(cells, 0.1), 0.3)
    floor.start(0.6, 0.6)
    assert floor.area_m2 == pytest.approx(area_m2, abs=0.05)


def test_unknown_cells_and_cliffs_are_no_floor():
    cells = np.zeros((10, 10), bool)
    holes = cells.copy()
    holes[:, 5:] = True
    floor = Floor(Grid(cells, 0.1, cliff=holes), 0.2)
    floor.start(0.2, 0.5)
    assert floor.area_m2 == pytest.approx(0.5)
