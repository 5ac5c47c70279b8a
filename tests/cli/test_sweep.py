"""`rigless sweep` and `rigless sweep show`, from the outside."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rigless.sweeps.row import Row
from rigless.sweeps.table import journal_of, read_table

HERE = Path(__file__).resolve().parents[1] / "sweeps"
COLD, TROUBLE = HERE / "cold_room.toml", HERE / "trouble.toml"
Command = Callable[..., Any]


def test_the_last_line_is_the_verdict_and_the_table_has_a_row_a_run(
    rigless_command: Command, tmp_path: Path
) -> None:
    table = tmp_path / "runs.parquet"
    words = ("sweep", COLD, "--vary", "hall.heater_w=600,1500", "--out", table)
    first = rigless_command(*words, "--seeds", 3)
    assert first.returncode == 1
    assert first.stdout.splitlines()[-1] == "FAIL 3/6 [0.1876, 0.8124]"
    assert "hall.heater_w=600                               0/3" in first.stderr
    assert "repeat it: rigless check" in first.stderr
    rows = read_table(table)
    assert [row.settings["hall.heater_w"] for row in rows] == [600, 1500] * 3
    assert [row.seed for row in rows] == [0, 0, 1, 1, 2, 2]
    assert {row.margins["the room is warm at the end"] or 0 < 0 for row in rows[::2]}
    assert not journal_of(table).exists()

    again = rigless_command(*words, "--seeds", 4)
    assert "6 of 8 runs were in" in again.stderr
    assert [row.key for row in read_table(table)][:6] == [row.key for row in rows]

    shown = rigless_command("sweep", "show", table, "0", "--record", tmp_path / "run.mcap")
    assert shown.returncode == 1
    assert "FAIL the room is warm at the end" in shown.stderr
    assert "not the same run" not in shown.stderr
    assert rigless_command("replay", tmp_path / "run.mcap", "--verify").returncode == 0
    assert rigless_command("sweep", "show", table, rows[1].key[:6]).returncode == 0


def test_show_says_if_the_scenario_has_changed(rigless_command: Command, tmp_path: Path) -> None:
    scenario = tmp_path / "cold.toml"
    text = COLD.read_text().replace("../../examples", str(HERE.parents[1] / "examples"))
    scenario.write_text(text)
    table = tmp_path / "t.csv"
    assert rigless_command("sweep", scenario, "--out", table).returncode == 0
    scenario.write_text(text.replace("min = 19.0", "min = 18.0"))
    shown = rigless_command("sweep", "show", table, "0")
    assert shown.returncode == 2
    assert "not the same run: content" in shown.stderr


@pytest.mark.parametrize(
    ("want", "line", "code"),
    [
        ("0.3", "PASS 20/20 [0.8388, 1.0000]", 0),
        ("0.99", "UNDECIDED 20/20 [0.8388, 1.0000]", 3),
    ],
)
def test_a_wanted_rate_decides(rigless_command: Command, want: str, line: str, code: int) -> None:
    words = ("sweep", COLD, "--set", "hall.heater_w=2500", "--seeds", 20, "--want", want)
    found = rigless_command(*words, "--quiet")
    assert (found.stdout.strip(), found.returncode) == (line, code)
    assert found.stderr == ""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_sweep_keeps_what_has_ended_and_says_how_to_go_on(
    stop: signal.Signals, rigless_process: Command, rigless_command: Command, tmp_path: Path
) -> None:
    table = tmp_path / "t.jsonl"
    words = ("sweep", COLD, "--seeds", 5000, "--out", table)
    process = rigless_process(*words, ready=False)
    process.until(lambda: journal_of(table).exists() and journal_of(table).stat().st_size > 5000)
    process.popen.send_signal(stop)
    time.sleep(0.02)
    assert process.end(stop) == 128 + stop  # a second one does not harm the table
    rows = read_table(table)
    assert not journal_of(table).exists()
    stopped = f"stopped after {len(rows)} of 5000 runs; {table} has them"
    assert f"{stopped}; the same command goes on" in process.errors
    there = among(rows, 3)
    rest = rigless_command("sweep", COLD, "--seeds", 3, "--out", table)
    assert f"{there} of 3 runs were in" in rest.stderr


def among(rows: list[Row], seeds: int) -> int:
    """Count rows of the first seeds: workers finish runs in any order."""
    there = sum(row.seed < seeds for row in rows)
    assert there, "none of the first runs ended before the others"
    return there


def test_a_killed_sweep_goes_on(
    rigless_process: Command, rigless_command: Command, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    process = rigless_process("sweep", COLD, "--seeds", 5000, "--out", table, ready=False)
    process.until(lambda: journal_of(table).exists() and journal_of(table).stat().st_size > 5000)
    process.end(signal.SIGKILL)
    assert not table.exists()
    kept = read_table(table)
    assert len(kept) >= 5
    there = among(kept, 4)
    rest = rigless_command("sweep", COLD, "--seeds", 4, "--out", table)
    assert f"{there} of 4 runs were in" in rest.stderr
    assert len(read_table(table)) == len(kept) + 4 - there


def test_a_search_finds_the_failure(rigless_command: Command, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    words = ("--vary", "hall.heater_w=700.0..3000.0", "--samples", 48, "--out", table)
    found = rigless_command("sweep", COLD, "--search", *words)
    assert found.returncode == 1
    assert "distinct failure" in found.stderr
    assert "more near it fail in the same way" in found.stderr
    assert "the points were chosen to fail" in found.stderr
    failing = [row.settings["hall.heater_w"] for row in read_table(table) if row.verdict == "fail"]
    assert failing
    assert max(failing) < 1200


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--vary", "hall.heater=1,2"), "heater"),
        (("--vary", "nobody.x=1,2"), "unknown key 'nobody'"),
        (("--vary", "hall.heater_w=2..1"), "the range '2..1' is empty"),
        (("--vary", "hall.heater_w=0.1..0.9"), "a grid needs single values"),
        (("--vary", "program.nav=a,b"), "no program 'nav'"),
        (("--vary", "verdict=1,2"), "the name of a column"),
        (("--seeds", "0"), "names no seed"),
        (("--seeds", "100001"), "these are 100,001 runs (add --yes"),
        (("--engine", "slurm"), "unknown engine 'slurm'"),
        (("--address", "tcp://127.0.0.1:1"), "the engine local has no address"),
        (("--until", "decided"), "add --want 0.99"),
        (("--until", "later", "--want", "0.9"), "unknown end 'later'"),
        (("--want", "1.5"), "1.5 is no share"),
        (("--search",), "a search needs axes"),
        (("--out", "runs.xlsx"), "does not end in .parquet, .csv or .jsonl"),
        (("--sampling", "sobel", "--samples", "4"), "did you mean 'sobol'?"),
        (("--samples", "4", "--pairwise"), "exclude each other"),
        (("--retry",), "add --out"),
        (("--set", "seed=3"), "the name of a column of the table (use --seeds)"),
        (("--search", "--samples", "200000", "--vary", "hall.heater_w=1.0..2.0"), "add --yes"),
    ],
)
def test_bad_input_gets_a_sentence(
    rigless_command: Command, tmp_path: Path, words: tuple[str, ...], part: str
) -> None:
    found = rigless_command("sweep", COLD, *words, cwd=tmp_path)
    assert found.returncode == 2, found.stderr
    assert part in found.stderr
    assert "Traceback" not in found.stderr
    assert found.stdout == ""
    assert list(tmp_path.glob("*.parquet")) == list(tmp_path.glob("*.journal")) == []


def test_a_scenario_that_expects_nothing_is_no_sweep(
    rigless_command: Command, tmp_path: Path
) -> None:
    scenario = tmp_path / "quiet.toml"
    scenario.write_text(f'[[robots]]\nkind = "{HERE.parents[1]}/examples/thermostat"\n')
    found = rigless_command("sweep", scenario)
    assert found.returncode == 2
    assert "expects nothing, so no run can fail" in found.stderr


def test_errors_prevent_a_pass_and_are_retried_on_request(
    rigless_command: Command, tmp_path: Path
) -> None:
    words = ("sweep", TROUBLE, "--vary", "it.behaviour=pass,raise", "--out", tmp_path / "t.jsonl")
    found = rigless_command(*words)
    assert found.returncode == 3
    assert found.stdout.splitlines()[-1].startswith("UNDECIDED 1/1")
    assert "1 run has no verdict; the first is error: it.tick failed at 0.5" in found.stderr
    assert "2 of 2 runs were in" in rigless_command(*words).stderr
    again = rigless_command(*words, "--retry")
    assert "1 of 2 runs were in" in again.stderr
    assert len(read_table(tmp_path / "t.jsonl")) == 2


def test_a_run_without_a_metric_of_the_others_is_the_same_again(
    rigless_command: Command, tmp_path: Path
) -> None:
    """A table has 0 for a metric that only other runs count, here collisions."""
    table = tmp_path / "t.csv"
    vary = ("--vary", "vacuum.start.theta=0.0,0.3", "--vary", "vacuum.start.y=0,0.001")
    rigless_command("sweep", "vacuum_table_leg", *vary, "--out", table)
    rows = read_table(table)
    assert {row.metrics["collisions"] for row in rows} == {0.0, 1.0}
    passing = next(row for row in rows if row.verdict == "pass")
    shown = rigless_command("sweep", "show", table, passing.key)
    assert shown.returncode == 0, shown.stderr
