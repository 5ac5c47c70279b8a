"""A durable pull consumer of the inbound stream, from which one robot receives messages.

One pull request asks for a batch of messages and is renewed when the batch has arrived or has
expired, so that hundreds of idle robots cost little. While a request waits, the server sends
heartbeats; if they stop, the request is sent again. A message is acknowledged after it was handled,
and redelivered if that does not happen within ACK_S.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rigless.transports.jetstream import audit, protocol, streams
from rigless.transports.jetstream.connection import NO_RESPONDERS, Connection
from rigless.transports.jetstream.errors import ApiError, LinkError, Log, as_link_error
from rigless.transports.jetstream.streams import (
    API,
    NO_CONSUMER,
    NO_STREAM,
    S,
    Stream,
    api,
)

ACK_S = 10
PENDING = 256  # messages delivered and not acknowledged
BATCH = 64
PULL_S = 15.0
LATE_S = 2.0
BEAT_S = 2.5  # interval of the heartbeats of a waiting request
IDLE_DAYS = 7  # an unused consumer is deleted after this; messages expire earlier
MANY_ACKNOWLEDGED = 500  # acknowledged messages after which the server is asked for its floor
ACK = b"+ACK"
LATER = b'-NAK {"delay": 500000000}'  # redeliver in 0.5 s
PULL_ENDED = (404, 408)
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
    """A consumer. Calls `receive` for each message, `gone` if the server deleted the consumer."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        subjects: Sequence[str],
        receive: Callable[[Delivered], None],
        gone: Callable[[str], None],
        log: Log,
    ):
        self._connection, self._name, self._subjects = connection, name, list(subjects)
        self._receive, self._gone, self._log = receive, gone, log
        self._stream = ""
        self._created = ""  # creation time of the stream, which identifies it
        self._floor = 0  # the server has acknowledgements up to this sequence
        self._done: set[int] = (
            set()
        )  # acknowledged sequences above the floor; a redelivery means a lost acknowledgement
        self._left = 0  # messages still expected of the current request
        self._until_s = 0.0
        self._batch, self._patience_s = BATCH, PULL_S
        self._queue = False  # the stream is a work queue
        self._running = False
        self._silent_s = PULL_S
        self._search: asyncio.Task[None] | None = None  # finds out whether the consumer is gone
        self._leaderless_s: float | None = None  # time of the first reply that there is no leader
        self._inbox = f"{connection.inbox}.pull.{name}"
        self._subscription = connection.subscribe(self._inbox, self._message)

    async def ensure(self, stream: Stream) -> None:
        """Create the consumer if it does not exist. Raises LinkError."""
        self._stream, self._queue = stream.name, stream.config.get("retention") == "workqueue"
        if stream.created != self._created:
            self._created, self._floor = stream.created, 0
            self._done.clear()
        await self._ensure()

    async def begin(self) -> None:
        """Pull messages. Return when this is known to be permitted. Raises LinkError."""
        self._running = True
        self._pull()
        await self._info(f"{self._stream}.{self._name}")

    def needs(self, subject: str) -> str:
        """Return the permission that the consumer needs if this subject is denied, or ""."""
        if subject == self._next:
            return subject
        acknowledgements = f"$JS.ACK.{self._stream}.{self._name}."
        return f"{acknowledgements}>" if subject.startswith(acknowledgements) else ""

    @property
    def _next(self) -> str:
        return f"{API}CONSUMER.MSG.NEXT.{self._stream}.{self._name}"

    def end(self) -> None:
        self._running = False
        self._leaderless_s = None
        if self._search is not None and self._search is not asyncio.current_task():
            self._search.cancel()
        self._search = None

    def resume(self) -> None:
        self._running = True
        self._pull()

    def close(self) -> None:
        self.end()
        self._connection.unsubscribe(self._subscription)

    @property
    def needs_refresh(self) -> bool:
        return len(self._done) > MANY_ACKNOWLEDGED

    def tick(self) -> None:
        """Resend a request that got no reply. Call about once a second."""
        if self._running and asyncio.get_running_loop().time() > self._until_s:
            self._pull()

    def acknowledge(self, delivered: Delivered) -> None:
        if delivered.sequence > self._floor:
            self._done.add(delivered.sequence)
        self._connection.publish(delivered.reply, ACK)

    def defer(self, reply: str) -> None:
        self._connection.publish(reply, LATER)

    async def _ensure(self) -> None:
        """Create the consumer, or update the subjects of an existing one and log that."""
        place = f"{self._stream}.{self._name}"
        try:
            info = await self._info(place)
        except ApiError as error:
            if error.code != NO_CONSUMER:
                raise
            info = {"config": self._fresh()}
            await self._create(place, info["config"])
        found = info.get("config") or {}
        for remark in audit.check_consumer(
            self._stream, self._name, found, bool(info.get("paused"))
        ):
            self._log(remark, "warning")
        self._batch = min(BATCH, found.get("max_batch") or BATCH)
        self._patience_s = min(PULL_S, (found.get("max_expires") or PULL_S * S) / S)
        have = found.get("filter_subjects") or [found.get("filter_subject", "")]
        if sorted(have) != sorted(self._subjects):
            found.pop("filter_subject", None)
            await self._create(place, {**found, "filter_subjects": self._subjects})
            was = ", ".join(sorted(have)) or "everything"
            self._log(
                f"the consumer {self._name} of the stream {self._stream} had the "
                f"subjects {was}; they are replaced by those of the robot",
                "info",
            )

    async def refresh(self) -> None:
        """Drop acknowledged sequences that the server has confirmed."""
        await self._info(f"{self._stream}.{self._name}")

    async def _info(self, place: str) -> dict[str, Any]:
        found = await api(self._connection, f"CONSUMER.INFO.{place}")
        floor = (found.get("ack_floor") or {}).get("stream_seq", 0)
        if isinstance(floor, int) and floor > self._floor:
            self._floor = floor
            self._done = {sequence for sequence in self._done if sequence > floor}
        return found

    def _fresh(self) -> dict[str, Any]:
        """Return the config of a new consumer, which starts after the acknowledged messages."""
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
                await self._create(place, config)  # use the limit of the account
                return
            if error.code != TOO_MANY:
                raise
            fix = "jetstream { limits { default_max_consumers: -1 } } in the server's config"
            raise LinkError(
                f"the stream {self._stream} has reached its limit of consumers", fix
            ) from None

    def _pull(self) -> None:
        self._left, patience_s = self._batch, self._patience_s
        request = {"batch": self._batch, "expires": round(patience_s * S)}
        beats = patience_s >= 2 * BEAT_S  # shorter requests may not have heartbeats
        if beats:
            request["idle_heartbeat"] = round(BEAT_S * S)
        self._silent_s = 2 * BEAT_S if beats else patience_s + LATE_S
        self._extend_deadline()
        self._connection.publish(self._next, msgspec.json.encode(request), self._inbox)

    def _extend_deadline(self) -> None:
        self._until_s = asyncio.get_running_loop().time() + self._silent_s

    def _message(self, subject: str, reply: str, headers: bytes, data: bytes) -> None:
        if not self._running:
            if reply:
                self.defer(reply)
            return
        if not reply:
            self._status(protocol.status(headers), headers)
            return
        delivered = _delivered(subject, reply, headers, data)
        if delivered is None:
            return
        self._leaderless_s = None
        self._extend_deadline()
        self._left -= 1
        if self._left <= 0:
            self._pull()
        if (
            delivered.sequence <= self._floor or delivered.sequence in self._done
        ):  # the server lost the acknowledgement in a crash
            self.acknowledge(delivered)
        else:
            self._receive(delivered)

    def _status(self, status: int, headers: bytes) -> None:
        text = headers[12:].partition(b"\r\n")[0].strip().decode("utf-8", "replace").lower()
        if status == BEAT:
            self._leaderless_s = None
            self._extend_deadline()
        elif status in PULL_ENDED:
            self._leaderless_s = None
            self._pull()
        elif status == NO_RESPONDERS:
            self._extend_deadline()
            if self._search is None:
                self._search = asyncio.get_running_loop().create_task(self._find())
        elif status == CONFLICT and "deleted" in text:
            self._lose(f"the consumer {self._name} of the stream {self._stream} is gone")
        else:  # shutdown, leader change or too many requests: retry soon
            if not any(word in text for word in EXPECTED):
                self._log(
                    f"the consumer {self._name} of the stream {self._stream} delivers "
                    f"nothing: {text} ({status})",
                    "error",
                )
            self._until_s = min(self._until_s, asyncio.get_running_loop().time() + 0.5)

    async def _find(self) -> None:
        """Pull again if the consumer only has no leader at present; else report that it is gone."""
        now_s = asyncio.get_running_loop().time()
        if self._leaderless_s is None:
            self._leaderless_s = now_s
        gone = f"the consumer {self._name} of the stream {self._stream} is gone"
        try:
            await self._info(f"{self._stream}.{self._name}")
        except Exception as error:
            is_gone = isinstance(error, ApiError) and error.code in (NO_CONSUMER, NO_STREAM)
            self._lose(gone if is_gone else str(as_link_error(error)))
            return
        if now_s - self._leaderless_s > streams.ELECTION_S:
            self._lose(gone)
            return
        await asyncio.sleep(streams.REPEAT_S)
        self._search = None
        self._pull()

    def _lose(self, why: str) -> None:
        self._running = False
        self._gone(why)


def _delivered(subject: str, reply: str, headers: bytes, data: bytes) -> Delivered | None:
    """Parse the metadata in the reply subject. None if the message is not of JetStream."""
    tokens = reply.split(".")
    if tokens[:2] != ["$JS", "ACK"] or len(tokens) < 9:
        return None
    first = 2 if len(tokens) == 9 else 4  # newer servers add a domain and an account hash
    try:
        sequence, stored_ns = int(tokens[first + 3]), int(tokens[first + 5])
    except (ValueError, IndexError):
        return None
    return Delivered(
        subject, data, protocol.field(headers, b"nats-msg-id"), sequence, stored_ns, reply
    )
