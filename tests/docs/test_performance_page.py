"""`make bench-report`: the page from figures, some of them measured again, and failures."""

import subprocess
import sys

import pytest

from building import benchmarks


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Return where the page is written, from figures made by hand."""
    figures = {"rays_per_s": 12_345_678.0, "peers": {"other": {"rays_per_s": 2e6}}}
    path = tmp_path / "performance.md"
    monkeypatch.setattr(benchmarks, "PAGE", path)
    monkeypatch.setattr(
        benchmarks, "measured", lambda name, *_, **more: figures if name != "rover" else None
    )
    return path


def test_the_page_has_each_benchmark_the_machine_and_peers(page, capsys):
    assert benchmarks.write() == 1
    assert "make bench-report NAMES=rover\n" in capsys.readouterr().err
    found = benchmarks.sections(page.read_text("utf-8"))
    wanted = [name for name in benchmarks.NAMES if name != "rover"]
    assert [*found] == ["The machine", *wanted, "Batches on a graphics processor"]
    assert "| processor |" in found["The machine"]
    lidar = found["lidar"]
    assert "Rays a second on one core and their errors" in lidar
    assert "| `rays_per_s` | 12,345,678 |" in lidar
    assert "### peers\n\n|  | rays_per_s |\n|---|---|\n| other | 2,000,000 |" in lidar


def test_a_benchmark_that_takes_too_long_is_measured_in_a_short_form(page, monkeypatch):
    asked = []

    def measured(name, longest_s, short=False):
        asked.append((name, short))
        return {"a": 1} if short or name != "fleet" else None

    monkeypatch.setattr(benchmarks, "measured", measured)
    assert benchmarks.write("fleet", "kernel") == 0
    assert asked == [("fleet", False), ("fleet", True), ("kernel", False)]
    text = page.read_text("utf-8")
    assert text.count(", in a short form.") == 1


def test_without_time_the_page_keeps_its_figures(page, monkeypatch):
    benchmarks.write()
    before = page.read_text("utf-8")
    monkeypatch.setattr(benchmarks, "BUDGET_S", -1)
    monkeypatch.setattr(benchmarks, "measured", None)
    assert benchmarks.write() == 1
    assert page.read_text("utf-8") == before


def test_some_benchmarks_can_be_measured_again(page, monkeypatch):
    benchmarks.write()
    before = benchmarks.sections(page.read_text("utf-8"))
    monkeypatch.setattr(benchmarks, "measured", lambda name, *_, **more: {"new": 7})
    assert benchmarks.write("kernel", "rover") == 0
    after = benchmarks.sections(page.read_text("utf-8"))
    changed = [name for name in after if after[name] != before.get(name)]
    assert changed == ["kernel", "rover"]
    assert "| `new` | 7 |" in after["rover"]
    assert benchmarks.write("nonsense") == 2


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
    assert benchmarks.measured("lidar", 1.0 if "sleep" in code else 60.0) == figures


def test_every_benchmark_is_on_the_page():
    there = {path.stem for path in benchmarks.ROOT.glob("benchmarks/[!_]*.py")}
    assert there == set(benchmarks.NAMES)
