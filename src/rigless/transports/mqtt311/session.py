"""An MQTT session that reconnects for ever.

Theory of operation. One attempt dials, sends CONNECT with the will of the moment, waits for
CONNACK, subscribes, and waits for SUBACK; then the session is up. If that fails or the connection
ends, the next attempt follows after a backoff. Nothing is buffered while the session is down:
`publish` returns False, and the caller decides what to resend. Packets of one turn of the loop are
written at its end, together.

A broker that takes over a session for another client with the same id closes the old connection
without a reason (MQTT 3.1.1 has none). Two such clients displace each other for ever; the backoff
therefore starts again only after a connection that lasted.
"""

import asyncio
import contextlib
import ssl
import zlib
from typing import Protocol

from rigless.kernel.events import Severity
from rigless.transports.jetstream.errors import LinkError, as_link_error
from rigless.transports.mqtt311 import packets as p
from rigless.transports.mqtt311.broker_socket import BrokerSocket
from rigless.transports.mqtt311.settings import Settings
from rigless.transports.transport import PENDING_BYTES

FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0
SETTLED_S = 5.0  # after a connection of this length, the backoff starts again
PINGS = 3  # in one keep-alive interval; as many unanswered ones end the connection
IN_FLIGHT = 1000  # unacknowledged messages
DISPLACED = 3  # connections closed soon by the broker, before a second client is suspected
NUMBERS = 65535  # packet identifiers


class SessionObserver(Protocol):
    """Observer of a session."""

    def connecting(self) -> p.Message | None:
        """Return the will of the next connection."""
        ...

    def went_up(self) -> None: ...

    def went_down(self, why: str) -> None: ...

    def received(self, message: p.Message) -> bool:
        """Take a message; return False if it must not be acknowledged."""
        ...

    def log(self, text: str, severity: Severity) -> None: ...


