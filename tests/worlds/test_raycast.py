"""Grid.cast against two references.

One is a walk from cell to cell, whose hit cells it must find. The other is geometry: every range
must lie between the ranges to slightly larger and slightly smaller occupied squares.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from rigless.kernel.elementary import sin_cos
from rigless.worlds.grid import Grid
from rigless.worlds.raycast import cast_beams, cast_ray

EXACT_M = 1e-9


@njit(error_model="numpy")
def walk(occupied, x, y, dx, dy, longest):
    """Walk from cell to cell: distance, column and row of the first hit, and the kind of face.

    Through a corner the horizontal face comes first.
    """
    height, width = occupied.shape
    column, row, t, across_x = math.floor(x), math.floor(y), 0.0, False
    while 0 <= column < width and 0 <= row < height and t <= longest:
        if occupied[row, column]:
            return t, column, row, across_x
        t_x = (column + (dx > 0) - x) * (1.0 / dx) if dx != 0 else np.inf
        t_y = (row + (dy > 0) - y) * (1.0 / dy) if dy != 0 else np.inf
        across_x = t_x < t_y
        if across_x:
            column, t = column + (1 if dx > 0 else -1), t_x
        else:
            row, t = row + (1 if dy > 0 else -1), t_y
    return np.inf, 0, 0, False


def rays(grid, poses, angles):
    """Return all combinations as (x, y, dx, dy) in cells."""
    for x_m, y_m, theta in np.asarray(poses, float):
        x, y = grid.to_cells(x_m, y_m)
        s, c = sin_cos(float(theta - grid.origin[2]))
        for sb, cb in map(sin_cos, np.asarray(angles, float).tolist()):
            yield float(x), float(y), cb * c - sb * s, cb * s + sb * c


def nearest(grid, x_m, y_m, angle, grown):
    """Return where a ray first enters an occupied square grown by a margin, or inf."""
    rows, columns = np.nonzero(grid.occupied)
    x, y = (float(v) for v in grid.to_cells(x_m, y_m))
    enter, leave = np.zeros(len(rows)), np.full(len(rows), np.inf)
    for at, low, d in (
        (x, columns, math.cos(angle - grid.origin[2])),
        (y, rows, math.sin(angle - grid.origin[2])),
    ):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            a, b = (low - grown - at) / d, (low + 1 + grown - at) / d
        enter, leave = np.fmax(enter, np.fmin(a, b)), np.fmin(leave, np.fmax(a, b))
    met = enter[enter <= leave]
    return met.min() * grid.resolution_m if len(met) else math.inf


def assert_exact(grid, poses, angles, longest_m=1e9):
    longest = longest_m / grid.resolution_m
    expected = [walk(grid.occupied, *ray, longest) for ray in rays(grid, poses, angles)]
    assert [cast_ray(grid.squares, *ray, longest)[1:] for ray in rays(grid, poses, angles)] == [
        e[1:] for e in expected
    ]
    ranges, steps = (
        grid.cast(poses, angles, longest_m),
        np.reshape([e[0] for e in expected], (len(poses), len(angles))),
    )
    assert np.array_equal(np.isinf(ranges), np.isinf(steps))
    met = np.isfinite(steps)
    assert np.abs(ranges[met] - steps[met] * grid.resolution_m).max(initial=0.0) < EXACT_M
    return ranges


@pytest.mark.parametrize(
    "origin", [(0, 0, 0), (-3.7, 2.2, 0), (1.5, -8, 0.7), (0, 0, np.pi / 2), (4, 4, -2.9)]
)
@pytest.mark.parametrize(("size", "filled"), [(300, 0.001), (300, 0.02), (120, 0.3), (600, 0.0001)])
def test_random_rays_in_random_maps(size, filled, origin):
    random = np.random.default_rng([size, int(filled * 1e6)])
    grid = Grid(random.random((size, size // 2 * 3)) < filled, 0.05, origin)
    x, y = grid.to_world(random.uniform(0, size * 1.5, 60), random.uniform(0, size, 60))
    poses = np.column_stack([x, y, random.uniform(-np.pi, np.pi, 60)])
    angles = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    assert np.isfinite(assert_exact(grid, poses, angles)).any()
    assert_exact(grid, poses, angles, longest_m=2.0)


@pytest.mark.parametrize("filled", [0.0, 0.01, 0.1, 0.5])
def test_rays_from_corners_through_corners_and_along_faces(filled):
    random = np.random.default_rng(int(filled * 100))
    grid = Grid(random.random((64, 64)) < filled, 1.0)
    corners = random.integers(0, 65, (200, 2)) + random.choice([0.0, 0.5], (200, 2))
    slopes = [math.atan2(b, a) for a in range(-4, 5) for b in range(-4, 5) if a or b]
    assert_exact(grid, np.column_stack([corners, np.zeros(200)]), np.array(slopes))


small = st.integers(1, 12)
numbers = st.one_of(
    st.integers(-1, 13).map(float), st.floats(-1, 13), st.integers(-2, 26).map(lambda n: n / 2)
)
angles = st.one_of(
    st.floats(-7, 7, allow_subnormal=False), st.integers(-8, 8).map(lambda n: n * np.pi / 8)
)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.data(), small, small, numbers, numbers, angles, st.sampled_from([0.0, 0.3, np.pi / 2]))
def test_every_range_is_that_of_geometry(data, width, height, x, y, angle, yaw):
    bits = data.draw(st.integers(0, 2 ** (width * height) - 1))
    cells = np.array([bits >> n & 1 for n in range(width * height)], bool).reshape(height, width)
    grid = Grid(cells, 0.5, (2.0, -1.0, yaw))
    x_m, y_m = grid.to_world(x, y)
    pose = [float(x_m), float(y_m), angle]
    (measured,) = assert_exact(grid, [pose], [0.0])[0]
    column, row = (math.floor(v) for v in grid.to_cells(pose[0], pose[1]))
    if not (0 <= column < width and 0 <= row < height):
        assert math.isinf(measured)
        return
    assert (
        nearest(grid, *pose, grown=1e-9) - EXACT_M
        <= measured
        <= nearest(grid, *pose, grown=-1e-9) + 1e-6
    )


def box_room():
    cells = np.ones((60, 100), bool)
    cells[1:-1, 1:-1] = False
    return Grid(cells, 0.1, (-0.1, -0.1, 0.0))  # 9.8 m × 5.8 m, corner at (0, 0)


@settings(deadline=None, derandomize=True)  # numba compiles on first use
@given(st.floats(0.01, 9.79), st.floats(0.01, 5.79), st.floats(-np.pi, np.pi))
def test_a_box_room_has_a_closed_form(x, y, angle):
    dx, dy = math.cos(angle), math.sin(angle)
    to_x = ((9.8 if dx > 0 else 0.0) - x) / dx if dx else math.inf
    to_y = ((5.8 if dy > 0 else 0.0) - y) / dy if dy else math.inf
    assert box_room().cast([[x, y, 0.0]], [angle], 100.0)[0, 0] == pytest.approx(
        min(to_x, to_y), abs=EXACT_M
    )


def test_no_range_is_longer_than_the_longest():
    room = box_room()
    assert room.cast([[1.0, 1.0, 0.0]], [0.0], 8.81)[0, 0] == pytest.approx(8.8)
    assert np.isinf(room.cast([[1.0, 1.0, 0.0]], [0.0], 8.79)[0, 0])


def test_inside_something_the_range_is_zero():
    poses = [[0.05 - 0.1, 3.0, 0.0], [0.0 - 0.1, -0.1, 1.0], [9.85, 5.85, 4.0]]
    assert (box_room().cast(poses, np.arange(0, 6.2, 0.1), 100.0) == 0.0).all()


def test_from_outside_the_map_nothing_is_seen():
    poses = [[-0.2, 3.0, 0.0], [3.0, 7.0, -np.pi / 2], [9.95, 3.0, np.pi], [1e9, 0, 0]]
    assert np.isinf(box_room().cast(poses, [0.0], 100.0)).all()


def test_a_ray_that_leaves_the_map_meets_nothing():
    assert np.isinf(
        Grid(np.zeros((5, 700)), 0.1).cast([[0.05, 0.25, 0.0]], np.arange(0, 6.2, 0.1), 1e6)
    ).all()


def test_free_space_wider_than_the_largest_square():
    cells = np.zeros((700, 700), bool)
    cells[350, 699] = True
    assert Grid(cells, 1.0).cast([[0.25, 350.5, 0.0]], [0.0], 1e6)[0, 0] == 698.75


def test_beams_turn_with_the_pose_and_come_back_in_order():
    room = box_room()
    angles = np.array([0.0, 0.3, -1.0, 2.0])
    turned = room.cast([[2.0, 3.0, 0.0], [2.0, 3.0, 0.5], [4.0, 1.0, 0.0]], angles, 100.0)
    assert turned.shape == (3, 4)
    assert turned[1] == pytest.approx(
        room.cast([2.0, 3.0, 0.0], angles + 0.5, 100.0)[0], abs=EXACT_M
    )
    assert turned[2] == pytest.approx(room.cast([4.0, 1.0, 0.0], angles, 100.0)[0], abs=EXACT_M)


def test_a_turned_map_sees_what_a_turned_robot_sees():
    random = np.random.default_rng(5)
    cells = random.random((80, 80)) < 0.02
    straight, turned = Grid(cells, 0.1), Grid(cells, 0.1, (3.0, -2.0, 1.1))
    x, y = random.uniform(0, 80, (2, 50))
    theta = random.uniform(-3, 3, 50)
    a = straight.cast(np.column_stack([*straight.to_world(x, y), theta]), [0.0, 1.0], 50.0)
    b = turned.cast(np.column_stack([*turned.to_world(x, y), theta + 1.1]), [0.0, 1.0], 50.0)
    same = np.isfinite(a)
    assert np.array_equal(same, np.isfinite(b))
    assert np.abs(a[same] - b[same]).max() < EXACT_M


@pytest.mark.parametrize("count", [1, 15, 16, 17, 40, 64])
def test_rays_cast_together_have_the_bits_of_single_rays(count):
    random = np.random.default_rng(count)
    grid = Grid(random.random((90, 130)) < 0.02, 1.0)
    for trial in range(40):
        starts = random.uniform(-3, 133, (count, 2))
        if trial % 2:  # on corners and edges, where lanes need branches of their own
            starts = np.round(starts * 2) / 2
        turns = random.uniform(-np.pi, np.pi, count)
        turns[::3] = np.round(turns[::3] * 4 / np.pi) * np.pi / 4
        beams = np.column_stack([starts, np.cos(turns), np.sin(turns)])
        beams[1::5, 2:] = (0.0, -1.0)
        ranges, across = np.empty(count), np.empty(count, bool)
        cells, longest = np.empty((count, 2), np.int64), (1e9, 30.0)[trial % 3 == 0]
        cast_beams(grid.squares, beams.copy(), longest, ranges, cells, across)
        for beam, distance, cell, turned in zip(beams, ranges, cells, across, strict=True):
            wanted = cast_ray(grid.squares, *beam.tolist(), longest)
            assert distance == wanted[0]
            assert np.isinf(distance) or (*cell.tolist(), turned) == wanted[1:]
    assert np.isfinite(ranges).any() or count == 1
