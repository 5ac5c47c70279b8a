"""The rover's state and ground truth."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigless.motion.contact import Touch
from rigless.robots.rover.body import BODY_SIZE, MOUNT_SIZE
from rigless.ros.rosout import Entry

TRACK = 200  # fixes shown in the panel


def level_mount() -> NDArray[np.float64]:
    mount = np.zeros(MOUNT_SIZE)
    mount[3] = 1.0
    return mount


@dataclass
class Fix:
    """The receiver's last fix in map metres, with its variance and kind.

    It was measured at `epoch_ns`.
    """

    east_m: float = 0.0
    north_m: float = 0.0
    up_m: float = 0.0
    variance_m2: float = 0.0
    kind: str = "none"
    epoch_ns: int = -1


@dataclass
class RoverState:
    body: NDArray[np.float64] = field(default_factory=lambda: np.zeros(BODY_SIZE))
    # Noise keys of encoders, IMU, GPS and INS.
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((4, 2), np.uint64))
    # Of dead reckoning; see body.reckon.
    covariance: NDArray[np.float64] = field(default_factory=lambda: np.zeros((5, 5)))
    ticks: int = 0
    fixes: int = 0
    command: tuple[float, float] = (0.0, 0.0)
    commanded_ns: int = 0
    stale: bool = True  # there is no command, or it is too old
    epoch_ns: int = 0  # origin of stamps
    frames: dict[str, tuple[str, tuple[float, float, float], tuple[float, float, float, float]]] = (
        field(default_factory=dict)
    )
    mount: NDArray[np.float64] = field(default_factory=level_mount)
    imu_mounted: bool = False
    gps_mounted: bool = False
    odom_tf_taken: bool = False  # another node publishes the transform to the base
    log: list[Entry] = field(default_factory=list)  # events for /rosout
    hit: bool = False
    touch: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    fix: Fix = field(default_factory=Fix)
    # A ring of fixes, east and north.
    track: NDArray[np.float64] = field(default_factory=lambda: np.full((TRACK, 2), np.nan))


@dataclass(frozen=True)
class Truth:
    """Ground truth. `place` is latitude, longitude and height of the base.

    `odometry` is the dead-reckoned pose.
    """

    pose: tuple[float, float, float]
    velocity: tuple[float, float]
    acceleration: tuple[float, float]
    place: tuple[float, float, float]
    odometry: tuple[float, float, float]
    odometry_error_m: float
    encoder_scale_errors: tuple[float, float]
    gyro_bias_radps: float
    gps_drift_m: tuple[float, float]
    gps_error_m: float  # of the last fix, from the antenna's present position
    fix: str
    waiting_for: list[str]
    contacts: list[Touch]
    distance_m: float
