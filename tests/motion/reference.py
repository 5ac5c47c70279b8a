"""Simple, slow references for the contact functions.

Distances follow their definition. The time of a contact is found by bisection: the distance to a
convex shape along a line has one minimum.
"""

import math

import numpy as np

NO_DISCS, NO_BOXES = np.empty((0, 3)), np.empty((0, 5))


def box_distance(x, y, box_x, box_y, half_x, half_y, theta=0.0):
    qx, qy = x - box_x, y - box_y
    ahead = abs(math.cos(theta) * qx + math.sin(theta) * qy) - half_x
    aside = abs(-math.sin(theta) * qx + math.cos(theta) * qy) - half_y
    return math.hypot(max(ahead, 0.0), max(aside, 0.0))


def shapes(occupied, discs=(), boxes=()):
    """Return every obstacle as a function from a point to its distance."""
    found = [
        lambda x, y, r=r, c=c: box_distance(x, y, c + 0.5, r + 0.5, 0.5, 0.5)
        for r, c in np.argwhere(occupied)
    ]
    found += [lambda x, y, d=d: math.hypot(x - d[0], y - d[1]) - d[2] for d in discs]
    return found + [lambda x, y, b=b: box_distance(x, y, *b) for b in boxes]


def distance(obstacles, x, y):
    return min((shape(x, y) for shape in obstacles), default=math.inf)


def time_of_impact(obstacles, x, y, radius, dx, dy):
    """Return when a circle that starts clear first touches an obstacle; inf for never."""
    return min((_impact(shape, x, y, radius, dx, dy) for shape in obstacles), default=math.inf)


def _impact(shape, x, y, radius, dx, dy):
    def apart(t):
        return shape(x + t * dx, y + t * dy) - radius

    low, high = 0.0, 1.0
    for _ in range(100):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if apart(a) <= apart(b) else (a, high)
    valley = 0.5 * (low + high)
    if apart(valley) >= 0.0:
        return math.inf
    before, after = 0.0, valley
    for _ in range(80):
        middle = 0.5 * (before + after)
        before, after = (middle, after) if apart(middle) > 0.0 else (before, middle)
    return before


def scattered(seed, size=16, density=0.12):
    return np.random.default_rng(seed).random((size, size)) < density


def free_place(obstacles, rng, radius, size=16):
    for _ in range(200):
        x, y = rng.uniform(-2, size + 2, 2)
        if distance(obstacles, x, y) > radius + 1e-3:
            return x, y
    return None
