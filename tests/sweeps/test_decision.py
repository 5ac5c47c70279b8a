"""Verdicts of sweeps: words, bounds, sentences, and the sequential test."""

import numpy as np
import pytest

from rigless.kernel.problems import InputError
from rigless.sweeps.statistics.decision import cells, decide, percent
from rigless.sweeps.statistics.sequential import Sequential
from sweeps.rows import row, rows


def test_without_a_wanted_rate_one_failure_fails():
    good, bad = decide(rows("p" * 20)), decide(rows("p" * 19 + "f"))
    assert (good.word, good.exit_code, good.sentence) == ("PASS", 0, "All 20 runs passed.")
    assert good.line == "PASS 20/20 [0.8388, 1.0000]"
    assert (bad.word, bad.exit_code) == ("FAIL", 1)
    assert bad.line.startswith("FAIL 19/20 [0.7638, 0.9912]")


@pytest.mark.parametrize(
    ("letters", "word"),
    [
        *(("p" * 400, "PASS"), ("p" * 100, "UNDECIDED"), ("p" * 98 + "ff", "UNDECIDED")),
        *(("p" * 90 + "f" * 10, "FAIL"), ("", "UNDECIDED")),
    ],
)
def test_a_wanted_rate_is_decided_by_the_interval(letters, word):
    decision = decide(rows(letters), want=0.99)
    assert decision.word == word
    assert (decision.further is not None) == (word == "UNDECIDED")


def test_the_promised_number_of_runs_decides():
    decision = decide(rows("p" * 100), want=0.99)
    assert "about 281 more runs" in decision.sentence
    assert decide(rows("p" * 381), want=0.99).word == "PASS"
    assert decide(rows("p" * 380), want=0.99).word == "UNDECIDED"


def test_a_rate_of_1_is_refuted_but_never_proven():
    decision = decide(rows("p" * 5000), want=1.0)
    assert decision.word == "UNDECIDED"
    assert "no number of runs proves" in decision.sentence
    assert decide(rows("p" * 5000 + "f"), want=1.0).word == "FAIL"


def test_runs_without_a_verdict_prevent_a_pass_only():
    notes = {"note": "the machine was too slow\nmore"}
    decision = decide([*rows("p" * 5), row("i", **notes), row("e", note="no map")])
    assert (decision.word, decision.exit_code) == ("UNDECIDED", 3)
    assert (decision.passed, decision.total, decision.unjudged) == (5, 5, 2)
    assert "2 runs have no verdict; the first is invalid: the machine was too slow." in (
        decision.sentence
    )
    assert decide([*rows("pf"), row("e")]).word == "FAIL"
    assert decide([*rows("p" * 500), row("i")], want=0.9).word == "UNDECIDED"
    nothing = decide(rows("ee"))
    assert (nothing.word, nothing.low, nothing.high) == ("UNDECIDED", 0, 1)


def test_cells_are_groups_of_equal_settings():
    table = [
        *rows("ppf", settings={"speed": 0.1, "pose": [1, 2]}),
        *rows("ffi", settings={"pose": [1, 2], "speed": 0.2}),
        *rows("p", settings={"speed": 0.1, "pose": [1, 2]}),
    ]
    slow, fast = cells(table)
    assert (slow.settings["speed"], slow.passed, slow.total) == (0.1, 3, 4)
    assert (fast.passed, fast.total, fast.unjudged) == (0, 2, 1)
    assert fast.low == 0
    assert fast.high == pytest.approx(0.658, abs=1e-3)


def test_percentages_keep_their_digits_at_the_ends():
    shown = [percent(share) for share in (0, 0.5, 0.99, 0.999, 0.9999, 1)]
    assert shown == ["0 %", "50.0 %", "99.0 %", "99.90 %", "99.99 %", "100 %"]


def run_until_decided(test, outcomes):
    for seed, passed in enumerate(outcomes):
        if decision := test.add(row("p" if passed else "f", seed)):
            return decision
    return test.decision()


def test_the_sequential_test_stops_with_a_sound_verdict():
    good = run_until_decided(Sequential(0.99), [True] * 1000)
    assert (good.word, good.total) == ("PASS", 377)
    assert good.low >= 0.99
    bad = run_until_decided(Sequential(0.99), [False] * 10)
    assert (bad.word, bad.total) == ("FAIL", 1)
    assert bad.high < 0.99
    walds = run_until_decided(Sequential(0.99, bad=0.95), [True] * 1000)
    assert (walds.word, walds.total) == ("PASS", 72)


@pytest.mark.parametrize(("true_rate", "wrong"), [(0.899, "PASS"), (0.9, "FAIL")])
def test_peeking_after_each_run_errs_as_rarely_as_set(true_rate, wrong):
    """At a rate next to the wanted one. An ordinary interval that is peeked at errs far more."""
    random = np.random.default_rng(1)
    trials, most, mistakes, peeked = 100, 300, 0, 0
    for _ in range(trials):
        outcomes = list(random.random(most) < true_rate)
        mistakes += run_until_decided(Sequential(0.9, 0.1, 0.1), outcomes).word == wrong
        passed = np.cumsum(outcomes)
        runs = np.arange(1, most + 1)
        z = 1.2816 * (1 if wrong == "FAIL" else -1)  # one-sided, 10 %
        bound = passed / runs + z * np.sqrt(0.09 / runs)
        peeked += bool(np.any((bound < 0.9) if wrong == "FAIL" else (bound > 0.9)))
    assert mistakes / trials < 0.17  # 10 % and 2.3 standard deviations
    assert peeked / trials > 0.3


@pytest.mark.parametrize("want", [0.8, 0.95])
@pytest.mark.parametrize("distance", [-0.15, 0.04])
def test_the_sequential_test_ends(want, distance):
    random = np.random.default_rng(7)
    decision = run_until_decided(Sequential(want), random.random(4000) < want + distance)
    assert decision.word == ("PASS" if distance > 0 else "FAIL")
    assert decision.low <= want + distance <= decision.high


def test_the_sequential_test_says_how_many_runs_are_missing():
    test = Sequential(0.99)
    for seed in range(100):
        assert test.add(row("p", seed)) is None
    assert test.decision().further == 277
    assert test.add(row("i", note="slow")) is None
    decision = run_until_decided(test, [True] * 300)
    assert (decision.word, decision.total, decision.unjudged) == ("UNDECIDED", 377, 1)


@pytest.mark.parametrize(
    "wrong", [{"want": 0}, {"want": 1.1}, {"alpha": 0}, {"beta": 0.6}, {"bad": 0.995}]
)
def test_impossible_rates_are_input_errors(wrong):
    with pytest.raises(InputError, match=r"use"):
        Sequential(**{"want": 0.99} | wrong)
