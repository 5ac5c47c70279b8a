"""Robots of a fleet: they were not all switched on at one instant."""

from collections import Counter

import pytest

from rigless.robots.agv import Robot
from rigless.robots.agv.config import RobotConfig, own
from rigless.scenario.load import open_target

OWN = RobotConfig.model_validate(own())


def test_robots_of_a_fleet_speak_at_instants_of_their_own_and_the_first_at_whole_periods(tmp_path):
    (tmp_path / "fleet.toml").write_text('[[robots]]\nkind = "agv"\ncount = 3\n')
    sim = open_target(tmp_path / "fleet.toml").simulation
    sim.run(1.0)
    told = {name: [round(1000 * message.sim.simTimeS) for message in sim.take(name, "nats") if message.type == "state"]
            for name in sim.robots}  # fmt: skip
    assert told["agv-1"][-10:] == list(range(100, 1001, 100))
    assert told["agv-2"][-10:] == list(range(82, 1000, 100))  # 618 ms early
    assert told["agv-3"][-10:] == list(range(64, 1000, 100))  # 1236 ms


@pytest.mark.parametrize("count", [50, 250, 400])
def test_they_are_spread_evenly_over_ticks_states_and_heartbeats(count):
    phases_ms = [round(1000 * Robot("agv", OWN.member(number)).phase_s()) for number in range(1, count + 1)]
    assert phases_ms[0] == 0
    for period_ms in (10, 100, 500, 1000):
        most = max(Counter(phase % period_ms for phase in phases_ms).values())
        assert most <= count / period_ms + 4


def profile(**given):
    """Where the second robot of a fleet with this profile starts, and its phase."""
    runtime = {**own()["runtime"], "simulationProfile": given}
    member = RobotConfig.model_validate({**own(), "runtime": runtime}).member(2)
    found = member.runtime.simulationProfile
    return found.initialPose and (found.initialPose.x, found.initialPose.y), found.phaseS


def test_what_the_profile_says_of_their_start_is_kept():
    assert profile(battery={"initialSoc": 0.5}) == ((0.0, -1.8), 0.618)
    assert profile(initialPose={"x": 3}, phaseS=0.0) == ((3.0, 0.0), 0.0)
    assert profile(map="apartment") == (None, 0.618)  # there may be walls beside it
