"""The floor that robots share: what each of them sees of the others, and what it touches.

The poses of all robots are taken together, once per instant, so that their order of ticks does not
matter. While nothing moves, nothing is computed.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.robot import Robot
from rigless.kernel.world import World
from rigless.robots.agv.motion import contacts as c
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import field as f
from rigless.robots.agv.motion.footprint import MOST, Point, put_all, reach_of
from rigless.robots.agv.motion.neighbours import sort_into_cells
from rigless.robots.agv.motion.obstacles import disc_gap, shapes_of
from rigless.worlds.grid_world import GridWorld

Array = NDArray[np.float64]
CELL_M = 2.0  # of the spatial index
NO_WALLS = np.zeros((1, 1), bool)
NO_CLEARANCE = np.zeros((1, 1), np.float32)


class Standing(Protocol):
    """A machine, as the floor uses it."""

    name: str
    state: Any
    corners: list[Point]
    stop_m: float

    @property
    def has_walls(self) -> bool: ...

    def field_kind(self) -> Sequence[float]: ...

    @property
    def waits(self) -> bool: ...


class Touch(NamedTuple):
    """A contact: what is touched, how deep, where, and how fast both closed in on each other."""

    kind: str  # robot, obstacle or wall
    other: str
    depth_m: float
    x_m: float
    y_m: float
    closing_mps: float


class Floor:
    """The robots of one world. `machines` are AGVs; other robots are known as discs only."""

    def __init__(self, machines: Sequence[Standing], others: Sequence[Robot], world: World):
        self._machines, self._others, self._world = machines, others, world
        count, self.names = len(machines), [machine.name for machine in machines]
        self._now_ns, self._moved, self._changed = -1, True, True
        self._names: list[str] = []
        self._disc_names: list[str] = []
        self._box_names: list[str] = []
        self._states: list[Any] = [None for _ in machines]
        self._drives = np.zeros((count, d.DRIVE_SIZE))
        self._kinds, self._stops = np.zeros((count, f.KIND_SIZE)), np.zeros(count)
        self._corners, self._shapes = np.zeros((count, MOST, 2)), np.zeros((count, MOST, 2))
        self._counts, self._cells = np.zeros(count, np.int64), np.zeros((count, 2), np.int64)
        self._starts, self._items = np.zeros(count + 1, np.int64), np.zeros(count, np.int64)
        self._fields = np.zeros((count, f.FIELD_SIZE))
        self._blocking = np.full((count, f.MOST_BLOCKING), -1, np.int64)
        self._walled = np.array([machine.has_walls for machine in machines], bool)
        self._touches, self._touching = np.zeros((count + 16, c.TOUCH_SIZE)), 0
        self._rows: dict[int, list[Array]] = {}
        self.discs, self.boxes = np.zeros((0, 3)), np.zeros((0, 5))
        self.version = 0  # of the obstacles: it rises whenever one moves
        self._blocks: list[tuple[Any, Array]] = []  # indices, and the poses of these robots
        self._singles: list[int] = list(range(count))  # robots that are in no block
        self._round, self.others_here = np.zeros((0, 3)), False  # robots of other kinds
        grid = world.grid if isinstance(world, GridWorld) else None
        self._occupied = grid.occupied if grid is not None else NO_WALLS
        self._clear = grid.clear if grid is not None else NO_CLEARANCE
        self._frame = np.zeros(4)
        if grid is not None:
            self._frame[:] = *grid.origin, grid.resolution_m

    # Observation

    def look(self, me: int, now_ns: int) -> tuple[float, float, bool]:
        """Return the gap ahead of a robot, how much of it is free, and if its turn is blocked."""
        self._refresh(me, now_ns)
        gap, free, turn = self._fields[me].tolist()
        return gap, free, turn > 0.0

    def touches(self, me: int, now_ns: int) -> list[Touch]:
        """Return the contacts of a robot."""
        self._refresh(me, now_ns)
        rows = self._rows.get(me)
        return [self._touch(row) for row in rows] if rows else []

    def shown(self, me: int, now_ns: int) -> int:
        """Return a number that changes whenever an obstacle has moved."""
        self._refresh(me, now_ns)
        return self.version

    def shapes(self, me: int, now_ns: int) -> tuple[Array, Array]:
        """Return the obstacles of the world as discs and boxes."""
        self._refresh(me, now_ns)
        return self.discs, self.boxes

    def at(self, now_ns: int) -> tuple[Array, Iterable[int]]:
        """Return the fields of all robots, and the robots that touch something."""
        self._refresh(0, now_ns)
        return self._fields, self._rows

    def use_blocks(self, blocks: list[tuple[Any, Array]]) -> None:
        """Read the poses of these robots from arrays instead of their states."""
        self._blocks = blocks
        covered = {int(k) for numbers, _ in blocks for k in numbers}
        self._singles = [k for k in range(len(self._machines)) if k not in covered]
        self._now_ns, self._moved = -1, True

    def gap_to_others(self, place: tuple[float, float, float, float, float]) -> float:
        """Return the gap ahead to robots of other kinds; `place` is as for `disc_gap`."""
        return float(disc_gap(self._round, *place)) if len(self._round) else float("inf")

    def is_taken(self, me: int, x_m: float, y_m: float, now_ns: int) -> bool:
        """Return True if a robot other than `me` stands at a point."""
        self._refresh(me, now_ns)
        away = np.hypot(self._drives[:, d.X] - x_m, self._drives[:, d.Y] - y_m)
        near = away < self._kinds[:, f.REACH]
        near[me] = False
        rounds = np.hypot(self._round[:, 0] - x_m, self._round[:, 1] - y_m) < self._round[:, 2]
        return bool(near.any() or rounds.any())

    def circle(self, me: int) -> list[str]:
        """Return the names of robots that block each other in a circle with this one, or []."""
        path, seen = [me], {me}

        def search(robot: int) -> bool:
            for other in self._blocked_by(robot):
                if other == me:
                    return True
                if other not in seen:
                    seen.add(other)
                    path.append(other)
                    if search(other):
                        return True
                    path.pop()
            return False

        if not search(me):
            return []
        first = path.index(min(path))
        return [self._machines[robot].name for robot in (*path[first:], *path[:first])]

    def _blocked_by(self, robot: int) -> Iterator[int]:
        if self._machines[robot].waits:
            yield from (int(other) for other in self._blocking[robot] if other >= 0)

    def _touch(self, row: Array) -> Touch:
        kind, which = int(row[c.KIND]), int(row[c.WHICH])
        depth, x, y, closing = row[c.DEPTH : c.CLOSING + 1].tolist()
        if kind == c.WALL:
            return Touch("wall", "wall", depth, x, y, closing)
        if kind == c.ROBOT:
            return Touch("robot", self._machines[which].name, depth, x, y, closing)
        if kind == c.OTHER:
            return Touch("robot", self._names[which], depth, x, y, closing)
        name = (self._disc_names if kind == c.DISC else self._box_names)[which]
        return Touch("obstacle", name, depth, x, y, closing)

    # Change

    def moved(self) -> None:
        """Note that a robot has moved."""
        self._moved = True

    def changed(self) -> None:
        """Note that a robot has another shape or other settings."""
        self._changed = True

    def _refresh(self, me: int, now_ns: int) -> None:
        restored = self._states[me] is not self._machines[me].state
        if now_ns == self._now_ns and not restored:
            return
        self._now_ns = now_ns
        self._changed = self._changed or restored
        if self._world.state.obstacles or len(self.discs) or len(self.boxes):
            self._see_obstacles(now_ns)
        if self._moved or self._changed or self._others:
            self._gather()

    def _see_obstacles(self, now_ns: int) -> None:
        """Read where the obstacles are now."""
        before, obstacles = (self.discs, self.boxes), self._world.state.obstacles
        self.discs, self.boxes = shapes_of(self._world, now_ns)
        disc_names = [name for name, one in obstacles.items() if one.size_m is None]
        box_names = [name for name, one in obstacles.items() if one.size_m is not None]
        names = disc_names, box_names
        same = names == (self._disc_names, self._box_names)
        if not same or not all(map(np.array_equal, before, (self.discs, self.boxes))):
            self._disc_names, self._box_names = names
            self._moved = True
            self.version += 1

    def _gather(self) -> None:
        self._states = [machine.state for machine in self._machines]
        for numbers, drives in self._blocks:
            self._drives[numbers] = drives
        for k in self._singles:
            self._drives[k] = self._states[k].drive
        if self._changed:
            self._measure()
        self._moved = self._changed = False
        discs = [
            (robot.name, disc) for robot in self._others if (disc := robot.footprint()) is not None
        ]
        self._names = [name for name, _ in discs]
        self._round = np.array([disc for _, disc in discs]).reshape(-1, 3)
        self.others_here = len(discs) > 0
        self._aim()
        put_all(self._drives, self._corners, self._counts, self._shapes)
        sort_into_cells(self._drives, CELL_M, self._cells, self._starts, self._items)
        f.see_all(
            self._drives, self._kinds, self._corners, self._shapes, self._counts, self._cells,
            self._starts, self._items, CELL_M, self._stops, self._fields, self._blocking,
        )  # fmt: skip
        while True:
            found = c.touch_all(
                self._drives, self._kinds, self._shapes, self._counts, self._cells, self._starts,
                self._items, CELL_M, self._round, self.discs, self.boxes, self._walled,
                self._occupied, self._clear, self._frame, self._touches,
            )  # fmt: skip
            if found <= len(self._touches):
                break
            self._touches = np.zeros((2 * found, c.TOUCH_SIZE))
        self._rows = {}
        for row in self._touches[:found]:
            self._rows.setdefault(int(row[c.WHO]), []).append(row.copy())

    def _measure(self) -> None:
        """Read shapes and settings of all robots."""
        for k, machine in enumerate(self._machines):
            corners = machine.corners
            self._counts[k] = len(corners)
            self._corners[k, : len(corners)] = corners
            self._kinds[k] = machine.field_kind()
            self._kinds[k, f.REACH] = reach_of(corners)
            self._stops[k] = machine.stop_m

    def _aim(self) -> None:
        """Write the headings that turning robots turn to."""
        self._kinds[:, f.AIM] = self._drives[:, d.HEADING]
        for k in np.flatnonzero(self._drives[:, d.PHASE] == d.ALIGN).tolist():
            state = self._states[k]
            self._kinds[k, f.AIM] = state.path[int(state.drive[d.LEG]), d.PATH_THETA]
