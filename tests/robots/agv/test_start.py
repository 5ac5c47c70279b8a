"""Starts in walls, off the map and under obstacles: errors with a start that works."""

import re

import pytest

from rigless.kernel.problems import InputError
from rigless.scenario.load import open_target

START = "runtime.simulationProfile.initialPose"
ON_MAP = ("runtime.simulationProfile.map=empty_room",)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ((*ON_MAP, f"{START}.x=500"), r"its start \(500, 0\) is off the map"),
        ((*ON_MAP, f"{START}.x=2.9"), r"a robot does not fit at its start .*overlaps a wall"),
        ((*ON_MAP, f"{START}.x=2.5", f"{START}.theta=0.7"), "overlaps a wall"),
    ],
)
def test_a_start_in_a_wall_or_off_the_map_is_an_error_whose_fix_works(settings, why):
    with pytest.raises(InputError) as caught:
        open_target("agv", settings)
    assert re.search("^agv: .*" + why, str(caught.value))
    words = re.findall(r"--set (\S+?=\S+?)(?=[ )])", str(caught.value))
    assert [word.partition("=")[0] for word in words] == [f"{START}.x", f"{START}.y"]
    open_target("agv", [*settings, *words])


def test_walls_and_obstacles_of_the_scenario_matter_to_a_simulated_robot(tmp_path):
    file = tmp_path / "scene.toml"
    text = "name = 'hall'\n[world]\nmap = 'empty_room'\n[[robots]]\nkind = 'agv'\n"
    file.write_text(text + "start = { x = 500 }\n", "utf-8")
    with pytest.raises(InputError, match=r"its start \(500, 0\) is off the map"):
        open_target(str(file))
    cart = "[[world.obstacles]]\nname = 'cart'\nradius_m = 0.3\nx = 0.2\n"
    file.write_text("name = 'hall'\n" + cart + "[[robots]]\nkind = 'agv'\n", "utf-8")
    with pytest.raises(InputError, match="overlaps the obstacle 'cart'"):
        open_target(str(file))
