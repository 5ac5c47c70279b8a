"""Reports as JUnit XML, JSON and Markdown: structure, escaping, the same text from run to run."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xmlschema import XMLSchema

from rigless.kernel.events import Event
from rigless.runs.reports import render_json, render_junit, render_markdown
from rigless.runs.reports.explanation import commands, described, faults_before, headline, warnings
from rigless.runs.result import Result
from rigless.scenario.verdict import FaultPeriod, note_fault
from runs import made

SCHEMA = XMLSchema(Path(__file__).with_name("junit.xsd"))
HOSTILE = "<script>alert(1)</script> | `x` [a](http://b) **c** & </pre>\n# d\x1b[31m]]>"


def parse(results):
    return ElementTree.fromstring(render_junit(results).encode())


def test_a_headline_says_what_broke_and_when():
    assert headline(made.result()) == "“it keeps going” failed at 12 s: was 0.05"
    ended = replace(made.verdict(), detail="exited with 1 at 12.00 s; a note; last line: no way")
    assert headline(made.result(ended)) == (
        "“it keeps going” failed at 12 s: exited with 1; last line: no way"
    )
    assert headline(made.result(made.verdict(passed=True))) == "The expectation held."
    slow = replace(made.result(), invalid="machine too slow: 3 s lost")
    assert "machine too slow" in headline(slow)


def test_messages_that_robots_rejected_are_named_once_each():
    result = made.result()
    result.events = [
        Event(2_000_000_000, "agv", "MALFORMED_ENVELOPE", "warning", "no 'messageId'"),
        Event(2_500_000_000, "agv", "fault-injected", "warning", ""),
        Event(3_000_000_000, "agv", "MALFORMED_ENVELOPE", "warning", "no 'v'"),
        *(Event(4_000_000_000, "agv", f"code-{n}", "error", "x" * 500) for n in range(6)),
    ]
    first, second, *_, last = warnings(result)
    assert first == "agv logged MALFORMED_ENVELOPE at 2 s: no 'messageId'; 2 of them"
    assert second.startswith("agv logged code-0 at 4 s: xxx")
    assert (len(second), last) == (186, "2 more codes in the recording")
    assert "no 'messageId'; 2 of them" in render_junit([result])
    assert "MALFORMED" in render_markdown([result])


def test_faults_before_a_failure_are_named_the_active_ones_first():
    result = made.result()
    instant = {"program": "nav", "target": "nav", "kind": "kill"}
    kill = Event(11_000_000_000, "", "fault-injected", "warning", "", instant)
    note_fault(result.faults, kill)
    result.faults += [
        FaultPeriod("rob", "arc", "arc_lost", 1.0, 1.5),
        FaultPeriod("rob", "lidar", "stuck", 13.0),
    ]
    assert [described(fault, 12.0) for fault in faults_before(result, 12.0)] == [
        ("rob gyro bias", "was active since 10 s"),
        ("program nav kill", "was at 11 s"),
        ("rob arc arc_lost", "was active from 1 s to 1.5 s"),
    ]
    assert faults_before(result, None) == []
    assert [str(fault) for fault in result.faults[1:]] == [
        "program nav kill: at 11 s",
        "rob arc arc_lost: from 1 s to 1.5 s",
        "rob lidar stuck: from 13 s to the end",
    ]
    assert "Fault program nav kill: at 11 s" in render_markdown([result])


def test_commands_repeat_replay_and_open_at_the_failure():
    assert commands(made.result()) == [
        ("Repeat", "rigless check s.toml --seed 7"),
        ("Replay", "rigless replay 'out/crash run.mcap' --verify"),
        ("Open at the failure", "rigless open 'out/crash run.mcap' --at 12"),
    ]


def test_junit_is_valid_and_counts_what_it_contains():
    twice = made.result(made.verdict(), made.verdict(passed=True), lines=1)
    results = [made.result(lines=3), made.result(made.verdict(passed=True)), twice]
    results += [replace(twice, seed=8), replace(twice, invalid="machine too slow", name="slow")]
    results += [Result("early", "e.toml", 1, 0.0, failure=HOSTILE), Result("", "", 0, 1.0)]
    SCHEMA.validate(render_junit([]))
    SCHEMA.validate(render_junit(results))
    root = parse(results)
    assert root.tag == "testsuites"
    for element in (root, *root.findall("testsuite")):
        assert int(element.get("tests")) == len(element.findall(".//testcase"))
        assert int(element.get("failures")) == len(element.findall(".//failure"))
        assert int(element.get("errors")) == len(element.findall(".//error"))
    for case in root.iter("testcase"):
        assert {"name", "classname", "time"} <= set(case.keys())
    assert [child.tag for child in root[0]] == ["testcase", "testcase", "system-out"]


def test_junit_failures_end_with_the_last_lines_of_programs():
    failure = parse([made.result(lines=3)]).find(".//failure")
    assert failure.text.splitlines()[-1] == "  | the last line"
    assert "program nav: exit code 3" in failure.text
    assert "fault rob gyro bias" in failure.text


def test_an_invalid_run_is_an_error_and_no_failure():
    root = parse([replace(made.result(), invalid="machine too slow")])
    assert root.get("failures") == "0"
    assert root.get("errors") == "1"
    assert root.find(".//error").get("message") == "machine too slow"
    assert len(root.findall(".//skipped")) == 1


@given(st.text(alphabet=st.characters(), max_size=60))
def test_junit_parses_with_any_text(text):
    bad = made.verdict(text=text)
    SCHEMA.validate(render_junit([made.result(bad, bad, lines=2, text=text)]))
    assert parse([made.result(bad, lines=2, text=text)]).find(".//failure") is not None


def test_json_keeps_its_order_and_leaves_out_what_depends_on_the_machine():
    one = made.result(lines=2)
    other = replace(one, wall_s=9.0, trace=None)
    other.programs = [replace(program, memory_mb=80.0, cpu_s=2.0) for program in one.programs]
    assert render_json([one]) == render_json([other])
    scenario = json.loads(render_json([one]))["scenarios"][0]
    assert list(scenario) == [
        *("name", "target", "seed", "duration_s", "passed", "failure", "repeat", "recording"),
        *("faults", "expectations", "events", "status", "invalid", "folder", "programs"),
    ]
    assert scenario["expectations"][0]["margin"] == -0.05
    assert "series" not in scenario["expectations"][0]
    assert scenario["programs"][0]["exit"] == 3


def test_markdown_has_a_table_of_runs_and_details_of_failures():
    page = render_markdown([made.result(), made.result(made.verdict(passed=True))])
    assert page.startswith("## rigless check: 1 passed, 1 failed\n")
    assert page.count("<details>") == page.count("</details>") == 1
    assert "<pre>rigless check s.toml --seed 7</pre>" in page
    assert "| it keeps going |" in page


@pytest.mark.parametrize("sign", ["<script", "`", "[a]", "**", "# d", "</pre>\n#", "\x1b"])
def test_markdown_shows_hostile_text_as_text(sign):
    page = render_markdown([made.result(made.verdict(text=HOSTILE), lines=2, text=HOSTILE)])
    outside = page.replace("## rigless check", "").split("<pre>")
    assert sign not in outside[0]
    assert all(sign not in part.split("</pre>")[0] for part in outside[1:] if sign[0] in "<\x1b")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_rows_of_the_markdown_table_have_their_cells_with_any_text(text):
    page = render_markdown([made.result(made.verdict(text=text))])
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert [line.count("|") for line in rows] == [6, 6, 5, 5]
