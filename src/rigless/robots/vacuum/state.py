"""The vacuum's state and ground truth."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigless.motion.contact import Touch
from rigless.robots.vacuum.body import BODY_SIZE
from rigless.ros.rosout import Entry


@dataclass
class RosState:
    """State of the ROS bridge: dead reckoning, its variance, and the last packet."""

    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0
    variance_m2: float = 0.0
    variance_rad2: float = 0.0
    step_m: float = 0.0
    step_rad: float = 0.0
    left: int = 0
    right: int = 0
    reports: int = 0
    commands: int = 0
    log: list[Entry] = field(default_factory=list)  # events for /rosout


@dataclass
class VacuumState:
    body: NDArray[np.float64] = field(default_factory=lambda: np.zeros(BODY_SIZE))
    # Noise keys of wheels, IMU and lidar.
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((3, 2), np.uint64))
    ticks: int = 0
    scans: int = 0
    flags: int = 0
    # A ring of (time, x, y, theta); `trail_at` is the index of its oldest entry.
    trail: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 4)))
    trail_at: int = 0
    scanned_ns: int = 0  # end of the last scan
    phases: tuple[float, float] = (0.5, 0.5)  # of the encoders' edges, as fractions of a tick
    lidar_on: bool = False
    lidar_since_ns: int = 0
    drive_enabled: bool = False
    command: tuple[float, float] = (0.0, 0.0)  # linear, angular, within limits
    commanded_ns: int = 0
    logged: tuple[float, float] = (0.0, 0.0)  # the velocity of the last event, and its time
    logged_ns: int = -(10**10)
    log_due_ns: int = 0  # of the timer that logs a velocity
    actuators: dict[str, float] = field(default_factory=dict)
    energy_wh: float = 0.0
    clients: dict[int, list[int]] = field(default_factory=dict)  # command link → telemetry links
    over_tcp: list[int] = field(default_factory=list)  # command links that carry telemetry
    docked: bool = False
    ros: RosState = field(default_factory=RosState)


@dataclass(frozen=True)
class Truth:
    """Ground truth. `odometry` is the pose that follows from the encoders, in the world frame."""

    pose: tuple[float, float, float]
    velocity: tuple[float, float]
    contacts: list[Touch]
    odometry: tuple[float, float, float]
    bumpers: tuple[bool, bool]
    cliffs: tuple[bool, bool, bool, bool]
    battery: float
    charging: bool
    docked: bool
    lidar_on: bool
    distance_m: float
    ranges: list[float] = field(default_factory=list)
