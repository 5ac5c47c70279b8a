"""A world with a map and a layout: robots start at its places and use its stations and chargers."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from rigless.kernel.inputs import MoveObstacle, SetDevice
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.timing.rate import to_ns
from rigless.kernel.world import Obstacle, WorldState
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.layout.devices import BeltState, LiftState
from rigless.worlds.layout.doors import is_near, leaf_of, leaf_pose, slide
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Conveyor, Door, Layout, Lift
from rigless.worlds.layout.starts import start_nodes
from rigless.worlds.layout.stock import Stock, fill, settle


@dataclass
class SiteState(WorldState):
    """The changing part of a world with a layout."""

    stocks: dict[str, Stock] = field(default_factory=dict)  # by station
    loads_made: int = 0
    claims: dict[str, str] = field(default_factory=dict)  # robots by the chargers that they use
    door_used_ns: dict[str, int] = field(default_factory=dict)  # when a robot was near
    lifts: dict[str, LiftState] = field(default_factory=dict)
    belts: dict[str, BeltState] = field(default_factory=dict)


class SiteWorld(GridWorld):
    """A map with a layout. `graph` is its navigation graph."""

    State = SiteState
    state: SiteState

    def __init__(self, grid: Grid, layout: Layout, obstacles: dict[str, Obstacle] | None = None):
        self.layout = layout
        self.graph = Graph(layout)
        self.stations = {station.id: station for station in layout.stations}
        self.doors: dict[str, Door] = {}
        self.lifts = {lift.id: lift for lift in layout.lifts}
        self.conveyors = {one.id: one for one in layout.conveyors}
        self.lift_doors = {
            floor.door: lift.id for lift in layout.lifts for floor in lift.floors if floor.door
        }
        self._ticked_ns = -1
        super().__init__(grid, obstacles)

    def reset(self) -> None:
        """Return obstacles and loads to their first places."""
        super().reset()
        fill(self.state, self.layout)
        self._ticked_ns = -1
        self.state.lifts = {name: LiftState() for name in self.lifts}
        self.state.belts = {
            name: BeltState(running=one.running) for name, one in self.conveyors.items()
        }

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
        """Let sources, sinks, conveyors and lifts act until now, and close automatic doors."""
        if now_ns == self._ticked_ns:
            return
        self._ticked_ns = now_ns
        for station in self.layout.stations:
            if station.kind != "storage":
                settle(self.state, station, now_ns)
        self._run_belts(now_ns)
        for name in self.lifts:
            self.lift(name, now_ns)
        for name, door in self.doors.items():
            rest_ns = now_ns - self.state.door_used_ns.get(name, 0)
            closes = door.auto and door.close_after_s and name not in self.lift_doors
            if closes and rest_ns >= to_ns(door.close_after_s):
                self._slide(door, False, now_ns)

    # Lifts and conveyors

    def lift(self, name: str, now_ns: int) -> LiftState:
        """Return a lift as it is now. The door of a floor is open while the car stands there."""
        state, lift = self.state.lifts[name], self.lifts[name]
        state.settle(now_ns)
        for n, floor in enumerate(lift.floors):
            if floor.door in self.doors:
                self._slide(self.doors[floor.door], state.stands_at == n, now_ns)
        return state

    def send_lift(self, name: str, floor: int, now_ns: int) -> None:
        """Let the car of a lift go to a floor."""
        state, lift = self.lift(name, now_ns), self.lifts[name]
        door = self.doors.get(lift.floors[state.floor].door or "")
        state.send(lift, floor, now_ns, door.seconds if door is not None else 0.0)
        self.lift(name, now_ns)

    def door_is_open(self, name: str, now_ns: int) -> bool:
        """Return True if a door is open, or is not in this world."""
        door, leaf = self.doors.get(name), self.state.obstacles.get(name)
        return door is None or leaf is None or tuple(leaf.pose(now_ns)) == leaf_pose(door, True)

    def operate_door(self, name: str, is_open: bool, now_ns: int) -> None:
        """Open or close a door."""
        self.state.door_used_ns[name] = now_ns
        self._slide(self.doors[name], is_open, now_ns)

    def belt_ends(self, conveyor: Conveyor) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where a conveyor begins and ends."""
        first, last = (self._place_of(name) for name in (conveyor.start, conveyor.end))
        return first, last

    def _place_of(self, station: str) -> tuple[float, float]:
        given = self.stations[station]
        place = given.place if given.place is not None else self.graph.nodes[given.node]
        return place.x, place.y

    def _run_belts(self, now_ns: int) -> None:
        for name, one in self.conveyors.items():
            (ax, ay), (bx, by) = self.belt_ends(one)
            start, end = self.state.stocks[one.start], self.state.stocks[one.end]
            slots, length_m = self.stations[one.end].slots, math.hypot(bx - ax, by - ay)
            belt = self.state.belts[name]
            belt.settle(start, end, slots, length_m, one.speed_mps, now_ns)

    def check_device(self, given: SetDevice) -> None:
        if given.name in self.lifts:
            lift = self.lifts[given.name]
            if given.key == "floor":
                floor_index(lift, str(given.value))
                return
        elif given.name not in self.conveyors:
            raise unknown("device", given.name, [*self.lifts, *self.conveyors])
        if given.key != "running" or not isinstance(given.value, bool):
            fix = "running = true or false" + (", or a floor" if given.name in self.lifts else "")
            raise InputError(Problem(given.name, f"cannot set {given.key} to {given.value}", fix))

    def set_device(self, given: SetDevice, now_ns: int) -> None:
        self._run_belts(now_ns)
        if given.name in self.conveyors:
            self.state.belts[given.name].running = bool(given.value)
        elif given.key == "running":
            self.lift(given.name, now_ns).running = bool(given.value)
        else:
            state = self.lift(given.name, now_ns)
            if state.running and not state.end_ns and not state.user:
                floor = floor_index(self.lifts[given.name], str(given.value))
                self.send_lift(given.name, floor, now_ns)

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
            if door.auto and name not in self.lift_doors and is_near(door, x_m, y_m):
                self.state.door_used_ns[name] = now_ns
                self._slide(door, True, now_ns)

    def _slide(self, door: Door, is_open: bool, now_ns: int) -> None:
        """Begin to open or close a door, unless it does already or was removed."""
        leaf = self.state.obstacles.get(door.id)
        if leaf is not None and tuple(leaf.end) != leaf_pose(door, is_open):
            self.move(slide(door, is_open), now_ns)

    def stock(self, station: str, now_ns: int) -> Stock:
        """Return the loads of a station now."""
        self._run_belts(now_ns)
        return settle(self.state, self.stations[station], now_ns)

    def starts(self, seed: int) -> Iterator[tuple[float, float, float]]:
        for node in start_nodes(self.layout, self.graph, seed):
            yield node.x, node.y, node.theta or 0.0


def floor_index(lift: Lift, name: str) -> int:
    """Return the index of a floor by its name. Raises InputError."""
    names = [floor.name for floor in lift.floors]
    if name not in names:
        raise unknown("floor", name, names, lift.id)
    return names.index(name)
