"""Layout files: what is read, and what is reported with which line."""

import json

import pytest

from rigless.kernel.problems import InputError
from rigless.worlds.bundled import bundled_maps, find_map
from rigless.worlds.layout.layout_file import read_layout
from rigless.worlds.layout.world_files import load_world
from rigless.worlds.maps import load_map

TOML = """
name = "small"
nodes = [
    { id = "a", x = 0.0, y = 0.0 },
    { id = "b", x = 2.0, y = 0.0, theta = 1.57 },
    { id = "c", x = 2.0, y = 2.0 },
]
parking = ["a"]

[[edges]]
nodes = ["a", "b", "c"]
speed_mps = 0.8
[[edges]]
nodes = ["c", "a"]
direction = "both"
width_m = 1.2

[[chargers]]
id = "k"
node = "b"
[[stations]]
id = "s"
node = "c"
kind = "source"
slots = 2
"""


def written(tmp_path, text, name="site.toml"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def problems(tmp_path, text, name="site.toml"):
    with pytest.raises(InputError) as caught:
        read_layout(written(tmp_path, text, name))
    prefix = f"{tmp_path / name}:"  # and the line
    return [str(problem).removeprefix(prefix) for problem in caught.value.problems]


def test_a_layout_in_toml_and_the_same_in_json(tmp_path):
    layout = read_layout(written(tmp_path, TOML)).layout
    assert [node.id for node in layout.nodes] == ["a", "b", "c"]
    assert (layout.edges[0].speed_mps, layout.edges[1].width_m) == (0.8, 1.2)
    assert (layout.chargers[0].node, layout.stations[0].slots) == ("b", 2)
    text = json.dumps(layout.model_dump(mode="json"))
    assert read_layout(written(tmp_path, text, "site.json")).layout == layout


TWICE = "is given twice"
MISTAKES = {
    ('"a", "b", "c"', '"a", "d", "c"'): (
        "11: edges[0].nodes[1]: unknown node 'd' (choose from: a, b, c)"
    ),
    ('id = "b"', 'id = "a"'): f"5: nodes[1].id: the id 'a' {TWICE} (give each its own id)",
    ('node = "c"', 'node = "cc"'): ("23: stations[0].node: unknown node 'cc' (did you mean 'c'?)"),
    ("slots = 2", "slots = 2\nloads = 3"): (
        "26: stations[0].loads: 3 loads do not fit into 2 slots (use more slots or fewer loads)"
    ),
    ("x = 2.0, y = 2.0", "x = 2.0, y = 0.0"): (
        "11: edges[0].nodes[2]: 'b' and 'c' are at the same place (move one of them)"
    ),
    ('"c", "a"', '"b", "a"'): (
        f"14: edges[1].nodes[1]: the edge from 'a' to 'b' {TWICE}"
        " (remove one of them, or rename a node)"
    ),
    ("x = 0.0", "x = nan"): ("4: nodes[0].x: nan is not right: input should be a finite number"),
    ("speed_mps", "speed_mph"): (
        "12: edges[0].speed_mph: unknown key 'speed_mph' (did you mean 'speed_mps'?)"
    ),
    ('parking = ["a"]', 'parking = ["a", "a"]'): (
        f"8: parking[1]: the parking place 'a' {TWICE} (give each its own parking place)"
    ),
}


@pytest.mark.parametrize("change", MISTAKES)
def test_mistakes_have_their_line(tmp_path, change):
    assert change[0] in TOML
    assert problems(tmp_path, TOML.replace(*change, 1))[0] == MISTAKES[change]


ODD = {
    "[]": "1: is not a layout (a layout has nodes and edges; docs/reference/layouts.md has an"
    " example)",
    '{"nodes": [],\n "nodes": []}': (
        "2: nodes: the key 'nodes' is given twice (the first one is on line 1)"
    ),
    '{"nodes": [{"id": "a", "x": NaN, "y": 0}]}': (
        "1: nodes[0].x: NaN is not a JSON number (write a finite number, or leave the key out)"
    ),
    '{"nodes": 3}': "1: nodes: 3 is not right: it should be a list",
    "{": "1: the text ends where a key in double quotes is expected"
    " (the bracket on line 1 is not closed)",
}


@pytest.mark.parametrize("text", ODD)
def test_odd_json_is_an_error(tmp_path, text):
    assert problems(tmp_path, text, "site.json")[0] == ODD[text]


def test_a_place_without_a_way_back_is_a_warning(tmp_path):
    text = TOML.replace('direction = "both"', "").replace('"c", "a"', '"a", "c"')
    [warning] = read_layout(written(tmp_path, text)).warnings
    assert "no route leads from 'a' to these nodes and back: b, c" in str(warning)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (30, "nodes[1]: 'b' is off the map (move the node)"),
        (1.5, "nodes[1]: 'b' is in a wall (move the node)"),
        (2.5, "edges[0].nodes[1]: a wall is between 'a' and 'b' (go around it)"),
    ],
)
def test_nodes_and_edges_are_on_the_floor_of_the_map(tmp_path, x, expected):
    data = {
        "nodes": [{"id": "a", "x": 0, "y": 0}, {"id": "b", "x": x, "y": 0}],
        "edges": [{"nodes": ["a", "b"]}],
    }
    path = written(tmp_path, json.dumps(data), "site.json")
    assert read_layout(path).layout.nodes
    with pytest.raises(InputError) as caught:
        read_layout(path, load_map(bundled_maps()["room_with_box"]))
    assert str(caught.value).endswith(f"site.json:1: {expected}")


def test_a_layout_without_a_map_has_an_open_floor(tmp_path):
    world, _ = load_world(None, written(tmp_path, TOML))
    assert not world.grid.occupied.any()
    x, y = world.grid.to_cells(2.0, 2.0)
    height, width = world.grid.shape
    assert 0 < x < width
    assert 0 < y < height


@pytest.mark.parametrize(("name", "robots"), [("warehouse_100", 100), ("warehouse_1000", 1000)])
def test_the_bundled_warehouses_have_room_for_their_fleets(name, robots):
    world, warnings = load_world(find_map(name))
    assert warnings == ()
    assert len(world.layout.parking) >= robots
    kinds = {station.kind for station in world.layout.stations}
    assert kinds == {"storage", "source", "sink"}
    assert world.layout.doors
    assert world.layout.lifts
    assert world.layout.conveyors
    # Without the lift, everything but the mezzanine can be reached from everywhere.
    ground = world.graph.reachable("A00")
    assert ground == world.graph.reachable("A00", backwards=True)
    assert set(world.graph.nodes) - ground == {"G2", "M1", "M2", "M3"}
