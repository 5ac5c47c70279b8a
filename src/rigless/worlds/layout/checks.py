"""Checks of a layout across its keys: ids, references, edges, and walls of the map."""

import math
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise

import numpy as np

from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem, did_you_mean
from rigless.worlds.grid import Grid
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Layout

SHORTEST_M = 1e-3  # of an edge
MOST_SHOWN = 20  # problems of one kind
DEVICES = ("doors", "lifts", "conveyors")

Report = Callable[[KeyPath, str, str], None]


def check_layout(layout: Layout) -> list[Problem]:
    """Return the mistakes in a layout whose keys are valid; if there are none, warnings."""
    found: list[Problem] = []

    def report(path: KeyPath, what: str, fix: str) -> None:
        found.append(Problem.at(path, what, fix))

    for kinds in (("nodes",), ("stations",), ("chargers",), DEVICES):
        elements = [
            ((kind, n, "id"), element.id)
            for kind in kinds
            for n, element in enumerate(getattr(layout, kind))
        ]
        _check_unique("id", elements, report)
    _check_references(layout, report)
    if not found:
        _check_edges(layout, report)
        _check_places(layout, report)
    return found or _warnings(layout)


def _check_unique(what: str, names: Iterable[tuple[KeyPath, str]], report: Report) -> None:
    known: set[str] = set()
    for path, name in names:
        if name in known:
            report(path, f"the {what} {name!r} is given twice", f"give each its own {what}")
        known.add(name)


def _check_references(layout: Layout, report: Report) -> None:
    """Report nodes, stations and doors that do not exist."""
    nodes = {node.id for node in layout.nodes}
    stations = {station.id for station in layout.stations}
    doors = {door.id for door in layout.doors}

    def check(kind: str, name: str | None, known: Collection[str], path: KeyPath) -> None:
        if name is not None and name not in known:
            report(path, f"unknown {kind} {name!r}", did_you_mean(name, known))

    for n, edge in enumerate(layout.edges):
        for k, node in enumerate(edge.nodes):
            check("node", node, nodes, ("edges", n, "nodes", k))
    for n, node in enumerate(layout.parking):
        check("node", node, nodes, ("parking", n))
    for n, station in enumerate(layout.stations):
        check("node", station.node, nodes, ("stations", n, "node"))
    for n, charger in enumerate(layout.chargers):
        check("node", charger.node, nodes, ("chargers", n, "node"))
    for n, lift in enumerate(layout.lifts):
        for k, floor in enumerate(lift.floors):
            check("node", floor.node, nodes, ("lifts", n, "floors", k, "node"))
            check("door", floor.door, doors, ("lifts", n, "floors", k, "door"))
    for n, conveyor in enumerate(layout.conveyors):
        check("station", conveyor.start, stations, ("conveyors", n, "start"))
        check("station", conveyor.end, stations, ("conveyors", n, "end"))


def _check_edges(layout: Layout, report: Report) -> None:
    """Report edges without length, and edges that are given twice."""
    nodes = {node.id: node for node in layout.nodes}
    known: set[str] = set()
    for n, edge in enumerate(layout.edges):
        for k, (a, b) in enumerate(pairwise(edge.nodes)):
            path = ("edges", n, "nodes", k + 1)
            if math.hypot(nodes[b].x - nodes[a].x, nodes[b].y - nodes[a].y) < SHORTEST_M:
                report(path, f"{a!r} and {b!r} are at the same place", "move one of them")
            for start, end in ((a, b), (b, a)) if edge.direction == "both" else ((a, b),):
                if f"{start}-{end}" in known:
                    what = f"the edge from {start!r} to {end!r} is given twice"
                    report(path, what, "remove one of them, or rename a node")
                known.add(f"{start}-{end}")


def _check_places(layout: Layout, report: Report) -> None:
    """Report places, lifts and conveyors that cannot work."""
    parking = [(("parking", n), node) for n, node in enumerate(layout.parking)]
    _check_unique("parking place", parking, report)
    chargers = [(("chargers", n, "node"), one.node) for n, one in enumerate(layout.chargers)]
    _check_unique("node of a charger", chargers, report)
    for n, station in enumerate(layout.stations):
        if station.loads > station.slots:
            what = f"{station.loads} loads do not fit into {station.slots} slots"
            report(("stations", n, "loads"), what, "use more slots or fewer loads")
    for n, lift in enumerate(layout.lifts):
        names = [(("lifts", n, "floors", k, "name"), one.name) for k, one in enumerate(lift.floors)]
        _check_unique("floor", names, report)
    for n, conveyor in enumerate(layout.conveyors):
        if conveyor.start == conveyor.end:
            what = "it begins and ends at the same station"
            report(("conveyors", n, "end"), what, "name another station")


def _warnings(layout: Layout) -> list[Problem]:
    """Return a warning if there is no way to a place or back, so that robots could get stuck."""
    places = [
        *layout.parking,
        *(charger.node for charger in layout.chargers),
        *(station.node for station in layout.stations),
    ]
    if not places or layout.lifts or not layout.edges:  # a lift connects what no edge connects
        return []
    graph = Graph(layout)
    there, back = graph.reachable(places[0]), graph.reachable(places[0], backwards=True)
    cut = [place for place in dict.fromkeys(places) if place not in there or place not in back]
    if not cut:
        return []
    names = ", ".join(cut[:5]) + (", …" if len(cut) > 5 else "")
    what = f"no route leads from {places[0]!r} to these nodes and back: {names}"
    return [Problem.at(("edges",), what, "add edges or directions", severity="warning")]


def check_on_map(layout: Layout, grid: Grid) -> list[Problem]:
    """Return a problem for each node and edge that is in a wall or off the map."""
    x, y = grid.to_cells([node.x for node in layout.nodes], [node.y for node in layout.nodes])
    columns, rows = np.floor(x).astype(int), np.floor(y).astype(int)
    height, width = grid.shape
    inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    walls = np.zeros(len(x), bool)
    walls[inside] = grid.occupied[rows[inside], columns[inside]]
    found = [
        Problem.at(("nodes", int(n)), f"{layout.nodes[n].id!r} is {what}", "move the node")
        for wrong, what in ((~inside, "off the map"), (walls, "in a wall"))
        for n in np.flatnonzero(wrong)[:MOST_SHOWN]
    ]
    return found or _edges_in_walls(layout, grid)


def _edges_in_walls(layout: Layout, grid: Grid) -> list[Problem]:
    nodes = {node.id: node for node in layout.nodes}
    legs = [
        (n, k, nodes[a], nodes[b])
        for n, edge in enumerate(layout.edges)
        for k, (a, b) in enumerate(pairwise(edge.nodes))
    ]
    if not legs:
        return []
    dx = np.array([b.x - a.x for _, _, a, b in legs])
    dy = np.array([b.y - a.y for _, _, a, b in legs])
    starts = np.array([(a.x, a.y) for _, _, a, _ in legs])
    length_m = np.hypot(dx, dy)
    poses = np.column_stack([starts, np.arctan2(dy, dx)])
    free_m = grid.cast(poses, 0.0, float(length_m.max()))[:, 0]
    found = []
    for wrong in np.flatnonzero(free_m < length_m)[:MOST_SHOWN]:
        n, k, a, b = legs[wrong]
        what = f"a wall is between {a.id!r} and {b.id!r}"
        found.append(Problem.at(("edges", n, "nodes", k + 1), what, "go around it"))
    return found
