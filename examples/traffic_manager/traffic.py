"""A traffic manager for AGVs: `traffic.py URL ROBOTS [--free-for-all]`.

It dispatches transports, releases routes node by node, and sends robots with a low battery to
chargers. An edge is reserved by holding both of its nodes. A node is granted only if all robots can
still finish, one after the other (the banker's algorithm). `--free-for-all` releases whole routes.
"""

import asyncio
import json
import math
import random
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from uuid import uuid4

import nats

AHEAD = 4  # nodes that a robot holds before it
LOW, FULL = 0.3, 0.8  # state of charge
BOOT = str(uuid4())


def at(seconds: float = 0.0) -> str:
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S.%fZ}"


class Layout:
    """The graph of a layout file. Places are parking places, chargers, and ends of lanes."""

    def __init__(self, data: dict):
        self.nodes = {node["id"]: node for node in data["nodes"]}
        self.speeds: dict[str, dict[str, float | None]] = {node: {} for node in self.nodes}
        near: dict[str, set[str]] = {node: set() for node in self.nodes}
        for edge in data["edges"]:
            for a, b in zip(edge["nodes"], edge["nodes"][1:], strict=False):
                near[a].add(b)
                near[b].add(a)
                self.speeds[a][b] = edge.get("speed_mps")
                if edge.get("direction") == "both":
                    self.speeds[b][a] = edge.get("speed_mps")
        self.parking, self.chargers = data["parking"], [one["node"] for one in data["chargers"]]
        self.places = {n for n in near if len(near[n]) == 1} | {*self.parking, *self.chargers}
        self.stations = {s["node"]: s for s in data["stations"] if s["node"] not in self.places}

    def distance_m(self, node: str, x: float, y: float) -> float:
        return math.hypot(self.nodes[node]["x"] - x, self.nodes[node]["y"] - y)

    def nearest(self, nodes, x: float, y: float) -> str:
        return min(nodes, key=lambda node: self.distance_m(node, x, y))

    def route(self, start: str, end: str) -> list[str] | None:
        """Return the route with the fewest nodes that passes no other place."""
        before, queue = {start: start}, deque([start])
        while queue and end not in before:
            node = queue.popleft()
            for after in self.speeds[node]:
                if after not in before and (after == end or after not in self.places):
                    before[after] = node
                    queue.append(after)
        if end not in before:
            return None
        route = [end]
        while route[-1] != start:
            route.append(before[route[-1]])
        return route[::-1]


@dataclass
class Vehicle:
    """State of a robot as the manager knows it. `path[: granted + 1]` is released to it."""

    id: str
    node: str
    soc: float = 1.0
    path: list[str] = field(default_factory=list)
    stops: dict[int, dict] = field(default_factory=dict)  # index in the path → action
    reached: int = 0
    granted: int = 0
    route: str = ""
    revision: int = 0
    command: str = ""  # in progress
    purpose: str = ""  # TRANSPORT or CHARGE
    charging: bool = False

    @property
    def home(self) -> str:
        return self.path[-1] if self.path else self.node

    def can_finish(self, owner: dict[str, str]) -> bool:
        return all(owner.get(n, self.id) == self.id for n in self.path[self.granted + 1 :])


