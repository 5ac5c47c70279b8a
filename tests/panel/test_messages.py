"""The layout of the binary messages, byte for byte, and a page as JSON."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rigless.kernel.drawing import (
    Disc,
    Gauge,
    Lamp,
    Links,
    Plot,
    Polygon,
    Scene,
    Solid,
    Trail,
    View,
)
from rigless.kernel.plain import to_json
from rigless.panel.stream.messages import (
    FRAME,
    HISTORY,
    VERSION,
    measures,
    pack,
    page,
    traces,
    unpack,
)

FLOATS = arrays(np.float32, st.integers(0, 20), elements=st.floats(width=32, allow_nan=True))


def test_a_picture_is_these_bytes():
    found = [(0, np.array([1.5], np.float32)), (3, np.array([[1, 2], [3, 4]], np.float32).ravel())]
    wanted = struct.pack("<BBHIIId", 1, VERSION, 513, 7, 2, 2, 12.5)
    wanted += struct.pack("<IIII", 0, 1, 3, 4) + struct.pack("<5f", 1.5, 1, 2, 3, 4)
    assert pack(FRAME, 513, 7, 2, 12.5, found) == wanted


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.dictionaries(st.integers(0, 2**32 - 1), FLOATS, max_size=5),
    st.floats(allow_nan=False),
    st.data(),
)
def test_what_is_packed_is_unpacked(fields, time_s, data):
    numbers = [data.draw(st.integers(0, most)) for most in (65535, 2**32 - 1, 2**32 - 1)]
    kind, *rest, found = unpack(pack(HISTORY, *numbers, time_s, list(fields.items())))
    assert (kind, rest) == (HISTORY, [*numbers, time_s])
    assert {number: values.tobytes() for number, values in found.items()} == {
        n: v.tobytes() for n, v in fields.items()
    }


def test_the_sequence_number_wraps_at_32_bits():
    assert unpack(pack(FRAME, 1, 2**32 + 5, 0, 0.0, []))[2] == 5


def test_every_field_begins_where_a_browser_can_use_it_in_place():
    found = [(n, np.full(n, n, np.float32)) for n in range(5)]
    data = pack(FRAME, 1, 1, 0, 0.0, found)
    for number, values in unpack(data)[5].items():
        at = data.index(values.tobytes()) if number else 0
        assert at % 4 == 0
    assert len(data) == 24 + 8 * 5 + 4 * 10


@pytest.mark.parametrize(
    "values", [np.arange(8, dtype=">f4"), np.arange(8.0), np.arange(16, dtype=np.float32)[::2]]
)
def test_whatever_the_order_of_the_bytes_was_they_travel_little_endian(values):
    (sent,) = unpack(pack(FRAME, 1, 1, 0, 0.0, [(0, values)]))[5].values()
    assert sent.tolist() == values.tolist()


class Everything(View):
    parts = (
        Disc("body", "Body", 0.3, "ok", tones=("warn",)),
        Polygon("wing", "Wing", ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))),
        Links("arm", "Arm", ((Solid("box", (1.0, 2.0, 3.0)),), ())),
        Scene("cell", "Cell", (Solid("mesh", (), points=b"abc", name="part"),), shown=False),
        Trail("ghost", "Ghost", "ghost"),
        Trail("trail", "Trail"),
        Gauge("level", "Level", "%", low=20),
        Lamp("hot", "Hot"),
        Plot("levels", "Levels", (("level", "true"), ("wished", "wished"))),
    )


def test_a_page_is_plain_json_in_the_order_of_its_parts():
    told = json.loads(to_json(page("live", "r2", 9, Everything(None))))
    assert (told["type"], told["stage"], told["robot"], told["id"]) == ("page", "live", "r2", 9)
    assert [part["kind"] for part in told["parts"]] == [
        type(part).__name__ for part in Everything.parts
    ]
    disc, polygon, links, scene, *_ = told["parts"]
    assert (
        disc.items()
        >= {
            "name": "body",
            "columns": 4,
            "radius_m": 0.3,
            "colour": "ok",
            "tones": ["warn"],
        }.items()
    )
    assert polygon["points"] == [[0, 0], [1, 0], [0, 1]]
    assert (
        links["links"][0][0].items()
        >= {"kind": "box", "size_m": [1, 2, 3], "at": [0, 0, 0]}.items()
    )
    assert scene["solids"][0].items() >= {"points": "YWJj", "name": "part"}.items()
    assert (scene["shown"], links["shown"]) == (False, True)


def test_a_bound_that_is_not_there_is_null():
    (gauge,) = [
        part for part in page("live", "r", 1, Everything(None))["parts"] if part["kind"] == "Gauge"
    ]
    assert (gauge["low"], gauge["high"]) == (20, None)


def test_numbers_are_named_once_and_trails_in_their_order():
    assert measures(Everything(None)) == ["level", "hot", "wished"]
    assert traces(Everything(None)) == ["ghost", "trail"]
