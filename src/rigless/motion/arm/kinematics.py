"""Kinematics of a six-axis arm with an ortho-parallel base and a spherical wrist.

The arm is given by its modified (Craig) DH table. Forward kinematics is the product of the links.
Inverse kinematics is in closed form, with all branches: the wrist centre lies one flange length
behind the flange; joint 1 turns the arm's plane to it (or away from it, reaching over the back);
joints 2 and 3 are a triangle of two links in that plane (elbow up or down); the remaining rotation
is a Z-Y-Z wrist (straight or flipped). That makes eight solutions. If the wrist is straight (joint
5 at 0) only the sum of joints 4 and 6 is determined; joint 4 is then 0. Metres and radians.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled

A, ALPHA, D, THETA = range(4)  # columns of the table
BRANCHES = 8
MOST_CHORDS = 720
STRAIGHT = 1e-9  # sine of joint 5 below which the wrist is singular


@compiled
def link(row: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
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
def product(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the product of two small square matrices.

    numba's own needs scipy's BLAS, which is not worth it for four rows.
    """
    size = left.shape[0]
    found = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            for k in range(size):
                found[i, j] += left[i, k] * right[k, j]
    return found


@compiled
def chain(table: NDArray[np.float64], joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each link's frame in the base frame, 6×4×4; the last is the flange."""
    frames = np.empty((6, 4, 4))
    frame = np.eye(4)
    for n in range(6):
        frame = product(frame, link(table[n], joints[n]))
        frames[n] = frame
    return frames


@compiled
def flange(table: NDArray[np.float64], joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the flange in the base frame."""
    frame = np.eye(4)
    for n in range(6):
        frame = product(frame, link(table[n], joints[n]))
    return frame


@compiled
def tool_place(
    table: NDArray[np.float64],
    tool: NDArray[np.float64],
    joints_deg: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Return a point of the tool (given in the flange's frame) in the base frame.

    It is carried from link to link, without matrices.
    """
    x, y, z = tool[0], tool[1], tool[2]
    for n in range(5, -1, -1):
        row = table[n]
        angle = row[THETA] + joints_deg[n] * (np.pi / 180.0)
        ct, st, ca, sa = np.cos(angle), np.sin(angle), np.cos(row[ALPHA]), np.sin(row[ALPHA])
        x, y, z = ct * x - st * y + row[A], st * x + ct * y, z + row[D]
        y, z = ca * y - sa * z, sa * y + ca * z
    out[0], out[1], out[2] = x, y, z


@compiled
def tool_places(
    table: NDArray[np.float64], tool: NDArray[np.float64], rows_deg: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `tool_place` for each row of joints."""
    found = np.empty((rows_deg.shape[0], 3))
    for n in range(rows_deg.shape[0]):
        tool_place(table, tool, rows_deg[n], found[n])
    return found


@compiled
def tool_path(
    table: NDArray[np.float64],
    tool: NDArray[np.float64],
    begin_deg: NDArray[np.float64],
    end_deg: NDArray[np.float64],
) -> float:
    """Return the length of a tool point's path if all joints move evenly between two positions.

    It is summed over chords of at most one degree.
    """
    widest = 0.0
    for n in range(6):
        widest = max(widest, abs(end_deg[n] - begin_deg[n]))
    chords = min(int(np.ceil(widest)), MOST_CHORDS)
    before, after, length = np.empty(3), np.empty(3), 0.0
    tool_place(table, tool, begin_deg, before)
    for k in range(chords):
        tool_place(table, tool, begin_deg + (end_deg - begin_deg) * ((k + 1) / chords), after)
        length += np.sqrt(
            (after[0] - before[0]) ** 2 + (after[1] - before[1]) ** 2 + (after[2] - before[2]) ** 2
        )
        before[:] = after
    return length


@compiled
def solve(table: NDArray[np.float64], goal: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
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
