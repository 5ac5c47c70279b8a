"""NATS servers that the host starts itself.

One is started if a robot's config points at loopback and there is no server, or on request. It is
shared by the robots of the host. If it exits, it is restarted, up to RESTARTS times a minute.
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
    recorded_port,
)
from rigless.transports.transport import split

WATCH_S = 0.2
RESTARTS = 5  # within RESTARTS_S
RESTARTS_S = 60.0
TRIES = 5  # a free port may be taken by the time of the start


@dataclass(frozen=True)
class ServerAddress:
    """URLs to connect to. An embedded server (`started`) needs no credentials and no TLS."""

    servers: tuple[str, ...]
    started: bool = False
    note: str = ""


class EmbeddedServers:
    """The embedded servers of one host, by port; usually one or none.

    With `always`, robots use an embedded server whatever their config says.
    """

    def __init__(self, state: Path, log: Log, always: bool = False):
        self.state, self.always = state, always
        self._log = log
        self._keeper = Keeper("NATS server", log)
        self._free: int | None = None  # port of the server shared by robots with port 0
        self._lock = asyncio.Lock()

    @property
    def pids(self) -> list[int]:
        return [server.pid for server in self._keeper.servers.values()]

    async def ensure(self, address: str, servers: Sequence[str] = ()) -> ServerAddress:
        """Return the URLs to connect to, and start a server if needed. Raises InputError.

        `servers` are the configured URLs; the default is the address.
        """
        servers = tuple(servers) or (f"nats://{address}",)
        host, port = split(address)
        async with self._lock:
            wanted = self._free if port == 0 else port
            if wanted is not None and wanted in self._keeper.servers:
                return ServerAddress((self._keeper.servers[wanted].url,), True)
            if self.always or port == 0:
                return await self._start(host if is_loopback(host) else LOOPBACK, port, "")
            if await _is_nats_running(servers) or not all(
                is_loopback(urlsplit(url).hostname or "") for url in servers
            ):
                return ServerAddress(servers)
            return await self._start(host, port, f"no NATS server at {address}: ")

    async def _start(self, host: str, port: int, why: str) -> ServerAddress:
        for attempt in range(TRIES):
            number = port or free_port(host)
            server = Server(host, number, self.state / "nats-server" / str(number))
            try:
                await _check_port_free(host, number)
                await server.start()
                break
            except InputError:
                if port or attempt == TRIES - 1:
                    raise
        if port == 0:
            self._free = server.port
        self._keeper.keep(server.port, server)
        store = f"store {server.folder / 'store'}"
        if why:
            note = f"{why}started one (nats-server {server.version}, {store})"
        else:
            note = f"started nats-server {server.version} at {server.host}:{server.port} ({store})"
        self._log(note, "info")
        return ServerAddress((server.url,), True, note)

    async def close(self) -> None:
        """Stop all embedded servers."""
        await self._keeper.close()
        self._free = None


class Keeper:
    """Running servers by port. One that exits is restarted, up to RESTARTS times a minute."""

    def __init__(self, what: str, log: Log):
        self.servers: dict[int, Server] = {}
        self._what, self._log = what, log
        self._watches: list[asyncio.Task[None]] = []

    def keep(self, port: int, server: Server) -> None:
        self.servers[port] = server
        self._watches.append(asyncio.create_task(self._watch(port, server)))

    async def _watch(self, port: int, server: Server) -> None:
        """Restart the server when it exits."""
        begun: deque[float] = deque(maxlen=RESTARTS)
        while True:
            await asyncio.sleep(WATCH_S)
            if server.returned is None:
                continue
            place = f"{server.host}:{port}"
            what = f"the {self._what} at {place} has exited (status {server.returned})"
            now = time.monotonic()
            if len(begun) == RESTARTS and now - begun[0] < RESTARTS_S:
                log = server.folder / "nats-server.log"
                self._log(
                    f"{what} {RESTARTS} times within a minute: it is not restarted; its "
                    f"log is {log}",
                    "error",
                )
                return
            begun.append(now)
            try:
                await server.start()
                self._log(f"{what}: started again", "warning")
            except InputError as error:
                self._log(f"{what}; {error}", "error")
                return

    async def close(self) -> None:
        """Stop all servers."""
        for watch in self._watches:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch
        self._watches.clear()
        for server in self.servers.values():
            await server.end()
        self.servers.clear()


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _is_nats_running(servers: Sequence[str]) -> bool:
    """Return whether one of these is a NATS server.

    Raises InputError if something else listens there on loopback.
    """
    strange = ""
    for url in servers:
        parts = urlsplit(url)
        host, port = parts.hostname or LOOPBACK, parts.port or 4222
        try:
            if await _greet(host, port) is not None:
                return True
        except ValueError as error:
            if not is_loopback(host):
                return True  # the client reports it
            strange = f"something else listens at {host}:{port}: {error}"
    if strange:
        raise InputError(Problem("nats", strange, f"end it, or use another port: {OTHER_PORT}"))
    return False


async def _greet(host: str, port: int) -> dict[str, Any] | None:
    """Return the server's INFO as `greeting` does, after waiting for an orphaned server to exit."""
    end = time.monotonic() + END_S
    while (
        (found := await greeting(host, port)) is not None
        and is_orphan(found)
        and time.monotonic() < end
    ):
        await asyncio.sleep(0.02)
    return found


async def wait_for_orphan(folder: Path) -> None:
    """Wait for a server that was started in this folder and whose parent process has ended."""
    if (port := recorded_port(folder)) is not None:
        with contextlib.suppress(ValueError):
            await _greet(LOOPBACK, port)


async def _check_port_free(host: str, port: int) -> None:
    """Raise InputError if the port is in use."""
    try:
        found = await _greet(host, port)
        who = "" if found is None else f"a nats-server {found.get('version', '')} that is not ours"
    except ValueError as error:
        who = f"something else ({error})"
    if who:
        what = f"a NATS server cannot be started at {host}:{port}: there is {who}"
        raise InputError(Problem("nats", what, f"end it, or use another port: {OTHER_PORT}"))
