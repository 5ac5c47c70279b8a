"""Bodies on the floor: discs and boxes at a pose, and their overlap."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.elementary import sin_cos

TOUCHING_M = 1e-9  # bodies that overlap by less only touch


@dataclass(frozen=True)
class Body:
    """A disc (`radius_m`) or a box (`size_m`: length and width) at a pose."""

    x: float
    y: float
    theta: float = 0.0
    radius_m: float = 0.0
    size_m: tuple[float, float] | None = None

    @property
    def half_m(self) -> tuple[float, float]:
        """Half of the length and of the width."""
        return (
            (0.5 * self.size_m[0], 0.5 * self.size_m[1])
            if self.size_m
            else (self.radius_m, self.radius_m)
        )

    @property
    def inner_m(self) -> float:
        """The radius of the largest disc inside it."""
        return min(self.half_m)

    @property
    def outer_m(self) -> float:
        """The radius of the smallest disc around it."""
        return math.hypot(*self.half_m) if self.size_m else self.radius_m

    def at(self, x: float, y: float) -> "Body":
        """Return the body at another place."""
        return replace(self, x=x, y=y)

    def grown(self, margin_m: float) -> "Body":
        """Return the body with a margin around it."""
        size = self.size_m and (self.size_m[0] + 2 * margin_m, self.size_m[1] + 2 * margin_m)
        return replace(self, radius_m=self.radius_m + margin_m, size_m=size)

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The corners of a box, counter-clockwise."""
        (sin, cos), (half_x, half_y) = sin_cos(self.theta), self.half_m
        return [
            (self.x + cos * ahead - sin * aside, self.y + sin * ahead + cos * aside)
            for ahead, aside in (
                (half_x, half_y), (-half_x, half_y), (-half_x, -half_y), (half_x, -half_y)
            )
        ]  # fmt: skip

    def distance_m(self, other: "Body") -> float:
        """Return the distance between the outlines of two bodies; 0 if they overlap or touch."""
        if self.overlaps(other):
            return 0.0
        if self.size_m and other.size_m:
            # The nearest points of two convex shapes include a corner of one of them.
            gaps = [_gap_m(self, x, y) for x, y in other.corners]
            return min(gaps + [_gap_m(other, x, y) for x, y in self.corners])
        box, disc = (self, other) if self.size_m else (other, self)
        return max(_gap_m(box, disc.x, disc.y) - disc.radius_m, 0.0)

    def overlaps(self, other: "Body") -> bool:
        """Return True if the two bodies have more in common than their outlines."""
        dx, dy = other.x - self.x, other.y - self.y
        if not math.hypot(dx, dy) < self.outer_m + other.outer_m - TOUCHING_M:
            return False
        if self.size_m and other.size_m:
            return _boxes_overlap(self, other)
        box, disc = (self, other) if self.size_m else (other, self)
        if not box.size_m:
            return True
        ahead, aside = _seen_from(box, disc.x, disc.y)
        outside_x = max(abs(ahead) - box.half_m[0], 0.0)
        outside_y = max(abs(aside) - box.half_m[1], 0.0)
        return math.hypot(outside_x, outside_y) < disc.radius_m - TOUCHING_M


def may_be_clear(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    body: Body,
    others: Sequence[Body],
    slack_m: float,
) -> NDArray[np.bool_]:
    """Return False for each place where a body certainly overlaps one of the others.

    Places are exact to `slack_m`. It is quicker than `Body.overlaps` for many places.
    """
    clear = np.ones(len(x), bool)
    for other in others:
        near_m = max(body.inner_m + other.inner_m - slack_m, 0.0)
        clear &= (x - other.x) ** 2 + (y - other.y) ** 2 >= near_m**2
    return clear


def _seen_from(body: Body, x: float, y: float) -> tuple[float, float]:
    """Return a point in the frame of a body."""
    (sin, cos), dx, dy = sin_cos(body.theta), x - body.x, y - body.y
    return cos * dx + sin * dy, cos * dy - sin * dx


def _gap_m(body: Body, x: float, y: float) -> float:
    """Return the distance of a point from a body; 0 inside it."""
    if not body.size_m:
        return max(math.hypot(x - body.x, y - body.y) - body.radius_m, 0.0)
    ahead, aside = _seen_from(body, x, y)
    return math.hypot(max(abs(ahead) - body.half_m[0], 0.0), max(abs(aside) - body.half_m[1], 0.0))


def _boxes_overlap(one: Body, two: Body) -> bool:
    """Return False if an axis of one of the boxes separates them."""
    turn = two.theta - one.theta
    sin, cos = map(abs, sin_cos(turn))
    for a, b in ((one, two), (two, one)):
        ahead, aside = _seen_from(a, b.x, b.y)
        reach_x, reach_y = (
            b.half_m[0] * cos + b.half_m[1] * sin,
            b.half_m[0] * sin + b.half_m[1] * cos,
        )
        if not abs(ahead) < a.half_m[0] + reach_x - TOUCHING_M:
            return False
        if not abs(aside) < a.half_m[1] + reach_y - TOUCHING_M:
            return False
    return True
