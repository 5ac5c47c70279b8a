"""MQTT packets: bytes of the standard, chunks of any size, and garbage."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.transports.mqtt311 import packets as p
from rigless.transports.mqtt311.settings import client_id


def parsed(*chunks, longest=p.LONGEST):
    found = []
    parser = p.Parser(found.append, longest)
    for chunk in chunks:
        parser.feed(chunk)
    return found


def test_connect_has_the_bytes_of_the_standard():
    will = p.Message("a/b", b"gone", 1, True)
    login = p.Login("r-1", 15, True, will, "user", b"pw")
    assert p.connect(login) == bytes.fromhex(
        "10 24 0004 4d515454 04 ee 000f 0003 722d31 0003 612f62 0004 676f6e65 0004 75736572 0002 "
        "7077"
    )
    assert p.connect(p.Login("x", clean=False)) == bytes.fromhex(
        "100d 0004 4d515454 04 00 000f 000178"
    )


def test_publish_and_subscribe_have_the_bytes_of_the_standard():
    assert p.publish(p.Message("a/b", b"hi")) == bytes.fromhex("30 07 0003 612f62 6869")
    retained = p.Message("a/b", b"hi", 1, True, True, 10)
    assert p.publish(retained) == bytes.fromhex("3b 09 0003 612f62 000a 6869")
    assert p.subscribe(10, [("a/b", 1), ("c/d", 0)]) == bytes.fromhex(
        "82 0e 000a 0003 612f62 01 0003 632f64 00"
    )
    assert p.acknowledge(10) == bytes.fromhex("40 02 000a")
    assert len(p.publish(p.Message("t", b"x" * 200))) == 206  # two bytes of remaining length


STREAM = (
    bytes.fromhex("20 02 01 00")
    + bytes.fromhex("90 04 0001 01 80")
    + p.publish(p.Message("a/ü", b"x" * 300, 1, True, False, 7))
    + bytes.fromhex("40 02 0007 d0 00")
    + p.publish(p.Message("a", b""))
)
PACKETS = [
    p.Accepted(0, True),
    p.Subscribed(1, (1, 0x80)),
    p.Message("a/ü", b"x" * 300, 1, True, False, 7),
    p.Acknowledged(7),
    p.Alive(),
    p.Message("a", b""),
]


def test_packets_are_the_same_whole_and_byte_by_byte():
    assert parsed(STREAM) == PACKETS
    assert parsed(*(STREAM[n : n + 1] for n in range(len(STREAM)))) == PACKETS
    assert parsed(STREAM + b"\x30\x05\x00") == PACKETS


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("30 ffffffff 01", "more than four bytes"),
        ("34 05 0001 61 0001", "quality of service 2"),
        ("30 01 00", "without a topic"),
        ("30 03 0009 61", "longer than the message"),
        ("30 03 0001 ff", "not UTF-8"),
        ("10 00", "type 1"),
        ("20 03 000000", "type 2"),
        ("d0 01 00", "type 13"),
        ("31 ff01", "longer than 200"),
    ],
)
def test_garbage_is_a_protocol_error(data, what):
    with pytest.raises(p.ProtocolError, match=what):
        parsed(bytes.fromhex(data), longest=200)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_give_packets_or_a_protocol_error(data):
    try:
        found = parsed(data)
    except p.ProtocolError:
        return
    assert len(found) <= len(data) // 2


def test_client_ids_are_accepted_by_every_broker_and_differ():
    assert client_id("rigless", "agv") == "rigless-agv"
    names = [("rigless", "agv.1"), ("rigless", "agv 1"), ("rigless", "agv-1"), ("a" * 30,), ("é",)]
    found = {client_id(*one) for one in names}
    assert len(found) == len(names)
    assert all(len(one) <= 23 and one.replace("-", "").isalnum() for one in found)
    assert all(one.isascii() for one in found)
