"""Two sweeps compared: pairs, tests, the changed runs, and mistakes."""

import pytest
import typer
from scipy import stats
from typer.testing import CliRunner

from rigless.cli.sweeps import compare_command
from rigless.kernel.problems import InputError
from rigless.sweeps.statistics.comparison import compare
from rigless.sweeps.table.formats import write_rows
from sweeps.rows import row, rows


@pytest.fixture
def sweep():
    """The commands of `rigless sweep` that are tested here, in an app of their own."""
    group = typer.Typer()
    group.callback()(lambda: None)
    compare_command.register(group)
    return lambda *words: CliRunner().invoke(group, [str(word) for word in words])


def test_only_pairs_that_differ_count():
    before, after = rows("pppppppp" + "ff" * 10), rows("fffffffp" + "pf" + "ff" * 9)
    found = compare(before, after)
    assert (len(found.worse), len(found.better), found.pairs) == (7, 1, 28)
    assert found.p == pytest.approx(stats.binomtest(1, 8).pvalue)
    assert found.word == "NO DIFFERENCE"  # p is 0.07
    assert compare(before, after, alpha=0.1).word == "WORSE"
    assert compare(after, before, alpha=0.1).word == "BETTER"
    assert [change.after.seed for change in found.worse] == list(range(7))
    assert compare(before, before).line == "NO DIFFERENCE: 0 worse, 0 better of 28 pairs, p = 1"


def test_pairs_have_equal_settings_seed_and_repeat():
    settings = {"a": 1, "b": [1, 2]}
    turned = {"b": [1, 2], "a": 1}
    before = [row("p", 1, settings=settings), row("p", 1, settings=settings, repeat=1)]
    after = [row("f", 1, settings=turned), row("p", 2, settings=turned), row("i", 1)]
    found = compare([*before, row("p", 1)], after)
    assert (found.pairs, found.unjudged, found.only_before, found.only_after) == (1, 1, 1, 1)
    assert found.worse[0].before.settings == settings


def test_margins_and_metrics_are_compared_by_sign():
    before = [row("p", n, margins={"far": 1.0, "none": None}, metrics={"m": 5}) for n in range(20)]
    after = [
        row("p", n, margins={"far": 0.9 if n < 18 else 1.5, "none": 1.0}, metrics={"m": 5})
        for n in range(20)
    ]
    far, m = compare(before, after).shifts
    assert (far.kind, far.name, far.up, far.down) == ("margin", "far", 2, 18)
    assert far.median_change == pytest.approx(-0.1)
    assert far.p == pytest.approx(stats.binomtest(2, 20).pvalue)
    assert far.corrected_p == pytest.approx(2 * far.p)
    assert (m.kind, m.up, m.down, m.p) == ("metric", 0, 0, 1)


def test_a_metric_that_nothing_counted_is_0():
    before = [*rows("pppp"), row("e", 4)]
    after = [row("f", n, metrics={"collisions": 1.0}) for n in range(4)]
    (collisions,) = compare(before, after).shifts
    assert (collisions.name, collisions.up, collisions.down) == ("collisions", 4, 0)
    assert before[-1].metrics == {}, "a run that broke has counted nothing"


def test_tables_without_common_runs_are_input_errors():
    with pytest.raises(InputError, match="no run in common"):
        compare(rows("pp"), [row("p", 9)])
    with pytest.raises(InputError, match=r"different scenarios: room\.toml and yard\.toml"):
        compare(rows("pp"), rows("pp", scenario="b/yard.toml"))
    other_checkout = compare(
        rows("pp", content="1"), rows("pp", scenario="b/room.toml", content="2")
    )
    assert "text of the scenario" in other_checkout.notes[0]


@pytest.mark.parametrize(
    ("after", "options", "code"),
    [
        ("p" * 14 + "f" * 6, (), 1),
        ("p" * 15 + "f" * 5, (), 0),
        ("p" * 15 + "f" * 5, ("--strict",), 1),
        ("p" * 20, ("--strict",), 0),
    ],
)
def test_the_exit_code_is_1_if_the_second_is_significantly_worse(
    tmp_path, sweep, after, options, code
):
    write_rows(tmp_path / "a.csv", rows("p" * 20))
    write_rows(tmp_path / "b.csv", rows(after, failed="it touches nothing"))
    done = sweep("compare", tmp_path / "a.csv", tmp_path / "b.csv", *options)
    assert done.exit_code == code, done.output
    last = done.stdout.splitlines()[-1]
    changed = after.count("f")
    assert last.startswith("WORSE: 6" if changed == 6 else f"NO DIFFERENCE: {changed}")


def test_the_changed_runs_are_listed_with_their_keys(tmp_path, sweep):
    write_rows(tmp_path / "a.csv", rows("p" * 9, settings={"speed": 0.2}))
    after = rows("f" * 9, settings={"speed": 0.2}, failed="it stays away")
    write_rows(tmp_path / "b.csv", after)
    done = sweep("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--limit", 3)
    lines = done.stdout.splitlines()
    assert lines[0] == "passed in A: 9/9 (100 %)"
    assert f"  {after[0].key} {after[0].key}  speed=0.2 seed=0  it stays away" in lines
    assert "  and 6 more; list them with --limit 9" in lines


def test_a_file_that_is_no_table_is_a_sentence(tmp_path, sweep):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    done = sweep("compare", tmp_path / "a.csv", tmp_path / "a.csv")
    assert isinstance(done.exception, InputError)
    assert "is no table of a sweep" in str(done.exception)