class Session:
    def __init__(self, settings: Settings, observer: SessionObserver):
        self.settings, self._observer = settings, observer
        self.tried = asyncio.Event()  # set after the first attempt
        self.failure: LinkError | None = None  # why it is down
        self.peer = ""  # local address of the connection, as the broker sees it
        self._socket: BrokerSocket | None = None  # while up
        self._out: list[bytes] = []
        self._numbers = 0
        self._unacknowledged: dict[int, p.Message] = {}
        self._acknowledged = asyncio.Event()
        self._logged: set[str] = set()
        self._was_up = False
        self._hold = asyncio.Event()
        self._hold.set()
        self._task = asyncio.get_running_loop().create_task(self._stay_connected())

    @property
    def up(self) -> bool:
        return self._socket is not None

    @property
    def in_flight(self) -> int:
        return len(self._unacknowledged)

    # Publishing

    def publish(self, topic: str, payload: bytes, qos: int = 0, retain: bool = False) -> bool:
        """Send at the end of this turn of the loop. Return False if it is dropped."""
        socket = self._socket
        if socket is None or socket.waiting_bytes > PENDING_BYTES:
            return False
        number = 0
        if qos:
            if len(self._unacknowledged) >= IN_FLIGHT:
                return False
            number = self._number()
        message = p.Message(topic, payload, qos, retain, False, number)
        if qos:
            self._unacknowledged[number] = message
        self._write(p.publish(message))
        return True

    def _number(self) -> int:
        while True:
            self._numbers = self._numbers % NUMBERS + 1
            if self._numbers not in self._unacknowledged:
                return self._numbers

    def _write(self, packet: bytes) -> None:
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out.append(packet)

    def _flush(self) -> None:
        if self._socket is not None and self._out:
            self._socket.write(b"".join(self._out))
        self._out.clear()

    # Ending

    async def close(self, patience_s: float) -> None:
        """Disconnect in order, after waiting for acknowledgements; the broker sends no will."""
        socket = self._socket
        if socket is not None:
            self._flush()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    while self._unacknowledged and not socket.lost.done():
                        self._acknowledged.clear()
                        await self._acknowledged.wait()
            socket.write(p.GOODBYE)
            self._socket = None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        if socket is not None:
            await socket.leave(patience_s)

    def pause(self, why: str) -> None:
        """Cut the connection without a farewell, and stay away until `resume`."""
        self._hold.clear()
        self.cut(why)

    def resume(self) -> None:
        self._hold.set()

    def leave(self, why: str) -> None:
        """Disconnect so that the broker publishes no will, and stay away until `resume`."""
        self._hold.clear()
        socket = self._socket
        if socket is not None:
            self._flush()
            self._socket = None
            socket.write(p.GOODBYE)
            socket.hang_up(why)

    def cut(self, why: str) -> None:
        """Cut the connection without a farewell: the broker publishes the will."""
        if self._socket is not None:
            self._out.clear()
            self._socket.end(why)

    # Connecting

    async def _stay_connected(self) -> None:
        loop = asyncio.get_running_loop()
        wait_s, displaced = FIRST_WAIT_S, 0
        spread = 0.75 + 0.5 * (zlib.crc32(self.settings.client_id.encode()) % 1000) / 1000
        while True:
            await self._hold.wait()
            try:
                socket = await self._dial()
            except Exception as error:
                self._connect_failed(as_link_error(error))
            else:
                begun = loop.time()
                self._connected(socket)
                why = await self._monitor(socket)
                lasted = loop.time() - begun > SETTLED_S
                displaced = displaced + 1 if socket.closed_by_broker and not lasted else 0
                if lasted:
                    wait_s = FIRST_WAIT_S
                if displaced >= DISPLACED:
                    name = self.settings.client_id
                    why += f"; another client may use the client id {name!r}"
                self._disconnected(why)
            await asyncio.sleep(wait_s * spread)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _dial(self) -> BrokerSocket:
        settings = self.settings
        socket = BrokerSocket(self._receive)
        login = p.Login(
            settings.client_id,
            settings.keep_alive_s,
            settings.clean,
            self._observer.connecting(),
            settings.user,
            settings.password(),
        )
        try:
            async with asyncio.timeout(settings.connect_s):
                await socket.dial(settings, p.connect(login))
        except BaseException as error:
            socket.end("not used")
            raise _explained(error, settings) from None
        return socket

    def _connected(self, socket: BrokerSocket) -> None:
        self._socket, self.failure, self.peer = socket, None, socket.local
        self._out.clear()
        self._unacknowledged.clear()
        if self._logged or self._was_up:
            self._observer.log(f"connected to the MQTT broker at {self.settings.place}", "info")
        self._logged.clear()
        self._was_up = True
        self.tried.set()
        self._observer.went_up()
        socket.begin()

    async def _monitor(self, socket: BrokerSocket) -> str:
        pause_s = self.settings.keep_alive_s / PINGS or None
        while not socket.lost.done():
            await asyncio.wait([socket.lost], timeout=pause_s)
            if socket.lost.done():
                break
            if socket.pings >= PINGS:
                socket.end(f"the broker has not answered for {self.settings.keep_alive_s} s")
            socket.ping()
        return socket.lost.result()

    def _disconnected(self, why: str) -> None:
        place = self.settings.place
        self._socket, self.failure = None, LinkError(f"MQTT broker at {place} lost: {why}")
        self._out.clear()
        self._unacknowledged.clear()
        self._acknowledged.set()
        self._observer.log(str(self.failure), "warning")
        self._observer.went_down(why)

    def _connect_failed(self, failure: LinkError) -> None:
        self.failure = failure
        if str(failure) not in self._logged:
            self._logged.add(str(failure))
            self._observer.log(f"{failure}; retrying", "warning")
        self.tried.set()
        self._observer.went_down(str(failure))

    # Receiving

    def _receive(self, packet: p.Packet) -> None:
        match packet:
            case p.Message():
                if self._observer.received(packet) and packet.qos:
                    self._write(p.acknowledge(packet.number))
            case p.Acknowledged():
                self._unacknowledged.pop(packet.number, None)
                self._acknowledged.set()


def _explained(error: BaseException, settings: Settings) -> BaseException:
    """Return an error of dialling as a LinkError that says what to do."""
    place = settings.place
    match error:
        case LinkError() | asyncio.CancelledError():
            return error
        case TimeoutError():
            return LinkError(
                f"no answer from an MQTT broker at {place} within {settings.connect_s:g} s"
            )
        case ssl.SSLCertVerificationError():
            what = f"the certificate of {place} cannot be verified: {error.verify_message}"
            return LinkError(what, "give the broker's CA: caFile", True)
        case ssl.SSLError():
            fix = "check whether it expects TLS (mqtts://) and a certificate of the client"
            return LinkError(f"TLS with {place} failed: {error.reason or error}", fix)
        case p.ProtocolError():
            return LinkError(f"{place} is not an MQTT 3.1.1 broker: {error}")
        case OSError():
            return LinkError(f"no MQTT broker at {place}: {error.strerror or error}")
    return error
