import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.documents.toml_text import key_lines, parse_toml
from rigless.kernel.key_path import line_of

TEXT = '''\
# a comment
name = "x"

[world]
  [[world.obstacles]]
  name = "box"   # trailing
  [[world.obstacles]]
  name = "disc"

[[robots]]
kind = "a"
start = { x = 1 }
[robots.config]
rate = 1
[robots.config.deep]
er = 2

[[robots]]
kind = "b"
ports.line = 5
[robots.config]
"odd key" = 1
'single' = 2
a . b = 3
text = """
[not.a.table]
nor = "a key"
"""
after = 1
raw = \'\'\'
[[robots]]\'\'\'
last = """one line"""
[ "quoted table" . x ]
k = 1
'''


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (("name",), 'name = "x"'),
        (("world",), "[world]"),
        (("world", "obstacles", 0, "name"), 'name = "box"   # trailing'),
        (("world", "obstacles", 1, "name"), 'name = "disc"'),
        (("robots", 0), "[[robots]]"),
        (("robots", 0, "kind"), 'kind = "a"'),
        (("robots", 0, "config"), "[robots.config]"),
        (("robots", 0, "config", "rate"), "rate = 1"),
        (("robots", 0, "config", "deep", "er"), "er = 2"),
        (("robots", 1, "kind"), 'kind = "b"'),
        (("robots", 1, "ports", "line"), "ports.line = 5"),
        (("robots", 1, "ports"), "ports.line = 5"),
        (("robots", 1, "config", "odd key"), '"odd key" = 1'),
        (("robots", 1, "config", "single"), "'single' = 2"),
        (("robots", 1, "config", "a", "b"), "a . b = 3"),
        (("robots", 1, "config", "after"), "after = 1"),
        (("robots", 1, "config", "last"), 'last = """one line"""'),
        (("quoted table", "x", "k"), "k = 1"),
    ],
)
def test_each_key_has_its_line(path, wanted):
    assert tomllib.loads(TEXT)
    assert TEXT.split("\n")[key_lines(TEXT)[path] - 1].strip() == wanted


def test_text_that_looks_like_a_key_has_no_line():
    found = key_lines(TEXT)
    assert ("not", "a", "table") not in found
    assert ("robots", 2) not in found
    assert not [path for path in found if "nor" in path]


def test_an_unknown_key_has_the_line_of_its_table():
    lines = key_lines(TEXT)
    assert line_of(lines, ("robots", 0, "start", "x")) == lines["robots", 0, "start"]
    assert line_of(lines, ("robots", 1, "nope", "nope")) == lines["robots", 1]
    assert line_of(lines, ("nowhere",)) == 0
    assert line_of(lines, ()) == 0


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("m = [\n  [1, 2]\n]", id="nested array"),
        pytest.param("m = [\n  [1, 2],\n  [3]\n]", id="rows"),
        pytest.param('m = 1 # """', id="quotes in a comment"),
        pytest.param("m = \"'''\"", id="quotes in a string"),
        pytest.param('m = "x\u2028y"', id="a line separator that is not TOML's"),
        pytest.param("# \x85 \u2029", id="separators in a comment"),
        pytest.param('m = ["""\n[x]\ny = 1\n"""]', id="long string in an array"),
        pytest.param("[x] # ]]", id="comment after a header"),
    ],
)
def test_the_key_after_it_still_has_its_line(before):
    text = f"{before}\nkey = -1\n"
    raw = tomllib.loads(text)
    path = ("key",) if "key" in raw else ("x", "key")
    assert line_of(key_lines(text), path) == text.count("\n")


def test_windows_line_ends_count_once():
    assert key_lines("a = 1\r\nb = 2\r\n")[("b",)] == 2


@settings(max_examples=100, deadline=None)
@given(st.text() | st.text(alphabet="[]{}\"'=.# \n\tab1"))
def test_no_text_makes_it_fail(text):
    lines = key_lines(text)
    assert all(1 <= number <= text.count("\n") + 1 for number in lines.values())
    document = parse_toml(text)
    assert (document.data is None) == bool(document.problems)


KEYS = st.text("abc_-1", min_size=1, max_size=4)
FILLER = st.lists(st.sampled_from(["", "# note", "   ", "\t# [x]"]), max_size=3)
VALUES = st.sampled_from(
    [
        "1",
        '"a # b"',
        "[1, 2]",
        "{ a = 1 }",
        '"""x"""',
        "'[t]'",
        '"""\nz = 1\n[t]\n"""',
        "'''\n\n'''",
    ]
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(FILLER, KEYS, st.booleans(), st.dictionaries(KEYS, VALUES, max_size=4)),
        max_size=5,
    )
)
def test_the_lines_of_any_document_are_right(sections):
    text, wanted, counts = "", {}, {}
    for number, (filler, name, is_list, entries) in enumerate(sections):
        name = f"{name}{number}" if not is_list else name + "L"
        text += "".join(line + "\n" for line in filler)
        path = (name, counts.setdefault(name, -1) + 1) if is_list else (name,)
        counts[name] = counts.get(name, -1) + 1
        wanted[path] = text.count("\n") + 1
        text += f"[[{name}]]\n" if is_list else f"[{name}]\n"
        for key, value in entries.items():
            wanted[(*path, key)] = text.count("\n") + 1
            text += f"{key} = {value}\n"
    tomllib.loads(text)
    found = key_lines(text)
    assert {path: found.get(path) for path in wanted} == wanted


@pytest.mark.parametrize(
    ("head", "part", "tail", "found"),
    [
        ("a = [\n[", " ", "\n]]", {("a",): 1, ("a", 0): 2}),
        ("a", " ", "b", {}),
        ("", "a.", "", {}),
        ("", "[", "", {}),
        ("", "[a", "", {}),
    ],
)
def test_the_time_for_a_line_does_not_grow_with_its_square(head, part, tail, found):
    assert (
        key_lines(head + 500_000 * part + tail) == found
    )  # if it did, the hours would be over every limit


def test_elements_of_arrays_and_inline_tables_have_lines():
    text = 'a = [ # one\n  1, [2,\n 3],\n]\nb = {c = 1, d.e = [\n{f = "]"},\n{g = 2}]}\nh = 1\n'
    assert tomllib.loads(text)
    assert key_lines(text) == {
        ("a",): 1,
        ("a", 0): 2,
        ("a", 1): 2,
        ("a", 1, 0): 2,
        ("a", 1, 1): 3,
        ("b",): 5,
        ("b", "c"): 5,
        ("b", "d"): 5,
        ("b", "d", "e"): 5,
        ("b", "d", "e", 0): 6,
        ("b", "d", "e", 0, "f"): 6,
        ("b", "d", "e", 1): 7,
        ("b", "d", "e", 1, "g"): 7,
        ("h",): 8,
    }


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("a = 1\nb = ", "Invalid value", 2),
        ("a = 1\na = 2", "Cannot overwrite", 2),
        ("a = [\n1,\n  9223372036854775808]", "more than 64 bits", 3),
        ("a = " + "1" * 5000, "is not valid TOML", 0),
    ],
)
def test_a_syntax_error_names_its_line(text, what, line):
    (problem,) = parse_toml(text, "x.toml").problems
    assert what in problem.what
    assert (problem.file, problem.line) == ("x.toml", line)
