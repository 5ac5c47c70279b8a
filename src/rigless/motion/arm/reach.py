"""Reachability of tool poses: solutions, joint limits, collisions, and the reason of a failure.

Solutions are those of inverse.py, all branches, each joint also shifted by whole turns within its
limits. Of the solutions within limits and free of collisions, the one furthest
from its limits is chosen (or nearest to given joints). Poses are 4×4, metres; joints are radians.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.arm import inverse
from rigless.motion.arm.collision import Collider, Contact
from rigless.motion.arm.kinematics import Mechanism
from rigless.motion.arm.singularity import jacobian, smallest_singular_value
from rigless.worlds import frames
from rigless.worlds.frames import Matrix

Floats = NDArray[np.float64]
JOINTS = tuple(f"joint {n}" for n in range(1, 7))
TURNS = 3  # a joint's angle, and one turn less and more
OUT_OF_REACH = "out of reach: no joint angles bring the tool there"


@dataclass(frozen=True)
class Reached:
    """The reachability of one pose.

    `joints_rad` is the best solution, even if it is not good enough. `singular` is the smallest
    singular value of the tool's Jacobian there. `limit_margin_rad` is the smallest distance of a
    joint from its limits (negative: beyond a limit).
    """

    reachable: bool
    has_solution: bool
    within_limits: bool
    collision_free: bool
    joints_rad: tuple[float, ...] | None = None
    failure_reason: str = ""
    singular: float = 0.0
    limit_margin_rad: float = -np.inf
    solutions: int = 0
    contact: Contact | None = None


class Reach:
    """Reachability checks of an arm.

    `arm` is the arm's geometry, `tool` the tool in the flange's frame. Poses are given in `work`, a
    frame in the base frame. `names` are the names of the joints in reasons.
    """

    def __init__(
        self,
        arm: Mechanism,
        low_rad: Floats,
        high_rad: Floats,
        collider: Collider | None = None,
        tool: Matrix | None = None,
        work: Matrix | None = None,
        names: Sequence[str] = JOINTS,
    ):
        self.arm, self.low_rad, self.high_rad, self.collider = arm, low_rad, high_rad, collider
        self.tool = np.eye(4) if tool is None else tool
        self.work = np.eye(4) if work is None else work
        self.names = names
        self._tool_m = np.ascontiguousarray(self.tool[:3, 3])
        self._tool_back = frames.inverse(self.tool)

    def pose(self, pose: ArrayLike, near_rad: ArrayLike | None = None) -> Reached:
        """Return the reachability of a pose."""
        goal = np.asarray(pose, float)
        if goal.shape != (4, 4) or not np.isfinite(goal).all():
            raise ValueError("a pose is a 4×4 matrix of finite numbers")
        found, margins, count = ranked(
            self.arm,
            np.ascontiguousarray(self.work @ goal @ self._tool_back),
            self.low_rad,
            self.high_rad,
        )
        if not count:
            return Reached(False, False, False, False, failure_reason=OUT_OF_REACH)
        fitting = int((margins[:count] >= 0).sum())
        if not fitting:
            return self._answer(found[0], float(margins[0]), count, self._beyond(found[0]), None)
        order = range(fitting)
        if near_rad is not None:
            order = np.argsort(
                np.abs(found[:fitting] - np.asarray(near_rad, float)).max(axis=1), kind="stable"
            ).tolist()
        for n in order:
            if self.collider is None or self.collider.free(found[n]):
                return self._answer(found[n], float(margins[n]), count, "", None)
        best = next(iter(order))
        contact = self.collider.check(found[best]) if self.collider is not None else None
        reason = f"{contact.link} collides with {contact.other}" if contact is not None else ""
        return self._answer(found[best], float(margins[best]), count, reason, contact)

    def program(self, poses: Iterable[ArrayLike]) -> list[Reached]:
        """Return the reachability of all poses, each solution nearest to the previous one."""
        found: list[Reached] = []
        near: tuple[float, ...] | None = None
        for pose in poses:
            found.append(self.pose(pose, near))
            near = found[-1].joints_rad if found[-1].reachable else near
        return found

    def singular(self, joints_rad: ArrayLike) -> float:
        """Return the smallest singular value of the tool's Jacobian."""
        return float(
            smallest_singular_value(
                jacobian(self.arm.links, np.asarray(joints_rad, float), self._tool_m)
            )
        )

    def _answer(
        self, joints: Floats, margin: float, count: int, reason: str, contact: Contact | None
    ) -> Reached:
        within = margin >= 0
        return Reached(
            within and not reason,
            True,
            within,
            within and not reason,
            tuple(joints.tolist()),
            reason,
            self.singular(joints),
            margin,
            count,
            contact,
        )

    def _beyond(self, joints: Floats) -> str:
        """Return which joints of a solution are beyond their limits, as text."""
        texts = []
        rows = np.degrees(np.array([joints, self.low_rad, self.high_rad])).T.tolist()
        for name, (at, low, high) in zip(self.names, rows, strict=True):
            if not low <= at <= high:
                texts.append(f"{name} would be at {at:.1f}°, outside {low:g} to {high:g}°")
        return "beyond limits: " + ", ".join(texts)


@compiled
def ranked(arm: Mechanism, goal: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, int]:
    """Return all solutions, the one with the largest limit margin first, their margins and number.

    Each joint is shifted by whole turns to its largest margin.
    """
    found, count = inverse.solve(arm, goal)
    margins = np.empty(count)
    for n in range(count):
        margins[n] = np.inf
        for joint in range(6):
            angle = found[n, joint]
            best, room = angle, -np.inf
            for turn in range(-1, TURNS - 1):
                at = angle + turn * 2.0 * np.pi
                here = min(at - low[joint], high[joint] - at)
                if here > room:
                    best, room = at, here
            found[n, joint] = best
            margins[n] = min(margins[n], room)
    order = np.argsort(-margins, kind="mergesort")
    return found[:count][order], margins[order], count
