"""AGVs on a real NATS server: a fleet in its own process on one core, the rest on others."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import nats
import nats.errors
import numpy as np
from nats.aio.client import Client
from nats.js.errors import Error as JetStreamError

from rigless.kernel.timing.timestamps import to_text

from ._nats import cpu_seconds, pin, server

RIGLESS = (sys.executable, "-c", "from rigless.cli import main; main()")
OUT, STATE = "ROBOT_OUT", "ROBOT_STATE"
STREAMS = ("heartbeat", "state", "telemetry", "traffic.state")  # 1, 10, 2 and 10 a second
PER_ROBOT = 23
FINAL = ("SUCCEEDED", "FAILED", "REJECTED", "CANCELLED", "EXPIRED")
HELD = 0.99  # of real time, and of the rates
START_S = 120.0
PATIENCE_S = 60.0


class Fleet:
    """A running fleet, and a backend's connection to it."""

    def __init__(self, client: Client, names: list[str], process: subprocess.Popen[str]):
        self.client, self.names, self.process = client, names, process
        self.stream = client.jetstream(timeout=PATIENCE_S)

    async def command(self, robot: str, kind: str, params: dict[str, Any] | None = None) -> str:
        """Send a command; return its id once the server has acknowledged it."""
        now_ns, command_id = time.time_ns(), str(uuid4())
        payload = {
            "commandId": command_id,
            "commandType": kind,
            "params": params or {},
            "issuedAt": to_text(now_ns),
            "expiresAt": to_text(now_ns + 600 * 10**9),
        }
        envelope = {
            "v": 1,
            "messageId": command_id,
            "type": "command.request",
            "robotId": robot,
            "bootId": "bench",
            "seq": 1,
            "ts": to_text(now_ns),
            "payload": payload,
        }
        data, header = json.dumps(envelope).encode(), {"Nats-Msg-Id": command_id}
        while True:
            with contextlib.suppress(nats.errors.Error, JetStreamError, OSError, TimeoutError):
                await self.stream.publish(f"robot.{robot}.command.request", data, headers=header)
                return command_id
            await asyncio.sleep(0.05)

    async def counts(self, kind: str = ">") -> dict[str, int]:
        """Return the number of state messages in the stream, by subject."""
        info = await self.stream.stream_info(STATE, subjects_filter=f"robot.*.{kind}")
        return dict(info.state.subjects or {})

    async def wait_for_states(self) -> None:
        """Wait until every robot has published its state."""
        end = time.perf_counter() + START_S
        while len(await self.counts("state")) < len(self.names):
            if time.perf_counter() > end:
                raise RuntimeError(f"not all robots published their state within {START_S:g} s")
            await asyncio.sleep(0.2)

    async def clock(self) -> tuple[float, float]:
        """Return simulated and real time of the first robot's last state."""
        found = await self.stream.get_last_msg(STATE, f"robot.{self.names[0]}.state")
        assert found.data is not None
        assert found.time is not None
        return float(json.loads(found.data)["sim"]["simTimeS"]), found.time.timestamp()


