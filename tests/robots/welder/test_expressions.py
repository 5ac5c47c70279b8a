"""Parameters and expressions: values against Python's, assignments, and errors."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.welder.gcode.expressions import Expressions
from rigless.robots.welder.gcode.words import GcodeError
from rigless.robots.welder.offline.cycle_time import estimate

from .scene import Bench

BUDGET = settings(max_examples=80, derandomize=True)
KNOWN = {1: 2.0, 2: 3.5, "_size": 7.0}


def value(text):
    found, end = Expressions(KNOWN.get).value(text, 0)
    assert end == len(text)
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("5", 5), ("-.5", -0.5), ("[1+2*3]", 7), ("[[1+2]*3]", 9), ("[2**3*2]", 16),
        ("[2*2**3]", 16), ("[2**3**2]", 64), ("[7-2-1]", 4),
        ("[8/4/2]", 1), ("[-7MOD5]", 3), ("[1+1EQ2]", 1), ("[2LT1OR3GE3]", 1), ("[1AND0]", 0),
        ("[1XOR1]", 0), ("[3NE3]", 0), ("[2GT1]", 1),
        ("[1LE0]", 0), ("#1", 2), ("-#1", -2), ("+#2", 3.5), ("#[1+1]", 3.5), ("##1", 3.5),
        ("#<_SIZE>", 7), ("SIN[30]", 0.5), ("COS[60]", 0.5),
        ("TAN[45]", 1), ("ASIN[.5]", 30), ("ACOS[.5]", 60), ("ATAN[1]/[-1]", 135),
        ("SQRT[#1+2]", 2), ("ABS[-3]", 3), ("FIX[-1.5]", -2),
        ("FUP[1.2]", 2), ("ROUND[-2.5]", -3), ("EXP[0]", 1), ("LN[1]", 0), ("EXISTS[#<_SIZE>]", 1),
        ("EXISTS[#<_OTHER>]", 0), ("-[3]", -3), ("[-[3]]", -3),
    ],
)  # fmt: skip
def test_values(text, wanted):
    assert value(text) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("[1/0]", 72), ("ASIN[2]", 73), ("LN[0]", 73), ("SQRT[-1]", 73), ("[-1**.5]", 74),
        ("[1+", 2), ("[1$2]", 71), ("[1", 71), ("#3", 39), ("#<_NO>", 2),
        ("#<_NO", 81), ("#1.5", 23), ("[10**300]", 76), ("[10**400]", 76), ("[0**-1]", 76),
        ("[1MOD0]", 76), ("ATAN[1]", 75), ("[" * 30 + "1", 75), ("-" * 40 + "[1]", 75),
        ("EXISTS[1]", 75), ("", 2), ("X", 2), ("#", 2), ("[]", 2),
    ],
)  # fmt: skip
def test_mistakes(text, number):
    with pytest.raises(GcodeError) as caught:
        value(text)
    assert caught.value.number == number


numbers = st.integers(-99, 99).map(str)
sums = st.recursive(
    numbers,
    lambda inner: st.builds("[{}{}{}]".format, inner, st.sampled_from("+-*"), inner),
    max_leaves=8,
)


@BUDGET
@given(sums)
def test_sums_are_pythons(text):
    found = value(text)
    assert math.isclose(
        found, eval(text.replace("[", "(").replace("]", ")")), rel_tol=1e-9, abs_tol=1e-9
    )


@BUDGET
@given(st.text(alphabet="[]#<>-+*/0123456789.ABCDEFGINOQRSTX_", max_size=40))
def test_anything_is_a_value_or_an_error(text):
    try:
        found, end = Expressions(KNOWN.get).value(text, 0)
    except GcodeError:
        return
    assert math.isfinite(found)
    assert 0 < end <= len(text)


def test_parameters_are_set_and_used():
    bench = Bench()
    assert bench.ask("#1=10 #<_depth>=[#1+5]") == ["ok"]  # a block sees what was set before it
    assert bench.ask("$#=1") == ["[PARAM:1=10]", "ok"]
    assert bench.ask("$#=_depth") == ["[PARAM:_depth=5]", "ok"]
    assert bench.ask("#1=[#1*2] G1 X#1 Y-#<_depth> F[60*100]", 3) == ["ok"]
    assert bench.truth.joints_deg[:2] == (10, -5)
    assert bench.ask("$J=G90 X#1 F3000", 3) == ["ok"]
    assert bench.truth.joints_deg[0] == 20
    assert bench.ask("$#=5061") == ["[PARAM:5061=0]", "ok"]
    assert bench.ask("$#=9999") == ["[PARAM:9999=N/A]", "ok"]
    bench.send("\x18")
    assert bench.ask("$#=1")[0] == "[PARAM:1=20]"


def test_the_controllers_own_parameters():
    bench = Bench()
    bench.ask("G10 L2 P2 X7 Z3")
    bench.ask("G55 G0 X3 Y4", 2)
    said = {
        n: bench.ask(f"$#={n}")[0].partition("=")[2][:-1]
        for n in (5220, 5221, 5241, 5243, 5420, 5421, 5399, 5400, "_x", "_abs_x", "_coord_system")
    }
    assert list(said.values()) == ["2", "0", "7", "3", "3", "4", "-2", "0", "3", "10", "550"]
    bench.ask("G20")
    assert bench.ask("$#=5420")[0] == "[PARAM:5420=0.1181]"


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("#0=1", 39), ("#5061=1", 39), ("#<_x>=1", 2), ("#1", 2), ("#1 2", 2), ("#1=", 2),
        ("".join(f"#{n}=1" for n in range(1, 12)), 2), ("O100 IF [1]", 80),
        ("G1 X[1/0] F100", 72), ("G0 X#<none>", 2), ("#1=5 G77", 20),
    ],
)  # fmt: skip
def test_what_cannot_be(line, number):
    bench = Bench()
    assert bench.ask(line) == [f"error:{number}"]
    bench.ask("")
    assert bench.ask("$#=1")[0] == "[PARAM:1=0]"


def test_names_are_bounded():
    bench = Bench()
    for n in range(26):
        bench.ask("".join(f"#<n{n}_{k}>=1" for k in range(10)))
    assert len(bench.state.parameters.named) <= 256
    assert bench.ask("#<n0_0>=2") == ["error:2"]  # sticks to the line that went too far
    bench.ask("")
    assert bench.ask("#<n0_0>=2") == ["ok"]


def test_cycle_times_know_parameters():
    plain = estimate("G1 X90 F3600\nM30")
    found = estimate("#1=45\nG1 X[#1*2] F3600\nM30")
    assert found.total_s == plain.total_s
    assert not found.errors
