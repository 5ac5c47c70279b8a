"""The navigation graph: directions, fastest routes and starts."""

import itertools
import math
import random

import pytest

from rigless.worlds.bundled import find_map
from rigless.worlds.layout.graph import USUAL_MPS, Graph
from rigless.worlds.layout.model import Edge, Layout, Node
from rigless.worlds.layout.starts import start_nodes
from rigless.worlds.layout.world_files import load_world


def graph(nodes, *edges):
    return Graph(
        Layout(
            nodes=tuple(Node(id=name, x=x, y=y) for name, (x, y) in nodes.items()),
            edges=tuple(Edge(nodes=tuple(names), **keys) for names, keys in edges),
        )
    )


SQUARE = {"a": (0, 0), "b": (4, 0), "c": (4, 4), "d": (0, 4)}


def test_edges_have_their_direction_and_routes_follow_it():
    one_way = graph(SQUARE, ("abcda", {}))
    assert one_way.route("a", "b") == ["a", "b"]
    assert one_way.route("b", "a") == ["b", "c", "d", "a"]
    assert one_way.route("b", "a", without={"c"}) is None
    both = graph(SQUARE, ("abcda", {"direction": "both"}))
    assert both.route("b", "a") == ["b", "a"]
    assert both.neighbours("a") == {"b", "d"}
    assert both.route("a", "a") == ["a"]


def test_the_fastest_route_is_not_the_shortest():
    slow = graph(SQUARE, ("ab", {"speed_mps": 0.2}), ("adcb", {"speed_mps": 1.2}))
    assert slow.route("a", "b") == ["a", "d", "c", "b"]


@pytest.mark.parametrize("seed", range(20))
def test_routes_are_as_fast_as_the_best_of_all_paths(seed):
    draw = random.Random(seed)
    names = "abcdef"
    places = {name: (draw.uniform(0, 10), draw.uniform(0, 10)) for name in names}
    pairs = draw.sample(list(itertools.permutations(names, 2)), 12)
    edges = [(pair, {"speed_mps": draw.choice([0.5, 1.0, 2.0, None])}) for pair in pairs]
    found = graph(places, *edges)

    def seconds(path):
        total = 0.0
        for a, b in itertools.pairwise(path):
            arc = found.arcs[a].get(b)
            if arc is None:
                return math.inf
            total += arc.length_m / (arc.speed_mps or USUAL_MPS)
        return total

    for start, end in itertools.permutations(names, 2):
        between = [name for name in names if name not in (start, end)]
        paths = (
            (start, *middle, end)
            for count in range(len(between) + 1)
            for middle in itertools.permutations(between, count)
        )
        best = min(map(seconds, paths))
        route = found.route(start, end)
        assert (route is None) == math.isinf(best)
        assert route is None or seconds(route) == pytest.approx(best)


def test_starts_depend_on_the_seed_only_and_are_spread():
    world, _ = load_world(find_map("warehouse_100"))
    layout = world.layout
    order = [[node.id for node in start_nodes(layout, world.graph, seed)] for seed in (1, 1, 2)]
    assert order[0] == order[1] != order[2]
    assert len(set(order[0])) == len(order[0])
    first = order[0][:60]
    chargers = {charger.node for charger in layout.chargers}
    stations = {station.node for station in layout.stations}
    assert len(set(first) & set(layout.parking)) > 40
    assert set(first) & chargers
    assert set(first) & stations
    assert not set(order[0]) & {"G2", "M1", "M2", "M3"}  # there is no way out without the lift
