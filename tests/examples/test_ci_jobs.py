"""The CI jobs of the how-to: their shell lines are run, without installing and without root."""

import os
import re
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "test-your-software.md"
GITHUB, GITLAB = map(yaml.safe_load, re.findall(r"(?ms)^```yaml\n(.*?)^```", PAGE.read_text()))
LINES = {
    "github": [step["run"] for step in GITHUB["jobs"]["scenarios"]["steps"] if "run" in step],
    "gitlab": GITLAB["scenarios"]["script"],
}
FILES = {
    "github": GITHUB["jobs"]["scenarios"]["steps"][-1]["with"]["path"].split(),
    "gitlab": [*GITLAB["scenarios"]["artifacts"]["paths"], "report.xml"],
}
SCENARIO = """
name = "{name}"
duration_s = 2
speed = 2
late_max_ms = 10000
[world]
map = "room_with_box"
[[robots]]
kind = "vacuum"
[[programs]]
name = "nav"
command = "nothing"
wait_for = {{ port = "vacuum.commands" }}
[[expect]]
name = "it drives"
value = "truth.distance_m"
max = {most}
"""
NAV = 'exec 3<>"/dev/tcp/$1/$2"; sleep 100'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a Makefile, a program, a scenario that passes and one that fails."""
    folder = tmp_path / "project"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "nav.sh").write_text(f"#!/bin/bash\n{NAV}\n")
    (folder / "Makefile").write_text("build/nav: nav.sh\n\tinstall -D nav.sh build/nav\n")
    for name, most in (("good", 1), ("bad", -1)):
        (folder / "scenarios" / f"{name}.toml").write_text(SCENARIO.format(name=name, most=most))
    return folder


@pytest.mark.parametrize("job", LINES)
def test_a_job_checks_scenarios_and_leaves_its_files(job: str, project: Path) -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    install, *lines = (line for line in LINES[job] if not line.startswith("sudo "))
    if job != "github":  # the others take their time only once
        lines = [line for line in lines if line == "make" or line not in LINES["github"]]
    (named,) = re.findall(r"pip install 'rigless\[(\w+)\]'", install)
    assert named in extra
    scripts = sysconfig.get_path("scripts")
    environment: dict[str, Any] = {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(project / "summary.md"),
        "XDG_STATE_HOME": str(project / "state"),
    }
    done = subprocess.run(
        ["bash", "-ec", "\n".join(lines)],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "1 passed, 1 failed" in done.stderr
    for name in FILES[job]:
        assert (project / name).exists(), name
    assert [path.name for path in (project / "failures").glob("*.mcap")] == ["bad-seed0.mcap"]
    assert ElementTree.parse(project / "report.xml").getroot().get("failures") == "1"
    assert "bad" in (project / "summary.md").read_text()
