"""A circle that keeps a list of the squares nearby moves as one that searches the map each time."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numba import njit

from rigless.motion.contact import MOVED, SLIDE, STOP, clearance, move_circle, move_circle_near
from rigless.motion.nearby import CAPACITY, COUNT, NEARBY_SIZE, forget, list_squares
from rigless.motion.proximity import Obstacles

NO_DISCS, NO_BOXES = np.empty((0, 3)), np.empty((0, 5))


@njit
def walk(occupied, clear, discs, boxes, starts, steps, radius, mode, nearby, ends):
    """Move along `steps`; row k of `ends` gets the results of step k and the room after it."""
    obstacles = Obstacles(occupied, clear, discs, boxes, nearby)
    forget(nearby)
    x, y = starts
    out = np.zeros(MOVED)
    for k in range(len(steps)):
        room = move_circle_near(obstacles, x, y, radius, steps[k, 0], steps[k, 1], mode, 0.0, out)
        x, y = out[0], out[1]
        ends[k, :MOVED], ends[k, MOVED] = out, room


@pytest.mark.parametrize("mode", [STOP, SLIDE])
@settings(max_examples=40, phases=(Phase.explicit, Phase.generate))
@given(seed=st.integers(0, 2**32), full=st.floats(0.0, 0.4), radius=st.floats(0.4, 9.0),
       longest=st.sampled_from([0.02, 0.15, 1.0, 6.0]))  # fmt: skip
def test_a_list_changes_no_bit(mode, seed, full, radius, longest):
    rng = np.random.default_rng(seed)
    occupied = rng.random((40, 40)) < full
    occupied[10:30, 10:30] = False
    clear, (x, y) = clearance(occupied), rng.uniform(18, 22, 2)
    way = rng.uniform(-1, 1, 2) * longest
    steps = way + rng.uniform(-0.3, 0.3, (60, 2)) * longest
    ends = np.zeros((60, MOVED + 1))
    shapes = occupied, clear, NO_DISCS, NO_BOXES
    walk(*shapes, (x, y), steps, radius, mode, np.empty(NEARBY_SIZE), ends)
    out, moved = np.zeros(MOVED), 0.0
    for k, (dx, dy) in enumerate(steps):
        move_circle(*shapes, x, y, radius, dx, dy, mode, 0.0, out)
        assert out.tobytes() == ends[k, :MOVED].tobytes(), k
        moved += np.hypot(out[0] - x, out[1] - y)
        x, y, room = *out[:2], ends[k, MOVED]
        if room > 0.0:  # a move of this length touches nothing, whatever its direction
            for angle in np.linspace(0.0, 2.0 * np.pi, 12):
                far = 0.999 * min(room, 50.0)
                move_circle(*shapes, x, y, radius, far * np.cos(angle), far * np.sin(angle), STOP,
                            0.0, out)  # fmt: skip
                assert out[2] == 0.0
    assert moved > 0.0


def test_a_list_that_is_full_is_not_used():
    occupied = np.ones((40, 40), bool)
    nearby = np.empty(NEARBY_SIZE)
    list_squares(occupied, clearance(occupied), 20.0, 20.0, 3.0, nearby)
    assert 0 < nearby[COUNT] <= CAPACITY
    list_squares(occupied, clearance(occupied), 20.0, 20.0, 12.0, nearby)
    assert nearby[COUNT] == -1.0
