"""The DH table of an arm from its URDF, for the closed form in kinematics.py.

At angle zero the six axes are lines in the base frame. The frames of the table follow from them: x
of frame 1 is perpendicular to axes 1 and 2, x of frame 2 points from axis 2 to axis 3, the others
are perpendicular to neighbouring axes. Joints may turn in the opposite sense (`signs`). The table's
first frame is on axis 1 (`base`); from the last one, `end` is the fixed transform to the flange.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem
from rigless.motion.arm import kinematics
from rigless.motion.arm.urdf import JOINTS, Description
from rigless.worlds.frames import Matrix, inverse

Floats = NDArray[np.float64]
CLOSE = 1e-6


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The DH table of an arm, and its relation to the URDF's frames."""

    table: Floats
    signs: Floats
    base: Matrix
    end: Matrix

    def forward(self, joints_rad: Floats) -> Matrix:
        """Return the flange in the base frame."""
        found: Matrix = (
            self.base @ kinematics.flange(self.table, self.signs * joints_rad) @ self.end
        )
        return found


def closed_form(description: Description) -> ClosedForm:
    """Return the arm's table. Raises InputError if the arm has another structure."""
    at, places, axes = np.eye(4), [], []
    for joint in description.joints:
        at = at @ joint.origin
        places.append(at[:3, 3])
        axes.append(at[:3, :3] @ joint.axis)
    found = _fit(np.array(places), np.array(axes), at @ description.flange)
    if found is not None and all(
        _agree(description, found, turn) for turn in np.linspace(-1.0, 1.3, 5)
    ):
        return found
    text = (
        "is not an arm with parallel axes 2 and 3, intersecting axes 4, 5 and 6,"
        " and no sideways offset"
    )
    fix = "inverse kinematics is available for such arms only"
    raise InputError(Problem(description.name, text, fix))


def _agree(description: Description, found: ClosedForm, turn: float) -> bool:
    """Return True if the table and the URDF agree at a pose."""
    joints = turn * np.array([1.0, -0.7, 0.5, 1.2, 0.9, -1.1])
    at = np.eye(4)
    for joint, angle in zip(description.joints, joints, strict=True):
        at = at @ joint.origin @ _turned(joint.axis, angle)
    return bool(np.abs(at @ description.flange - found.forward(joints)).max() < CLOSE)


def _turned(axis: Floats, angle: float) -> Matrix:
    cross = np.cross(np.eye(3), axis)
    found = np.eye(4)
    found[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return found


def _fit(places: Floats, axes: Floats, flange: Matrix) -> ClosedForm | None:
    right_angles = [abs(axes[a] @ axes[b]) < CLOSE for a, b in ((0, 1), (2, 3), (3, 4), (4, 5))]
    wrist = _meeting(places[4], axes[4], places[5], axes[5])
    if not all(right_angles) or abs(axes[1] @ axes[2]) < 1 - CLOSE or wrist is None:
        return None
    z, signs = axes.copy(), np.ones(JOINTS)
    elbow = (
        places[2] + (wrist - places[2]) @ axes[2] * axes[2]
    )  # the point of axis 3 next to the wrist
    shoulder = places[1] + (wrist - places[1]) @ axes[1] * axes[1]
    for joint, like in ((2, axes[1]), (3, wrist - elbow)):
        if axes[joint] @ like < 0:
            signs[joint] = -1.0
            z[joint] = -axes[joint]
    upper = elbow - shoulder
    if np.linalg.norm(upper) < CLOSE:
        return None
    x = [
        np.cross(z[1], z[0]),
        upper / np.linalg.norm(upper),
        np.cross(z[3], z[2]),
        np.cross(z[3], z[4]),
        np.cross(z[5], z[4]),
    ]
    x.append(x[-1])
    foot = places[0] - places[0] @ z[0] * z[0]  # of axis 1, at the height of the base
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = np.column_stack((x[0], np.cross(z[0], x[0]), z[0])), foot
    table = np.zeros((JOINTS, 4))
    table[:, kinematics.ALPHA] = np.pi / 2 * np.array([0, -1, 0, -1, 1, -1])
    table[0, kinematics.D] = (shoulder - foot) @ z[0]
    table[1, kinematics.A] = (shoulder - foot) @ x[0]
    table[2, kinematics.A] = np.linalg.norm(upper)
    table[3, kinematics.A], table[3, kinematics.D] = (wrist - elbow) @ x[2], (wrist - elbow) @ z[3]
    for n, (before, after) in enumerate(pairwise([x[0], *x])):
        table[n, kinematics.THETA] = np.arctan2(np.cross(before, after) @ z[n], before @ after)
    last = base @ kinematics.flange(table, np.zeros(JOINTS))
    return ClosedForm(table, signs, base, inverse(last) @ flange)


def _meeting(p: Floats, u: Floats, q: Floats, v: Floats) -> Floats | None:
    """Return the intersection of two lines that are not parallel, or None."""
    across = np.cross(u, v)
    size = across @ across
    if size < CLOSE:
        return None
    on_first = p + np.cross(q - p, v) @ across / size * u
    on_second = q + np.cross(q - p, u) @ across / size * v
    return on_first if np.linalg.norm(on_first - on_second) < CLOSE else None
