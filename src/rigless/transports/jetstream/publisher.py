"""Publishes the messages of one robot to its stream, in order and without loss.

Durable messages are sent in order, up to a window in flight, each with its id and an inbox for the
acknowledgement. Their rows leave the outbox when the stream has stored them. If one is not stored
(the stream is full or missing, or there is no reply), sending stops until all in-flight messages
are settled; then they are resent in order. Before a resend, the stream is searched for messages of
unknown outcome: its duplicate window is short, so de-duplication alone would store messages twice
after a long outage. Even a rejected message is uncertain: a leader that steps down may reject a
message that its followers have stored.

Latest-wins messages are sent without waiting for a reply, and never before a durable message that
was emitted earlier. If they cannot be sent now, only the newest of each subject waits; none waits
over an outage or while durable messages are not stored. Their acknowledgements are counted
(`latest.py`).
"""

import asyncio
from collections import deque
from collections.abc import Callable

import msgspec

from rigless.transports.jetstream import protocol, streams
from rigless.transports.jetstream.connection import (
    DENIED,
    LOST,
    NO_REPLIES,
    NO_RESPONDERS,
    Connection,
)
from rigless.transports.jetstream.errors import (
    LinkError,
    Log,
    NoRespondersError,
    PermissionDeniedError,
    as_link_error,
)
from rigless.transports.jetstream.latest import LatestPublisher
from rigless.transports.jetstream.outbox import DurableMessage, Outbox

WINDOW = 256  # durable messages of a robot in flight
PAGE = 512  # durable messages in memory; the others stay in the file
ANSWER_S = 5.0
FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 5.0
WALK = 1000  # stored messages of a subject that are searched
TOO_LARGE = 10054


_answer = msgspec.json.Decoder(streams.PubAck)


