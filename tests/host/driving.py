"""Run a host on the loop of a test, with clients that wait for the expected data."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rigless.host.host import Host
from rigless.panel.server import ControlServer
from rigless.scenario.load import open_target

THERMOSTAT = Path(__file__).resolve().parents[2] / "examples" / "thermostat"
BRITTLE = Path(__file__).resolve().parent / "brittle"
DEADLINE_S = 60.0
QUIET = (
    "127.0.77.1"  # of this machine, but nobody else takes ports there: one found free stays free
)


def on_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test on a loop of its own."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def within_deadline() -> None:
            await asyncio.wait_for(test(*args, **kwargs), 4 * DEADLINE_S)

        asyncio.run(within_deadline())

    return run


async def until(true: Callable[[], object], what: str = "") -> None:
    """Wait until a condition holds."""
    end = asyncio.get_running_loop().time() + DEADLINE_S
    while not true():
        assert asyncio.get_running_loop().time() < end, f"waited {DEADLINE_S:g} s in vain: {what}"
        await asyncio.sleep(0.002)


def make_host(
    target: str | Path = THERMOSTAT,
    speed: float | str = 1.0,
    duration_s: float | None = None,
    settings: Iterable[str] = ("ports.line=0",),
    recordings: Path | None = None,
) -> Host:
    """Return a host; without `recordings`, its API cannot keep files."""
    folder = recordings or Path("/dev/null/recordings")
    built = open_target(target, settings, collect=False)
    return Host(built, speed, duration_s, recordings=folder)


@asynccontextmanager
async def on_air(host: Host) -> AsyncIterator[Host]:
    """Open and run the host; stop and close it at the end."""
    await host.open()
    running = asyncio.create_task(host.run())
    try:
        yield host
        host.stop()
        await running
    finally:
        running.cancel()
        await host.close()
        await asyncio.sleep(0)  # sockets close on the loop's next turn


@asynccontextmanager
async def with_api(host: Host, auth: bool = False) -> AsyncIterator[ControlServer]:
    """Run the host with its control API."""
    async with on_air(host):
        server = ControlServer(host, "127.0.0.1:0", auth)
        await server.open()
        try:
            yield server
        finally:
            await server.close()


async def good(request: Awaitable[Any]) -> Any:
    """Return the body of a response with status 200."""
    answer = await request
    assert answer.status_code == 200, answer.text
    return answer.json()


async def bad(request: Awaitable[Any]) -> Any:
    """Return the first problem of a response with status 422."""
    answer = await request
    assert answer.status_code == 422, answer.text
    return answer.json()["problems"][0]


class Client:
    """A line client on a TCP port."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, url: str) -> "Client":
        parts = urlsplit(url)
        return cls(*await asyncio.open_connection(parts.hostname, parts.port))

    def send(self, text: str) -> None:
        self.writer.write(text.encode())

    async def line(self) -> str:
        return (await asyncio.wait_for(self.reader.readline(), DEADLINE_S)).decode().rstrip("\r\n")

    async def ask(self, text: str) -> str:
        self.send(text + "\n")
        return await self.line()

    async def close(self) -> None:
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


@asynccontextmanager
async def client_of(
    host: Host, robot: str = "thermostat", port: str = "line"
) -> AsyncIterator[Client]:
    client = await Client.connect(host.address(robot, port))
    try:
        yield client
    finally:
        await client.close()
