"""A hub with a wall clock that tests advance, and clients whose sockets record messages."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rigless.host.host import Host
from rigless.panel import hub as hub_module
from rigless.panel.fleet import feed
from rigless.panel.hub import Hub
from rigless.panel.server_messages import SERVER_MESSAGE
from rigless.panel.stream import messages
from rigless.panel.stream.client import Client
from rigless.scenario.load import open_target

TROLLEY = str(Path(__file__).with_name("trolley"))
THERMOSTAT = str(Path(__file__).resolve().parents[2] / "examples" / "thermostat")
real_sleep = asyncio.sleep


class Wall:
    """The hub's wall clock. It moves only when a test advances it; simulated time follows."""

    def __init__(self) -> None:
        self.now = 0.0
        self.moved: Callable[[float], object] = lambda seconds: None
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now + seconds, woken))
        await woken

    async def go(self, seconds: float) -> None:
        """Advance the clock, and wake the sleepers that are due on the way."""
        end = self.now + seconds
        await turn()
        while self._sleepers and min(self._sleepers)[0] <= end + 1e-9:
            due, woken = entry = min(self._sleepers)
            self._sleepers.remove(entry)
            self._move_to(due)
            if not woken.done():
                woken.set_result(None)
            await turn()
        self._move_to(end)

    def _move_to(self, when: float) -> None:
        self.moved(max(0.0, when - self.now))
        self.now = max(when, self.now)


async def turn() -> None:
    """Let the other tasks on the loop run."""
    for _ in range(12):
        await real_sleep(0)


class Socket:
    """Records the messages to a client. With `read(False)` it is a peer that does not read."""

    def __init__(self) -> None:
        self.texts: list[dict[str, Any]] = []
        self.blocks: list[bytes] = []
        self.order: list[str] = []
        self._open = asyncio.Event()
        self._open.set()

    def read(self, on: bool) -> None:
        self._open.set() if on else self._open.clear()

    async def send_text(self, text: str) -> None:
        await self._open.wait()
        self.texts.append(json.loads(text))
        SERVER_MESSAGE.validate_python(self.texts[-1])
        self.order.append(self.texts[-1]["type"])

    async def send_bytes(self, data: bytes) -> None:
        await self._open.wait()
        self.blocks.append(data)
        self.order.append(
            {
                messages.FRAME: "frame",
                messages.HISTORY: "history",
                messages.MORE: "more",
                feed.KIND: "fleet",
            }[data[0]]
        )

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [text for text in self.texts if text["type"] == kind]

    @property
    def frames(self) -> list[Any]:
        return [
            found for block in self.blocks if (found := messages.unpack(block))[0] == messages.FRAME
        ]

    @property
    def histories(self) -> list[Any]:
        return [
            found
            for block in self.blocks
            if (found := messages.unpack(block))[0] == messages.HISTORY
        ]

    def clear(self) -> None:
        self.texts.clear()
        self.blocks.clear()
        self.order.clear()


class Harness:
    """A host in lockstep, its hub and its clients.

    Simulated time follows the wall clock unless `still`.
    """

    def __init__(self, target: str, sources: Any = ()):
        self.host = Host(open_target(target, collect=False), "lockstep")
        self.hub = Hub(self.host, sources)
        self.wall = Wall()
        self.wall.moved = self._move
        self.still = False
        self._tasks: dict[Client, asyncio.Task[None]] = {}

    def _move(self, seconds: float) -> None:
        if not self.still:
            self.host.sim.run(seconds)

    @property
    def robot(self) -> Any:
        return next(iter(self.host.sim.robots.values()))

    def come(self, hz: int = 0, **options: Any) -> Client:
        """Add a client. With `hz` it subscribes to the robot."""
        client = Client(Socket(), **options)  # type: ignore[arg-type]
        self.hub.add(client)
        self._tasks[client] = asyncio.create_task(client.send_all())
        if hz:
            self.hub.subscribe(client, "live", {self.robot.name: hz})
        return client

    def leave(self, client: Client) -> None:
        self.hub.remove(client)
        self._tasks.pop(client).cancel()

    async def close(self) -> None:
        for client in list(self._tasks):
            with contextlib.suppress(KeyError, ValueError):
                self.leave(client)
        await self.hub.close()


@asynccontextmanager
async def harness(target: str = TROLLEY, sources: Any = ()) -> AsyncIterator[Harness]:
    """Yield a harness whose hub uses its wall clock."""
    here = Harness(target, sources)
    fake = SimpleNamespace(
        sleep=here.wall.sleep,
        create_task=asyncio.create_task,
        gather=asyncio.gather,
        Task=asyncio.Task,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub_module, "time", here.wall)
        patch.setattr(hub_module, "asyncio", fake)
        try:
            yield here
        finally:
            await here.close()
