"""Hostile input: nothing hangs, nothing is lost, memory is bounded."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.welder import robot
from rigless.robots.welder.wire import LINE_BYTES, GrblCodec

from .scene import Bench, Peer, welder
from .senders import RX_BYTES, zigzag

BUDGET = settings(max_examples=20, derandomize=True, deadline=None)
ENDS = (b"\n", b"\r", b"\r\n", b"\n\r")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("g1 x1 f600", "ok"), ("\tG1\tX1\tF600\t", "ok"), ("N10 G1 X1 F600", "ok"),
        ("N10G1X1F600*71", "error:1"), ("G1X1F600 ; end *", "ok"),
        ("G1 (a (b) X1 F600", "ok"), ("G1 X1 (a) ) F600", "ok"), ("G1 X1 F600 (never closed", "ok"),
        (";G77", "ok"), ("(G77)", "ok"), ("%", "ok"),
        ("G1 X1 F600 (" + "x" * 230 + ")", "ok"), ("G1 X1 F600 (" + "x" * 250 + ")", "error:11"),
        ("N-1 G0", "error:4"), ("G1X1F600G2", "error:24"),
        ("G1 X1 F1e3", "error:36"), ("G1 X1,5 F600", "error:1"), ("G1 X--1 F600", "ok"),
        ("G1 X1 F600 \x00\x01\x02", "ok"), ("G1 Xnan F600", "error:2"),
        ("G1 X99999999 F600", "error:2"), ("$", "ok"), ("$=", "error:3"), ("$$$", "error:3"),
        ("$J=", "error:22"), ("$N2=G0", "error:3"),
        ("$99999999999999999999=1", "error:53"), ("$1\u00e9=1", "error:3"),
        ("$I=\u00e9\u00ff", "ok"), ("[ESP420]", "error:1"), ("{\"json\":1}", "error:1"),
    ],
)  # fmt: skip
def test_odd_lines_have_one_answer(line, said):
    bench = Bench()
    found = [one for one in bench.ask(line, 1.0) if one == "ok" or one.startswith("error")]
    assert found == [said]


def test_a_byte_order_mark_and_mixed_line_ends():
    bench = Bench()
    assert bench.send(b"\xef\xbb\xbfG21\r\nG90\rG94\n\rG17\n\nG4 P0\r\n").split() == ["ok"] * 6
    assert bench.send(b"G0 X").split() == []
    assert bench.send(b"5\r").split() == ["ok"]
    assert bench.send(b"\n").split() == []


def test_real_time_bytes_within_lines_do_not_harm_them():
    bench = Bench()
    whole = b"G1 X10 Y20 F3000\n"
    for at in range(1, len(whole)):
        for byte in (b"?", b"\x80", b"\x87", b"\x83", b"\xa2", b"\xff", b"\x05", b"\x00"):
            said = bench.send(whole[:at] + byte + whole[at:], 0.0)
            assert [one for one in said.split() if one == "ok" or one.startswith("error")] == ["ok"]
        bench.send(b"\x18")
        bench.ask("$X")


def test_a_line_without_end_takes_no_room():
    codec = GrblCodec()
    assert list(codec.decode(b"G1 X" + b"1" * 1_000_000)) == []
    assert len(codec.line) < LINE_BYTES
    [line] = codec.decode(b"\n")
    assert line.overflow


@pytest.mark.parametrize(("counting", "lines"), [(False, 1000), (True, 10_000)])
def test_long_jobs_at_full_speed(counting, lines):
    """Stream in check mode, by ping-pong and by character counting."""
    sim = welder("command_delay_ms=0", "feedback_delay_ms=0")
    peer = Peer(sim)
    peer.say(b"$C\n")
    job = [line.encode() + b"\n" for line in zigzag(lines)]
    at = 0
    peer.received = b""
    answers = 0
    while at < len(job):
        end = at + 1
        while counting and end < len(job) and sum(map(len, job[at : end + 1])) <= RX_BYTES:
            end += 1
        peer.say(b"?" + b"".join(job[at:end]))
        sim.run(0.001)
        said = peer.received.split()
        assert said.count(b"ok") == end - at
        assert not any(one.startswith(b"error") for one in said)
        answers += end - at
        peer.received, at = b"", end
    assert answers == lines
    state = sim.robot("welder").state
    assert (state.rx, state.arriving, state.waiting) == ([], [], 0)


def test_what_waits_is_bounded(monkeypatch):
    most = 1 << 17  # the default is 1 MiB, which takes long to fill
    monkeypatch.setattr(robot, "MAX_WAITING", most)
    sim = welder()
    peer = Peer(sim)
    peer.say(b"!")
    sim.run(0.01)
    for _ in range(8):
        peer.say(b"G1 X1 F1\n" * 1250)
        sim.run(0.001)
    state = sim.robot("welder").state
    assert peer.gone
    assert sum(one.size for one in (*state.rx, *state.arriving)) < 2 * most


@BUDGET
@given(
    st.lists(
        st.tuples(
            st.binary(max_size=60), st.sampled_from(ENDS), st.sampled_from([0.0, 0.002, 0.3])
        ),
        max_size=12,
    )
)
def test_after_any_bytes_a_reset_gives_a_controller_that_works(pieces):
    sim = welder()
    peer = Peer(sim)
    for data, end, seconds in pieces:
        peer.say(data + end)
        sim.run(seconds)
    peer.say(b"\x18")
    sim.run(1.0)
    peer.received = b""
    peer.say(b"\x18")
    sim.run(0.1)
    peer.say(b"$X\n$20=0\nG21 G90 G94\nG1 X0 F6000\n?")
    sim.run(0.1)
    said = peer.received.split(b"\r\n")
    assert said.count(b"ok") == 4, peer.received
    assert not peer.gone
