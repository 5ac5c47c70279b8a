"""Robots start with the settings that an earlier run saved, and the recording contains them."""

import json
import sqlite3
from contextlib import closing

import msgspec
import pytest

from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.recordings.replay import verify
from rigless.robots.agv.wire import Envelope
from rigless.scenario.load import open_target
from rigless.transports.jetstream.outbox import Outbox

FLEET = """
name = "pair"
[[robots]]
kind = "agv"
name = "AGV"
count = 3
[[robots]]
kind = "agv"
name = "other"
"""


def leave(state, robot, **desired):
    """Return the saved messages of a robot whose backend requested these settings."""
    report = {
        "desiredVersion": 1,
        "effective": {},
        "rejected": [],
        "restartRequired": [],
        "desired": desired,
    }
    kind = "settings.reported"
    data = msgspec.json.encode(
        Envelope(1, "x", kind, robot, "b", 1, "2026-01-01T00:00:00Z", report)
    )
    outbox = Outbox(state / "agv" / "outbox.sqlite", lambda *told: None)
    outbox.keep(robot, f"robot.{robot}.{kind}", "", data)
    outbox.close()


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setattr(
        Outbox, "_schedule", lambda outbox: None
    )  # there is no loop here; `close` writes
    return tmp_path / "state"


def test_one_of_a_fleet_begins_with_what_was_left_for_it(state, tmp_path):
    leave(state, "AGV-2", **{"runtime.tickHz": 50})
    file = tmp_path / "fleet.toml"
    file.write_text(FLEET)
    built = open_target(file, ["AGV.ports.nats=4333"], 3, collect=False)
    host = Host(built, environment=Environment(state))
    robots = host.sim.robots
    assert {name: robot.config.runtime.tickHz for name, robot in robots.items()} == {
        "AGV-1": 100, "AGV-2": 50, "AGV-3": 100, "other": 100,
    }  # fmt: skip
    assert {name: robot.config.identity.robotId for name, robot in robots.items()} == {
        name: name for name in robots
    }
    assert [robot.truth().pose for robot in robots.values()] == [
        one.truth().pose for one in built.simulation.robots.values()
    ]
    assert (host.sim.seed, host.built.addresses) == (3, built.addresses)
    assert "AGV-2 starts with" in host.built.notes[-1]
    names = [entry.get("name") for entry in json.loads(host.sim.core.origin["scenario"])["robots"]]
    assert names == ["AGV-1", "AGV-2", "AGV-3", "other"]


def test_what_was_recorded_then_replays(state, tmp_path):
    leave(
        state,
        "agv",
        **{"runtime.tickHz": 20, "runtime.simulationProfile": {"initialPose": {"x": 3.0}}},
    )
    host = Host(open_target("agv", collect=False), "lockstep", environment=Environment(state))
    tape = tmp_path / "run.mcap"
    host.recording_file.start(tape)
    host.sim.run(0.5)
    host.recording_file.stop()
    assert host.sim.truth("agv").pose[0] == 3.0
    assert verify(tape).difference is None


@pytest.mark.parametrize("around", [{"speed": "fast"}, {"state": None}])
def test_a_run_that_is_not_on_the_air_or_has_no_folder_has_no_past(state, around):
    leave(state, "agv", **{"runtime.tickHz": 20})
    built = open_target("agv", collect=False)
    host = Host(
        built, around.get("speed", 1.0), environment=Environment(around.get("state", state))
    )
    assert host.built is built
    assert host.sim.robots["agv"].config.runtime.tickHz == 100


def test_what_is_left_of_a_broken_file_is_nothing(state):
    (state / "agv").mkdir(parents=True)
    (state / "agv" / "outbox.sqlite").write_bytes(b"no database" * 1000)
    host = Host(open_target("agv", collect=False), environment=Environment(state))
    assert host.sim.robots["agv"].config.runtime.tickHz == 100


RESUMES = """
name = "pair"
[[robots]]
kind = "agv"
name = "AGV"
count = 2
config = { runtime = { startupPolicy = { resumePose = true } } }
[[robots]]
kind = "agv"
name = "other"
"""


def resumed(tmp_path, state, *sets, speed=1.0):
    file = tmp_path / "pair.toml"
    file.write_text(RESUMES)
    built = open_target(file, [*sets], 3, collect=False)
    return Host(built, speed, environment=Environment(state))


def poses(host):
    return {name: robot.truth().pose for name, robot in host.sim.robots.items()}


def drive_and_save(host, x, y=0.5, theta=1.0):
    """Put AGV-1 somewhere, and save it as a run on the network does."""
    host.begun = True
    host.sim.robots["AGV-1"].machine.relocate(x, y, theta)
    host.sim.robots["other"].machine.relocate(-x, y, theta)
    host.last_poses.save_if_due()


def test_a_robot_resumes_at_its_last_pose_and_the_recording_contains_it(state, tmp_path):
    state.mkdir()
    at = ("world.map=open",)
    first = resumed(tmp_path, state, *at)
    before = poses(first)
    drive_and_save(first, 7.25)
    again = resumed(tmp_path, state, *at, speed="lockstep")
    assert poses(again) == {**before, "AGV-1": (7.25, 0.5, 1.0)}  # `other` has no such setting
    assert "2 robots start at their last poses: AGV-1, AGV-2, …" in again.built.notes
    tape = tmp_path / "run.mcap"
    again.recording_file.start(tape)
    again.sim.run(0.3)
    again.recording_file.stop()
    assert verify(tape).difference is None
    assert poses(resumed(tmp_path, state, *at, speed="fast")) == before  # it is not on the network


def test_the_pose_of_another_map_or_in_a_wall_is_not_used(state, tmp_path):
    state.mkdir()
    first = resumed(tmp_path, state, "world.map=open")
    drive_and_save(first, 9000.0)
    house = resumed(tmp_path, state, "world.map=warehouse_100")
    before = poses(house)
    assert before["AGV-1"][0] < 1000
    drive_and_save(house, 9000.0)
    again = resumed(tmp_path, state, "world.map=warehouse_100")
    assert poses(again) == before
    assert "AGV-1 starts as configured: its start (9000, 0.5) is" in again.built.notes[-2]


@pytest.mark.parametrize("change", ["x = NULL", "theta = 9e999", "y = 'here'", "world = x'00'"])
def test_a_saved_pose_that_is_none_is_not_used(state, tmp_path, change):
    state.mkdir()
    first = resumed(tmp_path, state, "world.map=open")
    before = poses(first)
    drive_and_save(first, 7.25)
    with closing(sqlite3.connect(state / "poses.sqlite")) as database, database:
        database.execute(f"UPDATE pose SET {change}")
    assert poses(resumed(tmp_path, state, "world.map=open")) == before


def test_poses_that_cannot_be_saved_are_a_warning(state, tmp_path):
    state.mkdir()
    (state / "poses.sqlite").write_bytes(b"no database" * 1000)
    host = resumed(tmp_path, state, "world.map=open")
    seen = []
    host.sim.core.observe_events(lambda time_ns, event: seen.append(event))
    drive_and_save(host, 1.0)
    host.last_poses.save()
    assert [(event.code, event.severity) for event in seen] == [("poses", "warning")]
    assert "file is not a database; use another --state folder" in seen[0].text
