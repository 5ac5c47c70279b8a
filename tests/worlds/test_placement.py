"""Places of bodies in a map: exact overlap with walls, and the nearest free place."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.body import Body
from rigless.worlds import placement
from rigless.worlds.grid import Grid
from rigless.worlds.placement import MARGIN_M, nearest_free, overlaps_wall, why_off_map


def room(size: int = 40, resolution_m: float = 0.05, yaw: float = 0.0) -> Grid:
    occupied = np.zeros((size, size), bool)
    occupied[[0, -1]] = occupied[:, [0, -1]] = True
    return Grid(occupied, resolution_m, (-1.0, -1.0, yaw))


def points_of(body: Body, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return sample points of a body: x and y of a grid of count × count, without the outside."""
    half_x, half_y = body.half_m
    u, v = np.meshgrid(np.linspace(-half_x, half_x, count), np.linspace(-half_y, half_y, count))
    if body.size_m is None:
        keep = np.hypot(u, v) <= body.radius_m
        u, v = u[keep], v[keep]
    cos, sin = math.cos(body.theta), math.sin(body.theta)
    return body.x + cos * u - sin * v, body.y + sin * u + cos * v


def overlaps_by_samples(grid: Grid, body: Body) -> bool:
    """Sample points of the body and look up their cells."""
    x, y = grid.to_cells(*points_of(body, 201))
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    inside = (column >= 0) & (row >= 0) & (column < grid.shape[1]) & (row < grid.shape[0])
    return bool(grid.occupied[row[inside], column[inside]].any())


bodies = st.builds(
    Body,
    st.floats(-1.2, 1.2),
    st.floats(-1.2, 1.2),
    st.floats(-4.0, 4.0),
    st.floats(0.05, 0.4),
    st.none() | st.tuples(st.floats(0.1, 0.8), st.floats(0.1, 0.8)),
)


@given(bodies, st.integers(0, 10_000), st.sampled_from([0.0, 0.7]))
@settings(max_examples=25, deadline=None)
def test_overlap_with_walls_is_exact(body, seed, yaw):
    occupied = np.random.default_rng(seed).random((30, 30)) < 0.02
    grid = Grid(occupied, 0.08, (-1.2, -1.2, yaw))
    if overlaps_by_samples(grid, body):
        assert overlaps_wall(grid, body)
    if overlaps_wall(grid, body):  # the samples are at most 6 mm apart
        assert overlaps_by_samples(grid, body.grown(0.006))


@given(bodies, st.integers(0, 10_000), st.sampled_from([0.0, 0.7]))
@settings(max_examples=25, deadline=None)
def test_the_nearest_free_place_is_free_and_no_cell_is_nearer(body, seed, yaw):
    random = np.random.default_rng(seed)
    occupied, unknown = random.random((30, 30)) < 0.05, random.random((30, 30)) < 0.1
    grid = Grid(occupied, 0.08, (-1.2, -1.2, yaw), unknown=unknown)
    place = nearest_free(grid, body, [])
    cells = [
        (float(x), float(y))
        for row in range(30)
        for column in range(30)
        if not unknown[row, column]
        for x, y in [grid.to_world(column + 0.5, row + 0.5)]
    ]
    free = [(x, y) for x, y in cells if not overlaps_wall(grid, body.at(x, y).grown(MARGIN_M))]
    if place is None:
        assert not free
        return
    assert not overlaps_wall(grid, body.at(*place))
    assert not why_off_map(grid, body.at(*place))
    if free and not why_off_map(grid, body):
        away = min(math.hypot(x - body.x, y - body.y) for x, y in free)
        assert math.hypot(place[0] - body.x, place[1] - body.y) <= away + 0.08 * 1.5


@given(bodies, st.integers(0, 10_000), st.integers(0, 12), st.sampled_from([0.05, 0.6]))
@settings(max_examples=25, deadline=None)
def test_the_parts_of_the_map_that_are_searched_first_do_not_change_the_place(
    body, seed, count, density
):
    random = np.random.default_rng(seed)
    grid = Grid(random.random((30, 30)) < density, 0.08, (-1.2, -1.2, 0.3))
    others = [Body(*random.uniform(-1.2, 1.2, 2), radius_m=0.1) for _ in range(count)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(placement, "SQUARES", ())
        whole = nearest_free(grid, body, others)
        patched.setattr(placement, "SQUARES", (1, 2, 7))
        assert nearest_free(grid, body, others) == whole


def test_a_place_off_the_map_is_led_back_to_it():
    for x in (500.0, -1e308, 1e308):
        body = Body(x, 0.0, radius_m=0.17)
        assert "off the map, which has x from -1 to 1 and y from -1 to 1" in why_off_map(
            room(), body
        )
        place = nearest_free(room(), body, [])
        assert place == pytest.approx((math.copysign(0.725, x), 0.0), abs=0.06)


def test_a_free_place_keeps_clear_of_other_bodies():
    table = Body(0.0, 0.0, 0.3, size_m=(1.2, 0.6))
    body = Body(0.1, 0.0, radius_m=0.17)
    place = nearest_free(room(), body, [table])
    assert place is not None
    assert not table.overlaps(body.at(*place))


def test_there_may_be_no_free_place():
    assert nearest_free(room(), Body(0.0, 0.0, radius_m=1.0), []) is None


@given(bodies, bodies)
@settings(max_examples=40, deadline=None)
def test_overlap_of_two_bodies_is_exact(one, two):
    assert one.overlaps(two) == two.overlaps(one)
    x, y = points_of(one, 101)
    x, y = x - two.x, y - two.y

    def holds(body, margin):
        if body.size_m is None:
            return np.hypot(x, y) <= body.radius_m + margin
        c, s = math.cos(body.theta), math.sin(body.theta)
        within_x = np.abs(c * x + s * y) <= body.half_m[0] + margin
        return within_x & (np.abs(c * y - s * x) <= body.half_m[1] + margin)

    if one.overlaps(two):
        assert holds(two, 0.012).any()  # the samples are at most 12 mm apart
    else:
        assert not holds(two, -1e-6).any()
