"""Fleets in several processes, and a bare nats-py client that publishes the same messages."""

import asyncio
import os
import time
from pathlib import Path

import nats

from rigless.kernel.inputs import Connect
from rigless.kernel.loop.listeners import Output
from rigless.scenario.load import open_target

from ._agv_fleet import HELD, PER_ROBOT, STATE, STREAMS, fleet
from ._nats import WINDOW, cpu_seconds, pin, server


def messages_of(count: int) -> list[tuple[str, bytes]]:
    """Return the stream messages of AGVs in one simulated second: subject and bytes."""
    sim = open_target("agv", [f"count={count}"], collect=False).simulation
    for robot in sim.robots.values():
        sim.apply(Connect(robot.name, "nats", 1, "bench", robot.name))
        robot.exercise()  # type: ignore[attr-defined]
    sim.run(1.0)
    found: list[tuple[str, bytes]] = []

    def note(_: int, output: Output) -> None:
        if output.subject.partition(".")[2].partition(".")[2] in STREAMS:
            found.append((output.subject, output.data))

    sim.core.listeners.output.append(note)
    sim.run(1.0)
    return found


async def bare(count: int, seconds: float) -> tuple[float, float]:
    """Return processor time per acknowledged message of nats-py in microseconds, and its size."""
    messages = messages_of(count)
    async with server() as nats_server:
        client = await nats.connect(nats_server.url)
        stream = client.jetstream(timeout=60, publish_async_max_pending=WINDOW)
        subjects = [f"robot.*.{kind}" for kind in STREAMS]
        await stream.add_stream(name=STATE, subjects=subjects, storage="memory")
        sent, begin, cpu_s = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - begin < seconds or not sent:
            futures = []
            for subject, data in messages:
                futures.append(await stream.publish_async(subject, data))
            await asyncio.gather(*futures)
            sent += len(messages)
        took_s = time.process_time() - cpu_s
        await client.close()
    return took_s / sent * 1e6, sum(len(data) for _, data in messages) / len(messages)


async def shards(count: int, processes: int, seconds: float) -> dict[str, float]:
    """Measure a driving fleet in this many processes, on as many cores.

    The server has the other cores. If there is none, it shares the last core with a process, and
    the rate grows by less: `robot_cpu_share` shows how much of their cores the processes got.
    """
    words = ("--processes", str(processes)) if processes > 1 else ()
    cores = sorted(os.sched_getaffinity(0))
    async with server() as nats_server, fleet(nats_server.url, count, words, processes) as robots:
        pin(nats_server.pid, cores[processes:] or cores[-1:])
        for name in sorted(robots.names):
            await robots.command(name, "MOVE", {"x": 1000.0, "y": 0.0})
        await robots.wait_for_states()
        before, begin = await robots.counts(), time.perf_counter()
        server_0, robots_0 = cpu_seconds(nats_server.pid), _with_children(robots.process.pid)
        after = before
        while after == before:  # busy machine: no message yet
            await asyncio.sleep(seconds)
            after, wall_s = await robots.counts(), time.perf_counter() - begin
        server_s = cpu_seconds(nats_server.pid) - server_0
        robots_s = _with_children(robots.process.pid) - robots_0
    rate = (sum(after.values()) - sum(before.values())) / wall_s
    return {
        "messages_per_s": rate,
        "rates_held": rate / (PER_ROBOT * count),
        "holds": rate / (PER_ROBOT * count) >= HELD,
        "robot_cpu_share": robots_s / wall_s,
        "server_cpu_share": server_s / wall_s,
    }


def _with_children(pid: int) -> float:
    """Return the processor time of a process and of those that it has started."""
    children = [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return cpu_seconds(pid) + sum(_with_children(child) for child in children)
