"""Measure what a robot costs on this machine, and say if a fleet is too large for it.

A few robots of the fleet are run for a moment before it starts, on their real transports, at so
many times real time that they send as much as a large fleet. The processor time that this process
spends on them is what it spends on a fleet. Some of it does not depend on their number: with twenty
robots the cost of each is within a fifth of the cost in a fleet of a thousand.
"""

import asyncio
import json
import os
import time
from dataclasses import dataclass, replace

from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.kernel.fleet import FleetMember
from rigless.kernel.ports import Port
from rigless.scenario.build import Built, build
from rigless.scenario.model import Scenario
from rigless.scenario.source import Source
from rigless.transports.capabilities import capabilities

LEAST = 100  # robots of a fleet that is measured
SAMPLE = 20
SPEED = 10.0
SETTLE_S, MEASURE_S, PATIENCE_S = 0.4, 1.0, 10.0
USABLE = 0.9  # of a core, so that the fleet keeps its pace
LEFT_OUT = ("programs", "expect", "timeline", "faults", "vary", "shard", "duration_s")


@dataclass(frozen=True)
class Cost:
    """Processor seconds that one robot costs in one simulated second, messages included."""

    robot_s: float

    @property
    def robots(self) -> int:
        """The number of robots that one process holds at real time."""
        return max(1, int(USABLE / self.robot_s))


def sample_of(built: Built, robots: int) -> Built:
    """Return a small fleet of the same robots in the same world."""
    data = json.loads(built.simulation.core.origin["scenario"])
    total = len(built.simulation.robots)
    data = {key: value for key, value in data.items() if key not in LEFT_OUT}
    for entry in data["robots"]:
        if "count" in entry:
            entry["count"] = max(1, round(entry["count"] * robots / total))
    data["robots"] = data["robots"][:robots]
    source = Source(built.source.file, built.source.folder)
    small = build(
        Scenario.model_validate(data), source, built.simulation.seed, False, environment=False
    )
    addresses = dict(small.addresses)
    for key, address in addresses.items():
        host, _, number = address.rpartition(":")
        if number.isdigit():
            addresses[key] = f"{host}:0"
    return replace(small, addresses=addresses)


class _Apart(Environment):
    """An environment in which no port but one to the embedded NATS server is opened."""

    def is_live(self, port: Port, fast: bool) -> bool:
        return capabilities(port.transport).nats


async def measure(small: Built, speed: float = SPEED, seconds: float = MEASURE_S) -> Cost:
    """Run a fleet at work and return the cost of one of its robots."""
    host = Host(small, speed, environment=_Apart(embedded_nats=True))
    await host.open()
    try:
        host.sim.core.recording = True  # ports without a client encode their messages too
        for robot in host.sim.robots.values():
            if isinstance(robot, FleetMember):
                robot.exercise()
        running = asyncio.create_task(host.run())
        await _connected(host)
        await asyncio.sleep(SETTLE_S)
        cpu_s, begin_ns = time.process_time(), host.sim.now_ns
        await asyncio.sleep(seconds)
        while (simulated_ns := host.sim.now_ns - begin_ns) <= 0:  # a busy machine
            await asyncio.sleep(seconds)
        cost_s = (time.process_time() - cpu_s) / (simulated_ns / 1e9 * len(host.sim.robots))
        host.stop()
        await running
    finally:
        await host.close()
    return Cost(max(cost_s, 1e-9))


async def _connected(host: Host) -> None:
    """Wait until all robots have their connections, which costs time once; on a busy machine, more.

    Give up after PATIENCE_S.
    """
    links, end = host.sim.core.links.by_port, time.monotonic() + PATIENCE_S
    live = [
        links[robot.name, port.name]
        for robot in host.sim.robots.values()
        for port in robot.ports
        if capabilities(port.transport).nats
    ]
    while not all(live) and time.monotonic() < end:
        await asyncio.sleep(0.05)


def warning(built: Built, cost: Cost, speed: float, processes: int = 1) -> str:
    """Return what to say of a fleet that is too large for this machine, or ""."""
    membership, cores = built.simulation.core.membership, os.cpu_count() or 1
    count = len(built.simulation.robots)
    here = -(-count // membership.count)  # of one shard
    held = max(1, int(cost.robots / speed))
    most = held * min(processes, cores)
    if here <= held and count <= most * max(membership.count // processes, 1):
        return ""
    needed = cost.robot_s * speed * (count if processes > 1 else here)
    has = f"{processes} processes on {cores} cores hold" if processes > 1 else "a process holds"
    text = f"this machine cannot hold {count if processes > 1 else here} of these robots"
    text += f" at {speed:g}x: they need about {needed:.1f} cores, and {has} about {most}."
    if processes == 1 and membership.shard is None and cores > 1 and speed == 1.0:
        most_processes = min(cores, -(-count // held))
        text += f" Use --count {held}, or --processes {most_processes}"
        text += f" for about {held * most_processes}."
    return text
