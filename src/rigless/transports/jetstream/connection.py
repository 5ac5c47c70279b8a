"""A NATS connection that reconnects for ever, shared by robots with the same settings.

A server that answers no ping for about three seconds counts as lost. Nothing is buffered over an
outage: a message published while disconnected is dropped, and the caller decides what to resend.
Servers of the cluster that a server announces are tried too. If a server is about to shut down, or
JetStream is not available there, the connection switches to another server.
"""

import asyncio
import contextlib
import ipaddress
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from rigless.kernel.events import Severity
from rigless.transports.jetstream import protocol
from rigless.transports.jetstream.clock import ServerClock
from rigless.transports.jetstream.errors import (
    ConnectionLostError,
    LinkError,
    NoRespondersError,
    PermissionDeniedError,
    ReplyTimeoutError,
    as_link_error,
)
from rigless.transports.jetstream.followed import FollowedSubjects
from rigless.transports.jetstream.server import is_embedded
from rigless.transports.jetstream.server_socket import ServerSocket
from rigless.transports.transport import PENDING_BYTES

PING_S = 1.0
PINGS = 2  # unanswered pings; after one more the server counts as lost
CONGESTED_S = 0.5  # after an unanswered ping this old, the server may be frozen
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 2.0
SETTLED_S = 5.0  # after a connection of this length, the backoff starts again
LEAVE_S = 0.5
SWITCH_S = 8.0  # without JetStream for this long, another server is tried
FORGET_S = 60.0  # failures further apart than this are unrelated
# Instead of a reply: the connection ended; the request, or receiving replies, is not permitted.
LOST, DENIED, NO_REPLIES = -1, -2, -3
NO_RESPONDERS = 503

ReplyHandler = Callable[[Any, int, bytes, bytes], None]  # context, status, header block, payload
Delivery = Callable[[str, str, bytes, bytes], None]  # subject, reply, header block, payload


@dataclass(frozen=True)
class Settings:
    """Settings of a connection. Robots with equal settings share one."""

    servers: tuple[str, ...]
    creds: str = ""
    name: str = ""
    connect_s: float = 2.0
    alone: str = ""  # the robot that has a connection of its own


class ConnectionObserver(Protocol):
    """Observer of the connection state."""

    connected: bool

    def went_up(self) -> None: ...

    def went_down(self, why: str) -> None: ...

    def log(self, text: str, severity: Severity) -> None: ...

    def denied(self, subject: str) -> bool: ...


