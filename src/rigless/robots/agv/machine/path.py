"""The pose of the robot and the path that it drives. The kinematics are in motion/drive.py."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.messages import Pose
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m


@dataclass
class Waypoint:
    """A point of a path. `theta` is the final heading, `max_speed` the limit of the leg to it.

    Without `stop` the robot passes it at speed if the next leg is straight on; with `bend`, also if
    the direction changes as along a curve of short legs. `back`: the leg is driven backwards.
    `max_turn` limits turns in place before and after it, in rad/s.
    """

    x: float
    y: float
    theta: float | None = None
    max_speed: float | None = None
    stop: bool = True
    bend: bool = False
    back: bool = False
    max_turn: float | None = None


class DrivePath:
    """Pose, velocity and path of one robot. `const` are the constants of its chassis."""

    def __init__(self, const: m.Array):
        self._const = const
        self._published: tuple[bytes, str, Pose] | None = None  # pose and map, and their message

    def bind(self, state: MachineState) -> None:
        """Use this state from now on."""
        self.state = state

    @property
    def pose(self) -> tuple[float, float, float]:
        x, y, theta = self.state.drive[: d.V].tolist()
        return x, y, theta

    @property
    def velocity(self) -> tuple[float, float]:
        v, omega = self.state.drive[d.V : d.ODOMETER].tolist()
        return v, omega

    @property
    def driving(self) -> bool:
        drive = self.state.drive
        return bool(drive[d.V] != 0.0 or drive[d.OMEGA] != 0.0)

    @property
    def turning(self) -> bool:
        """True while the robot turns in place, or is about to."""
        return int(self.state.drive[d.PHASE]) in (d.SWING, d.ALIGN)

    @property
    def backwards(self) -> bool:
        """True while the robot drives backwards, or is about to."""
        drive = self.state.drive
        return bool(drive[d.BACK] > 0.0 and drive[d.PHASE] != d.REST)

    @property
    def rolling(self) -> bool:
        """True while the robot drives along a leg at speed."""
        return bool(self.state.drive.item(d.PHASE) == d.ROLL)

    def pose_message(self) -> Pose:
        """Return the pose as it is published."""
        state, published = self.state, self._published
        exact = state.drive[: d.V].tobytes()  # 0.0 equals -0.0, but is published differently
        if published is None or published[0] != exact or published[1] != state.map_id:
            x, y, theta = self.pose
            message = Pose(round(x, 4), round(y, 4), round(theta, 5), state.map_id)
            self._published = published = exact, state.map_id, message
        return published[2]

    @property
    def map_id(self) -> str:
        return self.state.map_id

    @property
    def odometer_m(self) -> float:
        return float(self.state.drive[d.ODOMETER])

    def go(self, waypoints: Sequence[Waypoint]) -> None:
        """Replace the path. The robot stops first, unless the new path leads straight on."""
        state = self.state
        state.path = _rows(waypoints)
        state.drive[d.LEG] = 0.0
        d.begin(state.drive, state.path, self._const, True)
        self.state.wake()

    def extend(self, waypoints: Sequence[Waypoint]) -> None:
        """Append waypoints to the path."""
        state = self.state
        over = state.drive[d.LEG] >= len(state.path)
        state.path = np.concatenate((state.path, _rows(waypoints)))
        if over:
            d.begin(state.drive, state.path, self._const, True)
        self.state.wake()

    def halt(self) -> None:
        """Stop and discard the path."""
        self.go(())

    def limit_speed(self, mps: float | None) -> None:
        self.state.speed_limit = math.inf if mps is None else max(mps, 0.0)
        self.state.wake()

    def place(self, x: float, y: float, theta: float, map_id: str | None = None) -> None:
        """Set the pose and discard the path."""
        state = self.state
        self.halt()
        state.drive[d.X], state.drive[d.Y], state.drive[d.THETA] = (
            x,
            y,
            math.remainder(theta, 2 * math.pi),
        )
        state.map_id = map_id or state.map_id

    def relocate(self, x: float, y: float, theta: float) -> None:
        """Set the pose, at rest, and begin the present leg again from there."""
        state = self.state
        pose = x, y, math.remainder(theta, 2 * math.pi)
        state.drive[[d.X, d.Y, d.THETA]] = pose
        state.drive[[d.V, d.OMEGA, d.ASKED_V, d.ASKED_OMEGA]] = 0.0
        d.begin(state.drive, state.path, self._const, True)
        state.wake()

    @property
    def path_left(self) -> int:
        return len(self.state.path) - self.reached

    @property
    def reached(self) -> int:
        return int(self.state.drive[d.LEG])

    @property
    def speed_limit(self) -> float:
        """The limit of traffic control in m/s, or inf."""
        return self.state.speed_limit

    def points_left(self) -> list[list[float]]:
        """Return x and y of the waypoints ahead."""
        points: list[list[float]] = self.state.path[self.reached :, : d.PATH_Y + 1].tolist()
        return points

    @property
    def arrived(self) -> bool:
        """True if the robot stands at the end of its path."""
        state = self.state
        return (
            len(state.path) > 0
            and state.drive[d.LEG] >= len(state.path)
            and state.drive[d.PHASE] == d.REST
        )

    @property
    def top_mps(self) -> float:
        return float(self._const[d.TOP_V])

    @property
    def stop_distance_m(self) -> float:
        return float(self.state.drive[d.V] ** 2 / (2.0 * self._const[d.DEC_V]))

    @property
    def leg(self) -> tuple[int, float]:
        """The index of the current leg, and the distance driven on it."""
        drive = self.state.drive
        if drive[d.PHASE] != d.ROLL and drive[d.PHASE] != d.BRAKE:
            return int(drive[d.LEG]), 0.0
        gone = math.hypot(drive[d.X] - drive[d.START_X], drive[d.Y] - drive[d.START_Y])
        return int(drive[d.LEG]), min(gone, float(drive[d.LENGTH]))


def _rows(waypoints: Sequence[Waypoint]) -> m.Array:
    rows = np.zeros((len(waypoints), d.PATH_SIZE))
    for row, to in zip(rows, waypoints, strict=True):
        row[:] = (
            to.x,
            to.y,
            math.nan if to.theta is None else to.theta,
            math.inf if to.max_speed is None else to.max_speed,
            -1.0 if to.bend and not to.stop else float(to.stop),
            float(to.back),
            to.max_turn or 0.0,
        )
    return rows
