"""The wire: replies to all dialects and to bad input, topics, serial bytes in any pieces."""

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.pacbot.wire import (
    FRAME_BYTES,
    REQUEST_BYTES,
    Command,
    CommandCodec,
    Encoders,
    Imu,
    Query,
    Refused,
    Reply,
    SensorCodec,
    Speeds,
    Tof,
    UartCodec,
    Word,
    WordCodec,
)

from .scene import asked, pacbot

GOLDEN = Path(__file__).parent / "golden"
NORTH, SOUTH, EAST, WEST = (
    {"pin1": 17, "pin2": 27},
    {"pin1": 22, "pin2": 23},
    {"pin1": 24, "pin2": 25},
    {"pin1": 5, "pin2": 6},
)


def said(*requests):
    """Return the reply to the last of these requests as text, in the order of its keys."""
    sim, replies = pacbot(), []
    sim.core.listeners.output.append(
        lambda _, output: replies.append(output.data.decode()) if output.port == "commands" else 0
    )
    for request in requests:
        asked(sim, request if isinstance(request, bytes) else json.dumps(request).encode())
    return replies[-1]


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        (
            {"command": "move", "id": 0, "params": {"speed": 0.6}},
            '{"status":"ok","command":"move","id":0,"wheel":"north",'
            '"message":"north forward at 0.6"}',
        ),
        (
            {"command": "move", "id": 1, "params": {"speed": -0.25}},
            '{"status":"ok","command":"move","id":1,"wheel":"south",'
            '"message":"south backward at 0.25"}',
        ),
        (
            {"command": "move", "id": 2, "params": {"speed": 0.009}},
            '{"status":"ok","command":"move","id":2,"wheel":"east","message":"east stopped"}',
        ),
        (
            {"command": "move", "id": 3, "params": {"speed": 0.01}},
            '{"status":"ok","command":"move","id":3,"wheel":"west",'
            '"message":"west forward at 0.01"}',
        ),
        (
            {"command": "move", "id": 3},
            '{"status":"ok","command":"move","id":3,"wheel":"west","message":"west stopped"}',
        ),
        (
            {"command": "move", "id": 3, "params": {}},
            '{"status":"ok","command":"move","id":3,"wheel":"west","message":"west stopped"}',
        ),
        (
            {"command": "move", **NORTH, "params": {"speed": -5}},
            '{"status":"ok","command":"move","pin1":17,"pin2":27,"wheel":"north",'
            '"message":"north backward at 1.0"}',
        ),
        (
            {"command": "move", "pin1": 27, "pin2": 17, "params": {"speed": 1}},
            '{"status":"ok","command":"move","pin1":27,"pin2":17,"wheel":"north",'
            '"message":"north forward at 1.0"}',
        ),
        (
            {"command": "forward", **SOUTH, "params": {"speed": 1}},
            '{"status":"ok","command":"forward","pin1":22,"pin2":23,"wheel":"south",'
            '"message":"south forward at 1.0"}',
        ),
        (
            {"command": "backward", **EAST, "params": {"speed": 0.5}},
            '{"status":"ok","command":"backward","pin1":24,"pin2":25,"wheel":"east",'
            '"message":"east backward at 0.5"}',
        ),
        (
            {"command": "backward", **EAST, "params": {"speed": -0.5}},
            '{"status":"ok","command":"backward","pin1":24,"pin2":25,"wheel":"east",'
            '"message":"east stopped"}',
        ),
        (
            {"command": "stop", **WEST},
            '{"status":"ok","command":"stop","pin1":5,"pin2":6,"wheel":"west",'
            '"message":"west stopped"}',
        ),
        (
            {"command": "move", "id": 9, "params": {"speed": 1}},
            '{"status":"warning","command":"move","id":9,"wheel":null,'
            '"message":"Unknown motor id: 9"}',
        ),
        (
            {"command": "move", "id": -1, "params": {"speed": 1}},
            '{"status":"warning","command":"move","id":-1,"wheel":null,'
            '"message":"Unknown motor id: -1"}',
        ),
        (
            {"command": "forward", "pin1": 1, "pin2": 2},
            '{"status":"warning","command":"forward","pin1":1,"pin2":2,"wheel":null,'
            '"message":"Unknown motor pins (1, 2)"}',
        ),
        (
            {"command": "fly", "id": 0},
            '{"status":"error","command":"fly","id":0,"wheel":null,'
            '"message":"Unknown command: fly"}',
        ),
        (
            {"command": "fly"},
            '{"status":"error","command":"fly","wheel":null,"message":"Unknown command: fly"}',
        ),
        (b"{", '{"status":"error","message":"Invalid JSON"}'),
        (b"", '{"status":"error","message":"Invalid JSON"}'),
        (b"\xff\xfe", '{"status":"error","message":"Invalid JSON"}'),
        (
            b'{"command":"move","id":0,"params":{"speed":NaN}}',
            '{"status":"error","message":"Invalid JSON"}',
        ),
    ],
)
def test_the_reply_to_the_letter(request_, reply):
    assert said(request_) == reply


