"""TCP server: one link a connection."""

import asyncio

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, LINKS, PENDING_BYTES, Inbox, join, split


class Transport:
    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self.connections: dict[int, asyncio.Transport] = {}
        self._server: asyncio.Server | None = None

    async def open(self, address: str) -> str:
        host, port = split(address)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), host, port)
        return f"tcp://{join(self._server.sockets[0].getsockname())}"

    def send(self, link: int, data: bytes, subject: str) -> None:
        for number in list(self.connections) if link == ALL else (link,):
            connection = self.connections.get(number)
            if connection is None:
                continue
            if connection.get_write_buffer_size() + len(data) > PENDING_BYTES:
                self.inbox.dropped(number)
            else:
                connection.write(data)

    def close_link(self, link: int) -> None:
        """Hang up: what was sent before still goes out, nothing more is read."""
        connection = self.connections.pop(link, None)
        if connection is not None:
            connection.close()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self.connections.values():
            connection.abort()
        self.connections.clear()


class _Connection(asyncio.Protocol):
    """Hands what asyncio reads to the inbox."""

    def __init__(self, owner: Transport):
        self._owner = owner
        self._link = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if len(self._owner.connections) >= LINKS:
            transport.abort()
            return
        peer, local = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        self._link = self._owner.inbox.new_link()
        self._owner.connections[self._link] = transport
        self._owner.inbox.connected(self._link, join(peer), join(local))

    def data_received(self, data: bytes) -> None:
        if self._link in self._owner.connections:
            self._owner.inbox.received(self._link, data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._owner.connections.pop(self._link, None) is not None:
            self._owner.inbox.disconnected(self._link)
