"""Rotations as 3×3 matrices: roll, pitch and yaw in degrees, and rotation vectors.

Rotation = Rz(yaw)·Ry(pitch)·Rx(roll). Every rotation has many such triples. `to_rpy` returns the
one nearest to a known triple, so that a slow rotation gives slowly changing angles, also across
±180° and through the singularity at a pitch of ±90°.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.motion.arm.kinematics import product

DEG = np.pi / 180.0
LEVEL = 1e-9  # cosine of the pitch below which only roll ∓ yaw is determined


@compiled
def from_rpy(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """Return the rotation of roll, pitch and yaw in degrees."""
    ca, sa = np.cos(roll * DEG), np.sin(roll * DEG)
    cb, sb = np.cos(pitch * DEG), np.sin(pitch * DEG)
    cc, sc = np.cos(yaw * DEG), np.sin(yaw * DEG)
    found = np.empty((3, 3))
    found[0, 0], found[0, 1], found[0, 2] = cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa
    found[1, 0], found[1, 1], found[1, 2] = sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa
    found[2, 0], found[2, 1], found[2, 2] = -sb, cb * sa, cb * ca
    return found


@compiled
def near(angle: float, other: float) -> float:
    """Return the angle, shifted by whole turns, that is nearest to another one; degrees."""
    return angle + 360.0 * np.round((other - angle) / 360.0)


@compiled
def to_rpy(turn: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return roll, pitch and yaw in degrees, the triple nearest to the known one."""
    found = np.empty(3)
    level = np.sqrt(turn[0, 0] ** 2 + turn[1, 0] ** 2)
    pitch = np.arctan2(-turn[2, 0], level) / DEG
    if level < LEVEL:  # keep the known roll, and find the yaw that goes with it
        roll = known[0]
        ca, sa = np.cos(roll * DEG), np.sin(roll * DEG)
        yaw = np.arctan2(sa * turn[0, 2] - ca * turn[0, 1], ca * turn[1, 1] - sa * turn[1, 2]) / DEG
        found[0], found[1], found[2] = roll, near(pitch, known[1]), near(yaw, known[2])
        return found
    roll, yaw = np.arctan2(turn[2, 1], turn[2, 2]) / DEG, np.arctan2(turn[1, 0], turn[0, 0]) / DEG
    least = np.inf
    for other in range(2):  # (A, B, C) and (A + 180, 180 − B, C + 180) are one rotation
        a = near(roll + 180.0 * other, known[0])
        b = near(180.0 - pitch if other else pitch, known[1])
        c = near(yaw + 180.0 * other, known[2])
        apart = (a - known[0]) ** 2 + (b - known[1]) ** 2 + (c - known[2]) ** 2
        if apart < least:
            least = apart
            found[0], found[1], found[2] = a, b, c
    return found


@compiled
def vector_between(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shortest rotation from a to b as a rotation vector (radians) in a's frame.

    Exact for half turns too.
    """
    turn = product(a.T, b)
    trace = turn[0, 0] + turn[1, 1] + turn[2, 2]
    q = np.empty(4)  # x, y, z, w from the largest of the four, so that nothing cancels
    largest = 3
    size = trace
    for i in range(3):
        if turn[i, i] > size:
            largest, size = i, turn[i, i]
    if largest == 3:
        q[0], q[1], q[2] = turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]
        q[3] = 1.0 + trace
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q[i] = 1.0 + turn[i, i] - turn[j, j] - turn[k, k]
        q[j], q[k], q[3] = turn[j, i] + turn[i, j], turn[k, i] + turn[i, k], turn[k, j] - turn[j, k]
    if q[3] < 0.0:
        q = -q
    sine = np.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2)
    found = np.zeros(3)
    if sine > 0.0:
        angle = 2.0 * np.arctan2(sine, q[3])
        for i in range(3):
            found[i] = q[i] / sine * angle
    return found


@compiled
def turned(
    a: NDArray[np.float64], vector: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """Return rotation a, turned by a share of a rotation vector in its own frame."""
    angle = np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    if angle < 1e-15:
        return a.copy()
    x, y, z = vector[0] / angle, vector[1] / angle, vector[2] / angle
    c, s = np.cos(angle * share), np.sin(angle * share)
    v = 1.0 - c
    step = np.empty((3, 3))
    step[0, 0], step[0, 1], step[0, 2] = c + x * x * v, x * y * v - z * s, x * z * v + y * s
    step[1, 0], step[1, 1], step[1, 2] = y * x * v + z * s, c + y * y * v, y * z * v - x * s
    step[2, 0], step[2, 1], step[2, 2] = z * x * v - y * s, z * y * v + x * s, c + z * z * v
    return product(a, step)
