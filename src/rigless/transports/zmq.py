"""ZeroMQ over TCP: the server side for REQ, SUB and PUSH clients.

The port's option `pattern` is "rep", "pub" or "pull", and `frame_bytes` the longest frame that is
read; a longer one closes the connection. Requests are received by a ROUTER socket, which REQ
clients cannot distinguish from REP. Each client is a link, replies may be sent in any order, and a
missing reply blocks only its own client. Like REP, it returns the envelope of the request with the
reply and skips messages without one; of a multipart message it reads the first part. The request
number of a client with ZMQ_REQ_CORRELATE is a part of the envelope, but not of the link's identity.

The socket's monitor reports connects and disconnects in the order of the data. The file descriptor
of a ZeroMQ socket is edge-triggered, so every access must check for more data before it returns.
"""

import asyncio
import os
import socket
from functools import cache
from typing import Any

import zmq
from zmq.utils.monitor import parse_monitor_message

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, LINKS, Inbox, join, split

PATTERNS = {"rep": zmq.ROUTER, "pub": zmq.PUB, "pull": zmq.PULL}
FRAME_BYTES = 1 << 16  # the longest frame, unless the port has another
PARTS = 8  # parts of a message that are read
BATCH = 32  # messages read in one turn of the loop
QUEUE = 1000  # messages a peer may leave unread
UNREAD_BYTES = 1 << 26  # of a peer; what it sends beyond that waits in its own queue
LINGER_MS, CLOSE_S = 200, 1.0
REQUEST_NUMBER = 4  # bytes; ZeroMQ's own names of peers have five
WATCHED = zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED | zmq.EVENT_CLOSED

Key = int | tuple[bytes, ...]  # file descriptor of a connection, or address of a REQ client


@cache
def _context() -> "zmq.Context[Any]":
    """Return the context of all ports. The global instance may be terminated by scripts."""
    return zmq.Context()


