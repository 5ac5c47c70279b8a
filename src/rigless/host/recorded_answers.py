"""Recorded answers on ports where the robot answers its peers (`Port.answers`).

A client of such a port waits for its answer, so an answer by the clock alone could come before its
request, or be lost. Answers are therefore tied to requests, and still not sent before their
recorded time.

Datagram and message ports: each request gets the recorded answer to an equal request, else to one
of the same type. If none is left, one of these is sent again; else the next answer of any type.

Stream ports: the answers of the n-th connection go to the n-th connection, in the recorded order.
The j-th answer waits until j messages have been received. If the client has been silent for HOLD_NS
it may wait for this answer, so it is sent.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from rigless.kernel.inputs import AnyInput, Arrive, Connect
from rigless.kernel.loop.links import ALL
from rigless.kernel.ports import Port
from rigless.recordings.inputs import InputDecoder, Message
from rigless.recordings.reader import Record

HOLD_NS = 1_000_000_000

Send = Callable[[int, bytes, str], None]  # link, data, subject
CallAt = Callable[[int, Callable[[], None]], None]


@dataclass
class Answer:
    """A recorded answer. `request` is None for one that no request precedes."""

    time_ns: int
    data: bytes
    subject: str
    request: Message | None = None
    needed: int = 0  # messages that the client must have sent before


@dataclass
class _Connection:
    """A client of a stream port."""

    link: int
    received: int = 0
    last_ns: int = 0


@dataclass
class RecordedAnswers:
    """The answers of one port. `now_ns` returns simulated time."""

    port: Port
    decoder: InputDecoder
    send: Send
    call_at: CallAt
    now_ns: Callable[[], int]
    answers: list[list[Answer]] = field(default_factory=list)  # by connection
    sent: int = 0
    _links: list[int] = field(default_factory=list)  # recorded, in the order of connecting
    _requests: dict[int, list[Message]] = field(default_factory=dict)  # recorded, by link
    _counts: dict[int, int] = field(default_factory=dict)  # answers since the first request
    _used: list[Answer] = field(default_factory=list)
    _connections: list[_Connection] = field(default_factory=list)

    # Reading the recording

    def add_input(self, time_ns: int, given: AnyInput) -> None:
        """Take a recorded live input."""
        messages = self.decoder.decode(time_ns, given)
        if isinstance(given, Connect | Arrive) and given.link not in self._links:
            self._links.append(given.link)  # by Arrive if it connected before the recording began
            self.answers.append([])
        if isinstance(given, Arrive):
            self._requests.setdefault(given.link, []).extend(messages)

    def add_output(self, record: Record, link: int) -> bool:
        """Take a recorded output; return False if it is not an answer to a live peer."""
        if link == ALL or link not in self._links:
            return False
        number = self._links.index(link)
        requests = self._requests.get(link, [])
        before = len(requests)
        count = self._counts[link] = self._counts.get(link, 0) + (before > 0)
        request = requests[min(count, before) - 1] if requests else None
        answer = Answer(record.time_ns, *record.wire(), request, min(count, before))
        self.answers[number].append(answer)
        if self.port.kind == "stream":
            self.call_at(record.time_ns, lambda: self._pump(number))
        return True

    # Playing

    def receive(self, given: Connect | Arrive) -> None:
        """Take an input of the program that is connected now."""
        messages = self.decoder.decode(self.now_ns(), given)
        if isinstance(given, Connect):
            self._connections.append(_Connection(given.link, last_ns=self.now_ns()))
            self._pump(len(self._connections) - 1)
        elif self.port.kind != "stream":
            for message in messages:
                self._answer(given.link, message)
        else:
            numbers = [n for n, one in enumerate(self._connections) if one.link == given.link]
            for number in numbers[-1:]:
                self._connections[number].received += len(messages)
                self._connections[number].last_ns = self.now_ns()
                self._pump(number)

    def _answer(self, link: int, request: Message) -> None:
        answer = self._choose(request)
        if answer is None:
            return
        if answer.time_ns <= self.now_ns():
            self._transmit(link, answer)
        else:
            self.call_at(answer.time_ns, lambda: self._transmit(link, answer))

    def _choose(self, request: Message) -> Answer | None:
        """Return the answer to a request, which is used up; None if nothing fits."""
        rules: tuple[Callable[[Message], bool], ...] = (
            lambda one: (one.type, one.fields) == (request.type, request.fields),
            lambda one: one.type == request.type,
        )
        for fits in rules:
            for queue in self.answers:
                for index, one in enumerate(queue):
                    if one.request is not None and fits(one.request):
                        self._used.append(queue.pop(index))
                        return self._used[-1]
        for fits in rules:
            for one in reversed(self._used):
                if one.request is not None and fits(one.request):
                    return one
        return next((queue.pop(0) for queue in self.answers if queue), None)

    def _pump(self, number: int) -> None:
        """Send the answers of a stream that are due, in order."""
        if number >= len(self._connections) or number >= len(self.answers):
            return
        connection, queue = self._connections[number], self.answers[number]
        while queue:
            first, now_ns = queue[0], self.now_ns()
            if first.time_ns > now_ns:
                return
            if connection.received < first.needed:
                end_ns = max(first.time_ns, connection.last_ns) + HOLD_NS
                if now_ns < end_ns:
                    self.call_at(end_ns, lambda: self._pump(number))
                    return
            self._transmit(connection.link, queue.pop(0))

    def _transmit(self, link: int, answer: Answer) -> None:
        self.sent += 1
        self.send(link, answer.data, answer.subject)
