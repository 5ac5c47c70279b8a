"""The publisher with a scripted connection."""

import asyncio
import json
import sqlite3

import pytest

from rigless.transports.jetstream import publisher, streams
from rigless.transports.jetstream.connection import NO_RESPONDERS
from rigless.transports.jetstream.errors import NoRespondersError
from rigless.transports.jetstream.outbox import DurableMessage, Outbox
from rigless.transports.jetstream.publisher import Publisher

from .inboxes import until
from .nats_robots import on_loop

FULL = json.dumps(
    {"error": {"err_code": 10077, "description": "maximum messages exceeded"}}
).encode()
TOO_LARGE = json.dumps(
    {"error": {"err_code": 10054, "description": "message size exceeds maximum"}}
).encode()


class Way:
    max_payload = 1 << 20
    congested = False

    def __init__(self):
        self.flying = []
        self.asked = []  # numbers of messages, as they were sent
        self.stored = self.searches = 0
        self.info = {"config": {"name": "OUT", "subjects": ["robot.*.events"]}, "state": {}}

    def publish_request(self, subject, data, headers, answer, message):
        self.flying.append((answer, message))
        self.asked.append(message.number)
        return len(self.asked)

    def answer(self, data=None, status=0):
        """Reply to the oldest in-flight message; by default that it is stored."""
        answer, message = self.flying.pop(0)
        self.stored += data is None and not status
        answer(message, status, b"", data or json.dumps({"seq": self.stored}).encode())

    async def request(self, subject, *_):
        if "STREAM.INFO" in subject:
            self.searches += 1
            return b"", json.dumps(self.info).encode()
        raise NoRespondersError("nobody tells which of the messages it has")

    def cancel_request(self, question):
        self.flying.clear()


class Scene:
    def __init__(self, folder):
        self.logged, self.gone = [], []
        self.outbox = Outbox(folder / "outbox.sqlite", lambda text, _: self.logged.append(text))
        self.way = Way()
        self.publisher = Publisher(
            self.way,
            self.outbox,
            "r1",
            "OUT",
            lambda text, _: self.logged.append(text),
            self.gone.append,
        )
        self.said = 0

    def say(self, count=1):
        for _ in range(count):
            self.said += 1
            message = DurableMessage("r1", self.said, "robot.r1.events", f"boot-{self.said}", b"{}")
            self.outbox.add(message)
            assert self.outbox.commit()
            self.publisher.put(message)


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(publisher, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(publisher, "LONGEST_WAIT_S", 0.01)


async def nobody_answers(scene, flights):
    """Resend three messages repeatedly."""
    await scene.publisher.begin(0)
    scene.say(3)
    for flight in range(flights):
        await until(lambda flight=flight: len(scene.way.asked) == 3 * (flight + 1), "sent again")
        while scene.way.flying:
            scene.way.answer(status=NO_RESPONDERS)


@on_loop
async def test_a_stream_between_two_leaders_is_not_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "ELECTION_S", 600.0)
    scene = Scene(tmp_path)
    await nobody_answers(scene, 10)
    await until(lambda: len(scene.way.flying) == 3)
    for _ in range(3):
        scene.way.answer()
    assert (scene.publisher.depth, scene.gone, scene.logged) == (0, [], [])
    scene.publisher.end()
    scene.outbox.close()


NO_LEADER = {"err_code": 10008, "description": "JetStream system temporarily unavailable"}


@on_loop
async def test_a_cluster_that_elects_a_leader_is_asked_again(tmp_path, monkeypatch):
    """The server may reject requests as well, instead of not answering."""
    monkeypatch.setattr(streams, "ELECTION_S", 600.0)
    monkeypatch.setattr(streams, "REPEAT_S", 0.01)
    scene = Scene(tmp_path)
    found, scene.way.info = scene.way.info, {"error": NO_LEADER}
    await nobody_answers(scene, 1)
    await until(lambda: len(scene.way.flying) == 3)
    while scene.way.flying:
        scene.way.answer(json.dumps({"error": NO_LEADER}).encode())
    await until(lambda: scene.way.searches > 5)
    scene.way.info = found
    await until(lambda: len(scene.way.flying) == 3)
    for _ in range(3):
        scene.way.answer()
    assert (scene.publisher.depth, scene.gone, scene.logged) == (0, [], [])
    scene.publisher.end()
    scene.outbox.close()


