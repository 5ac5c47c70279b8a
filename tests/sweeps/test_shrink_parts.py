"""The parts of shrinking: delta debugging, TOML, simpler values, phases, and repeated runs."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.runs.result import Result
from rigless.scenario.verdict import Verdict
from rigless.sweeps.shrink.candidate import REJECTED
from rigless.sweeps.shrink.ddmin import minimize
from rigless.sweeps.shrink.draft import Draft
from rigless.sweeps.shrink.failure import Failure, phase_of
from rigless.sweeps.shrink.output import write_verified
from rigless.sweeps.shrink.simpler import options, options_at
from rigless.sweeps.shrink.trials import BudgetSpentError, Trials
from rigless.sweeps.toml_writer import to_toml

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
PLAIN = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), TEXTS
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=6))
def test_toml_reads_back_as_it_was(data):
    assert tomllib.loads(to_toml(data)) == data


def test_toml_is_laid_out_as_people_write_it():
    entry = {"at_s": 1, "message": {"type": "Set", "celsius": 21.0}, "none": None}
    long = {"kind": "x", "config": {f"key_{n}": "value" for n in range(9)}}
    text = to_toml({"name": "a", "world": {"map": "m"}, "robots": [long], "timeline": [entry]})
    head, robots, timeline = text.split("[[")
    assert head == 'name = "a"\n\n[world]\nmap = "m"\n\n'
    assert robots.startswith('robots]]\nkind = "x"\n\n[robots.config]\nkey_0 = "value"\n')
    assert timeline == 'timeline]]\nat_s = 1\nmessage = { type = "Set", celsius = 21.0 }\n'


def first_with(needed, calls):
    def first(parts):
        for index, part in enumerate(parts):
            calls.append(part)
            if needed <= set(part):
                return index
        return None

    return first


@given(st.integers(0, 20), st.data())
def test_delta_debugging_finds_exactly_the_needed_items(count, data):
    needed = data.draw(st.sets(st.integers(0, max(count - 1, 0)), max_size=4)) & set(range(count))
    assert set(minimize(range(count), first_with(needed, []))) == needed


def test_delta_debugging_takes_few_runs():
    calls = []
    assert minimize(range(64), first_with({13, 50}, calls)) == [13, 50]
    assert len(calls) < 40


@given(st.floats(-1e6, 1e6))
def test_simpler_numbers_are_shorter_and_near(value):
    for option in options(value, "x"):
        assert len(repr(option)) < len(repr(value)) + 1
        assert abs(option - value) <= 0.05 + 1e-9


def test_the_simplest_numbers_come_first():
    assert options(0.815) == [0.0, 1.0, 0.8, 0.81]
    assert options(137) == [0, 100, 140]
    assert options(2.31, "at_s") == [0.0, 2.0, 2.3]
    assert options(2.31, "x") == [2.3]
    assert options_at(("robots", 0, "start", "y"), -0.243) == [-0.2, -0.24]
    assert options_at(("world", "obstacles", 0, "y"), -0.243) == [-0.24]
    assert options_at(("world", "obstacles", 0, "y"), -0.24) == []
    assert options(0.2) == [0.0]
    assert str(options(-0.0277, "y")[0]) == "0.0"
    assert [options(value) for value in (0, 0.0, True, math.inf)] == [[], [], [], []]


@pytest.mark.parametrize(
    ("broke_at_s", "entry", "phase"),
    [
        (3.0, {"no_collision": True}, "within"),
        (0.0, {"keeps_distance_m": 1}, "within"),
        (10.0, {"coverage_min": 0.5}, "end"),
        (8.0, {"reaches": {}, "to_s": 8}, "end"),
        (None, {"reacts_within_ms": 100}, "end"),
        (3.0, {"value": "truth.x", "at_s": 3}, "end"),
        (2.0, {"value": "truth.x", "from_s": 2}, "begin"),
        (2.5, {"value": "truth.x", "from_s": 2}, "within"),
        (9.99, {"program": "nav", "exit": 0}, "within"),
        (None, None, "end"),
    ],
)
def test_phases_of_failures(broke_at_s, entry, phase):
    assert phase_of(Verdict("x", False, "", broke_at_s=broke_at_s), entry, 10.0) == phase


def test_another_phase_another_crash_or_an_invalid_run_is_another_failure():
    failure = Failure("x", "within", {"no_collision": True})
    late, soon = (Verdict("x", False, "", broke_at_s=at_s) for at_s in (10.0, 4.0))
    result = Result("", "", 0, 10.0, [late])
    assert failure.of(result) is None
    result.verdicts = [soon]
    assert failure.of(result) is soon
    result.invalid = "machine too slow"
    assert failure.of(result) is None
    crash = Failure("a.move failed at : ZeroDivisionError: x", "crash")
    for text, same in (("ZeroDivisionError: x", True), ("KeyError: x", False)):
        result = Result("", "", 0, 10.0, [], f"a.move failed at 3.250000 s: {text}")
        assert (crash.of(result) is not None) == same
    assert crash.of(Result("", "", 0, 1.0, [], "a.move failed at 3.25 s: ZeroDivisionError: x")
                    ).broke_at_s == 3.25  # fmt: skip


def trials(answers, enough, times, budget=100):
    """Return trials whose runs fail as the letters say: F, p, or - for no valid scenario."""
    left = {name: list(text) for name, text in answers.items()}

    def run(candidates):
        return [result(left[candidate.data.get("name")].pop(0)) for candidate in candidates]

    def result(letter):
        invalid = f"{REJECTED}x" if letter == "-" else ""
        return Result(
            "", "", 0, 9.0, [Verdict("x", letter == "p", "", broke_at_s=1.0)], "", invalid
        )

    return Trials(Draft({}), budget, run, 2, enough, times)


def test_a_file_that_does_not_fail_again_is_not_kept(tmp_path):
    out = tmp_path / "small.toml"
    with pytest.raises(InputError, match="does not fail again"):
        write_verified(out, "robots = []\n", Failure("x", "within", {}), trials({None: "p"}, 1, 1))
    assert list(tmp_path.iterdir()) == []


def option(name):
    return {"name": name, "robots": []}


def test_a_candidate_must_fail_k_of_n_times():
    failure = Failure("x", "within", {})
    tried = trials({"a": "FF", "b": "FpF", "c": "FpFp", "d": "pp", "e": "-"}, 2, 3)
    found = [tried.fails(failure, option(name)) is not None for name in "abcde"]
    assert found == [True, True, True, False, False]
    assert (tried.runs, tried.rejected) == (2 + 3 + 3 + 2, 1)
    assert tried.fails(failure, option("a")) is not None  # known: no further run
    assert tried.runs == 10


def test_the_first_of_several_candidates_counts_and_the_budget_is_kept():
    failure = Failure("x", "within", {})
    tried = trials({"a": "p", "b": "F", "c": "F", "d": "F"}, 1, 1, budget=3)
    assert tried.first(failure, [option(name) for name in "abc"])[0] == 1
    assert tried.runs == 2
    assert tried.first(failure, [option("d")])[0] == 0
    with pytest.raises(BudgetSpentError):
        tried.first(failure, [option("c")])
    assert tried.runs == 3
