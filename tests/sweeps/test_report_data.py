"""The summary of a sweep: bins, influence, heat maps, caps, and the text of the page."""

import html
import re
import shlex

import msgspec
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from rigless.cli.sweeps import report_command
from rigless.kernel.problems import InputError
from rigless.sweeps.report import render_report, summarize
from rigless.sweeps.report.axes import influence
from rigless.sweeps.report.data import MOST_FAILURES, MOST_LINES
from rigless.sweeps.table.formats import write_rows
from sweeps.rows import row


def sampled(count, **fields):
    """Rows over four parameters: those with x > 0.5 and mode b fail."""
    random = np.random.default_rng(2)
    found = []
    for seed in range(count):
        x, y = (float(u) for u in random.random(2))
        settings = {"noise": y, "mode": "ab"[seed % 2], "level": seed // 2 % 3, "x": x}
        bad = x > 0.5 and settings["mode"] == "b"
        far = 0.5 - x if bad else 0.5
        note = {"failed": "it stays away", "broke_at_s": 2.5} if bad else {}
        found.append(
            row(
                "f" if bad else "p",
                seed,
                settings=settings,
                margin=far,
                margins={"it stays away": far},
                metrics={"vacuum.distance_m": 5 + y},
                simulated_s=10.0,
                wall_s=0.5,
                **note | fields,
            )
        )
    return found


@pytest.fixture(scope="module")
def summary():
    return summarize(sampled(600))


def test_the_axes_that_matter_come_first(summary):
    assert [axis.key for axis in summary.axes[:2]] == ["mode", "x"]
    chosen = {summary.axes[n].key for n in summary.chosen}
    assert chosen == {"x", "mode"}
    level = next(axis for axis in summary.axes if axis.key == "level")
    assert level.labels == ["0", "1", "2"]
    assert level.influence < 0.002 < summary.axes[1].influence
    # mode b fails for half of x, mode a never: the variance of 1 and 1/2 is 1/16
    assert summary.axes[0].influence == pytest.approx(1 / 16, rel=0.1)


def test_chance_is_no_influence():
    """With 10 runs in each of 50 bins, chance alone makes a variance of 0.025."""
    random = np.random.default_rng(3)
    found = []
    for _ in range(20):
        bins, outcomes = random.integers(0, 50, 500), random.integers(0, 2, 500).astype(np.int8)
        found.append(influence(bins, 50, outcomes))
    assert max(found) < 0.02
    assert sorted(found)[8] == 0


def test_heat_maps_count_the_runs_of_each_pair_of_bins(summary):
    heat = next(one for one in summary.heats if (one.x, one.y) == (0, 1))
    mode, x = summary.axes[0], summary.axes[1]
    assert (mode.labels, len(x.labels), x.low < 0.01, x.high > 0.99) == (["a", "b"], 12, True, True)
    assert sum(heat.total) == 600
    failed = [heat.failed[j * 2 + i] for i in (0, 1) for j in range(12)]
    assert sum(failed[:17]) == 0  # mode a, and mode b with a small x
    assert failed[19:] == [heat.total[j * 2 + 1] for j in range(7, 12)]
    worst = [one for one in heat.worst if one is not None]
    assert (min(worst), max(worst)) == (pytest.approx(-1, abs=0.02), 1)
    assert heat.coverage == 1
    for axis in summary.axes:
        assert sum(axis.passed) + sum(axis.failed) == 600


def test_failures_are_listed_from_the_worst(summary):
    margins = [failure.margin for failure in summary.failures]
    assert margins == sorted(margins)
    assert margins[0] < -0.49
    assert summary.expectations == {"it stays away": len(margins)}
    assert summary.failures[0].places[1] > 9900  # x, the second axis


def test_an_axis_is_chosen_by_its_key():
    table = sampled(100)
    axes = summarize(table, x="noise", y="level")
    assert [axes.axes[n].key for n in axes.chosen] == ["noise", "level"]
    turned = summarize(table, y="x")
    assert turned.axes[turned.chosen[1]].key == "x"
    with pytest.raises(InputError, match="did you mean 'noise'"):
        summarize(table, x="nois")
    with pytest.raises(InputError, match="x axis as well"):
        summarize(table, x="noise", y="noise")


def test_poses_become_one_axis_for_each_number():
    table = [
        row("p", n, settings={"start": [n / 10, 2, 0.5 * (n % 2)], "goal": {"x": n % 3, "y": 1}})
        for n in range(30)
    ]
    found = {axis.key: axis.distinct for axis in summarize(table).axes}
    assert found == {"start.0": 30, "start.2": 2, "goal.x": 3}


def test_seeds_are_an_axis_if_each_setting_has_several():
    table = [row("pf"[n % 7 == 0], n % 7, settings={"a": n // 7}) for n in range(21)]
    crossed = summarize(table)
    assert [axis.key for axis in crossed.axes] == ["a", "seed"]
    assert (crossed.cell_count, crossed.cells[0].total) == (3, 7)
    only_seeds = summarize([row("p", n) for n in range(5)])
    assert [axis.key for axis in only_seeds.axes] == ["seed"]
    assert (only_seeds.chosen, only_seeds.pair_coverage) == (None, None)


def test_a_table_of_one_run_or_without_verdicts_has_a_page():
    for table in ([row("p")], [row("e", note="no map")] * 3, []):
        assert "<!doctype html>" in render_report(summarize(table), "t.csv")


def test_what_is_left_out_is_said():
    table = sampled(3000)
    found = summarize(table)
    assert (len(found.lines), len(found.failures)) == (MOST_LINES, MOST_FAILURES)
    assert sum(line.failed for line in found.lines) == MOST_LINES // 2
    assert f"{MOST_LINES:,} of 3,000 runs are drawn as lines." in found.notes
    assert any("200 worst of 7" in note for note in found.notes)
    page = render_report(found, "t.parquet")
    small = render_report(summarize(table[:1500]), "t.parquet")
    assert len(page) < 1.2 * len(small) < 1_500_000


def test_the_same_table_gives_the_same_page():
    pages = {render_report(summarize(sampled(1500)), "t.csv") for _ in range(2)}
    assert len(pages) == 1


def test_text_of_scenarios_is_no_markup():
    evil = "</script><img src=x onerror=alert(1)>&quot;'"
    table = sampled(40, failed=evil, note=evil, scenario=evil + ".toml")
    for one in table:
        one.settings[evil] = evil + str(one.seed % 3)
        one.margins = {evil: one.margin}
    page = render_report(summarize(table), evil)
    assert "<img" not in page
    assert page.count("</script>") == 3
    embedded = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]
    assert evil in msgspec.json.decode(embedded)["expectations"]


def test_the_page_makes_no_requests(summary):
    page = render_report(summary, "t.csv")
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert not re.search(r"url\(|@import|fetch\(", page)


def test_commands_of_a_failure_can_be_copied(summary):
    page = render_report(summary, "my runs/t.csv")
    first = summary.failures[0]
    code = re.findall(r"<code>(.*?)</code>", page)[:3]
    words = [shlex.split(html.unescape(re.sub(r"<[^>]+>", "", one))) for one in code]
    assert words[0] == ["rigless", "sweep", "show", "my runs/t.csv", first.key[:12], "--open"]
    assert words[1][:4] == ["rigless", "shrink", "my runs/t.csv", first.key[:12]]
    assert words[2][:5] == ["rigless", "check", "room.toml", "--seed", str(first.seed)]
    assert f"x={first.settings['x']!r}" in words[2]


@pytest.fixture
def sweep():
    group = typer.Typer()
    group.callback()(lambda: None)
    report_command.register(group)
    return lambda *words: CliRunner().invoke(group, [str(word) for word in words])


def test_the_command_writes_the_page_and_prints_the_verdict(tmp_path, sweep):
    write_rows(tmp_path / "t.parquet", sampled(50))
    options = ("--html", tmp_path / "r.html", "--want", "0.5", "--x", "level")
    done = sweep("report", tmp_path / "t.parquet", *options)
    assert (done.exit_code, done.exception) == (0, None)
    assert done.stdout.splitlines()[-1].startswith("PASS ")
    page = (tmp_path / "r.html").read_text()
    assert "the true rate is at least the wanted 50.0 %" in page
    assert '<option value="0" selected>level</option>' in page


@pytest.mark.parametrize(
    ("make", "target", "says"),
    [
        (lambda path: path.write_text("key,seed,verdict\n"), "r.html", "has no rows"),
        (lambda path: write_rows(path, sampled(3)), "t.csv", "names the table itself"),
        (lambda path: write_rows(path, sampled(3)), "no/r.html", "cannot be written"),
    ],
)
def test_mistakes_are_sentences_and_nothing_is_written(tmp_path, sweep, make, target, says):
    table = tmp_path / "t.csv"
    make(table)
    before = table.read_bytes()
    done = sweep("report", table, "--html", tmp_path / target)
    assert isinstance(done.exception, InputError)
    assert says in str(done.exception)
    assert table.read_bytes() == before
