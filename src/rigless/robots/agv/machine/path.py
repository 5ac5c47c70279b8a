"""Where the robot is, and where it is told to go: the part of the machine that speaks of the path. How it is driven is in drive.py."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigless.robots.agv.machine.health import Health
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m


@dataclass
class Waypoint:
    """Where to go. `theta`: the heading to end with; `max_speed`: of the leg that leads there; without `stop`, the robot goes through at speed
    if the next leg is straight on."""

    x: float
    y: float
    theta: float | None = None
    max_speed: float | None = None
    stop: bool = True


class Travel(Health):
    const: m.Array  # of the drive

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
        """Whether it turns in place, or is about to."""
        return int(self.state.drive[d.PHASE]) in (d.SWING, d.ALIGN)

    @property
    def backwards(self) -> bool:
        """Whether it goes backwards, or is about to."""
        drive = self.state.drive
        return bool(drive[d.BACK] > 0.0 and drive[d.PHASE] != d.REST)

    @property
    def map_id(self) -> str:
        return self.state.map_id

    @property
    def odometer_m(self) -> float:
        return float(self.state.drive[d.ODOMETER])

    def go(self, waypoints: Sequence[Waypoint]) -> None:
        """Go along these waypoints, instead of wherever the robot was going; it comes to rest first, unless they lead straight on."""
        state = self.state
        state.path = _rows(waypoints)
        state.drive[d.LEG] = 0.0
        d.begin(state.drive, state.path, self.const, True)
        self.wake()

    def extend(self, waypoints: Sequence[Waypoint]) -> None:
        """Go on along these waypoints after the last one."""
        state = self.state
        over = state.drive[d.LEG] >= len(state.path)
        state.path = np.concatenate((state.path, _rows(waypoints)))
        if over:
            d.begin(state.drive, state.path, self.const, True)
        self.wake()

    def halt(self) -> None:
        """Come to rest and forget the path."""
        self.go(())

    def limit_speed(self, mps: float | None) -> None:
        self.state.speed_limit = math.inf if mps is None else max(mps, 0.0)
        self.wake()

    def place(self, x: float, y: float, theta: float, map_id: str | None = None) -> None:
        """The robot is here; it forgets its path."""
        state = self.state
        self.halt()
        state.drive[d.X], state.drive[d.Y], state.drive[d.THETA] = (
            x,
            y,
            math.remainder(theta, 2 * math.pi),
        )
        state.map_id = map_id or state.map_id

    @property
    def path_left(self) -> int:
        return len(self.state.path) - self.reached

    @property
    def reached(self) -> int:
        return int(self.state.drive[d.LEG])

    @property
    def arrived(self) -> bool:
        """At rest at the end of its path."""
        state = self.state
        return (
            len(state.path) > 0
            and state.drive[d.LEG] >= len(state.path)
            and state.drive[d.PHASE] == d.REST
        )

    @property
    def top_mps(self) -> float:
        return float(self.const[d.TOP_V])

    @property
    def stop_distance_m(self) -> float:
        return float(self.state.drive[d.V] ** 2 / (2.0 * self.const[d.DEC_V]))

    @property
    def leg(self) -> tuple[int, float]:
        """Which leg the robot is on, and how far along it."""
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
            float(to.stop),
        )
    return rows
