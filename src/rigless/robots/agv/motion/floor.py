"""Robots as obstacles to each other: the gap from each robot to the next one ahead.

The poses of all robots are taken together, once per instant, so that their order of ticks does not
matter.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.robot import Robot
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion.obstacles import box_span, disc_gap

Array = NDArray[np.float64]


@compiled
def robot_gap(
    drives: Array, sizes: Array, me: int, heading: float, deceleration: float, reaction_s: float
) -> tuple[float, float]:
    """Return the gap ahead of robot `me`, and how much of it is free once both robots stand.

    Robots that come towards `me` are taken to brake as it does. A row of `sizes` is half the length
    and half the width of a robot.
    """
    x, y, half_length, half_width = drives[me, d.X], drives[me, d.Y], sizes[me, 0], sizes[me, 1]
    c, s, nearest, free = math.cos(heading), math.sin(heading), math.inf, math.inf
    for k in range(drives.shape[0]):
        dx, dy = drives[k, d.X] - x, drives[k, d.Y] - y
        ahead, aside, reach = c * dx + s * dy, c * dy - s * dx, sizes[k, 0] + sizes[k, 1]
        if k == me or ahead <= 0.0 or abs(aside) > half_width + reach:
            continue
        turned = drives[k, d.THETA] - heading
        low, high = box_span(ahead, aside, sizes[k, 0], sizes[k, 1], turned, half_width)
        if high > 0.0:
            gap, coming = max(low - half_length, 0.0), max(-drives[k, d.V] * math.cos(turned), 0.0)
            brakes = coming * (coming / (2.0 * deceleration) + reaction_s) if coming > 0.0 else 0.0
            nearest, free = min(nearest, gap), min(free, gap - brakes)
    return nearest, free


class Floor:
    """The robots of one world. `machines` are AGVs; other robots are known as discs only."""

    def __init__(self, machines: Sequence[Any], others: Sequence[Robot]):
        self._machines = machines
        self._others = others
        self._sizes = np.array(
            [(machine.half_length_m, machine.half_width_m) for machine in machines]
        )
        self._now_ns = -1
        self._states: list[Any] = [None for _ in machines]
        self._drives, self._discs = np.zeros((0, d.DRIVE_SIZE)), np.zeros((0, 3))

    def look(
        self,
        me: int,
        now_ns: int,
        place: tuple[float, float, float, float, float],
        deceleration: float,
        reaction_s: float,
    ) -> tuple[float, float]:
        """Return `robot_gap` for the machine with index `me`.

        `place` is its pose and size, as for `disc_gap`.
        """
        again = (
            self._states[me] is not self._machines[me].state
        )  # the same instant, after a restore
        if again or now_ns != self._now_ns:
            self._now_ns = now_ns
            self._gather()
        gap, free = robot_gap(self._drives, self._sizes, me, place[2], deceleration, reaction_s)
        if len(self._discs):
            disc = disc_gap(self._discs, *place)
            gap, free = min(gap, disc), min(free, disc)
        return gap, free

    def _gather(self) -> None:
        self._states = [machine.state for machine in self._machines]
        self._drives = np.array([state.drive for state in self._states])
        discs = [disc for robot in self._others if (disc := robot.footprint()) is not None]
        self._discs = np.array(discs).reshape(-1, 3)
