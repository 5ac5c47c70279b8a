"""The consumer with a scripted connection, while its cluster elects a leader."""

import json

import pytest

from rigless.transports.jetstream import streams
from rigless.transports.jetstream.consumer import Consumer
from rigless.transports.jetstream.streams import Stream

from .inboxes import until
from .nats_robots import on_loop

NO_RESPONDERS = b"NATS/1.0 503\r\n\r\n"
NO_LEADER = {"err_code": 10008, "description": "JetStream system temporarily unavailable"}


class Way:
    inbox = "_INBOX.test"

    def __init__(self):
        self.pulls, self.searches, self.error = 0, 0, None

    def subscribe(self, subject, delivery):
        self.deliver = delivery
        return 1

    def unsubscribe(self, number):
        pass

    def publish(self, subject, data, reply="", headers=b""):
        self.pulls += ".MSG.NEXT." in subject

    async def request(self, subject, *_):
        self.searches += 1
        found = {"config": {"filter_subject": "robot.r1.in", "ack_policy": "explicit"}}
        return b"", json.dumps({"error": self.error} if self.error else found).encode()


async def consuming():
    way, gone = Way(), []
    consumer = Consumer(way, "r1", ("robot.r1.in",), print, gone.append, lambda *_: None)
    await consumer.ensure(Stream("IN", [], "today"))
    await consumer.begin()
    return way, gone, consumer


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(streams, "REPEAT_S", 0.01)
    monkeypatch.setattr(streams, "ELECTION_S", 600.0)


@on_loop
async def test_a_consumer_between_two_leaders_is_asked_again():
    way, gone, consumer = await consuming()
    for _ in range(20):
        pulls = way.pulls
        way.deliver("", "", NO_RESPONDERS, b"")
        await until(lambda pulls=pulls: way.pulls > pulls)
    way.error, searches = NO_LEADER, way.searches
    way.deliver("", "", NO_RESPONDERS, b"")
    await until(lambda: way.searches > searches + 3)
    way.error, pulls = None, way.pulls
    await until(lambda: way.pulls > pulls)
    assert gone == []
    consumer.close()


@pytest.mark.parametrize("code", [10014, 10059])
@on_loop
async def test_a_consumer_or_a_stream_that_is_gone_is_missed(code):
    way, gone, consumer = await consuming()
    way.error = {"err_code": code, "description": "not found"}
    way.deliver("", "", NO_RESPONDERS, b"")
    await until(lambda: gone)
    assert gone == ["the consumer r1 of the stream IN is gone"]
    consumer.close()


@on_loop
async def test_a_consumer_without_a_leader_for_long_is_missed(monkeypatch):
    way, gone, consumer = await consuming()
    monkeypatch.setattr(streams, "ELECTION_S", 0.05)
    while not gone:
        pulls = way.pulls
        way.deliver("", "", NO_RESPONDERS, b"")
        await until(lambda pulls=pulls: way.pulls > pulls or gone)
    consumer.close()
