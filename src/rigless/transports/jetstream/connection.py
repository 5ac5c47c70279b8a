"""The way to the backend: one NATS connection, shared by all robots of a process that have the same settings.

It is kept up for ever. A server that does not answer pings for about three seconds (stopped, or its network gone) counts as lost. Nothing
is kept over an outage: who publishes while the way is down is told so, and decides what is still worth sending when it is up again.
Servers that the server names (a cluster) are tried as well. One that is about to go, or where JetStream is not to be had, is left for another.
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
from rigless.transports.jetstream.server_socket import ServerSocket
from rigless.transports.transport import PENDING_BYTES

PING_S = 1.0
PINGS = 2  # unanswered ones; one more and the server counts as lost
QUIET_S = 0.5  # a ping that was not answered for so long: the server may be frozen, and would store late what it is sent now
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 2.0
SETTLED_S = 5.0  # a connection that lasted as long was a good one: the next try comes at once
LEAVE_S = 0.5
ELSEWHERE_S = 8.0  # so long a server may be without JetStream before another is tried
FORGET_S = 60.0  # trouble so long ago was another one
LOST, DENIED, DEAF = (
    -1,
    -2,
    -3,
)  # no answer: the connection has ended; the question, or hearing answers, is not permitted
NOBODY = 503

Answer = Callable[
    [Any, int, bytes, bytes], None
]  # what was given with the question, status, header block, payload
Delivery = Callable[[str, str, bytes, bytes], None]  # subject, reply, header block, payload


@dataclass(frozen=True)
class Settings:
    """Robots that have these alike share a connection."""

    servers: tuple[str, ...]
    creds: str = ""
    name: str = ""
    connect_s: float = 2.0
    alone: str = ""  # a robot that wants a connection of its own


class ConnectionObserver(Protocol):
    """Who is told how the way is."""

    connected: bool

    def went_up(self) -> None: ...

    def went_down(self, why: str) -> None: ...

    def log(self, text: str, severity: Severity) -> None: ...

    def denied(self, subject: str) -> bool: ...


class Connection:
    def __init__(self, settings: Settings):
        self.settings = settings
        self.watchers: list[ConnectionObserver] = []
        self.trouble = LinkError("not connected yet")  # why it is down, while it is
        self.tried = asyncio.Event()  # each server was tried once
        self.inbox = f"_INBOX.{secrets.token_hex(11)}"
        self.users = 0
        self.clock = ServerClock()
        self.clock_due_s = 0.0
        self._given = [urlsplit(_whole(server)) for server in settings.servers]
        self._named: dict[
            SplitResult, str
        ] = {}  # servers that a server told of, with the name in their certificate
        self._at = self._given[0]  # the server of the connection, or of the last one
        self._leave = False  # it is to be tried last
        self._without_s: float | None = None  # since when it has no JetStream for us
        self._wire: ServerSocket | None = None
        self._out: list[bytes] = []
        self._subscriptions: dict[int, tuple[str, Delivery]] = {}
        self._asked: dict[int, tuple[Answer, Any, str]] = {}
        self._next_question = 0
        self._next_subscription = 0
        self._said: set[str] = set()
        self._deaf: PermissionDeniedError | None = None  # no answer can come
        self._refused: set[str] = set()  # subjects that are not permitted, as those who asked know
        self._was_up = False
        self.subscribe(f"{self.inbox}.*", self._answer)
        self._task = asyncio.get_running_loop().create_task(self._keep_up())

    @property
    def up(self) -> bool:
        return self._wire is not None

    @property
    def server(self) -> str:
        return _place(self._given[0])

    @property
    def clustered(self) -> bool:
        return self._wire is not None and bool(self._wire.info.cluster)

    @property
    def max_payload(self) -> int:
        return protocol.Info().max_payload if self._wire is None else self._wire.info.max_payload

    @property
    def congested(self) -> bool:
        """The server does not take what is sent, or does not answer: more would only grow old."""
        wire = self._wire
        return wire is not None and (
            wire.waiting_bytes > PENDING_BYTES
            or (wire.pings > 0 and asyncio.get_running_loop().time() - wire.pinged_s > QUIET_S)
        )

    async def close(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        if self._wire is not None:
            self._flush()
            wire, self._wire = self._wire, None
            await wire.leave(LEAVE_S)

    # Out

    def publish(self, subject: str, data: bytes, reply: str = "", headers: bytes = b"") -> None:
        """Send a message soon: with all others of this turn of the loop. Nothing is sent while the way is down."""
        self._write(protocol.publish(subject, data, reply, headers))

    def ask(self, subject: str, data: bytes, headers: bytes, answer: Answer, context: Any) -> int:
        """Publish with an inbox for the answer. Every question is answered, at the latest with LOST when the connection ends, but only
        `forget` ends the wait for a server that says nothing."""
        self._next_question = number = self._next_question + 1
        if self._wire is None:
            asyncio.get_running_loop().call_soon(answer, context, LOST, b"", b"")
            return number
        self._asked[number] = answer, context, subject
        self._write(protocol.publish(subject, data, f"{self.inbox}.{number}", headers))
        return number

    def forget(self, question: int) -> None:
        self._asked.pop(question, None)

    async def request(
        self, subject: str, data: bytes, timeout_s: float, headers: bytes = b""
    ) -> tuple[bytes, bytes]:
        """Ask and wait: the header block and the payload of the answer. Raises LinkError."""
        if self._wire is None or self._deaf is not None:
            raise self._deaf or self.trouble
        done: asyncio.Future[tuple[int, bytes, bytes]] = asyncio.get_running_loop().create_future()
        number = self.ask(subject, data, headers, _settle, done)
        try:
            async with asyncio.timeout(timeout_s):
                status, block, payload = await done
        except TimeoutError:
            raise ReplyTimeoutError(
                f"no answer from the server within {timeout_s:g} s to {subject}"
            ) from None
        finally:
            self.forget(number)
        if status == LOST:
            raise ConnectionLostError("the connection was lost")
        if status == DEAF and self._deaf is not None:
            raise self._deaf
        if status == DENIED:
            raise PermissionDeniedError("publish to", subject)
        if status == NOBODY:
            raise NoRespondersError(f"nobody answers on {subject}")
        return block, payload

    def subscribe(self, subject: str, delivery: Delivery) -> int:
        """Listen, over all outages, until `unsubscribe`."""
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

    # In

    def _message(
        self, subscription: int, subject: str, reply: str, headers: bytes, data: bytes
    ) -> None:
        found = self._subscriptions.get(subscription)
        if found is not None:
            found[1](subject, reply, headers, data)

    def _answer(self, subject: str, reply: str, headers: bytes, data: bytes) -> None:
        try:
            asked = self._asked.pop(int(subject.rpartition(".")[2]), None)
        except ValueError:  # somebody else's
            return
        if asked is not None:
            asked[0](asked[1], protocol.status(headers), headers, data)

    def _denied(self, action: str, subject: str) -> None:
        waiting = [number for number, asked in self._asked.items() if asked[2] == subject]
        for number in waiting:
            answer, context, _ = self._asked.pop(number)
            answer(context, DENIED, b"", b"")
        if action == "subscribe" and subject.startswith(self.inbox):
            self._deaf = PermissionDeniedError("subscribe to", "_INBOX.>")
            self.tell(str(self._deaf), "error")
            self._answer_all(DEAF)
        elif waiting:
            self._refused.add(subject)
        elif subject not in self._refused and not any(
            watcher.denied(subject) for watcher in list(self.watchers)
        ):
            way = "publish to" if action == "publish" else "subscribe to"
            self.tell(str(PermissionDeniedError(way, subject)), "error")

    def _answer_all(self, status: int) -> None:
        asked, self._asked = self._asked, {}
        for answer, context, _ in asked.values():
            answer(context, status, b"", b"")

    # Up and down

    async def _keep_up(self) -> None:
        loop = asyncio.get_running_loop()
        wait_s = FIRST_WAIT_S
        while True:
            troubles = []
            for server in self._order():
                try:
                    wire = await self._dial(server)
                except Exception as error:
                    troubles.append(as_link_error(error))
                    continue
                begun = loop.time()
                self._begin(wire, server)
                why = await self._watch(wire)
                self._end(why)
                if loop.time() - begun > SETTLED_S:
                    wait_s = FIRST_WAIT_S
                break
            else:
                self._failed(troubles)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    def _order(self) -> list[SplitResult]:
        """Servers in the order in which they are tried."""
        servers = [*self._given, *(server for server in self._named if server not in self._given)]
        if self._leave and self._at in servers:
            self._leave = False
            servers.remove(self._at)
            servers.append(self._at)
        return servers

    async def _dial(self, server: SplitResult) -> ServerSocket:
        wire = ServerSocket(self._message, self._denied, self._learn)
        try:
            async with asyncio.timeout(self.settings.connect_s):
                await wire.dial(
                    server, self.settings.creds, self.settings.name, self._named.get(server, "")
                )
        except TimeoutError:
            wire.end("too slow")
            within = f"within {self.settings.connect_s:g} s"
            raise LinkError(f"no answer from a NATS server at {_place(server)} {within}") from None
        except BaseException:
            wire.end("not wanted")
            raise
        return wire

    def _begin(self, wire: ServerSocket, server: SplitResult) -> None:
        self._wire, self._at = wire, server
        self._without_s = None
        self._out.clear()
        self._learn()
        for number, (subject, _) in self._subscriptions.items():
            self._write(protocol.subscribe(subject, number))
        if self._said or self._was_up:
            self.tell(
                f"connected to the NATS server at {_place(server)}{' again' if self._was_up else ''}",
                "info",
            )
        self._said.clear()
        self._refused.clear()
        self._deaf = None
        self._was_up = True
        self.tried.set()
        for watcher in list(self.watchers):
            watcher.went_up()

    def _learn(self) -> None:
        """Which other servers there are, as the one at hand says."""
        if self._wire is None or not self._wire.info.connect_urls:
            return
        user, _, here = self._at.netloc.rpartition("@")
        certified = self._named.get(self._at) or self._at.hostname or ""
        self._named = {}
        for url in self._wire.info.connect_urls:
            found = urlsplit(f"{self._at.scheme}://{user + '@' if user else ''}{url}")
            if url != here and _is_place(found):
                self._named[found] = certified if _is_number(found.hostname or "") else ""
        if self._wire.info.ldm:
            self._elsewhere("since it is about to shut down")

    def no_jetstream(self, why: str) -> None:
        """A robot says that JetStream does not serve it here: if that lasts and no other robot is better off, another server is tried."""
        now_s = asyncio.get_running_loop().time()
        if any(watcher.connected for watcher in self.watchers):
            self._without_s = None
        elif self._without_s is None or now_s - self._without_s > FORGET_S:
            self._without_s = now_s
        elif now_s - self._without_s > ELSEWHERE_S:
            self._elsewhere(f"since {why}")

    def _elsewhere(self, why: str) -> None:
        if self._wire is not None and len(self._order()) > 1:
            self._leave = True
            self._flush()
            self._wire.hang_up(f"left for another server, {why}")

    async def _watch(self, wire: ServerSocket) -> str:
        while not wire.lost.done():
            await asyncio.wait([wire.lost], timeout=PING_S)
            if wire.lost.done():
                break
            if wire.pings >= PINGS:
                wire.end(f"the server has not answered for {(PINGS + 1) * PING_S:g} s")
            else:
                wire.ping()
        return wire.lost.result()

    def _end(self, why: str) -> None:
        self._wire = None
        self._out.clear()
        self.trouble = LinkError(f"the connection to the NATS server was lost: {why}")
        self._answer_all(LOST)
        self.tell(self.trouble.what, "warning")
        for watcher in list(self.watchers):
            watcher.went_down(self.trouble.what)

    def _failed(self, troubles: list[LinkError]) -> None:
        self.trouble = next((trouble for trouble in troubles if trouble.final), troubles[0])
        if self.trouble.final:
            self.tell(f"{self.trouble}{'; trying on' if self._was_up else ''}", "error")
        elif not self._was_up:
            self.tell(
                f"{self.trouble}; trying on (rigless run --embedded-nats brings a server along)",
                "warning",
            )
        self.tried.set()
        for watcher in list(self.watchers):
            watcher.went_down(str(self.trouble))

    def well(self) -> None:
        """A robot can talk: trouble that comes is new."""
        self._said.clear()

    def tell(self, text: str, severity: Severity) -> None:
        """Say something once, until things have been well again, whoever shares the connection."""
        if text not in self._said and self.watchers:
            self._said.add(text)
            self.watchers[0].log(text, severity)


def _settle(
    done: "asyncio.Future[tuple[int, bytes, bytes]]", status: int, headers: bytes, data: bytes
) -> None:
    if not done.done():
        done.set_result((status, headers, data))


def _whole(server: str) -> str:
    return server if "://" in server else f"nats://{server}"


def _place(server: SplitResult) -> str:
    """Without the password."""
    return f"{server.hostname}:{server.port or 4222}"


def _is_place(server: SplitResult) -> bool:
    try:
        return bool(server.hostname) and server.port is not None
    except ValueError:
        return False


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


# Sharing

_shared: dict[tuple[int, Settings], Connection] = {}


def join(settings: Settings) -> Connection:
    """The connection for these settings; the one that is there, if another robot has it already."""
    key = id(asyncio.get_running_loop()), settings
    found = _shared.get(key)
    if found is None:
        found = _shared[key] = Connection(settings)
    found.users += 1
    return found


async def leave(connection: Connection) -> None:
    connection.users -= 1
    if connection.users == 0:
        _shared.pop((id(asyncio.get_running_loop()), connection.settings), None)
        await connection.close()
