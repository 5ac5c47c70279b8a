"""A fleet manager: `python agv.py NATS_URL ROBOT…` lets AGVs carry loads from racks to tables.

It assigns tasks over the robots' own NATS subjects. The floor plan is a one-way ring with bays
inside (racks) and outside (packing tables). A robot gets a task only for nodes that no other robot
holds, and holds each until it has passed it; so robots never meet.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from math import dist
from random import choice
from uuid import uuid4

import nats

Node = tuple[float, float]
XS = (3.0, 7.0, 11.0, 15.0)
RING: list[Node] = [(0.0, 0.0), *((x, 0.0) for x in XS), (18.0, 0.0), (18.0, 4.0), (18.0, 8.0)]
RING += [*((x, 8.0) for x in reversed(XS)), (0.0, 8.0), (0.0, 4.0)]
RACKS: dict[Node, Node] = {(x, 2.0): (x, 0.0) for x in XS}  # bay → its node on the ring
TABLES: dict[Node, Node] = {(x, 10.0): (x, 8.0) for x in XS}
BAYS = {**RACKS, **TABLES}
PASSED_M = 1.5  # behind a robot a node is free
RETRY_S, LATE_S = 3.0, 120.0  # before a refused task is sent again; a task without an answer
NUMBERS = count(1)


def at(seconds: float = 0.0) -> str:
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S.%fZ}"


class Robot:
    """One robot of the fleet: where it is, its bay to go to, and whether it carries a load."""

    def __init__(self, name: str, node: Node):
        self.name, self.node = name, node
        self.held = {node}
        self.claim: set[Node] = set()  # the node that it needs to leave a bay; others let it in
        self.leg: list[Node] = []  # the nodes of its task, from where it started
        self.goal: Node | None = None
        self.loaded = node in TABLES
        self.answer: asyncio.Future[bool] | None = None
        self.task = ""


class Fleet:
    def __init__(self, client: nats.NATS, names: list[str]):
        self.client, self.names, self.boot = client, names, str(uuid4())
        self.robots: dict[str, Robot] = {}
        self.freed = asyncio.Condition()

    async def send(self, robot: str, kind: str, payload: dict) -> None:
        head = {"v": 1, "messageId": str(uuid4()), "robotId": robot, "bootId": self.boot}
        body = {**head, "seq": next(NUMBERS), "ts": at(), "type": kind, "payload": payload}
        await self.client.jetstream().publish(f"robot.{robot}.{kind}", json.dumps(body).encode())

    async def locate(self) -> None:
        """Put each robot on the free node nearest to it."""
        states = await self.client.subscribe("robot.*.state")
        async for message in states.messages:
            name, pose = message.subject.split(".")[1], json.loads(message.data)["payload"]["pose"]
            if name in self.names and name not in self.robots:
                free = {*RING, *BAYS} - {node for r in self.robots.values() for node in r.held}
                node = min(free, key=lambda node: dist(node, (pose["x"], pose["y"])))
                self.robots[name] = Robot(name, node)
            if len(self.robots) == len(self.names):
                break
        await states.unsubscribe()

    async def track(self) -> None:
        """Free the nodes that robots have passed."""
        states = await self.client.subscribe("robot.*.state")
        async for message in states.messages:
            robot = self.robots.get(message.subject.split(".")[1])
            if robot and robot.leg:
                pose = json.loads(message.data)["payload"]["pose"]
                left_m = dist(robot.leg[-1], (pose["x"], pose["y"]))
                passed = {n for n in robot.leg if dist(n, robot.leg[-1]) > left_m + PASSED_M}
                passed -= {robot.goal}  # it may come back to the bay that it leaves
                if passed & robot.held:
                    async with self.freed:
                        robot.held -= passed
                        self.freed.notify_all()

    async def done(self, message) -> None:
        """Take note of a task that has ended."""
        _, name, _, end = message.subject.split(".")
        robot, payload = self.robots.get(name), json.loads(message.data)["payload"]
        if robot and robot.answer and payload["taskId"] == robot.task and not robot.answer.done():
            robot.answer.set_result(end == "done")
            if end != "done":
                print(f"{name}: {payload.get('message') or payload['code']}", flush=True)

    async def carry_out(self, robot: Robot, *steps: dict) -> bool:
        """Assign a task and wait for its end; return whether it was done."""
        robot.answer = asyncio.get_running_loop().create_future()
        robot.task = f"{robot.name}-{str(uuid4())[:8]}"
        numbered = [{"stepId": str(n), **step} for n, step in enumerate(steps, 1)]
        await self.send(
            robot.name, "task.assign", {"taskId": robot.task, "revision": 1, "steps": numbered}
        )
        try:
            return await asyncio.wait_for(robot.answer, LATE_S)
        except TimeoutError:
            return False

    async def hold(self, robot: Robot, choose: Callable[..., list[Node]], *about) -> list[Node]:
        """Wait until `choose` finds nodes that no other robot holds; hold them."""
        async with self.freed:
            while True:
                rest = [one for one in self.robots.values() if one is not robot]
                others = {node for one in rest for node in one.held | one.claim}
                if nodes := choose(others, *about):
                    robot.held |= set(nodes)
                    return nodes
                await self.freed.wait()

    async def go(self, robot: Robot, nodes: list[Node], *then: dict) -> None:
        """Send a robot along nodes that it holds, in a straight line."""
        to = nodes[-1]
        move = {"type": "MOVE", "params": {"x": to[0], "y": to[1]}}
        robot.leg = [robot.node, *nodes]
        while not await self.carry_out(robot, move, *then):
            await asyncio.sleep(RETRY_S)
        async with self.freed:
            robot.leg = []
            robot.node, robot.held = to, {to} | ({robot.goal} if robot.goal else set())
            self.freed.notify_all()

    async def work(self, robot: Robot) -> None:
        """Fetch loads and bring them away, for ever."""
        while True:
            robot.goal = None
            bays = TABLES if robot.loaded else RACKS
            [robot.goal] = await self.hold(robot, any_free, bays)
            gate = BAYS[robot.goal]
            if robot.node in BAYS:
                robot.claim = {BAYS[robot.node]}
                out = await self.hold(robot, any_free, robot.claim)
                robot.claim = set()
                await self.go(robot, out)
            while robot.node != gate:
                leg = await self.hold(robot, free_leg, robot.node, gate)
                await self.go(robot, leg)
            robot.loaded = not robot.loaded
            if robot.loaded:
                await self.go(robot, [robot.goal], {"type": "GRIP", "params": {}}, hoist(200.0))
            else:
                await self.go(robot, [robot.goal], hoist(0.0), {"type": "RELEASE", "params": {}})
            print(f"{robot.name} {'fetched' if robot.loaded else 'delivered'} a load", flush=True)


def hoist(height_mm: float) -> dict:
    target = {"unit": "mm", "value": height_mm}
    return {"type": "MOVE_AXIS", "params": {"functionKey": "HOIST", "target": target}}


def any_free(others: set[Node], nodes: Iterable[Node]) -> list[Node]:
    free = [node for node in nodes if node not in others]
    return [choice(free)] if free else []


def free_leg(others: set[Node], node: Node, gate: Node) -> list[Node]:
    """Return the next nodes of the ring in a straight line, up to the gate or a held node."""
    first = RING.index(node)
    leg: list[Node] = []
    for step in range(1, len(RING)):
        following = RING[(first + step) % len(RING)]
        straight = following[0] == node[0] or following[1] == node[1]
        if following in others or not straight:
            break
        leg.append(following)
        if following == gate:
            break
    return leg


async def main(url: str, names: list[str]) -> None:
    client = await nats.connect(url)
    fleet = Fleet(client, names)
    try:
        await fleet.locate()
        await client.subscribe("robot.*.task.done", cb=fleet.done)
        await client.subscribe("robot.*.task.failed", cb=fleet.done)
        print(f"{len(names)} robots at work", flush=True)
        await asyncio.gather(fleet.track(), *(fleet.work(r) for r in fleet.robots.values()))
    finally:
        for name in fleet.robots:
            stop = {"commandId": str(uuid4()), "commandType": "STOP", "params": {}}
            times = {"issuedAt": at(), "expiresAt": at(60)}
            await fleet.send(name, "command.request", {**stop, **times})
        await client.close()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        try:
            asyncio.run(main(sys.argv[1], sys.argv[2:]))
        except (nats.errors.Error, OSError) as error:
            sys.exit(f"the NATS server at {sys.argv[1]} does not answer: {error}")