class Publisher:
    """Publishes for one robot. Calls `missing` with a reason if the stream is gone."""

    def __init__(
        self,
        connection: Connection,
        outbox: Outbox,
        robot: str,
        stream: str,
        log: Log,
        missing: Callable[[str], None],
        answer_s: float = ANSWER_S,
    ):
        self.depth = outbox.depth(robot)
        self.open = False
        self._connection, self._outbox, self._robot, self._stream = (
            connection,
            outbox,
            robot,
            stream,
        )
        self._log, self._missing, self._answer_s = log, missing, answer_s
        self._queue: deque[DurableMessage] = deque()
        self._in_flight: dict[
            int, tuple[int, DurableMessage, float]
        ] = {}  # number → request_id, message, time
        self._to_resend: list[DurableMessage] = []  # not stored; to be resent
        self._held: dict[
            str, tuple[bytes, bytes]
        ] = {}  # latest-wins messages that wait: subject → data, headers
        self._on_file = self.depth > 0  # the file has more messages than the queue
        self._loaded = 0  # number of the last message that was queued
        self._sequence = outbox.sequence(robot)
        self._stalled = False
        self._wait_s = FIRST_WAIT_S
        self._denied: set[str] = set()  # denied subjects; their messages stay in the file
        self._logged = ""
        self._leaderless_s: float | None = None  # time of the first reply that there is no leader
        self._stream_check: asyncio.Task[None] | None = None  # searches for the stream
        self._latest = LatestPublisher(
            connection, stream, log, self._check_stream, self._is_election, self._stored_latest
        )
        self._largest = connection.max_payload
        self._cannot_check = False
        self._retry: asyncio.TimerHandle | None = None
        self._resuming: asyncio.Task[None] | None = None
        if self._on_file:
            self._load(doubtful=True)

    @property
    def problem(self) -> str:
        """The reason why the stream does not store messages at present, or ""."""
        return self._logged or self._latest.problem

    def take_lost(self) -> int:
        """Return the number of latest-wins messages that were not stored since the last call."""
        lost, self._latest.lost = self._latest.lost, 0
        return lost

    # Messages

    def put(self, message: DurableMessage) -> None:
        """Publish a message that is in the outbox file."""
        self.depth += 1
        if self._on_file or len(self._queue) >= PAGE:
            self._on_file = True
        else:
            self._queue.append(message)
            self._loaded = message.number
        if self.open:
            self.pump()

    def put_latest(self, subject: str, data: bytes, headers: bytes) -> bool:
        """Publish a latest-wins message; return False if it is dropped."""
        if not self.open or self._stalled or self._connection.congested:
            return False
        if len(headers) + 12 + len(data) > self._largest:  # the server would close the connection
            self._latest.not_taken(
                subject, f"{len(data)} bytes exceed the limit of the server ({self._largest})"
            )
            return False
        if self._queue:
            self._held[subject] = data, headers
        else:
            self._latest.publish(subject, data, headers)
        return True

    def _stored_latest(self) -> None:
        self._leaderless_s = None

    def _is_election(self, code: int) -> bool:
        """Return whether the stream has had no leader for a short time only."""
        return code == streams.NOT_AVAILABLE and self._leaderless_for_s() < streams.ELECTION_S

    def _leaderless_for_s(self) -> float:
        now_s = asyncio.get_running_loop().time()
        if self._leaderless_s is None:
            self._leaderless_s = now_s
        return now_s - self._leaderless_s

    def _check_stream(self, subject: str, stream: str) -> None:
        """Find out whether the stream is gone or only has no leader at present."""
        if self._stream_check is None:
            self._stream_check = asyncio.get_running_loop().create_task(
                self._look_for_stream(subject, stream)
            )

    async def _look_for_stream(self, subject: str, stream: str) -> None:
        try:
            found = await streams.info(self._connection, stream)
            why = f"the stream {stream} is gone, or does not take {subject}"
        except Exception as error:
            found, why = None, str(as_link_error(error))
        leaderless_s = self._leaderless_for_s()
        if found is None or not found.takes(subject) or leaderless_s > streams.ELECTION_S:
            self._missing(why)
        else:
            await asyncio.sleep(FIRST_WAIT_S)
        self._stream_check = None

    # Start and end

    async def begin(self, last: int, latest_stream: str = "", acknowledges: bool = True) -> None:
        """Resolve messages of unknown outcome, then publish. Raises LinkError.

        `last` is the last sequence of the stream. If it went back, the stream is a new one.
        `latest_stream` takes the latest-wins messages; the default is the same stream. It
        `acknowledges` them, unless it was made with no_ack.
        """
        self._latest.stream = latest_stream or self._stream
        self._latest.acknowledges = acknowledges
        self.end()
        if self._outbox.commit():
            self.depth = self._outbox.depth(self._robot)  # a broken file may have lost rows
        if self._sequence > last:  # a new stream
            self._sequence = 0
        for message in self._queue:
            if message.floor > last:
                message.floor = 0
        if self._denied and self._outbox.commit():  # permissions may have changed
            self._denied.clear()
            self._queue.clear()
            self._load(doubtful=True, after=0)
        await self._settle()
        self.open, self._stalled, self._leaderless_s = True, False, None
        self._largest = self._connection.max_payload
        self.pump()

    def end(self) -> None:
        """Stop publishing. The outcome of in-flight messages is unknown."""
        self.open = False
        self._held.clear()
        self._latest.end()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        for task in (self._resuming, self._stream_check):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
        self._resuming = self._stream_check = None
        for request_id, message, _ in self._in_flight.values():
            self._connection.cancel_request(request_id)
            self._to_resend.append(message)
        self._in_flight.clear()
        self._requeue()

    @property
    def idle(self) -> bool:
        return not self._in_flight and not self._queue

    def pump(self) -> None:
        """Send until the window is full."""
        if not self.open or self._stalled:
            return
        now = asyncio.get_running_loop().time()
        largest = self._connection.max_payload
        while len(self._in_flight) < WINDOW:
            if self._on_file and len(self._queue) < PAGE // 2 and not self._load_more():
                return
            if not self._queue:
                break
            message = self._queue.popleft()
            if message.subject in self._denied:
                continue
            headers = f"Nats-Msg-Id: {message.id}\r\n".encode() if message.id else b""
            if len(headers) + 12 + len(message.data) > largest:
                self._drop(
                    message, f"{len(message.data)} bytes exceed the limit of the server ({largest})"
                )
                continue
            if message.floor < 0:
                message.floor = self._sequence
            request_id = self._connection.publish_request(
                message.subject, message.data, headers, self._replied, message
            )
            self._in_flight[message.number] = request_id, message, now
        if not self._queue and self._held:
            held, self._held = self._held, {}
            for subject, (data, headers) in held.items():
                self._latest.publish(subject, data, headers)

    def tick(self) -> None:
        """Treat messages without a reply in time as not stored. Call about once a second."""
        now_s = asyncio.get_running_loop().time()
        self._latest.tick(now_s)
        if not self._in_flight:
            return
        oldest = now_s - self._answer_s
        for number, (request_id, message, when) in list(self._in_flight.items()):
            if when > oldest:
                break
            self._connection.cancel_request(request_id)
            del self._in_flight[number]
            self._not_stored(
                message, f"no answer from the stream {self._stream} within {self._answer_s:g} s"
            )

    # Replies

    def _replied(self, message: DurableMessage, status: int, headers: bytes, data: bytes) -> None:
        if self._in_flight.pop(message.number, None) is None:
            return
        if status in (LOST, NO_REPLIES):
            self._to_resend.append(message)
            self._retry_when_settled()
        elif status == DENIED:
            self._hold_denied(message)
        elif status == NO_RESPONDERS:
            falling = self._stalled  # an earlier message of this window got the same reply
            self._not_stored(message, "")
            if not falling:
                self._check_stream(message.subject, self._stream)
        else:
            self._handle_reply(message, data)

    def _handle_reply(self, message: DurableMessage, data: bytes) -> None:
        try:
            answer = _answer.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._not_stored(message, f"an answer of the stream {self._stream} cannot be read")
            return
        if answer.error is None:
            self._done(message, answer.seq, answer.duplicate)
            self._continue()
        elif answer.error.err_code == TOO_LARGE:
            self._drop(message, answer.error.description)
            self._continue()
        elif self._is_election(answer.error.err_code):
            self._not_stored(message, "")
        else:
            what = f"the stream {self._stream} does not accept messages: {answer.error.description}"
            self._not_stored(message, f"{what} (error {answer.error.err_code})")

    def _done(self, message: DurableMessage, sequence: int, known: bool = False) -> None:
        self.depth -= 1
        self._leaderless_s = None
        if not known:
            self._sequence = sequence
        self._outbox.remove(message, self._sequence)
        if self._stalled:
            return
        self._wait_s = FIRST_WAIT_S
        if self._logged:
            self._logged = ""
            self._log(f"the stream {self._stream} accepts messages again", "info")

    def _drop(self, message: DurableMessage, why: str) -> None:
        self.depth -= 1
        self._outbox.remove(message, 0)
        self._log(
            f"a message to {message.subject} is lost, the stream can never store it: {why}", "error"
        )

    def _hold_denied(self, message: DurableMessage) -> None:
        """Leave a denied message in the file until the next connection; others go ahead."""
        if message.subject not in self._denied:
            self._denied.add(message.subject)
            what = (
                f"{PermissionDeniedError('publish to', message.subject)}; its messages there "
                "wait in the outbox"
            )
            self._log(what, "error")
        self._continue()

    def _continue(self) -> None:
        """Send the next message, or resend all if one was not stored."""
        if self._stalled:
            self._retry_when_settled()
        elif self._queue or self._held:
            self.pump()

    # Resending

    def _not_stored(self, message: DurableMessage, why: str) -> None:
        self._to_resend.append(message)
        self._stall(why)

    def _stall(self, why: str) -> None:
        self._stalled = True
        self._held.clear()
        if why and why != self._logged:
            self._logged = why
            self._log(f"{why}; durable messages wait in the outbox", "error")
        self._retry_when_settled()

    def _retry_when_settled(self) -> None:
        """Requeue messages that were not stored, when all in-flight messages are settled."""
        if self._in_flight or not self._stalled:
            return
        self._requeue()
        if self.open and self._retry is None:
            self._retry = asyncio.get_running_loop().call_later(self._wait_s, self._resume)
            self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)

    def _requeue(self) -> None:
        self._to_resend.sort(key=lambda message: message.number, reverse=True)
        self._queue.extendleft(self._to_resend)
        self._to_resend.clear()

    def _resume(self) -> None:
        self._retry = None
        if self.open:
            self._resuming = asyncio.get_running_loop().create_task(self._again())

    async def _again(self) -> None:
        try:
            await self._settle()
        except Exception as error:
            self._missing(str(as_link_error(error)))
            return
        self._stalled = False
        self.pump()

    async def _settle(self) -> None:
        """Search the stream for messages of unknown outcome, and settle those that it has."""
        doubtful: dict[str, dict[str, DurableMessage]] = {}
        for message in self._queue:
            if message.floor >= 0 and message.id:
                doubtful.setdefault(message.subject, {})[message.id] = message
        for subject, messages in doubtful.items():
            sequence = min(message.floor for message in messages.values()) + 1
            for _ in range(WALK):
                try:
                    found = await streams.get(
                        self._connection, self._stream, seq=sequence, next_by_subj=subject
                    )
                except NoRespondersError:  # rely on de-duplication
                    break
                except PermissionDeniedError as failure:
                    self._log_cannot_check(failure)
                    return
                if found is None:
                    break
                has = messages.pop(protocol.field(found.hdrs, b"nats-msg-id"), None)
                if has is not None:
                    self._queue.remove(has)
                    self._done(has, found.seq, known=True)
                if not messages:
                    break
                sequence = found.seq + 1

    def _log_cannot_check(self, failure: LinkError) -> None:
        if not self._cannot_check:
            self._cannot_check = True
            self._log(
                f"{failure}; until then messages in flight during an outage may be stored twice",
                "error",
            )

    def _load_more(self) -> bool:
        try:
            self._load()
        except LinkError as failure:
            self._stall(str(failure))
            return False
        return True

    def _load(self, doubtful: bool = False, after: int | None = None) -> None:
        messages = self._outbox.load(self._robot, self._loaded if after is None else after, PAGE)
        if doubtful:
            for message in messages:
                message.floor = self._sequence
        self._queue.extend(messages)
        self._on_file = len(messages) == PAGE
        if messages:
            self._loaded = messages[-1].number
