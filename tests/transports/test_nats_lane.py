"""One robot's letters on their way into the stream, with a connection that answers as it is told."""

import asyncio
import json
import sqlite3

import pytest

from rigless.transports.jetstream import publisher
from rigless.transports.jetstream.outbox import Letter, Outbox
from rigless.transports.jetstream.publisher import Lane
from rigless.transports.jetstream.trouble import MissingError

from .inboxes import until
from .nats_robots import on_loop

FULL = json.dumps({"error": {"err_code": 10077, "description": "maximum messages exceeded"}}).encode()
TOO_LARGE = json.dumps({"error": {"err_code": 10054, "description": "message size exceeds maximum"}}).encode()


class Way:
    max_payload = 1 << 20
    congested = False

    def __init__(self):
        self.flying = []
        self.asked = []  # numbers of letters, as they were sent
        self.stored = 0

    def ask(self, subject, data, headers, answer, letter):
        self.flying.append((answer, letter))
        self.asked.append(letter.number)
        return len(self.asked)

    def answer(self, data=None):
        """To the oldest that flies: the stream has it, unless told otherwise."""
        answer, letter = self.flying.pop(0)
        self.stored += data is None
        answer(letter, 0, b"", data or json.dumps({"seq": self.stored}).encode())

    async def request(self, *_):
        raise MissingError("nobody tells which of the letters it has")

    def forget(self, question):
        self.flying.clear()


class Scene:
    def __init__(self, folder):
        self.told = []
        self.outbox = Outbox(folder / "outbox.sqlite", lambda text, _: self.told.append(text))
        self.way = Way()
        self.lane = Lane(self.way, self.outbox, "r1", "OUT", lambda text, _: self.told.append(text), self.told.append)
        self.said = 0

    def say(self, count=1):
        for _ in range(count):
            self.said += 1
            letter = Letter("r1", self.said, "robot.r1.events", f"boot-{self.said}", b"{}")
            self.outbox.add(letter)
            assert self.outbox.commit()
            self.lane.put(letter)


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(publisher, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(publisher, "LONGEST_WAIT_S", 0.01)


@on_loop
async def test_what_is_said_while_one_was_turned_down_and_others_fly_is_sent(tmp_path):
    scene = Scene(tmp_path)
    await scene.lane.begin(0)
    scene.say(3)
    scene.way.answer(FULL)
    scene.say()
    scene.way.answer()
    scene.way.answer()
    await until(lambda: len(scene.way.asked) == 5, "sent again")
    assert scene.way.asked == [1, 2, 3, 1, 4]
    scene.way.answer()
    scene.way.answer()
    assert scene.lane.depth == 0
    scene.outbox.close()


@on_loop
async def test_one_that_can_never_be_taken_holds_up_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(publisher, "WINDOW", 1)
    scene = Scene(tmp_path)
    await scene.lane.begin(0)
    scene.say(2)
    scene.way.answer(TOO_LARGE)
    assert scene.way.asked == [1, 2]
    scene.outbox.close()


@on_loop
async def test_an_outbox_that_cannot_be_read_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(publisher, "PAGE", 2)
    scene = Scene(tmp_path)
    scene.say(6)
    read, trouble = scene.outbox._database, [True]

    class Disk:
        def execute(self, *given):
            if trouble and given[0].startswith("SELECT number"):
                raise sqlite3.OperationalError("disk I/O error")
            return read.execute(*given)

        def __getattr__(self, name):
            return getattr(read, name)

    scene.outbox._database = Disk()
    await scene.lane.begin(0)
    await asyncio.sleep(0.03)
    assert "disk I/O error" in "".join(scene.told)
    trouble.clear()
    while scene.lane.depth:
        await until(lambda: scene.way.flying, "sent")
        scene.way.answer()
    assert scene.way.asked == [1, 2, 3, 4, 5, 6]
    scene.outbox.close()


@on_loop
async def test_a_stream_that_was_made_anew_is_looked_through_from_its_beginning(tmp_path):
    """Where it was before says nothing of where messages are now."""
    scene = Scene(tmp_path)
    await scene.lane.begin(5000)
    scene.way.stored = 5000
    scene.say()
    scene.way.answer()
    scene.say(2)
    asked = []

    async def request(subject, data, *_):
        asked.append(json.loads(data)["seq"])
        raise MissingError("nobody tells")

    scene.way.request = request
    await scene.lane.begin(7)
    assert asked == [1]
    scene.outbox.close()
