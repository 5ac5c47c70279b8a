"""The world of a fleet: a warehouse with places, unless something says where the robots are."""

import json

import pytest

from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target
from rigless.worlds.layout.site_world import SiteWorld


def opened(tmp_path, text, *settings, seed=None):
    (tmp_path / "fleet.toml").write_text(text)
    return open_target(tmp_path / "fleet.toml", settings, seed)


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    return repr(value)


def fleet(**keys):
    lines = (f"{key} = {toml(value)}" for key, value in {"kind": "agv", **keys}.items())
    return "[[robots]]\n" + "\n".join(lines) + "\n"


def starts(built):
    return [tuple(robot.machine.drive.pose) for robot in built.simulation.robots.values()]


def test_a_fleet_starts_on_places_of_the_warehouse_spread_by_the_seed():
    first, again, other = (
        open_target("agv", ["count=50"], seed=seed, collect=False) for seed in (1, 1, 2)
    )
    world = first.simulation.world
    assert isinstance(world, SiteWorld)
    assert world.layout.name == "warehouse_100"
    assert starts(first) == starts(again) != starts(other)
    nodes = {(node.x, node.y): node for node in world.layout.nodes}
    stands = [nodes[x, y].id for x, y, _ in starts(first)]
    assert len(set(stands)) == 50
    assert sum(node in world.layout.parking for node in stands) > 35
    for x, y, theta in starts(first):
        assert theta == pytest.approx(nodes[x, y].theta)


def test_the_size_of_the_fleet_selects_the_warehouse(tmp_path):
    built = opened(tmp_path, fleet(name="a", count=99) + fleet(name="b", count=2))
    worlds = {id(robot.world): robot.world for robot in built.simulation.robots.values()}
    assert [world.layout.name for world in worlds.values()] == ["warehouse_1000"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[world]\nmap = 'open'\n" + fleet(count=2), (0.0, -1.8, 0.0)),
        (fleet(name="a", count=2) + fleet(name="b", start={"x": 9}), (0.0, -1.8, 0.0)),
        (fleet(name="a") + fleet(name="b"), (0.0, -1.8, 0.0)),
    ],
    ids=["open", "a start", "no fleet"],
)
def test_there_is_an_open_plane_if_somebody_says_so_or_says_where(tmp_path, text, place):
    built = opened(tmp_path, text)
    assert not isinstance(built.simulation.world, SiteWorld)
    assert starts(built)[1] == place


def test_a_map_of_the_user_has_room_for_a_fleet_without_a_layout(tmp_path):
    built = opened(tmp_path, "[world]\nmap = 'hall'\n" + fleet(count=5))
    assert len(set(starts(built))) == 5
    robots = built.simulation.robots.values()
    assert all(not robot.world.why_blocked(robot.body(), 0) for robot in robots)


def test_a_layout_file_or_a_lif_file_is_a_world(tmp_path):
    nodes = [{"id": f"n{n}", "x": 2.0 * n, "y": 1.0, "theta": 0.5} for n in range(3)]
    (tmp_path / "site.json").write_text(json.dumps({"nodes": nodes, "parking": ["n0", "n1", "n2"]}))
    text = "[world]\nlayout = 'site.json'\n" + fleet(count=4)
    built = opened(tmp_path, text)
    poses = starts(built)
    assert sorted(poses[:3]) == [(0.0, 1.0, 0.5), (2.0, 1.0, 0.5), (4.0, 1.0, 0.5)]
    assert len(set(poses)) == 4  # the last one stands next to them
    (tmp_path / "site.json").write_text(json.dumps({"nodes": nodes, "parking": ["n9"]}, indent=1))
    with pytest.raises(InputError) as caught:
        opened(tmp_path, text)
    assert "site.json" in str(caught.value)
    assert "unknown node 'n9'" in str(caught.value)


def test_a_robot_with_a_start_of_its_own_keeps_it_and_nobody_else_gets_it(tmp_path):
    own = {"runtime": {"simulationProfile": {"initialPose": {"x": 0.0, "y": -2.0}}}}
    lines = "[world]\nmap = 'warehouse_100'\n" + fleet(name="a", count=100)
    text = lines + fleet(name="b", config=own)
    poses = starts(opened(tmp_path, text))
    assert poses[-1] == (0.0, -2.0, 0.0)
    assert all(pose[:2] != (0.0, -2.0) for pose in poses[:-1])


def test_a_recording_of_a_fleet_in_the_warehouse_replays(tmp_path):
    built = open_target("agv", ["count=3"], seed=5)
    path = tmp_path / "fleet.mcap"
    path.write_bytes(record_to_bytes(built.simulation, 0.3))
    assert verify(path).difference is None