@on_loop
async def test_a_cluster_without_a_leader_for_long_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "ELECTION_S", 0.05)
    monkeypatch.setattr(streams, "REPEAT_S", 0.01)
    scene = Scene(tmp_path)
    scene.way.info = {"error": NO_LEADER}
    await nobody_answers(scene, 1)
    await until(lambda: scene.gone)
    assert "temporarily unavailable" in scene.gone[0]
    await scene.publisher.begin(0)
    while "temporarily unavailable" not in scene.publisher.problem:
        await until(lambda: scene.way.flying)
        scene.way.answer(json.dumps({"error": NO_LEADER}).encode())
    scene.publisher.end()
    scene.outbox.close()


@pytest.mark.parametrize(
    "info",
    [
        {"error": {"err_code": 10059}},
        {"config": {"name": "OUT", "subjects": ["robot.*.state"]}},
        {"error": 1},
    ],
)
@on_loop
async def test_a_stream_that_is_gone_or_takes_something_else_is_missed_at_once(tmp_path, info):
    scene = Scene(tmp_path)
    scene.way.info = info
    await nobody_answers(scene, 1)
    await until(lambda: scene.gone)
    scene.publisher.end()
    scene.outbox.close()


@on_loop
async def test_a_stream_that_is_there_but_never_answers_is_missed_after_a_while(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(streams, "ELECTION_S", 0.05)
    scene = Scene(tmp_path)
    flying = asyncio.create_task(nobody_answers(scene, 1000))
    await until(lambda: scene.gone)
    flying.cancel()
    scene.publisher.end()
    scene.outbox.close()


@on_loop
async def test_what_is_said_while_one_was_turned_down_and_others_fly_is_sent(tmp_path):
    scene = Scene(tmp_path)
    await scene.publisher.begin(0)
    scene.say(3)
    scene.way.answer(FULL)
    scene.say()
    scene.way.answer()
    scene.way.answer()
    await until(lambda: len(scene.way.asked) == 5, "sent again")
    assert scene.way.asked == [1, 2, 3, 1, 4]
    scene.way.answer()
    scene.way.answer()
    assert scene.publisher.depth == 0
    scene.outbox.close()


@on_loop
async def test_one_that_can_never_be_taken_holds_up_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(publisher, "WINDOW", 1)
    scene = Scene(tmp_path)
    await scene.publisher.begin(0)
    scene.say(2)
    scene.way.answer(TOO_LARGE)
    assert scene.way.asked == [1, 2]
    scene.outbox.close()


@on_loop
async def test_an_outbox_that_cannot_be_read_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(publisher, "PAGE", 2)
    scene = Scene(tmp_path)
    scene.say(6)
    read, failure = scene.outbox._database, [True]

    class Disk:
        def execute(self, *given):
            if failure and given[0].startswith("SELECT number"):
                raise sqlite3.OperationalError("disk I/O error")
            return read.execute(*given)

        def __getattr__(self, name):
            return getattr(read, name)

    scene.outbox._database = Disk()
    await scene.publisher.begin(0)
    await until(lambda: "disk I/O error" in "".join(scene.logged))
    failure.clear()
    while scene.publisher.depth:
        await until(lambda: scene.way.flying, "sent")
        scene.way.answer()
    assert scene.way.asked == [1, 2, 3, 4, 5, 6]
    scene.outbox.close()


@on_loop
async def test_a_stream_that_was_made_anew_is_looked_through_from_its_beginning(tmp_path):
    """A new stream invalidates old sequences."""
    scene = Scene(tmp_path)
    await scene.publisher.begin(5000)
    scene.way.stored = 5000
    scene.say()
    scene.way.answer()
    scene.say(2)
    asked = []

    async def request(subject, data, *_):
        asked.append(json.loads(data)["seq"])
        raise NoRespondersError("nobody tells")

    scene.way.request = request
    await scene.publisher.begin(7)
    assert asked == [1]
    scene.outbox.close()
