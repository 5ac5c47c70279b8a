"""The session of one robot with the server.

Whenever the connection is up: check the streams, acquire the lease, publish the outbox, then
consume. If anything breaks (the connection, a stream, the consumer, the lease), the session starts
over.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rigless.kernel.events import Severity
from rigless.kernel.timing.timestamps import to_ns
from rigless.transports.jetstream import streams
from rigless.transports.jetstream.connection import SETTLED_S, Connection
from rigless.transports.jetstream.consumer import Consumer, Delivered
from rigless.transports.jetstream.errors import (
    ConnectionLostError,
    LinkError,
    Log,
    PermissionDeniedError,
    ReplyTimeoutError,
    as_link_error,
)
from rigless.transports.jetstream.lease import LIFE_S, RENEW_S, Lease
from rigless.transports.jetstream.outbox import Outbox
from rigless.transports.jetstream.protocol import field
from rigless.transports.jetstream.publisher import ANSWER_S, Publisher
from rigless.transports.jetstream.robot_streams import StreamPlan, ensure_streams
from rigless.transports.jetstream.streams import Stream

TICK_S = 1.0
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0
CLOCK_S = 4.0  # interval of requests for the server's time


@dataclass(frozen=True)
class SessionConfig:
    """Streams and subjects of one robot."""

    robot: str
    streams: StreamPlan
    listens: tuple[str, ...]
    listens_last: tuple[str, ...]
    answer_s: float

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "SessionConfig":
        nats = options["nats"]
        named = nats.get("jetStream") or {}
        answer_ms = (nats.get("timeouts") or {}).get("publishTimeoutMs")
        return cls(
            options["robot_id"],
            StreamPlan(
                options["robot_id"],
                named.get("streamIn") or "ROBOT_IN",
                named.get("streamOut") or "ROBOT_OUT",
                named.get("streamState") or "",
                tuple(options["inbound"]),
                tuple(options["outbound"]),
                tuple(options["outbound_latest"]),
            ),
            tuple(options["listens"]),
            tuple(options["listens_last"]),
            answer_ms / 1000 if answer_ms else ANSWER_S,
        )


class Session:
    """Connects one robot to the backend.

    `receive` is called for each message, `changed` when the robot gets connected or disconnected.
    `ready` is done when no other process runs the robot, or when this cannot be determined now. It
    fails if the robot cannot run at all.
    """

    def __init__(
        self,
        connection: Connection,
        outbox: Outbox,
        plan: SessionConfig,
        receive: Callable[[Delivered], None],
        changed: Callable[[bool, str], None],
        log: Log,
    ):
        self.connected = False
        self.why = "not connected yet"
        self.listening = asyncio.Event()  # set by the owner while the robot can receive
        self.settled = asyncio.Event()  # set after the first connection or failure
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.publisher = Publisher(
            connection, outbox, plan.robot, plan.streams.outbound, log, self._break, plan.answer_s
        )
        self.lease = Lease(connection, plan.robot)
        self._connection, self._plan = connection, plan
        self._receive, self._changed, self._log = receive, changed, log
        self._consumer = Consumer(
            connection, plan.robot, plan.listens, self._delivered, self._break, self._log_once_ever
        )
        self._logged: set[str] = set()
        self._remarked: set[str] = set()
        self._up = asyncio.Event()
        self._broken = asyncio.Event()
        self._last_delivered = not plan.listens_last
        self._known: set[int] = set()  # sequences of messages delivered before the consumer started
        self._renew_s = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        connection.observers.append(self)
        if connection.up:
            self._up.set()
        elif connection.tried.is_set():
            self.went_down(str(connection.failure))
        self._task = asyncio.get_running_loop().create_task(self._run())

    # Connection observer

    def went_up(self) -> None:
        self._up.set()

    def went_down(self, why: str) -> None:
        self._up.clear()
        self._break(why)
        if self._connection.failure.final:
            self._fail(self._connection.failure)
        elif not self.ready.done():
            self.ready.set_result(None)

    def denied(self, subject: str) -> bool:
        """Handle a denied subject; return True if this robot needs it."""
        needed = self._consumer.needs(subject)
        if not needed:
            return False
        failure = PermissionDeniedError("publish to", needed)
        if needed == subject:
            self._log_failure(failure)
            self._break(str(failure))
        else:
            self._log_once_ever(f"{failure}; handled commands are redelivered", "error")
        return True

    def log(self, text: str, severity: Severity) -> None:
        self._log(text, severity)

    # Start and end

    async def _run(self) -> None:
        wait_s, loop = FIRST_WAIT_S, asyncio.get_running_loop()
        while True:
            await self._up.wait()
            self._broken.clear()
            try:
                await self._begin()
            except Exception as error:
                failure = as_link_error(error)
                self._stop(str(failure))
                if self._up.is_set():
                    self._log_failure(failure)
                    self._fail(failure)
                    if (
                        isinstance(failure, ReplyTimeoutError)
                        or getattr(failure, "code", 0) == streams.NOT_AVAILABLE
                    ):
                        self._connection.no_jetstream(str(failure))
            else:
                begun_s = loop.time()
                await self._broken.wait()
                if not self._up.is_set() or loop.time() - begun_s > SETTLED_S:  # else back off
                    wait_s = FIRST_WAIT_S
                    continue
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _begin(self) -> None:
        plan, connection = self._plan, self._connection
        found = await ensure_streams(connection, plan.streams, plan.listens)
        inbound, outbound = found.inbound, found.outbound
        for remark in found.remarks:
            self._log_once_ever(remark, "warning")
        if found.hint and found.hint not in connection.hints:
            connection.hints.add(found.hint)
            connection.log(found.hint, "info")
        await self.lease.acquire(
            lambda text: self._log_once_ever(text, "warning"),
            max(inbound.replicas, outbound.replicas),
        )
        self._renew_s = asyncio.get_running_loop().time() + RENEW_S
        await self._consumer.ensure(inbound)
        if not self.ready.done():
            self.ready.set_result(None)
        await self.listening.wait()
        acknowledges = not found.state.config.get("no_ack")
        await self.publisher.begin(outbound.last_seq, found.state.name, acknowledges)
        if not self._last_delivered:
            await self._deliver_last(inbound)
        await self._consumer.begin()
        if not self._up.is_set() or self._broken.is_set():
            raise LinkError(self.why)
        self._logged.clear()
        self._connection.reset_log()
        self.connected, self.why = True, ""
        self.settled.set()
        self._changed(True, "")

    async def _deliver_last(self, stream: Stream) -> None:
        """Deliver the last message of some subjects, even if it was delivered before."""
        for subject in self._plan.listens_last:
            found = await streams.get(self._connection, stream.name, last_by_subj=subject)
            if found is not None:
                self._known.add(found.seq)
                name = field(found.hdrs, b"nats-msg-id")
                self._receive(
                    Delivered(found.subject, found.data, name, found.seq, _instant(found.time), "")
                )
        self._last_delivered = True

    def _delivered(self, delivered: Delivered) -> None:
        if delivered.sequence in self._known:
            self._known.discard(delivered.sequence)
            self._consumer.acknowledge(delivered)
        else:
            self._receive(delivered)

    def acknowledge(self, delivered: Delivered) -> None:
        """Acknowledge a handled message. The consumer repeats a lost acknowledgement."""
        if delivered.reply:
            self._consumer.acknowledge(delivered)

    def defer(self, delivered: Delivered) -> None:
        if delivered.reply and self.connected:
            self._consumer.defer(delivered.reply)

    def pause(self) -> None:
        """Stop consuming: the robot cannot receive at present."""
        self.listening.clear()
        self._consumer.end()

    def resume(self) -> None:
        self.listening.set()
        if self.connected:
            self._consumer.resume()

    def _break(self, why: str) -> None:
        """Stop and start over, since something that is needed is gone."""
        self._stop(why)
        self._broken.set()

    def _stop(self, why: str) -> None:
        self.publisher.end()
        self._consumer.end()
        was, self.connected = (self.connected, self.why), False
        self.why = why
        self.settled.set()
        if was != (False, why):
            self._changed(False, why)

    def _fail(self, failure: LinkError) -> None:
        if not self.ready.done():
            if failure.final:
                self.ready.set_exception(failure)
            else:
                self.ready.set_result(None)

    def _log_failure(self, failure: LinkError, what: str = "") -> None:
        if isinstance(failure, ReplyTimeoutError):  # the same for all robots of the connection
            self._connection.log(str(failure), "warning")
        elif not isinstance(failure, ConnectionLostError):
            self._log_once(f"{what}{failure}", "error" if failure.final else "warning")

    def _log_once(self, text: str, severity: Severity) -> None:
        """Log a text once until the next successful start."""
        if text not in self._logged:
            self._logged.add(text)
            self._log(text, severity)

    def _log_once_ever(self, text: str, severity: Severity) -> None:
        """Log a text once in the whole session."""
        if text not in self._remarked:
            self._remarked.add(text)
            self._log(text, severity)

    # Periodic work

    def tick(self) -> None:
        if not self.connected:
            return
        now_s = asyncio.get_running_loop().time()
        self.check_lease()
        self.publisher.tick()
        self._consumer.tick()
        if self._consumer.needs_refresh:
            self._start(self._refresh())
        if now_s >= self._renew_s:
            self._renew_s = now_s + RENEW_S
            self._start(self._renew())
        if now_s >= self._connection.clock_due_s:
            self._connection.clock_due_s = now_s + CLOCK_S
            self._start(self._check_stream())

    def check_lease(self) -> None:
        """Start over if the lease ran out, as after the process was suspended."""
        if self.connected and not self.lease.held:
            self._log_once(
                f"the lease of robot {self._plan.robot!r} was not renewed for {LIFE_S:g} s",
                "warning",
            )
            self._break("the lease has run out")

    def _start(self, coroutine: Any) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _renew(self) -> None:
        try:
            if not await self.lease.renew():
                self._log_once(
                    f"the lease of robot {self._plan.robot!r} is no longer held", "error"
                )
                self._break("another runtime may have taken this robot")
        except Exception as error:
            self._log_failure(as_link_error(error), "the lease cannot be renewed: ")

    async def _refresh(self) -> None:
        with contextlib.suppress(Exception):  # retried later
            await self._consumer.refresh()

    async def _check_stream(self) -> None:
        """Sample the server's clock and check that the stream exists."""
        try:
            name = self._plan.streams.inbound
            if await streams.info(self._connection, name) is None:
                self._break(f"the stream {name} is gone")
        except Exception as error:
            self._log_failure(as_link_error(error))

    async def close(self, patience_s: float) -> None:
        """Wait for in-flight messages, then release the lease."""
        self._task.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(self._task, *self._tasks, return_exceptions=True)
        loop = asyncio.get_running_loop()
        end_s = loop.time() + patience_s
        while self.connected and not self.publisher.idle and loop.time() < end_s:
            await asyncio.sleep(0.005)
        self.publisher.end()
        self._consumer.close()
        try:
            await self.lease.release()
        except LinkError as failure:
            self._log_once(f"the lease was not released: {failure}", "debug")
        self.connected = False
        self._connection.observers.remove(self)
        if not self.ready.done():
            self.ready.cancel()


def _instant(text: str) -> int:
    try:
        return to_ns(text)
    except ValueError as error:
        raise LinkError(f"the time at which a message was stored cannot be read: {error}") from None
