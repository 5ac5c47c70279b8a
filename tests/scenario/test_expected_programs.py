"""Expectations on programs, with facts instead of processes."""

import pytest

from rigless.kernel.events import Event
from rigless.scenario.expect.programs import ProgramFacts
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.verdict import Series

from .scenes import built, cart, problems


class Facts(dict):
    """The facts of programs by name."""

    def facts(self, name):
        return self[name]


RUNNING = ProgramFacts(
    alive=True,
    started=True,
    restarts=2,
    memory_mb=80.0,
    cpu_s=1.5,
    memory=Series([0.5, 1.0, 1.5], [20.0, 60.0, 80.0]),
    cpu=Series([0.5, 1.5], [0.5, 1.5]),
    lines=[(0.1, "out", "ready"), (0.4, "err", "step 1"), (0.9, "out", "step 2"), (1, "out", "")],
)
DONE = ProgramFacts(exit=0, started=True, ended_at_s=1.2)
BAD = ProgramFacts(exit=3, started=True, ended_at_s=2.414, lines=[(2.4, "err", "no route")])
CRASHED = ProgramFacts(signal="SIGSEGV", started=True, ended_at_s=0.5)
MISSING = ProgramFacts(notes=["command not found: ./nav"])


def verdict(expect, facts, **entry):
    """Return the verdict on an expectation, or the implied one without an expectation."""
    programs = [{"name": "nav", "command": "./nav", **entry}]
    scene = built(programs=programs, expect=[{"program": "nav", **expect}] if expect else [])
    monitor = ExpectationMonitor(scene, 2.0, Facts(nav=facts))
    scene.simulation.run(2.0)
    return monitor.verdicts()[0]


def test_a_fault_on_a_program_is_an_occurrence_for_its_robots():
    programs = [{"name": "nav", "command": "./nav"}]
    robots = [cart(name=name, config={"speed_mps": mps}) for name, mps in (("a", 1), ("b", 2))]
    stop = [{"at_s": 1.25, "set": {"brake": True}, "robot": "*"}]
    go = {"at_s": 1.5, "port": "drive", "robot": "b", "message": {"type": "Go", "speed_mps": 0}}
    trigger = {"after_fault": "nav", "robot": "*"}
    expect = [
        {**trigger, "stops_within_m": 0.3},
        {**trigger, "reacts_within_ms": 600, "port": "drive", "robot": "b"},
        {**trigger, "reacts_within_ms": 300, "port": "drive"},
    ]
    scene = built(robots, programs=programs, expect=expect, timeline=[*stop, go])
    monitor = ExpectationMonitor(scene, 2.0, Facts(nav=RUNNING))
    core, data = scene.simulation.core, {"target": "nav", "program": "nav", "kind": "kill"}
    fault = Event(10**9, "", "fault-injected", "warning", "killed", data)
    core.call_at(10**9, lambda: core.log(fault))
    scene.simulation.run(2.0)
    stops, reacts, late, _ = monitor.verdicts()
    assert (stops.detail, stops.robot) == ("longest path 0.48 m after 1 s; 2 measured", "b")
    assert reacts.detail == "worst 500 ms after 1 s; 1 measured"
    assert late.detail == "no reaction after 1 s; 2 measured, 2 too late"


@pytest.mark.parametrize(
    ("expect", "facts", "holds", "detail"),
    [
        ({"exit": 0}, DONE, True, "exited with 0 at 1.20 s"),
        ({"exit": 0}, BAD, False, "exited with 3 at 2.41 s; last line: no route"),
        ({"exit": 3}, BAD, True, "exited with 3 at 2.41 s"),
        ({"exit": 0}, CRASHED, False, "killed by SIGSEGV at 0.50 s"),
        ({"exit": 0}, RUNNING, False, "was running after 2 restarts; last line: step 2"),
        ({"exit": 0}, MISSING, False, "command not found: ./nav"),
        ({"alive": True}, RUNNING, True, "was running at the end, after 2 restarts"),
        ({"alive": True}, DONE, False, "exited with 0 at 1.20 s"),
        ({"alive": True}, MISSING, False, "command not found: ./nav"),
        ({"restarts_max": 2}, RUNNING, True, "2 restarts"),
        ({"restarts_max": 0}, RUNNING, False, "2 restarts, 2 too many; was running after 2 "),
        ({"memory_max_mb": 100}, RUNNING, True, "80 MB"),
        ({"memory_max_mb": 50}, RUNNING, False, "80 MB, 30 too much"),
        ({"memory_max_mb": 50}, MISSING, False, "0 MB; command not found"),
        ({"cpu_max_s": 2}, RUNNING, True, "1.5 s of CPU time"),
        ({"cpu_max_s": 1}, RUNNING, False, "1.5 s of CPU time, 0.5 too much"),
        ({"output": "^step"}, RUNNING, True, "2 lines; first at 0.40 s: step 1"),
        ({"output": "Ready"}, RUNNING, False, "0 lines, 1 too few; was running after 2 restarts; "),
        ({"output": "step", "seen": False}, RUNNING, False, "2 lines, 2 too many"),
        ({"output": "step", "from_s": 0.5, "max_count": 1}, RUNNING, True, "1 line"),
        ({"output": "step", "to_s": 0.5, "min_count": 2}, RUNNING, False, "1 line, 1 too few"),
        ({"output": "fatal", "seen": False}, MISSING, False, "0 lines; command not found"),
    ],
    ids=str,
)
def test_a_program(expect, facts, holds, detail):
    found = verdict(expect, facts)
    assert found.passed is holds
    assert found.detail.startswith(detail)
    if found.margin is not None:
        assert (found.margin >= 0) is holds