@contextlib.asynccontextmanager
async def fleet(
    url: str, count: int, words: tuple[str, ...] = (), processes: int = 1
) -> AsyncIterator[Fleet]:
    """Start a fleet with further words of the command, on as many cores as it has processes."""
    cores = sorted(os.sched_getaffinity(0))
    client = await nats.connect(
        url, max_reconnect_attempts=-1, reconnect_time_wait=0.05, error_cb=_quiet
    )
    # Without the usual limit per subject, since the messages are counted here.
    subjects = [f"robot.*.{kind}" for kind in STREAMS]
    await client.jetstream(timeout=PATIENCE_S).add_stream(
        name=STATE, subjects=subjects, storage="memory"
    )
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        scenario = Path(folder) / "fleet.toml"
        address = url.removeprefix("nats://")
        scenario.write_text(
            f'[[robots]]\nkind = "agv"\ncount = {count}\nports = {{ nats = "{address}" }}\n'
        )
        process = subprocess.Popen(
            [*RIGLESS, "run", str(scenario), "--no-panel", "--quiet", "--state", folder, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        os.sched_setaffinity(process.pid, cores[:processes])
        try:
            names = await asyncio.to_thread(_ready, process)
            yield Fleet(client, names, process)
        finally:
            await client.close()
            process.terminate()
            await asyncio.to_thread(process.communicate)


async def _quiet(_: Exception) -> None:
    return


def _ready(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    names = []
    while (line := process.stdout.readline()).strip() != "ready":
        if not line:
            raise RuntimeError("rigless run agv did not start")
        if line.startswith("port "):
            names.append(line.split()[1].partition("/")[0])
    return names


async def hold(count: int, seconds: float) -> dict[str, float]:
    """Measure how well a driving fleet keeps its pace."""
    cores = sorted(os.sched_getaffinity(0))
    async with server() as nats_server:
        pin(nats_server.pid, cores[1:] or cores)
        async with fleet(nats_server.url, count) as robots:
            for name in robots.names:
                await robots.command(name, "MOVE", {"x": 1000.0, "y": 0.0})
            await robots.wait_for_states()
            await asyncio.sleep(min(seconds, 2.0))
            before, (sim_0, wall_0), begin = (
                await robots.counts(),
                await robots.clock(),
                time.perf_counter(),
            )
            cpu_0, server_0 = cpu_seconds(robots.process.pid), cpu_seconds(nats_server.pid)
            after, sim_1 = before, sim_0
            while after == before or sim_1 <= sim_0:  # busy machine: no message yet
                await asyncio.sleep(seconds)
                after, (sim_1, wall_1), end = (
                    await robots.counts(),
                    await robots.clock(),
                    time.perf_counter(),
                )
            cpu_1, server_1 = cpu_seconds(robots.process.pid), cpu_seconds(nats_server.pid)
            delays = await latencies(robots, max(20, int(20 * seconds)))
    streams = [f"robot.{name}.{kind}" for name in robots.names for kind in STREAMS]
    said = {subject: after.get(subject, 0) - before.get(subject, 0) for subject in streams}
    wall_s = end - begin
    slowest = min(said[f"robot.{name}.state"] for name in robots.names)
    return {
        "real_time_factor": (sim_1 - sim_0) / max(wall_1 - wall_0, 1e-9),
        "rates_held": sum(said.values()) / (PER_ROBOT * count * wall_s),
        "slowest_state_per_s": slowest / wall_s,
        "messages_per_s": sum(said.values()) / wall_s,
        "cpu_share": (cpu_1 - cpu_0) / wall_s,
        "server_cpu_share": (server_1 - server_0) / wall_s,
        **delays,
    }


async def latencies(robots: Fleet, count: int) -> dict[str, float]:
    """Return milliseconds from a command to its first acknowledgement, one robot after another."""
    heard: asyncio.Queue[float] = asyncio.Queue()

    async def note(_: Any) -> None:
        heard.put_nowait(time.perf_counter())

    subscription = await robots.client.subscribe("robot.*.command.ack", cb=note)
    found = []
    for number in range(count):
        while not heard.empty():
            heard.get_nowait()
        begin = time.perf_counter()
        await robots.command(
            robots.names[number % len(robots.names)],
            "SET_OUTPUT",
            {"ioId": "buzzer", "value": True},
        )
        found.append(await asyncio.wait_for(heard.get(), PATIENCE_S) - begin)
        await asyncio.sleep(0.01)
    await subscription.unsubscribe()
    return {
        "command_to_ack_p50_ms": float(np.percentile(found, 50)) * 1e3,
        "command_to_ack_p99_ms": float(np.percentile(found, 99)) * 1e3,
    }


async def outage(seconds: float) -> dict[str, float]:
    """Kill and restart the server while commands flow.

    Each acknowledged command must be stored exactly once.
    """
    async with server() as nats_server, fleet(nats_server.url, 1) as robots:
        [robot] = robots.names
        sent: list[str] = []
        end = time.perf_counter() + seconds

        async def flow() -> None:
            while not sent or time.perf_counter() < end:
                sent.append(
                    await robots.command(robot, "SET_OUTPUT", {"ioId": "buzzer", "value": True})
                )

        flowing = asyncio.create_task(flow())
        outages = 0
        while not outages or time.perf_counter() < end:
            await asyncio.sleep(seconds / 6)
            await nats_server.crash()
            await asyncio.sleep(seconds / 12)
            await nats_server.start()
            outages += 1
        await flowing
        ends = await _ends(robots, set(sent))
    return {
        "outages": outages,
        "acked": len(sent),
        "stored": sum(1 for command in sent if ends.get(command)),
        "doubled": sum(1 for command in sent if ends.get(command, 0) > 1),
    }


async def _ends(robots: Fleet, sent: set[str]) -> dict[str, int]:
    """Return the number of final acknowledgements of each command, once no more arrive."""
    deadline = time.perf_counter() + PATIENCE_S
    while True:
        found: dict[str, int] = {}
        with contextlib.suppress(nats.errors.Error, JetStreamError, OSError, TimeoutError):
            config = nats.js.api.ConsumerConfig(
                ack_policy=nats.js.api.AckPolicy.NONE, inactive_threshold=30
            )
            subject = f"robot.{robots.names[0]}.command.ack"
            subscription = await robots.stream.pull_subscribe(subject, stream=OUT, config=config)
            pending = 1
            while pending:
                for message in await subscription.fetch(500, timeout=2):
                    pending = message.metadata.num_pending
                    payload = json.loads(message.data)["payload"]
                    if payload["status"] in FINAL and not payload.get("replayed"):
                        found[payload["commandId"]] = found.get(payload["commandId"], 0) + 1
            await subscription.unsubscribe()
        if sent <= found.keys() or time.perf_counter() > deadline:
            return found
        await asyncio.sleep(0.2)
