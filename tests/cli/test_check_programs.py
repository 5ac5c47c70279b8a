"""`rigless check` and `rigless run` with programs: replaced commands, isolation, files of runs."""

import json
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest

from runs.scenes import CLIENT, TRIES, scenario

Command = Callable[..., Any]
NAV = '[[programs]]\nname = "nav"\ncommand = "{client} \'SET 24\'"\n'
SET = '[[expect]]\nname = "set"\nvalue = "truth.setpoint_c"\nequals = 24\n'
FIXED = f"command = \"{sys.executable} -S {CLIENT} --url tcp://127.0.0.1:7777 'SET 24'\"\n"


def valid(run_cli: Command, *words: object) -> Any:
    """Run a check again while the machine is too slow for it."""
    for _ in range(TRIES):
        found = run_cli("check", *words)
        if "invalid" not in found.stderr:
            return found
    raise AssertionError(found.stderr)


def test_a_command_can_be_replaced(run_cli: Command, tmp_path: Path) -> None:
    file = scenario(tmp_path, NAV + SET, settle_s=0.2, duration_s=100)
    good = valid(run_cli, file)
    assert good.returncode == 0, good.stderr
    assert not list((tmp_path / "state" / "runs").iterdir())  # nothing is left of a good run
    kept = valid(run_cli, file, "--runs", tmp_path / "kept")
    assert kept.returncode == 0, kept.stderr
    assert (tmp_path / "kept" / "room-seed0" / "run.mcap").exists()
    other = f"nav={sys.executable} -S {CLIENT} 'SET 20' --exit 4"
    bad = valid(run_cli, file, "--program", other, "--runs", tmp_path / "runs")
    assert bad.returncode == 1
    assert "FAIL set: was 20 at" in bad.stderr
    assert "program nav: exit 4" in bad.stderr
    assert "| SET 20 -> OK" in bad.stderr
    assert f"repeat it: rigless check {file} --seed 0 --program 'nav=" in bad.stderr
    assert (tmp_path / "runs" / "room-seed0" / "nav.log").exists()
    assert (tmp_path / "runs" / "room-seed0" / "run.mcap").exists()


def test_a_command_is_repeated_only_for_scenarios_that_have_the_program(
    run_cli: Command, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    files = [scenario(tmp_path, NAV + SET), scenario(tmp_path / "other", SET)]
    found = valid(run_cli, *files, "--program", "nav=true")
    assert f"repeat it: rigless check {files[0]} --seed 0 --program nav=true" in found.stderr
    assert f"repeat it: rigless check {files[1]} --seed 0\n" in found.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--program", "vav=true"], "the scenario has no such program (did you mean 'nav'?)"),
        (["--program", "nav"], "is not NAME=COMMAND"),
        (["--program", "nav='"], "cannot be split into words"),
    ],
)
def test_mistakes_in_program(
    run_cli: Command, tmp_path: Path, words: list[str], reason: str
) -> None:
    found = run_cli("check", scenario(tmp_path, NAV), *words)
    assert found.returncode == 2
    assert reason in found.stderr


def test_isolated_runs_with_fixed_ports_side_by_side(run_cli: Command, tmp_path: Path) -> None:
    text = f'[[programs]]\nname = "nav"\nisolate = true\n{FIXED}' + SET
    file = scenario(tmp_path, text, settle_s=0.2, duration_s=100)
    found = valid(run_cli, file, file, "--jobs", 2)
    assert found.returncode == 0, found.stderr
    assert "2 passed, 0 failed" in found.stderr


