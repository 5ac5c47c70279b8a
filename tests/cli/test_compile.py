"""`rigless compile`, and the notes of other commands while numba compiles."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from queue import SimpleQueue

import pytest
from rich.console import Console

from rigless import console
from rigless.cli import compile as compile_command
from rigless.kernel.compilation import observers


def test_the_first_use_compiles_and_the_next_does_not():
    reports = SimpleQueue()
    compile_command.compile_robot("pacbot", reports)
    assert compile_command.compile_robot("pacbot", reports) == 0
    assert observers == []


def test_no_function_is_compiled_in_the_first_run_of_a_robot():
    # With these, every path that once was missing is taken.
    scenarios = {
        "agv": ["agv_drive_fault", "agv_fleet"],
        "pacbot": ["pacbot_tiles"],
        "rover": ["rover_declination"],
        "vacuum": ["vacuum_gyro_bias"],
        "welder": ["welder_seam"],
    }
    words = [sys.executable, Path(__file__).with_name("first_run.py"), json.dumps(scenarios)]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    assert json.loads(found.stdout) == {kind: [] for kind in scenarios}, found.stderr


def test_robots_are_reported_and_unknown_ones_named(run_cli, monkeypatch):
    monkeypatch.setattr(
        compile_command, "_compile_all", lambda robots: dict.fromkeys(robots, 0) | {"rover": 3}
    )
    found = run_cli("compile", "vacuum", "rover", "vacuum")
    assert found.stdout == "vacuum: already compiled\nrover: 3 functions compiled\n"
    unknown = run_cli("compile", "vacum")
    assert (unknown.returncode, "did you mean 'vacuum'?" in unknown.stderr) == (2, True)


def test_a_robot_of_your_own_is_named_by_its_folder(run_cli, monkeypatch, thermostat):
    monkeypatch.setattr(compile_command, "_compile_all", lambda robots: dict.fromkeys(robots, 2))
    compile_command.use_robot(str(thermostat))  # what its process does
    found = run_cli("compile", thermostat)
    assert found.stdout == f"{thermostat}: 2 functions compiled\n"
    unknown = run_cli("compile", "hygrometer")
    assert (unknown.returncode, "or a folder such as ./my_robot" in unknown.stderr) == (2, True)
    monkeypatch.chdir(thermostat.parent)
    assert "name its folder: ./thermostat" in run_cli("compile", "thermostat").stderr


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_only_if_something_is_compiled(terminal, monkeypatch):
    text = StringIO()
    shown = Console(file=text, force_terminal=terminal, width=100, highlight=False)
    monkeypatch.setattr(console, "stderr_console", lambda: shown)
    monkeypatch.setattr(console.CompileNote, "printed", False)
    with console.compile_progress("pacbot"):
        pass
    assert text.getvalue() == ""
    with console.compile_progress("pacbot"):
        for number, name in enumerate(("step", "measure")):
            observers[-1].begin(name)
            observers[-1].end(number + 1, 2)
    if terminal:
        assert "compiling pacbot: measure" in text.getvalue()
        assert "compiled pacbot in 0 s" in text.getvalue()
    else:
        console.CompileNote().begin("more")  # as one in an outer block
        assert text.getvalue() == "compiling for this machine; later starts are quick …\n"
    assert observers == []
