"""UDP: datagrams to peers that the robot registers, and from any peer on ports that listen."""

import asyncio

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, LINKS, PENDING_BYTES, Inbox, join, split


class Transport:
    """The socket of one port."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self.listens = port.direction != "out"
        self.peers: dict[int, tuple[str, int]] = {}
        self.links: dict[tuple[str, int], int] = {}  # peers that sent first
        self._socket: asyncio.DatagramTransport | None = None

    async def open(self, address: str) -> str:
        loop = asyncio.get_running_loop()
        self._socket, _ = await loop.create_datagram_endpoint(
            lambda: _Datagrams(self), local_addr=split(address)
        )
        return f"udp://{join(self._socket.get_extra_info('sockname'))}"

    def send(self, link: int, data: bytes, subject: str) -> None:
        for number in list(self.peers) if link == ALL else (link,):
            peer = self.peers.get(number)
            if peer is None or self._socket is None:
                continue
            waiting = self._socket.get_write_buffer_size()  # type: ignore[attr-defined]
            if waiting + len(data) > PENDING_BYTES:
                self.inbox.dropped(number)
            else:
                self._socket.sendto(data, peer)

    def open_link(self, link: int, address: str) -> None:
        host, port = split(address)
        if 0 < port < 65536:
            self.peers[link] = (host, port)
        else:
            self.inbox.dropped(link)

    def close_link(self, link: int) -> None:
        peer = self.peers.pop(link, None)
        if peer is not None:
            self.links.pop(peer, None)

    async def close(self) -> None:
        if self._socket is not None:
            self._socket.abort()
        self.peers.clear()
        self.links.clear()

    def arrived(self, data: bytes, peer: tuple[str, int]) -> None:
        if not self.listens:
            return
        link = self.links.get(peer)
        if link is None:
            if len(self.links) >= LINKS:  # drop the oldest peer
                oldest = next(iter(self.links.values()))
                self.close_link(oldest)
                self.inbox.disconnected(oldest)
            link = self.links[peer] = self.inbox.new_link()
            self.peers[link] = peer
            assert self._socket is not None
            self.inbox.connected(link, join(peer), join(self._socket.get_extra_info("sockname")))
        self.inbox.received(link, data)

    def failed(self, error: Exception) -> None:
        """Count a datagram that the network rejected (too long, no route)."""
        self.inbox.dropped(0)


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, owner: Transport):
        self._owner = owner

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self._owner.arrived(data, (addr[0], addr[1]))

    def error_received(self, exc: Exception) -> None:
        self._owner.failed(exc)
