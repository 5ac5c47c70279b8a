"""WebSocket server: one link for each connection, one message for each frame.

The subject is the kind of frame: "text" or "binary". There is no compression and no ping, as in the
servers that this replaces, so a lost peer is noticed when a message is sent to it.
"""

import asyncio
import logging
from http import HTTPStatus

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, LINKS, PENDING_BYTES, Inbox, join, split

FRAME_BYTES = 1 << 16  # a longer message closes the connection
WAITING = 16  # queued messages of one peer
HANDSHAKE_S, CLOSE_S = 5.0, 1.0
TEXT, BINARY = "text", "binary"

_silent = logging.Logger("rigless.websocket")  # peers without WebSocket are not logged
_silent.addHandler(logging.NullHandler())


class Transport:
    """The server of one port."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self.connections: dict[int, ServerConnection] = {}
        self._server: Server | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def open(self, address: str) -> str:
        host, port = split(address)
        self._server = await serve(
            self._serve_peer,
            host,
            port,
            process_request=self._admit,
            compression=None,
            ping_interval=None,
            max_size=FRAME_BYTES,
            max_queue=WAITING,
            open_timeout=HANDSHAKE_S,
            close_timeout=CLOSE_S,
            logger=_silent,
            server_header=None,
        )
        return f"ws://{join(next(iter(self._server.sockets)).getsockname())}"

    def send(self, link: int, data: bytes, subject: str) -> None:
        for number in list(self.connections) if link == ALL else (link,):
            connection = self.connections.get(number)
            if connection is None:
                continue
            if connection.transport.get_write_buffer_size() + len(data) > PENDING_BYTES:
                self.inbox.dropped(number)
            else:
                broadcast(
                    [connection], data.decode("utf-8", "replace") if subject == TEXT else data
                )

    def close_link(self, link: int) -> None:
        """Close: data sent before is still delivered, nothing more is read."""
        connection = self.connections.pop(link, None)
        if connection is not None:
            task = asyncio.create_task(connection.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        left = list(self.connections.values())
        self.connections.clear()
        server.close()
        _, late = await asyncio.wait(
            [asyncio.create_task(server.wait_closed())], timeout=2 * CLOSE_S
        )
        for connection in left:
            connection.transport.abort()
        for task in late:
            await task

    # One peer

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        if len(self.connections) < LINKS:
            return None
        return connection.respond(
            HTTPStatus.SERVICE_UNAVAILABLE, f"{LINKS} peers are here already\n"
        )

    async def _serve_peer(self, connection: ServerConnection) -> None:
        link = self.inbox.new_link()
        self.connections[link] = connection
        self.inbox.connected(link, join(connection.remote_address), join(connection.local_address))
        try:
            async for message in connection:
                if link not in self.connections:
                    break
                if isinstance(message, str):
                    self.inbox.received(link, message.encode(), TEXT)
                else:
                    self.inbox.received(link, message, BINARY)
        except ConnectionClosed:
            return  # however it closed
        finally:
            if self.connections.pop(link, None) is not None:
                self.inbox.disconnected(link)
