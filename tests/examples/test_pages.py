"""Every scenario and mock.toml that a page shows can be used as it is printed."""

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from rigless.scenario.load import open_target

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.md")])
MAP = ROOT / "docs" / "how-to" / "drive-a-vacuum.md"
BLOCKS = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, text in enumerate(re.findall(r"(?ms)^```toml\n(.*?)^```", page.read_text()))
    if re.search(r"(?m)^(\[\[robots\]\]|\[device)", text)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files that pages refer to, made as the pages say."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "thermostat").symlink_to(ROOT / "examples" / "thermostat")
    drawn = [line for line in MAP.read_text().splitlines() if re.search(r"> home\.\w+$", line)]
    made = ["rigless agv new robot_config.json --id RBT-007", *drawn]
    scripts = sysconfig.get_path("scripts")
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    for command in made:
        subprocess.run(command, shell=True, cwd=folder, check=True, env=environment)
    return folder


@pytest.mark.parametrize("text", BLOCKS)
def test_a_scenario_of_a_page_can_be_used(text, folder, monkeypatch):
    monkeypatch.chdir(folder)
    path = folder / "page.toml"
    path.write_text(text)
    assert open_target(path).simulation.robots


def test_pages_have_scenarios():
    assert len(BLOCKS) >= 7
