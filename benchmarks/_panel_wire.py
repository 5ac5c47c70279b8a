"""The Wire tab: the CPU share that it adds, messages that reach it, and its cost in a flood.

A client gets the vacuum's telemetry. The flood is in virtual time: commands and their packets, with
and without an observer that converts the rows of one client.
"""

import asyncio
import json
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from rigless.kernel import inputs as inp
from rigless.kernel.plain import to_json
from rigless.panel.wire.feed import Feed, Filter
from rigless.panel.wire.log import WireLog
from rigless.robots.vacuum.wire import ProtocolSync, request
from rigless.scenario.load import open_target

from ._panel_clients import PATIENCE_S, cpu_seconds, measure_nobody

FLOOD = 50_000
PER_PACKET = 10
TICKS = 10  # rows are converted ten times a second


@contextmanager
def telemetry(url: str) -> Iterator[None]:
    """Connect a client that reads, so that the vacuum sends telemetry."""
    with urllib.request.urlopen(f"{url}/api/robots/vacuum") as answer:
        ports = {port["name"]: port["url"] for port in json.load(answer)["ports"]}
    place = urlsplit(ports["commands"])
    with socket.create_connection((place.hostname, place.port)) as client:
        threading.Thread(target=_read, args=(client,), daemon=True).start()
        yield
        client.shutdown(socket.SHUT_RDWR)


def _read(client: socket.socket) -> None:
    with suppress(OSError):
        while client.recv(1 << 16):
            pass


def measure_wire(pid: int, url: str, seconds: float) -> dict[str, Any]:
    """Measure one subscriber to all messages of a vacuum with a client."""
    with telemetry(url):
        idle = measure_nobody(pid, seconds)
        rows, size, share = asyncio.run(_subscribe(pid, url, seconds))
    return {
        "cpu_share": share,
        "added_cpu_share": share - idle,
        "messages_per_s": rows,
        "bytes_per_s": size,
        "flood": measure_flood(max(1000, round(FLOOD * min(1.0, seconds / 5)))),
    }


async def _subscribe(pid: int, url: str, seconds: float) -> tuple[float, float, float]:
    from websockets.asyncio.client import connect

    address = url.replace("http", "ws") + "/ws?truth_hz=0&status=false&events=false"
    async with connect(address, compression=None, open_timeout=PATIENCE_S) as stream:
        await stream.send(json.dumps({"type": "wire", "robot": "vacuum"}))
        while not json.loads(await asyncio.wait_for(stream.recv(), PATIENCE_S))["rows"]:
            pass
        begin, before, rows, size = time.monotonic(), cpu_seconds(pid), 0, 0
        while time.monotonic() - begin < seconds or not rows:
            text = await asyncio.wait_for(stream.recv(), PATIENCE_S)
            rows += len(json.loads(text)["rows"])
            size += len(text)
        wall_s = time.monotonic() - begin
        return rows / wall_s, size / wall_s, (cpu_seconds(pid) - before) / wall_s


def measure_flood(messages: int) -> dict[str, float]:
    """Measure the time for each of many messages in a second, with and without an observer."""
    without_s, _, _ = _flood(messages, observed=False)
    with_s, rows, skipped = _flood(messages, observed=True)
    return {
        "messages": messages,
        "unobserved_us": without_s / messages * 1e6,
        "observed_us": with_s / messages * 1e6,
        "rows": rows,
        "left_out": skipped,
    }


def _flood(messages: int, observed: bool) -> tuple[float, int, int]:
    sim = open_target("vacuum", collect=False).simulation
    sim.apply(inp.Connect("vacuum", "commands", 1, "127.0.0.1:9", "127.0.0.1:1"))
    packet = inp.Arrive("vacuum", "commands", 1, PER_PACKET * request(ProtocolSync()))
    log = WireLog()
    feed = Feed(log, Filter())
    rows = skipped = 0
    begin = time.perf_counter()
    if observed:
        log.attach(sim)
    for _ in range(TICKS):
        for _ in range(messages // PER_PACKET // TICKS):
            sim.core.apply(packet)
        if observed:
            log.update()
            batch = feed.batch()
            if batch is not None:
                rows, skipped = rows + len(batch.rows), skipped + batch.skipped
                to_json(batch.rows)
    return time.perf_counter() - begin, rows, skipped
