"""Kinematics of the tool centre point: its pose, inverse kinematics, and paths as joint segments.

A pose is six numbers, like the axis words of the Cartesian profile: X Y Z of the tool centre point
in the base frame in mm, and its orientation A B C in degrees, the rotation Rz(C)·Ry(B)·Rx(A). The
torch points along the z axis of its frame.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.motion.arm import path_segments, rotation
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.gcode.modal import AXES, Step

FARTHEST_MM = 3000.0  # beyond the reach of the arm
MARGIN_MM = 0.5  # distance that a jog keeps from the end of the reach
BATCH = 1000  # segments cut at a time; a shorter path is checked as a whole before it runs


class ReachError(Exception):
    """A pose that cannot be reached, and why."""

    def __init__(self, pose: Sequence[float], why: str):
        self.pose = tuple(float(value) for value in pose)
        place = " ".join(
            f"{letter}{value + 0.0:.3f}" for letter, value in zip("XYZABC", self.pose, strict=True)
        )
        super().__init__(f"{place}: {why}")


class ToolKinematics:
    def __init__(
        self, arm: Arm, low: ArrayLike, high: ArrayLike, rates: ArrayLike, tolerance_mm: float
    ):
        self.geometry, self.tool = arm.geometry, np.ascontiguousarray(arm.flange_T_torch)
        self.untool = np.linalg.inv(self.tool).astype(np.float64)
        self.limits = np.array([np.asarray(row, float) for row in (low, high, rates)])
        self.tolerance_mm = tolerance_mm
        self.names = arm.names

    def warm_up(self) -> None:
        """Have numba compile the functions of moves."""
        begin = self.pose([0.0] * AXES, [0.0] * AXES)
        path = path_of(("line", False, 0.0, begin[0] - 1.0, *begin[1:]), begin)
        path_of(("arc", 0.0, 0, 1, 1.0, 0.0, 1.0, 0, 0, *begin, *begin), begin)
        with suppress(ReachError):
            self.cut(path, 0.0, 0.0, [0.0] * AXES)
        self.speed(np.zeros((2, AXES)))

    def pose(
        self, joints_deg: Sequence[float] | NDArray[np.float64], known: Sequence[float]
    ) -> list[float]:
        """Return the pose at these joints, with the angles nearest to those of a known pose."""
        frame = self._frame(np.array(joints_deg, float))
        angles = rotation.to_rpy(frame[:3, :3].copy(), np.array(known[3:], float))
        return [*frame[:3, 3].tolist(), *angles.tolist()]

    def speed(self, rows: NDArray[np.float64]) -> float:
        """Return the speed of the tool centre point in mm/s, from rows of joints."""
        after, now = self._frame(rows[0] + 1e-6 * rows[1]), self._frame(rows[0])
        return float(np.linalg.norm(after[:3, 3] - now[:3, 3])) * 1e6

    def _frame(self, joints_deg: NDArray[np.float64]) -> NDArray[np.float64]:
        return path_segments.tool_frame(self.geometry.links, self.tool, joints_deg)

    def joints(self, pose: Sequence[float], before: Sequence[float]) -> list[float]:
        """Return the joints of a pose that are reached soonest from `before`. Raises ReachError."""
        goal, found = np.eye(4), np.empty(AXES)
        goal[:3, 3] = pose[:3]
        goal[:3, :3] = rotation.from_rpy(float(pose[3]), float(pose[4]), float(pose[5]))
        status, joint, angle = path_segments.joints_near(
            self.geometry, self.untool, goal, np.array(before, float), self.limits, True, found
        )
        if status != path_segments.OK:
            raise ReachError(pose, self._why(status, joint, angle))
        return [float(value) for value in found]

    def cut(
        self, path: Sequence[float], share: float, guess: float, before: Any
    ) -> tuple[NDArray[np.float64], float]:
        """Cut the next segments of a path. Raises ReachError.

        Return rows of six joints and the share of the path at their end, and a guess of the share
        of the next segment.
        """
        curve, rows = np.array(path), np.empty((BATCH, AXES + 1))
        count, guess, status, joint, angle = path_segments.cut_path(
            curve, share, guess, np.array(before, float), self.geometry, self.tool, self.untool,
            self.limits,
            self.tolerance_mm, rows,
        )  # fmt: skip
        if status != path_segments.OK:
            frame = path_segments.frame_at(curve, rows[count - 1, AXES] if count else share)
            pose = [*frame[:3, 3], *rotation.to_rpy(frame[:3, :3].copy(), np.zeros(3))]
            raise ReachError(pose, self._why(status, joint, angle))
        return rows[:count].copy(), float(guess)

    def segments(
        self, path: Sequence[float], before: Any
    ) -> Iterator[tuple[NDArray[np.float64], float]]:
        """Yield the joints at the end of each segment of a path, and its scale.

        Raises ReachError.
        """
        share, guess = 0.0, 0.0
        while share < 1.0 and span(path) > 0.0:
            rows, guess = self.cut(path, share, guess, before)
            for row in rows:
                ratio = scale(path, share, before, row)
                before, share = row[:AXES], float(row[AXES])
                yield before, ratio

    def farthest(
        self, pose: Sequence[float], axis: int, up: bool, before: Sequence[float]
    ) -> float:
        """Return the farthest value of one axis on a straight line from a pose.

        Angles go up to 90°.
        """
        end, sign = list(pose), 1.0 if up else -1.0
        end[axis] += sign * (FARTHEST_MM if axis < 3 else 90.0)
        try:
            for _ in self.segments(path_of(("line", False, 0.0, *end), pose), before):
                continue
        except ReachError as error:
            way = max(0.0, sign * (error.pose[axis] - pose[axis]) - MARGIN_MM) if axis < 3 else 0.0
            return pose[axis] + sign * way
        return end[axis]

    def _why(self, status: int, joint: int, angle: float) -> str:
        if status == path_segments.OUT_OF_REACH:
            return "the arm does not reach farther"
        if status == path_segments.JUMP:
            return "the arm would have to jump to another configuration"
        low, high = self.limits[:2, joint]
        name = self.names[joint]
        return f"{name} would be at {angle:.1f}°, and goes from {low:g}° to {high:g}°"


def path_of(step: Step, begin: Sequence[float]) -> tuple[float, ...]:
    """Return the path of a line, jog, probe or arc step."""
    if step[0] == "arc":
        _, _, first, second, i, j, angle, _, _, *poses = step
        start, end = (np.array(values, float) for values in (poses[:AXES], poses[AXES:]))
        return tuple(
            path_segments.arc(
                start, end, int(first), int(second), float(i), float(j), float(angle)
            ).tolist()
        )
    return tuple(path_segments.line(np.array(begin, float), np.array(step[3:], float)).tolist())


def span(path: Sequence[float]) -> float:
    """Return the length that F counts: mm, or degrees of a pure rotation; 0 without motion."""
    if path[path_segments.LENGTH_MM] > 1e-6:
        return path[path_segments.LENGTH_MM]
    return path[path_segments.TURN_DEG] if path[path_segments.TURN_DEG] > 1e-6 else 0.0


def scale(path: Sequence[float], share: float, before: Any, chord: NDArray[np.float64]) -> float:
    """Return degrees of joint motion per unit of the path, on a segment."""
    return math.dist(before, chord[:AXES]) / ((float(chord[AXES]) - share) * span(path))
