"""`rigless welder validate`: exit codes, output, and the four kinds of report."""

import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

PROGRAMS = Path(__file__).parents[2] / "examples" / "programs"
WRONG = "G21 G90\nG1 X10 F2400\nG77 (<script>alert(1)</script> & more)\nG1 C500\nM30\n"


@pytest.fixture
def wrong(tmp_path):
    path = tmp_path / "wrong <1>.nc"
    path.write_text(WRONG)
    return path


def test_a_valid_program(run_cli):
    found = run_cli(
        "welder", "validate", PROGRAMS / "joint_moves.nc", "--cell", "weld_table", "--strict"
    )
    assert (found.returncode, found.stdout) == (0, "")
    assert "valid, 0 warnings" in found.stderr
    assert "cycle time 4.9" in found.stderr


def test_findings_are_printed_with_file_and_line(run_cli, wrong):
    found = run_cli("welder", "validate", wrong)
    assert found.returncode == 1
    first, second = found.stdout.splitlines()
    assert first.startswith(f"{wrong}:3:1: error: error:20 ")
    assert second.startswith(
        f"{wrong}:4:4: error: joint 6 to 500° is outside -360° to 360° [soft-limit, "
    )


def test_a_collision_names_line_and_objects(run_cli, tmp_path):
    path = tmp_path / "crash.nc"
    path.write_text("G1 X5 F6000\nG1 Y50 Z80\n")
    report = tmp_path / "r.json"
    found = run_cli("welder", "validate", path, "--cell", "weld_table", "--json", report)
    assert found.returncode == 1
    data = json.loads(report.read_text())
    assert (data["valid"], data["collisions"] > 0, data["cell"]) == (False, True, "weld_table")
    first = data["findings"][0]
    assert (first["rule"], first["line"], first["objects"][0]) == ("collision", 2, "torch")
    assert len(first["place_mm"]) == 3


def test_a_single_error_is_in_the_singular(run_cli, tmp_path):
    path = tmp_path / "one.nc"
    path.write_text("G0 X500\n")
    found = run_cli("welder", "validate", path)
    assert f"{path}: 1 error, 0 warnings" in found.stderr
    assert " 1 line, arc on 0.0 s, 0 mm welded, 0 collisions" in found.stderr


def test_a_cartesian_program_in_the_joint_profile_gets_a_hint(run_cli):
    for command in ("validate", "cycle-time"):
        found = run_cli("welder", command, PROGRAMS / "cartesian_seam.nc")
        assert found.returncode == 1
        assert "hint: X Y Z seem to be the torch tip in mm: try --set" in found.stderr


def test_reports(run_cli, wrong, tmp_path):
    names = {kind: tmp_path / f"r.{kind}" for kind in ("json", "junit", "sarif", "html")}
    found = run_cli(
        "welder",
        "validate",
        wrong,
        *(word for kind, path in names.items() for word in (f"--{kind}", path)),
    )
    assert found.returncode == 1
    once = names["json"].read_text()
    assert [one["rule"] for one in json.loads(once)["findings"]] == ["gcode", "soft-limit"]

    suite = ElementTree.parse(names["junit"]).getroot()[0]
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert (suite.get("failures"), failed) == ("2", ["gcode", "soft-limit"])

    run = json.loads(names["sarif"].read_text())["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    places = [result["locations"][0]["physicalLocation"]["region"] for result in run["results"]]
    assert places == [{"startLine": 3, "startColumn": 1}, {"startLine": 4, "startColumn": 4}]

    page = names["html"].read_text()
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.seen
    assert not tags.links
    assert page.count("<svg") == 5
    assert "&lt;script&gt;" in page
    assert "<dt>Collisions<dd>0" in page

    run_cli("welder", "validate", wrong, "--json", names["json"])
    assert names["json"].read_text() == once


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.links = set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.links += [
            value for name, value in attrs if name in ("src", "href") and not value.startswith("#")
        ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nowhere.nc"], "nowhere.nc: cannot be read"),
        ([PROGRAMS / "joint_moves.nc", "--cell", "nowhere.yaml"], "no cell file 'nowhere.yaml'"),
        ([PROGRAMS / "joint_moves.nc", "--heat", "5"], "is not a range in kJ/mm"),
        ([PROGRAMS / "joint_moves.nc", "--heat", "2:1"], "is not a range in kJ/mm"),
        ([PROGRAMS / "joint_moves.nc", "--set", "letters=QQ"], "letters"),
        ([PROGRAMS / "joint_moves.nc", "--config", "pacbot"], "has no welder in it"),
        ([PROGRAMS / "joint_moves.nc", "--json", "/nowhere/at/all.json"], "cannot be written"),
    ],
)
def test_bad_input_is_a_sentence(run_cli, words, why):
    found = run_cli("welder", "validate", *words)
    assert (found.returncode, why in found.stderr, "Traceback" in found.stderr) == (
        2,
        True,
        False,
    ), found.stderr
