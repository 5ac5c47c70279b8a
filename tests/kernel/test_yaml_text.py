"""Tests of YAML with lines: values equal PyYAML's, lines are right, mistakes are reported."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.documents import parse_yaml

LEAVES = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text("ab: ")
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", min_size=1), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(VALUES, st.booleans())
def test_values_are_those_of_pyyaml(value, flow):
    text = yaml.safe_dump(value, default_flow_style=flow)
    document = parse_yaml(text)
    assert document.problems == []
    assert document.data == yaml.safe_load(text)


def test_keys_and_elements_have_lines():
    document = parse_yaml("a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n", "f.yaml")
    assert document.lines == {
        (): 1,
        ("a",): 1,
        ("b",): 2,
        ("b", 0): 3,
        ("b", 1): 4,
        ("b", 1, "c"): 4,
        ("b", 1, "d"): 5,
    }
    assert str(document.problem(("b", 1, "d"), "is odd")) == "f.yaml:5: b[1].d: is odd"


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("a: 1\nb: {", "is not valid YAML", 2),
        ("a: 1\na: 2", "this key is given twice", 2),
        ("a:\n  ? [1]\n  : 2", "a key is not plain text", 2),
        ("a: !x [1]", "the tag '!x' is unknown", 1),
        ("a: 1\nb: 2001-99-99", "'2001-99-99' is not a value", 2),
        ("a: *b", "undefined alias", 1),
        ("a: &a [*a]", "is too deep or too large", 1),
        ("[" * 51, "nested more than 50 deep", 0),
    ],
)
def test_mistakes_are_reported_with_their_line(text, what, line):
    (problem,) = parse_yaml(text, "f.yaml").problems
    assert what in problem.what
    assert (problem.file, problem.line) == ("f.yaml", line)


def test_aliases_and_merge_keys_are_applied():
    document = parse_yaml("base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\n")
    assert document.problems == []
    assert document.data == {"base": {"x": 1, "y": 2}, "own": {"x": 1, "y": 3}}


def test_aliases_can_be_refused():
    document = parse_yaml("a: &a [1]\nb: *a\n", aliases=False)
    assert document.data is None
    assert "alias" in document.problems[0].what


def test_aliases_of_aliases_do_not_fill_the_memory():
    text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    text += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 15))
    document = parse_yaml(text)
    assert document.data is None
    assert "too large" in document.problems[0].what
