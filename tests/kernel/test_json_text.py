"""Tests of JSON with lines: values equal json's, lines are right, mistakes are reported."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.documents.json_text import MAX_DEPTH, parse_json

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
BROKEN = st.text(st.sampled_from('{}[]",:\\/ \n\t0123456789.eE+-truefalsn\x00é'), max_size=30)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(VALUES, st.sampled_from([None, 0, 1, 3]), st.booleans())
def test_values_and_lines_agree_with_json(value, indent, ascii_only):
    text = "\n" + json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = parse_json(text)
    assert parsed.problems == []
    assert repr(parsed.data) == repr(json.loads(text))
    assert set(parsed.lines) == set(paths(value))
    if indent is not None:
        check_lines(value, (), parsed.lines, text.split("\n"))


def paths(value, at=()):
    yield at
    for key, inner in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from paths(inner, (*at, key))


def check_lines(value, at, lines, text):
    """Check that in indented JSON each key or element has its own line, in order."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    before = lines[at]
    for key, one in inner:
        line = lines[(*at, key)]
        assert line > before
        shown = text[line - 1].strip()
        if isinstance(value, dict):
            assert shown.startswith(
                (json.dumps(key) + ":", json.dumps(key, ensure_ascii=False) + ":")
            )
        check_lines(one, (*at, key), lines, text)
        before = line


@settings(max_examples=100, deadline=None, derandomize=True)
@given(BROKEN | VALUES.map(lambda value: json.dumps(value)[:-1]))
def test_invalid_json_has_a_problem_inside_the_text(text):
    parsed = parse_json(text)
    try:
        json.loads(text, parse_constant=lambda name: 1 / 0)
        good = True
    except (ValueError, ZeroDivisionError):
        good = False
    if parsed.problems:
        first = parsed.problems[0]
        rows = text.split("\n")
        assert 1 <= first.line <= len(rows)
        assert 1 <= first.column <= len(rows[first.line - 1]) + 1
    if not good:
        assert parsed.problems
    elif not parsed.problems:
        assert repr(parsed.data) == repr(json.loads(text))
    else:  # what we are stricter in
        assert any(
            word in parsed.problems[0].what for word in ("given twice", "too large", "surrogate")
        )


@pytest.mark.parametrize(
    ("text", "line", "column", "what", "fix"),
    [
        ("", 1, 1, "the text ends", "empty"),
        (
            '{"a": [1,\n 2',
            2,
            3,
            "the text ends where a comma or ']' is expected",
            "the bracket on line 1 is not closed",
        ),
        ('{"a": 1,\n}', 1, 8, "comma before '}'", "remove it"),
        ("[1,\n]", 1, 3, "comma before ']'", "remove it"),
        (
            '{\n"a": 1, "b": 2,\n "a": 3}',
            3,
            2,
            "the key 'a' is given twice",
            "the first one is on line 2",
        ),
        ('{"a": NaN}', 1, 7, "NaN is not a JSON number", "finite"),
        ('{"a": -Infinity}', 1, 7, "-Infinity is not a JSON number", "finite"),
        ('{"a": 1e999}', 1, 7, "too large", "64 bits"),
        (f'{{"a": {"9" * 5000}}}', 1, 7, "too large", "64 bits"),
        ('{"a": True}', 1, 7, "'True' is not a value", "write true"),
        ('{"a": None}', 1, 7, "'None' is not a value", "write null"),
        ('{"a": 01}', 1, 7, "'01' is not a value", "number"),
        ("{'a': 1}", 1, 2, "there is '", "double quotes"),
        ('{"a": 1} // so', 1, 10, "after the end", "one object"),
        ('{ // so\n"a": 1}', 1, 3, "a comment", "no comments"),
        ('{"a" 1}', 1, 6, "a colon after the key 'a'", ""),
        ('{"a": "x\n"}', 1, 9, "does not end on its line", "close it"),
        (r'{"a": "\x"}', 1, 7, "an escape", r"\\"),
        (r'{"a": "\ud800"}', 1, 7, "lone surrogate", "whole"),
        ("[" * 100_000, 1, MAX_DEPTH + 2, "nested", ""),
    ],
)
def test_problems_are_sentences(text, line, column, what, fix):
    (problem,) = parse_json(text).problems
    assert (problem.line, problem.column) == (line, column)
    assert what in problem.what
    assert fix in problem.fix


def test_one_problem_does_not_hide_the_next():
    parsed = parse_json('{"a": NaN,\n"a": 2,\n"b": [1,],\n}')
    assert [(problem.line, problem.path) for problem in parsed.problems] == [
        (1, ("a",)),
        (2, ("a",)),
        (3, ("b",)),
        (3, ()),
    ]
    assert parsed.data == {"a": 2, "b": [1]}


def test_a_key_is_where_its_name_is():
    assert parse_json('{"a":\n\n{"b"\n: [\n1]}}').lines == {
        (): 1,
        ("a",): 1,
        ("a", "b"): 3,
        ("a", "b", 0): 5,
    }
