"""The Pacbot's time-of-flight sensors: exact rays from the rim outward, and their readings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos
from rigless.robots.pacbot.body import OCOS, OSIN, OX, OY, RADIUS, RES, THETA, X, Y
from rigless.sensors.noise import block, normal, uniform
from rigless.worlds.raycast import cast_ray
from rigless.worlds.rays.shapes import cast_shapes

Array = NDArray[np.float64]

# SETUP
MIN_RANGE, MAX_RANGE, STD, LIMIT, DROPOUT, CONE = range(6)
SETUP_SIZE = 6

CONE_RAYS = 9  # across a field of view
FARTHEST_M = 1000.0  # the largest true range


@compiled
def measure(
    body: Array, const: Array, setup: Array, bearings: Array, squares: Any, discs: Array,
    boxes: Array, key: Any, number: int, readings: Array, rays: Array,
) -> None:  # fmt: skip
    """Fill `readings` of the sensors at these bearings (from the right, counter-clockwise).

    `rays` gets the true rays: x, y to x, y, and the range.
    """
    cos, sin, res = const[OCOS], const[OSIN], const[RES]
    for k in range(bearings.shape[0]):
        look = body[THETA] + bearings[k]
        s, c = sin_cos(look)
        x, y = body[X] + const[RADIUS] * c, body[Y] + const[RADIUS] * s
        from_x, from_y = (x - const[OX]) / res, (y - const[OY]) / res
        cell_x, cell_y = cos * from_x + sin * from_y, cos * from_y - sin * from_x
        nearest, to_c, to_s = FARTHEST_M / res, c, s
        for ray in range(CONE_RAYS if setup[CONE] > 0.0 else 1):
            aside = setup[CONE] * (ray / (CONE_RAYS - 1) - 0.5) if setup[CONE] > 0.0 else 0.0
            dy, dx = sin_cos(look + aside)
            cell_dx, cell_dy = cos * dx + sin * dy, cos * dy - sin * dx
            far = cast_ray(squares, cell_x, cell_y, cell_dx, cell_dy, nearest)[0]
            far = min(far, cast_shapes(discs, boxes, cell_x, cell_y, cell_dx, cell_dy))
            if far < nearest:
                nearest, to_c, to_s = far, dx, dy
        true = nearest * res
        rays[k, 0], rays[k, 1], rays[k, 2], rays[k, 3], rays[k, 4] = (
            x,
            y,
            x + true * to_c,
            y + true * to_s,
            true,
        )
        words = block(key, number, k)
        error = setup[STD] * normal(words[0])
        if setup[LIMIT] > 0.0:
            error = min(max(error, -setup[LIMIT]), setup[LIMIT])
        lost = uniform(words[1]) < setup[DROPOUT] or true > setup[MAX_RANGE]
        readings[k] = (
            setup[MAX_RANGE] if lost else min(max(true + error, setup[MIN_RANGE]), setup[MAX_RANGE])
        )
