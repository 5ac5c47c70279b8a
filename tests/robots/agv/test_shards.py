"""Parts of a fleet in simulations of their own, which exchange the poses of their robots."""

import math
import random
from io import BytesIO

import pytest

import rigless
from rigless.host.shards.wire import fleet_id
from rigless.kernel.fleet.shard import Shard, to_bytes
from rigless.kernel.inputs import Follow, PlaceRobot, SetInput
from rigless.kernel.recording import Recorder
from rigless.recordings.replay import verify
from rigless.robots.agv import messages as m
from rigless.scenario.load import open_target

STEP_NS = 20_000_000  # the period at which poses are exchanged


def fleet(path, shard="", robots="count = 6"):
    text = f'{"shard = " if shard else ""}{shard and repr(shard)}\n[[robots]]\nkind = "agv"\n'
    path.write_text(text + robots)
    return open_target(path, seed=5).simulation


def parts_of(tmp_path, count, robots="count = 6"):
    return [fleet(tmp_path / f"{n}.toml", f"{n}/{count}", robots) for n in range(1, count + 1)]


def number_of(sim):
    return sim.core.membership.shard.number


def poses_of(sim):
    return to_bytes([robot.whereabouts() for robot in sim.core.stepped])


def run_together(parts, seconds):
    """Run all parts; each gets the poses of the others once per step."""
    for _ in range(round(seconds * 1e9 / STEP_NS)):
        poses = {number_of(sim): poses_of(sim) for sim in parts}
        for sim in parts:
            for number, data in poses.items():
                if number != number_of(sim):
                    sim.apply(Follow(number, data))
            sim.run_until(sim.now_ns + STEP_NS)


def drive(sim, robot, x, y):
    command = m.CommandRequest(
        commandId="c1",
        commandType="MOVE",
        params={"x": x, "y": y},
        issuedAt="2026-01-01T00:00:00.000Z",
        expiresAt="2026-01-01T01:00:00.000Z",
    )
    sim.send(robot, "nats", command)


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_a_fleet_send_what_the_whole_would_send(tmp_path, seed):
    # apart from each other, so that nothing depends on the instant at which poses are exchanged
    rng, count = random.Random(seed), 2 + seed
    spread = "".join(
        f'[[robots]]\nkind = "agv"\nname = "r{n}"\nstart = {{ x = {60 * n}, y = 0 }}\n'
        for n in range(5)
    )
    robots = 'name = "first"\nstart = { x = 0, y = 90 }\n' + spread
    whole, parts = fleet(tmp_path / "all.toml", robots=robots), parts_of(tmp_path, count, robots)
    goals = {name: (rng.uniform(-20, 20), rng.uniform(-20, 20)) for name in whole.robots}
    for sim in (whole, *parts):
        for robot in sim.core.stepped:
            x, y = robot.whereabouts()[:2]
            drive(sim, robot.name, x + goals[robot.name][0], y + goals[robot.name][1])
    whole.run(4.0)
    run_together(parts, 4.0)
    owners = {robot.name: sim for sim in parts for robot in sim.core.stepped}
    assert owners.keys() == whole.robots.keys()
    for name, sim in owners.items():
        sent = sim.take(name, "nats")
        assert len(sent) > 80
        assert sent == whole.take(name, "nats")
        elsewhere = next(part for part in parts if part is not sim)
        assert elsewhere.take(name, "nats") == []
        found, real = (s.robots[name].whereabouts() for s in (elsewhere, sim))
        assert found[:2] == pytest.approx(real[:2], abs=2.0 * STEP_NS / 1e9)  # one step late


SEES = "config.runtime.simulationProfile.robotsAreObstacles = true"
TWO = f"""
name = "left"
start = {{ x = 0, y = 0, theta = 0 }}
{SEES}
[[robots]]
kind = "agv"
name = "right"
start = {{ x = 8, y = 0, theta = 3.14159265 }}
{SEES}
"""


def test_a_robot_of_another_part_blocks_the_way(tmp_path):
    parts = parts_of(tmp_path, 2, TWO)
    drive(parts[0], "left", 12.0, 0.0)
    run_together(parts, 15.0)
    x = parts[0].truth("left").pose[0]
    assert 3.0 < x < 7.0  # it stands in front of the other one
    assert parts[0].robots["left"].machine.obstacle_stop
    parts[1].apply(PlaceRobot("right", 8.0, 9.0))
    run_together(parts, 10.0)
    assert parts[0].truth("left").pose[0] == pytest.approx(12.0, abs=0.01)


def reported(sim, code):
    return [event.data["about"] for event in sim.events if event.code == code]


