"""The server that is there when there is none: started for robots whose config points at loopback where nobody answers, or by wish.

One a host, shared by its robots. If it ends by itself it is started again, some times; then it stays away and says so.
"""

import asyncio
import contextlib
import ipaddress
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rigless.kernel.problems import InputError, Problem
from rigless.transports.jetstream.errors import Log
from rigless.transports.jetstream.server import (
    END_S,
    LOOPBACK,
    OTHER_PORT,
    Server,
    free_port,
    greeting,
    is_orphan,
)
from rigless.transports.transport import split

WATCH_S = 0.2
RESTARTS = 5  # within RESTARTS_S
RESTARTS_S = 60.0
TRIES = 5  # a port that was free a moment ago may be taken


@dataclass(frozen=True)
class ServerAddress:
    """Where to connect to. A server of ours (`started`) wants neither credentials nor TLS."""

    servers: tuple[str, ...]
    started: bool = False
    note: str = ""


class EmbeddedServers:
    """The servers of one host, by port; usually one or none. `always`: whatever the config says, ours is used."""

    def __init__(self, state: Path, tell: Log, always: bool = False):
        self.state, self.always = state, always
        self._tell = tell
        self._servers: dict[int, Server] = {}
        self._watches: list[asyncio.Task[None]] = []
        self._free: int | None = None  # the port that all share who asked for any
        self._lock = asyncio.Lock()

    @property
    def pids(self) -> list[int]:
        return [server.pid for server in self._servers.values()]

    async def ensure(self, address: str, servers: Sequence[str] = ()) -> ServerAddress:
        """See that a server is there for somebody who would connect to `servers` (default: the address). Raises InputError."""
        servers = tuple(servers) or (f"nats://{address}",)
        host, port = split(address)
        async with self._lock:
            wanted = self._free if port == 0 else port
            if wanted is not None and wanted in self._servers:
                return ServerAddress((self._servers[wanted].url,), True)
            if self.always or port == 0:
                return await self._start(host if _is_loopback(host) else LOOPBACK, port, "")
            if await _somebody(servers) or not all(
                _is_loopback(urlsplit(url).hostname or "") for url in servers
            ):
                return ServerAddress(servers)
            return await self._start(host, port, f"no NATS server at {address}: ")

    async def _start(self, host: str, port: int, why: str) -> ServerAddress:
        for attempt in range(TRIES):
            number = port or free_port(host)
            server = Server(host, number, self.state / "nats-server" / str(number))
            try:
                await _nobody(host, number)
                await server.start()
                break
            except InputError:
                if port or attempt == TRIES - 1:
                    raise
        if port == 0:
            self._free = server.port
        self._servers[server.port] = server
        self._watches.append(asyncio.create_task(self._watch(server)))
        store = f"store {server.folder / 'store'}"
        if why:
            note = f"{why}started one (nats-server {server.version}, {store})"
        else:
            note = f"started nats-server {server.version} at {server.host}:{server.port} ({store})"
        self._tell(note, "info")
        return ServerAddress((server.url,), True, note)

    async def _watch(self, server: Server) -> None:
        """Start a server again that has ended by itself."""
        begun: deque[float] = deque(maxlen=RESTARTS)
        while True:
            await asyncio.sleep(WATCH_S)
            if server.returned is None:
                continue
            what = f"the NATS server at {server.host}:{server.port} has ended by itself (status {server.returned})"
            now = time.monotonic()
            if len(begun) == RESTARTS and now - begun[0] < RESTARTS_S:
                log = server.folder / "nats-server.log"
                self._tell(
                    f"{what} {RESTARTS} times within a minute: it stays away; its log is {log}",
                    "error",
                )
                return
            begun.append(now)
            try:
                await server.start()
                self._tell(f"{what}: started again", "warning")
            except InputError as error:
                self._tell(f"{what}; {error}", "error")
                return

    async def close(self) -> None:
        """End what was started."""
        for watch in self._watches:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch
        self._watches.clear()
        for server in self._servers.values():
            await server.end()
        self._servers.clear()
        self._free = None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _somebody(servers: Sequence[str]) -> bool:
    """Whether one of these is a NATS server. Raises InputError if what is on loopback there is something else."""
    strange = ""
    for url in servers:
        parts = urlsplit(url)
        host, port = parts.hostname or LOOPBACK, parts.port or 4222
        try:
            if await _meet(host, port) is not None:
                return True
        except ValueError as error:
            if not _is_loopback(host):
                return True  # not for us to say: whoever connects will
            strange = f"something else listens at {host}:{port}: {error}"
    if strange:
        raise InputError(Problem("nats", strange, f"end it, or use another port: {OTHER_PORT}"))
    return False


async def _meet(host: str, port: int) -> dict[str, Any] | None:
    """What the server there says of itself, as `greeting`; one that is about to end, because its rigless was killed, is let go first."""
    end = time.monotonic() + END_S
    while (
        (found := await greeting(host, port)) is not None
        and is_orphan(found)
        and time.monotonic() < end
    ):
        await asyncio.sleep(0.02)
    return found


async def _nobody(host: str, port: int) -> None:
    """Raises InputError if the port is taken."""
    try:
        found = await _meet(host, port)
        who = "" if found is None else f"a nats-server {found.get('version', '')} that is not ours"
    except ValueError as error:
        who = f"something else ({error})"
    if who:
        what = f"a NATS server cannot be started at {host}:{port}: there is {who}"
        raise InputError(Problem("nats", what, f"end it, or use another port: {OTHER_PORT}"))
