"""Commands: frames whole, byte by byte, with trailing bytes and garbage, and disconnects."""

import base64
import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.plain import pack, to_json, unpack
from rigless.kernel.ports import WireError
from rigless.robots.vacuum.protobuf import schema
from rigless.robots.vacuum.wire import (
    LONGEST_FRAME,
    CommandCodec,
    Control,
    DeviceVersion,
    Ignored,
    ProtocolSync,
    Shutdown,
    TelemetryCodec,
)

from .client import (
    CONFIGURE,
    DISABLE,
    ENABLE,
    GOLDEN,
    RESET,
    STREAMS,
    control,
    framed,
    protocol_sync,
    shutdown,
)

BUDGET = settings(max_examples=30, deadline=None, derandomize=True)
SYNC = framed(protocol_sync())


def heard(*pieces, codec=None):
    """Decode these pieces; if the codec closes the connection, the error is the last item."""
    codec = codec or CommandCodec()
    found = []
    try:
        for piece in pieces:
            for message in codec.decode(piece):
                found.append(message)  # noqa: PERF402  # messages before the error count
    except WireError as error:
        found.append(str(error))
    return found


def one_by_one(data):
    return [data[i : i + 1] for i in range(len(data))]


# Commands


@pytest.mark.parametrize(
    ("action", "word"),
    [(ENABLE, "enable"), (DISABLE, "disable"), (RESET, "reset"), (3, "configure")],
)
def test_actions(action, word):
    assert heard(framed(control("drive", action))) == [Control("drive", word, {})]


def test_an_action_without_a_type_is_enable():
    message = schema.Message()
    message.command.component_control.id = "lidar"
    message.command.component_control.action.SetInParent()
    assert heard(framed(message)) == [Control("lidar", "enable")]


def test_the_commands_that_are_not_for_a_component():
    assert heard(framed(protocol_sync()), framed(shutdown())) == [ProtocolSync(), Shutdown()]


def test_an_unknown_component_is_passed_on():
    assert heard(framed(control("größe", ENABLE)), framed(control("", ENABLE))) == [
        Control("größe", "enable"),
        Control("", "enable"),
    ]


VALUES = [
    ("bool", True, True),
    ("bool", False, False),
    ("u32", 0, 0),
    ("u32", 2**32 - 1, 2**32 - 1),
    ("u64", 2**64 - 1, 2**64 - 1),
    ("i32", -(2**31), -(2**31)),
    ("i64", -(2**63), -(2**63)),
    ("f32", 0.1, 0.10000000149011612),
    ("f32", math.inf, math.inf),
    ("f64", 0.1, 0.1),
    ("string", "naïve", "naïve"),
    ("string", "", ""),
    ("bytes", b"\0\xff", base64.b64encode(b"\0\xff").decode()),
]


@pytest.mark.parametrize(("member", "sent", "meant"), VALUES, ids=lambda value: repr(value)[:20])
def test_config_values(member, sent, meant):
    (message,) = heard(framed(control("led", CONFIGURE, state=(member, sent))))
    assert message == Control("led", "configure", {"state": meant})
    assert type(message.config["state"]) is type(meant)


def test_vectors_are_lists_and_clouds_and_empty_values_are_left_out():
    message = control("imu", CONFIGURE, gain=("u32", 3))
    config = message.command.component_control.action.config
    config["bias"].vector3_val.y = 1.5
    config["cloud"].pointcloud_val.points.add(angle_rad=1)
    config["nothing"].SetInParent()
    assert len(config) == 4
    assert heard(framed(message)) == [
        Control("imu", "configure", {"bias": [0.0, 1.5, 0.0], "gain": 3})
    ]


def test_a_nan_is_passed_on():
    (message,) = heard(framed(control("drive", CONFIGURE, linear=("f32", math.nan))))
    assert math.isnan(message.config["linear"])


def test_messages_are_plain_data():
    sent = control(
        "drive", CONFIGURE, a=("bool", True), b=("i32", -3), c=("f32", 0.5), d=("string", "x")
    )
    sent.command.component_control.action.config["e"].vector3_val.z = 2
    (message,) = heard(framed(sent))
    assert msgspec.json.decode(to_json(message), type=Control) == message
    for other in (ProtocolSync(), Shutdown(), Ignored("x"), DeviceVersion(1, "v", -2)):
        assert msgspec.convert(msgspec.to_builtins(other), type(other)) == other


# Disconnects


def test_what_the_daemon_passes_over():
    group = schema.Message()
    group.sensor_group.SetInParent()
    topic = schema.Message(topic="hello")
    found = heard(framed(b""), framed(topic), framed(group), SYNC)
    assert [type(message) for message in found] == [Ignored, Ignored, Ignored, ProtocolSync]
    assert "empty" in found[0].what
    assert "sensor group" in found[2].what


def test_fields_from_a_newer_schema_are_passed_over():
    assert heard(framed(b"\x7a\x01x" + protocol_sync().SerializeToString())) == [ProtocolSync()]


def without_action():
    message = schema.Message()
    message.command.component_control.id = "drive"
    return message