def test_numbers_of_programs_have_a_course_and_a_time_of_failure():
    found = verdict({"memory_max_mb": 50}, RUNNING)
    assert (found.margin, found.high, found.broke_at_s) == (-30.0, 50.0, 1.0)
    assert found.series == RUNNING.memory
    lines = verdict({"output": "step", "max_count": 1}, RUNNING)
    assert (lines.margin, lines.broke_at_s) == (-1, 0.9)


@pytest.mark.parametrize(
    ("entry", "facts", "holds"),
    [
        ({}, DONE, True),
        ({}, RUNNING, True),
        ({}, BAD, False),
        ({}, CRASHED, False),
        ({}, MISSING, False),
        ({"expect_exit": 3}, BAD, True),
        ({"expect_exit": [0, 3]}, BAD, True),
        ({"expect_exit": [0, 3]}, RUNNING, False),
        ({"expect_exit": "any"}, BAD, True),
        ({"expect_exit": "any"}, CRASHED, True),
        ({"expect_exit": "any"}, RUNNING, True),
        ({"expect_exit": "any"}, MISSING, False),
    ],
)
def test_every_program_must_end_well(entry, facts, holds):
    found = verdict(None, facts, **entry)
    assert found.text == "nav ends well"
    assert found.passed is holds


def test_an_expected_exit_replaces_the_implied_one():
    programs = [{"name": name, "command": "x"} for name in ("nav", "log")]
    scene = built(programs=programs, expect=[{"program": "nav", "exit": 3}])
    monitor = ExpectationMonitor(scene, 2.0, Facts(nav=BAD, log=DONE))
    assert [one.text for one in monitor.verdicts()] == ["nav exits with 3", "log ends well"]


def test_a_run_without_its_programs():
    scene = built(programs=[{"name": "nav", "command": "x"}],
                  expect=[{"program": "nav", "alive": True}])  # fmt: skip
    found = ExpectationMonitor(scene, 2.0).verdicts()
    assert [one.detail for one in found] == ["the programs of this scenario were not started"] * 2
    assert not any(one.passed for one in found)


def test_unknown_programs():
    expect = [{"program": "nva", "alive": True}]
    scene = built(programs=[{"name": "nav", "command": "x"}], expect=expect)
    (problem,) = problems(ExpectationMonitor, scene, 1.0)
    assert "unknown program 'nva' (did you mean 'nav'?)" in str(problem)
    (problem,) = problems(ExpectationMonitor, built(expect=expect), 1.0)
    assert "this scenario has no [[programs]]" in str(problem)


@pytest.mark.parametrize(
    ("expect", "facts", "decided"),
    [
        ({"exit": 0}, RUNNING, False),
        ({"exit": 0}, DONE, True),
        ({"alive": True}, RUNNING, False),
        ({"alive": True}, DONE, True),
        ({"memory_max_mb": 100}, RUNNING, False),
        ({"memory_max_mb": 10}, RUNNING, True),
        ({"output": "ready"}, RUNNING, True),
        ({"output": "ready", "max_count": 1}, RUNNING, False),
        ({"output": "ready", "seen": False}, RUNNING, True),
        ({"output": "never"}, RUNNING, False),
        ({"output": "never", "to_s": 1}, RUNNING, True),
    ],
    ids=str,
)
def test_when_an_expectation_on_a_program_is_decided(expect, facts, decided):
    scene = built(programs=[{"name": "nav", "command": "x"}], expect=[{"program": "nav", **expect}])
    monitor = ExpectationMonitor(scene, 2.0, Facts(nav=facts))
    scene.simulation.run(1.5)
    assert monitor.decided() is decided


def test_a_program_that_must_exit_is_not_decided_while_it_runs():
    programs = [{"name": "nav", "command": "x", "expect_exit": 0}]
    monitor = ExpectationMonitor(built(programs=programs), 2.0, Facts(nav=RUNNING))
    assert not monitor.decided()
