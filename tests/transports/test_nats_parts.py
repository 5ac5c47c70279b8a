"""Parts of the NATS transport: protocol bytes, subjects and the outbox."""

import asyncio
import sqlite3
import threading
import time
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.transports import nats
from rigless.transports.jetstream import outbox as outboxes
from rigless.transports.jetstream import protocol
from rigless.transports.jetstream.audit import check_outbound
from rigless.transports.jetstream.errors import LinkError
from rigless.transports.jetstream.outbox import DurableMessage, Outbox
from rigless.transports.jetstream.streams import Stream, covers

from .inboxes import until
from .nats_robots import on_loop

# The protocol

SAID = (
    b'INFO {"version":"2.15.1","headers":true}\r\n'
    b"MSG robot.r1.state 3 5\r\nhello\r\n"
    b"PING\r\n"
    b"MSG a.b 12 _INBOX.x.1 0\r\n\r\n"
    b"HMSG robot.r1.x 7 $JS.ACK.a.b 12 14\r\nNATS/1.0\r\n\r\n\r\n\r\n"
    b"HMSG a.b 4 0 2\r\nhi\r\n"
    b"HMSG _INBOX.x.2 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"
    b"-ERR 'Authorization Violation'\r\n+OK\r\n"
)
HEARD = [
    (b"INFO", b'{"version":"2.15.1","headers":true}'),
    (3, "robot.r1.state", "", b"", b"hello"),
    (b"PING", b""),
    (12, "a.b", "_INBOX.x.1", b"", b""),
    (7, "robot.r1.x", "$JS.ACK.a.b", b"NATS/1.0\r\n\r\n", b"\r\n"),
    (4, "a.b", "", b"", b"hi"),
    (1, "_INBOX.x.2", "", b"NATS/1.0 503\r\n\r\n", b""),
    (b"-ERR", b"'Authorization Violation'"),
    (b"+OK", b""),
]


def parsed(pieces):
    found = []
    parser = protocol.Parser(lambda *given: found.append(given), lambda *given: found.append(given))
    for piece in pieces:
        parser.feed(piece)
    return found


def test_what_a_server_says_is_understood_whole_and_byte_by_byte():
    assert parsed([SAID]) == HEARD
    assert parsed([SAID[at : at + 1] for at in range(len(SAID))]) == HEARD


@given(st.lists(st.integers(0, len(SAID)), max_size=8))
def test_it_does_not_matter_how_it_is_cut(cuts):
    edges = [0, *sorted(cuts), len(SAID)]
    assert parsed([SAID[a:b] for a, b in pairwise(edges)]) == HEARD


@given(st.binary(max_size=300))
@settings(max_examples=100)
def test_rubbish_is_an_error_of_the_protocol_or_nothing(data):
    with suppress(protocol.ProtocolError):
        parsed([b"MSG " + data, data, b"\r\nHMSG " + data])


@pytest.mark.parametrize(
    "line", [b"MSG a 1 -5\r\n", b"MSG a 1 99999999999\r\n", b"HMSG a 1 9 3\r\n", b"MSG a\r\n"]
)
def test_lengths_that_cannot_be_are_refused(line):
    with pytest.raises(protocol.ProtocolError):
        parsed([line])


@given(st.binary(max_size=50), st.booleans(), st.sampled_from([b"", b"Nats-Msg-Id: b-1\r\n"]))
def test_what_is_published_is_what_a_server_would_hand_on(data, reply, headers):
    frame = protocol.publish("a.b", data, "r.1" if reply else "", headers)
    mirrored = (
        frame.replace(b"HPUB a.b", b"HMSG a.b 1", 1)
        if headers
        else frame.replace(b"PUB a.b", b"MSG a.b 1", 1)
    )
    block = b"NATS/1.0\r\n" + headers + b"\r\n" if headers else b""
    assert parsed([mirrored]) == [(1, "a.b", "r.1" if reply else "", block, data)]
    assert protocol.field(block, b"nats-msg-id") == ("b-1" if headers else "")


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b'{"v":1,"messageId":"b-17","type":"state"}', b"Nats-Msg-Id: b-17\r\n"),
        (b'{"messageId":"b-17","v":1}', b"Nats-Msg-Id: b-17\r\n"),
        (b'{"v":1,"messageId":"a b","type":"state"}', b"Nats-Msg-Id: a b\r\n"),
        (b'{"v":1,"messageId":"a\\nb","type":"state"}', b""),
        (b'{"v":1,"messageId":"","type":"state"}', b""),
        (b'{"v":1,"mess', b""),
        (b"", b""),
    ],
)
def test_the_id_of_a_message_is_its_header(data, headers):
    assert nats._id_header(data) == headers


