"""Clients of the panel's WebSocket, in a process of their own.

So the time that they take is not counted as the server's.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

RATES = (20, 60)
CLIENTS = (1, 5, 20)
RIGLESS = (sys.executable, "-c", "from rigless.cli import main; main()")
PATIENCE_S = 60.0
READERS = """
import asyncio, contextlib, json, sys, time
from websockets.asyncio.client import connect

async def read(stream, got):
    async for message in stream:
        got[0] += len(message)
        got[1] += isinstance(message, bytes)

async def each_has_a_picture(gots):
    while not all(pictures for _, pictures in gots):
        await asyncio.sleep(0.01)

async def main(url, hz, count, seconds, patience_s):
    async with contextlib.AsyncExitStack() as stack:
        opening = [connect(url, compression=None, open_timeout=patience_s) for _ in range(count)]
        streams = await asyncio.gather(*map(stack.enter_async_context, opening))
        gots = [[0, 0] for _ in streams]
        reading = [asyncio.create_task(read(*each)) for each in zip(streams, gots)]
        for stream in streams:
            await stream.send(json.dumps({"type": "look", "robots": {"vacuum": hz}}))
        await each_has_a_picture(gots)
        print("on", flush=True)
        begin = time.monotonic()
        for got in gots:
            got[:] = 0, 0
        await asyncio.sleep(seconds)
        await each_has_a_picture(gots)
        print(json.dumps([*map(sum, zip(*gots)), time.monotonic() - begin]), flush=True)
        for task in reading:
            task.cancel()

asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:4]), *map(float, sys.argv[4:])))
"""


@contextmanager
def running() -> Iterator[tuple[int, str]]:
    """Run a live vacuum that drives in a circle with its lidar on.

    Yield its process id and the address of its panel.
    """
    command = [
        *RIGLESS,
        "run",
        "vacuum",
        "--seed",
        "7",
        "--panel",
        "127.0.0.1:0",
        "--no-auth",
        "--quiet",
    ]
    for setting in ("ports.commands=0", "lidar.enabled=true"):
        command += ["--set", setting]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            url = ""
            for line in server.stdout:
                url = line.split()[1].rstrip("/") if line.startswith("panel ") else url
                if line.strip() == "ready":
                    break
            _command(url, "enable", {})
            _command(url, "configure", {"linear": 0.1, "angular": 0.5})
            yield server.pid, url
        finally:
            server.terminate()
            server.wait(PATIENCE_S)


def _command(url: str, action: str, config: dict[str, Any]) -> None:
    message = {"type": "Control", "id": "drive", "action": action, "config": config}
    body = json.dumps({"port": "commands", "message": message}).encode()
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{url}/api/robots/vacuum/messages", body, headers)
    ) as answer:
        assert answer.status == 200


def cpu_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as stream:
        fields = stream.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_nobody(pid: int, seconds: float) -> float:
    """Return the CPU share of the server without clients."""
    begin, before = time.monotonic(), cpu_seconds(pid)
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - begin)


def measure_clients(
    pid: int, url: str, hz: int, count: int, seconds: float, idle: float
) -> dict[str, float]:
    words = (
        url.replace("http", "ws") + "/ws?truth_hz=0",
        str(hz),
        str(count),
        str(seconds),
        str(PATIENCE_S),
    )
    with subprocess.Popen(
        [sys.executable, "-c", READERS, *words], stdout=subprocess.PIPE, text=True
    ) as readers:
        assert readers.stdout is not None
        assert readers.stdout.readline().strip() == "on"
        before = cpu_seconds(pid)
        size, pictures, wall_s = json.loads(readers.stdout.readline())
        share = (cpu_seconds(pid) - before) / wall_s
        readers.wait(PATIENCE_S)
    return {
        "cpu_share": share,
        "added_cpu_share": share - idle,
        "bytes_per_s": size / wall_s,
        "bytes_each_per_s": size / wall_s / count,
        "pictures_each_per_s": pictures / wall_s / count,
    }


def measure_first(url: str, times: int) -> dict[str, float]:
    """Return the time from opening the connection to the first frame of the page."""
    from websockets.asyncio.client import connect

    async def once() -> float:
        begin = time.perf_counter()
        address = url.replace("http", "ws") + "/ws?truth_hz=0"
        async with connect(address, compression=None, open_timeout=PATIENCE_S) as stream:
            await stream.send(json.dumps({"type": "look", "robots": {"vacuum": 60}}))
            while True:
                message = await asyncio.wait_for(stream.recv(), PATIENCE_S)
                if isinstance(message, bytes) and message[0] == 1:
                    return (time.perf_counter() - begin) * 1e3

    async def many() -> list[float]:
        return [await once() for _ in range(times)]

    took_ms = asyncio.run(many())
    return {"p50_ms": float(np.percentile(took_ms, 50)), "max_ms": max(took_ms)}
