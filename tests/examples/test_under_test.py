"""The programs under test of the examples: each passes one scenario and fails one with a fault."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from system.ros import ros_python

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FOLDER = EXAMPLES / "under_test"
TRIES = 4  # a busy machine may not hold the pace of a run

# The expectations that fail; none: it passes.
FAIL = {
    "vacuum/room": [],
    "vacuum/stuck_lidar": ["it touches nothing"],
    "vacuum/explore": [],
    "vacuum/explore_stuck_lidar": ["it touches nothing"],
    "pacbot/lap": [],
    "pacbot/lost_reply": ["it touches nothing", "the program ends well"],
    "welder/seam": [],
    "welder/arc_lost": ["the seam has its whole length", "the program ends well"],
    "rover/lawn": [],
    "rover/wrong_base_station": ["it arrives"],
    "agv/move": [],
    "agv/motor_fault": ["it arrives", "the program ends well"],
}
PRINTS = {  # the last lines of programs
    "vacuum/explore": "m2 of floor, the map is",
    "pacbot/lap": "lap complete",
    "welder/seam": "job completed",
    "welder/arc_lost": "state Hold:0",
    "rover/lawn": "arrived",
    "rover/wrong_base_station": "arrived",
    "agv/move": "SUCCEEDED",
    "agv/motor_fault": "FAILED stopped: DRIVE_MOTOR_ERROR:drive_left",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Check all scenarios with one command; check those again that the machine was too slow for."""
    files = tmp_path_factory.mktemp("under_test")
    go_to = f"go_to={ros_python()} {FOLDER / 'rover' / 'go_to.py'} 4 3"
    found, left = {}, sorted(FAIL)
    for attempt in range(TRIES):
        report, runs = files / f"{attempt}.json", files / f"runs{attempt}"
        command = [sys.executable, "-m", "rigless", "check", "--jobs", "2"]
        command += ["--set", "late_max_ms=5000"]  # other tests run at the same time
        command += [str(FOLDER / f"{name}.toml") for name in left]
        if any(name.startswith("rover/") for name in left):
            command += ["--program", go_to]
        command += ["--json", str(report), "--runs", str(runs)]
        run = subprocess.run(command, cwd=files, capture_output=True, text=True, check=False)
        assert report.exists(), run.stderr
        scenarios = json.loads(report.read_text())["scenarios"]
        found |= dict(zip(left, scenarios, strict=True))
        # a robot that gets its commands late may hit a wall: the limit is high, so try again
        left = [name for name in left if _unexpected(name, found[name])]
        if not left:
            break
    return found


def _unexpected(name, result):
    failed = [each["text"] for each in result["expectations"] if not each["passed"]]
    return result["status"] == "invalid" or failed != FAIL[name]


def test_every_scenario_is_tested():
    names = {
        path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.toml")
    }
    assert names == set(FAIL)


def test_the_welder_example_has_the_bundled_program():
    bundled = EXAMPLES / "programs" / "weld_seam.nc"
    assert (FOLDER / "welder" / "weld_seam.nc").read_text() == bundled.read_text()


def test_each_failing_scenario_begins_with_its_lesson():
    for name, failed in FAIL.items():
        first = (FOLDER / f"{name}.toml").read_text().splitlines()[0]
        assert first.startswith("# This scenario fails: ") == bool(failed)


@pytest.mark.timeout(1200)  # all runs, and several times on a busy machine
@pytest.mark.parametrize("name", FAIL)
def test_a_scenario_gives_its_verdict(name, results):
    result = results[name]
    assert result["status"] == ("failed" if FAIL[name] else "passed"), result
    assert result["failure"] == ""
    assert [each["text"] for each in result["expectations"] if not each["passed"]] == FAIL[name]
    (program,) = result["programs"]
    assert PRINTS.get(name, "") in "\n".join(program["last_lines"])


@pytest.mark.timeout(1200)
def test_the_page_shows_the_verdicts_of_the_programs(results):
    text = (EXAMPLES.parent / "docs/how-to/test-your-software.md").read_text("utf-8")
    parts = re.findall(r"(?ms)^## (Vacuum|Pacbot|Welder|Rover|AGV)\n(.*?)(?=^## |\Z)", text)
    assert len(parts) == 5
    for robot, part in parts:
        verdicts = {
            ("ok" if each["passed"] else "FAIL", each["text"])
            for name, result in results.items()
            if name.startswith(f"{robot.lower()}/")
            for each in result["expectations"]
        }
        shown = set(re.findall(r"(?m)^ *(ok|FAIL) +([^:\n]+): ", part))
        assert shown
        assert shown - verdicts == set(), robot
