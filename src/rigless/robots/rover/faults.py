"""Sensor faults of the rover: encoders, IMU and receiver, as faults leave their readings."""

import math
from typing import Any

import numpy as np

from rigless.kernel.elementary import sin_cos
from rigless.kernel.robot import Robot
from rigless.motion.diff_drive import clamp
from rigless.robots.rover import body as b

MAX_READING = 1e9  # faults are cut here, so that numbers stay finite
FIX_FAULTS = {"no_fix": "none", "float": "float", "fixed": "fixed"}
JUMP_M, JUMP_PROBABILITY = 10.0, 0.2  # of a receiver that catches reflections


def sense_encoders(robot: Robot, body: b.Array) -> bool:
    """Change the encoders' speeds by faults; False if the encoders are silent."""
    v, w = robot.sense("enc_vx", body.item(b.ENC_V)), robot.sense("enc_wz", body.item(b.ENC_W))
    if v is None or w is None or robot.fault("enc_vel", "off") is not None:
        body[b.ENC_V], body[b.ENC_W] = 0.0, 0.0
        return False
    body[b.ENC_V], body[b.ENC_W] = clamp(v, MAX_READING), clamp(w, MAX_READING)
    return True


def sense_imu(
    robot: Robot, yaw: float, rate: float, accel: list[float]
) -> tuple[float | None, float | None, list[float] | None]:
    """Return yaw, yaw rate and acceleration after faults; None for what is not measured."""
    force = robot.sense("imu_accel", np.array(accel))
    limited = None if force is None else np.clip(force, -MAX_READING, MAX_READING).tolist()
    return robot.sense("imu_yaw", yaw), robot.sense("imu_wz", rate), limited


def forced_fix(robot: Robot) -> str | None:
    """Return the kind of fix that a fault sets, or None."""
    kinds = [fault.kind for fault in robot.faults if fault.target == "gps"]
    return next((FIX_FAULTS[kind] for kind in kinds if kind in FIX_FAULTS), None)


def sense_fix(robot: Robot, position: Any) -> Any:
    """Return a fix (east, north, up) after faults, or None if there is none."""
    jump = robot.fault("gps", "jump")
    if jump is not None:
        random = robot.random("fault/gps_jump")
        chance, angle = random.random(), 2 * math.pi * random.random()
        if chance < _parameter(jump.params.get("probability"), JUMP_PROBABILITY):
            distance_m = _parameter(jump.params.get("metres"), JUMP_M)
            sine, cosine = sin_cos(angle)
            position = position + distance_m * np.array([cosine, sine, 0.0])
    sensed = robot.sense("gps", position)
    return None if sensed is None else np.clip(sensed, -MAX_READING, MAX_READING)


def _parameter(value: Any, default: float) -> float:
    """Return a fault's own parameter, or the default if it is not a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= MAX_READING else default
