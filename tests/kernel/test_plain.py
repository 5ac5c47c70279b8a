import math
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from rigless.kernel.plain import pack, to_builtins, to_json, unpack

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
)
TREES = st.recursive(
    SCALARS,
    lambda tree: st.lists(tree) | st.dictionaries(st.text() | st.integers(0, 9), tree),
    max_leaves=12,
)
DTYPES = ["?", "i1", "<u2", ">i4", "<i8", "<u8", "<f4", ">f8", "<c16", "<U3", "S4", "<M8[ns]"]


@dataclass
class Part:
    name: str
    size: tuple[float, float] | None = None


@dataclass
class Whole:
    parts: dict[int, Part]
    ranges: NDArray[np.float32]
    scan: np.ndarray | None = None
    seen: set[str] = field(default_factory=set)
    memory: dict[str, Any] = field(default_factory=dict)


@given(TREES)
def test_containers_come_back_as_they_were(tree):
    assert unpack(pack(tree)) == tree


@given(st.floats(width=64))
def test_floats_come_back_to_the_bit(value):
    assert np.float64(unpack(pack(value))).tobytes() == np.float64(value).tobytes() or math.isnan(
        value
    )


@given(st.data(), st.sampled_from(DTYPES))
def test_arrays_come_back_with_type_shape_and_every_byte(data, dtype):
    array = data.draw(
        hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    )
    back = unpack(pack(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()
    assert back.flags.writeable


def test_arrays_that_are_views_come_back_by_value():
    array = np.arange(12.0).reshape(3, 4)
    for view in (
        array.T,
        array[::2, 1:],
        np.asfortranarray(array),
        np.broadcast_to(array[0], (5, 4)),
    ):
        assert_array_equal(unpack(pack(view)), view)


def test_records_keep_their_field_names_or_are_refused():
    points = np.array([(1, 2.5)], dtype=[("ring", "<i4"), ("range", "<f8")])
    try:
        data = pack(points)
    except TypeError:
        return
    back = unpack(data)
    assert back.dtype == points.dtype
    assert_array_equal(back, points)


@pytest.mark.parametrize(
    "number", [np.float32(0.5), np.float64(0.1), np.int16(-3), np.uint64(2**64 - 1), np.bool_(True)]
)
def test_numpy_scalars_are_numbers(number):
    assert unpack(pack(number)) == number.item()
    assert to_builtins([number]) == [number.item()]


def test_dataclasses_come_back_as_their_type():
    whole = Whole(
        {3: Part("a", (1.0, 2.0)), 4: Part("b")},
        np.ones(2, "f4"),
        np.zeros(2),
        {"x"},
        {"value": np.arange(3), "n": 1},
    )
    back = unpack(pack(whole), Whole)
    assert type(back) is Whole
    assert (back.parts, back.seen, back.memory["n"]) == (whole.parts, whole.seen, 1)
    for name in ("ranges", "scan"):
        assert_array_equal(getattr(back, name), getattr(whole, name))
        assert getattr(back, name).dtype == getattr(whole, name).dtype
    assert_array_equal(back.memory["value"], np.arange(3))


def test_what_comes_back_shares_nothing_with_what_went_in():
    array = np.zeros(3)
    data = pack({"a": array})
    array[0] = 1
    first = unpack(data)
    first["a"][1] = 1
    assert not unpack(data)["a"].any()


@pytest.mark.parametrize(
    "thing", [object(), print, lambda: 0, 1j, np.random.default_rng(0), [object()]]
)
def test_what_is_not_plain_is_refused(thing):
    with pytest.raises(TypeError, match="is not plain data"):
        pack(thing)


def test_arrays_of_objects_are_refused_when_they_are_packed():
    with pytest.raises(TypeError, match="not plain data"):
        pack(np.array([object(), None]))


def test_arrays_of_objects_are_refused_when_they_are_read():
    forged = msgspec.msgpack.encode(("|O", (1,), bytes(8)))
    with pytest.raises(ValueError, match="objects"):
        unpack(msgspec.msgpack.encode(msgspec.msgpack.Ext(1, forged)))


def test_unknown_extensions_are_refused():
    with pytest.raises(ValueError, match="unknown extension 7"):
        unpack(msgspec.msgpack.encode(msgspec.msgpack.Ext(7, b"")))


def test_a_number_where_an_array_belongs_is_refused():
    with pytest.raises(ValueError, match=r"[Ee]xpected.*ndarray"):
        unpack(pack({"parts": {}, "ranges": 3}), Whole)


def test_json_says_arrays_as_lists_and_bytes_as_base64():
    value = {
        "a": np.arange(4).reshape(2, 2),
        "b": np.float32(0.5),
        "c": b"\xff",
        "d": Part("x"),
        5: math.nan,
    }
    assert (
        to_json(value)
        == b'{"a":[[0,1],[2,3]],"b":0.5,"c":"/w==","d":{"name":"x","size":null},"5":null}'
    )
    assert to_builtins({"a": np.arange(2), 5: Part("x", (1, 2))}) == {
        "a": [0, 1],
        "5": {"name": "x", "size": (1, 2)},
    }
    with pytest.raises(TypeError, match="object has no JSON form"):
        to_json(object())