def test_versions_are_compared_by_number():
    assert (
        protocol.version("2.9.10")
        < protocol.version("2.11.0")
        < protocol.version("2.15.1-RC.1")
        < (3, 0)
    )
    assert protocol.version("soon") == protocol.version("") == (0, 0)


# Subjects


@pytest.mark.parametrize(
    ("pattern", "subject", "does"),
    [
        ("robot.*.events", "robot.r1.events", True),
        ("robot.>", "robot.r1.command.ack", True),
        ("robot.>", "robot", False),
        (">", "robot.r1.x", True),
        ("robot.*.events", "robot.*.events", True),
        ("robot.r1.events", "robot.*.events", False),
        ("robot.*.command", "robot.r1.command.ack", False),
        ("robot.*.command.*", "robot.r1.command", False),
        ("robot.*", "robot.>", False),
    ],
)
def test_what_a_stream_takes(pattern, subject, does):
    assert covers(pattern, subject) is does


def test_what_a_stream_does_not_take_is_named():
    with pytest.raises(LinkError, match=r"ROBOT_OUT does not take robot\.r1\.events, robot\.r1\.x"):
        check_outbound(
            Stream("ROBOT_OUT", ["robot.*.state"], ""),
            ["robot.r1.state", "robot.r1.events", "robot.r1.x"],
        )


# On file


def messages(robot, numbers, size=10):
    return [
        DurableMessage(robot, number, f"robot.{robot}.events", f"{robot}-{number}", b"x" * size)
        for number in numbers
    ]


def box(path, logged=None):
    return Outbox(
        path / "outbox.sqlite",
        lambda text, severity: (logged if logged is not None else []).append(text),
    )


@on_loop
async def test_all_of_one_turn_is_one_transaction_and_then_comes_what_waited(tmp_path):
    outbox = box(tmp_path)
    statements, order = [], []
    outbox._database.set_trace_callback(statements.append)
    for message in messages("a", range(1, 4)) + messages("b", range(1, 3)):
        outbox.add(message)
        outbox.keep(message.robot, message.subject, "k", message.data)
        outbox.after_commit(
            lambda: order.append(sum(text.startswith("COMMIT") for text in statements))
        )
    assert order == statements == []
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert order == [1] * 5
    assert sum(text.startswith("BEGIN") for text in statements) == 1
    outbox.close()
    again = box(tmp_path)
    assert [message.number for message in again.load("a", 0, 10)] == [1, 2, 3]
    assert [message.number for message in again.load("a", 1, 1)] == [2]
    assert (again.last_number("b"), again.depth("b"), again.rows, again.bytes) == (2, 2, 5, 50)
    assert again.kept("a") == [("robot.a.events", b"x" * 10)]
    again.remove(again.load("b", 0, 1)[0], 77)
    again.close()
    last = box(tmp_path)
    assert (last.depth("b"), last.sequence("b"), last.sequence("a")) == (1, 77, 0)
    last.close()


@on_loop
async def test_a_broken_file_is_set_aside_and_a_new_one_begun(tmp_path):
    (tmp_path / "outbox.sqlite").write_bytes(b"this is no database, " * 1000)
    logged = []
    outbox = box(tmp_path, logged)
    assert "set aside" in logged[0]
    outbox.add(messages("a", [1])[0])
    assert outbox.commit()
    outbox.close()
    assert len(list(tmp_path.glob("outbox.sqlite.broken-*"))) == 1