class Transport:
    """The socket of one port."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self.pattern: str = port.options.get("pattern", "rep")
        self.frame_bytes: int = port.options.get("frame_bytes", FRAME_BYTES)
        self.links: dict[Key, int] = {}  # least recently active first
        self.keys: dict[int, Key] = {}
        self._connections: dict[int, int] = {}  # link → file descriptor
        self.envelopes: dict[int, tuple[bytes, ...]] = {}  # link → of its newest request
        self._local = ""
        self._socket: zmq.Socket[Any] | None = None
        self._monitor: zmq.Socket[Any] | None = None
        self._closed = False
        self._reading = False

    async def open(self, address: str) -> str:
        host, port = split(address)
        loop = asyncio.get_running_loop()
        family, _, _, _, found = (await loop.getaddrinfo(host, port))[0]
        socket: zmq.Socket[Any] = _context().socket(PATTERNS[self.pattern])
        socket.set(zmq.IPV6, int(family.name == "AF_INET6"))
        socket.set(zmq.MAXMSGSIZE, self.frame_bytes)
        socket.set(zmq.RCVHWM, max(1, min(QUEUE, UNREAD_BYTES // self.frame_bytes)))
        socket.set(zmq.SNDHWM, QUEUE)
        socket.set(zmq.LINGER, LINGER_MS)
        if self.pattern == "rep":
            socket.set(zmq.ROUTER_MANDATORY, 1)  # raise if a reply cannot be sent
        try:
            self._monitor = socket.get_monitor_socket(WATCHED)
            socket.bind(f"tcp://{join((found[0], port or '*'))}")
        except zmq.ZMQError as error:
            self._end(socket)
            raise OSError(error.errno, str(error)) from None
        self._socket = socket
        url = socket.getsockopt_string(zmq.LAST_ENDPOINT)
        self._local = url.removeprefix("tcp://")
        loop.add_reader(self._monitor.fileno(), self._watch)
        loop.call_soon(self._watch)  # edge-triggered: read until empty first
        if self.pattern != "pub":
            loop.add_reader(socket.fileno(), self._receive)
            loop.call_soon(self._receive)
        return url

    def send(self, link: int, data: bytes, subject: str) -> None:
        socket = self._socket
        if socket is None:
            return
        if self.pattern == "pub":
            if link == ALL or link in self.keys:
                socket.send(data, zmq.NOBLOCK)  # ZeroMQ drops it silently for slow subscribers
            return
        for number in list(self.keys) if link == ALL else (link,):
            envelope = self.envelopes.get(number)
            if envelope is None:
                continue
            try:
                socket.send_multipart((*envelope, b"", data), zmq.NOBLOCK)
            except zmq.ZMQError:
                self.inbox.dropped(number)
        if not self._reading:
            self._look_again()

    def close_link(self, link: int) -> None:
        """Forget a peer. ZeroMQ cannot disconnect one peer; its next message opens a new link."""
        key = self.keys.pop(link, None)
        if key is not None:
            del self.links[key]
            self._connections.pop(link, None)
            self.envelopes.pop(link, None)

    async def close(self) -> None:
        socket, self._socket = self._socket, None
        if socket is None or self._monitor is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(socket.fileno())
        loop.remove_reader(self._monitor.fileno())
        socket.unbind(socket.getsockopt_string(zmq.LAST_ENDPOINT))
        end = loop.time() + CLOSE_S
        while not self._closed and loop.time() < end:  # so that the port is free when this returns
            self._watch(reporting=False)
            await asyncio.sleep(0.001)
        self._end(socket)
        self.links.clear()
        self.keys.clear()
        self.envelopes.clear()

    def _end(self, socket: "zmq.Socket[Any]") -> None:
        socket.disable_monitor()
        if self._monitor is not None:
            self._monitor.close(0)
            self._monitor = None
        socket.close()

    # Receiving

    def _look_again(self) -> None:
        if self._socket is not None and int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            asyncio.get_running_loop().call_soon(self._receive)

    def _receive(self) -> None:
        self._reading = True
        try:
            for _ in range(BATCH):
                parts = self._message()
                if parts is None:
                    return
                if self.pattern == "pull":
                    self._arrived(parts[0].get(zmq.SRCFD), parts[0].bytes, parts[0])
                else:
                    self._requested(parts)
        finally:
            self._reading = False
            self._look_again()

    def _message(self) -> list[zmq.Frame] | None:
        """Return the first parts of the next message; drop the rest."""
        if self._socket is None:
            return None
        try:
            part = self._socket.recv(zmq.NOBLOCK, copy=False)
            parts = [part]
            while part.more:
                part = self._socket.recv(zmq.NOBLOCK, copy=False)
                if len(parts) < PARTS:
                    parts.append(part)
        except zmq.ZMQError:
            return None
        return parts

    def _requested(self, parts: list[zmq.Frame]) -> None:
        envelope: list[bytes] = []
        for number, part in enumerate(parts[:-1]):
            content = part.bytes
            if not content:
                self._arrived(_address(envelope), parts[number + 1].bytes, part, tuple(envelope))
                return
            envelope.append(content)

    def _arrived(
        self, key: Key, data: bytes, part: zmq.Frame, envelope: tuple[bytes, ...] | None = None
    ) -> None:
        if key not in self.links:
            self._watch()  # handle disconnects first, since descriptors are reused
        if key in self.links:
            self.links[key] = link = self.links.pop(key)
        else:
            connection = part.get(zmq.SRCFD)
            link = self._join(key, connection, _peer(connection, str(part.get("Peer-Address"))))
        if link in self.keys:  # the robot may have closed it at once
            if envelope is not None:
                self.envelopes[link] = envelope
            self.inbox.received(link, data)

    def _join(self, key: Key, connection: int, peer: str) -> int:
        if key in self.links:  # a reused descriptor of a peer that left
            self._leave(self.links[key])
        elif len(self.links) >= LINKS:
            self._leave(next(iter(self.links.values())))
        link = self.inbox.new_link()
        self.links[key], self.keys[link], self._connections[link] = link, key, connection
        self.inbox.connected(link, peer, self._local)
        return link

    def _leave(self, link: int) -> None:
        self.close_link(link)
        self.inbox.disconnected(link)

    # Connects and disconnects

    def _watch(self, reporting: bool = True) -> None:
        while self._monitor is not None:
            try:
                event = parse_monitor_message(self._monitor.recv_multipart(zmq.NOBLOCK))
            except zmq.ZMQError:
                return
            number = int(event["value"])
            if event["event"] == zmq.EVENT_CLOSED:
                self._closed = True
            elif event["event"] == zmq.EVENT_DISCONNECTED and reporting:
                for link in [
                    link for link, connection in self._connections.items() if connection == number
                ]:
                    self._leave(link)
            elif reporting and self.pattern != "rep":
                self._join(number, number, "subscriber" if self.pattern == "pub" else "pusher")


def _address(envelope: list[bytes]) -> tuple[bytes, ...]:
    """Return the envelope without the request number."""
    correlated = len(envelope) > 1 and len(envelope[-1]) == REQUEST_NUMBER
    return tuple(envelope[:-1] if correlated else envelope)


def _peer(connection: int, host: str) -> str:
    """Return HOST:PORT of the peer of a connection, or only its host if it has gone."""
    try:
        with socket.socket(fileno=os.dup(connection)) as ours:
            return join(ours.getpeername())
    except OSError:
        return host
