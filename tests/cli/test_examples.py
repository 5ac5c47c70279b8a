"""`rigless examples`: the bundled examples are listed, shown and copied."""

import re
import sys

import pytest

from rigless.cli.examples import IGNORED
from rigless.cli.parsing.completion import examples, robots, targets
from rigless.scenario.bundled import folder


def test_every_example_is_listed_with_a_sentence(run_cli):
    listed = run_cli("examples")
    lines = dict(line.split(maxsplit=1) for line in listed.stdout.splitlines())
    place = folder("examples")
    assert set(lines) == {path.stem for path in place.iterdir() if path.name not in IGNORED}
    assert all(len(text) > 30 for text in lines.values())
    assert "G-code for the welder" in lines["programs"]
    assert "--copy DIR" in listed.stderr


@pytest.mark.parametrize("name", ["01_virtual_time", "virtual_time", "examples/01_virtual_time.py"])
def test_an_example_is_shown_with_the_command_that_runs_it(run_cli, name):
    shown = run_cli("examples", name)
    path = folder("examples") / "01_virtual_time.py"
    assert (shown.returncode, shown.stdout) == (0, f"{path}\n")
    assert f"python {path}" in shown.stderr


def imported(package):
    return [name for name in sys.modules if name.partition(".")[0] == package]


def test_copied_examples_run_and_are_not_overwritten(run_cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing = run_cli("check", "examples/thermostat/winter.toml")
    assert missing.returncode == 2
    assert "rigless examples --copy examples" in missing.stderr
    copied = run_cli("examples", "--copy", "examples")
    assert (copied.returncode, copied.stderr) == (0, "")
    names = {path.name for path in folder("examples").iterdir()} - {"__pycache__"}
    assert {path.name for path in (tmp_path / "examples").iterdir()} == names
    assert not list(tmp_path.rglob("__pycache__"))
    assert (tmp_path / "examples/programs/weld_seam.nc").is_file()
    for name in imported("thermostat"):
        monkeypatch.delitem(sys.modules, name)
    checked = run_cli("check", "examples/thermostat/winter.toml", "--set", "duration_s=2500")
    assert (checked.returncode, checked.stderr.count("PASS")) == (0, 1)
    for name in imported("thermostat"):  # other tests have theirs
        del sys.modules[name]
    again = run_cli("examples", "thermostat", "--copy", "examples")
    assert again.returncode == 2
    assert "examples/thermostat: exists already" in again.stderr
    (tmp_path / "examples/thermostat/winter.toml").write_text("")
    forced = run_cli("examples", "thermostat", "--copy", "examples", "--force")
    assert (forced.returncode, "rigless run examples/thermostat" in forced.stderr) == (0, True)
    assert (tmp_path / "examples/thermostat/winter.toml").read_text()


def test_an_unknown_example_and_a_folder_that_cannot_be_made(run_cli, tmp_path):
    unknown = run_cli("examples", "thermostt")
    assert (unknown.returncode, "did you mean 'thermostat'?" in unknown.stderr) == (2, True)
    (tmp_path / "file").touch()
    blocked = run_cli("examples", "--copy", tmp_path / "file" / "inner")
    assert blocked.returncode == 2
    assert re.search(r"cannot be written: \w+", blocked.stderr)


def test_the_shell_completes_robots_scenarios_and_examples(run_cli, monkeypatch):
    assert robots("v") == ["vacuum"]
    assert targets("pacbot_s") == ["pacbot_square"]
    assert targets("examples/th") == []  # the shell completes files
    assert examples("the") == ["thermostat"]
    # the shell is a process above this one, and not every machine that runs tests has one
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    assert "COMPLETE=complete_bash" in run_cli("--show-completion").stdout
