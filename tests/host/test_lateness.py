"""The lateness of the host: a percentile in steps, with hysteresis."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.host.timing import lateness as latenesses
from rigless.host.timing.lateness import EVERY_NS, FEWEST, SAMPLES, STEPS_MS, Lateness
from rigless.kernel.robot import VirtualInput
from rigless.scenario.kinds import robot_class

from .driving import BRITTLE, make_host, on_air, on_loop, until


def measured(late_ms, lateness=None, wall_ns=0):
    lateness = lateness or Lateness()
    for late in late_ms:
        lateness.note(round(late * 1e6))
    return lateness, lateness.changed(wall_ns)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1_000, 400_000_000), min_size=FEWEST, max_size=SAMPLES))
def test_it_is_the_step_above_the_percentile(late_ns):
    lateness = Lateness()
    for late in late_ns:
        lateness.note(late)
    assert lateness.changed(0)
    percentile_ns = np.percentile(late_ns, 99, method="lower")
    assert lateness.p99_ms == min(step for step in STEPS_MS if step * 1e6 >= percentile_ns)


def test_one_in_two_hundred_does_not_count():
    lateness, _ = measured([0.1] * 398 + [300.0] * 2)
    assert lateness.p99_ms == 0.2


def test_it_changes_at_once_for_the_worse_and_later_for_the_better():
    lateness, _ = measured([4.0] * SAMPLES)
    assert lateness.p99_ms == 5.0
    assert measured([2.0] * SAMPLES, lateness, EVERY_NS)[1] is False
    assert measured([6.0] * SAMPLES, lateness, EVERY_NS * 3 // 2)[1] is False, (
        "not looked at within the second"
    )
    assert measured([6.0] * SAMPLES, lateness, 2 * EVERY_NS)[1] is True
    assert lateness.p99_ms == 10.0
    assert measured([1.5] * SAMPLES, lateness, 3 * EVERY_NS)[1] is True
    assert lateness.p99_ms == 2.0


@pytest.mark.parametrize("count", [0, FEWEST - 1])
def test_a_few_say_nothing(count):
    assert measured([9.0] * count)[1] is False


def test_what_is_hopeless_has_a_highest_step():
    assert measured([9000.0] * SAMPLES)[0].p99_ms == STEPS_MS[-1]


@on_loop
async def test_robots_that_tell_it_are_told_and_anew_after_a_reset(monkeypatch):
    monkeypatch.setattr(latenesses, "FEWEST", 1)
    monkeypatch.setattr(latenesses, "EVERY_NS", 0)
    monkeypatch.setattr(robot_class(str(BRITTLE)), "inputs", {"late_ms": VirtualInput(0.0)})
    host = make_host(BRITTLE, settings=())
    async with on_air(host):
        for _ in range(2):
            await until(lambda: host.sim.robots["brittle"].input["late_ms"] > 0.0)
            host.reset()
            assert host.sim.robots["brittle"].input["late_ms"] == 0.0