@on_loop
async def test_a_file_that_is_damaged_inside_is_set_aside_as_well(tmp_path):
    outbox = box(tmp_path)
    for message in messages("a", range(2000), 500):
        outbox.add(message)
    outbox.close()
    path = tmp_path / "outbox.sqlite"
    data = bytearray(path.read_bytes())
    data[8192:40960] = b"\xa5" * (40960 - 8192)
    path.write_bytes(data)
    logged = []
    outbox = box(tmp_path, logged)
    assert "set aside" in logged[0]
    assert outbox.depth("a") == 0
    outbox.close()


@on_loop
async def test_who_closes_it_can_have_the_file_at_once(tmp_path, monkeypatch):
    begun, over = threading.Event(), []

    def compact(path, full):
        begun.set()
        time.sleep(0.05)
        over.append(path)
        return True

    monkeypatch.setattr(outboxes, "CHECKPOINT", 5)
    monkeypatch.setattr(outboxes.outbox_file, "compact", compact)
    outbox = box(tmp_path)
    for message in messages("a", range(10), 500):
        outbox.add(message)
    assert outbox.commit()
    assert await asyncio.to_thread(begun.wait, 60)
    outbox.close()
    assert over == [tmp_path / "outbox.sqlite"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LinkError, match="cannot be opened"):
        box(tmp_path / "file")


@on_loop
async def test_what_is_remembered_is_bounded_by_number_and_age(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "KEPT", 5)
    outbox = box(tmp_path)
    for number in range(9):
        outbox.keep("a", "s", str(number), str(number).encode())
        outbox.keep("a", "t", str(number % 2), str(number).encode())
    outbox.keep("a", "settings", "", b"the one there is")
    outbox.commit()
    assert [data for subject, data in outbox.kept("a") if subject == "s"] == [
        b"4",
        b"5",
        b"6",
        b"7",
        b"8",
    ]
    assert [data for subject, data in outbox.kept("a") if subject == "t"] == [b"7", b"8"]
    monkeypatch.setattr(outboxes, "KEPT_S", -1.0)
    assert outbox.kept("a") == [("settings", b"the one there is")], (
        "which a robot that ran for a month still needs"
    )
    outbox.close()


@on_loop
async def test_a_write_that_fails_is_tried_again_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "RETRY_S", 0.01)
    monkeypatch.setattr(outboxes, "BUSY_S", 0.0)
    logged, done = [], []
    outbox = box(tmp_path, logged)
    other = sqlite3.connect(tmp_path / "outbox.sqlite", isolation_level=None)
    outbox._database.execute("PRAGMA busy_timeout = 0")
    other.execute("BEGIN IMMEDIATE")  # somebody else has the file
    for message in messages("a", range(1, 4)):
        outbox.add(message)
    outbox.after_commit(lambda: done.append(outbox.depth("a")))
    await until(lambda: outbox.failure)
    await asyncio.sleep(0.05)
    assert done == []
    assert len(logged) == 1
    other.execute("ROLLBACK")
    other.close()
    while not done:
        await asyncio.sleep(0.005)
    assert done == [3]
    assert not outbox.failure
    outbox.close()


@on_loop
async def test_a_full_outbox_takes_nothing_more_and_gives_nothing_up(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "ROWS", 3)
    outbox = box(tmp_path)
    for message in messages("a", range(1, 4)):
        assert not outbox.full()
        outbox.add(message)
    assert outbox.full()
    outbox.commit()
    outbox.remove(outbox.load("a", 0, 1)[0], 1)
    assert not outbox.full()
    outbox.close()


@on_loop
async def test_a_closed_outbox_tries_nothing_more(tmp_path, monkeypatch):
    monkeypatch.setattr(outboxes, "RETRY_S", 0.0)
    logged = []
    outbox = box(tmp_path, logged)
    outbox._database.execute("DROP TABLE outbox")  # so that nothing can be written
    outbox.add(messages("a", [1])[0])
    await asyncio.sleep(0.01)
    outbox.close()
    assert len(logged) == 2
    assert "closed without 1 messages" in logged[1]
    outbox.failure = ""
    await asyncio.sleep(0.01)
    assert len(logged) == 2
