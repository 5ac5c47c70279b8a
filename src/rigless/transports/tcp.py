"""TCP server: one link for each connection."""

import asyncio

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, LINKS, PENDING_BYTES, Inbox, join, split

# If all links are in use, a new connection waits: a disconnect may not be noticed yet.
WAIT_S = 1.0
TURNS = 5  # further turns of the loop: last data, end of file, close


class Transport:
    """The server of one port."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self.connections: dict[int, asyncio.Transport] = {}
        self._waiting: dict[_Connection, asyncio.Transport] = {}
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
        """Close: data sent before is still delivered, nothing more is read."""
        connection = self.connections.pop(link, None)
        if connection is not None:
            connection.close()
            self.accept_waiting()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in (*self._waiting.values(), *self.connections.values()):
            connection.abort()
        self._waiting.clear()
        self.connections.clear()

    # Waiting connections

    def arrive(self, peer: "_Connection", connection: asyncio.Transport) -> None:
        if len(self._waiting) >= LINKS:
            connection.abort()
        elif len(self.connections) >= LINKS:
            connection.pause_reading()
            self._waiting[peer] = connection
            asyncio.get_running_loop().call_later(WAIT_S, self._give_up, peer, TURNS)
        else:
            peer.link = self.inbox.new_link()
            self.connections[peer.link] = connection
            here, there = (
                connection.get_extra_info("sockname"),
                connection.get_extra_info("peername"),
            )
            self.inbox.connected(peer.link, join(there), join(here))

    def accept_waiting(self) -> None:
        """Accept the connection that has waited longest, now that a link is free."""
        if self._waiting:
            peer, connection = next(iter(self._waiting.items()))
            del self._waiting[peer]
            self.arrive(peer, connection)
            connection.resume_reading()

    def _give_up(self, peer: "_Connection", turns: int) -> None:
        if turns and peer in self._waiting:
            asyncio.get_running_loop().call_soon(self._give_up, peer, turns - 1)
        elif peer in self._waiting:
            self._waiting.pop(peer).abort()


class _Connection(asyncio.Protocol):
    """Passes received data to the inbox."""

    def __init__(self, owner: Transport):
        self._owner = owner
        self.link = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._owner.arrive(self, transport)

    def data_received(self, data: bytes) -> None:
        if self.link in self._owner.connections:
            self._owner.inbox.received(self.link, data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._owner.connections.pop(self.link, None) is not None:
            self._owner.inbox.disconnected(self.link)
            self._owner.accept_waiting()
