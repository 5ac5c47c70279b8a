"""Recorded answers: tied to their requests, not before their time, and robust to other requests."""

from dataclasses import dataclass, field

import pytest

from rigless.host.recorded_answers import HOLD_NS, RecordedAnswers
from rigless.kernel.inputs import Arrive, Connect
from rigless.kernel.loop.links import ALL
from rigless.kernel.plain import to_json
from rigless.kernel.ports import Port
from rigless.kernel.recording.entries import OutputRecord
from rigless.recordings.inputs import InputDecoder
from rigless.recordings.reader import Record

MS = 1_000_000


@dataclass(frozen=True)
class Word:
    text: str


@dataclass(frozen=True)
class Number:
    text: str


@dataclass
class WordCodec:
    def decode(self, data):
        return [Number(text) if text.isdigit() else Word(text) for text in data.decode().split()]

    def encode(self, message):
        return message.text.encode()


@dataclass
class Player:
    """The answers of one port in a simulation without robots."""

    kind: str
    now_ns: int = 0
    sent: list[tuple[int, str, int]] = field(default_factory=list)  # link, text, ms
    calls: list = field(default_factory=list)

    def __post_init__(self):
        port = Port("line", WordCodec, "tcp", "127.0.0.1:0", self.kind)
        self.answers = RecordedAnswers(
            port, InputDecoder({("r", "line"): port}), self.send, self.call_at, lambda: self.now_ns
        )

    def send(self, link, data, subject):
        self.sent.append((link, data.decode(), self.now_ns // MS))

    def call_at(self, time_ns, call):
        self.calls.append((time_ns, call))

    def record(self, *entries):
        """Take a recording: (ms, link) connects, (ms, link, "> a") asks, "< A" answers."""
        for time_ms, link, *text in entries:
            if not text:
                self.answers.add_input(time_ms * MS, Connect("r", "line", link))
            elif text[0].startswith("> "):
                data = text[0][2:].encode()
                self.answers.add_input(time_ms * MS, Arrive("r", "line", link, data))
            else:
                data = to_json(OutputRecord(link, "", text[0][2:].encode(), None))
                record = Record("/r/line/out", time_ms * MS, data)
                self.used = self.answers.add_output(record, link)
        return self

    def run_until(self, time_ms):
        while due := [one for one in self.calls if one[0] <= time_ms * MS]:
            first = min(due, key=lambda one: one[0])
            self.calls.remove(first)
            self.now_ns = max(self.now_ns, first[0])
            first[1]()
        self.now_ns = time_ms * MS
        return self

    def connect(self, link):
        self.answers.receive(Connect("r", "line", link))
        return self

    def ask(self, link, text):
        self.answers.receive(Arrive("r", "line", link, text.encode()))
        return self


@pytest.fixture
def requests():
    return Player("datagram").record(
        (10, 1),
        (10, 1, "> a"),
        (10, 1, "< A"),
        (20, 2),
        (20, 2, "> 7"),
        (20, 2, "< seven"),
        (30, 1, "> b"),
        (90, 1, "< B"),
    )


def test_each_request_gets_its_answer_on_its_own_link_and_not_before_its_time(requests):
    requests.run_until(15).ask(5, "a").ask(6, "7").run_until(40).ask(5, "b").run_until(200)
    assert requests.sent == [(5, "A", 15), (6, "seven", 20), (5, "B", 90)]


def test_a_late_request_is_answered_at_once(requests):
    requests.run_until(500).ask(5, "a")
    assert requests.sent == [(5, "A", 500)]


def test_a_left_out_request_does_not_shift_the_answers(requests):
    requests.run_until(100).ask(5, "b").ask(5, "7")
    assert [text for _, text, _ in requests.sent] == ["B", "seven"]


def test_a_changed_request_gets_the_next_answer_to_its_type(requests):
    requests.run_until(100).ask(5, "x").ask(5, "y")
    assert [text for _, text, _ in requests.sent] == ["A", "B"]


def test_an_additional_request_gets_an_answer_again(requests):
    requests.run_until(100).ask(5, "a").ask(5, "b").ask(5, "a").ask(5, "c").ask(5, "8").ask(5, "9")
    assert [text for _, text, _ in requests.sent] == ["A", "B", "A", "B", "seven", "seven"]


def test_messages_to_all_are_no_answers():
    player = Player("datagram").record((10, 1), (10, ALL, "< hello"))
    assert not player.used


@pytest.fixture
def stream():
    return Player("stream").record(
        (10, 1),
        (10, 1, "< hello"),
        (20, 1, "> a"),
        (20, 1, "< A"),
        (30, 1, "> b"),
        (50, 1, "< B"),
    )


def test_answers_of_a_stream_come_at_their_times(stream):
    stream.run_until(5).connect(9).run_until(15).ask(9, "a").run_until(25).ask(9, "b")
    stream.run_until(100)
    assert stream.sent == [(9, "hello", 10), (9, "A", 20), (9, "B", 50)]


def test_answers_of_a_stream_wait_for_a_late_request(stream):
    stream.run_until(5).connect(9).run_until(300)
    assert stream.sent == [(9, "hello", 10)]
    stream.ask(9, "a").run_until(400).ask(9, "b")
    assert stream.sent[1:] == [(9, "A", 300), (9, "B", 400)]


def test_a_stream_does_not_wait_for_ever_for_a_request_that_is_left_out(stream):
    stream.run_until(5).connect(9).run_until(15).ask(9, "a").run_until(2000)
    assert stream.sent[1:] == [(9, "A", 20), (9, "B", 50 + HOLD_NS // MS)]


def test_a_client_that_sends_less_ahead_is_answered():
    player = Player("stream").record((0, 1), (10, 1, "> a b"), (20, 1, "< A"), (30, 1, "< B"))
    player.connect(9).run_until(5).ask(9, "a").run_until(25)
    assert player.sent == [(9, "A", 20)]


def test_connections_get_the_answers_of_their_own_conversation():
    player = Player("stream").record(
        (0, 1), (1, 2), (5, 1, "> a"), (5, 1, "< one"), (6, 2, "> b"), (6, 2, "< two")
    )
    player.connect(8).connect(9).run_until(4).ask(9, "b").ask(8, "a").run_until(10)
    assert player.sent == [(8, "one", 5), (9, "two", 6)]