@pytest.mark.parametrize("degrees", [45, 90, 135, 180])
@pytest.mark.parametrize("late_m", [0.0, -0.8])
def test_robots_of_two_parts_that_cross_keep_apart_and_say_who_blocks_whom(
    tmp_path, degrees, late_m
):
    theta, way_m = math.radians(degrees), 4.0 + late_m
    x, y = math.cos(theta), math.sin(theta)
    start = f"x = {4.0 - way_m * x}, y = {-way_m * y}, theta = {theta}"
    robots = TWO.replace("x = 8, y = 0, theta = 3.14159265", start)
    parts = parts_of(tmp_path, 2, robots)
    drive(parts[0], "left", 10.0, 0.0)
    drive(parts[1], "right", 4.0 + 6.0 * x, 6.0 * y)
    run_together(parts, 9.0)
    assert [reported(sim, "collision") for sim in parts] == [[], []]
    found = [reported(sim, "deadlock") for sim in parts]
    if late_m == 0.0 or degrees == 180:
        assert found == [[{"robots": ["left", "right"]}]] * 2
    else:
        assert found[0] == found[1]


def test_the_load_of_a_robot_of_another_part_is_part_of_its_footprint(tmp_path):
    parts = parts_of(tmp_path, 2, TWO)
    here, there = (sim.robots["right"].machine for sim in parts)
    sizes = []
    for load in ((2.4, 1.2), None):
        there.state.load_size_m = load
        there.protection.reshape()
        run_together(parts, 0.1)
        assert here.protection.size_m == there.protection.size_m
        sizes.append(here.protection.size_m)
    assert sizes == [(2.4, 1.2), (0.9, 0.65)]


def test_the_recording_of_a_part_replays(tmp_path):
    parts = parts_of(tmp_path, 2, TWO)
    stream = BytesIO()
    recorder = Recorder(parts[0], stream)
    drive(parts[0], "left", 8.0, 0.0)
    drive(parts[1], "right", 0.0, 0.0)
    run_together(parts, 6.0)
    recorder.close()
    path = tmp_path / "part.mcap"
    path.write_bytes(stream.getvalue())
    found = verify(path)
    assert found.difference is None
    assert found.records > 500


def test_a_part_that_begins_later_applies_what_the_scenario_has_planned(tmp_path):
    timeline = '\n[[timeline]]\nat_s = 2\nrobot = "*"\nset = { estop = true }\n'
    sim = fleet(tmp_path / "f.toml", "1/2", TWO + timeline)
    sim.core.begin_at(5_250_000_000)
    assert sim.now_s == 5.25
    assert sim.robots["left"].input["estop"] is True
    assert sim.robots["right"].input["estop"] is False  # of another part
    assert sim.take("left", "nats") == []
    sim.run(1.0)
    times = [one.sim.simTimeS for one in sim.take("left", "nats") if one.type == "state"]
    assert min(times) > 5.25
    assert len(times) >= 10


def test_a_part_restores_a_snapshot_and_resets(tmp_path):
    sim = fleet(tmp_path / "f.toml", "1/2")
    sim.run(1.0)
    saved, before = sim.snapshot(), sim.take("agv-1", "nats")
    sim.run(1.0)
    after = sim.take("agv-1", "nats")
    sim.restore(saved)
    sim.run(1.0)
    assert sim.take("agv-1", "nats") == after
    sim.reset()
    sim.run(1.0)
    assert sim.take("agv-1", "nats") == before
    assert sim.take("agv-2", "nats") == []


def test_inputs_of_robots_elsewhere_and_strange_poses_are_refused(tmp_path):
    sim = fleet(tmp_path / "f.toml", "1/2")
    for wrong, what in (
        (SetInput("agv-2", "estop", True), "stepped by shard 2"),
        (Follow(2, b"123"), "not the poses of its robots"),
        (Follow(1, b""), "no other shard 1"),
        (Follow(3, b""), "no other shard 3"),
    ):
        with pytest.raises(rigless.InputError, match=what):
            sim.apply(wrong)
    whole = fleet(tmp_path / "all.toml")
    with pytest.raises(rigless.InputError, match="no other shard"):
        whole.apply(Follow(1, b""))


@pytest.mark.parametrize("text", ["", "1", "3/2", "1/0", "a/b", "1/257", "-1/2", "1/2/3"])
def test_a_wrong_part_is_an_error(text):
    with pytest.raises(rigless.InputError, match="not a part of a fleet"):
        Shard.parse(text)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_each_robot_belongs_to_one_part_and_parts_have_equal_sizes(count):
    owners = [Shard(1, count).owner(index) for index in range(100)]
    sizes = [owners.count(number) for number in range(1, count + 1)]
    assert sum(sizes) == 100
    assert max(sizes) - min(sizes) <= 1


def test_the_name_of_a_fleet_does_not_depend_on_the_address_of_its_server():
    def name(seed=5, **keys):
        settings = [f"{key.replace('_', '.')}={value}" for key, value in keys.items()]
        return fleet_id(open_target("agv", settings, seed=seed, collect=False).scenario, seed)

    assert name(ports_nats=0) == name(ports_nats="10.0.0.7:4222") == name(shard="1/2") == name()
    assert len({name(), name(seed=6), name(count=3)}) == 3
