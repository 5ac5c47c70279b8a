"""Bumper zones: walls, posts between zones, and every ray of a fan as the reference."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.motion.contact import STOP, clearance, move_circle, zone_touched

from .reference import NO_BOXES, NO_DISCS, scattered

LEFT, RIGHT = (0.0, math.radians(60)), (math.radians(-60), 0.0)


def touched(occupied, x, y, theta, radius, reach, zone, discs=NO_DISCS, boxes=NO_BOXES):
    return zone_touched(
        occupied, clearance(occupied), discs, boxes, x, y, theta, radius, reach, *zone
    )


def test_a_flat_wall_head_on_touches_both_zones_within_reach_only():
    occupied = np.zeros((30, 30), bool)
    occupied[:, 20] = True
    out = np.zeros(8)
    move_circle(
        occupied,
        clearance(occupied),
        NO_DISCS,
        NO_BOXES,
        10.0,
        15.3,
        3.4,
        20.0,
        0.0,
        STOP,
        0.0,
        out,
    )
    for x, expected in (
        (out[0], True),
        (20 - 3.4 - 0.1 + 1e-9, True),
        (20 - 3.4 - 0.1 - 1e-9, False),
    ):
        assert touched(occupied, x, 15.3, 0.0, 3.4, 0.1, LEFT) is expected
        assert touched(occupied, x, 15.3, 0.0, 3.4, 0.1, RIGHT) is expected
    assert not touched(occupied, out[0], 15.3, math.pi, 3.4, 0.1, LEFT)
    assert touched(occupied, out[0], 15.3, -1.0, 3.4, 0.1, LEFT)
    assert not touched(occupied, out[0], 15.3, -1.0, 3.4, 0.1, RIGHT)


@pytest.mark.parametrize(
    ("angle", "left", "right"),
    [(0.0, True, True), (0.2, True, False), (-0.2, False, True), (1.5, False, False)],
)
def test_a_thin_post_touches_the_zone_it_lies_in(angle, left, right):
    empty = np.zeros((30, 30), bool)
    at = 15 + 3.5 * math.cos(angle), 15 + 3.5 * math.sin(angle)
    for post in ({"discs": np.array([[*at, 0.05]])}, {"boxes": np.array([[*at, 0.04, 0.05, 0.4]])}):
        assert touched(empty, 15.0, 15.0, 0.0, 3.4, 0.2, LEFT, **post) is left
        assert touched(empty, 15.0, 15.0, 0.0, 3.4, 0.2, RIGHT, **post) is right


def test_between_zones_that_leave_a_gap_a_post_touches_none():
    empty, post = np.zeros((30, 30), bool), np.array([[18.5, 15.0, 0.05]])
    for zone in ((0.1, 1.0), (-1.0, -0.1), (0.1, 2 * math.pi - 0.1)):
        assert not touched(empty, 15.0, 15.0, 0.0, 3.4, 0.2, zone, post)
    for zone in ((-0.1, 0.1), (6.0, 0.2), (-9.0, 9.0), (0.1, 2 * math.pi)):
        assert touched(empty, 15.0, 15.0, 0.0, 3.4, 0.2, zone, post)


def seen_in_fan(occupied, boxes, discs, x, y, theta, inner, outer, zone, widen):
    """Return True if a ray of a fine fan over the zone, widened, meets an obstacle in the zone."""
    start, end = zone[0] - widen, zone[1] + widen
    rays = theta + np.linspace(start, end, 4001)
    inner, outer = inner - widen, outer + widen
    cells = [(c + 0.5, r + 0.5, 0.5, 0.5, 0.0) for r, c in np.argwhere(occupied)]
    with np.errstate(divide="ignore"):
        for bx, by, hx, hy, turn in [*cells, *boxes]:
            qx, qy = bx - x, by - y
            mx, my = (
                math.cos(turn) * qx + math.sin(turn) * qy,
                math.cos(turn) * qy - math.sin(turn) * qx,
            )
            ux, uy = np.cos(rays - turn), np.sin(rays - turn)
            ax, bx_, ay, by_ = (mx - hx) / ux, (mx + hx) / ux, (my - hy) / uy, (my + hy) / uy
            near = np.maximum(np.maximum(np.minimum(ax, bx_), np.minimum(ay, by_)), 0.0)
            far = np.minimum(np.maximum(ax, bx_), np.maximum(ay, by_))
            if np.any((near <= far) & (near <= outer) & (far >= inner)):
                return True
    for cx, cy, r in discs:
        qx, qy = cx - x, cy - y
        along, across = qx * np.cos(rays) + qy * np.sin(rays), qx * np.sin(rays) - qy * np.cos(rays)
        half = np.sqrt(np.maximum(r * r - across**2, 0.0))
        near, far = np.maximum(along - half, 0.0), along + half
        if np.any((np.abs(across) <= r) & (near <= far) & (near <= outer) & (far >= inner)):
            return True
    return False


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-3.2, 3.2), st.floats(0.02, 6.2), st.floats(0.02, 1.0))
def test_a_zone_is_touched_when_a_ray_in_it_says_so(seed, start, span, reach):
    rng = np.random.default_rng(seed)
    occupied = scattered(seed, density=0.03)
    discs = np.column_stack([rng.uniform(0, 16, (2, 2)), rng.uniform(0.05, 1, 2)])[
        : rng.integers(3)
    ]
    boxes = np.column_stack(
        [rng.uniform(0, 16, (2, 2)), rng.uniform(0.05, 2, (2, 2)), rng.uniform(-4, 4, 2)]
    )
    boxes = boxes[: rng.integers(3)]
    x, y, theta, radius = *rng.uniform(-1, 17, 2), rng.uniform(-7, 7), rng.uniform(0.3, 3.0)
    zone = start, start + span
    answer = touched(occupied, x, y, theta, radius, reach, zone, discs, boxes)
    fan = (occupied, boxes, discs, x, y, theta, radius, radius + reach, zone)
    if seen_in_fan(*fan, widen=-1e-9):
        assert answer
    if answer:
        assert seen_in_fan(*fan, widen=4e-3)


def test_zones_are_measured_from_the_rim_outward():
    empty = np.zeros((30, 30), bool)
    for away, expected in ((3.0, False), (3.29, False), (3.31, True), (3.69, True), (3.71, False)):
        post = np.array([[15.0 + away, 15.1, 0.1]])
        assert touched(empty, 15.0, 15.1, 0.0, 3.4, 0.2, (-0.5, 0.5), post) is expected
