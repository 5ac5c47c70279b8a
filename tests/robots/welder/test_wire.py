"""The bytes of the line: what is real-time, what is data, where lines end."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.plain import pack, unpack
from rigless.robots.welder.wire import GrblCodec, Line, RealTime, StoreCodec, Stored, Text

BUDGET = settings(max_examples=100, derandomize=True)


def decoded(*pieces):
    codec = GrblCodec()
    return [message for piece in pieces for message in codec.decode(piece)]


def texts(data):
    return [message.text for message in decoded(data) if isinstance(message, Line)]


def codes(data):
    return [message.code for message in decoded(data) if isinstance(message, RealTime)]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"G0 X1\n", ["G0 X1"]), (b"G0 X1\r\n", ["G0 X1"]), (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b"\r\n", [""]), (b"\n\r", [""]), (b"\r\n\r\n", ["", ""]), (b"\n\n", ["", ""]),
        (b"a\n\rb\r", ["a", "b"]),
        (b"  G0\tX1\n", ["G0X1"]), (b"G0X12\x08\x083\n", ["G0X3"]), (b"$b\x7fc\n", ["$c"]),
        (b"G0 X1", []),
    ],
)  # fmt: skip
def test_where_lines_end(data, lines):
    assert texts(data) == lines


def test_real_time_bytes_are_picked_out_of_lines():
    assert decoded(b"G0?X1\n") == [RealTime(0x3F), Line("G0X1", 5)]
    assert codes(b"!~?\x18\x19\x05") == [0x21, 0x7E, 0x3F, 0x18, 0x19, 0x3F]
    assert codes(bytes(range(0x80, 0xC0))) == [0x3F, 0x7E, 0x21, *range(0x83, 0xC0)]
    assert codes(bytes(range(0xC0, 0x100))) == []


@pytest.mark.parametrize(
    "line", [b"$I=what?!~", b"(is it? yes!)G0", b"[ESP?]", b"$", b"G1 (a?b) X1"]
)
def test_within_dollar_lines_and_parentheses_they_are_data(line):
    assert codes(line + b"\n") == []
    assert texts(line + b"\n") == [line.decode()]


def test_bytes_above_are_dropped_outside_of_them():
    assert decoded(b"\xef\xbb\xbfG0\xc3\xa9X1\x7f\n") == [
        RealTime(0xBB),
        RealTime(0xBF),
        RealTime(0xA9),
        Line("G0X1", 5),
    ]
    assert decoded(b"\xc2\x91\xc2\x85") == [RealTime(0x91), RealTime(0x85)]  # as CNCjs writes them
    assert texts(b"(\xe9)G0\n") == ["(é)G0"]
    assert texts(b"$I=\xe9\n") == ["$I=é"]


def test_they_are_real_time_again_after_it():
    assert codes(b"$I\n?") == [0x3F]
    assert codes(b"(a)?") == [0x3F]
    assert codes(b";(a?") == [0x3F]
    assert codes(b"(a\n?") == [0x3F]
    assert codes(b"(\x08?") == [0x3F]
    assert codes(b"$I?\x84") == [0x84]  # those with the top bit always act
    assert codes(b"$I=(a)?") == [0x3F]
    assert codes(b"$I=a;?") == [0x3F]


def test_reset_stop_and_jog_cancel_empty_the_line():
    for byte in (0x18, 0x19, 0x85):
        assert texts(b"G0 X" + bytes([byte]) + b"G1\n") == ["G1"]
    assert texts(b"$I=(" + b"\x18" + b"?G1\n") == ["G1"]


def test_a_line_of_255_fits_and_one_more_does_not():
    [fits] = decoded(b"(" + b"x" * 254 + b"\n")
    assert (len(fits.text), fits.overflow, fits.size) == (255, False, 256)
    [over] = decoded(b"(" + b"x" * 255 + b"\n")
    assert over.overflow
    [_, after] = decoded(b"y" * 5000 + b"\nG0\n")
    assert after == Line("G0", 3)


@BUDGET
@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=6))
def test_how_bytes_are_cut_does_not_matter_nor_does_a_snapshot(data, cuts):
    wanted = decoded(data)
    assert decoded(*(data[i : i + 1] for i in range(len(data)))) == wanted
    codec, found, places = (
        GrblCodec(),
        [],
        sorted({0, *(cut for cut in cuts if cut < len(data)), len(data)}),
    )
    for begin, end in itertools.pairwise(places):
        codec = unpack(pack(codec), GrblCodec)
        found += codec.decode(data[begin:end])
    assert found == wanted


def test_what_goes_out():
    assert GrblCodec().encode(Text("ok\r\n")) == b"ok\r\n"
    assert GrblCodec().encode(Text("€\r\n")) == b"?\r\n"
    assert list(StoreCodec().decode(StoreCodec().encode(Stored("$0=1\n")))) == [Stored("$0=1\n")]
