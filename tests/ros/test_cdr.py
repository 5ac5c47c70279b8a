"""CDR against an independent library, round trips of any message, and invalid bytes."""

import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from rigless.ros import cdr, types
from rigless.ros import messages as m

from .samples import messages, plain

STORE = get_typestore(Stores.ROS2_JAZZY)
HEADER = m.Header(m.Time(7, 9), "imu")
MANY_PARTED = (
    m.JointState,
    m.TFMessage,
    m.LaserScan,
    m.BatteryState,
)  # text and sequences, in all their places
any_message = st.one_of(st.sampled_from(types.known()), st.sampled_from(MANY_PARTED)).flatmap(
    messages
)


@settings(max_examples=80, deadline=None)
@given(any_message)
def test_round_trips(message):
    assert cdr.decode(type(message), cdr.encode(message)) == message


@settings(max_examples=80, deadline=None)
@given(any_message)
def test_another_library_reads_what_we_write(message):
    theirs = STORE.deserialize_cdr(cdr.encode(message), types.type_name(type(message)))
    assert plain(theirs) == plain(message)


@settings(max_examples=60, deadline=None)
@given(any_message, st.booleans())
def test_we_read_what_another_library_writes(message, little):
    name = types.type_name(type(message))
    theirs = STORE.deserialize_cdr(cdr.encode(message), name)
    raw = bytes(STORE.serialize_cdr(theirs, name, little_endian=little))
    assert cdr.decode(type(message), raw) == message


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(types.known()),
    st.sampled_from([b"\0\1\0\0", b"\0\0\0\0", b"", b"\0\7\0\0"]),
    st.binary(max_size=200),
)
def test_garbage_is_a_value_error_or_a_message(kind, head, garbage):
    with suppress(ValueError):
        assert isinstance(cdr.decode(kind, head + garbage), kind)


@settings(max_examples=80, deadline=None)
@given(any_message, st.data())
def test_a_message_cut_short_is_refused(message, data):
    whole = cdr.encode(message)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ValueError, match="bytes"):
        cdr.decode(type(message), whole[:cut])


@pytest.mark.parametrize("count", [1000, 2**31, 2**32 - 1])
def test_lengths_beyond_the_data_are_rejected(count):
    scan = bytearray(cdr.encode(m.JointState(HEADER, ("a",))))
    at = scan.index(b"\1\0\0\0\2\0\0\0a\0")
    scan[at : at + 4] = struct.pack("<I", count)
    with pytest.raises(ValueError, match="length"):
        cdr.decode(m.JointState, bytes(scan))


def test_text_ends_with_a_zero_and_is_utf8():
    good = cdr.encode(HEADER)
    with pytest.raises(ValueError, match="zero"):
        cdr.decode(m.Header, good[:-1] + b"x")
    with pytest.raises(ValueError, match="UTF-8"):
        cdr.decode(m.Header, good[:-2] + b"\xff\0")
    empty = b"\0\1\0\0" + bytes(12)  # some stacks give empty text no zero
    assert cdr.decode(m.Header, empty) == m.Header()


def test_arrays_of_numpy_are_sequences_too():
    ranges = np.linspace(0.1, 8.0, 360, dtype=np.float32)
    assert cdr.encode(m.LaserScan(HEADER, ranges=ranges)) == cdr.encode(
        m.LaserScan(HEADER, ranges=tuple(ranges.tolist()))
    )


@pytest.mark.parametrize(
    "wrong",
    [
        m.Imu(orientation_covariance=(0.0,) * 8),
        m.Time(sec=2**31),
        m.Time(nanosec=-1),
        m.Header(frame_id=3),
        m.Range(range=1e39),
        m.LaserScan(ranges=((1.0, 2.0),)),
        m.Twist(linear=None),
    ],
)
def test_values_outside_the_type_are_rejected(wrong):
    with pytest.raises(ValueError, match=type(wrong).__name__):
        cdr.encode(wrong)
