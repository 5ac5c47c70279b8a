"""Speeds that take a robot along a route: turn to the next corner, drive, and turn to the heading.

A robot that drives sideways goes straight to each corner and keeps its heading.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Pose = tuple[float, float, float]
Point = tuple[float, float]
SLOWEST = 0.15  # share of the full speed close to a corner
TURN_ON_SPOT = 0.5  # rad: with a larger error it turns before it drives
AIMED_RAD = 0.03


@dataclass(frozen=True)
class Vehicle:
    """The size, the limits and the kind of drive of a robot.

    `slow_mps2` is the deceleration that the driver counts on. `heading_rad` is added to theta to
    get the direction that the robot calls forward.
    """

    radius_m: float
    speed_mps: float
    turn_radps: float
    slow_mps2: float = 0.5
    sideways: bool = False
    near_m: float = 0.03
    heading_rad: float = 0.0


@dataclass(frozen=True)
class Command:
    """Speeds in the robot's own frame."""

    forward_mps: float = 0.0
    left_mps: float = 0.0
    turn_radps: float = 0.0


class Follower:
    """Follows one route. `theta` is the heading at its end, if that matters."""

    def __init__(self, route: Sequence[Point], theta: float | None, vehicle: Vehicle):
        self.route, self.theta, self._vehicle = list(route), theta, vehicle
        self.next = min(1, len(self.route) - 1)
        self._settled = False  # stands on the goal

    def command(self, pose: Pose, step_s: float) -> Command | None:
        """Return the speeds for the next step, or None at the goal.

        `step_s` is the time until the next command.
        """
        vehicle = self._vehicle
        while self.next < len(self.route) - 1 and self._left_m(pose) < self._corner_m():
            self.next += 1
        left_m = self._left_m(pose)
        last = self.next == len(self.route) - 1
        near_m = 2.0 * vehicle.near_m if self._settled else vehicle.near_m
        if last and left_m < near_m:
            self._settled = True
            return self._align(pose, step_s)
        self._settled = False
        speed = min(vehicle.speed_mps, math.sqrt(2.0 * vehicle.slow_mps2 * left_m))
        speed = min(max(speed, SLOWEST * vehicle.speed_mps), 0.5 * left_m / step_s)
        x, y = self.route[self.next]
        ahead = math.atan2(y - pose[1], x - pose[0])
        error = math.remainder(ahead - pose[2] - vehicle.heading_rad, math.tau)
        if vehicle.sideways:
            return Command(speed * math.cos(error), speed * math.sin(error))
        turn = self._turn(error, step_s)
        return Command(0.0 if abs(error) > TURN_ON_SPOT else speed * math.cos(error), 0.0, turn)

    def _left_m(self, pose: Pose) -> float:
        return math.dist(self.route[self.next], pose[:2])

    def _corner_m(self) -> float:
        return max(self._vehicle.near_m, 0.2 * self._vehicle.radius_m)

    def _align(self, pose: Pose, step_s: float) -> Command | None:
        error = math.remainder((self.theta or 0.0) - pose[2], math.tau)
        if self.theta is None or abs(error) < AIMED_RAD:
            return None
        return Command(turn_radps=self._turn(error, step_s))

    def _turn(self, error: float, step_s: float) -> float:
        limit = self._vehicle.turn_radps
        return max(-limit, min(limit, error * min(2.5, 0.5 / step_s)))
