"""`make bench-report`: the page from figures, some of them measured again, and failures."""

import json
import subprocess
import sys

import pytest

from building import benchmarks, performance

LIDAR = {"rays_per_s": 12_345_678.0, "peers": {"other": {"rays_per_s": 2e6}}}


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Return where the page is written, from figures made by hand."""
    path = tmp_path / "performance.md"
    monkeypatch.setattr(benchmarks, "PAGE", path)
    monkeypatch.setattr(benchmarks, "FIGURES", tmp_path / "benchmarks.json")
    monkeypatch.setattr(
        benchmarks, "measured", lambda name, **_: LIDAR if name != "rover" else None
    )
    return path


def test_the_page_has_each_benchmark_the_machine_and_peers(page, capsys):
    assert benchmarks.write() == 1
    assert "make bench-report NAMES=rover\n" in capsys.readouterr().err
    text = page.read_text("utf-8")
    titles = [title for name, title in performance.TITLES.items() if name != "rover"]
    found = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert found == ["The machine", *titles, "Batches on a graphics processor"]
    assert "| processor |" in text
    assert "Rays a second on one core and their errors" in text
    assert "| `rays_per_s` | 12,345,678 |" in text
    assert "### peers\n\n|  | rays_per_s |\n|---|---|\n| other | 2,000,000 |" in text


def test_a_benchmark_that_takes_too_long_is_measured_in_a_short_form(page, monkeypatch):
    asked = []

    def measured(name, short=False):
        asked.append((name, short))
        return {"a": 1} if short or name != "fleet" else None

    monkeypatch.setattr(benchmarks, "measured", measured)
    assert benchmarks.write("fleet", "kernel") == 0
    assert asked == [("fleet", False), ("fleet", True), ("kernel", False)]
    assert page.read_text("utf-8").count(", in a short form.") == 1


def test_some_benchmarks_can_be_measured_again(page, monkeypatch):
    benchmarks.write()
    before = json.loads(benchmarks.FIGURES.read_text("utf-8"))["benchmarks"]
    monkeypatch.setattr(benchmarks, "measured", lambda *_, **__: {"new": 7})
    assert benchmarks.write("kernel", "rover") == 0
    after = json.loads(benchmarks.FIGURES.read_text("utf-8"))["benchmarks"]
    assert {name for name in after if after[name] != before.get(name)} == {"kernel", "rover"}
    assert page.read_text("utf-8").count("| `new` | 7 |") == 2
    assert benchmarks.write("nonsense") == 2


def test_the_table_at_the_top_compares_with_peers_and_leaves_out_what_is_missing():
    figures = {
        "kernel": {"tickers_100": {"events_per_s": 3e6, "simpy_events_per_s": 1e6}, "echo": {}},
        "vacuum": {"encoded_x": 700.0},
    }
    assert [*performance.glances(figures)] == [
        ("periodic timers: events/s", "3,000,000", "simpy", "1,000,000", "3×"),
        ("vacuum, every packet encoded, × real time", "700", "", "", ""),
    ]


def test_groups_with_the_same_figures_are_rows_of_one_table():
    figures = {
        "map_250": {"a": 1, "wrong": 0},
        "map_500": {"a": 2, "wrong": 0},
        "rays": {"250": {"scan": {"a": 1}, "random": {"a": 2}}, "500": {"scan": {"a": 3}}},
        "live": {"share": 0.5, "fleets": {"1": {"rate": 1}, "5": {"rate": 2}}},
    }
    assert "".join(performance.tables("", figures)) == (
        "### map\n\n|  | a | wrong |\n|---|---|---|\n| map_250 | 1 | 0 |\n| map_500 | 2 | 0 |\n\n"
        "### rays\n\n|  | scan a | random a |\n|---|---|---|\n| 250 | 1 | 2 |\n| 500 | 3 |  |\n\n"
        "### live\n\n| figure |  |\n|---|---|\n| `share` | 0.5 |\n\n"
        "### live fleets\n\n|  | rate |\n|---|---|\n| 1 | 1 |\n| 5 | 2 |\n\n"
    )


@pytest.mark.parametrize(
    ("code", "figures"),
    [
        ("print('{\"a\": 1}')", {"a": 1}),
        ("raise SystemExit('no GPU')", None),
        ("import time; time.sleep(3600)", None),
    ],
)
def test_a_benchmark_that_fails_or_hangs_does_not_end_the_report(code, figures, monkeypatch):
    started = subprocess.Popen

    def start(command, **options):
        return started([sys.executable, "-c", code], **options)

    monkeypatch.setattr(benchmarks.subprocess, "Popen", start)
    monkeypatch.setattr(benchmarks, "LONGEST_S", 1.0 if "sleep" in code else 60.0)
    assert benchmarks.measured("lidar") == figures


def test_the_page_in_the_repository_shows_the_figures_beside_it():
    figures = json.loads(benchmarks.FIGURES.read_text("utf-8"))
    assert benchmarks.PAGE.read_text("utf-8") == performance.page(figures)


def test_every_benchmark_is_on_the_page():
    there = {path.stem for path in benchmarks.ROOT.glob("benchmarks/[!_]*.py")}
    assert there == set(performance.TITLES)
