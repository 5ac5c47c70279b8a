"""A new robot is one folder, with no registration anywhere."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rigless.kernel.problems import InputError
from rigless.scenario import kinds
from rigless.scenario.load import open_target
from rigless.testing.exercise import session
from rigless.testing.subject import Subject

from .subjects import ROOT, THERMOSTAT, targets


def copy(folder: Path) -> str:
    shutil.copytree(THERMOSTAT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return str(folder)


def test_the_suite_has_every_installed_robot_and_an_outside_one():
    on_disk = {
        init.parent.name for init in (ROOT / "src" / "rigless" / "robots").glob("*/__init__.py")
    }
    assert {kinds.default_name(target) for target in targets()} >= {"thermostat", *on_disk}
    assert set(kinds.installed()) == on_disk


def test_a_copied_folder_is_a_robot(tmp_path):
    target = copy(tmp_path / "boiler_of_a_test")
    sim = open_target(target).simulation
    sim.run(1)
    assert sim.ports("boiler_of_a_test") == ["line", "reports"]
    subject = Subject.of(target)
    assert session(subject) == session(subject)
    assert type(sim.robot("boiler_of_a_test")) is not kinds.robot_class(THERMOSTAT)


def test_the_package_does_not_mention_it():
    sources = (ROOT / "src").rglob("*.py")
    assert [p for p in sources if "import thermostat" in p.read_text("utf-8")] == []


def test_it_runs_from_the_command_line_in_a_bare_directory(tmp_path):
    target = copy(tmp_path / "boiler_from_a_shell")
    code = "from rigless.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code, "check", "boiler_from_a_shell"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, "1 passed" in run.stdout + run.stderr) == (0, True), run.stderr
    assert Path(target).is_dir()


def test_a_folder_without_a_robot_is_an_error(tmp_path):
    with pytest.raises(InputError, match="not a robot folder"):
        open_target(tmp_path)
