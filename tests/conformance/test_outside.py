"""A new robot is one folder, with no registration anywhere."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rigless.kernel.problems import InputError
from rigless.scenario import kinds
from rigless.scenario.load import open_target
from rigless.testing import check_robot
from rigless.testing.exercise import session
from rigless.testing.subject import Subject

from .subjects import ROOT, THERMOSTAT, golden_of, targets

CODES = 'event_codes = ("heater",)'
METRICS = '    metric_names = ("switched",)\n'


def copy(folder: Path) -> str:
    shutil.copytree(THERMOSTAT, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return str(folder)


def test_the_suite_has_every_installed_robot_and_an_outside_one():
    on_disk = {
        init.parent.name for init in (ROOT / "src" / "rigless" / "robots").glob("*/__init__.py")
    }
    assert {kinds.default_name(target) for target in targets()} >= {"thermostat", *on_disk}
    assert set(kinds.installed()) == on_disk


def test_the_folder_of_an_installed_robot_is_that_robot():
    folder = ROOT / "src" / "rigless" / "robots" / "pacbot"
    passed = check_robot(folder, golden=golden_of("pacbot"), only="imports_nothing")
    assert passed == ["imports_nothing_forbidden"]
    assert Subject.of(folder).target == "pacbot"


def test_a_copied_folder_is_a_robot(tmp_path):
    target = copy(tmp_path / "boiler_of_a_test")
    sim = open_target(target).simulation
    sim.run(1)
    assert sim.ports("boiler_of_a_test") == ["line", "reports"]
    subject = Subject.of(target)
    assert session(subject) == session(subject)
    assert type(sim.robot("boiler_of_a_test")) is not kinds.robot_class(THERMOSTAT)


@pytest.mark.parametrize(
    ("old", "new", "check", "fix"),
    [
        (CODES, "", "same_seed", "add 'heater' to event_codes of the class Thermostat in "),
        (CODES, "", "events_in_the_code", "add 'heater' to event_codes of the class Thermostat "),
        (CODES, f'{CODES} + ("door",)', "events_in_the_code", "no code emits the events door:"),
        (METRICS, "", "same_seed", "add 'switched' to metric_names of the class Thermostat in "),
        ("(Report,)", "()", "same_seed", "add Report to emits=(…) of Port('reports', …) in "),
    ],
)
def test_emissions_must_be_declared(tmp_path, old, new, check, fix):
    folder = Path(copy(tmp_path / f"{tmp_path.name}_boiler"))  # a name is imported only once
    text = (folder / "robot.py").read_text("utf-8")
    (folder / "robot.py").write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ExceptionGroup) as caught:
        check_robot(folder, golden=golden_of(THERMOSTAT), only=check)
    (failure,) = caught.value.exceptions
    assert fix in str(failure)
    assert f"{folder.name}/robot.py" in str(failure)


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
