"""Clients of the panel's WebSocket, in a process of their own so that reading is not charged to the server."""

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
READERS = """
import asyncio, json, sys, time
from websockets.asyncio.client import connect

async def read(url, hz, end, totals):
    async with connect(url, compression=None) as stream:
        await stream.send(json.dumps({"type": "look", "robots": {"vacuum": hz}}))
        print("on", flush=True)
        while (left := end - time.monotonic()) > 0:
            try:
                message = await asyncio.wait_for(stream.recv(), left)
            except TimeoutError:
                return
            totals[0] += len(message)
            totals[1] += isinstance(message, bytes)

async def main(url, hz, count, seconds):
    totals = [0, 0]
    end = time.monotonic() + seconds
    await asyncio.gather(*(read(url, hz, end, totals) for _ in range(count)))
    print(json.dumps(totals), flush=True)

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
"""


@contextmanager
def running() -> Iterator[tuple[int, str]]:
    """A live vacuum that drives in a circle with its lidar on: its process id, and the address of its panel."""
    command = [*RIGLESS, "run", "vacuum", "--seed", "7", "--panel", "127.0.0.1:0", "--no-auth", "--quiet"]
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
            server.wait(10)


def _command(url: str, action: str, config: dict[str, Any]) -> None:
    message = {"type": "Control", "id": "drive", "action": action, "config": config}
    body = json.dumps({"port": "commands", "message": message}).encode()
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/robots/vacuum/messages", body, headers)) as answer:
        assert answer.status == 200


def cpu_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as stream:
        fields = stream.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_nobody(pid: int, seconds: float) -> float:
    """The share of a core that it takes while nobody looks."""
    begin, before = time.monotonic(), cpu_seconds(pid)
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - begin)


def measure_clients(pid: int, url: str, hz: int, count: int, seconds: float, idle: float) -> dict[str, float]:
    words = (url.replace("http", "ws") + "/ws?truth_hz=0", str(hz), str(count), str(seconds + 0.5))
    with subprocess.Popen([sys.executable, "-c", READERS, *words], stdout=subprocess.PIPE, text=True) as readers:
        assert readers.stdout is not None
        for _ in range(count):
            assert readers.stdout.readline().strip() == "on"
        begin, before = time.monotonic(), cpu_seconds(pid)
        answer = readers.stdout.readline()
        wall_s = time.monotonic() - begin
        share = (cpu_seconds(pid) - before) / wall_s
        readers.wait(30)
    size, pictures = json.loads(answer)
    return {
        "cpu_share": share,
        "added_cpu_share": share - idle,
        "bytes_per_s": size / wall_s,
        "bytes_each_per_s": size / wall_s / count,
        "pictures_each_per_s": pictures / wall_s / count,
    }


def measure_first(url: str, times: int) -> dict[str, float]:
    """From opening the connection to the first picture of the page."""
    from websockets.asyncio.client import connect

    async def once() -> float:
        begin = time.perf_counter()
        async with connect(url.replace("http", "ws") + "/ws?truth_hz=0", compression=None) as stream:
            await stream.send(json.dumps({"type": "look", "robots": {"vacuum": 60}}))
            while True:
                message = await asyncio.wait_for(stream.recv(), 10)
                if isinstance(message, bytes) and message[0] == 1:
                    return (time.perf_counter() - begin) * 1e3

    async def many() -> list[float]:
        return [await once() for _ in range(times)]

    took_ms = asyncio.run(many())
    return {"p50_ms": float(np.percentile(took_ms, 50)), "max_ms": max(took_ms)}