def test_a_machine_that_is_too_slow_makes_a_run_invalid(
    run_cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rigless.host.host import Host

    monkeypatch.setattr(Host, "lost_ns", 1_200_000_000, raising=False)
    monkeypatch.setattr(Host, "worst_lag_ns", 1_100_000_000, raising=False)
    monkeypatch.setattr(Host, "__setattr__", _keep_lost_time)
    report = tmp_path / "report.xml"
    file = scenario(tmp_path, NAV + SET, settle_s=0.2, duration_s=100)
    found = run_cli("check", file, "--junit", report)
    assert found.returncode == 1
    assert "INVALID room" in found.stderr
    assert "machine too slow: 1.20 s of wall time lost at 10×" in found.stderr
    assert "0 passed, 0 failed, 1 invalid" in found.stderr


def _keep_lost_time(self: Any, name: str, value: Any) -> None:
    if name not in ("lost_ns", "worst_lag_ns"):
        object.__setattr__(self, name, value)


def test_run_starts_programs_and_shows_their_output(run_cli: Command, tmp_path: Path) -> None:
    more = 'wait_for = { output = "OK" }\nlimits = { output_mb = 0.000012 }\n'
    file = scenario(tmp_path, NAV + more, duration_s=20)
    words = ["--no-panel", "--set", "ports.line=0"]
    found = run_cli("run", file, *words)
    assert found.returncode == 0
    assert "nav | SET 24 -> " in found.stderr
    assert "nav: its output is cut after 1.2e-05 MB (limits.output_mb)" in found.stderr
    assert "nav exited with 0" in found.stderr
    found = run_cli("run", file, *words, "--no-programs")
    assert "nav" not in found.stderr


def test_run_lets_a_program_step_time_itself(run_cli: Command, tmp_path: Path) -> None:
    (tmp_path / "step.py").write_text(
        "from rigless.clients.lockstep import Lockstep\n"
        "clock = Lockstep()\n"
        "print('began at', clock.time_s, 'and is at', clock.step(ms=20_000))\n"
    )
    text = '[[programs]]\nname = "nav"\nlockstep = true\ncommand = "{run.python} step.py"\n'
    file = scenario(tmp_path, text)
    found = run_cli("run", file, "--panel", "127.0.0.1:0", "--set", "ports.line=0")
    assert "nav | began at 0.0 and is at 20.0" in found.stderr
    for option, reason in {
        "--no-panel": "--no-panel: nav steps time through the control API",
        "--speed=2": "--speed: nav steps time itself",
        "--fast": "--fast: programs run in wall time",
    }.items():
        found = run_cli("run", file, option)
        assert found.returncode == 2
        assert reason in found.stderr


def test_run_can_be_isolated_too_and_its_panel_stays_reachable(
    rigless_process: Command, tmp_path: Path
) -> None:
    with socket.socket() as other:  # outside, the port may be taken
        with suppress(OSError):
            other.bind(("127.0.0.1", 7777))
            other.listen()
        text = f'[[programs]]\nname = "nav"\nisolate = true\n{FIXED}'
        file = scenario(tmp_path, text, duration_s=300)
        words = ["--isolate", "--panel", "127.0.0.1:0", "--no-auth"]
        process = rigless_process("run", file, *words, fresh=True)  # it must have one thread
        process.until(lambda: "nav | SET 24 -> OK" in process.errors, "the program")
        assert json.load(urlopen(f"{process.url}/api/status", timeout=60))["state"] == "running"
        assert "a client by hand: nsenter" in process.errors


def test_what_needs_the_common_network_excludes_isolation(run_cli: Command, tmp_path: Path) -> None:
    found = run_cli("run", scenario(tmp_path, NAV), "--isolate", "--foxglove", 0)
    assert found.returncode == 2
    assert "--isolate: --foxglove needs the common network" in found.stderr


ENDLESS = (
    """
[[programs]]
name = "nav"
command = ["sh", "-c", "touch started; sleep 10000"]
"""
    + SET
)


def short_and_endless(folder: Path) -> tuple[str, str]:
    """Write a scenario that fails at once, and one that does not end."""
    for name in ("short", "endless"):
        (folder / name).mkdir()
    return (
        scenario(folder / "short", SET, duration_s=1),
        scenario(folder / "endless", ENDLESS, duration_s=10_000),
    )


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_check_reports_the_runs_that_ended(
    rigless_process: Command, tmp_path: Path, stop: signal.Signals, jobs: int
) -> None:
    short, endless = short_and_endless(tmp_path)
    report = tmp_path / "report.xml"
    words = ("check", short, endless, endless, "--jobs", jobs, "--junit", report)
    process = rigless_process(*words, ready=False)
    started = tmp_path / "endless" / "started"
    process.until(lambda: "FAIL room" in process.errors and started.exists())
    assert not report.exists()
    assert process.end(stop) == 128 + stop, process.errors
    assert "Traceback" not in process.errors
    assert "0 passed, 1 failed, 2 not run" in process.errors
    assert len(ElementTree.parse(report).findall("testsuite")) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_check_ends_at_the_first_failure_if_requested(
    run_cli: Command, tmp_path: Path, jobs: int
) -> None:
    short, endless = short_and_endless(tmp_path)
    folder = tmp_path / "runs"
    words = ("--jobs", jobs, "--fail-fast", "--runs", folder)
    found = run_cli("check", short, endless, endless, *words)
    assert found.returncode == 1, found.stderr
    assert "0 passed, 1 failed, 2 not run" in found.stderr
    if jobs == 1:
        assert not list(folder.iterdir())  # of runs that did not begin
