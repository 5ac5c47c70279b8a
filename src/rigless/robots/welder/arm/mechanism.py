"""The arm's kinematics: DH table, limits and torch, in metres and radians."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.motion.arm import kinematics
from rigless.robots.welder.config import WelderConfig

# [wire] a (m), α (rad), d (m), θ₀ (rad) of joints 1 to 6.
DH: tuple[tuple[float, float, float, float], ...] = (
    (0.000, 0.0, 0.400, 0.0),
    (0.025, -math.pi / 2, 0.000, -math.pi / 2),
    (0.560, 0.0, 0.000, 0.0),
    (0.035, -math.pi / 2, 0.515, 0.0),
    (0.000, math.pi / 2, 0.000, 0.0),
    (0.000, -math.pi / 2, 0.080, 0.0),
)


class Arm:
    """Forward and inverse kinematics of the flange; `torch` is the tool centre point on it."""

    def __init__(self, config: WelderConfig | None = None):
        config = config or WelderConfig()
        self.table = np.array(DH)
        self.low_rad = np.radians(config.limits.low_deg)
        self.high_rad = np.radians(config.limits.high_deg)
        tilt, length_m = math.radians(config.torch.tilt_deg), config.torch.length_mm / 1000
        self.flange_T_torch = np.eye(4)
        self.flange_T_torch[:3, :3] = (
            (math.cos(tilt), 0, math.sin(tilt)), (0, 1, 0), (-math.sin(tilt), 0, math.cos(tilt)),
        )  # fmt: skip
        self.flange_T_torch[:3, 3] = length_m * self.flange_T_torch[:3, 2]

        self.tool_m = np.ascontiguousarray(self.flange_T_torch[:3, 3])

    def forward(self, joints_rad: ArrayLike) -> NDArray[np.float64]:
        """Return the flange in the base frame, 4×4."""
        return kinematics.flange(self.table, _six(joints_rad))

    def chain(self, joints_rad: ArrayLike) -> NDArray[np.float64]:
        """Return all link frames in the base frame, 6×4×4."""
        return kinematics.chain(self.table, _six(joints_rad))

    def torch(self, joints_rad: ArrayLike) -> NDArray[np.float64]:
        """Return the tool centre point in the base frame, 4×4."""
        return self.forward(joints_rad) @ self.flange_T_torch

    def torch_place(self, joints_deg: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the position of the tool centre point in metres, faster than its whole frame."""
        out = np.empty(3)
        kinematics.tool_place(self.table, self.tool_m, joints_deg, out)
        return out

    def inverse(self, goal: ArrayLike, within_limits: bool = False) -> NDArray[np.float64]:
        """Return all solutions for a goal of the flange, one a row; none if it is out of reach."""
        wanted = np.asarray(goal, float)
        if wanted.shape != (4, 4) or not np.isfinite(wanted).all():
            raise ValueError("a goal must be a 4×4 matrix of finite numbers")
        found, count = kinematics.solve(self.table, np.ascontiguousarray(wanted))
        solutions = found[:count].copy()
        if not within_limits:
            return solutions
        fits = ((solutions >= self.low_rad) & (solutions <= self.high_rad)).all(axis=1)
        return solutions[fits]


def _six(joints_rad: ArrayLike) -> NDArray[np.float64]:
    joints = np.ascontiguousarray(joints_rad, float)
    if joints.shape != (6,):
        raise ValueError(f"the arm has six joints, not an array of shape {joints.shape}")
    return joints
