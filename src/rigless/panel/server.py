"""The HTTP server of the control API and the panel, on the host's event loop."""

import asyncio
import contextlib
import ipaddress
import secrets
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI

from rigless.host import sessions
from rigless.host.auth import Auth
from rigless.host.control import create_app
from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.actions import add_action_routes
from rigless.panel.assets import add_assets, import_map_hash
from rigless.panel.history.routes import add_signal_routes
from rigless.panel.hub import Hub
from rigless.panel.map_objects import list_robots
from rigless.panel.player import Player
from rigless.panel.player_api import add_player_routes
from rigless.panel.program_api import add_program_routes
from rigless.panel.recording_files import add_recording_file_routes
from rigless.panel.websocket import add_websocket
from rigless.panel.wire.api import add_wire_routes
from rigless.transports.transport import join, split

Routes = Callable[[FastAPI, Player], None]  # adds further routes and pages
DEFAULT_ADDRESS = "127.0.0.1:8080"


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # the process that runs the host handles signals


def create_panel_app(host: Host, hub: Hub, player: Player) -> FastAPI:
    """Return the host's control API with the routes and files of the panel."""
    app = create_app(host)
    add_websocket(app, hub)
    add_action_routes(app, hub)
    add_program_routes(app, hub.desks)
    add_player_routes(app, host, player)
    add_wire_routes(app, host, hub.wire)
    add_signal_routes(app, host, hub.feed, player)
    add_recording_file_routes(app, host)
    add_assets(app)
    return app


class ControlServer:
    """One HTTP and WebSocket server. It generates a `token` unless `auth` is off.

    `more` adds further routes to those of the panel.
    """

    def __init__(
        self, host: Host, address: str | None = None, auth: bool = True, more: Routes | None = None
    ):
        self.host = host
        self.token = secrets.token_urlsafe(24) if auth else None
        self._socket = _bind(address)
        if not auth and not ipaddress.ip_address(self._socket.getsockname()[0]).is_loopback:
            self._socket.close()
            fix = "bind 127.0.0.1, or leave the token on"
            raise InputError(
                Problem("--no-auth", "would let the whole network control the simulation", fix)
            )
        self.address, self.notes = _reachable(self._socket)
        self.player = Player()
        self.hub = Hub(host, [self.player], self._player_status)
        self.hub.feed.start()
        app = create_panel_app(host, self.hub, self.player)
        if more is not None:
            more(app, self.player)
        guarded: Any = Auth(app, self.token, import_map_hash(), sessions.cookie_key())
        config = uvicorn.Config(
            guarded,
            log_level="error",
            access_log=False,
            lifespan="off",
            ws_max_size=1 << 20,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None

    def _player_status(self) -> dict[str, Any]:
        sim = self.player.sim
        return {
            "deck": None if sim is None else {**self.player.describe(), "robots": list_robots(sim)}
        }

    @property
    def url(self) -> str:
        """The URL to open in a browser, with the token in it."""
        return f"{self.address}/?token={self.token}" if self.token else f"{self.address}/"

    async def open(self) -> None:
        """Start serving; return when the server answers."""
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        while not self._server.started and not self._task.done():
            await asyncio.sleep(0.002)

    async def close(self) -> None:
        """Stop serving and close all connections."""
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        await self.hub.close()
        await self.player.close()
        self._socket.close()


def _reachable(bound: socket.socket) -> tuple[str, list[str]]:
    """Return the URL for this machine, and a note with the one for others if all may connect."""
    host, port = bound.getsockname()[:2]
    if not ipaddress.ip_address(host).is_unspecified:
        return f"http://{join((host, port))}", []
    remote = _own_address(bound.family, "2001:db8::1" if ":" in host else "192.0.2.1")
    local = f"http://{join(('::1' if ':' in host else '127.0.0.1', port))}"
    note = "the panel is open to the whole network"
    return local, [f"{note}, at http://{join((remote, port))}" if remote else note]


def _own_address(family: int, somewhere: str) -> str:
    """Return the address that this machine would use to reach another; nothing is sent."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect((somewhere, 9))
        return str(probe.getsockname()[0])
    return ""


def _bind(address: str | None) -> socket.socket:
    """Bind the address. Without one, bind the default, or any free port if that is taken."""
    try:
        return _listen(*split(_with_port(address or DEFAULT_ADDRESS)))
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


def _with_port(address: str) -> str:
    """Add the default port to an IP address without one."""
    with contextlib.suppress(ValueError):
        host = ipaddress.ip_address(address)
        return join((str(host), int(DEFAULT_ADDRESS.rpartition(":")[2])))
    return address


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is given explicitly, so that asyncio sets TCP_NODELAY.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener
