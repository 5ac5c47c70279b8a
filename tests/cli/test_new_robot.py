"""`rigless new robot` makes a robot that runs and whose test passes."""

import subprocess
import sys

import pytest

import rigless
from rigless.kernel.problems import InputError
from rigless.testing import check_robot


def test_a_new_robot_runs_and_its_tests_pass(run_cli, tmp_path):
    done = run_cli("new", "robot", "conveyor_7", "--into", tmp_path)
    assert (done.returncode, f"made {tmp_path / 'conveyor_7'}" in done.stderr) == (0, True)
    assert "class Conveyor7(Robot)" in (tmp_path / "conveyor_7" / "robot.py").read_text()
    pytest_alone = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:hypothesis"]
    run = subprocess.run(
        [*pytest_alone, "conveyor_7"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "49 passed" in run.stdout
    check = run_cli("check", tmp_path / "conveyor_7" / "turn.toml")
    assert check.returncode == 0, check.stderr


def test_the_name_is_replaced_everywhere(run_cli, tmp_path):
    run_cli("new", "robot", "gate", "--into", tmp_path)
    files = [path for path in (tmp_path / "gate").rglob("*") if path.is_file()]
    assert {path.name for path in files} > {"README.md", "test_gate.py", "turn.toml"}
    assert [path for path in files if "emplate" in path.read_text() + path.name] == []


@pytest.mark.parametrize(
    "name", ["vacuum", "json", "class", "My-Robot", "7up", "", "../x", "x" * 300]
)
def test_a_bad_name_is_an_error(run_cli, tmp_path, name):
    done = run_cli("new", "robot", name, "--into", tmp_path)
    assert (done.returncode, "NAME" in done.stderr) == (2, True)
    assert list(tmp_path.glob("*.py")) == []


def test_an_existing_folder_is_left_alone(run_cli, tmp_path):
    (tmp_path / "gate").mkdir()
    done = run_cli("new", "robot", "gate", "--into", tmp_path)
    assert (done.returncode, "exists already" in done.stderr) == (2, True)
    assert list((tmp_path / "gate").iterdir()) == []


def test_check_robot_takes_a_folder_and_a_class_and_reports_all_failures(run_cli, tmp_path):
    run_cli("new", "robot", "lift_of_a_test", "--into", tmp_path)
    folder = tmp_path / "lift_of_a_test"
    assert check_robot(folder, only="same_seed") == ["same_seed_gives_same_bytes"]
    robot = type(rigless.load(str(folder)).robot("lift_of_a_test"))
    assert check_robot(robot, only="truth") == ["truth_is_json"]
    (folder / "README.md").unlink()
    (folder / "state.py").write_text((folder / "state.py").read_text() + "\nimport time\n")
    with pytest.raises(ExceptionGroup, match=r"2 of 46 checks of lift_of_a_test") as caught:
        check_robot(folder)
    reasons = [str(error) for error in caught.value.exceptions]
    assert ["README.md is missing" in reasons[0], "imports time" in reasons[1]] == [True, True]


def test_a_robot_without_random_numbers_may_ignore_the_seed(run_cli, tmp_path):
    run_cli("new", "robot", "still_lift", "--into", tmp_path)
    code = tmp_path / "still_lift" / "robot.py"
    text = code.read_text()
    draw = 'config.noise_deg * float(self.random("angle").standard_normal())'
    assert draw in text
    code.write_text(text.replace(draw, "0.0"))
    assert check_robot(tmp_path / "still_lift", only="another_seed") == ["another_seed_differs"]


def test_a_robot_without_a_class_is_an_error(tmp_path):
    with pytest.raises(InputError, match="not a robot folder"):
        check_robot(tmp_path)
