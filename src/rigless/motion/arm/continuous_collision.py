"""Continuous collision checking along a motion, by conservative advancement for each pair.

A motion is straight in joint space from row to row of a path. If a pair of solids is d apart and
its margin is m, the pair cannot touch before the joints have moved so far that its bound on the
approach (Collider.speed_bounds) reaches d − m. Until then the pair is skipped. Then its distance is
determined again: first the lower bound of the broad phase and, if that is small, the exact distance
by coal. A pair is in contact if d ≤ m + TOUCH_M. The check therefore comes before d = m is passed,
however thin or fast a solid is, and each check gains at least TOUCH_M minus the uncertainty of
distances.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from rigless.kernel.compiled import compiled
from rigless.motion.arm.broad_phase import Floats, Ints, box_frames, distance_bounds
from rigless.motion.arm.collision import TOUCH_M, Collider, Contact

UNSURE_M = 1e-5  # uncertainty of a distance: GJK's tolerance, and its observed variation
AGAIN_M = 1e-3  # a pair in contact is checked again after this motion, or after its depth
NEAR_M = 0.02  # above this distance, a mesh's hull is used instead of the mesh


class MotionChecker:
    """Checks the motion of an arm from `start` on.

    Its memory is only a cache: a new checker finds the same contacts, up to TOUCH_M, but reports
    lasting contacts again.
    """

    def __init__(self, collider: Collider):
        self.collider = collider
        self.bounds = collider.speed_bounds
        self.margins_m = np.array(collider.margins_m)
        self.left_m = np.zeros(
            len(collider.pairs)
        )  # how much closer each pair may come without a check
        self.numbers = np.array(collider.pairs, np.int64).reshape(-1, 2)
        self.touching: dict[int, tuple[str, ...]] = {}  # pairs of solids, with their bodies' names
        self.at = np.zeros(6)
        self.looks = 0  # exact checks so far

    def start(self, joints_rad: ArrayLike) -> list[Contact]:
        """Begin at these joints; return the contacts that exist there."""
        self.at = np.array(joints_rad, float)
        self.touching.clear()
        self.collider.place(self.at)
        least = self.collider.distance_bounds_m(self.at).tolist()
        found = [
            self._look(pair, 0.0)
            if least_m < NEAR_M + self.margins_m[pair]
            else self._judge(pair, least_m, 0.0)
            for pair, least_m in enumerate(least)
        ]
        return [contact for contact in found if contact is not None]

    def _look(self, pair: int, at: float) -> Contact | None:
        """Determine the exact distance of a pair."""
        self.looks += 1
        return self._judge(
            pair, self.collider.distance_m(pair, float(self.margins_m[pair]) + NEAR_M), at
        )

    def move_through(self, *path_rad: ArrayLike) -> Iterator[Contact]:
        """Move straight to each of these joints in turn; yield the contacts that begin on the way.

        `at` of a contact counts from the start: 1.25 is a quarter of the way from the first row to
        the second.
        """
        path = np.ascontiguousarray([self.at, *path_rad], float)
        due = np.zeros(len(self.left_m), np.int64)
        b, row, share = self.collider.boxes, 0, 0.0
        while row < len(path) - 1:
            row, share, count = advance(
                path, row, share, self.bounds, self.left_m, self.margins_m, due, self.numbers,
                b.origins, b.axes, b.joints, b.frames, b.halves_m, b.radii_m,
            )  # fmt: skip
            if not count:
                break
            self.at = path[row] + share * (path[row + 1] - path[row])
            self.collider.place(self.at)
            for pair in due[:count].tolist():
                contact = self._look(pair, row + share)
                if contact is not None:
                    yield contact
        self.at = path[-1].copy()

    def _judge(self, pair: int, apart_m: float, at: float) -> Contact | None:
        """Update a pair from its distance; return its contact if that is new."""
        gap_m = apart_m - float(self.margins_m[pair])
        if gap_m > TOUCH_M:
            self.left_m[pair] = gap_m - UNSURE_M
            self.touching.pop(pair, None)
            return None
        self.left_m[pair] = max(AGAIN_M, -apart_m)
        bodies = tuple(self.collider.bodies[body].name for body in self.collider.pairs[pair])
        known = bodies in self.touching.values()
        self.touching[pair] = bodies
        return None if known else self.collider.contact(pair, at)


def first_contact(collider: Collider, begin_rad: ArrayLike, end_rad: ArrayLike) -> Contact | None:
    """Return the first contact of a straight joint move; `at` is the share of the way."""
    checker = MotionChecker(collider)
    return next(iter(checker.start(begin_rad)), None) or next(checker.move_through(end_rad), None)


def contacts_along(collider: Collider, path_rad: ArrayLike) -> list[Contact]:
    """Return all contacts that begin along a path, in order.

    The path is rows of joints, straight between them.
    """
    path = np.asarray(path_rad, float)
    checker = MotionChecker(collider)
    return [*checker.start(path[0]), *checker.move_through(*path[1:])]


@compiled
def advance(
    path: Floats,
    row: int,
    share: float,
    bounds: Floats,
    left: Floats,
    margins: Floats,
    due: Ints,
    pairs: Ints,
    origins: Floats,
    axes: Floats,
    carriers: Ints,
    frames: Floats,
    halves: Floats,
    radii: Floats,
) -> tuple[int, float, int]:
    """Advance until a pair needs an exact check.

    Return the row, the share of the way to the next row, and the number of such pairs (in `due`); 0
    pairs at the end of the path.
    """
    speeds, least = np.empty(left.shape[0]), np.empty(left.shape[0])
    begun = -1
    while row < path.shape[0] - 1:
        if begun != row:
            for n in range(left.shape[0]):
                speeds[n] = 0.0
                for joint in range(6):
                    speeds[n] += bounds[n, joint] * abs(path[row + 1, joint] - path[row, joint])
            begun = row
        way, stopped = 1.0 - share, False
        for n in range(left.shape[0]):
            if speeds[n] * way > left[n]:
                way, stopped = max(left[n], 0.0) / speeds[n], True
        for n in range(left.shape[0]):
            left[n] -= speeds[n] * way
        share += way
        if stopped:
            distance_bounds(
                box_frames(
                    origins, axes, path[row] + share * (path[row + 1] - path[row]), carriers, frames
                ),
                halves,
                radii,
                pairs,
                least,
            )
            count = 0
            for n in range(left.shape[0]):
                if least[n] - margins[n] > NEAR_M:
                    left[n] = max(left[n], least[n] - margins[n])
                elif left[n] <= 1e-12:
                    due[count] = n
                    count += 1
            if count:
                return row, share, count
        else:
            row, share = row + 1, 0.0
    return row, 0.0, 0