class Connection:
    def __init__(self, settings: Settings):
        self.settings = settings
        self.observers: list[ConnectionObserver] = []
        self.failure = LinkError("not connected yet")  # why it is disconnected
        self.tried = asyncio.Event()  # set when each server was tried once
        self.inbox = f"_INBOX.{secrets.token_hex(11)}"
        self.users = 0
        self.hints: set[str] = set()  # logged for all robots of the connection
        self.clock = ServerClock()
        self.clock_due_s = 0.0
        self._given = [urlsplit(_with_scheme(server)) for server in settings.servers]
        self._named: dict[
            SplitResult, str
        ] = {}  # announced servers, with the name in their certificate
        self._server_url = self._given[0]  # the current server, or the last one
        self._leave = False  # try the current server last
        self._no_jetstream_since_s: float | None = None  # when JetStream became unavailable
        self._wire: ServerSocket | None = None
        self._out: list[bytes] = []
        self._subscriptions: dict[int, tuple[str, Delivery]] = {}
        self._pending: dict[int, tuple[ReplyHandler, Any, str]] = {}
        self.followed = FollowedSubjects(self.inbox)
        self._next_request = 0
        self._next_subscription = 0
        self._logged: set[str] = set()
        self._no_replies: PermissionDeniedError | None = None  # why no reply can arrive
        self._refused: set[str] = set()  # denied subjects that were reported to the requester
        self._was_up = False
        replies = self.subscribe(f"{self.inbox}.*", self._reply)
        self._runs = protocol.Acknowledgements(self.inbox, replies, self.followed.acknowledged)
        self._task = asyncio.get_running_loop().create_task(self._stay_connected())

    @property
    def up(self) -> bool:
        return self._wire is not None

    @property
    def server(self) -> str:
        return _host_and_port(self._given[0])

    @property
    def clustered(self) -> bool:
        return self._wire is not None and bool(self._wire.info.cluster)

    @property
    def embedded(self) -> bool:
        """True if rigless started the server, in this process or another."""
        return self._wire is not None and is_embedded(self._wire.info.server_name)

    @property
    def max_payload(self) -> int:
        return protocol.Info().max_payload if self._wire is None else self._wire.info.max_payload

    @property
    def congested(self) -> bool:
        """True if the server does not read or does not answer: more messages would only wait."""
        wire = self._wire
        return wire is not None and (
            wire.waiting_bytes > PENDING_BYTES
            or (wire.pings > 0 and asyncio.get_running_loop().time() - wire.pinged_s > CONGESTED_S)
        )

    async def close(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        if self._wire is not None:
            self._flush()
            wire, self._wire = self._wire, None
            await wire.leave(LEAVE_S)

    # Publishing

    def publish(self, subject: str, data: bytes, reply: str = "", headers: bytes = b"") -> None:
        """Send at the end of this turn of the loop. Dropped while disconnected."""
        self._write(protocol.publish(subject, data, reply, headers))

    def publish_request(
        self, subject: str, data: bytes, headers: bytes, on_reply: ReplyHandler, context: Any
    ) -> int:
        """Publish with an inbox for the reply, and return the number of the request.

        The handler is called once: with the reply, or with LOST when the connection ends. If the
        server never replies, call `cancel_request`.
        """
        self._next_request = number = self._next_request + 1
        if self._wire is None:
            asyncio.get_running_loop().call_soon(on_reply, context, LOST, b"", b"")
            return number
        self._pending[number] = on_reply, context, subject
        self._write(protocol.publish(subject, data, f"{self.inbox}.{number}", headers))
        return number

    def cancel_request(self, request_id: int) -> None:
        self._pending.pop(request_id, None)

    async def request(
        self, subject: str, data: bytes, timeout_s: float, headers: bytes = b""
    ) -> tuple[bytes, bytes]:
        """Send a request and return the header block and payload of the reply. Raises LinkError."""
        if self._wire is None or self._no_replies is not None:
            raise self._no_replies or self.failure
        done: asyncio.Future[tuple[int, bytes, bytes]] = asyncio.get_running_loop().create_future()
        number = self.publish_request(subject, data, headers, _set_reply, done)
        try:
            async with asyncio.timeout(timeout_s):
                status, block, payload = await done
        except TimeoutError:
            raise ReplyTimeoutError(
                f"no answer from the server within {timeout_s:g} s to {subject}"
            ) from None
        finally:
            self.cancel_request(number)
        if status == LOST:
            raise ConnectionLostError("the connection was lost")
        if status == NO_REPLIES and self._no_replies is not None:
            raise self._no_replies
        if status == DENIED:
            raise PermissionDeniedError("publish to", subject)
        if status == NO_RESPONDERS:
            raise NoRespondersError(f"there is no responder on {subject}")
        return block, payload

    def subscribe(self, subject: str, delivery: Delivery) -> int:
        """Subscribe until `unsubscribe`; the subscription survives reconnects."""
        self._next_subscription = number = self._next_subscription + 1
        self._subscriptions[number] = subject, delivery
        self._write(protocol.subscribe(subject, number))
        return number

    def unsubscribe(self, number: int) -> None:
        if self._subscriptions.pop(number, None) is not None:
            self._write(protocol.unsubscribe(number))

    def _write(self, frame: bytes) -> None:
        if self._wire is None:
            return
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out.append(frame)

    def _flush(self) -> None:
        if self._wire is not None and self._out:
            self._wire.write(b"".join(self._out))
        self._out.clear()

    # Receiving

    def _message(
        self, subscription: int, subject: str, reply: str, headers: bytes, data: bytes
    ) -> None:
        found = self._subscriptions.get(subscription)
        if found is not None:
            found[1](subject, reply, headers, data)

    def _reply(self, subject: str, reply: str, headers: bytes, data: bytes) -> None:
        name = subject.rpartition(".")[2]
        if self.followed.take(name, headers, data):
            return
        try:
            pending = self._pending.pop(int(name), None)
        except ValueError:  # not one of our requests
            return
        if pending is not None:
            pending[0](pending[1], protocol.status(headers), headers, data)

    def _denied(self, action: str, subject: str) -> None:
        waiting = [number for number, pending in self._pending.items() if pending[2] == subject]
        for number in waiting:
            on_reply, context, _ = self._pending.pop(number)
            on_reply(context, DENIED, b"", b"")
        followed = action == "publish" and self.followed.deny(subject, DENIED)
        if action == "subscribe" and subject.startswith(self.inbox):
            self._no_replies = PermissionDeniedError("subscribe to", "_INBOX.>")
            self.log(str(self._no_replies), "error")
            self._reply_to_all(NO_REPLIES)
        elif waiting or followed:
            self._refused.add(subject)
        elif subject not in self._refused and not any(
            observer.denied(subject) for observer in list(self.observers)
        ):
            way = "publish to" if action == "publish" else "subscribe to"
            self.log(str(PermissionDeniedError(way, subject)), "error")

    def _reply_to_all(self, status: int) -> None:
        pending, self._pending = self._pending, {}
        for on_reply, context, _ in pending.values():
            on_reply(context, status, b"", b"")

    # Connecting

    async def _stay_connected(self) -> None:
        loop = asyncio.get_running_loop()
        wait_s = FIRST_WAIT_S
        while True:
            failures = []
            for server in self._order():
                try:
                    wire = await self._dial(server)
                except Exception as error:
                    failures.append(as_link_error(error))
                    continue
                begun = loop.time()
                self._connected(wire, server)
                why = await self._monitor(wire)
                self._disconnected(why)
                if loop.time() - begun > SETTLED_S:
                    wait_s = FIRST_WAIT_S
                break
            else:
                self._connect_failed(failures)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    def _order(self) -> list[SplitResult]:
        """Return the servers in the order in which to try them."""
        servers = [*self._given, *(server for server in self._named if server not in self._given)]
        if self._leave and self._server_url in servers:
            self._leave = False
            servers.remove(self._server_url)
            servers.append(self._server_url)
        return servers

    async def _dial(self, server: SplitResult) -> ServerSocket:
        wire = ServerSocket(self._message, self._denied, self._learn_servers, self._runs)
        try:
            async with asyncio.timeout(self.settings.connect_s):
                await wire.dial(
                    server, self.settings.creds, self.settings.name, self._named.get(server, "")
                )
        except TimeoutError:
            wire.end("too slow")
            within = f"within {self.settings.connect_s:g} s"
            raise LinkError(
                f"no answer from a NATS server at {_host_and_port(server)} {within}"
            ) from None
        except BaseException:
            wire.end("not wanted")
            raise
        return wire

    def _connected(self, wire: ServerSocket, server: SplitResult) -> None:
        self._wire, self._server_url = wire, server
        self._no_jetstream_since_s = None
        self._out.clear()
        self._learn_servers()
        for number, (subject, _) in self._subscriptions.items():
            self._write(protocol.subscribe(subject, number))
        if self._logged or self._was_up:
            self.log(
                "connected to the NATS server at "
                f"{_host_and_port(server)}{' again' if self._was_up else ''}",
                "info",
            )
        self._logged.clear()
        self._refused.clear()
        self._no_replies = None
        self._was_up = True
        self.tried.set()
        for observer in list(self.observers):
            observer.went_up()

    def _learn_servers(self) -> None:
        """Remember the other servers of the cluster, as this server announces them."""
        if self._wire is None or not self._wire.info.connect_urls:
            return
        user, _, here = self._server_url.netloc.rpartition("@")
        certified = self._named.get(self._server_url) or self._server_url.hostname or ""
        self._named = {}
        for url in self._wire.info.connect_urls:
            found = urlsplit(f"{self._server_url.scheme}://{user + '@' if user else ''}{url}")
            if url != here and _is_usable(found):
                self._named[found] = certified if _is_ip_address(found.hostname or "") else ""
        if self._wire.info.ldm:
            self._switch_server("since it is about to shut down")

    def no_jetstream(self, why: str) -> None:
        """Note that JetStream is unavailable to a robot.

        If that lasts and no other robot is connected, switch to another server.
        """
        now_s = asyncio.get_running_loop().time()
        if any(observer.connected for observer in self.observers):
            self._no_jetstream_since_s = None
        elif self._no_jetstream_since_s is None or now_s - self._no_jetstream_since_s > FORGET_S:
            self._no_jetstream_since_s = now_s
        elif now_s - self._no_jetstream_since_s > SWITCH_S:
            self._switch_server(f"since {why}")

    def _switch_server(self, why: str) -> None:
        if self._wire is not None and len(self._order()) > 1:
            self._leave = True
            self._flush()
            self._wire.hang_up(f"left for another server, {why}")

    async def _monitor(self, wire: ServerSocket) -> str:
        while not wire.lost.done():
            await asyncio.wait([wire.lost], timeout=PING_S)
            if wire.lost.done():
                break
            if wire.pings >= PINGS:
                wire.end(f"the server has not answered for {(PINGS + 1) * PING_S:g} s")
            else:
                wire.ping()
        return wire.lost.result()

    def _disconnected(self, why: str) -> None:
        self._wire = None
        self._out.clear()
        self.failure = LinkError(f"the connection to the NATS server was lost: {why}")
        self._reply_to_all(LOST)
        self.log(self.failure.what, "warning")
        for observer in list(self.observers):
            observer.went_down(self.failure.what)

    def _connect_failed(self, failures: list[LinkError]) -> None:
        self.failure = next((failure for failure in failures if failure.final), failures[0])
        if self.failure.final:
            self.log(f"{self.failure}{'; retrying' if self._was_up else ''}", "error")
        elif not self._was_up:
            self.log(
                f"{self.failure}; retrying (rigless run --embedded-nats starts a server)",
                "warning",
            )
        self.tried.set()
        for observer in list(self.observers):
            observer.went_down(str(self.failure))

    def reset_log(self) -> None:
        """Log repeated texts again: a robot is connected, so a new failure is another one."""
        self._logged.clear()

    def log(self, text: str, severity: Severity) -> None:
        """Log a text once until `reset_log`, for all robots that share the connection."""
        if text not in self._logged and self.observers:
            self._logged.add(text)
            self.observers[0].log(text, severity)


def _set_reply(
    done: "asyncio.Future[tuple[int, bytes, bytes]]", status: int, headers: bytes, data: bytes
) -> None:
    if not done.done():
        done.set_result((status, headers, data))


def _with_scheme(server: str) -> str:
    return server if "://" in server else f"nats://{server}"


def _host_and_port(server: SplitResult) -> str:
    """Return HOST:PORT, without the password."""
    return f"{server.hostname}:{server.port or 4222}"


def _is_usable(server: SplitResult) -> bool:
    try:
        return bool(server.hostname) and server.port is not None
    except ValueError:
        return False


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


# Shared connections

_shared: dict[tuple[int, Settings], Connection] = {}


def acquire(settings: Settings) -> Connection:
    """Return the connection with these settings, shared with other robots. Pair with `release`."""
    key = id(asyncio.get_running_loop()), settings
    found = _shared.get(key)
    if found is None:
        found = _shared[key] = Connection(settings)
    found.users += 1
    return found


async def release(connection: Connection) -> None:
    connection.users -= 1
    if connection.users == 0:
        _shared.pop((id(asyncio.get_running_loop()), connection.settings), None)
        await connection.close()
