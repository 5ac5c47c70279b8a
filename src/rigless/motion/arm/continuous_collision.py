"""Collisions along a motion, none stepped over: each pair of solids has a way it may still go, and is looked at when that is used up.

A motion is straight in joint space from row to row of a path. A pair that is d apart, and may be m near, cannot touch before the joints
have moved so far that the pair's bound on how much closer it can have come (Collider.speed_bounds) reaches d − m. Until then it is left
alone; then its distance is found again (conservative advancement, per pair): at first only what it is at least, by boxes and spheres, and
when that is little, by coal. A pair is in contact when d ≤ m + TOUCH_M; so a look
comes before d = m is passed, however thin or fast something is, and each look gains at least TOUCH_M less what distances are uncertain by.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from rigless.kernel.compiled import compiled
from rigless.motion.arm.broad_phase import Floats, Ints, box_frames, distance_bounds
from rigless.motion.arm.collision import TOUCH_M, Collider, Contact

UNSURE_M = 1e-5  # of a distance: what GJK stops at, and as much for what it was seen to differ by
AGAIN_M = 1e-3  # a pair in contact is looked at again when it can have moved so much, or as much as it is deep
NEAR_M = 0.02  # further away than this, a mesh's hull is as good as the mesh


class MotionChecker:
    """Follows an arm from `start` on; `go` gives the contacts that begin on the way. What it remembers is a cache: a checker that starts
    anew finds the same contacts, up to TOUCH_M, except that contacts which last are then told again."""

    def __init__(self, collider: Collider):
        self.collider = collider
        self.bounds = collider.speed_bounds
        self.margins_m = np.array(collider.margins_m)
        self.left_m = np.zeros(len(collider.pairs))  # how much closer each pair may come unseen
        self.numbers = np.array(collider.pairs, np.int64).reshape(-1, 2)
        self.touching: dict[int, tuple[str, ...]] = {}  # pairs of solids, with their bodies' names
        self.at = np.zeros(6)
        self.looks = 0  # pairs looked at so far

    def start(self, joints_rad: ArrayLike) -> list[Contact]:
        """Begin here; what touches already is told."""
        self.at = np.array(joints_rad, float)
        self.touching.clear()
        self.collider.place(self.at)
        least = self.collider.distance_bounds_m(self.at).tolist()
        found = [self._look(pair, 0.0) if least_m < NEAR_M + self.margins_m[pair] else self._judge(pair, least_m, 0.0)
                 for pair, least_m in enumerate(least)]  # fmt: skip
        return [contact for contact in found if contact is not None]

    def _look(self, pair: int, at: float) -> Contact | None:
        self.looks += 1
        return self._judge(
            pair, self.collider.distance_m(pair, float(self.margins_m[pair]) + NEAR_M), at
        )

    def move_through(self, *path_rad: ArrayLike) -> Iterator[Contact]:
        """Go straight to each of these joints in turn. `at` counts from where the arm was: 1.25 is a quarter on from the first row."""
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
    """The first contact of a straight joint move; its `at` is the share of the way."""
    checker = MotionChecker(collider)
    return next(iter(checker.start(begin_rad)), None) or next(checker.move_through(end_rad), None)


def contacts_along(collider: Collider, path_rad: ArrayLike) -> list[Contact]:
    """All contacts that begin along a path (rows of joints, straight between them), in order."""
    path = np.asarray(path_rad, float)
    checker = MotionChecker(collider)
    return [*checker.start(path[0]), *checker.move_through(*path[1:])]


@compiled
def advance(
    path: Floats, row: int, share: float, bounds: Floats, left: Floats, margins: Floats, due: Ints, pairs: Ints,
    origins: Floats, axes: Floats, carriers: Ints, frames: Floats, halves: Floats, radii: Floats,
) -> tuple[int, float, int]:  # fmt: skip
    """Go on until a pair must be looked at closely: the row and share of it where that is, and how many; none at the path's end."""
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
