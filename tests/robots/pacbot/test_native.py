"""A maze file as a target, mistakes in the config, and the robot's start."""

import json
import math

import pytest

from rigless.kernel.problems import InputError
from rigless.scenario.load import open_target
from rigless.worlds.mazes.maze import MazeWorld

from .scene import truth

CROSS = [[1, 1, 1, 1], [1, 0, 0, 1], [1, 0, 1, 1], [1, 1, 1, 1]]


def error_of(target, *settings):
    with pytest.raises(InputError) as caught:
        open_target(target, settings)
    return str(caught.value)


def written(folder, data, name="my_maze.json"):
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_a_maze_file_is_a_target(tmp_path, monkeypatch):
    path = written(tmp_path, {"name": "cross", "cell_size": 0.4, "grid": CROSS})
    monkeypatch.chdir(tmp_path)
    for target in (path, "my_maze.json"):
        sim = open_target(target).simulation
        world = sim.robots["pacbot"].world
        assert isinstance(world, MazeWorld)
        assert world.maze.name == "cross"
        assert truth(sim).pose == pytest.approx(
            (1.5 * 0.4, 1.5 * 0.4, 0)
        )  # the centre (2, 2) is wall


def test_the_older_shape_is_a_target_too(tmp_path):
    sim = open_target(written(tmp_path, {"width": 4, "height": 4, "maze": CROSS})).simulation
    assert truth(sim).pose == pytest.approx((0.45, 0.45, 0))


def test_settings_go_with_a_maze_file(tmp_path):
    path = written(tmp_path, {"grid": CROSS})
    sim = open_target(
        path, ["profile=upstream", "start_theta_rad=1", "start_x_m=0.75", "start_y_m=0.45"]
    ).simulation
    assert sim.robots["pacbot"].config.body.wheel_speed_mps == 0.5
    assert truth(sim).pose == (0.75, 0.45, 1.0)


def test_a_bad_maze_is_reported_with_file_key_reason_and_fix(tmp_path):
    path = written(tmp_path, {"grid": [[1, 0], [0, 7]], "cellsize": 1})
    text = error_of(path)
    assert f"{path}:1: grid[1][1]: 7 is not from 0 to 1 (0 is open, 1 is wall)" in text
    assert "unknown key 'cellsize' (did you mean 'cell_size'?)" in text
    assert f"{path}:1: is not valid JSON" in error_of(written(tmp_path, "{"))


def test_other_json_is_no_robots_file(tmp_path):
    assert "no robot knows the file" in error_of(written(tmp_path, {"robot": 1}))


@pytest.mark.parametrize("name", ["mini", "empty", "medium", "full", "arena"])
def test_every_shipped_maze_by_name(name):
    sim = open_target("pacbot", [f"maze={name}"]).simulation
    sim.run(0.5)
    maze = sim.world.maze
    assert maze.name == name
    assert truth(sim).pose[:2] == pytest.approx(maze.centre(*maze.start))


def test_the_arena_starts_at_its_spawn():
    x, y, theta = truth(open_target("pacbot", ["maze=arena"]).simulation).pose
    assert (x, y, theta) == pytest.approx((13.5 * 0.0889, (30 - 23 + 0.5) * 0.0889, 0))


def test_an_unknown_maze_names_those_there_are():
    assert "did you mean 'medium'?" in error_of("pacbot", "maze=mediun")


def test_a_robot_that_does_not_fit_is_an_error(tmp_path):
    path = written(tmp_path, {"grid": CROSS, "cell_size": 0.1})
    assert "pacbot: a robot 0.15 m wide does not fit at its start (0.15, 0.15)" in error_of(path)
    assert "does not fit" in error_of("pacbot", "start_x_m=0.31", "start_y_m=1.0")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("profile=fast", "profile"),
        ("profile=[]", "profile"),
        ("body.radius_m=0", "radius_m"),
        ("body=5", "body"),
        ("tof.count=3", "count"),
        ("tof.count=9", "count"),
        ("tof.min_range_m=2", "min_range_m must be below max_range_m"),
        ("motors.slip=1", "slip"),
        ("motors.gain.up=1", "unknown key 'up'"),
        ("pins.north=[22,23]", "two wheels have the same pins"),
        ("pins.north=[23,22]", "two wheels have the same pins"),
        ("start_x_m=1", "given together"),
        ("network.commands=here", "network.commands"),
        ("encoders.noise=nan", "noise"),
        ("mazes=mini", "did you mean 'maze'?"),
        ("ports.uart=0", "unknown port 'uart'"),
    ],
)
def test_impossible_settings_are_errors(setting, words):
    assert words in error_of("pacbot", setting)


def test_a_pacbot_in_a_map_of_a_scenario(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(
        '[world]\nmap = "empty_room"\n[[robots]]\nkind = "pacbot"\n'
        "start = { x = 1.0, y = 0.5, theta = 1.5707963267948966 }\n"
    )
    sim = open_target(file).simulation
    sim.send("pacbot", "commands", b'{"command":"move","id":3,"params":{"speed":1}}')
    sim.send("pacbot", "commands", b'{"command":"move","id":2,"params":{"speed":-1}}')
    sim.run(2)
    x, y, theta = truth(sim).pose
    assert (y, theta) == pytest.approx((0.5, math.pi / 2))
    assert x < 0.5  # its forward is the world's −x


def test_robots_that_ask_for_other_worlds_have_their_own(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(
        '[[robots]]\nname = "a"\nkind = "pacbot"\n[robots.config]\nmaze = "mini"\n'
        '[[robots]]\nname = "b"\nkind = "pacbot"\n[robots.config]\nmaze = "medium"\n'
        '[[robots]]\nname = "c"\nkind = "pacbot"\n[robots.config]\nmaze = "medium"\n'
        "sensors_hz = 10\n"
        '[[robots]]\nname = "v"\nkind = "vacuum"\n'
    )
    sim = open_target(file).simulation
    worlds = {name: robot.world for name, robot in sim.robots.items()}
    assert [worlds[name].maze.name for name in "abc"] == ["mini", "medium", "medium"]
    assert worlds["b"] is worlds["c"]
    assert worlds["v"].grid.shape == (400, 500)
    assert len(sim.robots["b"].neighbours()) == 1
    assert sim.robots["a"].neighbours() == sim.robots["v"].neighbours() == []
    sim.run(0.2)
    saved = sim.snapshot()
    sim.reset()
    assert [robot.world for robot in sim.robots.values()] == list(worlds.values())
    sim.restore(saved)
    assert sim.now_s == pytest.approx(0.2)
