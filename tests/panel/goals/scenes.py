"""Hosts of each kind of robot on real ports, with the panel's API, for goals."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

import reserved
from host.driving import DEADLINE_S, on_air
from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.panel.server import ControlServer
from rigless.scenario.load import open_target

SPEED = 8.0  # of time


@asynccontextmanager
async def scene(
    kind: str, folder: Path, settings: tuple[str, ...] = ()
) -> AsyncIterator[tuple[Host, httpx.AsyncClient]]:
    """Yield a running host with free ports, and a client of its API."""
    ports = {
        "vacuum": ["ports.commands=0", "map_file=room_with_box"],
        "pacbot": ["ports.commands=0", "ports.sensors=0"],
        "rover": [f"ports.dds=domain/{reserved.domain()}", "map_file=room_with_box"],
        "agv": [f"ports.nats=127.0.0.1:{reserved.port()}"],
    }[kind]
    built = open_target(kind, [*ports, *settings], collect=False)
    environment = Environment(folder, embedded_nats=True)
    host = Host(built, SPEED, None, environment, recordings=folder)
    async with on_air(host):
        server = ControlServer(host, "127.0.0.1:0", auth=False)
        await server.open()
        try:
            async with httpx.AsyncClient(base_url=server.url, timeout=DEADLINE_S) as http:
                yield host, http
        finally:
            await server.close()


async def ended(http: httpx.AsyncClient, robot: str) -> dict:
    """Wait until a goal has ended and return its status."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            status = (await http.get(f"/api/robots/{robot}/goal")).json()
            if status["state"] not in ("starting", "driving", "blocked"):
                return status
            await asyncio.sleep(0.05)
