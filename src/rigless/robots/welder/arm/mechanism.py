"""The arm's kinematics: of its DH table or of another arm's URDF, with limits and torch.

Metres and radians.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.motion.arm import inverse, kinematics
from rigless.motion.arm.closed_form import link
from rigless.motion.arm.kinematics import Mechanism
from rigless.robots.welder.arm_description import describe, joint_names
from rigless.robots.welder.config import Torch, WelderConfig

# [wire] a (m), α (rad), d (m), θ₀ (rad) of joints 1 to 6.
DH: tuple[tuple[float, float, float, float], ...] = (
    (0.000, 0.0, 0.400, 0.0),
    (0.025, -math.pi / 2, 0.000, -math.pi / 2),
    (0.560, 0.0, 0.000, 0.0),
    (0.035, -math.pi / 2, 0.515, 0.0),
    (0.000, math.pi / 2, 0.000, 0.0),
    (0.000, -math.pi / 2, 0.080, 0.0),
)


@lru_cache(maxsize=8)
def geometry_of(urdf: str = "", tcp_link: str = "") -> Mechanism:
    """Return the geometry of this arm, or of another one from its URDF."""
    if urdf:
        return inverse.mechanism_of(describe(urdf, tcp_link))
    table, same = np.array(DH), np.eye(4)
    links = np.array([*(link(row, 0.0) for row in table), same])
    return Mechanism(links, table, np.ones(6), same, same, inverse.NO_STARTS)


def tool_on_flange(torch: Torch) -> NDArray[np.float64]:
    """Return the tool centre point of the configured torch in the flange's frame."""
    tilt, found = math.radians(torch.tilt_deg), np.eye(4)
    found[:3, :3] = (
        (math.cos(tilt), 0, math.sin(tilt)), (0, 1, 0), (-math.sin(tilt), 0, math.cos(tilt)),
    )  # fmt: skip
    found[:3, 3] = torch.length_mm / 1000 * found[:3, 2]
    return found


class Arm:
    """Forward and inverse kinematics of the flange; `torch` is the tool centre point on it."""

    def __init__(self, config: WelderConfig | None = None):
        config = config or WelderConfig()
        self.geometry = geometry_of(config.urdf, config.tcp_link)
        self.links = self.geometry.links
        self.names = joint_names(config.urdf)
        self.low_rad = np.radians(config.limits.low_deg)
        self.high_rad = np.radians(config.limits.high_deg)
        tool = describe(config.urdf, config.tcp_link).tool if config.urdf else None
        self.flange_T_torch = tool_on_flange(config.torch) if tool is None else tool
        self.tool_m = np.ascontiguousarray(self.flange_T_torch[:3, 3])

    def forward(self, joints_rad: ArrayLike) -> NDArray[np.float64]:
        """Return the flange in the base frame, 4×4."""
        return kinematics.flange(self.links, _six(joints_rad))

    def chain(self, joints_rad: ArrayLike) -> NDArray[np.float64]:
        """Return the frames of all joints in the base frame, 6×4×4."""
        return kinematics.chain(self.links, _six(joints_rad))[:6]

    def torch(self, joints_rad: ArrayLike) -> NDArray[np.float64]:
        """Return the tool centre point in the base frame, 4×4."""
        return self.forward(joints_rad) @ self.flange_T_torch

    def torch_place(self, joints_deg: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the position of the tool centre point in metres, faster than its whole frame."""
        out = np.empty(3)
        kinematics.tool_place(self.links, self.tool_m, joints_deg, out)
        return out

    def inverse(self, goal: ArrayLike, within_limits: bool = False) -> NDArray[np.float64]:
        """Return all solutions for a goal of the flange, one a row; none if it is out of reach."""
        wanted = np.asarray(goal, float)
        if wanted.shape != (4, 4) or not np.isfinite(wanted).all():
            raise ValueError("a goal must be a 4×4 matrix of finite numbers")
        found, count = inverse.solve(self.geometry, np.ascontiguousarray(wanted))
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
