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
    phases_ms = [round(1000 * Robot("agv", OWN.beside(others)).phase_s()) for others in range(count)]
    assert phases_ms[0] == 0
    for period_ms in (10, 100, 500, 1000):
        most = max(Counter(phase % period_ms for phase in phases_ms).values())
        assert most <= count / period_ms + 4


def profile(**given):
    """Where the second robot with this profile starts, and its phase."""
    runtime = {**own()["runtime"], "simulationProfile": given}
    member = RobotConfig.model_validate({**own(), "runtime": runtime}).beside(1)
    found = member.runtime.simulationProfile
    return found.initialPose and (found.initialPose.x, found.initialPose.y), found.phaseS


def test_what_the_profile_says_of_their_start_is_kept():
    assert profile(battery={"initialSoc": 0.5}) == ((0.0, -1.8), 0.618)
    assert profile(initialPose={"x": 3}, phaseS=0.0) == ((3.0, 0.0), 0.0)
    assert profile(map="apartment") == (None, 0.618)  # there may be walls beside it


def test_robots_of_several_entries_do_not_stand_in_each_other(tmp_path):
    entries = (
        'name = "a"\ncount = 2',
        'name = "b"\ncount = 2',
        'name = "c"',
        'name = "d"\nstart = { x = 9.0, y = 9.0 }',
    )
    (tmp_path / "fleet.toml").write_text("".join(f'[[robots]]\nkind = "agv"\n{entry}\n' for entry in entries))
    sim = open_target(tmp_path / "fleet.toml").simulation
    places = [sim.truth(name).pose[:2] for name in sim.robots]
    assert places == [(0.0, -1.8 * n) for n in range(5)] + [(9.0, 9.0)]
