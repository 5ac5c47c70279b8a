"""The closed form of inverse kinematics, and the DH table of an arm from its URDF.

The arm has an ortho-parallel base and a spherical wrist. The wrist centre lies one flange length
behind the flange; joint 1 turns the arm's plane to it (or away from it, reaching over the back);
joints 2 and 3 are a triangle of two links in that plane (elbow up or down); the remaining rotation
is a Z-Y-Z wrist (straight or flipped). That makes eight solutions. If the wrist is straight (joint
5 at 0) only the sum of joints 4 and 6 is determined; joint 4 is then 0. The table is a modified
(Craig) DH table. Metres and radians.

At angle zero the six axes are lines in the base frame. The frames of the table follow from them: x
of frame 1 is perpendicular to axes 1 and 2, x of frame 2 points from axis 2 to axis 3, the others
are perpendicular to neighbouring axes. Joints may turn in the opposite sense (`signs`). The table's
first frame is on axis 1 (`base`); from the last one, `end` is the fixed transform to the flange.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.arm.kinematics import product
from rigless.motion.arm.urdf import JOINTS, Description
from rigless.worlds.frames import Matrix, inverse

Floats = NDArray[np.float64]
A, ALPHA, D, THETA = range(4)  # columns of the table
BRANCHES = 8
STRAIGHT = 1e-9  # sine of joint 5 below which the wrist is singular
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
        found: Matrix = self.base @ table_flange(self.table, self.signs * joints_rad) @ self.end
        return found


def closed_form(description: Description) -> ClosedForm | None:
    """Return the arm's table, or None if the arm has another structure."""
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
    return None


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
    table[:, ALPHA] = np.pi / 2 * np.array([0, -1, 0, -1, 1, -1])
    table[0, D] = (shoulder - foot) @ z[0]
    table[1, A] = (shoulder - foot) @ x[0]
    table[2, A] = np.linalg.norm(upper)
    table[3, A], table[3, D] = (wrist - elbow) @ x[2], (wrist - elbow) @ z[3]
    for n, (before, after) in enumerate(pairwise([x[0], *x])):
        table[n, THETA] = np.arctan2(np.cross(before, after) @ z[n], before @ after)
    last = base @ table_flange(table, np.zeros(JOINTS))
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


@compiled
def link(row: Floats, angle: float) -> Floats:
    """Return the transform from one joint's frame to the next: Rx(α)·Tx(a)·Rz(θ₀ + angle)·Tz(d)."""
    ca, sa = np.cos(row[ALPHA]), np.sin(row[ALPHA])
    ct, st = np.cos(row[THETA] + angle), np.sin(row[THETA] + angle)
    found = np.zeros((4, 4))
    found[0, 0], found[0, 1], found[0, 3] = ct, -st, row[A]
    found[1, 0], found[1, 1], found[1, 2], found[1, 3] = st * ca, ct * ca, -sa, -sa * row[D]
    found[2, 0], found[2, 1], found[2, 2], found[2, 3] = st * sa, ct * sa, ca, ca * row[D]
    found[3, 3] = 1.0
    return found


@compiled
def table_flange(table: Floats, joints: Floats) -> Floats:
    """Return the table's last frame in its first."""
    frame = np.eye(4)
    for n in range(6):
        frame = product(frame, link(table[n], joints[n]))
    return frame


@compiled
def solve_table(table: Floats, goal: Floats) -> tuple[Floats, int]:
    """Return all joint angles, in (−π, π], that bring the flange to the goal.

    Return the rows, and the number of rows that are filled.
    """
    found = np.empty((BRANCHES, 6))
    count = 0
    base, shoulder, upper = table[0, D], table[1, A], table[2, A]
    forearm = np.sqrt(table[3, A] ** 2 + table[3, D] ** 2)
    bend = np.arctan2(table[3, D], table[3, A])
    wrist = goal[:3, 3] - table[5, D] * goal[:3, 2]
    out = np.sqrt(wrist[0] ** 2 + wrist[1] ** 2)
    heading = np.arctan2(wrist[1], wrist[0]) if out > 1e-12 else 0.0
    high = wrist[2] - base
    for behind in range(2):
        q1 = heading - table[0, THETA] + (np.pi if behind else 0.0)
        far = (-out if behind else out) - shoulder
        cosine = (far * far + high * high - upper * upper - forearm * forearm) / (
            2.0 * upper * forearm
        )
        if abs(cosine) > 1.0 + 1e-12:
            continue
        elbow = np.arccos(min(1.0, max(-1.0, cosine)))
        for side in range(2):
            delta = elbow if side == 0 else -elbow
            q3 = delta - bend - table[2, THETA]
            lean = np.arctan2(far, high) - np.arctan2(
                forearm * np.sin(delta), upper + forearm * np.cos(delta)
            )
            q2 = lean - (table[1, THETA] + 0.5 * np.pi)
            arm = product(product(link(table[0], q1), link(table[1], q2)), link(table[2], q3))
            left = np.zeros(
                (3, 3)
            )  # Rx(α of joint 4) undone: what remains is Rz(q4)·Ry(−q5)·Rz(q6)
            ca, sa = np.cos(table[3, ALPHA]), np.sin(table[3, ALPHA])
            left[0, 0], left[1, 1], left[1, 2], left[2, 1], left[2, 2] = 1.0, ca, sa, -sa, ca
            turn = product(product(left, arm[:3, :3].T), goal[:3, :3])
            sine = np.sqrt(turn[0, 2] ** 2 + turn[1, 2] ** 2)
            for flip in range(2):
                if sine < STRAIGHT:
                    q4 = 0.0
                    if turn[2, 2] > 0.0:
                        q5, q6 = 0.0, np.arctan2(turn[1, 0], turn[0, 0])
                    else:
                        q5, q6 = np.pi, np.arctan2(turn[0, 1], -turn[0, 0])
                else:
                    q5 = np.arctan2(sine, turn[2, 2])
                    q4, q6 = (
                        np.arctan2(-turn[1, 2], -turn[0, 2]),
                        np.arctan2(-turn[2, 1], turn[2, 0]),
                    )
                if flip:
                    q4, q5, q6 = q4 + np.pi, -q5, q6 + np.pi
                q4, q5, q6 = q4 - table[3, THETA], q5 - table[4, THETA], q6 - table[5, THETA]
                row = found[count]
                row[0], row[1], row[2], row[3], row[4], row[5] = q1, q2, q3, q4, q5, q6
                for n in range(6):
                    row[n] = np.pi - (np.pi - row[n]) % (2.0 * np.pi)
                count += 1
    return found, count
