"""NATS JetStream: a robot exchanges messages with its backend through streams.

Theory of operation. The robot has one link, from open to close; the connection state is reported to
it as a message. Everything it emits passes through `send`, which never waits. At the end of the
event loop's turn, all durable messages of that turn are written to the outbox in one transaction.
Then they are published, and the commands received meanwhile are acknowledged. So a command is
acknowledged to JetStream only when the reply is on disk, and a killed process loses no message that
others know of. If the robot's own code raises, the command and all later ones are not acknowledged
and are redelivered when the robot starts again. Latest-wins messages are published while connected
and dropped otherwise.

Retained messages (the last one by some key) are stored in the same transaction and delivered to the
robot when it starts. The subjects of a robot are in the options of its port. Messages are JSON
objects with a `messageId` and a `payload`.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from rigless.kernel.events import Severity
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.timing.timestamps import to_exact_text
from rigless.transports.jetstream import connection as connections
from rigless.transports.jetstream import outbox as outboxes
from rigless.transports.jetstream.connection import Connection, Settings
from rigless.transports.jetstream.consumer import Delivered
from rigless.transports.jetstream.errors import LinkError
from rigless.transports.jetstream.lease import this_process
from rigless.transports.jetstream.outbox import DurableMessage, Outbox
from rigless.transports.jetstream.session import TICK_S, Session, SessionConfig
from rigless.transports.transport import Inbox, split

REPORT_S = 10.0
RETURN_S = 1.0  # after a fault closed the link, it is opened again
CLOSE_S = 1.0
SETTLE_S = 2.0  # a run waits this long for the connection before it starts
CONNECT_S = 2.0


class _Known(msgspec.Struct, rename="camel"):
    """The field of a message that the transport reads."""

    message_id: str = ""


class _Whole(msgspec.Struct):
    payload: dict[str, Any] = {}


_known, _whole = msgspec.json.Decoder(_Known), msgspec.json.Decoder(_Whole)
_BEGINS = re.compile(rb'\{"v":1,"messageId":"([0-9A-Za-z-]+)",')  # as robots write it


class Transport:
    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self._name = port.name
        self._options = port.options
        self._plan = SessionConfig.of(port.options)
        self._latest = frozenset(port.options["latest_wins"])
        self._kept: dict[str, str] = port.options["kept"]
        self._link = 0
        self._url = ""
        self._outgoing: list[
            tuple[str, bytes, DurableMessage | None]
        ] = []  # of this turn, in order
        self._next = 0
        self._claim: Any = None
        self._outbox: Outbox | None = None
        self._connection: Connection | None = None
        self._session: Session | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._returning: asyncio.TimerHandle | None = None
        self._reported: tuple[bool, int, str] | None = None
        self._report_s = 0.0
        self._full = False

    # Open and close

    async def open(self, address: str) -> str:
        robot = self._plan.robot
        try:
            settings = await self._settings(address)
            folder = _folder(self._options["state"])
            self._claim = outboxes.lock_robot(folder, robot, str(this_process()))
            self._outbox = outboxes.acquire(folder, self._log)
            self._next = self._outbox.last_number(robot)
            self._connection = connections.acquire(settings)
            self._session = Session(
                self._connection, self._outbox, self._plan, self._receive, self._changed, self._log
            )
            await self._session.ready
        except LinkError as failure:
            await self.close()
            raise failure.problem(f"{robot}/{self._name}") from None
        except BaseException:
            await self.close()
            raise
        self._url = f"nats://{self._connection.server}"
        self._attach()
        self._deliver_retained()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._session.settled.wait(), SETTLE_S)
        self._report()
        self._tick()
        return self._url

    async def _settings(self, address: str) -> Settings:
        alone = self._plan.robot if self._options.get("own_connection") else ""
        return await connection_settings(self._options, address, alone)

    async def close(self) -> None:
        for timer in (self._timer, self._returning):
            if timer is not None:
                timer.cancel()
        session, self._session = self._session, None
        if session is not None:
            if self._outbox is not None:
                self._outbox.commit()
            self._publish(session)
            await session.close(CLOSE_S)
        self._link = 0
        connection, self._connection = self._connection, None
        if connection is not None:
            await connections.release(connection)
        outbox, self._outbox = self._outbox, None
        if outbox is not None:
            outboxes.release(outbox)
        if self._claim is not None:
            self._claim.close()
            self._claim = None

    def restarted(self) -> None:
        """Deliver retained messages and the connection state after a start or a reset."""
        if self._link and self._session is not None:
            self._session.resume()
        self._deliver_retained()
        self._reported = None
        self._report()

    def _deliver_retained(self) -> None:
        if self._outbox is None or not self._link:
            return
        self._outbox.commit()
        try:
            kept = self._outbox.kept(self._plan.robot)
        except LinkError as failure:
            self._log(f"{failure}; the robot starts without retained messages", "error")
            return
        for subject, data in kept:
            self.inbox.received(self._link, data, subject)

    # Link

    def _attach(self) -> None:
        self._returning = None
        self._link = link = self.inbox.new_link()
        self.inbox.connected(link, self._url, self._plan.robot)
        if (
            self._link == link and self._session is not None
        ):  # else the simulation closed it at once
            self._session.resume()

    def _return(self) -> None:
        self._attach()
        self._reported = None
        self._report()

    def close_link(self, link: int) -> None:
        """Pause because a fault closed the link; open it again after RETURN_S."""
        if link != self._link or self._session is None:
            return
        self._link = 0
        self._session.pause()
        self._returning = asyncio.get_running_loop().call_later(RETURN_S, self._return)

    # Outgoing messages

    def send(self, link: int, data: bytes, subject: str) -> None:
        session, outbox = self._session, self._outbox
        if not self._link or session is None or outbox is None:
            return
        message = None
        if subject in self._latest:
            if not session.connected or outbox.failure:
                return
        else:
            message = self._store(outbox, data, subject)
            if message is None:
                return
        if not self._outgoing:
            outbox.after_commit(self._committed)
        self._outgoing.append((subject, data, message))

    def _store(self, outbox: Outbox, data: bytes, subject: str) -> DurableMessage | None:
        if outbox.full():
            self.inbox.dropped(self._link)
            if not self._full:
                self._full = True
                self._log(
                    f"the outbox {outbox.path} is full: new messages are dropped until "
                    "some are sent",
                    "critical",
                )
            return None
        self._full = False
        self._next += 1
        message = DurableMessage(self._plan.robot, self._next, subject, _id(data), data)
        outbox.add(message)
        field = self._kept.get(subject)
        if field is not None:
            key = _key(data, field)
            if key is not None:
                outbox.keep(self._plan.robot, subject, key, data)
        return message

    def _committed(self) -> None:
        if self._session is not None:
            self._publish(self._session)

    def _publish(self, session: Session) -> None:
        """Publish the messages of this turn, which are on disk now."""
        session.check_lease()
        publisher = session.publisher
        outgoing, self._outgoing = self._outgoing, []
        for subject, data, message in outgoing:
            if message is not None:
                publisher.put(message)
            else:
                if not publisher.put_latest(subject, data, _id_header(data)):
                    self.inbox.dropped(self._link)

    # Incoming messages

    def _receive(self, delivered: Delivered) -> None:
        session, outbox, connection = self._session, self._outbox, self._connection
        if not self._link or session is None or outbox is None or connection is None:
            return  # not acknowledged, so it is redelivered
        age_ms = connection.clock.age_ms(delivered.stored_ns, time.monotonic_ns())
        headers = (
            "NATS/1.0\r\nNats-Time-Stamp: "
            f"{to_exact_text(delivered.stored_ns)}\r\nNats-Sequence: "
            f"{delivered.sequence}\r\n"
            f"Nats-Msg-Id: {delivered.id}\r\nRigless-Age-Ms: {age_ms:.3f}\r\n\r\n"
        )
        link = self._link
        self.inbox.received(
            link, headers.encode("utf-8", "replace") + delivered.data, delivered.subject
        )
        if self.inbox.robot_failed:
            session.pause()
            session.defer(delivered)
        elif self._link == link:
            outbox.after_commit(lambda: session.acknowledge(delivered))

    # Connection state

    @property
    def problem(self) -> str:
        """The reason why messages are not delivered at present, or ""."""
        session, outbox = self._session, self._outbox
        if session is None or outbox is None:
            return ""
        full = "the outbox is full" if outbox.full() else ""
        reason = outbox.failure or full or session.why or session.publisher.problem
        depth = session.publisher.depth
        return f"{reason}; messages in the outbox: {depth}" if reason and depth else reason

    def _log(self, text: str, severity: Severity) -> None:
        self.inbox.log(text, severity)

    def _changed(self, connected: bool, why: str) -> None:
        self._report()

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self._tick)
        if self._session is not None:
            self._session.tick()
            for _ in range(self._session.publisher.take_lost()):
                self.inbox.dropped(self._link)
            self._report(due=asyncio.get_running_loop().time() >= self._report_s)

    def _report(self, due: bool = False) -> None:
        """Report the connection state to the robot if it changed or a report is due."""
        session, outbox = self._session, self._outbox
        if session is None or outbox is None or not self._link:
            return
        failure = outbox.failure or ("the outbox is full" if outbox.full() else "")
        connected = session.connected and not failure
        why = failure or session.why or session.publisher.problem
        report = connected, session.publisher.depth, why
        if report == self._reported and not due:
            return
        self._reported = report
        self._report_s = asyncio.get_running_loop().time() + REPORT_S
        data = msgspec.json.encode(
            {"connected": connected, "outboxDepth": report[1], "why": report[2]}
        )
        self.inbox.received(self._link, data, self._options["report"])


async def connection_settings(
    options: Mapping[str, Any], address: str, alone: str = ""
) -> Settings:
    """Return the settings of the connection of a port, and start a server if it needs one."""
    nats = options["nats"]
    servers, creds = _servers(nats["servers"], address), nats.get("credsFilePath") or ""
    embedded = options.get("embedded")
    if embedded is not None:
        served = await embedded.ensure(address, servers)
        servers = tuple(served.servers)
        creds = "" if served.started else creds
    connect_ms = (nats.get("timeouts") or {}).get("connectTimeoutMs")
    connect_s = connect_ms / 1000 if connect_ms else CONNECT_S
    return Settings(servers, creds, nats.get("clientName") or "rigless", connect_s, alone)


def saved_messages(port: Port, state: Path) -> list[tuple[str, bytes]]:
    """Return the (subject, message) pairs that the robot starts with, oldest first."""
    return outboxes.saved_messages(_folder(state), port.options["robot_id"])


def _folder(state: Path) -> Path:
    return Path(state) / "agv"


def _id(data: bytes) -> str:
    try:
        found = _known.decode(data).message_id
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""  # corrupted by a wire fault
    return found if found.isascii() and found.isprintable() else ""


def _id_header(data: bytes) -> bytes:
    """Return the header with the id of a message, which is usually its second field."""
    begins = _BEGINS.match(data)
    if begins is not None:
        return b"Nats-Msg-Id: %b\r\n" % begins[1]
    name = _id(data)
    return f"Nats-Msg-Id: {name}\r\n".encode() if name else b""


def _key(data: bytes, field: str) -> str | None:
    """Return the key under which a message is retained; "" if there is one per subject."""
    try:
        payload = _whole.decode(data).payload
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return str(payload.get(field, "")) if field else ""


def _servers(servers: Any, address: str) -> tuple[str, ...]:
    """Return the configured servers, the first one moved to the given address."""
    given: list[str] = [server if "://" in server else f"nats://{server}" for server in servers]
    for server in given:
        _check(server)
    first = urlsplit(given[0])
    host, port = split(address)
    if port and (host, port) != (first.hostname, first.port or 4222):
        user = first.netloc.rpartition("@")[0]
        given[0] = f"{first.scheme}://{user + '@' if user else ''}{address}"
    return tuple(given)


def _check(server: str) -> None:
    scheme: Literal["nats", "tls"] | str = urlsplit(server).scheme
    try:
        fine = (
            scheme in ("nats", "tls")
            and bool(urlsplit(server).hostname)
            and urlsplit(server).port != 0
        )
    except ValueError:
        fine = False
    if not fine:
        place = server.rpartition("@")[2]
        raise InputError(
            Problem(
                "nats.servers",
                f"{place!r} is no NATS server's URL",
                "such as nats://10.0.0.10:4222",
            )
        )
