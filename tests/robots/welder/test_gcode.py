"""G-code: words and their errors, what lines mean, and that no bytes make it fail."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.arcs import chord_end
from rigless.robots.welder.gcode.interpreter import interpret
from rigless.robots.welder.gcode.modal import ZERO, Coordinates, Modal, Profile
from rigless.robots.welder.gcode.words import GcodeError, read_block

BUDGET = settings(max_examples=150, derandomize=True)


def steps(line, modal=None, coordinates=None, position=ZERO, profile=None, jog=False):
    profile = profile or Profile()
    block = read_block(line, profile.letters)
    return interpret(
        block, modal or Modal(feed=100.0), coordinates or Coordinates(), position, profile, jog
    )


def error(line, **given):
    with pytest.raises(GcodeError) as caught:
        steps(line, **given)
    return caught.value.number


def target(line, **given):
    return steps(line, **given)[1][-1][3:]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("12", 1), ("G1 X*", 2), ("G", 2), ("GX", 2), ("X--1", 2), ("X1.2.3", 1), ("#1=2", 1),
        ("é", 1),
        ("G7", 20), ("G5.1", 20), ("M99", 20), ("G-1", 20), ("G43", 20), ("G61.1", 20), ("G64", 20),
        ("G28 G4 P1", 21), ("G90 G91", 21), ("G54 G55", 21), ("M3 M5", 21), ("M0 M30", 21),
        ("M7 M7", 21), ("M62 M63 P1", 21),
        ("G1.23 X1", 23), ("M3.5", 23), ("M62 P1.5", 23), ("T1.5", 23),
        ("G0 G28 X1", 24), ("G0 G1 X1", 24), ("G28 G30", 24), ("G54.1", 23), ("G1 G92 X1", 24),
        ("G0 X1 X2", 25), ("F1 F2", 25),
        ("G38.2", 26), ("G92", 26), ("G10 L2 P1", 26),
        ("N99999999", 2), ("G4", 28), ("M62", 28), ("M67 E1", 28), ("M66 P1", 28),
        ("M66 L3 Q1", 28), ("M68 Q5", 28), ("G10 L2 P10 X1", 29), ("G53 G2 X1 I1", 30),
        ("G80 X1", 31),
        ("G2 Z1 I1", 32), ("G2 X1 K1 I9999", 33), ("G2 X0 R1", 33), ("G2 X10 R1", 34), ("G2", 35),
        ("G2 X1", 35), ("G2 X1 K1", 35),
        ("G0 X1 I1", 36), ("P1", 36), ("U1", 36), ("G4 P1 R2", 36), ("M62 P32", 39),
        ("M64 P99", 39), ("M67 E8 Q1", 39),
        ("M67 E0 Q10.1", 39), ("M68 E0 Q-1", 39), ("M66 P1 L5 Q1", 39), ("M66 E0 L3 Q1", 39),
        ("F-1", 4), ("S-1", 4), ("G4 P-1", 4),
        ("G38.2 X0", 33), ("X99999999999999999999", 2), ("G10 L3 P1 X1", 20),
    ],
)  # fmt: skip
def test_what_is_wrong_has_its_number(line, number):
    assert error(line) == number
    assert number in codes.ERRORS


def test_a_motion_needs_a_feed():
    for line in ("G1 X1", "G2 X1 I0.5", "G38.2 X1"):
        assert error(line, modal=Modal()) == codes.NO_FEED
    assert error("G93 G1 X1", modal=Modal(feed=100.0)) == codes.NO_FEED
    assert steps("G0 X1", modal=Modal())[1] == [("line", True, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("line", "kept"),
    [("G0 X1", "X1"), ("(a) G0 (b?) x1 ; c", "X1"), ("g0x1(not closed", "X1"), ("/G0 X1",
    "X1"), ("G0X+1.", "X1"), ("G0X.1e", "")],
)  # fmt: skip
def test_comments_spaces_and_small_letters(line, kept):
    if kept:
        assert read_block(line, "XYZABC").words == {"X": 1.0}
    else:
        assert error(line) == codes.BAD_NUMBER


def test_a_message_comes_out():
    assert steps("(MSG, hello world)")[1] == [("message", "hello world")]
    assert steps("(just a comment)")[1] == []


def test_where_a_line_ends():
    here = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert target("G1 X10 C-5", position=here) == (10.0, 2.0, 3.0, 4.0, 5.0, -5.0)
    assert target("G91 G1 X10 C-5", position=here) == (11.0, 2.0, 3.0, 4.0, 5.0, 1.0)
    offsets = Coordinates()
    offsets.systems[1] = [100.0, 0.0, 0.0, 0.0, 0.0, 10.0]
    offsets.g92 = [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert target("G55 G1 X10 C0", position=here, coordinates=offsets) == (
        110.5,
        2.0,
        3.0,
        4.0,
        5.0,
        10.0,
    )
    assert target("G53 G55 G1 X10", position=here, coordinates=offsets)[0] == 10.0
    assert target("G20 G1 X1 C1") == (25.4, 0, 0, 0, 0, 1.0)


def test_the_seed_has_letters_of_its_own():
    profile = Profile(letters="ABCUVW")
    assert target("G1 A45 W5 F100", profile=profile) == (45.0, 0, 0, 0, 0, 5.0)
    assert error("G1 X1", profile=profile) == codes.UNSUPPORTED


def test_modal_state_stays_and_errors_change_nothing():
    before = Modal()
    after, _ = steps("G91 G1 X1 F200 G55 S5 T3 G18", modal=before)
    assert (
        after.motion, after.incremental, after.feed, after.system, after.speed, after.tool,
        after.plane,
    ) == (
        10, True, 200.0, 1, 5.0, 3, 18,
    )  # fmt: skip
    assert before == Modal()
    assert steps("G59.3", modal=before)[0].system == 8
    assert steps("X2", modal=after)[1] == [("line", False, 200.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0)]


def test_inverse_time_is_by_length():
    assert steps("G93 G1 X30 Y40 F2")[1][0][2] == pytest.approx(100.0)
    assert steps("G93 G1 X30 F2")[0].inverse_time


def test_g10_and_g92_and_stored_positions():
    here = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert steps("G10 L2 P2 X5")[1] == [("system", 1, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0)]
    assert steps("G10 L20 P0 X0 C0", position=here)[1] == [
        ("system", 0, 1.0, 0.0, 0.0, 0.0, 0.0, 6.0)
    ]
    assert steps("G92 X0", position=here)[1] == [("g92", True, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)]
    assert steps("G92.1")[1] == [("g92", True, *ZERO)]
    assert steps("G92.2")[1] == [("g92", False, *ZERO)]
    assert steps("G28.1")[1] == [("store", 28)]
    stored = Coordinates(g28=[9.0, 8.0, 7.0, 0.0, 0.0, 0.0])
    assert steps("G28", coordinates=stored, position=here)[1] == [
        ("line", True, 0.0, 9.0, 8.0, 7.0, 0.0, 0.0, 0.0)
    ]
    through, end = steps("G91 G28 Y1", coordinates=stored, position=here)[1]
    assert (through[3:], end[3:]) == (
        (1.0, 3.0, 3.0, 4.0, 5.0, 6.0),
        (1.0, 8.0, 3.0, 4.0, 5.0, 6.0),
    )


def heights(line, **given):
    """Return the moves of a cycle along its axis: rapid or not, and the height."""
    return [(bool(s[1]), s[5]) if s[0] == "line" else s[:2] for s in steps(line, **given)[1]]


def test_canned_cycles():
    """Moves as the firmware makes them."""
    high = (0.0, 0.0, 5.0, 0.0, 0.0, 0.0)
    assert heights("G81 X1 Z-2 R1", position=high) == [
        (True, 5.0), (True, 1.0), (False, -2.0), (True, 5.0),
    ]  # fmt: skip
    assert heights("G99 G82 Z-2 R1 P0.5", position=high)[2:] == [
        (False, -2.0), ("dwell", 0.5), (True, 1.0),
    ]  # fmt: skip
    assert heights("G99 G73 Z-2 R1 Q2")[2:] == [
        (False, -1.0), ("dwell", 0.25), (True, -0.9), (False, -2.0), ("dwell", 0.25), (True, 1.0),
    ]  # fmt: skip
    assert heights("G85 Z-2 R1")[-1] == (False, 1.0)
    assert [s[0] for s in steps("G86 Z-2 R1 P1", Modal(feed=1.0, spindle=3))[1]].count(
        "spindle"
    ) == 2
    holes = [s[3] for s in steps("G91 G81 X3 Z-2 R1 L3")[1] if s[0] == "line" and not s[1]]
    assert holes == [3.0, 6.0, 9.0]
    modal, _ = steps("G81 Z-2 R1")
    assert heights("X5", modal=modal)[-2:] == [(False, -2.0), (True, 1.0)]
    assert error("G83 Z-1000 R0 Q0.001") == codes.OUT_OF_RANGE


def test_scaling():
    modal, _ = steps("G51 X2 Y-1")
    assert target("G0 X3 Y4 Z5", modal=modal)[:3] == (6.0, -4.0, 5.0)
    assert target("G91 G0 X3", modal=modal, position=(1.0,) * 6)[0] == 7.0
    mirrored = steps("G2 X2 I1 F9", modal=modal)[1][0]
    assert (mirrored[4], mirrored[6] > 0) == (2.0, True)  # turns the other way
    assert steps("G28", modal=modal)[0].scale == (1.0,) * 6
    assert steps("G50", modal=modal)[0].scale == (1.0,) * 6


def test_modes_are_saved_and_restored():
    saved, _ = steps("M70", modal=Modal(feed=5.0, plane=18, system=2))
    modal, made = steps("M72", modal=steps("G91 G17 G54 F9 M49", modal=saved)[0])
    assert (modal.feed, modal.plane, modal.system, modal.incremental) == (5.0, 18, 2, False)
    assert [step[0] for step in made] == ["spindle", "coolant", "override control"]
    assert steps("M72", modal=steps("M71", modal=saved)[0])[1] == []


def test_ports():
    assert steps("M62 P3")[1] == [("digital", 3, True, True)]
    assert steps("M65 P31")[1] == [("digital", 31, False, False)]
    assert steps("M67 E7 Q10")[1] == [("analog", 7, 10.0, True)]
    assert steps("M68 E0 Q2.5")[1] == [("analog", 0, 2.5, False)]
    assert steps("M66 P2 L3 Q5")[1] == [("wait", 2, False, 3, 5.0)]
    assert steps("M66 E1 L0")[1] == [("wait", 1, True, 0, 0.0)]


def test_the_order_of_a_line_is_the_standards():
    _, found = steps("M3 S100 M7 G1 X1 F50 M30 (MSG,x)")
    assert [step[0] for step in found] == ["message", "spindle", "coolant", "line", "stop"]


# Arcs


@pytest.mark.parametrize("plane", [17, 18, 19])
@pytest.mark.parametrize("clockwise", [True, False])
def test_arcs_keep_their_radius_and_end_where_they_should(plane, clockwise):
    first, second = {17: "XY", 18: "ZX", 19: "YZ"}[plane]
    offset = {"X": "I", "Y": "J", "Z": "K"}[first]
    code = "G2" if clockwise else "G3"
    _, [arc] = steps(f"G{plane} {code} {first}10 {second}10 {offset}10 A6 F100")
    a, b = "XYZ".index(first), "XYZ".index(second)
    count = arc[7]
    points = [chord_end(arc, n) for n in range(1, count + 1)]
    for point in points:
        assert math.hypot(point[a] - 10, point[b]) == pytest.approx(10)
    assert points[-1][a] == points[-1][b] == pytest.approx(10)
    assert points[-1][3] == 6
    quarter = abs(arc[6]) == pytest.approx(math.pi / 2)
    assert quarter is clockwise


def test_arcs_by_radius_and_full_turns():
    for line, angle in [
        ("G2 X10 R5", -math.pi),
        ("G3 X10 R5", math.pi),
        ("G2 X5 Y5 R5", -math.pi / 2),
        ("G2 X5 Y5 R-5", -1.5 * math.pi),
    ]:
        _, [arc] = steps(line)
        assert arc[6] == pytest.approx(angle, abs=1e-6)
    _, [circle] = steps("G3 X0 I5")
    assert circle[6] == pytest.approx(2 * math.pi)
    _, [twice] = steps("G2 X0 I5 P2")
    assert twice[6] == pytest.approx(-4 * math.pi)


def test_chords_are_within_the_tolerance():
    _, [arc] = steps("G3 X0 I50")
    for n in range(arc[7]):
        a, b = (chord_end(arc, n) if n else ZERO), chord_end(arc, n + 1)
        middle = math.hypot((a[0] + b[0]) / 2 - 50, (a[1] + b[1]) / 2)
        assert 50 - middle <= 0.002 * 1.01


# Jogs


def test_jogs():
    assert steps("G91 X10 F600", jog=True)[1] == [
        ("line", False, 600.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    ]
    assert error("X10", jog=True) == codes.NO_FEED
    assert error("G2 X10 F1", jog=True) == codes.INVALID_JOG
    assert error("M3 X10 F1", jog=True) == codes.INVALID_JOG
    assert error("F100", jog=True) == codes.NO_AXIS_WORDS


# Anything


LETTERS = st.sampled_from("GGGGMMXYZABCFIJKLNPQRSTEDHUVW")
NUMBERS = st.sampled_from(
    [
        "0",
        "1",
        "2",
        "3",
        "4",
        "10",
        "28",
        "38.2",
        "53",
        "92",
        "54",
        "66",
        "67",
        "62",
        "-1",
        "1.5",
        "",
        ".",
        "1e5",
    ]
)
LINES = st.lists(st.tuples(LETTERS, NUMBERS).map("".join), max_size=8).map(" ".join) | st.text(
    max_size=40
)


@BUDGET
@given(line=LINES, jog=st.booleans(), letters=st.sampled_from(["XYZABC", "ABCUVW"]))
def test_any_line_is_understood_or_has_a_number(line, jog, letters):
    try:
        modal, found = steps(line, profile=Profile(letters=letters), jog=jog)
    except GcodeError as problem:
        assert problem.number in codes.ERRORS  # noqa: PT017
    else:
        assert isinstance(modal, Modal)
        assert all(isinstance(step[0], str) for step in found)