def empty_command():
    message = schema.Message()
    message.command.SetInParent()
    return message


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (empty_command(), "empty command"),
        (without_action(), "no action for component 'drive'"),
        (control("drive", 4), "unknown action 4 for component 'drive'"),
        (control("drive", -1), "unknown action -1"),
        (control("drive", 2**31 - 1), "unknown action 2147483647"),
        (b"\xff\xff\xff", "not a Message"),
        (b"\x0a\x05ab", "not a Message"),
        (b"\x0a\x02\xc3\x28", "not a Message"),
    ],
    ids=[
        "empty",
        "no action",
        "action 4",
        "action -1",
        "largest action",
        "garbage",
        "cut short",
        "not UTF-8",
    ],
)
def test_what_the_daemon_hangs_up_on(message, says):
    found = heard(SYNC + framed(message) + SYNC)
    assert found[0] == ProtocolSync()
    assert says in found[1]
    assert len(found) == 2


def test_telemetry_takes_nothing_in():
    with pytest.raises(WireError, match="only sends"):
        TelemetryCodec().decode(SYNC)


# Frames


def longest():
    """Return a command that fills a frame to the last byte."""
    text = "x" * (LONGEST_FRAME - 64)
    short = control("led", CONFIGURE, state=("string", text))
    missing = LONGEST_FRAME - len(short.SerializeToString())
    message = control("led", CONFIGURE, state=("string", text + "x" * missing))
    assert len(message.SerializeToString()) == LONGEST_FRAME
    return framed(message)


def test_a_frame_of_1_mib_is_taken_and_one_byte_more_is_not():
    data = longest()
    (message,) = heard(data)
    assert len(message.config["state"]) > LONGEST_FRAME - 64
    assert heard(data + SYNC, SYNC) == [message, ProtocolSync(), ProtocolSync()]
    chunks = [data[at : at + 1460] for at in range(0, len(data), 1460)]
    assert heard(*chunks) == [message]
    (refused,) = heard((LONGEST_FRAME + 1).to_bytes(4, "big"))
    assert "1048577" in refused


@pytest.mark.parametrize(
    "length", [b"\xff\xff\xff\xff", b"\x00\x10\x00\x01", b"GET ", b"\x80\0\0\0"]
)
def test_a_length_beyond_the_limit_is_refused_as_soon_as_it_is_known(length):
    codec = CommandCodec()
    assert heard(*one_by_one(length[:3]), codec=codec) == []
    (refused,) = heard(length[3:], codec=codec)
    assert str(int.from_bytes(length, "big")) in refused
    assert len(heard(SYNC + length + bytes(100))) == 2


def test_half_a_frame_is_waited_for():
    for cut in range(len(SYNC)):
        codec = CommandCodec()
        assert heard(SYNC[:cut], codec=codec) == []
        assert heard(b"", codec=codec) == []
        assert heard(SYNC[cut:], codec=codec) == [ProtocolSync()]
        assert not codec.pending


def test_what_is_pending_survives_a_snapshot():
    codec = CommandCodec()
    assert heard(SYNC + SYNC[:7], codec=codec) == [ProtocolSync()]
    codec = unpack(pack(codec), CommandCodec)
    assert heard(SYNC[7:], codec=codec) == [ProtocolSync()]


def test_a_reader_that_stops_early_loses_nothing():
    codec = CommandCodec()
    first = next(iter(codec.decode(framed(shutdown()) + SYNC)))
    assert (first, heard(b"", codec=codec)) == (Shutdown(), [ProtocolSync()])


def test_many_small_frames_in_one_piece():
    assert heard(bytes(4) * 50_000) == [Ignored("an empty message")] * 50_000


# Golden streams


def test_every_golden_stream_is_known():
    assert {path.name for path in GOLDEN.glob("*.in")} == {
        f"commands-{name}.in" for name in STREAMS
    }


@pytest.mark.parametrize("name", STREAMS)
def test_a_golden_stream(name):
    data = (GOLDEN / f"commands-{name}.in").read_bytes()
    meant = [message for _, message in STREAMS[name]]
    assert heard(data) == meant
    assert heard(*one_by_one(data)) == meant
    assert heard(data + SYNC[:5]) == meant
    assert heard(data + data) == meant + meant


# Any bytes

ALL = b"".join(path.read_bytes() for path in sorted(GOLDEN.glob("*.in")))


@BUDGET
@given(cuts=st.lists(st.integers(0, len(ALL)), max_size=8).map(sorted))
def test_any_chunking_gives_the_same(cuts):
    pieces = [ALL[a:b] for a, b in zip([0, *cuts], [*cuts, len(ALL)], strict=True)]
    assert heard(*pieces) == [message for name in sorted(STREAMS) for _, message in STREAMS[name]]


def judged(data):
    """Any bytes give the same messages or the same WireError, whole and byte by byte.

    Any other error fails the test.
    """
    found = heard(data)
    assert all(
        isinstance(message, Control | ProtocolSync | Shutdown | Ignored | str) for message in found
    )
    assert repr(heard(*one_by_one(data))) == repr(found)
    return found


@BUDGET
@given(data=st.binary(max_size=300))
def test_garbage_as_a_stream(data):
    assert len(judged(data)) <= len(data) // 4 + 1


@settings(BUDGET, max_examples=100)
@given(payload=st.binary(max_size=120))
def test_garbage_as_a_frame(payload):
    found = judged(framed(payload) + SYNC)
    assert isinstance(found[-1], str) or found[1:] == [ProtocolSync()]


@settings(BUDGET, max_examples=100)
@given(
    frame=st.sampled_from([framed(message) for sent in STREAMS.values() for message, _ in sent]),
    changes=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_a_command_with_wrong_bytes(frame, changes):
    payload = bytearray(frame[4:])
    for where, byte in changes:
        if payload:
            payload[where % len(payload)] = byte
    found = judged(framed(bytes(payload)) + SYNC)
    assert isinstance(found[-1], str) or found[1:] == [ProtocolSync()]
