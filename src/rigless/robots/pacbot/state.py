"""The Pacbot's state and ground truth."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigless.motion.contact import Touch
from rigless.robots.pacbot.body import BODY_SIZE
from rigless.robots.pacbot.game.frame import Frame
from rigless.robots.pacbot.game.state import GameState
from rigless.ros.rosout import Entry


@dataclass
class RosState:
    """State of the ROS bridge: the number of commands, and the dead-reckoned pose.

    The pose is on the axes of ROS: x forward, y left. `step` is the last change of it
    in the body's frame.
    """

    commands: int = 0
    steps: int = 0  # of physics, up to the last reading
    step_s: float = 0.0  # between the last two readings
    ticks: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0
    step: tuple[float, float, float] = (0.0, 0.0, 0.0)
    variance_m2: float = 0.0
    variance_rad2: float = 0.0
    log: list[Entry] = field(default_factory=list)  # events for /rosout


@dataclass
class PacbotState:
    body: NDArray[np.float64] = field(default_factory=lambda: np.zeros(BODY_SIZE))
    # Noise keys of wheels, IMU and ToF sensors.
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((3, 2), np.uint64))
    ticks: int = 0
    measured: int = 0  # ToF measurements
    hit: bool = False
    commands: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # north, south, east, west
    commanded_ns: int = 0
    asleep: bool = True  # no command since the watchdog last stopped the motors
    move: int = 0  # number of the last command; a tile ends only if it is still the last
    ranges: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # ToF readings
    # The true rays of the ToF sensors: x, y to x, y, and the range.
    rays: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 5)))
    encoders: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    imu: tuple[float, float, float] = (0.0, 0.0, 0.0)
    game: GameState | None = None
    # Commands of clients and the camera for the game's next tick: letter, row, column.
    game_commands: list[tuple[str, int, int]] = field(default_factory=list)
    reported: tuple[int, int] | None = None  # the cell of the camera's last report
    ros: RosState = field(default_factory=RosState)


@dataclass(frozen=True)
class Ray:
    """A ToF sensor's last measurement: its true ray in the world, and its reading."""

    name: str
    x: float
    y: float
    to_x: float
    to_y: float
    range_m: float
    reading_m: float


@dataclass(frozen=True)
class Truth:
    """Ground truth. Velocities are in the world; `body_velocity` is right, forward, turn.

    Wheels are named north, south, east, west.
    """

    pose: tuple[float, float, float]
    velocity: tuple[float, float, float]
    body_velocity: tuple[float, float, float]
    acceleration: tuple[float, float]
    commands: dict[str, float]
    wheels: dict[str, float]
    ticks: dict[str, float]
    tof: list[Ray]
    contacts: list[Touch]
    radius_m: float
    distance_m: float
    impact_mps: float
    game: Frame | None = None  # as in the frames for clients
