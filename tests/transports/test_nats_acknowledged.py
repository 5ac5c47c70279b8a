"""Latest-wins messages are acknowledged each, and counted in runs."""

import asyncio
import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nats_servers import Server
from rigless.transports.jetstream import latest, protocol
from rigless.transports.jetstream.connection import NO_RESPONDERS
from rigless.transports.jetstream.followed import FollowedSubjects
from rigless.transports.jetstream.latest import LatestPublisher

from .inboxes import until
from .nats_robots import STATE, backend, eventually, on_loop, port, running

INBOX = "_INBOX.x+y"  # the plus sign is not part of a pattern
STORED = [
    '{"stream":"ROBOT_STATE","seq":7}',
    '{"stream":"ROBOT_STATE", "seq":12, "duplicate": true}',
    '{"stream":"S","seq":99999,"domain":"hub"}',
    '{"stream":"S","seq":1,"domain":"hub","duplicate":true}',
]
FULL = '{"error":{"code":503,"err_code":10077,"description":"full"},"stream":"S","seq":0}'
OTHER = '{"domain":"hub","stream":"S","seq":3}'  # not as servers write it today
KINDS = st.sampled_from([*STORED, OTHER, FULL, "", "a request", "503"])


def wire(replies):
    """Return the bytes of a server for (subject number, kind) pairs."""
    said = b""
    for number, kind in replies:
        if kind == "a request":
            said += f"MSG {INBOX}.{number} 1 2\r\n{{}}\r\n".encode()
        elif kind == "503":
            block = "NATS/1.0 503\r\n\r\n"
            said += f"HMSG {INBOX}.a{number} 1 {len(block)} {len(block)}\r\n{block}\r\n".encode()
        else:
            said += f"MSG {INBOX}.a{number} 1 {len(kind)}\r\n{kind}\r\n".encode()
    return said


@given(st.lists(st.tuples(st.integers(1, 4), KINDS), max_size=30), st.data())
def test_acknowledgements_are_counted_however_they_are_cut(replies, data):
    said, requests, odd = wire(replies), [], []
    cuts = data.draw(st.lists(st.integers(0, len(said)), max_size=6))
    subjects = FollowedSubjects(INBOX)
    followed = [
        subjects.add(f"s{n}", lambda name, status, _, data: odd.append((name, status, data)))
        for n in range(3)
    ]

    def deliver(subscription, subject, reply, headers, payload):
        name = subject.rpartition(".")[2]
        if not subjects.take(name, headers, payload):
            requests.append(int(name))

    runs = protocol.Acknowledgements(INBOX, 1, subjects.acknowledged)
    parser = protocol.Parser(deliver, print, runs)
    for a, b in pairwise([0, *sorted(cuts), len(said)]):
        parser.feed(said[a:b])
    mine = [(number, kind) for number, kind in replies if kind != "a request"]
    assert requests == [number for number, kind in replies if kind == "a request"]
    for n, one in enumerate(followed):
        assert one.replies == sum(number == n + 1 for number, _ in mine)
    refused = [f"s{n - 1}" for n, kind in mine if kind in (FULL, "503") and n <= 3]
    assert [name for name, status, data in odd if status or b"error" in data] == refused


def test_thousands_of_acknowledgements_are_one_run():
    counted, slow = [], []
    runs = protocol.Acknowledgements(INBOX, 1, counted.append)
    parser = protocol.Parser(lambda *given: slow.append(given), print, runs)
    parser.feed(wire((1 + n % 4, STORED[n % 4]) for n in range(4000)))
    assert (len(counted), len(counted[0]), slow) == (1, 4000, [])


class Way:
    def __init__(self):
        self.followed, self.sent = FollowedSubjects(INBOX), []

    def publish(self, subject, data, reply="", headers=b""):
        self.sent.append(reply)

    def stored(self, reply, count=1):
        self.followed.acknowledged([reply.rpartition(".a")[2].encode()] * count)

    def answer(self, reply, data=b"{}", status=0):
        headers = f"NATS/1.0 {status}\r\n\r\n".encode() if status else b""
        self.followed.take(reply.rpartition(".")[2], headers, data)


def publisher():
    way, logged, checked = Way(), [], []
    one = LatestPublisher(
        way,
        "S",
        lambda text, _: logged.append(text),
        lambda subject, _: checked.append(subject),
        lambda code: code == 10008,
        lambda: None,
    )
    return way, one, logged, checked


@on_loop
async def test_messages_without_an_answer_are_reported_and_counted():
    way, one, logged, _ = publisher()
    now = asyncio.get_running_loop().time()
    for _ in range(3):
        one.publish("a", b"{}", b"")
    one.tick(now + latest.ANSWER_S + 1)
    assert one.problem == ""  # they may be on the way
    one.publish("a", b"{}", b"")
    one.tick(now + 2 * latest.ANSWER_S + 2)
    assert one.problem == "messages to a are lost: no answer from the stream S within 5 s"
    assert one.lost == 3
    way.stored(way.sent[-1])
    one.tick(now + 2 * latest.ANSWER_S + 3)
    assert one.problem == ""
    assert logged[1:] == ["the stream S accepts a again"]


@on_loop
async def test_a_few_that_a_new_leader_lost_are_counted_and_not_reported():
    way, one, logged, _ = publisher()
    now = asyncio.get_running_loop().time()
    for _ in range(10):
        one.publish("a", b"{}", b"")
    one.tick(now + latest.ANSWER_S + 1)
    way.stored(way.sent[0], 8)
    one.tick(now + 2 * latest.ANSWER_S + 2)
    assert (one.lost, one.problem, logged) == (2, "", [])


@on_loop
async def test_refused_messages_are_reported_until_one_is_stored():
    way, one, logged, checked = publisher()
    now = asyncio.get_running_loop().time()
    for _ in range(4):
        one.publish("a", b"{}", b"")
    reply = way.sent[0]
    way.answer(reply, FULL.encode())
    way.answer(reply, json.dumps({"error": {"err_code": 10008}}).encode())  # an election
    way.answer(reply, status=NO_RESPONDERS)
    one.tick(now + 1)
    assert (one.problem, one.lost) == ("messages to a are lost: full (error 10077)", 3)
    assert checked == ["a"]
    way.stored(reply)
    one.tick(now + 2)
    assert (one.problem, one.lost, len(logged)) == ("", 3, 2)
    one.publish("a", b"{}", b"")
    one.end()
    way.stored(reply)  # too late: the messages in flight are forgotten


@on_loop
async def test_every_state_is_acknowledged_by_a_real_server(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            for number in range(1, 501):
                robot.say("state", number)
            found = robot.transport._session.publisher._latest._subjects
            await until(lambda: [one.followed.replies for one in found.values()] == [500])
            (one,) = found.values()
            assert (one.sent, one.refused, robot.drops) == (500, 0, [])
            info = await other.js.stream_info(STATE)
            assert info.state.last_seq == 500


@on_loop
async def test_a_stream_of_states_without_acknowledgements_is_used_as_it_is(tmp_path):
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await other.js.add_stream(name=STATE, subjects=["robot.*.state"], no_ack=True)
            async with running(port(server.url, tmp_path)) as robot:
                robot.say("state", 1)
                robot.say("events", 1)
                await robot.until_sent()
                assert not robot.transport._session.publisher._latest._subjects

                async def there():
                    return (await other.js.stream_info(STATE)).state.last_seq == 1

                await eventually(there)
