"""The drive that a configuration describes: which motors are its wheels, on which side, and what they allow the robot to do."""

import math

import numpy as np

from rigless.robots.agv import drive as d
from rigless.robots.agv import motors as m
from rigless.robots.agv.config import Motor, RobotConfig
from rigless.robots.agv.profile import SimulationProfile

SIDES = {"LEFT": -1.0, "RIGHT": 1.0}


def make_chassis(config: RobotConfig, profile: SimulationProfile, limits: m.Array) -> tuple[m.Array, m.Array]:
    """The drive's constants, and a row for each wheel."""
    drives = [(i, motor) for i, motor in enumerate(config.motors) if motor.role == "DRIVE"]
    kinematics = profile.kinematics or ("DIFFERENTIAL" if len(drives) > 1 else "TRACK")
    model = d.DIFFERENTIAL if kinematics == "DIFFERENTIAL" and len(drives) > 1 else d.TRACK
    wheels = np.zeros((len(drives), d.WHEEL_SIZE))
    for k, (i, motor) in enumerate(drives):
        wheels[k] = i, 0.0 if model == d.TRACK else side_of(motor, k, len(drives)), m.axis_of(motor).metres_per
    const = np.zeros(d.CONST_SIZE)
    base_m = (config.dimensions.trackWidthMm or config.dimensions.widthMm) / 1000
    const[d.BASE], const[d.MODEL] = base_m, model
    for place, column in ((d.TOP_V, m.TOP), (d.ACC_V, m.ACC), (d.DEC_V, m.DEC)):
        slowest = min((limits[i, column] * wheels[k, d.METRES_PER] for k, (i, _) in enumerate(drives)), default=0.0)
        const[place] = slowest
        const[place + d.TOP_OMEGA - d.TOP_V] = slowest / (0.5 * base_m)
    return const, wheels


def side_of(motor: Motor, number: int, count: int) -> float:
    """By what its metadata says, by its name, or by its place in the list: the first half is left."""
    said = str(motor.metadata.get("side", "")).upper()
    if said in SIDES:
        return SIDES[said]
    name = motor.motorId.upper()
    for word, side in SIDES.items():
        if word in name:
            return side
    return -1.0 if number < count / 2 else 1.0


def reach_m(config: RobotConfig) -> float:
    """The radius of the disc about the robot's footprint."""
    return math.hypot(config.dimensions.lengthMm, config.dimensions.widthMm) / 2000
