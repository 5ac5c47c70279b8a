"""A world with a map and a layout: robots start at its places and use its stations and chargers."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from rigless.kernel.inputs import MoveObstacle, SetDevice
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.timing.rate import to_ns
from rigless.kernel.world import Obstacle, Shards
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.layout.devices import BeltState, LiftState
from rigless.worlds.layout.doors import is_near, leaf_of, leaf_pose, slide
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Conveyor, Door, Layout, Lift
from rigless.worlds.layout.sharing.keepers import Sharing
from rigless.worlds.layout.sharing.messages import check_message, message_of, read_message
from rigless.worlds.layout.sharing.requests import carry_out
from rigless.worlds.layout.sharing.state import Answer, Request, SiteState
from rigless.worlds.layout.starts import start_nodes
from rigless.worlds.layout.stock import Stock, fill, settle

TICK_S = 0.1


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
        self.sharing = Sharing(layout)
        self.all_things = self.things()
        super().__init__(grid, obstacles)

    def reset(self) -> None:
        """Return obstacles and loads to their first places."""
        super().reset()
        fill(self.state, self.layout)
        self._loads_at_start = self.state.loads_made
        self.state.lifts = {name: LiftState() for name in self.lifts}
        self.state.belts = {
            name: BeltState(running=one.running) for name, one in self.conveyors.items()
        }

    def use_doors(self) -> None:
        """Put the doors of the layout into the world, before the simulation runs."""
        self.doors = {door.id: door for door in self.layout.doors}
        self.all_things = self.things()
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
        """Let sources, sinks, conveyors and lifts act until now, and close automatic doors.

        Each robot calls this once a second. That is more often than necessary in a large fleet.
        """
        if 0 <= now_ns - self.state.ticked_ns < to_ns(TICK_S):
            return
        self.state.ticked_ns = now_ns
        for station in self.layout.stations:
            if station.kind != "storage":
                self._settle(station.id, now_ns)
        self._run_belts(now_ns)
        for name in self.lifts:
            self.lift(name, now_ns)
        for name, door in self.doors.items():
            rest_ns = now_ns - self.state.door_used_ns.get(name, 0)
            closes = self._is_automatic(door) and door.close_after_s
            if closes and rest_ns >= to_ns(door.close_after_s):
                self._slide(door, False, now_ns)
        self.sharing.attend(self.state.shared, now_ns)

    # Things that several shards use

    def share(self, shards: Shards) -> None:
        self.sharing.use(shards)
        self.state.loads_made = self._loads_at_start + self.sharing.number
        self.state.loads_step = self.sharing.count

    def check_shared(self, content: dict[str, Any]) -> None:
        check_message(content)

    def receive(self, shard: int, content: dict[str, Any], now_ns: int) -> None:
        read_message(self, shard, content, now_ns)

    def outgoing(self) -> dict[str, Any]:
        return message_of(self, *self.sharing.take())

    def things_of(self, shard: int) -> dict[str, Any]:
        things = {thing for thing in self.all_things if self.sharing.keeper(thing) == shard}
        return message_of(self, things, [], [])

    def things(self) -> set[str]:
        """Return the names of all things: their kinds and ids. A lift includes its doors."""
        kinds: dict[str, Iterable[str]] = {
            "stations": self.stations,
            "belts": self.conveyors,
            "chargers": (charger.id for charger in self.layout.chargers),
            "lifts": self.lifts,
            "doors": (door for door in self.doors if door not in self.lift_doors),
        }
        return {f"{kind}/{name}" for kind, names in kinds.items() for name in names}

    def ask(self, request: Request, now_ns: int) -> Answer | None:
        """Use a thing. Return None until the shard that keeps it has answered: ask again."""
        if self.sharing.keeps(request.thing):
            return carry_out(self, request, now_ns)
        return self.sharing.poll(self.state.shared, request, now_ns)

    def tell(self, request: Request, now_ns: int) -> None:
        """Use a thing, at the latest once the shard that keeps it has received it."""
        if self.sharing.keeps(request.thing):
            carry_out(self, request, now_ns)
        else:
            self.sharing.tell(self.state.shared, request, now_ns)

    def claim(self, charger: str, robot: str, now_ns: int) -> bool | None:
        """Let a robot use a charger, and no other one; None: the answer is not there yet.

        It is refused if another robot uses the charger.
        """
        answer = self.ask(Request(robot, "claim", f"chargers/{charger}"), now_ns)
        if answer is not None and answer.granted:
            self.release(robot, now_ns, without=charger)
        return None if answer is None else answer.granted

    def occupy(self, charger: str, robot: str, now_ns: int) -> None:
        """Note that a robot stands at a charger, and uses no other one."""
        self.release(robot, now_ns, without=charger)
        self.tell(Request(robot, "occupy", f"chargers/{charger}"), now_ns)

    def release(self, robot: str, now_ns: int, without: str = "") -> None:
        """Note that a robot uses no charger, without the one named."""
        for charger, name in list(self.state.claims.items()):
            if name == robot and charger != without:
                self.tell(Request(robot, "release", f"chargers/{charger}"), now_ns)

    # Lifts and conveyors

    def lift(self, name: str, now_ns: int) -> LiftState:
        """Return a lift as it is now.

        The door of a floor is open while the car stands there, unless it was moved by hand.
        """
        state, lift = self.state.lifts[name], self.lifts[name]
        state.settle(now_ns)
        for n, floor in enumerate(lift.floors):
            if floor.door in self.doors:
                is_open = state.by_hand.get(floor.door, state.stands_at == n)
                self._slide(self.doors[floor.door], is_open, now_ns)
        return state

    def send_lift(self, name: str, floor: int, now_ns: int) -> None:
        """Let the car of a lift go to a floor."""
        state, lift = self.lift(name, now_ns), self.lifts[name]
        door = self.doors.get(lift.floors[state.floor].door or "")
        state.send(lift, floor, now_ns, door.seconds if door is not None else 0.0)
        self.lift(name, now_ns)
        self.sharing.changed(f"lifts/{name}")

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
            if not self.sharing.keeps(f"belts/{name}"):
                belt.advance(length_m, one.speed_mps, now_ns)
            elif belt.settle(start, end, slots, length_m, one.speed_mps, now_ns):
                for thing in (f"belts/{name}", f"stations/{one.start}", f"stations/{one.end}"):
                    self.sharing.changed(thing)

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
            self.sharing.changed(f"belts/{given.name}")
            return
        state = self.lift(given.name, now_ns)
        if given.key == "running":
            state.running = bool(given.value)
        elif state.running and not state.end_ns and not state.user:
            floor = floor_index(self.lifts[given.name], str(given.value))
            self.send_lift(given.name, floor, now_ns)
        self.sharing.changed(f"lifts/{given.name}")

    def move(self, move: MoveObstacle, now_ns: int) -> None:
        """Begin a move of an obstacle, or of a door by hand."""
        super().move(move, now_ns)
        door, lift = self.doors.get(move.name), self.lift_doors.get(move.name, "")
        if door is None:
            return
        is_open = (move.x_m, move.y_m, move.theta_rad) == leaf_pose(door, True)
        if lift:
            self.state.lifts[lift].by_hand[move.name] = is_open
            self.sharing.changed(f"lifts/{lift}")
        else:
            self.state.door_used_ns[move.name] = now_ns
            self.sharing.changed(f"doors/{move.name}")

    def approach(self, x_m: float, y_m: float, now_ns: int) -> None:
        """Open the automatic doors near a robot, and keep them open."""
        for name, door in self.doors.items():
            if self._is_automatic(door) and is_near(door, x_m, y_m):
                self.operate_door(name, True, now_ns)

    def _is_automatic(self, door: Door) -> bool:
        """Return True if this process opens and closes the door by itself."""
        alone = door.auto and door.id not in self.lift_doors
        return alone and self.sharing.keeps(f"doors/{door.id}")

    def _slide(self, door: Door, is_open: bool, now_ns: int) -> None:
        """Begin to open or close a door, unless it does already or was removed."""
        leaf = self.state.obstacles.get(door.id)
        if leaf is not None and tuple(leaf.end) != leaf_pose(door, is_open):
            super().move(slide(door, is_open), now_ns)
            if door.id not in self.lift_doors:
                self.sharing.changed(f"doors/{door.id}")

    def stock(self, station: str, now_ns: int) -> Stock:
        """Return the loads of a station now."""
        self._run_belts(now_ns)
        return self._settle(station, now_ns)

    def _settle(self, name: str, now_ns: int) -> Stock:
        """Return the loads of a station after what a source or a sink has done until now."""
        stock, thing = self.state.stocks[name], f"stations/{name}"
        if not self.sharing.keeps(thing):
            return stock
        before = len(stock.loads), stock.next_ns
        settle(self.state, self.stations[name], now_ns)
        if before != (len(stock.loads), stock.next_ns):
            self.sharing.changed(thing)
        return stock

    def starts(self, seed: int) -> Iterator[tuple[float, float, float]]:
        for node in start_nodes(self.layout, self.graph, seed):
            yield node.x, node.y, node.theta or 0.0


def floor_index(lift: Lift, name: str) -> int:
    """Return the index of a floor by its name. Raises InputError."""
    names = [floor.name for floor in lift.floors]
    if name not in names:
        raise unknown("floor", name, names, lift.id)
    return names.index(name)
