"""The way of one robot's messages into the stream.

Durable messages (letters) are sent in order, a window of them at a time, each with its id and an inbox for the stream's answer; their rows
leave the outbox when the stream has them. When one is not stored (the stream is full or gone, no answer) no more are sent until all that
fly have come down; then they are sent again in order. Before that, the stream is asked which of the doubtful ones it has already: ids it saw
some minutes ago it no longer knows, so de-duplication alone would double what an outage or a crash left in doubt.

Even one that the stream turned down is in doubt: a leader that goes may say so of a message that the others have.

Latest-wins messages are sent without waiting for an answer, never before a letter that was said earlier; if they cannot be sent now, only
the newest of each subject waits, and none waits over an outage or while letters are not taken. One now and then asks for an answer, so
that it is known whether the stream takes them.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable

import msgspec

from rigless.transports.jetstream import protocol, streams
from rigless.transports.jetstream.connection import DEAF, DENIED, LOST, NOBODY, Connection
from rigless.transports.jetstream.errors import (
    LinkError,
    Log,
    NoRespondersError,
    PermissionDeniedError,
    as_link_error,
)
from rigless.transports.jetstream.outbox import DurableMessage, Outbox

WINDOW = 256  # letters of a robot in flight
PAGE = 512  # letters in memory; the others wait on file
ANSWER_S = 5.0
FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 5.0
WALK = 1000  # messages looked at to settle doubts of one subject
PROBE_S = 4.0  # how often a latest-wins message of a subject asks whether it was taken
TIMES = 5  # nobody may answer as often in a row, for a stream that is there
TOO_LARGE = 10054


_answer = msgspec.json.Decoder(streams.PubAck)


class Publisher:
    """`tell` hears sentences, `missing` that the stream is gone."""

    def __init__(
        self,
        connection: Connection,
        outbox: Outbox,
        robot: str,
        stream: str,
        tell: Log,
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
        self._tell, self._missing, self._answer_s = tell, missing, answer_s
        self._queue: deque[DurableMessage] = deque()
        self._flying: dict[
            int, tuple[int, DurableMessage, float]
        ] = {}  # by number: question, letter, when
        self._back: list[DurableMessage] = []  # not stored, to be sent again
        self._held: dict[
            str, tuple[bytes, bytes]
        ] = {}  # latest-wins behind letters: subject → data, headers
        self._on_file = self.depth > 0  # there are more than in the queue
        self._loaded = 0  # number of the last one that was in the queue
        self._sequence = outbox.sequence(robot)
        self._stalled = False
        self._wait_s = FIRST_WAIT_S
        self._denied: set[str] = (
            set()
        )  # subjects that are not permitted: letters to them wait on file alone
        self._said = ""
        self._nobody = 0  # times in a row that nobody answered although the stream is there: a new leader is not heard of at once
        self._looking: asyncio.Task[None] | None = None  # whether the stream is there
        self._probes: dict[str, int] = {}  # latest-wins subjects that have asked lately → question
        self._probe_s = 0.0  # when they ask again
        self._largest = connection.max_payload
        self._asks_in_vain = False
        self._lost: dict[str, str] = {}  # latest-wins subjects that are not taken, and why
        self._retry: asyncio.TimerHandle | None = None
        self._resuming: asyncio.Task[None] | None = None
        if self._on_file:
            self._load(doubtful=True)

    # In

    def put(self, letter: DurableMessage) -> None:
        """A letter that is on file."""
        self.depth += 1
        if self._on_file or len(self._queue) >= PAGE:
            self._on_file = True
        else:
            self._queue.append(letter)
            self._loaded = letter.number
        if self.open:
            self.pump()

    def put_latest(self, subject: str, data: bytes, headers: bytes) -> bool:
        """False if it is not worth sending any more."""
        if not self.open or self._stalled or self._connection.congested:
            return False
        if len(headers) + 12 + len(data) > self._largest:  # the server would hang up
            self._not_taken(
                subject, f"{len(data)} bytes are more than the server takes ({self._largest})"
            )
            return False
        if self._queue:
            self._held[subject] = data, headers
        else:
            self._publish(subject, data, headers)
        return True

    def _publish(self, subject: str, data: bytes, headers: bytes) -> None:
        if subject in self._probes:
            self._connection.publish(subject, data, "", headers)
        else:
            self._probes[subject] = self._connection.ask(
                subject, data, headers, self._probed, subject
            )

    def _forget_probes(self) -> None:
        """The next latest-wins message of each subject asks again."""
        for question in self._probes.values():
            self._connection.forget(question)
        self._probes.clear()

    def _probed(self, subject: str, status: int, headers: bytes, data: bytes) -> None:
        if status in (LOST, DEAF) or not self.open:
            return
        if status == DENIED:
            self._not_taken(subject, str(PermissionDeniedError("publish to", subject)))
        elif status == NOBODY:
            self._probes.pop(subject, None)  # the next one asks again
            self._nobody_there(subject)
        else:
            self._nobody = 0
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                error = _answer.decode(data).error
                if error is not None:
                    self._not_taken(subject, f"{error.description} (error {error.err_code})")
                elif self._lost.pop(subject, None):
                    self._tell(f"the stream {self._stream} takes {subject} again", "info")

    def _not_taken(self, subject: str, why: str) -> None:
        if self._lost.get(subject) != why:
            self._lost[subject] = why
            self._tell(f"what the robot says to {subject} is lost: {why}", "error")

    def _nobody_there(self, subject: str) -> None:
        """The stream is gone, or it is between two leaders: whoever leads it next can tell."""
        if self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._look(subject))

    async def _look(self, subject: str) -> None:
        try:
            found = await streams.look(self._connection, self._stream)
            why = f"the stream {self._stream} is gone, or does not take {subject}"
        except Exception as error:  # whatever it was
            found, why = None, str(as_link_error(error))
        self._nobody += 1
        if found is None or not found.takes(subject) or self._nobody > TIMES:
            self._missing(why)
        else:
            await asyncio.sleep(FIRST_WAIT_S)
        self._looking = None

    # Life

    async def begin(self, last: int) -> None:
        """The way is free: settle doubts, then send. `last`: the last sequence of the stream, which may be a new one. Raises LinkError."""
        self.end()
        if self._outbox.commit():
            self.depth = self._outbox.depth(self._robot)  # a broken file may have lost some
        if self._sequence > last:  # it is a new one
            self._sequence = 0
        for letter in self._queue:
            if letter.floor > last:
                letter.floor = 0
        if self._denied and self._outbox.commit():  # perhaps they are permitted now
            self._denied.clear()
            self._queue.clear()
            self._load(doubtful=True, after=0)
        await self._settle()
        self.open, self._stalled, self._nobody = True, False, 0
        self._largest = self._connection.max_payload
        self.pump()

    def end(self) -> None:
        """The way is not free: what flies is in doubt."""
        self.open = False
        self._held.clear()
        self._forget_probes()
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        for task in (self._resuming, self._looking):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
        self._resuming = self._looking = None
        for question, letter, _ in self._flying.values():
            self._connection.forget(question)
            self._back.append(letter)
        self._flying.clear()
        self._turn_back()

    @property
    def idle(self) -> bool:
        return not self._flying and not self._queue

    def pump(self) -> None:
        """Send as many as may fly."""
        if not self.open or self._stalled:
            return
        now = asyncio.get_running_loop().time()
        largest = self._connection.max_payload
        while len(self._flying) < WINDOW:
            if self._on_file and len(self._queue) < PAGE // 2 and not self._load_more():
                return
            if not self._queue:
                break
            letter = self._queue.popleft()
            if letter.subject in self._denied:
                continue
            headers = f"Nats-Msg-Id: {letter.id}\r\n".encode() if letter.id else b""
            if len(headers) + 12 + len(letter.data) > largest:
                self._drop(
                    letter, f"{len(letter.data)} bytes are more than the server takes ({largest})"
                )
                continue
            if letter.floor < 0:
                letter.floor = self._sequence
            question = self._connection.ask(
                letter.subject, letter.data, headers, self._answered, letter
            )
            self._flying[letter.number] = question, letter, now
        if not self._queue and self._held:
            held, self._held = self._held, {}
            for subject, (data, headers) in held.items():
                self._publish(subject, data, headers)

    def tick(self) -> None:
        """Once a second or so: what was not answered in time is in doubt."""
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._probe_s:
            self._probe_s = now_s + PROBE_S
            self._forget_probes()
        if not self._flying:
            return
        oldest = now_s - self._answer_s
        for number, (question, letter, when) in list(self._flying.items()):
            if when > oldest:
                break
            self._connection.forget(question)
            del self._flying[number]
            self._turned_down(
                letter, f"no answer from the stream {self._stream} within {self._answer_s:g} s"
            )

    # Answers

    def _answered(self, letter: DurableMessage, status: int, headers: bytes, data: bytes) -> None:
        if self._flying.pop(letter.number, None) is None:
            return
        if status in (LOST, DEAF):
            self._back.append(letter)
            self._come_down()
        elif status == DENIED:
            self._park(letter)
        elif status == NOBODY:
            falling = self._stalled  # others of the same flight were told so already
            self._turned_down(letter, "")
            if not falling:
                self._nobody_there(letter.subject)
        else:
            self._understand(letter, data)

    def _understand(self, letter: DurableMessage, data: bytes) -> None:
        try:
            answer = _answer.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._turned_down(letter, f"an answer of the stream {self._stream} cannot be read")
            return
        if answer.error is None:
            self._done(letter, answer.seq, answer.duplicate)
            self._go_on()
        elif answer.error.err_code == TOO_LARGE:
            self._drop(letter, answer.error.description)
            self._go_on()
        else:
            what = f"the stream {self._stream} does not take messages: {answer.error.description}"
            self._turned_down(letter, f"{what} (error {answer.error.err_code})")

    def _done(self, letter: DurableMessage, sequence: int, known: bool = False) -> None:
        self.depth -= 1
        self._nobody = 0
        if not known:
            self._sequence = sequence
        self._outbox.remove(letter, self._sequence)
        if self._stalled:
            return
        self._wait_s = FIRST_WAIT_S
        if self._said:
            self._said = ""
            self._tell(f"the stream {self._stream} takes messages again", "info")

    def _drop(self, letter: DurableMessage, why: str) -> None:
        self.depth -= 1
        self._outbox.remove(letter, 0)
        self._tell(
            f"a message to {letter.subject} is lost, the stream can never take it: {why}", "error"
        )

    def _park(self, letter: DurableMessage) -> None:
        """Not permitted: it waits on file, until the next connection, and nobody waits behind it."""
        if letter.subject not in self._denied:
            self._denied.add(letter.subject)
            what = f"{PermissionDeniedError('publish to', letter.subject)}; what it says there waits in the outbox"
            self._tell(what, "error")
        self._go_on()

    def _go_on(self) -> None:
        """One less flies: the next may, or when one was turned down before it, all of them again."""
        if self._stalled:
            self._come_down()
        elif self._queue or self._held:
            self.pump()

    # Again

    def _turned_down(self, letter: DurableMessage, why: str) -> None:
        self._back.append(letter)
        self._stall(why)

    def _stall(self, why: str) -> None:
        self._stalled = True
        self._held.clear()
        if why and why != self._said:
            self._said = why
            self._tell(f"{why}; what is durable waits in the outbox", "error")
        self._come_down()

    def _come_down(self) -> None:
        """When nothing flies any more, what came back is first in the queue again."""
        if self._flying or not self._stalled:
            return
        self._turn_back()
        if self.open and self._retry is None:
            self._retry = asyncio.get_running_loop().call_later(self._wait_s, self._resume)
            self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)

    def _turn_back(self) -> None:
        self._back.sort(key=lambda letter: letter.number, reverse=True)
        self._queue.extendleft(self._back)
        self._back.clear()

    def _resume(self) -> None:
        self._retry = None
        if self.open:
            self._resuming = asyncio.get_running_loop().create_task(self._again())

    async def _again(self) -> None:
        try:
            await self._settle()
        except Exception as error:  # whatever it was
            self._missing(str(as_link_error(error)))
            return
        self._stalled = False
        self.pump()

    async def _settle(self) -> None:
        """Find out which of the doubtful letters the stream has."""
        doubtful: dict[str, dict[str, DurableMessage]] = {}
        for letter in self._queue:
            if letter.floor >= 0 and letter.id:
                doubtful.setdefault(letter.subject, {})[letter.id] = letter
        for subject, letters in doubtful.items():
            sequence = min(letter.floor for letter in letters.values()) + 1
            for _ in range(WALK):
                try:
                    found = await streams.get(
                        self._connection, self._stream, seq=sequence, next_by_subj=subject
                    )
                except NoRespondersError:  # then de-duplication must do
                    break
                except PermissionDeniedError as trouble:
                    self._cannot_ask(trouble)
                    return
                if found is None:
                    break
                has = letters.pop(protocol.field(found.hdrs, b"nats-msg-id"), None)
                if has is not None:
                    self._queue.remove(has)
                    self._done(has, found.seq, known=True)
                if not letters:
                    break
                sequence = found.seq + 1

    def _cannot_ask(self, trouble: LinkError) -> None:
        if not self._asks_in_vain:
            self._asks_in_vain = True
            self._tell(
                f"{trouble}; until then what an outage left in doubt may come twice", "error"
            )

    def _load_more(self) -> bool:
        try:
            self._load()
        except LinkError as trouble:
            self._stall(str(trouble))
            return False
        return True

    def _load(self, doubtful: bool = False, after: int | None = None) -> None:
        letters = self._outbox.load(self._robot, self._loaded if after is None else after, PAGE)
        if doubtful:
            for letter in letters:
                letter.floor = self._sequence
        self._queue.extend(letters)
        self._on_file = len(letters) == PAGE
        if letters:
            self._loaded = letters[-1].number
