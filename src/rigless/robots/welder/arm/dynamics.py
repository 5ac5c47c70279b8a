"""Joint torques, estimated from the motion. They are feedback only and do not affect the motion.

τ = RNEA(q, q̇, q̈) + inertia·q̈ + friction·q̇: pinocchio computes the first term from the masses of
arm and torch; the drives' inertia (at the joint) and viscous friction are config values.
"""

import numpy as np
from numpy.typing import NDArray

from rigless.robots.welder.arm.body import model
from rigless.robots.welder.config import WelderConfig


class Dynamics:
    def __init__(self, config: WelderConfig):
        self.model = model(config)
        self.inertia_kgm2 = np.array(config.joint_inertia)
        self.friction_nmsprad = np.array(config.joint_friction)

    def torques_nm(
        self, deg: NDArray[np.float64], degps: NDArray[np.float64], degps2: NDArray[np.float64]
    ) -> list[float]:
        at, speed, push = np.radians(deg), np.radians(degps), np.radians(degps2)
        found = (
            self.model.torques(at, speed, push)
            + self.inertia_kgm2 * push
            + self.friction_nmsprad * speed
        )
        torques: list[float] = found.tolist()
        return torques
