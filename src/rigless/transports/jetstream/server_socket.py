"""One TCP connection to one NATS server, from INFO to close."""

import asyncio
import re
import socket
import ssl
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult

import msgspec

from rigless.transports.jetstream import credentials, protocol
from rigless.transports.jetstream.errors import LinkError
from rigless.transports.sockets.client import ClientSocket

OLDEST = (2, 11)  # older servers silently ignore a consumer's filter_subjects
AUTH = ("authorization", "authentication")
DENIED = re.compile(
    r"permissions violation for (publish|subscription) to \"([^\"]*)\"", re.IGNORECASE
)

OnDenied = Callable[[str, str], None]  # publish or subscribe, subject
OnInfo = Callable[[], None]  # the server sent a new INFO


class ServerSocket(ClientSocket):
    """The NATS protocol of one connection."""

    def __init__(
        self,
        on_message: protocol.OnMessage,
        on_denied: OnDenied,
        on_info: OnInfo,
        runs: protocol.Acknowledgements | None = None,
    ):
        super().__init__()
        loop = asyncio.get_running_loop()
        self.info = protocol.Info()
        self.pings = 0  # unanswered pings
        self.pinged_s = 0.0  # time of the first unanswered ping
        self._greeted: asyncio.Future[None] = loop.create_future()
        self._ready: asyncio.Future[None] = loop.create_future()
        self._on_denied, self._on_info = on_denied, on_info
        self._parser = protocol.Parser(on_message, self._line, runs)

    async def dial(self, url: SplitResult, creds: str, name: str, certified: str = "") -> None:
        """Connect and log in. Raises LinkError.

        `certified` is the name in the server's certificate, if it is not the host name.
        """
        loop = asyncio.get_running_loop()
        host, port = url.hostname or "127.0.0.1", url.port or 4222
        try:
            await loop.create_connection(lambda: self, host, port)
            await self._greeted
            secure = self.info.tls_required or url.scheme == "tls"
            if secure:
                if not self.info.tls_required and not self.info.tls_available:
                    fix = "name it nats:// in nats.servers, or give the server a certificate"
                    raise LinkError(f"the NATS server at {host}:{port} has no TLS", fix, final=True)
                await self._upgrade(certified or host)
            self._check()
            self.write(self._connect(url, creds, name, secure) + protocol.PING)
            await self._ready
        except ssl.SSLCertVerificationError as error:
            fix = f"name the CA's file in {credentials.CA} or SSL_CERT_FILE"
            what = f"the certificate of {host}:{port} is not trusted: {error.verify_message}"
            raise LinkError(what, fix, final=True) from None
        except ssl.SSLError as error:
            raise LinkError(f"no TLS with {host}:{port}: {error.reason or error}") from None
        except protocol.ProtocolError as error:
            raise LinkError(f"the service at {host}:{port} is not a NATS server: {error}") from None
        except OSError as error:
            what = error.strerror or str(error) or "it closed the connection"
            raise LinkError(f"no NATS server at {host}:{port}: {what}") from None
        except (UnicodeError, ValueError, OverflowError) as error:
            raise LinkError(
                f"{host}:{port} is no address: {error}", "see nats.servers in the config", True
            ) from None
        except ClosedDuringLoginError as error:
            if any(word in str(error).lower() for word in AUTH):
                raise credentials.rejected(str(error), creds, url) from None
            raise LinkError(
                f"the NATS server at {host}:{port} closed the connection: {error}"
            ) from None

    async def _upgrade(self, name: str) -> None:
        assert self._transport is not None
        context = credentials.tls(self.info.tls_verify)
        loop = asyncio.get_running_loop()
        secured = await loop.start_tls(self._transport, self, context, server_hostname=name)
        self._transport = secured

    def _check(self) -> None:
        if protocol.version(self.info.version) < OLDEST:
            found, oldest = (
                self.info.version or "of no version",
                ".".join(str(number) for number in OLDEST),
            )
            what = f"the NATS server is {found}; {oldest} is the oldest that can be used"
            raise LinkError(
                what,
                "it would deliver one robot's commands to another: use nats-server "
                f"{oldest} or newer",
                True,
            )
        if not self.info.headers:
            raise LinkError(
                "the NATS server does not support headers",
                "remove no_header_support from its config",
                True,
            )

    def _connect(self, url: SplitResult, creds: str, name: str, secure: bool) -> bytes:
        fields: dict[str, Any] = {
            "verbose": False,
            "pedantic": False,
            "tls_required": secure,
            "lang": "python",
            "version": "rigless",
            "protocol": 1,
            "headers": True,
            "no_responders": True,
            "name": name,
            **credentials.login(url, creds, self.info.nonce),
        }
        return b"CONNECT " + msgspec.json.encode(fields) + b"\r\n"

    # Writing

    def ping(self) -> None:
        self.pinged_s = self.pinged_s if self.pings else asyncio.get_running_loop().time()
        self.pings += 1
        self.write(protocol.PING)

    def _line(self, operation: bytes, rest: bytes) -> None:
        if operation == b"PING":
            self.write(protocol.PONG)
        elif operation == b"PONG":
            self.pings = 0
            if not self._ready.done():
                self._ready.set_result(None)
        elif operation == b"INFO":
            self._informed(rest)
        elif operation == b"-ERR":
            self._error(rest.strip().strip(b"'").decode("utf-8", "replace"))
        elif operation != b"+OK":
            raise protocol.ProtocolError(f"it said {operation[:40]!r}")

    def _informed(self, rest: bytes) -> None:
        try:
            self.info = msgspec.json.decode(rest, type=protocol.Info)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise protocol.ProtocolError(f"its greeting cannot be read: {error}") from None
        if not self._greeted.done():
            self._greeted.set_result(None)
        elif self._ready.done():
            self._on_info()

    def _error(self, text: str) -> None:
        found = DENIED.match(text)
        if found is None:
            self._reason = text  # the server closes the connection after it
        else:
            self._on_denied("publish" if found[1].lower() == "publish" else "subscribe", found[2])

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        plug: socket.socket | None = transport.get_extra_info("socket")
        if plug is not None and plug.family != socket.AF_UNIX:
            plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed(data)
        except protocol.ProtocolError as error:
            self._fail(error)
            self.end(f"the received bytes are not NATS: {error}")

    def connection_lost(self, error: Exception | None) -> None:
        reason = self._reason or (
            str(error) if error is not None else "the server closed the connection"
        )
        self._fail(error if isinstance(error, ssl.SSLError) else ClosedDuringLoginError(reason))
        if not self.lost.done():
            self.lost.set_result(reason)

    def _fail(self, error: Exception) -> None:
        for waiter in (self._greeted, self._ready):
            if not waiter.done():
                waiter.set_exception(error)
                waiter.exception()  # retrieved, so that asyncio does not log it


class ClosedDuringLoginError(Exception):
    """The server closed the connection during login."""
