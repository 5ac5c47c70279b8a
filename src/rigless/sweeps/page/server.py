"""Serve the page of a sweep, with a panel for the runs that are opened from it."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rigless.host.host import Host
from rigless.kernel.simulation import Simulation
from rigless.panel.server import ControlServer
from rigless.scenario.build import Built
from rigless.scenario.model import RobotEntry, Scenario
from rigless.scenario.source import Source
from rigless.sweeps.page.live import LiveSweep
from rigless.sweeps.page.routes import add_sweep_routes
from rigless.sweeps.row import Row
from rigless.sweeps.statistics.goal import goal_of

CLOSE_S = 10.0


@contextmanager
def serve_page(live: LiveSweep, panel: str | None, auth: bool = True) -> Iterator[str]:
    """Serve the page of a running sweep from a thread; yield its URL. Raises InputError."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        server = asyncio.run_coroutine_threadsafe(_open(live, panel, auth), loop).result()
        try:
            yield url_of(server)
        finally:
            live.finish()
            live.linger()
            asyncio.run_coroutine_threadsafe(_close(server), loop).result(CLOSE_S)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_S)
        loop.close()


def serve_table(rows: list[Row], table: Path, panel: str | None, auth: bool) -> Iterator[str]:
    """Serve the page of a table until a signal; yield its URL once it answers."""
    live = LiveSweep(table.name, len(rows), goal_of(rows, str(table)), str(table))
    for row in rows:
        live.add(row)
    live.finish()
    loop = asyncio.new_event_loop()
    try:
        server = loop.run_until_complete(_open(live, panel, auth))
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
        yield url_of(server)
        loop.run_until_complete(stopped.wait())
        loop.run_until_complete(_close(server))
    finally:
        loop.close()


def url_of(server: ControlServer) -> str:
    """Return the URL of the page, with the token."""
    return f"{server.address}/sweep" + (f"?token={server.token}" if server.token else "")


async def _open(live: LiveSweep, panel: str | None, auth: bool) -> ControlServer:
    host = Host(Built(Simulation([]), _nothing(), {}, Source()), speed=1.0)
    host.paused = True
    server = ControlServer(
        host, panel, auth, lambda app, player: add_sweep_routes(app, live, host, player)
    )
    await server.open()
    return server


async def _close(server: ControlServer) -> None:
    await server.close()
    await server.host.close()


def _nothing() -> Scenario:
    """Return a scenario for a host without robots: the panel then shows only recordings."""
    return Scenario.model_construct(name="sweep", robots=[RobotEntry(kind="none")])
