"""Unit quaternions (x, y, z, w): Hamilton's product, right-handed, ROS's order."""

import math
from collections.abc import Sequence

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import sin_cos

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@compiled
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the product: first rotation b, then a."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@compiled
def rotate(q: Quaternion, v: Vector) -> Vector:
    """Return a vector of the rotated frame in the outer frame."""
    tx, ty, tz = (
        2.0 * (q[1] * v[2] - q[2] * v[1]),
        2.0 * (q[2] * v[0] - q[0] * v[2]),
        2.0 * (q[0] * v[1] - q[1] * v[0]),
    )
    return (
        v[0] + q[3] * tx + q[1] * tz - q[2] * ty,
        v[1] + q[3] * ty + q[2] * tx - q[0] * tz,
        v[2] + q[3] * tz + q[0] * ty - q[1] * tx,
    )


@compiled
def inverse(q: Quaternion) -> Quaternion:
    """Return the inverse rotation."""
    return -q[0], -q[1], -q[2], q[3]


@compiled
def about_z(angle_rad: float) -> Quaternion:
    """Return the rotation about z."""
    sine, cosine = sin_cos(0.5 * angle_rad)
    return 0.0, 0.0, sine, cosine


def from_rpy(roll_rad: float, pitch_rad: float, yaw_rad: float) -> Quaternion:
    """Return the rotation of roll about x, then pitch about y, then yaw about z.

    The axes are those of the fixed frame, as in URDF.
    """
    (roll_sin, roll_cos), (pitch_sin, pitch_cos) = sin_cos(0.5 * roll_rad), sin_cos(0.5 * pitch_rad)
    roll, pitch = (roll_sin, 0.0, 0.0, roll_cos), (0.0, pitch_sin, 0.0, pitch_cos)
    return multiply(about_z(yaw_rad), multiply(pitch, roll))


def unit(q: Sequence[float]) -> Quaternion | None:
    """Return four numbers as a unit quaternion, or None if they are not a rotation."""
    length = math.sqrt(sum(part * part for part in q))
    if not 1e-6 < length < 1e6:
        return None
    return q[0] / length, q[1] / length, q[2] / length, q[3] / length
