"""Sliding: tangent, friction, corners, and no gain of length."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rigless.motion.contact import MOVED_FULLY, SLIDE, STOP, clearance, move_circle

from .reference import NO_BOXES, NO_DISCS, distance, free_place, scattered, shapes


def slide(occupied, x, y, radius, dx, dy, friction=0.0, discs=NO_DISCS, boxes=NO_BOXES, mode=SLIDE):
    out = np.zeros(8)
    move_circle(
        occupied, clearance(occupied), discs, boxes, x, y, radius, dx, dy, mode, friction, out
    )
    return out


def floor(size=40):
    occupied = np.zeros((size, size), bool)
    occupied[0] = True
    return occupied


@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0])
def test_pressed_to_a_wall_the_tangential_part_less_friction_is_travelled(friction):
    out = slide(floor(), 5.3, 3.0 + 1e-8, 2.0, 6.0, -4.0, friction)
    assert out[:2] == pytest.approx([5.3 + (1 - friction) * 6.0, 3.0], abs=2e-8)
    assert tuple(out[2:5]) == (1.0, 0.0, 1.0)
    assert out[7] == pytest.approx((1 - friction) * 6.0 / math.hypot(6, 4), abs=1e-8)


def test_there_is_no_friction_before_the_contact():
    out = slide(floor(), 5.0, 4.0, 2.0, 4.0, -2.0, 0.25)
    assert out[:2] == pytest.approx([5 + 2 + 0.75 * 2, 3.0], abs=5e-8)
    assert out[5:7] == pytest.approx([7.0, 1.0], abs=5e-8)


@pytest.mark.parametrize("slope", [0.0, -1e-16, -1e-13, -1e-12, -1e-9, -1e-3])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_flat_wall_has_no_inner_edges(slope, friction):
    occupied = floor(1200)
    clear, out = clearance(occupied), np.zeros(8)
    x, y, step = 5.0, 3.4 + 1.0 + 1e-8, 0.11
    for _ in range(10_000):
        move_circle(
            occupied, clear, NO_DISCS, NO_BOXES, x, y, 3.4, step, slope * step, SLIDE, friction, out
        )
        least = (1 - friction) * step if out[2] else step  # a contact late in the step costs less
        assert least - 1e-10 <= out[0] - x <= step + 1e-10
        x, y = out[0], out[1]
        assert 4.4 <= y <= 4.4 + 2e-8


def test_in_a_corner_the_circle_comes_to_rest_at_both_walls():
    occupied = floor()
    occupied[:, 30] = True
    out = slide(occupied, 20.0, 6.0, 2.0, 30.0, -30.0)
    assert out[:2] == pytest.approx([28.0, 3.0], abs=5e-8)
    again = slide(occupied, out[0], out[1], 2.0, 1.0, -1.0)
    assert again[:2] == pytest.approx(out[:2], abs=1e-9)
    assert again[7] == pytest.approx(0.0, abs=1e-8)
    up = slide(occupied, out[0], out[1], 2.0, 1.0, 1.0)
    assert up[:2] == pytest.approx([28.0, 4.0], abs=5e-8)


@pytest.mark.parametrize("inside", [50, 80, 110, 150])
def test_between_two_slanted_walls_only_a_push_into_both_holds(inside):
    half = math.radians(inside) / 2
    boxes, empty = [], np.zeros((60, 60), bool)
    for side in (
        -1,
        1,
    ):  # two long boxes whose faces form a wedge that opens to +x, with its tip at (20, 30)
        along = np.array([math.cos(half), side * math.sin(half)])
        outer = np.array([-math.sin(half), side * math.cos(half)])
        boxes.append(
            [
                *(np.array([20.0, 30.0]) + 10 * along + outer),
                10.0,
                1.0,
                math.atan2(along[1], along[0]),
            ]
        )
    wedge = np.array(boxes)
    rest = slide(empty, 35.0, 30.2, 1.0, -40.0, 0.0, boxes=wedge)
    for _ in range(5):
        rest = slide(empty, rest[0], rest[1], 1.0, -5.0, 0.0, boxes=wedge)
    assert rest[:2] == pytest.approx([20 + 1 / math.sin(half), 30.0], abs=1e-6)
    for side in (
        -1,
        1,
    ):  # pushed along one face: it leaves along that face
        direction = half * side + side * 0.2
        dx, dy = 0.5 * math.cos(direction), 0.5 * math.sin(direction)
        out = slide(empty, rest[0], rest[1], 1.0, dx, dy, boxes=wedge)
        assert out[7] == pytest.approx(math.cos(0.2), abs=1e-6)


def test_round_a_post_the_circle_goes_on():
    post = np.zeros((30, 30), bool)
    post[15, 15] = True
    x, y = 5.0, 16.3
    for _ in range(400):
        out = slide(post, x, y, 2.0, 0.1, 0.0)
        x, y = out[0], out[1]
    assert x > 25.0
    assert y == pytest.approx(18.0, abs=0.05)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.05, 3.0), st.floats(1e-6, 20.0), st.floats(0.0, 1.0))
def test_nothing_is_gained_by_sliding(seed, radius, far, friction):
    rng = np.random.default_rng(seed)
    occupied = scattered(seed)
    obstacles = shapes(occupied)
    place = free_place(obstacles, rng, radius)
    assume(place is not None)
    x, y = place
    turn = rng.uniform(-math.pi, math.pi)
    dx, dy = far * math.cos(turn), far * math.sin(turn)
    out = slide(occupied, x, y, radius, dx, dy, friction)
    rougher = slide(occupied, x, y, radius, dx, dy, 1.0)
    stop = slide(occupied, x, y, radius, dx, dy, mode=STOP)
    assert math.hypot(out[0] - x, out[1] - y) <= far + 2e-8
    assert stop[7] - 1e-12 <= out[7] <= 1.0
    assert rougher[:2] == pytest.approx(stop[:2], abs=1e-12)
    assert (out[2] == 0.0) == (out[7] == 1.0 and stop[2] == 0.0)
    assert distance(obstacles, out[0], out[1]) >= radius
    assert (out[0] - x) * dx + (out[1] - y) * dy >= -2e-8 * far or out[2]


def fully(occupied, x, y, radius, dx, dy):
    out = np.full(MOVED_FULLY, 7.0)
    move_circle(
        occupied, clearance(occupied), NO_DISCS, NO_BOXES, x, y, radius, dx, dy, SLIDE, 0.0, out
    )
    return tuple(out[8:])


def test_the_full_result_has_the_last_contact():
    occupied = floor()
    occupied[:, 30] = True
    assert fully(occupied, 20.0, 20.0, 2.0, 1.0, 0.0) == (0, 0, 0)
    assert fully(occupied, 20.0, 6.0, 2.0, 1.0, -9.0) == (0, 1, 0)  # the floor
    assert fully(occupied, 20.0, 3.5, 2.0, 5.0, -1.0) == pytest.approx((0, 1, 0))
    assert (
        fully(occupied, 27.0, 3.5, 2.0, 9.0, -1.0)[2] == 1
    )  # along the floor into the corner: held
    assert fully(occupied, 27.0, 9.0, 2.0, 9.0, -1.0) == pytest.approx(
        (-1, 0, 0)
    )  # the wall, and down along it
    corner = slide(occupied, 20.0, 6.0, 2.0, 30.0, -30.0)
    assert fully(occupied, corner[0], corner[1], 2.0, 1.0, -1.0)[2] == 1
    assert fully(occupied, corner[0], corner[1], 2.0, 1.0, 1.0) == pytest.approx(
        (-1, 0, 0)
    )  # up along the wall
