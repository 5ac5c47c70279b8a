"""Sensor faults of the vacuum, on the readings of a tick and the points of a scan."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.faults import Fault
from rigless.robots.vacuum.arrays import CLIFFS

Floats = NDArray[np.float64]

MAX_READING = 1e9  # faults are cut here, so that the wire can carry the reading


class Sensing(Protocol):
    """The part of a robot that has the faults of its sensors."""

    def sense(self, sensor: str, value: Any) -> Any: ...
    def fault(self, target: str, kind: str = "") -> Fault | None: ...


class Measured(NamedTuple):
    """The readings that faults can change, before they go on the wire."""

    imu: list[int]  # gyro, accelerometer and tilt, each x, y, z
    left_ticks: int
    right_ticks: int
    bumpers: tuple[bool, ...]  # left, right
    cliffs: tuple[bool, ...]  # in the order of CLIFFS
    voltage: float


def apply_faults(robot: Sensing, measured: Measured) -> Measured:
    """Return the readings after sensor faults. A silent encoder holds; the others read zero."""
    imu: list[int] = []
    for number, name in enumerate(("gyro", "accel", "tilt")):
        axes = np.array(measured.imu[3 * number : 3 * number + 3], float)
        sensed = robot.sense(name, axes)
        imu += limit_axes(np.zeros(3) if sensed is None else sensed).tolist()
    left = _sense_encoder(robot, "encoder_left", measured.left_ticks)
    right = _sense_encoder(robot, "encoder_right", measured.right_ticks)
    bumpers = tuple(
        bool(robot.sense(f"bumper_{side}", pressed))
        for side, pressed in zip(("left", "right"), measured.bumpers, strict=True)
    )
    cliffs = tuple(
        bool(robot.sense(f"cliff_{name}", seen))
        for name, seen in zip(CLIFFS, measured.cliffs, strict=True)
    )
    voltage = min(max(robot.sense("battery", measured.voltage) or 0.0, -MAX_READING), MAX_READING)
    return Measured(imu, left, right, bumpers, cliffs, voltage)


def _sense_encoder(robot: Sensing, name: str, ticks: int) -> int:
    """Return the encoder's count; while a fault silences it, the count before."""
    sensed, fault = robot.sense(name, ticks), robot.fault(name)
    if fault is None:
        return ticks
    if sensed is not None:
        fault.memory["held"] = int(min(max(sensed, -MAX_READING), MAX_READING))
    held: int = fault.memory.setdefault("held", ticks)
    return held


def apply_scan_faults(robot: Sensing, points: list[Any]) -> bool:
    """Change a scan's angles, distances and qualities by faults; False if there is no scan.

    A stuck lidar repeats one scan.
    """
    stuck = robot.fault("lidar", "stuck")
    if stuck is not None:
        points[:] = [part.copy() for part in stuck.memory.setdefault("points", list(points))]
        return True
    distances = robot.sense("lidar", points[1].astype(float))
    if distances is None:
        return False
    limited, valid = limit_distances(distances)
    points[:] = points[0][valid], limited[valid], points[2][valid]
    return True


def limit_axes(sensed: Floats) -> NDArray[np.int64]:
    """Return axes of an inertial sensor in 16 bits."""
    return np.clip(np.rint(sensed), -32768, 32767).astype(np.int64)


def limit_distances(sensed: Floats) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return distances as on the wire, and which are valid: the lidar never sends others."""
    return np.minimum(sensed, MAX_READING).astype(np.float32), sensed > 0
