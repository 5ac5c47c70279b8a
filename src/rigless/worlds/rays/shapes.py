"""Rays against discs and boxes that are not in the map, in cell units as in `raycast`."""

import math

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos

Floats = NDArray[np.float64]


@compiled
def cast_shapes(discs: Floats, boxes: Floats, x: float, y: float, dx: float, dy: float) -> float:
    """Return the distance along a ray to the nearest disc or box; 0 inside one.

    Discs are rows (x, y, r), boxes rows (x, y, half_x, half_y, theta).
    """
    nearest = np.inf
    for i in range(discs.shape[0]):
        px, py, r = x - discs[i, 0], y - discs[i, 1], discs[i, 2]
        along, apart = px * dx + py * dy, px * px + py * py - r * r
        if apart <= 0:
            return 0.0
        root = along * along - apart
        if root >= 0 and along < 0:
            nearest = min(nearest, -along - math.sqrt(root))
    for i in range(boxes.shape[0]):
        s, c = sin_cos(boxes[i, 4])
        px, py = x - boxes[i, 0], y - boxes[i, 1]
        low, high = 0.0, nearest
        for axis in range(2):
            p = c * px + s * py if axis == 0 else c * py - s * px
            d = c * dx + s * dy if axis == 0 else c * dy - s * dx
            half = boxes[i, 2 + axis]
            if abs(d) < 1e-15:
                if abs(p) > half:
                    high = -1.0
            else:
                one, two = (-half - p) / d, (half - p) / d
                low, high = max(low, min(one, two)), min(high, max(one, two))
        if low <= high:
            nearest = low
    return nearest
