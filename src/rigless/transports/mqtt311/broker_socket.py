"""One connection to an MQTT broker: login, subscriptions, and packets in both directions."""

import asyncio
import socket
from collections.abc import Callable

from rigless.transports.jetstream.errors import LinkError
from rigless.transports.mqtt311 import packets as p
from rigless.transports.mqtt311.settings import Settings
from rigless.transports.sockets.client import ClientSocket
from rigless.transports.transport import join

FIRST_NUMBER = 1  # of SUBSCRIBE, which comes before any message


class BrokerSocket(ClientSocket):
    """The MQTT protocol of one connection. Messages that arrive before `begin` wait for it."""

    def __init__(self, on_packet: Callable[[p.Packet], None]):
        super().__init__()
        loop = asyncio.get_running_loop()
        self.closed_by_broker = False
        self.pings = 0
        self.local = ""
        self._on_packet = on_packet
        self._early: list[p.Packet] | None = []
        self._parser = p.Parser(self._take)
        self._accepted: asyncio.Future[p.Accepted] = loop.create_future()
        self._subscribed: asyncio.Future[p.Subscribed] = loop.create_future()

    async def dial(self, settings: Settings, login: bytes) -> None:
        """Connect, log in and subscribe. Raises OSError, LinkError or ProtocolError."""
        loop = asyncio.get_running_loop()
        name = settings.host if settings.secure else None
        await loop.create_connection(
            lambda: self,
            settings.host,
            settings.port,
            ssl=settings.context(),
            server_hostname=name,
        )
        self.write(login)
        answer = await self._accepted
        if answer.code:
            why = p.REFUSED.get(answer.code, f"return code {answer.code}")
            final = answer.code in (1, 2, 4, 5)
            fix = "check username and passwordFile" if answer.code in (4, 5) else ""
            raise LinkError(
                f"the MQTT broker at {settings.place} refused the connection: {why}", fix, final
            )
        if settings.subscriptions:
            self.write(p.subscribe(FIRST_NUMBER, settings.subscriptions))
            granted = (await self._subscribed).codes
            refused = [
                topic
                for (topic, _), code in zip(settings.subscriptions, granted, strict=False)
                if code >= p.FAILED
            ]
            if refused:
                what = f"the MQTT broker does not permit subscribing to {refused[0]}"
                raise LinkError(what, "ask its operator for the permission", True)

    def begin(self) -> None:
        """Pass on what has arrived, and from now on everything at once."""
        early, self._early = self._early or [], None
        for packet in early:
            self._on_packet(packet)

    # Writing

    def ping(self) -> None:
        self.pings += 1
        self.write(p.PING)

    # Packets

    def _take(self, packet: p.Packet) -> None:
        self.pings = 0
        match packet:
            case p.Accepted() if not self._accepted.done():
                self._accepted.set_result(packet)
            case p.Subscribed() if not self._subscribed.done():
                self._subscribed.set_result(packet)
            case p.Message() | p.Acknowledged():
                if self._early is None:
                    self._on_packet(packet)
                else:
                    self._early.append(packet)
            case p.Accepted() | p.Subscribed():
                raise p.ProtocolError(f"a second {type(packet).__name__}")

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        plug: socket.socket | None = transport.get_extra_info("socket")
        if plug is not None:
            plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.local = join(plug.getsockname())

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed(data)
        except p.ProtocolError as error:
            self._fail(error)
            self.end(f"the received bytes are not MQTT: {error}")

    def connection_lost(self, error: Exception | None) -> None:
        self.closed_by_broker = not self._reason
        reason = self._reason or (str(error) if error is not None else "the broker closed it")
        self._fail(error or ConnectionResetError("it closed the connection during login"))
        if not self.lost.done():
            self.lost.set_result(reason)

    def _fail(self, error: Exception) -> None:
        for waiter in (self._accepted, self._subscribed):
            if not waiter.done():
                waiter.set_exception(error)
                waiter.exception()  # retrieved, so that asyncio does not log it
