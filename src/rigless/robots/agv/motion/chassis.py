"""The drive of a configuration: its wheels, their sides, and the speeds that they allow."""

from typing import Any

import numpy as np

from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.motion.footprint import footprint_of, reach_of
from rigless.robots.agv.profile import SimulationProfile

SIDES = {"LEFT": -1.0, "RIGHT": 1.0}


def make_chassis(
    config: RobotConfig, profile: SimulationProfile, limits: m.Array
) -> tuple[m.Array, m.Array]:
    """Return the constants of the drive, and a row for each wheel."""
    drives = [(i, motor) for i, motor in enumerate(config.motors) if motor.role == "DRIVE"]
    kinematics = kinematics_of(profile.kinematics, len(drives))
    model = d.DIFFERENTIAL if kinematics == "DIFFERENTIAL" and len(drives) > 1 else d.TRACK
    wheels = np.zeros((len(drives), d.WHEEL_SIZE))
    for k, (i, motor) in enumerate(drives):
        side = SIDES[side_of(motor.metadata.get("side"), motor.motorId, k, len(drives))]
        wheels[k] = i, 0.0 if model == d.TRACK else side, m.axis_of(motor).metres_per
    const = np.zeros(d.CONST_SIZE)
    base_m = (config.dimensions.trackWidthMm or config.dimensions.widthMm) / 1000
    const[d.BASE], const[d.MODEL] = base_m, model
    for place, column in ((d.TOP_V, m.TOP), (d.ACC_V, m.ACC), (d.DEC_V, m.DEC)):
        slowest = min(
            (limits[i, column] * wheels[k, d.METRES_PER] for k, (i, _) in enumerate(drives)),
            default=0.0,
        )
        const[place] = slowest
        const[place + d.TOP_OMEGA - d.TOP_V] = slowest / (0.5 * base_m)
    return const, wheels


def side_of(said: Any, motor_id: str, number: int, count: int) -> str:
    """Return the side of a wheel.

    It is given by its metadata, by its name, or by its index: the first half of the drive motors is
    on the left.
    """
    if str(said).upper() in SIDES:
        return str(said).upper()
    named = next((side for side in SIDES if side in motor_id.upper()), None)
    return named or ("LEFT" if number < count / 2 else "RIGHT")


def kinematics_of(said: str | None, drives: int) -> str:
    """Return the kinematics: that of the profile, or else by the number of drive motors."""
    return said or ("DIFFERENTIAL" if drives > 1 else "TRACK")


def reach_m(config: RobotConfig) -> float:
    """Return the radius of the circle around the robot's footprint."""
    return reach_of(footprint_of(config.dimensions))
