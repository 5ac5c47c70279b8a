"""Serves the control API and the panel on the host's own event loop."""

import asyncio
import contextlib
import ipaddress
import secrets
import socket
from collections.abc import Iterator
from typing import Any

import uvicorn

from rigless.host import sessions
from rigless.host.auth import Auth
from rigless.host.control import create_app
from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel import map_objects
from rigless.panel.actions import add_action_routes
from rigless.panel.assets import add_assets, import_map_hash
from rigless.panel.hub import Hub
from rigless.panel.player import Player
from rigless.panel.player_api import add_player_routes
from rigless.panel.websocket import add_websocket
from rigless.transports.transport import join, split

DEFAULT = "127.0.0.1:8080"


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # signals belong to whoever runs the host


class ControlServer:
    """One HTTP and WebSocket server. `token` is made up unless `auth` is off."""

    def __init__(self, host: Host, address: str | None = None, auth: bool = True):
        self.token = secrets.token_urlsafe(24) if auth else None
        self._socket = _bind(address)
        if not auth and not ipaddress.ip_address(self._socket.getsockname()[0]).is_loopback:
            self._socket.close()
            fix = "bind 127.0.0.1, or leave the token on"
            raise InputError(
                Problem("--no-auth", "would let the whole network control the simulation", fix)
            )
        self.address = f"http://{join(self._socket.getsockname())}"
        self.deck = Player()
        self.hub = Hub(host, [self.deck], self._deck)
        app = create_app(host)
        add_websocket(app, self.hub)
        add_action_routes(app, self.hub)
        add_player_routes(app, host, self.deck)
        add_assets(app)
        guarded: Any = Auth(app, self.token, import_map_hash(), sessions.cookie_key())
        config = uvicorn.Config(
            guarded, log_level="error", access_log=False, lifespan="off", ws_max_size=1 << 20,
            ws_per_message_deflate=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None

    def _deck(self) -> dict[str, Any]:
        deck = self.deck
        return {
            "deck": None
            if deck.sim is None
            else {**deck.describe(), "robots": map_objects.cast(deck.sim)}
        }

    @property
    def url(self) -> str:
        """What a person opens: the address with the token in it."""
        return f"{self.address}/?token={self.token}" if self.token else f"{self.address}/"

    async def open(self) -> None:
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        while not self._server.started and not self._task.done():
            await asyncio.sleep(0.002)

    async def close(self) -> None:
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        await self.hub.close()
        await self.deck.close()
        self._socket.close()


def _bind(address: str | None) -> socket.socket:
    """The given address, or the default one, or any free port if that is taken and nobody asked for it by name."""
    try:
        return _listen(*split(address or DEFAULT))
    except (OSError, ValueError, OverflowError) as error:
        if address is None:
            return _listen("127.0.0.1", 0)
        reason = getattr(error, "strerror", None) or "it is not HOST:PORT"
        raise InputError(
            Problem(
                f"--panel {address}",
                f"cannot be bound: {reason}",
                "use another, for example --panel 127.0.0.1:0",
            )
        ) from None


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(
        family, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # named, so that asyncio sets TCP_NODELAY
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener
