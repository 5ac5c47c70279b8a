"""Run an AGV on a real server, on the loop of the test, with its own state folder."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from nats_servers import Proxy, Server
from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.scenario.load import open_target

DEADLINE_S = 60.0


def on_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test on a loop of its own."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def within_deadline() -> None:
            await asyncio.wait_for(test(*args, **kwargs), 4 * DEADLINE_S)

        asyncio.run(within_deadline())

    return run


@asynccontextmanager
async def robot(
    server: Server | Proxy,
    state: Path,
    settings: Sequence[str] = (),
    seed: int = 1,
    speed: float = 1.0,
) -> AsyncIterator[Host]:
    """Return a host with the bundled AGV, connected to this server."""
    built = open_target("agv", [f"ports.nats={server.address}", *settings], seed, collect=False)
    host = Host(built, speed, environment=Environment(state))
    await host.open()
    running = asyncio.create_task(host.run())
    try:
        yield host
        assert not host.failure, host.failure
    finally:
        host.stop()
        await asyncio.wait([running], timeout=DEADLINE_S)
        await host.close()


async def until(true: Callable[[], object], what: str = "") -> None:
    end = asyncio.get_running_loop().time() + DEADLINE_S
    while not true():
        assert asyncio.get_running_loop().time() < end, f"waited {DEADLINE_S:g} s in vain: {what}"
        await asyncio.sleep(0.01)


def status(host: Host, name: str = "agv") -> str:
    return host.sim.robots[name].status()


def events(host: Host) -> str:
    """Return all logged events as text."""
    return "\n".join(event.text for event in host.sim.events)