@pytest.mark.parametrize(
    "request_",
    [
        None,
        5,
        [],
        "move",
        True,
        {},
        {"command": None},
        {"command": 5},
        {"command": ["move"]},
        {"command": "move"},
        {"command": "move", "pin1": 17},
        {"command": "move", "pin2": 27},
        {"command": "move", "id": True},
        {"command": "move", "id": [0]},
        {"command": "move", "id": "0"},
        {"command": "move", "id": None},
        {"command": "move", "id": 0.5},
        {"command": "move", "id": 10**17},
        {"command": "move", "pin1": "17", "pin2": 27},
        {"command": "move", "pin1": {}, "pin2": False},
        {"command": "move", "id": 0, "params": None},
        {"command": "move", "id": 0, "params": []},
        {"command": "move", "id": 0, "params": {"speed": "fast"}},
        {"command": "move", "id": 0, "params": {"speed": None}},
        {"command": "move", "id": 0, "params": {"speed": True}},
        {"command": "move", "id": 0, "params": {"speed": [1]}},
        {"command": "forward", **NORTH, "params": {"speed": {}}},
        {"command": "x" * 5000},
        {"command": "\ud800"},
    ],
    ids=repr,
)
def test_nonsense_gets_an_error_and_moves_nothing(request_):
    sim = pacbot()
    reply = asked(sim, json.dumps(request_).encode())
    assert reply["status"] == "error"
    assert reply["message"]
    assert len(json.dumps(reply)) < 500
    assert set(sim.truth("pacbot").commands.values()) == {0.0}
    assert sim.robots["pacbot"].metrics == {"refused": 1}


REQUESTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["move", "id", "speed", "sensors", "forward"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["command", "id", "pin1", "pin2", "params", "speed"]), inner, max_size=6
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(REQUESTS.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=80))
def test_whatever_comes_is_one_message_and_one_reply(data):
    (message,) = CommandCodec().decode(data)
    assert isinstance(message, Command | Query | Refused)
    if isinstance(message, Command):
        assert -1 <= message.speed <= 1
    if isinstance(message, Refused):
        assert (
            json.loads(CommandCodec().encode(Reply("error", message.message, message.said)))[
                "status"
            ]
            == "error"
        )


@pytest.mark.parametrize(
    "data", [b"[" * 60_000, b'{"a":' * 10_000, b"9" * 65536, b'{"command":"move","id":1e999}']
)
def test_deep_and_long_json_is_survived(data):
    assert asked(pacbot(), data)["status"] == "error"


def test_a_request_that_is_too_large_gets_an_error_and_moves_nothing():
    padding = b'{"command":"move","id":0,"params":{"speed":1},"pad":"%s"}'
    sim = pacbot()
    for size in (REQUEST_BYTES + 1, FRAME_BYTES):
        data = padding % (b"x" * (size - len(padding) + 2))
        assert len(data) == size
        assert asked(sim, data) == {
            "status": "error",
            "message": f"Request too large: {size} bytes, at most {REQUEST_BYTES}",
        }
    assert set(sim.truth("pacbot").commands.values()) == {0.0}
    data = padding % (b"x" * (REQUEST_BYTES - len(padding) + 2))
    assert asked(sim, data)["message"] == "north forward at 1.0"


def test_topics_and_json():
    codec = SensorCodec()
    ranges = {"north": 0.675, "south": 0.5}
    assert codec.encode(Tof(ranges)) == b'sensors.tof {"north":0.675,"south":0.5}'
    assert codec.encode(Encoders({"north": 0.0})) == b'sensors.encoders {"north":0.0}'
    assert codec.encode(Imu(0.0, -0.5, 4.0)) == b'sensors.imu {"ax":0.0,"ay":-0.5,"omega":4.0}'
    assert list(codec.decode(b"anything")) == []


@settings(deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(-32768, 32767)] * 4), max_size=5),
    st.lists(st.integers(0, 40), max_size=4),
)
def test_the_serial_line_in_any_pieces(updates, cuts):
    data = b"".join(struct.pack(">4h", *update) for update in updates) + b"abc"
    codec, found, places = UartCodec(), [], sorted({min(cut, len(data)) for cut in cuts})
    for begin, end in zip([0, *places], [*places, len(data)], strict=True):
        found += codec.decode(data[begin:end])
    assert [
        (
            round(s.north * 32767),
            round(s.east * 32767),
            round(s.south * 32767),
            round(s.west * 32767),
        )
        for s in found
    ] == [tuple(max(value, -32767) for value in update) for update in updates]
    assert codec.pending == b"abc"
    assert all(-1 <= value <= 1 for speeds in found for value in vars(speeds).values())


def test_full_speed_on_the_serial_line():
    assert list(UartCodec().decode(bytes.fromhex("7fff 8001 0000 4000"))) == [
        Speeds(1.0, -1.0, 0.0, 16384 / 32767)
    ]


def test_words_are_trimmed_and_bounded():
    assert list(WordCodec().decode(b" north\n")) == [Word("north")]
    assert list(WordCodec().decode(b"\xff" * 1000)) == [Word("\N{REPLACEMENT CHARACTER}" * 100)]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.in")), ids=lambda path: path.stem)
def test_golden_transcripts(path):
    """`.out` is the robot's reply to `.in` as its first request, byte for byte."""
    reply = said(path.read_bytes())
    assert reply == path.with_suffix(".out").read_text("utf-8").rstrip("\n")
