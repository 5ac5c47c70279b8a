"""The goal of a sweep is a part of its table, so that the report gives the verdict of the sweep."""

from pathlib import Path

import pytest

from rigless.kernel.problems import InputError
from rigless.sweeps.report import render_report, summarize
from rigless.sweeps.statistics.goal import Goal, goal_of
from rigless.sweeps.table import Store, read_table
from rigless.sweeps.table.formats import SUFFIXES
from sweeps.rows import row, rows

GOALS = [
    Goal(),
    Goal(0.9),
    Goal(0.9, searched=True),
    Goal(0.99, until_decided=True),
    Goal(0.99, until_decided=True, alpha=0.01, beta=0.1, bad=0.95),
]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.text or "none")
def test_a_table_keeps_the_goal_of_the_last_sweep(tmp_path: Path, goal: Goal, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    for text, seed in (("--want 0.5", 1), (goal.text, 2)):
        with Store(path, lambda settings: ("", ""), "1", text) as store:
            store.append(row("p", seed, version="1"))
            assert goal_of(read_table(path)).text == text, "also while it runs"
            store.finish()
    assert {each.goal for each in read_table(path)} == {goal.text}
    assert goal_of(read_table(path)) == goal


def test_the_report_gives_the_verdict_of_the_sweep() -> None:
    """The looks after each run are allowed for: they need more runs than a single look."""
    goal = Goal(0.9, until_decided=True)
    table = rows("pppf" * 5, goal=goal.text)
    assert summarize(table).decision == goal.decide(table)
    assert summarize(table).decision.word == "UNDECIDED"
    assert summarize(rows("pppf" * 5, goal="--want 0.9")).decision.word == "FAIL"
    page = render_report(summarize(rows("pppf" * 9, goal="--want 0.9")), "t.csv")
    assert "the true rate is below the wanted 90.0 %" in page


def test_the_report_of_a_search_says_that_its_rate_means_nothing() -> None:
    assert "A search chose the points" in summarize(rows("pf", goal="--search")).decision.sentence
    assert "A search chose the points" not in summarize(rows("pf")).decision.sentence


def test_a_goal_that_cannot_be_read_is_a_sentence() -> None:
    with pytest.raises(InputError, match="'--want much' is no goal of a sweep"):
        goal_of(rows("p", goal="--want much"), "t.csv")
