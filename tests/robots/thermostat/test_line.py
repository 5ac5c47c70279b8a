"""Each line of the protocol: whole, byte by byte, with trailing bytes and garbage."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .room import GOLDEN, Peer, reports, room

QUIET = ("noise_c=0", "start_c=20.04")


@pytest.fixture
def peer():
    return Peer(room(*QUIET))


LINES = [
    (b"GET\n", b"TEMP - SET 20.0 HEAT 0\r\n"),
    (b"GET\r\n", b"TEMP - SET 20.0 HEAT 0\r\n"),
    (b"  GET \n", b"TEMP - SET 20.0 HEAT 0\r\n"),
    (b"SET 21.5\n", b"OK\r\n"),
    (b"SET 5\n", b"OK\r\n"),
    (b"SET 30.0\n", b"OK\r\n"),
    (b"SET 4.99\n", b"ERR range\r\n"),
    (b"SET 30.01\n", b"ERR range\r\n"),
    (b"SET -7\n", b"ERR range\r\n"),
    (b"SET " + b"9" * 70 + b"\n", b"ERR range\r\n"),
    (b"SUBSCRIBE 9000\n", b"OK\r\n"),
    (b"SUBSCRIBE 1\n", b"OK\r\n"),
    (b"SUBSCRIBE 65535\n", b"OK\r\n"),
    (b"SUBSCRIBE 0\n", b"ERR range\r\n"),
    (b"SUBSCRIBE 65536\n", b"ERR range\r\n"),
    (b"SUBSCRIBE " + b"9" * 60 + b"\n", b"ERR range\r\n"),
    *(
        (line, b"ERR unknown\r\n")
        for line in (
            b"\n",
            b"get\n",
            b"GET 1\n",
            b"SET\n",
            b"SET x\n",
            b"SET 1e1\n",
            b"SET nan\n",
            b"SET inf\n",
            b"SET 1 2\n",
            b"SET .\n",
            b"SET -\n",
            b"SET --5\n",
            b"SET 1.2.3\n",
            b"SET \xd9\xa3\n",
            b"SUBSCRIBE\n",
            b"SUBSCRIBE -1\n",
            b"SUBSCRIBE 9000 9001\n",
            b"SUBSCRIBE \xc2\xb2\n",
            b"\x00\n",
            b"\xff\xfe\n",
            b"A" * 80 + b"\n",
        )
    ),
]


@pytest.mark.parametrize(("line", "answer"), LINES)
def test_a_line_whole(peer, line, answer):
    assert peer.say(line) == answer


@pytest.mark.parametrize(("line", "answer"), LINES)
def test_a_line_byte_by_byte(peer, line, answer):
    heard = [peer.say(line[i : i + 1]) for i in range(len(line))]
    assert heard == [*([b""] * (len(line) - 1)), answer]


@pytest.mark.parametrize(("line", "answer"), LINES)
def test_a_line_with_more_behind_it(peer, line, answer):
    assert peer.say(line + b"SET 2") == answer
    peer.sim.run(5)
    assert peer.say(b"5\n") == b"OK\r\n"
    assert peer.sim.truth("thermostat").setpoint_c == 25.0


@pytest.mark.parametrize(("line", "answer"), LINES)
def test_a_line_after_garbage(peer, line, answer):
    assert peer.say(b"\x00\xff\x80 ?\n" + line) == b"ERR unknown\r\n" + answer


def test_get_returns_measurement_setpoint_and_heating(peer):
    peer.sim.run(0.1)
    assert peer.say(b"GET\n") == b"TEMP 20.04 SET 20.0 HEAT 0\r\n"
    peer.say(b"SET 23.45\n")
    peer.sim.run(0.1)
    assert peer.say(b"GET\n") == b"TEMP 20.04 SET 23.4 HEAT 1\r\n"


def test_a_refused_setpoint_changes_nothing(peer):
    peer.say(b"SET 25\nSET 31\n")
    assert peer.sim.truth("thermostat").setpoint_c == 25.0


@pytest.mark.parametrize(
    "data", [b"A" * 81, b"A" * 81 + b"\n", b"GET" + b" " * 78 + b"\n", b"\xff" * 5000]
)
@pytest.mark.parametrize("step", [1, 7, 5001])
def test_a_line_that_is_too_long_closes_the_connection(peer, data, step):
    for begin in range(0, len(data), step):
        peer.say(data[begin : begin + step])
    assert peer.gone
    assert peer.heard == b""
    assert [event.code for event in peer.sim.events] == ["wire-error"]
    assert Peer(peer.sim, link=2).say(b"SET 9\n") == b"OK\r\n"


def test_lines_before_the_one_that_is_too_long_are_answered_and_those_after_it_are_not(peer):
    assert peer.say(b"SET 9\n" + b"A" * 81 + b"\nSET 10\n") == b"OK\r\n"
    assert peer.sim.truth("thermostat").setpoint_c == 9.0


def test_two_peers_are_answered_apart():
    sim = room()
    one, two = Peer(sim, 1), Peer(sim, 2)
    one.say(b"SE")
    assert two.say(b"SET 99\n") == b"ERR range\r\n"
    assert one.say(b"T 9\n") == b"OK\r\n"
    assert (one.heard, two.heard) == (b"OK\r\n", b"ERR range\r\n")


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.in")))
@pytest.mark.parametrize("step", [1, 1000])
def test_the_golden_transcripts(name, step):
    """Each `.in` is sent after a second of virtual time, without noise; `.out` is the answer."""
    peer = Peer(room(*QUIET))
    peer.sim.run(1)
    data = (GOLDEN / f"{name}.in").read_bytes()
    for begin in range(0, len(data), step):
        peer.say(data[begin : begin + step])
    assert peer.heard == (GOLDEN / f"{name}.out").read_bytes()


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_any_bytes_in_any_pieces(data, cuts):
    whole, pieces = Peer(room(*QUIET)), Peer(room(*QUIET))
    whole.say(data)
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for begin, end in itertools.pairwise(places):
        pieces.say(data[begin:end])
    assert (pieces.heard, pieces.gone) == (whole.heard, whole.gone)
    if not whole.gone:
        assert whole.heard.count(b"\r\n") == data.count(b"\n")


# Reports


def test_a_subscriber_gets_a_report_a_second(peer):
    seen = reports(peer.sim)
    peer.sim.run(2.5)
    assert seen == []
    peer.say(b"SUBSCRIBE 9000\n")
    peer.sim.run(3)
    assert [at_s for at_s, _, _ in seen] == [3.0, 4.0, 5.0]
    assert seen[0][1:] == (b"REPORT 3.0 20.01 0\n", ("10.0.0.9:9000",))


@pytest.mark.parametrize(("hz", "count"), [("0", 0), ("1", 10), ("2.5", 25)])
def test_the_rate_of_reports_is_configured(hz, count):
    peer = Peer(room(f"report_hz={hz}"))
    seen = reports(peer.sim)
    peer.say(b"SUBSCRIBE 9000\n")
    peer.sim.run(10)
    assert len(seen) == count


def test_reports_end_with_the_connection():
    sim = room()
    seen = reports(sim)
    near, far = Peer(sim, 1, "10.0.0.9"), Peer(sim, 2, "10.0.0.8")
    near.say(b"SUBSCRIBE 9000\n")
    far.say(b"SUBSCRIBE 9000\n")
    sim.run(1)
    near.hang_up()
    sim.run(1)
    far.say(b"A" * 81)
    sim.run(1)
    assert [peers for _, _, peers in seen] == [
        ("10.0.0.9:9000", "10.0.0.8:9000"),
        ("10.0.0.8:9000",),
    ]


def test_a_report_of_a_dead_sensor_has_a_dash(peer):
    peer.say(b"SUBSCRIBE 9000\n")
    seen = reports(peer.sim)
    peer.sim.inject("thermostat", "temperature", "off")
    peer.sim.run(1)
    assert seen[0][1] == b"REPORT 1.0 - 0\n"


def test_nothing_comes_in_on_the_reports_port():
    sim = room()
    sim.send("thermostat", "reports", b"hello")
    assert [event.code for event in sim.events] == ["wire-error"]
