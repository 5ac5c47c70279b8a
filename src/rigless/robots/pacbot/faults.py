"""Sensor faults of the Pacbot: encoders, IMU and range sensors, as faults leave their readings."""

from typing import Any

import numpy as np

from rigless.kernel.robot import Robot
from rigless.robots.pacbot.config import WHEELS

MAX_READING = 1e9  # faults are cut here, so that the wire can carry the reading


def sense_encoders(robot: Robot, ticks: list[float], before: tuple[float, ...]) -> list[float]:
    """Return the counts after faults; a silent encoder holds the count before."""
    sensed = [
        robot.sense(f"encoder_{wheel}", count) for wheel, count in zip(WHEELS, ticks, strict=True)
    ]
    return [
        held if value is None else _limited(value)
        for value, held in zip(sensed, before, strict=True)
    ]


def sense_imu(robot: Robot, imu: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return accelerations and turn rate after faults; a silent sensor reads 0."""
    accel = robot.sense("accel", np.array(imu[:2]))
    gyro = robot.sense("gyro", imu[2])
    ax, ay = (0.0, 0.0) if accel is None else (_limited(value) for value in accel.tolist())
    return ax, ay, 0.0 if gyro is None else _limited(gyro)


def sense_ranges(robot: Robot, names: tuple[str, ...], ranges: Any, max_range_m: float) -> None:
    """Change the ranges by faults; a silent sensor reads its largest range."""
    for place, name in enumerate(names):
        sensed = robot.sense(f"tof_{name}", ranges.item(place))
        ranges[place] = max_range_m if sensed is None else _limited(sensed)


def _limited(value: Any) -> float:
    return min(max(float(value), -MAX_READING), MAX_READING)
