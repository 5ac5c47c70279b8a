"""Frames in space as 4×4 matrices.

Roll, pitch and yaw are as in ROS and URDF: about the fixed x, then y, then z.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.elementary import atan2, sin_cos

Matrix = NDArray[np.float64]
UPRIGHT = 1e-9  # cosine of the pitch below which roll and yaw are not separate


def frame(
    xyz: Sequence[float] = (0.0, 0.0, 0.0), rpy_rad: Sequence[float] = (0.0, 0.0, 0.0)
) -> Matrix:
    """Return the frame at a position, rotated by Rz(yaw)·Ry(pitch)·Rx(roll)."""
    (sr, cr), (sp, cp), (sy, cy) = (sin_cos(angle) for angle in rpy_rad)
    found = np.eye(4)
    found[:3, :3] = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    found[:3, 3] = xyz
    return found


def frame_mm_deg(pose: Sequence[float]) -> Matrix:
    """Return the frame (in metres) of x, y, z in millimetres and roll, pitch, yaw in degrees."""
    return frame([value / 1000 for value in pose[:3]], [math.radians(value) for value in pose[3:6]])


def rpy(matrix: Matrix) -> tuple[float, float, float]:
    """Return roll, pitch and yaw in radians. If the pitch is ±90°, the roll is 0."""
    r = matrix[:3, :3]
    level = math.sqrt(r[0, 0] * r[0, 0] + r[1, 0] * r[1, 0])
    pitch = atan2(-r[2, 0], level)
    if level < UPRIGHT:
        return 0.0, pitch, atan2(-r[0, 1], r[1, 1])
    return atan2(r[2, 1], r[2, 2]), pitch, atan2(r[1, 0], r[0, 0])


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a rigid transform."""
    found = np.eye(4)
    found[:3, :3] = matrix[:3, :3].T
    found[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return found
