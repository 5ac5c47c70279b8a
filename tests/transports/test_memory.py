"""The transport in memory, and the choice of a port's transport."""

import asyncio

import pytest

from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError
from rigless.transports.memory import Transport
from rigless.transports.transport import ALL, PENDING_BYTES, join, make, split

from .inboxes import Diary


@pytest.fixture
def box():
    return make(Port("box", object, "memory", "memory/box"), Diary())


def test_peers_talk_both_ways(box):
    assert isinstance(box, Transport)
    assert asyncio.run(box.open("memory/box")) == "memory://box"
    one, two = box.connect("one"), box.connect("two")
    one.send(b"a")
    two.send(b"b", "subject")
    assert box.inbox.reports == [
        ("connected", 1, "one", "box"),
        ("connected", 2, "two", "box"),
        ("received", 1, b"a", ""),
        ("received", 2, b"b", "subject"),
    ]
    box.send(1, b"to one ", "s")
    box.send(ALL, b"to all", "")
    assert one.inbox == [("s", b"to one "), ("", b"to all")]
    assert (one.read(), two.read(), one.read()) == (b"to one to all", b"to all", b"")


def test_a_peer_that_does_not_read_loses_messages_and_reading_makes_room(box):
    peer = box.connect()
    box.send(1, b"x" * PENDING_BYTES, "")
    box.send(1, b"y", "")
    assert box.inbox.drops == [1]
    assert peer.read() == b"x" * PENDING_BYTES
    box.send(1, b"z", "")
    assert peer.read() == b"z"


def test_either_side_can_hang_up(box):
    one, two = box.connect(), box.connect()
    one.close()
    one.close()
    assert box.inbox.kinds() == ["connected", "connected", "disconnected"]
    box.close_link(2)
    with pytest.raises(ConnectionResetError):
        two.send(b"x")
    two.close()
    assert box.inbox.kinds().count("disconnected") == 1
    third = box.connect()
    asyncio.run(box.close())
    assert not third.open


def test_an_unknown_transport_is_named():
    with pytest.raises(InputError, match="no transport 'pigeon'"):
        make(Port("box", object, "pigeon", ""), Diary())


@pytest.mark.parametrize(
    ("text", "parts", "joined"),
    [
        ("127.0.0.1:80", ("127.0.0.1", 80), "127.0.0.1:80"),
        (":80", ("127.0.0.1", 80), "127.0.0.1:80"),
        ("[::1]:80", ("::1", 80), "[::1]:80"),
    ],
)
def test_addresses_are_split_and_joined(text, parts, joined):
    assert split(text) == parts
    assert join(parts) == joined
