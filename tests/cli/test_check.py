"""`rigless check`: exit codes, and reports that machines can read and compare."""

import json
import re
from xml.etree import ElementTree

import pytest

from rigless.recordings.replay import verify

SCENARIO = """
name = "room"
duration_s = 60
[[robots]]
name = "hall"
kind = "{kind}"
"""
HOLDS = '[[expect]]\nname = "{name}"\nvalue = "truth.temperature_c"\nmin = 0\n'
FAILS = '[[expect]]\nname = "{name}"\nvalue = "truth.temperature_c"\nmin = 99\n'
UGLY = "<script>alert(1)</script> & 'quotes' \\\"double\\\" \\u0001"


@pytest.fixture
def scenario(tmp_path, thermostat):
    def write(name, *expectations):
        path = tmp_path / name
        path.write_text(SCENARIO.format(kind=thermostat) + "".join(expectations))
        return path

    return write


def test_exit_codes_of_pass_fail_and_bad_input(rigless_command, thermostat, scenario, tmp_path):
    good = scenario("good.toml", HOLDS.format(name="a"))
    bad = scenario("bad.toml", HOLDS.format(name="a"), FAILS.format(name="b"))
    assert rigless_command("check", thermostat / "winter.toml", good).returncode == 0
    found = rigless_command("check", good, bad)
    assert found.returncode == 1
    assert "1 passed, 1 failed" in found.stderr
    assert "FAIL b: was" in found.stderr
    found = rigless_command("check", good, tmp_path / "none.toml")
    assert found.returncode == 2
    assert "passed" not in found.stderr  # no scenario runs if an input is bad


def test_all_errors_are_reported_at_once(run_cli, scenario):
    one = scenario("one.toml", '[[expect]]\nvalue = "truth.temprature_c"\nmin = 1\n')
    other = scenario("other.toml", "seeed = 1\n")
    found = run_cli("check", one, other)
    assert found.returncode == 2
    assert "did you mean 'temperature_c'" in found.stderr
    assert "other.toml" in found.stderr
    assert "Traceback" not in found.stderr


BIAS = '[[faults]]\nat_s = 10\nuntil_s = 40\ntarget = "temperature"\nkind = "bias"\nvalue = 3\n'


def test_a_failure_explains_itself(run_cli, scenario, tmp_path):
    bad = scenario("bad.toml", FAILS.format(name="warm"), HOLDS.format(name="cold"), BIAS)
    words = ("check", bad, "--seed", 5, "--set", "hall.start_c=12", "--record-failures")
    reports = ("--json", tmp_path / "a.json", "--junit", tmp_path / "a.xml")
    found = run_cli(*words, tmp_path / "kept", *reports)
    assert found.returncode == 1
    file = tmp_path / "kept" / "room-seed5.mcap"
    lines = [line.strip() for line in found.stderr.splitlines()]
    assert re.fullmatch(r"FAIL warm: was [\d.]+ at 60 s, [\d.]+ below the minimum", lines[1])
    assert lines[2:4] == [
        "expected: truth.temperature_c at least 99 at the end",
        f"see {bad}:7",
    ]
    assert lines[4].endswith("(truth.temperature_c at least 0 at the end)")
    assert lines[5:8] == [
        "fault hall temperature bias: from 10 s to 40 s",
        f"repeat it: rigless check {bad} --seed 5 --set hall.start_c=12",
        f"recorded: rigless replay {file}",
    ]
    assert verify(file).difference is None
    (one,) = json.loads((tmp_path / "a.json").read_text())["scenarios"]
    assert (one["faults"][0]["end_s"], one["recording"]) == (40, str(file))
    assert f"{bad}:7" in (tmp_path / "a.xml").read_text()
    run_cli("check", scenario("good.toml", HOLDS.format(name="a")), *words[6:], tmp_path / "none")
    assert list((tmp_path / "none").iterdir()) == []
    assert run_cli(*words, bad).returncode == 2


def test_junit_parses_and_counts(run_cli, scenario, tmp_path):
    bad = scenario(
        "bad.toml", HOLDS.format(name="a"), FAILS.format(name=UGLY), FAILS.format(name="c")
    )
    plain = scenario("plain.toml")
    assert run_cli("check", bad, plain, "--junit", tmp_path / "junit.xml").returncode == 1
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot().findall("testsuite")
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [
        ("3", "2"),
        ("1", "0"),
    ]
    assert [len(suite.findall("testcase/failure")) for suite in suites] == [2, 0]
    assert "<script>alert(1)</script>" in suites[0].findall("testcase")[1].get("name")


def test_json_is_the_same_from_run_to_run(run_cli, scenario, thermostat, tmp_path):
    bad = scenario("bad.toml", HOLDS.format(name="a"), FAILS.format(name="b"))
    for name in ("a.json", "b.json"):
        assert (
            run_cli("check", thermostat / "winter.toml", bad, "--json", tmp_path / name).returncode
            == 1
        )
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    report = json.loads((tmp_path / "a.json").read_text())
    assert [one["passed"] for one in report["scenarios"]] == [True, False]
    assert [one["passed"] for one in report["scenarios"][1]["expectations"]] == [True, False]


def test_html_escapes_text_of_scenarios(run_cli, scenario, tmp_path):
    bad = scenario("bad.toml", FAILS.format(name=UGLY))
    assert run_cli("check", bad, "--html", tmp_path / "report.html").returncode == 1
    page = (tmp_path / "report.html").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in page
    assert "<script>" not in page


def test_a_robot_that_breaks_fails_its_scenario_and_the_others_still_run(
    run_cli, scenario, thermostat, tmp_path
):
    brittle = tmp_path / "brittle.toml"
    kind = thermostat.parents[1] / "tests" / "host" / "brittle"
    brittle.write_text(
        f'duration_s = 5\n[[robots]]\nname = "b"\nkind = "{kind}"\n'
        '[[timeline]]\nat_s = 1\nport = "line"\nwire = "fail\\n"\n'
    )
    good = scenario("good.toml", HOLDS.format(name="a"))
    found = run_cli("check", brittle, good, "--junit", tmp_path / "junit.xml")
    assert found.returncode == 1
    assert "1 passed, 1 failed" in found.stderr
    assert "told to" in found.stderr
    assert "Traceback" not in found.stderr
    assert ElementTree.parse(tmp_path / "junit.xml").find(".//failure") is not None


def test_seed_and_settings_reach_the_scenario(run_cli, scenario, tmp_path):
    plain = scenario("plain.toml")
    words = ("check", plain, "--seed", "77", "--set", "duration_s=5", "--json", tmp_path / "a.json")
    assert run_cli(*words).returncode == 0
    (one,) = json.loads((tmp_path / "a.json").read_text())["scenarios"]
    assert (one["seed"], one["duration_s"]) == (77, 5)
