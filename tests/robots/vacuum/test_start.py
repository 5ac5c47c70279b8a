"""Starts that are not possible, and obstacles placed on the robot: errors with a place that is."""

import re

import pytest

from rigless.kernel.inputs import MoveObstacle
from rigless.kernel.problems import InputError
from rigless.scenario.load import open_target

from .scene import scenario, vacuum

ROBOT = "[[robots]]\nkind = 'vacuum'\n"
HEAD = "name = 'start'\n[world]\nmap = 'empty_room'\n"
CART = "[[world.obstacles]]\nname = 'cart'\nradius_m = 0.3\nx = {x}\n"


def error_of(*settings: str) -> str:
    with pytest.raises(InputError) as caught:
        open_target("vacuum", settings)
    return str(caught.value)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (("start_x=500",), r"its start \(500, 0\) is off the map, which has x from -4 to 6"),
        (("start_y=-1e308",), r"its start \(0, -1e\+308\) is off the map"),
        (("start_x=1e308",), r"its start \(1e\+308, 0\) is off the map"),
        (("start_x=-3.99",), r"a robot 0.34 m wide does not fit at its start .*overlaps a wall"),
        (("map_file=empty_room", "start_x=2.9"), "overlaps a wall"),
        (("robot.collision_mode=passthrough", "start_x=500"), "off the map"),
    ],
)
def test_a_start_in_a_wall_or_off_the_map_is_an_error_whose_fix_works(settings, why):
    error = error_of(*settings)
    assert re.search("^vacuum: .*" + why, error)
    words = re.findall(r"--set (start_[xy]=\S+?)(?=[ )])", error)
    assert len(words) == 2
    sim = open_target("vacuum", [*settings, *words]).simulation
    sim.run(0.1)
    assert sim.truth("vacuum").bumpers == (False, False)
    assert not any(sim.truth("vacuum").cliffs)


def test_a_heading_beyond_rounding_is_an_error():
    assert "its heading of 1e+308 rad is not an angle" in error_of("start_theta=1e308")


def test_a_robot_that_passes_through_walls_may_start_in_one():
    vacuum("robot.collision_mode=passthrough", "start_x=2.95").run(0.1)


def test_all_starts_of_a_scenario_are_checked_with_their_lines(tmp_path):
    text = HEAD + ROBOT + "name = 'one'\nstart = { x = 9 }\n" + ROBOT + "name = 'two'\n"
    text += "config = { start_y = 3.0 }\n"
    with pytest.raises(InputError) as caught:
        scenario(tmp_path, text)
    one, two = str(caught.value).splitlines()
    assert "scene.toml:4: one: its start (9, 0) is off the map" in one
    assert "(the nearest free start: start = { x = 2.77, y = -0.02 })" in one
    assert "scene.toml:8: two:" in two
    assert "--set two.start_x=" in two


@pytest.mark.parametrize("count", [1, 2])
def test_the_fix_of_a_fleet_names_its_entry(count):
    with pytest.raises(InputError) as caught:
        open_target("vacuum", ["start_x=500", f"count={count}"])
    words = re.findall(r"--set (\S+?)(?=[ )])", str(caught.value).splitlines()[0])
    open_target("vacuum", ["start_x=500", f"count={count}", *words])


def test_an_obstacle_on_the_robot_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"does not fit at .* overlaps the obstacle 'cart'"):
        scenario(tmp_path, HEAD + CART.format(x=0.2) + ROBOT)
    placed = "[[timeline]]\nat_s = {}\nobstacle = 'cart'\nx = 0.1\ny = 0.1\n"
    with pytest.raises(InputError, match=r"timeline\[0\]: cart: at \(0.1, 0.1\) .*overlaps vacuum"):
        scenario(tmp_path, HEAD + CART.format(x=2) + ROBOT + placed.format(0))

    sim = scenario(tmp_path, HEAD + CART.format(x=2) + ROBOT + placed.format(1))
    with pytest.raises(InputError) as caught:
        sim.apply(MoveObstacle("cart", 0.1, 0.0))
    x, y = map(float, re.findall(r"[xy] = (\S+?)[,)]", str(caught.value)))
    sim.apply(MoveObstacle("cart", x, y))
    sim.apply(MoveObstacle("cart", 0.0, 0.0, over_s=5.0))  # it drives into the robot
    assert not sim.events
    sim.run(1.5)
    assert [(event.code, event.severity) for event in sim.events if "obstacle" in event.code] == [
        ("obstacle-on-robot", "warning")
    ]
