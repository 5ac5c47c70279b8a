"""The share of the reachable floor that a robot has driven over, for its page.

It is no part of the robot: it follows from the poses at which pages ask for it. While the panel
runs, it asks ten times per simulated second from the start of the run.
"""

import math
from typing import Any
from weakref import WeakKeyDictionary

from rigless.worlds.floor import Floor

FASTEST_MPS = 2.0  # a faster move is no driving: the robot was placed


class _Swept:
    """The floor of one robot, and the pose up to which it is swept."""

    def __init__(self, grid: Any, radius_m: float, x: float, y: float):
        self.floor = Floor(grid, radius_m)
        self.floor.start(x, y)
        self.x, self.y, self.time_ns = x, y, -1


_swept: WeakKeyDictionary[Any, _Swept] = WeakKeyDictionary()


def covered(robot: Any, radius_m: float, x: float, y: float) -> float:
    """Sweep with a disc to the robot's present place; return the share covered, from 0 to 1."""
    found, now_ns = _swept.get(robot), robot.now_ns
    if found is None or now_ns < found.time_ns:  # another past
        found = _swept[robot] = _Swept(robot.grid, radius_m, x, y)
    if now_ns == found.time_ns:
        return found.floor.share
    reach_m = FASTEST_MPS * (now_ns - found.time_ns) / 1e9
    jumped = found.time_ns >= 0 and math.hypot(x - found.x, y - found.y) > reach_m
    from_x, from_y = (x, y) if jumped else (found.x, found.y)
    found.floor.sweep(from_x, from_y, x, y)
    found.x, found.y, found.time_ns = x, y, now_ns
    return found.floor.share
