"""The HTTP server of the control API and the panel, on the host's event loop."""

import asyncio
import contextlib
import ipaddress
import logging
import secrets
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI

from rigless.host import sessions
from rigless.host.api.auth import Auth
from rigless.host.api.control import create_app
from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.actions import add_action_routes
from rigless.panel.address import bind, reachable
from rigless.panel.assets import add_assets, import_map_hash
from rigless.panel.fleet.routes import add_fleet_routes
from rigless.panel.goals.routes import add_goal_routes
from rigless.panel.history.routes import add_signal_routes
from rigless.panel.hub import Hub
from rigless.panel.map_objects import list_robots
from rigless.panel.places.devices import add_device_routes
from rigless.panel.places.routes import add_place_routes
from rigless.panel.player import Player
from rigless.panel.program_api import add_program_routes
from rigless.panel.recordings.file_links import add_file_link_routes
from rigless.panel.recordings.player_api import add_player_routes
from rigless.panel.recordings.recording_files import add_recording_file_routes
from rigless.panel.recordings.second_player import SecondPlayer
from rigless.panel.websocket import add_websocket
from rigless.panel.wire.api import add_wire_routes

Routes = Callable[[FastAPI, Player], None]  # adds further routes and pages


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # the process that runs the host handles signals


def create_panel_app(host: Host, hub: Hub, player: Player, second: SecondPlayer) -> FastAPI:
    """Return the host's control API with the routes and files of the panel."""
    app = create_app(host)
    add_websocket(app, hub)
    add_action_routes(app, hub)
    add_fleet_routes(app, hub)
    add_program_routes(app, hub.desks)
    add_goal_routes(app, hub.goals)
    add_place_routes(app, host, hub.zones)
    add_device_routes(app, host)
    add_player_routes(app, host, player, second)
    add_wire_routes(app, host, hub.wire)
    add_signal_routes(app, host, hub.feed, player)
    add_recording_file_routes(app, host)
    add_file_link_routes(app, host)
    add_assets(app)
    return app


class ControlServer:
    """One HTTP and WebSocket server. It generates a `token` unless `auth` is off.

    `address` may be a socket that is bound already. `more` adds further routes to those of the
    panel.
    """

    def __init__(
        self,
        host: Host,
        address: str | socket.socket | None = None,
        auth: bool = True,
        more: Routes | None = None,
    ):
        self.host = host
        self.token = secrets.token_urlsafe(24) if auth else None
        self._socket = address if isinstance(address, socket.socket) else bind(address)
        if not auth and not ipaddress.ip_address(self._socket.getsockname()[0]).is_loopback:
            self._socket.close()
            fix = "bind 127.0.0.1, or leave the token on"
            raise InputError(
                Problem("--no-auth", "would let the whole network control the simulation", fix)
            )
        self.address, self.notes = reachable(self._socket)
        self.player = Player()
        self.second = SecondPlayer(self.player)
        self.hub = Hub(host, [self.player, self.second], self._player_status)
        self.hub.feed.start()
        app = create_panel_app(host, self.hub, self.player, self.second)
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
        if sim is None:
            return {"deck": None}
        other = self.second.sim
        shown = other and {**self.second.describe(), "robots": list_robots(other)}
        return {"deck": {**self.player.describe(), "robots": list_robots(sim), "second": shown}}

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
        """Stop serving and close all connections. Requests in flight are cancelled."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # it reports them as errors
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        await self.hub.close()
        await self.second.close()
        await self.player.close()
        self._socket.close()
