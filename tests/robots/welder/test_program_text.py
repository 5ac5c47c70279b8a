"""A program's text: where its words stand, and the lines as they are sent."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rigless.robots.welder.gcode.program_text import ProgramLine, read_program
from rigless.robots.welder.gcode.words import GcodeError, read_block


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("G1 X10", "N7 G1 X10"),
        ("N120 G1 X10", "N7 G1 X10"),
        ("  g1x10 n5 (N1 is a comment) ; N2", "N7 g1x10  (N1 is a comment) ; N2"),
        ("/ G0 X1", "/N7 G0 X1"),
        ("(a note) / N5 G0 X1", "(a note) /N7 G0 X1"),
        ("N5 / G0 X1", "N7 / G0 X1"),
        (")/", ")/N7 "),
        ("N1(a note) 2 G0 X(here)1", "N7 G0 X(here)1"),
        ("$X", "$X"),
        ("(only a comment)", "N7 (only a comment)"),
    ],
)
def test_lines_are_sent_with_their_number(text, sent):
    assert ProgramLine(7, text).sent() == sent


def test_columns():
    line = ProgramLine(1, "G1 (X1) X10.5 Y-2 F100")
    assert [
        (word.letter, word.column, line.text[word.column - 1 : word.end]) for word in line.words()
    ] == [
        ("G", 1, "G1"),
        ("X", 9, "X10.5"),
        ("Y", 15, "Y-2"),
        ("F", 19, "F100"),
    ]
    assert (
        line.column_of("YZ"),
        line.column_of("Q"),
        ProgramLine(1, "(nothing)").column_of("X"),
    ) == (15, 1, 1)
    assert dict(line.without_one_word())[15] == "G1 (X1) X10.5  F100"


def test_empty_lines_and_commands_are_known():
    lines = read_program("%\n\n$H\r\nG0 X1\n%")
    assert [(line.number, line.empty, line.command) for line in lines] == [
        (1, True, False),
        (2, True, False),
        (3, False, True),
        (4, False, False),
        (5, True, False),
    ]


@example("(a note) /G0 X1")
@example("N9)9 X1")
@given(st.text(alphabet="GXYNM0123456789.-+ ()/;$%abc", max_size=40))
def test_the_number_changes_nothing_else(text):
    """The controller reads the same words with our N word, except for the number."""
    line = ProgramLine(42, text)
    if line.empty or line.command:
        return
    try:
        block = read_block(text, "XYZABC")
    except GcodeError:
        return
    sent = read_block(line.sent(), "XYZABC")
    assert sent.words.pop("N") == 42
    block.words.pop("N", None)
    assert (sent.g, sent.m, sent.words) == (block.g, block.m, block.words)
