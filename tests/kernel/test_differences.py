import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.recordings.diff import MISSING, compare, first_field
from rigless.recordings.reader import Record

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda tree: (
        st.lists(tree, max_size=3) | st.dictionaries(st.text(max_size=3), tree, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        ({"a": 1, "b": {"c": [1, 2]}}, {"a": 1, "b": {"c": [1, 3]}}, ("b.c[1]", 2, 3)),
        ({"a": 1}, {"a": 1, "b": 2}, ("b", MISSING, 2)),
        ({"data": "x", "z": 1}, {"data": "y", "z": 2}, ("z", 1, 2)),
        ({"wire": "x"}, {"wire": "y"}, ("wire", "x", "y")),
        ({"a": [1]}, {"a": [1, 2]}, ("a", [1], [1, 2])),
        ({"a": 1}, {"a": 1.0}, ("a", 1, 1.0)),
        ({"a": True}, {"a": 1}, ("a", True, 1)),
        ({"a": {}}, {"a": []}, ("a", {}, [])),
    ],
)
def test_the_first_field_is_named(left, right, found):
    assert first_field(left, right) == found


@given(JSON, JSON)
def test_first_field_finds_nothing_in_equals_and_something_in_others(left, right):
    assert first_field(left, left) is None
    assert (first_field(left, right) is None) == (repr_of(left) == repr_of(right))


def repr_of(value):
    if isinstance(value, dict):
        return "dict", sorted((key, repr_of(item)) for key, item in value.items())
    if isinstance(value, list):
        return [repr_of(item) for item in value]
    return repr(value + 0.0) if isinstance(value, float) else repr(value)  # −0.0 equals 0.0


def records(*entries):
    return [Record(topic, time_ns, data) for topic, time_ns, data in entries]


BASE = records(
    ("/c/line/out", 1_000, b'{"message":{"total":1},"wire":"a"}'),
    ("/c/truth", 2_000, b'{"x":1}'),
    ("/c/line/out", 3_000, b'{"message":{"total":2},"wire":"b"}'),
)


def test_equal_recordings_have_no_difference_even_if_topics_are_interleaved_otherwise():
    assert compare(BASE, BASE) is None
    assert compare(BASE, [BASE[1], BASE[0], BASE[2]]) is None


def test_a_difference_names_topic_time_and_field():
    other = [*BASE[:2], Record("/c/line/out", 3_000, b'{"message":{"total":7},"wire":"z"}')]
    found = compare(BASE, other)
    assert found == ("/c/line/out", 3_000, "message.total", 2, 7)
    assert str(found) == "robot c, port line (out), at 0.000003 s, field message.total: 2 against 7"


def test_the_earliest_of_several_differences_is_given():
    other = [BASE[0], Record("/c/truth", 2_000, b'{"x":5}'), Record("/c/line/out", 3_000, b"{}")]
    found = compare(BASE, other)
    assert found[:3] == ("/c/truth", 2_000, "x")
    assert str(found).startswith("robot c, truth, at 0.000002 s")


def test_a_record_at_another_time_and_a_missing_one_are_differences():
    shifted = [*BASE[:2], BASE[2]._replace(time_ns=2_500)]
    assert compare(BASE, shifted) == ("/c/line/out", 2_500, "time", 3_000, 2_500)
    assert compare(BASE, BASE[:2]) == ("/c/line/out", 3_000, "", BASE[2].fields(), MISSING)
    assert compare(BASE[:2], BASE) == ("/c/line/out", 3_000, "", MISSING, BASE[2].fields())
    assert compare([], BASE).topic == "/c/line/out"