class Manager:
    def __init__(self, layout: Layout, client: nats.NATS, reserves: bool):
        self.layout, self.client, self.reserves = layout, client, reserves
        self.vehicles: dict[str, Vehicle] = {}
        self.owner: dict[str, str] = {}  # node → the robot that holds it
        self.loads = {node: one.get("loads", 0) for node, one in layout.stations.items()}
        self.room = {n: one.get("slots", 1) - self.loads[n] for n, one in layout.stations.items()}
        self.draw, self.done, self.failed, self.seq = random.Random(7), 0, 0, 0

    async def send(self, robot: str, kind: str, payload: dict) -> None:
        self.seq += 1
        head = {"v": 1, "messageId": str(uuid4()), "robotId": robot, "bootId": BOOT}
        body = {**head, "seq": self.seq, "ts": at(), "type": kind, "payload": payload}
        await self.client.jetstream().publish(f"robot.{robot}.{kind}", json.dumps(body).encode())

    async def command(self, vehicle: Vehicle, kind: str, params: dict) -> None:
        vehicle.command = str(uuid4())
        times = {"issuedAt": at(), "expiresAt": at(36_000)}
        request = {"commandId": vehicle.command, "commandType": kind, "params": params, **times}
        await self.send(vehicle.id, "command.request", request)

    async def receive(self, message) -> None:
        (_, robot, kind), payload = (
            message.subject.split(".", 2),
            json.loads(message.data)["payload"],
        )
        if kind == "state":
            self.see(robot, payload)
        elif robot in self.vehicles and kind == "traffic.state":
            await self.advance(self.vehicles[robot], payload["nextNodes"])
        elif robot in self.vehicles and kind == "command.ack":
            await self.acknowledged(self.vehicles[robot], payload)

    def see(self, robot: str, state: dict) -> None:
        if robot not in self.vehicles:
            node = self.layout.nearest(self.layout.nodes, state["pose"]["x"], state["pose"]["y"])
            self.vehicles[robot], self.owner[node] = Vehicle(robot, node), robot
        vehicle, battery = self.vehicles[robot], state["battery"]
        vehicle.soc, vehicle.charging = battery["soc"], battery["charging"]

    async def advance(self, vehicle: Vehicle, ahead: list[str]) -> None:
        """Free the nodes that a robot has passed, and grant the next ones."""
        left = vehicle.path[vehicle.reached : vehicle.granted + 2]
        if ahead and ahead[0] in left and left.index(ahead[0]) > 1:
            self.reach(vehicle, vehicle.reached + left.index(ahead[0]) - 1)
        await self.extend(vehicle)

    def reach(self, vehicle: Vehicle, index: int) -> None:
        passed, vehicle.node = vehicle.path[vehicle.reached : index], vehicle.path[index]
        vehicle.reached = index
        for node in set(passed) - set(vehicle.path[index : vehicle.granted + 1]):
            self.owner.pop(node, None)

    async def extend(self, vehicle: Vehicle) -> None:
        """Grant nodes ahead, as far as they are free and all robots can still finish."""
        before, last = vehicle.granted, len(vehicle.path) - 1
        while vehicle.granted < (min(last, vehicle.reached + AHEAD) if self.reserves else last):
            node = vehicle.path[vehicle.granted + 1]
            held = self.owner.get(node)
            if self.reserves and held not in (None, vehicle.id):
                break
            vehicle.granted += 1
            self.owner[node] = vehicle.id
            if self.reserves and not self.is_safe():
                vehicle.granted -= 1
                if held is None:
                    del self.owner[node]
                break
        if vehicle.granted != before and vehicle.revision:
            vehicle.revision += 1
            head = {"requestId": vehicle.route, "routeId": vehicle.route, "status": "OK"}
            await self.send(vehicle.id, "route.response", {**head, **self.plan(vehicle)})

    def is_safe(self) -> bool:
        """Return True if the robots can finish in some order from what they hold now."""
        owner = dict(self.owner)
        left = [one for one in self.vehicles.values() if one.path]
        while left:
            able = next((one for one in left if one.can_finish(owner)), None)
            if able is None:
                return False
            for node in able.path[able.reached : able.granted + 1]:
                owner.pop(node, None)
            owner[able.home] = able.id
            left.remove(able)
        return True

    def plan(self, vehicle: Vehicle) -> dict:
        """Return nodes and edges of a route, as in VDA 5050."""
        nodes, edges = [], []
        for n, name in enumerate(vehicle.path):
            node, last = self.layout.nodes[name], n == len(vehicle.path) - 1
            nodes.append({
                "nodeId": name, "sequenceId": 2 * n, "x": node["x"], "y": node["y"],
                "released": n <= vehicle.granted, "theta": node.get("theta") if last else None,
                "actions": [vehicle.stops[n]] if n in vehicle.stops else [],
            })  # fmt: skip
            if not last:
                end = vehicle.path[n + 1]
                edges.append({
                    "edgeId": f"{name}-{end}", "sequenceId": 2 * n + 1, "startNodeId": name,
                    "endNodeId": end, "maxSpeed": self.layout.speeds[name][end],
                })  # fmt: skip
        return {"revision": vehicle.revision, "nodes": nodes, "edges": edges}

    async def start(self, vehicle: Vehicle, purpose: str, visits: list, home: str) -> bool:
        """Send a robot along a path through places to its new home."""
        path, stops = [vehicle.node], {}
        for node, action in [*visits, (home, {})]:
            leg = self.layout.route(path[-1], node)
            if leg is None:
                return False
            path += leg[1:]
            stops |= {len(path) - 1: action} if action else {}
        vehicle.path, vehicle.stops, vehicle.reached, vehicle.granted = path, stops, 0, 0
        vehicle.purpose, vehicle.route, vehicle.revision = purpose, str(uuid4()), 0
        await self.extend(vehicle)
        vehicle.revision = 1
        plan = {"routeId": vehicle.route, **self.plan(vehicle)}
        await self.command(vehicle, "FOLLOW_ROUTE", plan)
        return True

    async def acknowledged(self, vehicle: Vehicle, ack: dict) -> None:
        """Take the end of a command: the robot has arrived, or it goes home from where it is."""
        if ack["commandId"] != vehicle.command or ack["status"] in ("ACCEPTED", "RUNNING"):
            return
        vehicle.command = ""
        if not vehicle.path:
            return
        if ack["status"] == "SUCCEEDED":
            self.reach(vehicle, len(vehicle.path) - 1)
            if vehicle.purpose == "TRANSPORT":
                self.done += 1
                source, target = (vehicle.path[n] for n in sorted(vehicle.stops))
                self.room[source] += 1
                self.loads[target] += 1
            home, vehicle.path = vehicle.node, []
            if home in self.layout.chargers and vehicle.soc < FULL:
                vehicle.charging = True
                await self.command(vehicle, "START_CHARGING", {})
        else:  # for example, a load is not there
            self.failed += 1
            print(f"{vehicle.id}: {ack['status']} {ack.get('message', '')}", flush=True)
            home, keep = vehicle.home, vehicle.path[vehicle.reached : vehicle.granted + 1]
            vehicle.path = []
            await self.start(vehicle, "RETURN", [], home)
            for node in set(keep) - set(vehicle.path[: vehicle.granted + 1]) - {vehicle.node}:
                self.owner.pop(node, None)

    async def dispatch(self) -> None:
        """Give orders to idle robots, and send those with a low battery to chargers."""
        for vehicle in list(self.vehicles.values()):
            if vehicle.command or vehicle.path:
                await self.extend(vehicle)
                continue
            if vehicle.charging:
                if vehicle.soc >= FULL:
                    await self.command(vehicle, "STOP_CHARGING", {})
                continue
            taken = set(self.owner) | {one.home for one in self.vehicles.values()}
            low = vehicle.soc < LOW
            free = set(self.layout.chargers if low else self.layout.parking) - taken
            visits = [] if low else self.order()
            if free and (visits or low):
                last = self.layout.nodes[visits[-1][0] if visits else vehicle.node]
                home = self.layout.nearest(sorted(free), last["x"], last["y"])
                if await self.start(vehicle, "CHARGE" if low else "TRANSPORT", visits, home):
                    for (node, _), goods in zip(visits, (self.loads, self.room), strict=False):
                        goods[node] -= 1

    def order(self) -> list[tuple[str, dict]]:
        """Return a transport from a station with a load to one with a free slot."""
        sources = [node for node, count in self.loads.items() if count > 0]
        source = self.draw.choice(sources) if sources else ""
        targets = [node for node, count in self.room.items() if count > 0 and node != source]
        if not sources or not targets:
            return []
        ends = (source, "PICK"), (self.draw.choice(targets), "DROP")
        ids = {node: {"stationId": self.layout.stations[node]["id"]} for node, _ in ends}
        return [(node, {"type": kind, "params": ids[node]}) for node, kind in ends]


async def main(url: str, robots: int, reserves: bool) -> None:
    text = files("rigless.worlds.data").joinpath("warehouse_100.json").read_text()
    client = await nats.connect(url)
    manager = Manager(Layout(json.loads(text)), client, reserves)
    inbox: asyncio.Queue = asyncio.Queue()
    for kind in ("state", "traffic.state", "command.ack"):
        await client.subscribe(f"robot.*.{kind}", cb=inbox.put)
    print("connected", flush=True)
    due = asyncio.get_running_loop().time() + 1.0
    while True:
        with suppress(TimeoutError):
            await manager.receive(await asyncio.wait_for(inbox.get(), 0.2))
        now = asyncio.get_running_loop().time()
        if now >= due and len(manager.vehicles) >= robots:
            due = now + 0.5
            await manager.dispatch()
            print(f"{manager.done} transports done, {manager.failed} failed", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), "--free-for-all" not in sys.argv))
