"""Round trips of a line over loopback TCP, next to a bare asyncio echo.

The path is socket → codec → robot → codec → socket. The host and the bare echo are processes of
their own. One client alternates between them, a block of round trips each; only its clock is used.

As a program this is the server: `_echo.py rigless|asyncio` prints its port and serves until its
stdin is closed.
"""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from rigless.host.host import Host
from rigless.kernel.ports import Link, Port
from rigless.kernel.robot import Robot, on
from rigless.kernel.simulation import Simulation
from rigless.scenario.build import Built
from rigless.scenario.model import RobotEntry, Scenario
from rigless.scenario.source import Source

LINE = b"the quick brown fox jumps over\n"
BLOCK = 250


@dataclass(frozen=True)
class Line:
    text: bytes


@dataclass
class LineCodec:
    pending: bytes = b""

    def decode(self, data: bytes) -> Iterator[Line]:
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            yield Line(line)

    def encode(self, message: Line) -> bytes:
        return message.text + b"\n"


class Echo(Robot):
    ports = (Port("line", LineCodec, transport="tcp", address="127.0.0.1:0"),)

    @on(Line)
    def echo(self, message: Line, link: Link) -> None:
        self.emit("line", message, to=link)


def measure_echo(round_trips: int) -> dict[str, float]:
    with _serving("rigless") as ours, _serving("asyncio") as bare:
        times_us: dict[socket.socket, list[float]] = {ours: [], bare: []}
        for client in times_us:
            _ping(client, max(10, round_trips // 10))  # warm-up
        while len(times_us[bare]) < round_trips:
            for client, measured in times_us.items():
                measured += _ping(client, min(BLOCK, round_trips))
    p50_us, p99_us = np.percentile(times_us[ours], (50, 99))
    bare_p50_us, bare_p99_us = np.percentile(times_us[bare], (50, 99))
    return {
        "round_trips": len(times_us[ours]),
        "p50_us": float(p50_us),
        "p99_us": float(p99_us),
        "asyncio_p50_us": float(bare_p50_us),
        "asyncio_p99_us": float(bare_p99_us),
        "p50_ratio_to_asyncio": float(p50_us / bare_p50_us),
        "p99_ratio_to_asyncio": float(p99_us / bare_p99_us),
    }


def _ping(client: socket.socket, count: int) -> list[float]:
    times_us = []
    for _ in range(count):
        begin_ns = time.perf_counter_ns()
        client.sendall(LINE)
        got = client.recv(1024)
        times_us.append((time.perf_counter_ns() - begin_ns) / 1e3)
        if got != LINE:
            raise RuntimeError(f"the echo of {LINE!r} was {got!r}")
    return times_us


@contextmanager
def _serving(which: str) -> Iterator[socket.socket]:
    """Start a server process and connect to it."""
    command = [sys.executable, __file__, which]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        with socket.create_connection(
            ("127.0.0.1", int(server.stdout.readline())), timeout=60
        ) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield client
        server.communicate()


class _Bare(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(data)


async def _serve_bare() -> None:
    server = await asyncio.get_running_loop().create_server(_Bare, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


async def _serve_rigless() -> None:
    scenario = Scenario(robots=[RobotEntry(kind="echo")])
    built = Built(
        Simulation([Echo("echo")], collect=False),
        scenario,
        {("echo", "line"): "127.0.0.1:0"},
        Source(),
    )
    host = Host(built, speed=1.0)
    await host.open()
    print(host.address("echo", "line").rpartition(":")[2], flush=True)
    running = asyncio.create_task(host.run())
    await asyncio.to_thread(sys.stdin.read)
    host.stop()
    await running
    await host.close()


if __name__ == "__main__":
    asyncio.run(_serve_rigless() if sys.argv[1] == "rigless" else _serve_bare())
