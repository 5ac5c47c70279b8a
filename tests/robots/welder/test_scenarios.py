"""The welder's scenarios: each of their expectations bites."""

import pytest

from rigless.scenario.bundled import bundled_scenarios
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target

# Changes that make a scenario fail. Together they must break each of its expectations.
CHANGES = {
    "welder_seam": [
        "welding.current_a=150",
        "welding.gas_low_lpm=16",
        "limits.high_deg=[5,60,165,185,120,360]",
        "welding.post_flow_ms=60000",
    ],
    "welder_arc_lost": [
        "faults=[]",
        "welding.hold_on_fault=false",
        "welding.gas_low_lpm=16",
        "welding.current_a=100",
    ],
}


def judge(name, *settings):
    built = open_target(bundled_scenarios()[name], settings, collect=False)
    examiner = ExpectationMonitor(built, built.scenario.duration_s)
    built.simulation.run(built.scenario.duration_s)
    verdicts = examiner.verdicts()
    return {one.text for one in verdicts}, {one.text for one in verdicts if not one.passed}


def test_every_scenario_of_the_welder_is_here():
    assert sorted(name for name in bundled_scenarios() if name.startswith("welder_")) == sorted(
        CHANGES
    )


@pytest.mark.parametrize("name", CHANGES)
def test_every_expectation_can_break(name):
    expectations, failed = judge(name)
    assert failed == set()
    broken = set()
    for change in CHANGES[name]:
        failed = judge(name, change)[1]
        assert failed, f"nothing notices {change}"
        broken |= failed
    assert broken == expectations
