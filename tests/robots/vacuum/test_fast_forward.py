"""Subscribers change nothing: fast-forwarded ticks equal single ticks."""

import pytest

from rigless.robots.vacuum.wire import Control
from rigless.scenario.load import open_target


def driven(seconds: float, *settings: str, collect: bool = False):
    sim = open_target(
        "vacuum", ["map_file=apartment", *settings], seed=7, collect=collect
    ).simulation
    sim.send("vacuum", "commands", Control("lidar", "enable"))
    sim.send("vacuum", "commands", Control("drive", "configure", {"linear": 0.25, "angular": 0.1}))
    for _ in range(4):  # with contacts on the path
        sim.run(seconds / 4)
    return sim


@pytest.mark.parametrize("mode", ["stop", "slide", "passthrough"])
def test_listened_to_or_not_it_goes_the_same_way(mode):
    setting = f"robot.collision_mode={mode}"
    heard, unheard = driven(40.0, setting, collect=True), driven(40.0, setting)
    assert heard.snapshot().robots == unheard.snapshot().robots
    assert list(heard.events) == list(unheard.events)
    assert heard.truth("vacuum") == unheard.truth("vacuum")
    assert len(heard.take("vacuum", "telemetry")) == 40 * 115


def test_readings_without_a_subscriber_leave_no_trace():
    quiet, sensing = driven(20.0), driven(20.0, "sense_unheard=true")
    assert quiet.snapshot().robots["vacuum"].state == sensing.snapshot().robots["vacuum"].state
    assert list(quiet.events) == list(sensing.events)
