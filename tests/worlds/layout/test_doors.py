"""Doors of a layout are obstacles that open for robots, and by the timeline of a scenario."""

import pytest

from rigless.host.host import Host
from rigless.kernel.problems import InputError
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target

SITE = """
name = "site"
[[nodes]]
id = "a"
x = 0.0
y = 0.0
[[nodes]]
id = "b"
x = 14.0
y = 0.0
[[edges]]
nodes = ["a", "b"]
[[doors]]
id = "gate"
x = 9.0
y = 0.0
theta = 1.5707963
auto = {auto}
close_after_s = 4.0
"""
SCENARIO = """
name = "doors"
[world]
layout = "site.toml"
doors = true
[[robots]]
kind = "agv"
start = {{ x = 0.0, y = 0.0 }}
[[timeline]]
at_s = 0.1
port = "nats"
message = {{ type = "CommandRequest", commandId = "1", commandType = "MOVE", \
params = {{ x = 14.0, y = 0.0 }} }}
{more}
"""


def built(tmp_path, auto="true", more=""):
    (tmp_path / "site.toml").write_text(SITE.format(auto=auto))
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO.format(more=more))
    return open_target(file, [], 3, collect=False)


def site(*given):
    return built(*given).simulation


def gate(sim):
    """Return how far the door is open, in metres."""
    return sim.world.state.obstacles["gate"].pose(sim.now_ns)[1]


def test_an_automatic_door_opens_for_a_robot_and_closes_behind_it(tmp_path):
    sim = site(tmp_path)
    sim.run(1.0)
    assert gate(sim) == 0.0
    sim.run(17.0)
    assert sim.truth("agv").pose[0] == pytest.approx(14.0, abs=0.01)
    assert gate(sim) == pytest.approx(1.6)  # 5 m away: it stays open
    sim.robots["agv"].machine.relocate(0.0, 0.0, 0.0)
    sim.run(3.0)
    assert gate(sim) == pytest.approx(1.6)
    sim.run(8.0)
    assert gate(sim) == 0.0


def test_a_door_that_nothing_opens_stops_robots(tmp_path):
    sim = site(tmp_path, "false")
    sim.run(20.0)
    x = sim.truth("agv").pose[0]
    assert 7.0 < x < 9.0
    assert sim.robots["agv"].machine.obstacle_stop


def test_a_scenario_opens_and_closes_a_door_and_its_recording_replays(tmp_path):
    more = '[[timeline]]\nat_s = 12\ndoor = "gate"\n[[timeline]]\nat_s = 24\ndoor = "gate"\n'
    host = Host(built(tmp_path, "false", f"{more}open = false"), "lockstep")
    sim, tape = host.sim, tmp_path / "run.mcap"
    host.recording_file.start(tape)
    sim.run(11.9)
    assert sim.truth("agv").pose[0] < 9.0
    saved = sim.snapshot()
    sim.run(11.9)
    assert gate(sim) == pytest.approx(1.6)
    assert sim.truth("agv").pose[0] == pytest.approx(14.0, abs=0.01)
    sim.run(4.0)
    assert gate(sim) == 0.0
    host.recording_file.stop()
    assert verify(tape).difference is None
    sim.restore(saved)
    assert gate(sim) == 0.0


@pytest.mark.parametrize(
    ("world", "more", "what"),
    [
        ('layout = "site.toml"\ndoors = true', 'door = "gat"', "did you mean 'gate'"),
        ('map = "open"\ndoors = true', "clear = ''", "the world has no layout with doors"),
        ('layout = "site.toml"', 'door = "gate"', "unknown door 'gate'"),
        (
            'layout = "site.toml"\ndoors = true\nobstacles = [{ name = "gate", x = 3, y = 3,'
            " radius_m = 0.1 }]",
            'door = "gate"',
            "the name of an obstacle and of a door",
        ),
    ],
)
def test_what_cannot_be_is_a_sentence(tmp_path, world, more, what):
    (tmp_path / "site.toml").write_text(SITE.format(auto="true"))
    file = tmp_path / "scenario.toml"
    text = SCENARIO.format(more=f"[[timeline]]\nat_s = 1\n{more}")
    file.write_text(text.replace('layout = "site.toml"\ndoors = true', world))
    with pytest.raises(InputError) as caught:
        open_target(file, [], 3)
    assert what in str(caught.value)
