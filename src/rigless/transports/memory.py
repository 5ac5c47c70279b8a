"""A transport without sockets, for tests and clients in the same process."""

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, PENDING_BYTES, Inbox


class Peer:
    """The client's end of a link."""

    def __init__(self, owner: "Transport", link: int):
        self._owner = owner
        self._link = link
        self.inbox: list[tuple[str, bytes]] = []
        self.pending = 0
        self.open = True

    def send(self, data: bytes, subject: str = "") -> None:
        if not self.open:
            raise ConnectionResetError("the robot has hung up")
        self._owner.inbox.received(self._link, data, subject)

    def read(self) -> bytes:
        """Return all bytes received since the last call."""
        data = b"".join(data for _, data in self.inbox)
        self.inbox.clear()
        self.pending = 0
        return data

    def close(self) -> None:
        if self.open:
            self.open = False
            self._owner.peers.pop(self._link, None)
            self._owner.inbox.disconnected(self._link)


class Transport:
    """A port in memory. `connect()` returns the end of a new client."""

    def __init__(self, port: Port, inbox: Inbox):
        self.name = port.name
        self.inbox = inbox
        self.peers: dict[int, Peer] = {}

    async def open(self, address: str) -> str:
        return f"memory://{self.name}"

    def connect(self, name: str = "memory") -> Peer:
        link = self.inbox.new_link()
        peer = self.peers[link] = Peer(self, link)
        self.inbox.connected(link, name, self.name)
        return peer

    def send(self, link: int, data: bytes, subject: str) -> None:
        for number in list(self.peers) if link == ALL else (link,):
            peer = self.peers.get(number)
            if peer is None:
                continue
            if peer.pending + len(data) > PENDING_BYTES:
                self.inbox.dropped(number)
            else:
                peer.pending += len(data)
                peer.inbox.append((subject, data))

    def open_link(self, link: int, address: str) -> None:
        self.peers[link] = Peer(self, link)

    def close_link(self, link: int) -> None:
        peer = self.peers.pop(link, None)
        if peer is not None:
            peer.open = False

    async def close(self) -> None:
        for link in list(self.peers):
            self.close_link(link)
