"""A world with a map and a layout: robots start at its places and use its stations and chargers."""

from collections.abc import Iterator

from rigless.kernel.inputs import MoveObstacle
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.rate import to_ns
from rigless.kernel.world import Obstacle
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.layout.doors import is_near, leaf_of, leaf_pose, slide
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Door, Layout
from rigless.worlds.layout.starts import start_nodes
from rigless.worlds.layout.stock import SiteState, Stock, fill, settle


class SiteWorld(GridWorld):
    """A map with a layout. `graph` is its navigation graph."""

    State = SiteState
    state: SiteState

    def __init__(self, grid: Grid, layout: Layout, obstacles: dict[str, Obstacle] | None = None):
        self.layout = layout
        self.graph = Graph(layout)
        self.stations = {station.id: station for station in layout.stations}
        self.doors: dict[str, Door] = {}
        super().__init__(grid, obstacles)

    def reset(self) -> None:
        """Return obstacles and loads to their first places."""
        super().reset()
        fill(self.state, self.layout)

    def use_doors(self) -> None:
        """Put the doors of the layout into the world, before the simulation runs."""
        self.doors = {door.id: door for door in self.layout.doors}
        for name in self.doors:
            if name in self._initial:
                what = f"{name!r} is the name of an obstacle and of a door of the layout"
                raise InputError(Problem("doors", what, "give the obstacle another name"))
        leaves = {name: leaf_of(door) for name, door in self.doors.items()}
        self.place({**self._initial, **leaves})

    def door_move(self, name: str, is_open: bool) -> MoveObstacle:
        """Return the move that opens or closes a door. Raises InputError."""
        if name not in self.doors:
            raise unknown("door", name, self.doors)
        return slide(self.doors[name], is_open)

    def tick(self, now_ns: int) -> None:
        """Let sources and sinks act until now, and close automatic doors without a robot."""
        for station in self.layout.stations:
            if station.kind != "storage":
                settle(self.state, station, now_ns)
        for name, door in self.doors.items():
            rest_ns = now_ns - self.state.door_used_ns.get(name, 0)
            if door.auto and door.close_after_s and rest_ns >= to_ns(door.close_after_s):
                self._slide(door, False, now_ns)

    def claim(self, charger: str, robot: str) -> None:
        """Note that a robot uses a charger, and no other one."""
        self.release(robot)
        self.state.claims[charger] = robot

    def release(self, robot: str) -> None:
        """Note that a robot uses no charger."""
        claims = self.state.claims
        self.state.claims = {key: name for key, name in claims.items() if name != robot}

    def approach(self, x_m: float, y_m: float, now_ns: int) -> None:
        """Open the automatic doors near a robot, and keep them open."""
        for name, door in self.doors.items():
            if door.auto and is_near(door, x_m, y_m):
                self.state.door_used_ns[name] = now_ns
                self._slide(door, True, now_ns)

    def _slide(self, door: Door, is_open: bool, now_ns: int) -> None:
        """Begin to open or close a door, unless it does already or was removed."""
        leaf = self.state.obstacles.get(door.id)
        if leaf is not None and tuple(leaf.end) != leaf_pose(door, is_open):
            self.move(slide(door, is_open), now_ns)

    def stock(self, station: str, now_ns: int) -> Stock:
        """Return the loads of a station now."""
        return settle(self.state, self.stations[station], now_ns)

    def starts(self, seed: int) -> Iterator[tuple[float, float, float]]:
        for node in start_nodes(self.layout, self.graph, seed):
            yield node.x, node.y, node.theta or 0.0
