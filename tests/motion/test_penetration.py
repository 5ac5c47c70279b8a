"""A million random steps in random maps: no penetration, no gain of length, no deadlock.

Steps and measurements run in numba; the distance that judges them is written here, from the
definition, and shares no code with what it judges.
"""

import math

import numpy as np
import pytest
from numba import njit

from rigless.motion.contact import PASSTHROUGH, SLIDE, STOP, clearance, move_circle

SIZE, MAPS, STEPS = 40, 100, 10_000
MICROMETRE = 1e-6 / 0.05  # in cells


@njit  # not cached: a cache would keep the code under test as it was
def true_gap(occupied, discs, boxes, x, y, reach):
    """Return the distance to the nearest obstacle, by checking all within reach."""
    best = np.inf
    for r in range(max(0, int(y - reach) - 2), min(SIZE, int(y + reach) + 3)):
        for c in range(max(0, int(x - reach) - 2), min(SIZE, int(x + reach) + 3)):
            if occupied[r, c]:
                ax, ay = max(c - x, x - c - 1.0, 0.0), max(r - y, y - r - 1.0, 0.0)
                best = min(best, math.sqrt(ax * ax + ay * ay))
    for k in range(len(discs)):
        best = min(best, math.sqrt((x - discs[k, 0]) ** 2 + (y - discs[k, 1]) ** 2) - discs[k, 2])
    for k in range(len(boxes)):
        c, s = math.cos(boxes[k, 4]), math.sin(boxes[k, 4])
        ax = abs(c * (x - boxes[k, 0]) + s * (y - boxes[k, 1])) - boxes[k, 2]
        ay = abs(c * (y - boxes[k, 1]) - s * (x - boxes[k, 0])) - boxes[k, 3]
        best = min(best, math.sqrt(max(ax, 0.0) ** 2 + max(ay, 0.0) ** 2))
    return best


@njit  # not cached: a cache would keep the code under test as it was
def wander(seed, occupied, clear, discs, boxes, radius, mode, steps, worst):
    """Take random steps from a free position.

    `worst` gets depth, length gained, share of a way back that was blocked, hits, distance
    travelled, longest time at one position, depth on the way.
    """
    np.random.seed(seed)
    out = np.zeros(8)
    x, y = 0.0, 0.0
    while True:
        x, y = np.random.uniform(0.0, SIZE), np.random.uniform(0.0, SIZE)
        if true_gap(occupied, discs, boxes, x, y, radius) > radius:
            break
    heading, still = 0.0, 0
    for step in range(steps):
        if step % 7 == 0:
            heading = np.random.uniform(-math.pi, math.pi)
            if step % 3 == 0:
                heading = math.pi / 2 * np.random.randint(4)
        kind = np.random.randint(8)
        far = 40.0 if kind == 0 else 10.0 ** np.random.uniform(-9.0, 1.0) if kind < 3 else 0.1
        dx, dy = far * math.cos(heading), far * math.sin(heading)
        move_circle(
            occupied, clear, discs, boxes, x, y, radius, dx, dy, mode, 0.2 * (step % 2), out
        )
        end_x, end_y = out[0], out[1]
        gone = math.sqrt((end_x - x) ** 2 + (end_y - y) ** 2)
        worst[0] = max(worst[0], radius - true_gap(occupied, discs, boxes, end_x, end_y, radius))
        worst[1] = max(worst[1], gone - far)
        worst[3] += out[2]
        worst[4] += gone
        still = 0 if gone > 1e-6 else still + 1
        worst[5] = max(worst[5], still)
        if mode == STOP:
            for i in range(1, 4):
                t = i / 4.0
                between = true_gap(
                    occupied, discs, boxes, x + t * (end_x - x), y + t * (end_y - y), radius
                )
                worst[6] = max(worst[6], radius - between)
            if gone > 1e-6:
                move_circle(
                    occupied,
                    clear,
                    discs,
                    boxes,
                    end_x,
                    end_y,
                    radius,
                    x - end_x,
                    y - end_y,
                    mode,
                    0.0,
                    out,
                )
                worst[2] = max(worst[2], (1.0 - out[7]) * gone)
        x, y = end_x, end_y
        if not (
            -5.0 < x < SIZE + 5.0 and -5.0 < y < SIZE + 5.0
        ):  # off the map: come back to where it began
            heading = math.atan2(SIZE / 2 - y, SIZE / 2 - x)


def random_map(seed):
    """Maps with single cells, posts, thin walls with doors, and rooms; moving shapes; all radii.

    The radius is from a third of a cell to four cells.
    """
    rng = np.random.default_rng(seed)
    occupied = rng.random((SIZE, SIZE)) < rng.choice([0.0, 0.01, 0.05])
    for _ in range(rng.integers(0, 5)):
        line = rng.integers(0, SIZE)
        door = rng.integers(0, SIZE - 12)
        wall = np.ones(SIZE, bool)
        wall[door : door + 12] = False
        if rng.random() < 0.5:
            occupied[line] |= wall
        else:
            occupied[:, line] |= wall
    if rng.random() < 0.7:
        occupied[[0, -1]] = occupied[:, [0, -1]] = True
    discs = np.column_stack([rng.uniform(0, SIZE, (2, 2)), rng.uniform(0.1, 3, 2)])[
        : rng.integers(3)
    ]
    boxes = np.column_stack(
        [rng.uniform(0, SIZE, (2, 2)), rng.uniform(0.1, 5, (2, 2)), rng.uniform(-4, 4, 2)]
    )
    radius = min(rng.uniform(0.3, 4.0), 1.0 if occupied.mean() > 0.1 else 4.0)
    if seed % 5 == 0:
        radius = round(radius) + 0.5 * (seed % 2)  # exact fits between walls
        radius = max(radius, 0.5)
    return occupied, discs, boxes[: rng.integers(3)], radius


def travel(mode):
    worst = np.zeros(7)
    for seed in range(MAPS):
        occupied, discs, boxes, radius = random_map(seed)
        wander(seed, occupied, clearance(occupied), discs, boxes, radius, mode, STEPS, worst)
    return worst


@pytest.mark.parametrize("mode", [STOP, SLIDE])
def test_a_million_steps_penetrate_nothing(mode):
    depth, gained, blocked, hits, gone, still, between = travel(mode)
    assert depth <= 1e-9 < MICROMETRE
    assert between <= 1e-9
    assert gained <= 2e-8
    assert blocked <= 1e-6, "a circle could not go back the way it came"
    assert still < {STOP: 2000, SLIDE: 150}[mode], (
        "a circle was held although it was turned in every direction"
    )
    assert hits > 0.1 * MAPS * STEPS
    assert gone > 0.05 * MAPS * STEPS


def test_passing_through_is_never_hindered():
    depth, gained, _, hits, gone, still, _ = travel(PASSTHROUGH)
    assert depth > 0.3
    assert gained <= 1e-9
    assert hits > 0.1 * MAPS * STEPS
    assert gone > MAPS * STEPS
    assert still < 20
