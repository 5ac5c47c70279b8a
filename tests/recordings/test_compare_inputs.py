"""The comparison of what two programs sent: equal, dropped, added, changed and delayed messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.recordings.alignment import SMALL
from rigless.recordings.compare_inputs import compare_inputs
from rigless.recordings.inputs import Message
from rigless.recordings.tolerances import Tolerances, flatten

MS = 1_000_000
EXACT = Tolerances(delay_ns=50 * MS)


def message(time_ms, kind="Drive", robot="vacuum", **fields):
    return Message(round(time_ms * MS), robot, "commands", kind, fields)


def test_a_single_precision_number_is_shown_as_it_was_written():
    def first(recorded, new):
        tolerances = Tolerances(delay_ns=50 * MS)
        run, other = ([message(1, speed=value)] for value in (recorded, new))
        return str(compare_inputs(run, other, tolerances).first)

    assert first(0.20000000298023224, 0.25).endswith("speed: 0.2 recorded, 0.25 now")
    assert first(0.2, 0.20000000298023224).endswith("0.2 recorded, 0.20000000298023224 now")


@st.composite
def runs(draw, min_size=0):
    """Messages of several types, in order and at least 100 ms apart."""
    gaps = draw(st.lists(st.integers(100, 3000), min_size=min_size, max_size=25))
    time_ms, found = 0, []
    for gap in gaps:
        time_ms += gap
        found.append(
            message(
                time_ms,
                draw(st.sampled_from(["Drive", "Stop"])),
                speed=draw(st.sampled_from([0.0, 0.1, 0.2])),
                part={"id": draw(st.integers(0, 2))},
            )
        )
    return found


@st.composite
def run_and_index(draw):
    found = draw(runs(min_size=1))
    return found, draw(st.integers(0, len(found) - 1))


@given(runs(), st.lists(st.integers(-49, 49), min_size=25, max_size=25))
def test_the_same_messages_are_equal_within_the_delay_tolerance(run, jitter_ms):
    new = [
        one._replace(time_ns=one.time_ns + ms * MS) for one, ms in zip(run, jitter_ms, strict=False)
    ]
    found = compare_inputs(run, new, EXACT)
    assert found.first is None
    assert sum(row.recorded for row in found.rows) == sum(row.new for row in found.rows) == len(run)
    worst = max((abs(row.worst_delay_ns) for row in found.rows), default=0)
    assert worst == max((abs(ms) * MS for ms in jitter_ms[: len(run)]), default=0)


@given(run_and_index())
def test_a_dropped_message_is_found_at_its_time(case):
    run, at = case
    found = compare_inputs(run, run[:at] + run[at + 1 :], EXACT)
    assert [(one.kind, one.time_ns, one.type) for one in found.differences] == [
        ("missing", run[at].time_ns, run[at].type)
    ]
    assert found.first.recorded == run[at].fields


@given(run_and_index())
def test_an_added_message_is_found_at_its_time(case):
    run, at = case
    found = compare_inputs(run[:at] + run[at + 1 :], run, EXACT)
    assert [(one.kind, one.time_ns, one.type) for one in found.differences] == [
        ("additional", run[at].time_ns, run[at].type)
    ]
    assert found.first.new == run[at].fields


@given(run_and_index())
def test_a_changed_field_is_named_with_both_values(case):
    run, at = case
    changed = run[at]._replace(fields={**run[at].fields, "speed": 9.0})
    found = compare_inputs(run, [*run[:at], changed, *run[at + 1 :]], EXACT)
    one = found.first
    assert len(found.differences) == 1
    assert (one.kind, one.time_ns, one.field) == ("field", run[at].time_ns, "speed")
    assert (one.recorded, one.new) == (run[at].fields["speed"], 9.0)


@given(run_and_index(), st.integers(51, 99))
def test_a_delayed_message_is_found(case, delay_ms):
    run, at = case
    late = run[at]._replace(time_ns=run[at].time_ns + delay_ms * MS)
    found = compare_inputs(run, [*run[:at], late, *run[at + 1 :]], EXACT)
    assert [(one.kind, one.time_ns, one.new) for one in found.differences] == [
        ("delay", run[at].time_ns, delay_ms * MS)
    ]


def test_a_long_delay_of_a_rare_message_is_a_delay_and_not_a_loss():
    run = [message(1000, speed=0.1), message(2000, speed=0.2), message(9000, speed=0.3)]
    late = [run[0], run[1], message(14000, speed=0.3)]
    found = compare_inputs(run, late)
    assert str(found.first) == "at 9.000 s, vacuum/commands, Drive: 5000 ms late"
    assert len(found.differences) == 1


def test_a_dropped_one_of_many_equal_messages_is_found_where_it_is_missing():
    run = [message(100 * n, speed=0.1) for n in range(50)]
    found = compare_inputs(run, run[:20] + run[21:])
    assert [(one.kind, one.time_ns) for one in found.differences] == [("missing", 2000 * MS)]


def test_long_sequences_are_searched_near_the_time_only():
    run = [message(10 * n, speed=n % 7) for n in range(1500)]
    assert len(run) ** 2 > SMALL
    new = [one for n, one in enumerate(run) if n not in (3, 700, 1499)]
    found = compare_inputs(run, new)
    assert [one.time_ns // (10 * MS) for one in found.differences] == [3, 700, 1499]
    assert {one.kind for one in found.differences} == {"missing"}
    assert len(compare_inputs(run, run[:800]).differences) == 700
    assert len(compare_inputs(run[800:], run).differences) == 800
    early = [one._replace(time_ns=one.time_ns - 30 * MS) for one in run]
    assert compare_inputs(run, early).first is None


def test_sentences_name_time_port_type_field_and_both_values():
    run = [message(1250, speed=0.1, part={"id": 1})]
    place = "at 1.250 s, vacuum/commands, Drive"
    for new, sentence in (
        ([], f"{place}: missing; recorded speed=0.1, part.id=1"),
        (
            [message(1250, speed=0.3, part={"id": 1})],
            f"{place}, field speed: 0.1 recorded, 0.3 now",
        ),
        ([message(1250, speed=0.1, part={})], f"{place}, field part.id: 1 recorded, (absent) now"),
        ([message(850, speed=0.1, part={"id": 1})], f"{place}: 400 ms early"),
    ):
        assert str(compare_inputs(run, new).first) == sentence
    more = [*run, message(1500, "Stop")]
    assert str(compare_inputs(run, more).first) == (
        "at 1.500 s, vacuum/commands, Stop: additional, not in the recording: "
        "a message without fields"
    )


def test_tolerances_are_absolute_or_relative_and_fields_can_be_ignored():
    run = [message(0, speed=2.0, part={"id": 1, "values": [1.0, 2.0]})]
    new = [message(0, speed=2.1, part={"id": 7, "values": [1.0, 2.5]})]
    names = [one.field for one in compare_inputs(run, new).differences]
    assert names == ["speed", "part.id", "part.values[1]"]
    rules = Tolerances.parse(["speed=5%", "part.values=0.5"], ["id"])
    found = compare_inputs(run, new, rules)
    assert found.first is None
    assert (found.rows[0].worst_field, found.rows[0].worst_difference) == ("part.values[1]", 0.5)
    rules = Tolerances.parse(["speed=4.9%", "part.values=0.4"], ["part.id"])
    assert [one.field for one in compare_inputs(run, new, rules).differences] == [
        "speed",
        "part.values[1]",
    ]


def test_types_of_values_matter_and_not_a_number_equals_itself():
    nan = float("nan")
    assert compare_inputs([message(0, speed=nan)], [message(0, speed=nan)]).first is None
    assert compare_inputs([message(0, speed=1)], [message(0, speed=1.0)]).first is None
    assert compare_inputs([message(0, speed=1)], [message(0, speed=True)]).first is not None
    assert compare_inputs([message(0, speed="1")], [message(0, speed=1)]).first is not None


def test_bad_tolerances_are_all_reported():
    bad = ["speed", "=1", "speed=-1", "speed=x%", "speed=nan"]
    with pytest.raises(InputError) as error:
        Tolerances.parse(bad)
    assert [problem.where for problem in error.value.problems] == [
        f"--tolerance {text}" for text in bad
    ]


def test_nested_values_have_paths():
    assert flatten({"a": {"b": [1, {"c": 2}]}, "d": [], "e": None}) == {
        "a.b[0]": 1,
        "a.b[1].c": 2,
        "d": "[]",
        "e": None,
    }


def test_new_messages_after_the_end_are_late_ones_or_not_compared():
    run = [message(100 * n, speed=0.1) for n in range(10)]
    new = [message(100 * n, speed=0.1) for n in range(13)]
    found = compare_inputs(run, new, end_ns=950 * MS)
    assert (found.first, found.rows[0].new) == (None, 10)
    late = [*run[:-1], message(1500, speed=0.1)]
    assert [one.kind for one in compare_inputs(run, late, end_ns=950 * MS).differences] == ["delay"]
