"""The share of the reachable floor that a robot has driven over, for its page.

It is no part of the robot: it follows from the poses at which pages ask for it. While the panel
runs, it asks ten times per simulated second from the start of the run.
"""

import math
from bisect import bisect_right
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from rigless.worlds.floor import Floor

FASTEST_MPS = 2.0  # a faster move is no driving: the robot was placed
STEP_M = 0.005  # shorter moves are joined
STRAIGHT_M = 0.002  # places nearer to a line are left out of the path


class _Place(NamedTuple):
    """A place of the robot. It drove there if it was not `placed`."""

    time_ns: int
    x: float
    y: float
    placed: bool


class _Swept:
    """The floor of one robot, and its path from the start of the run.

    The path tells what was swept before a jump back: to a snapshot, or in a recording.
    """

    def __init__(self, grid: Any, radius_m: float, start: _Place):
        self._grid, self._radius_m = grid, radius_m
        self.time_ns = start.time_ns
        self._begin(start)

    def _begin(self, start: _Place) -> None:
        self.floor = Floor(self._grid, self._radius_m)
        self.floor.start(start.x, start.y)
        self._path: list[_Place] = []
        self._sweep(start)

    def look(self, time_ns: int, x: float, y: float) -> None:
        """Sweep to the present place, or forget what was swept after this time."""
        if time_ns < self.time_ns:
            self._go_back(time_ns, _Place(time_ns, x, y, placed=True))
        last = self._path[-1]
        away_m = math.hypot(x - last.x, y - last.y)
        if away_m > STEP_M:
            placed = away_m > STEP_M + FASTEST_MPS * (time_ns - self.time_ns) / 1e9
            self._sweep(_Place(time_ns, x, y, placed))
        self.time_ns = time_ns

    def _sweep(self, to: _Place) -> None:
        path = self._path
        begin = to if to.placed else path[-1]
        self.floor.sweep(begin.x, begin.y, to.x, to.y)
        drove = len(path) > 1 and not (to.placed or path[-1].placed)
        if drove and _on_line(path[-2], path[-1], to):
            path[-1] = to
        else:
            path.append(to)

    def _go_back(self, time_ns: int, otherwise: _Place) -> None:
        path = self._path[: bisect_right(self._path, time_ns, key=lambda one: one.time_ns)]
        self._begin(path[0] if path else otherwise)
        for place in path[1:]:
            self._sweep(place)
        self.time_ns = self._path[-1].time_ns


def _on_line(begin: _Place, middle: _Place, end: _Place) -> bool:
    """Return whether the middle is between the others, on a straight line."""
    x, y = end.x - begin.x, end.y - begin.y
    length = math.hypot(x, y)
    to_x, to_y = middle.x - begin.x, middle.y - begin.y
    along, across = x * to_x + y * to_y, x * to_y - y * to_x
    return 0 <= along <= length**2 and abs(across) <= STRAIGHT_M * length


_swept: WeakKeyDictionary[Any, _Swept] = WeakKeyDictionary()


def covered(robot: Any, radius_m: float, x: float, y: float) -> float:
    """Sweep with a disc to the robot's present place; return the share covered, from 0 to 1."""
    found, now_ns = _swept.get(robot), robot.now_ns
    if found is None:
        start = _Place(now_ns, x, y, placed=True)
        found = _swept[robot] = _Swept(robot.grid, radius_m, start)
    if now_ns != found.time_ns:
        found.look(now_ns, x, y)
    return found.floor.share
