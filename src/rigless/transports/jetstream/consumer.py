"""What the backend says to one robot: a durable pull consumer of the inbound stream, so that nothing is missed while the robot is away.

One question asks for many messages and is renewed when they have come or its time is over; so hundreds of idle robots cost little. While
it waits, the server says now and then that it does: if not, whoever should answer has died, and the question is asked again. A message
is acknowledged by whoever handled it, and comes again if that does not happen within ACK_S.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rigless.transports.jetstream import audit, protocol
from rigless.transports.jetstream.connection import NOBODY, Connection
from rigless.transports.jetstream.errors import ApiError, LinkError, Log
from rigless.transports.jetstream.streams import API, NO_CONSUMER, S, Stream, api

ACK_S = 10
PENDING = 256  # messages handed out and not acknowledged
BATCH = 64
ASK_S = 15.0
LATE_S = 2.0
BEAT_S = 2.5  # how often the server says that a question still waits
IDLE_DAYS = 7  # the server forgets a consumer that nobody asked for as long; the stream's messages do not live as long
MUCH = 500  # acknowledged messages that are remembered before the server is asked which it knows of
ACK = b"+ACK"
LATER = b'-NAK {"delay": 500000000}'  # nobody hears at present
ASKED_IN_VAIN = (404, 408)
BEAT, CONFLICT = 100, 409
TOO_MANY, PENDING_LIMIT = 10026, 10121
EXPECTED = ("leadership", "shutdown", "maxwaiting", "completed")


@dataclass(frozen=True)
class Delivered:
    subject: str
    data: bytes
    id: str
    sequence: int
    stored_ns: int
    reply: str


class Consumer:
    """`receive` gets messages one by one; `gone` hears that the server has no such consumer any more, `say` sentences."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        subjects: Sequence[str],
        receive: Callable[[Delivered], None],
        gone: Callable[[str], None],
        say: Log,
    ):
        self._connection, self._name, self._subjects = connection, name, list(subjects)
        self._receive, self._gone, self._say = receive, gone, say
        self._stream = ""
        self._created = ""  # the stream's, by which it is known to be the same
        self._floor = 0  # the server has acknowledgements of all up to here
        self._done: set[int] = (
            set()
        )  # sequences beyond it that were acknowledged: if one comes again, its acknowledgement was lost
        self._left = 0  # messages that the last question may still bring
        self._until_s = 0.0
        self._batch, self._patience_s = BATCH, ASK_S
        self._queue = False  # the stream is a work queue
        self._running = False
        self._silent_s = ASK_S
        self._inbox = f"{connection.inbox}.pull.{name}"
        self._subscription = connection.subscribe(self._inbox, self._message)

    async def ensure(self, stream: Stream) -> None:
        """See that the consumer is there. Raises LinkError."""
        self._stream, self._queue = stream.name, stream.config.get("retention") == "workqueue"
        if stream.created != self._created:
            self._created, self._floor = stream.created, 0
            self._done.clear()
        await self._ensure()

    async def begin(self) -> None:
        """Ask for messages. Returns when it is known that this is permitted, or `gone` was called. Raises LinkError."""
        self._running = True
        self._ask()
        await self._look(f"{self._stream}.{self._name}")

    def needs(self, subject: str) -> str:
        """What must be permitted if the subject is one of those it cannot do without; else empty."""
        if subject == self._next:
            return subject
        acknowledgements = f"$JS.ACK.{self._stream}.{self._name}."
        return f"{acknowledgements}>" if subject.startswith(acknowledgements) else ""

    @property
    def _next(self) -> str:
        return f"{API}CONSUMER.MSG.NEXT.{self._stream}.{self._name}"

    def end(self) -> None:
        self._running = False

    def resume(self) -> None:
        self._running = True
        self._ask()

    def close(self) -> None:
        self.end()
        self._connection.unsubscribe(self._subscription)

    @property
    def knows_much(self) -> bool:
        return len(self._done) > MUCH

    def tick(self) -> None:
        """Once a second or so: a question that was never answered is asked again."""
        if self._running and asyncio.get_running_loop().time() > self._until_s:
            self._ask()

    def acknowledge(self, delivered: Delivered) -> None:
        if delivered.sequence > self._floor:
            self._done.add(delivered.sequence)
        self._connection.publish(delivered.reply, ACK)

    def put_off(self, reply: str) -> None:
        self._connection.publish(reply, LATER)

    async def _ensure(self) -> None:
        """Existing ones keep their settings but for the subjects; that is told."""
        place = f"{self._stream}.{self._name}"
        try:
            info = await self._look(place)
        except ApiError as error:
            if error.code != NO_CONSUMER:
                raise
            info = {"config": self._fresh()}
            await self._create(place, info["config"])
        found = info.get("config") or {}
        for remark in audit.check_consumer(
            self._stream, self._name, found, bool(info.get("paused"))
        ):
            self._say(remark, "warning")
        self._batch = min(BATCH, found.get("max_batch") or BATCH)
        self._patience_s = min(ASK_S, (found.get("max_expires") or ASK_S * S) / S)
        have = found.get("filter_subjects") or [found.get("filter_subject", "")]
        if sorted(have) != sorted(self._subjects):
            found.pop("filter_subject", None)
            await self._create(place, {**found, "filter_subjects": self._subjects})
            was = ", ".join(sorted(have)) or "everything"
            self._say(
                f"the consumer {self._name} of the stream {self._stream} listened to {was}; now to what the robot hears",
                "info",
            )

    async def refresh(self) -> None:
        """Forget what need not be known any more."""
        await self._look(f"{self._stream}.{self._name}")

    async def _look(self, place: str) -> dict[str, Any]:
        found = await api(self._connection, f"CONSUMER.INFO.{place}")
        floor = (found.get("ack_floor") or {}).get("stream_seq", 0)
        if isinstance(floor, int) and floor > self._floor:
            self._floor = floor
            self._done = {sequence for sequence in self._done if sequence > floor}
        return found

    def _fresh(self) -> dict[str, Any]:
        """One that is made again goes on where all before was acknowledged: what it brings again after that is known."""
        config: dict[str, Any] = {
            "name": self._name,
            "durable_name": self._name,
            "filter_subjects": self._subjects,
            "ack_policy": "explicit",
            "ack_wait": ACK_S * S,
            "max_ack_pending": PENDING,
            "max_deliver": -1,
            "replay_policy": "instant",
            "deliver_policy": "all",
            "inactive_threshold": IDLE_DAYS * 86_400 * S,
        }
        if self._floor and not self._queue:
            config |= {"deliver_policy": "by_start_sequence", "opt_start_seq": self._floor + 1}
        return config

    async def _create(self, place: str, config: dict[str, Any]) -> None:
        try:
            await api(
                self._connection,
                f"CONSUMER.CREATE.{place}",
                {"stream_name": self._stream, "config": config},
            )
        except ApiError as error:
            if error.code == PENDING_LIMIT and config.pop("max_ack_pending", None) is not None:
                await self._create(place, config)  # as many as the account may have
                return
            if error.code != TOO_MANY:
                raise
            fix = "jetstream { limits { default_max_consumers: -1 } } in the server's config"
            raise LinkError(
                f"the stream {self._stream} has as many consumers as it may have", fix
            ) from None

    def _ask(self) -> None:
        self._left, patience_s = self._batch, self._patience_s
        question = {"batch": self._batch, "expires": round(patience_s * S)}
        beats = patience_s >= 2 * BEAT_S  # the server wants it so
        if beats:
            question["idle_heartbeat"] = round(BEAT_S * S)
        self._silent_s = 2 * BEAT_S if beats else patience_s + LATE_S
        self._heard()
        self._connection.publish(self._next, msgspec.json.encode(question), self._inbox)

    def _heard(self) -> None:
        self._until_s = asyncio.get_running_loop().time() + self._silent_s

    def _message(self, subject: str, reply: str, headers: bytes, data: bytes) -> None:
        if not self._running:
            if reply:
                self.put_off(reply)
            return
        if not reply:
            self._status(protocol.status(headers), headers)
            return
        delivered = _delivered(subject, reply, headers, data)
        if delivered is None:
            return
        self._heard()
        self._left -= 1
        if self._left <= 0:
            self._ask()
        if (
            delivered.sequence <= self._floor or delivered.sequence in self._done
        ):  # a server that crashed has forgotten it
            self.acknowledge(delivered)
        else:
            self._receive(delivered)

    def _status(self, status: int, headers: bytes) -> None:
        text = headers[12:].partition(b"\r\n")[0].strip().decode("utf-8", "replace").lower()
        if status == BEAT:
            self._heard()
        elif status in ASKED_IN_VAIN:
            self._ask()
        elif status == NOBODY or (status == CONFLICT and "deleted" in text):
            self._running = False
            self._gone(f"the consumer {self._name} of the stream {self._stream} is gone")
        else:  # the server goes, or somebody else leads, or there are too many questions: ask soon
            if not any(word in text for word in EXPECTED):
                self._say(
                    f"the consumer {self._name} of the stream {self._stream} gives nothing: {text} ({status})",
                    "error",
                )
            self._until_s = min(self._until_s, asyncio.get_running_loop().time() + 0.5)


def _delivered(subject: str, reply: str, headers: bytes, data: bytes) -> Delivered | None:
    """A message with what JetStream tells of it in the reply's subject; None if it is none of JetStream's."""
    tokens = reply.split(".")
    if tokens[:2] != ["$JS", "ACK"] or len(tokens) < 9:
        return None
    first = (
        2 if len(tokens) == 9 else 4
    )  # newer servers put a domain and an account before the stream
    try:
        sequence, stored_ns = int(tokens[first + 3]), int(tokens[first + 5])
    except (ValueError, IndexError):
        return None
    return Delivered(
        subject, data, protocol.field(headers, b"nats-msg-id"), sequence, stored_ns, reply
    )
