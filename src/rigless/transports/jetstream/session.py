"""One robot's dealings with the server: whenever the way is up, see to the streams, take the lease, send what waits, then listen.

Whatever breaks (the connection, a stream, the consumer, the lease) ends that, and it begins anew.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rigless.kernel.events import Severity
from rigless.kernel.timestamps import to_ns
from rigless.transports.jetstream import audit, streams
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
from rigless.transports.jetstream.streams import Stream

TICK_S = 1.0
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0
CLOCK_S = 4.0  # how often a connection asks for the server's time


@dataclass(frozen=True)
class SessionConfig:
    """What a robot wants of the server."""

    robot: str
    stream_in: str
    stream_out: str
    inbound: tuple[str, ...]
    outbound: tuple[str, ...]
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
            named.get("streamIn") or "ROBOT_IN",
            named.get("streamOut") or "ROBOT_OUT",
            tuple(options["inbound"]),
            tuple(options["outbound"]),
            tuple(options["listens"]),
            tuple(options["listens_last"]),
            answer_ms / 1000 if answer_ms else ANSWER_S,
        )

    def own(self, pattern: str) -> str:
        return pattern.replace("*", self.robot)


class Session:
    """`receive` gets messages; `changed` hears when the robot can talk with the backend and when not; `ready` is done when it is known
    that nobody else runs the robot, or that this cannot be known now, and fails if the robot cannot be run at all."""

    def __init__(
        self,
        connection: Connection,
        outbox: Outbox,
        plan: SessionConfig,
        receive: Callable[[Delivered], None],
        changed: Callable[[bool, str], None],
        tell: Log,
    ):
        self.connected = False
        self.why = "not connected yet"
        self.listening = asyncio.Event()  # set by the owner when the robot can hear
        self.settled = asyncio.Event()  # it is connected, or has failed once
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lane = Publisher(
            connection, outbox, plan.robot, plan.stream_out, tell, self._break, plan.answer_s
        )
        self.lease = Lease(connection, plan.robot)
        self._connection, self._plan = connection, plan
        self._receive, self._changed, self._tell = receive, changed, tell
        self._consumer = Consumer(
            connection, plan.robot, plan.listens, self._delivered, self._break, self._remark
        )
        self._said: set[str] = set()
        self._remarked: set[str] = set()
        self._up = asyncio.Event()
        self._broken = asyncio.Event()
        self._last_told = not plan.listens_last
        self._known: set[int] = (
            set()
        )  # sequences of what was handed on before the consumer brought it
        self._renew_s = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        connection.watchers.append(self)
        if connection.up:
            self._up.set()
        elif connection.tried.is_set():
            self.went_down(str(connection.trouble))
        self._life = asyncio.get_running_loop().create_task(self._live())

    # What the connection tells

    def went_up(self) -> None:
        self._up.set()

    def went_down(self, why: str) -> None:
        self._up.clear()
        self._break(why)
        if self._connection.trouble.final:
            self._fail(self._connection.trouble)
        elif not self.ready.done():
            self.ready.set_result(None)

    def denied(self, subject: str) -> bool:
        """Something is not permitted; whether this robot cannot do without it."""
        needed = self._consumer.needs(subject)
        if not needed:
            return False
        trouble = PermissionDeniedError("publish to", needed)
        if needed == subject:
            self._complain(trouble)
            self._break(str(trouble))
        else:
            self._remark(f"{trouble}; commands that it has handled come again", "error")
        return True

    def log(self, text: str, severity: Severity) -> None:
        self._tell(text, severity)

    # Life

    async def _live(self) -> None:
        wait_s, loop = FIRST_WAIT_S, asyncio.get_running_loop()
        while True:
            await self._up.wait()
            self._broken.clear()
            try:
                await self._begin()
            except Exception as error:
                trouble = as_link_error(error)
                self._stop(str(trouble))
                if self._up.is_set():
                    self._complain(trouble)
                    self._fail(trouble)
                    if (
                        isinstance(trouble, ReplyTimeoutError)
                        or getattr(trouble, "code", 0) == streams.NOT_AVAILABLE
                    ):
                        self._connection.no_jetstream(str(trouble))
            else:
                begun_s = loop.time()
                await self._broken.wait()
                if (
                    not self._up.is_set() or loop.time() - begun_s > SETTLED_S
                ):  # a connection is not tried too often either
                    wait_s = FIRST_WAIT_S
                    continue
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _begin(self) -> None:
        plan, connection = self._plan, self._connection
        if plan.stream_in == plan.stream_out:
            both = (*plan.inbound, *plan.outbound)
            inbound = outbound = await streams.ensure(connection, plan.stream_in, both, streams.OUT)
        else:
            inbound = await streams.ensure(connection, plan.stream_in, plan.inbound, streams.IN)
            outbound = await streams.ensure(connection, plan.stream_out, plan.outbound, streams.OUT)
        audit.check_inbound(inbound, plan.listens)
        for remark in audit.check_outbound(
            outbound, [plan.own(pattern) for pattern in plan.outbound]
        ):
            self._remark(remark, "warning")
        await self.lease.take(
            lambda text: self._remark(text, "warning"), max(inbound.replicas, outbound.replicas)
        )
        self._renew_s = asyncio.get_running_loop().time() + RENEW_S
        await self._consumer.ensure(inbound)
        if not self.ready.done():
            self.ready.set_result(None)
        await self.listening.wait()
        await self.lane.begin(outbound.last_seq)
        if not self._last_told:
            await self._tell_last(inbound)
        await self._consumer.begin()
        if not self._up.is_set() or self._broken.is_set():
            raise LinkError(self.why)
        self._said.clear()
        self._connection.well()
        self.connected, self.why = True, ""
        self.settled.set()
        self._changed(True, "")

    async def _tell_last(self, stream: Stream) -> None:
        """Hand on the last message of some subjects, whoever has had it before."""
        for subject in self._plan.listens_last:
            found = await streams.get(self._connection, stream.name, last_by_subj=subject)
            if found is not None:
                self._known.add(found.seq)
                name = field(found.hdrs, b"nats-msg-id")
                self._receive(
                    Delivered(found.subject, found.data, name, found.seq, _instant(found.time), "")
                )
        self._last_told = True

    def _delivered(self, delivered: Delivered) -> None:
        if delivered.sequence in self._known:
            self._known.discard(delivered.sequence)
            self._consumer.acknowledge(delivered)
        else:
            self._receive(delivered)

    def acknowledge(self, delivered: Delivered) -> None:
        """It was handled. If the server does not get to know that, and brings it again, the consumer does."""
        if delivered.reply:
            self._consumer.acknowledge(delivered)

    def put_off(self, delivered: Delivered) -> None:
        if delivered.reply and self.connected:
            self._consumer.put_off(delivered.reply)

    def pause(self) -> None:
        """The robot cannot hear at present."""
        self.listening.clear()
        self._consumer.end()

    def resume(self) -> None:
        self.listening.set()
        if self.connected:
            self._consumer.resume()

    def _break(self, why: str) -> None:
        """Something that is needed has gone: begin anew."""
        self._stop(why)
        self._broken.set()

    def _stop(self, why: str) -> None:
        self.lane.end()
        self._consumer.end()
        was, self.connected = (self.connected, self.why), False
        self.why = why
        self.settled.set()
        if was != (False, why):
            self._changed(False, why)

    def _fail(self, trouble: LinkError) -> None:
        if not self.ready.done():
            if trouble.final:
                self.ready.set_exception(trouble)
            else:
                self.ready.set_result(None)

    def _complain(self, trouble: LinkError, what: str = "") -> None:
        if isinstance(trouble, ReplyTimeoutError):  # of the server, whoever asks
            self._connection.tell(str(trouble), "warning")
        elif not isinstance(trouble, ConnectionLostError):
            self._say(f"{what}{trouble}", "error" if trouble.final else "warning")

    def _say(self, text: str, severity: Severity) -> None:
        """Once, until things have been well again."""
        if text not in self._said:
            self._said.add(text)
            self._tell(text, severity)

    def _remark(self, text: str, severity: Severity) -> None:
        """Once for all: it is so and will stay so."""
        if text not in self._remarked:
            self._remarked.add(text)
            self._tell(text, severity)

    # Now and then

    def tick(self) -> None:
        if not self.connected:
            return
        now_s = asyncio.get_running_loop().time()
        self.check_lease()
        self.lane.tick()
        self._consumer.tick()
        if self._consumer.knows_much:
            self._do(self._refresh())
        if now_s >= self._renew_s:
            self._renew_s = now_s + RENEW_S
            self._do(self._renew())
        if now_s >= self._connection.clock_due_s:
            self._connection.clock_due_s = now_s + CLOCK_S
            self._do(self._look())

    def check_lease(self) -> None:
        """A process that was stopped for a while must not go on as if nothing were."""
        if self.connected and not self.lease.held:
            self._say(
                f"the lease of robot {self._plan.robot!r} was not renewed for {LIFE_S:g} s",
                "warning",
            )
            self._break("the lease has run out")

    def _do(self, coroutine: Any) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _renew(self) -> None:
        try:
            if not await self.lease.renew():
                self._say(f"the lease of robot {self._plan.robot!r} is not ours any more", "error")
                self._break("another runtime may have taken this robot")
        except Exception as error:
            self._complain(as_link_error(error), "the lease cannot be renewed: ")

    async def _refresh(self) -> None:
        with contextlib.suppress(Exception):  # another time
            await self._consumer.refresh()

    async def _look(self) -> None:
        """The server's time, and whether the stream is still there."""
        try:
            if await streams.look(self._connection, self._plan.stream_in) is None:
                self._break(f"the stream {self._plan.stream_in} is gone")
        except Exception as error:
            self._complain(as_link_error(error))

    async def close(self, patience_s: float) -> None:
        """Send what flies, give the lease back."""
        self._life.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(self._life, *self._tasks, return_exceptions=True)
        loop = asyncio.get_running_loop()
        end_s = loop.time() + patience_s
        while self.connected and not self.lane.idle and loop.time() < end_s:
            await asyncio.sleep(0.005)
        self.lane.end()
        self._consumer.close()
        try:
            await self.lease.release()
        except LinkError as trouble:
            self._say(f"the lease was not given back: {trouble}", "debug")
        self.connected = False
        self._connection.watchers.remove(self)
        if not self.ready.done():
            self.ready.cancel()


def _instant(text: str) -> int:
    try:
        return to_ns(text)
    except ValueError as error:
        raise LinkError(f"when a message was stored cannot be read: {error}") from None
