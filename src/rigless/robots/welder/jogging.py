"""Jogging by hand: one joint, or the tool centre point along its own axes or those of the base.

In the joint profile a straight line of the torch is a chain of joint jogs, which the controller
joins. In the Cartesian profile it is one jog. A jog without end stops where the arm's reach ends.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem
from rigless.motion.arm import rotation
from rigless.robots.welder.arm.tool_kinematics import ReachError, ToolKinematics, path_of
from rigless.robots.welder.gcode.modal import AXES

JOG_DEGPM = 1800.0  # [ours] full speed by hand: 30°/s
JOG_MMPM = 6000.0  # [ours] of the torch: 100 mm/s
GO_DEGPM = 600.0  # [ours] to a typed pose
LINES_MOST = 60  # jogs in a chain; the planner holds 100
FAR_MM, FAR_DEG = 600.0, 60.0  # length of a jog without end
FRAMES = ("base", "tool")


def joint_line(welder: Any, joints_deg: NDArray[np.float64], degpm: float) -> str:
    """Return the line that jogs to these joints, in the axis words of the profile."""
    tool = welder.controller.setup.tool
    values = joints_deg.tolist() if tool is None else tool.pose(joints_deg, welder.state.position)
    return _line(welder, values, degpm if tool is None else JOG_MMPM * degpm / JOG_DEGPM)


def torch_lines(welder: Any, frame: str, axis: int, by: float, speed: float) -> list[str]:
    """Return the lines that move the torch along, or about, an axis of a frame.

    `by` is in mm for the axes 0 to 2, else in degrees. Raises InputError if it cannot move.
    """
    kinematics = welder.controller.setup.tool or _kinematics(welder)
    joints = np.array(welder.controller.motion.joints_deg())
    begin = kinematics.pose(joints, [0.0] * AXES)
    limit = FAR_MM if axis < 3 else FAR_DEG
    end = _target(begin, frame, axis, math.copysign(min(abs(by), limit), by))
    rows = _reachable(kinematics, begin, end, joints)
    if not rows:
        what = f"the torch cannot move along this axis of the {frame} from here"
        raise InputError(Problem("jog", what, "jog a joint first: the arm is at a limit"))
    if welder.controller.setup.tool is not None:
        pose = kinematics.pose(rows[-1], welder.state.position)
        return [_line(welder, pose, JOG_MMPM * speed)]
    every = -(-len(rows) // LINES_MOST)
    corners = [*rows[every - 1 : -1 : every], rows[-1]]
    return [_line(welder, corner, JOG_DEGPM * speed) for corner in corners]


def _line(welder: Any, values: Iterable[float], feed: float) -> str:
    words = " ".join(
        f"{letter}{value:.4f}" for letter, value in zip(welder.config.letters, values, strict=True)
    )
    return f"$J=G53 G90 G21 {words} F{feed:.0f}"


def _kinematics(welder: Any) -> ToolKinematics:
    limits, tolerance_mm = welder.config.limits, welder.config.arc_tolerance
    return ToolKinematics(
        welder.arm, limits.low_deg, limits.high_deg, limits.max_degps, tolerance_mm
    )


def _target(begin: Sequence[float], frame: str, axis: int, by: float) -> list[float]:
    """Return the pose after a motion along (0 to 2) or about (3 to 5) an axis of a frame."""
    turned = rotation.from_rpy(*(float(value) for value in begin[3:]))
    place = np.array(begin[:3], float)
    if axis < 3:
        direction = turned[:, axis] if frame == "tool" else np.eye(3)[axis]
        return [*(place + by * direction).tolist(), *begin[3:]]
    angles = [0.0, 0.0, 0.0]
    angles[axis - 3] = by
    turn = rotation.from_rpy(*angles)
    after = turned @ turn if frame == "tool" else turn @ turned
    found = rotation.to_rpy(np.ascontiguousarray(after), np.array(begin[3:], float))
    return [*place.tolist(), *found.tolist()]


def _reachable(
    kinematics: ToolKinematics,
    begin: Sequence[float],
    end: Sequence[float],
    joints: NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    """Return the joints along a straight line, as far as the arm reaches."""
    rows: list[NDArray[np.float64]] = []
    path = path_of(("line", False, 0.0, *end), begin)
    try:
        rows.extend(row.copy() for row, _ in kinematics.segments(path, joints))
    except ReachError:
        return rows  # the part before it
    return rows
