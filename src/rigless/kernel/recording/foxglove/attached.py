"""Parts of a view that ride on the robot.

A body that does not move in the frame of the robot is sent once, in that frame, and the transform
moves it. A viewer can then interpolate between two transforms. A part that was found to move is
drawn in the world from then on.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigless.kernel import drawing as d

NEAR_M = 1.5  # of a part that may ride, from the robot
SAME_M, SAME_RAD = 0.002, 0.005

Rows = NDArray[np.float64]
Place = tuple[Sequence[float], Sequence[float]]  # position and quaternion of the robot


class Attached:
    """Finds the parts that ride on one robot."""

    def __init__(self) -> None:
        self._rows: dict[str, Rows | None] = {}  # in the robot's frame; None: the part moves

    def split(self, part: d.Part, rows: Rows, robot: Place) -> tuple[bool, Rows]:
        """Return whether a part rides, and its rows in the frame of the robot or of the world."""
        if not isinstance(part, d.Disc | d.Polygon) or not len(rows):
            return False, rows
        local = _local(rows, robot)
        known = self._rows.setdefault(part.name, _first(local))
        if known is None:
            return False, rows
        if known.shape != local.shape or not _same(known, local):
            self._rows[part.name] = None
            return False, rows
        return True, np.column_stack((known[:, :3], local[:, 3]))


def _local(rows: Rows, robot: Place) -> Rows:
    (x, y, _), (_, _, qz, qw) = robot
    theta = 2 * math.atan2(qz, qw)
    c, s = math.cos(theta), math.sin(theta)
    dx, dy = rows[:, 0] - x, rows[:, 1] - y
    turn = (rows[:, 2] - theta + math.pi) % (2 * math.pi) - math.pi
    return np.column_stack((c * dx + s * dy, c * dy - s * dx, turn, rows[:, 3]))


def _first(local: Rows) -> Rows | None:
    return local if float(np.abs(local[:, :2]).max()) <= NEAR_M else None


def _same(known: Rows, local: Rows) -> bool:
    moved = np.abs(known[:, :2] - local[:, :2]).max()
    turned = np.abs((known[:, 2] - local[:, 2] + math.pi) % (2 * math.pi) - math.pi).max()
    return bool(moved <= SAME_M and turned <= SAME_RAD)
