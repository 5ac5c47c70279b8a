"""Import of layouts from LIF files, and export to them.

LIF has nodes, directed edges and stations. It has no widths, parking places, doors, lifts and
conveyors. A node with the action startCharging is a charger. A node whose description is "parking"
is a parking place, as the export writes it.
"""

import math
from collections.abc import Iterator
from typing import Any

from rigless.kernel.documents.validation import examine
from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import Problem
from rigless.worlds.layout import lif_model as lif
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Charger, Edge, Layout, Node, Pose, Station

VERSION = "1.0.0"
PARKING = "parking"
VEHICLE = "rigless.agv"  # vehicleTypeId of exports: [manufacturer].[seriesName]
MAP_ID = "map"  # of exports: that of robots whose initial pose names none
LOAD_ACTIONS = {"pick", "drop"}
AHEAD = 1e-3  # rad: an orientation below this is forwards

Paths = dict[str, list[KeyPath]]  # of the elements of a Layout in the LIF file, by key


def is_lif(data: Any) -> bool:
    """Return True if the data of a JSON file is that of a LIF file, correct or not."""
    return isinstance(data, dict) and "metaInformation" in data


def layout_of_lif(data: Any) -> tuple[Layout | None, list[Problem], Paths]:
    """Return the layout in a LIF file, or None, problems, and the paths of its elements.

    Several layouts of one level are combined. Other levels than the first one are left out.
    """
    if "origins" in data and "layouts" not in data:
        fix = f"export it as LIF {VERSION}"
        return None, [Problem.at(("origins",), "LIF 2 is a draft that is not supported", fix)], {}
    file, problems = examine(lif.LifFile, data)
    if file is None:
        return None, problems, {}
    level = file.layouts[0].layoutLevelId
    used = [(n, one) for n, one in enumerate(file.layouts) if one.layoutLevelId == level]
    warnings = list(_warnings(file, used))
    paths: Paths = {
        key: [("layouts", n, key, k) for n, one in used for k in range(len(getattr(one, key)))]
        for key in ("nodes", "edges", "stations")
    }
    nodes = [node for _, one in used for node in one.nodes]
    chargers = [n for n, node in enumerate(nodes) if "startCharging" in node.actions]
    parking = [n for n, node in enumerate(nodes) if node.nodeDescription.lower() == PARKING]
    paths["chargers"] = [paths["nodes"][n] for n in chargers]
    paths["parking"] = [paths["nodes"][n] for n in parking]
    only_chargers = {
        nodes[n].nodeId for n in chargers if not nodes[n].actions & LOAD_ACTIONS
    }  # such a node may be a station too, at which no load is handled
    stations = [
        (n, station)
        for n, station in enumerate(one for _, layout in used for one in layout.stations)
        if station.interactionNodeIds[0] not in only_chargers
    ]
    paths["stations"] = [paths["stations"][n] for n, _ in stations]
    known = {node.nodeId: node.actions for node in nodes}
    layout = Layout(
        name=(used[0][1].layoutName or used[0][1].layoutId)[:200],
        nodes=tuple(map(_node, nodes)),
        edges=tuple(_edge(edge) for _, one in used for edge in one.edges),
        parking=tuple(nodes[n].nodeId for n in parking),
        chargers=tuple(Charger(id=nodes[n].nodeId, node=nodes[n].nodeId) for n in chargers),
        stations=tuple(_station(station, known) for _, station in stations),
    )
    return layout, warnings, paths


def _node(node: lif.LifNode) -> Node:
    headings = [one.theta for one in node.vehicleTypeNodeProperties if one.theta is not None]
    theta = headings[0] if headings else None
    return Node(id=node.nodeId, x=node.nodePosition.x, y=node.nodePosition.y, theta=theta)


def _edge(edge: lif.LifEdge) -> Edge:
    limits = [one.maxSpeed for one in edge.vehicleTypeEdgeProperties if one.maxSpeed is not None]
    speed_mps = min(limits, default=None)
    return Edge(nodes=(edge.startNodeId, edge.endNodeId), speed_mps=speed_mps)


def _station(station: lif.LifStation, actions: dict[str, set[str]]) -> Station:
    node, at = station.interactionNodeIds[0], station.stationPosition
    place = None if at is None else Pose(x=at.x, y=at.y, theta=at.theta)
    loads = actions.get(node, set()) & LOAD_ACTIONS
    kind = {frozenset({"pick"}): "source", frozenset({"drop"}): "sink"}.get(frozenset(loads))
    return Station.model_validate(
        {"id": station.stationId, "node": node, "kind": kind or "storage", "place": place}
    )


def _warnings(file: lif.LifFile, used: list[tuple[int, lif.LifLayout]]) -> Iterator[Problem]:
    """Yield a warning for each kind of thing in the file that is not used."""

    def warn(path: KeyPath, what: str, fix: str) -> Problem:
        return Problem.at(path, what, fix, severity="warning")

    if not file.metaInformation.lifVersion.startswith("1."):
        what = f"version {file.metaInformation.lifVersion!r} is not known"
        yield warn(("metaInformation", "lifVersion"), what, f"it is read as {VERSION}")
    if len(used) < len(file.layouts):
        others = [one.layoutId for one in file.layouts if one not in [layout for _, layout in used]]
        what = f"other levels are left out: {', '.join(others)[:100]}"
        yield warn(("layouts",), what, "make a file for each level")
    properties = [
        (("layouts", n, "edges", k), one)
        for n, layout in used
        for k, edge in enumerate(layout.edges)
        for one in edge.vehicleTypeEdgeProperties
    ]
    for what, fix, paths in (
        ("a trajectory", "it is a straight line here", [p for p, e in properties if e.trajectory]),
        (
            "an orientation other than forwards",
            "robots drive forwards here",
            [p for p, one in properties if not _is_forwards(one)],
        ),
        (
            "a load restriction",
            "it is ignored",
            [p for p, one in properties if one.loadRestriction],
        ),
    ):
        if paths:
            yield warn(paths[0], f"{len(paths)} edges have {what}", fix)
    stations = [
        ("layouts", n, "stations", k)
        for n, layout in used
        for k, station in enumerate(layout.stations)
        if len(station.interactionNodeIds) > 1
    ]
    if stations:
        what = f"{len(stations)} stations have several nodes"
        yield warn(stations[0], what, "the first one is used")


def _is_forwards(edge: lif.EdgeProperties) -> bool:
    return edge.orientationType == "TANGENTIAL" and (
        abs(math.remainder(edge.vehicleOrientation, math.tau)) < AHEAD
    )


def lif_of_layout(
    layout: Layout, exported: str, vehicle: str = VEHICLE, map_id: str = MAP_ID
) -> dict[str, Any]:
    """Return the data of a LIF file for a layout. `exported` is the time of the export, in UTC.

    Widths, doors, lifts and conveyors are left out, because LIF has none. The map of nodes is also
    that of the layout, as the master of vda5050-core demands.
    """
    actions: dict[str, list[str]] = {}
    for charger in layout.chargers:
        actions.setdefault(charger.node, []).extend(("startCharging", "stopCharging"))
    for station in layout.stations:
        kinds = {"source": ("pick",), "sink": ("drop",)}.get(station.kind, ("pick", "drop"))
        actions.setdefault(station.node, []).extend(kinds)
    parking = set(layout.parking)
    return {
        "metaInformation": {
            "projectIdentification": layout.name,
            "creator": "rigless",
            "exportTimestamp": exported,
            "lifVersion": VERSION,
        },
        "layouts": [
            {
                "layoutId": layout.name,
                "layoutVersion": "1",
                "mapId": map_id,
                "nodes": [
                    _lif_node(node, actions.get(node.id, []), node.id in parking, vehicle, map_id)
                    for node in layout.nodes
                ],
                "edges": list(_lif_edges(layout, vehicle)),
                "stations": [_lif_station(station) for station in layout.stations],
            }
        ],
    }


def _lif_node(
    node: Node, actions: list[str], parking: bool, vehicle: str, map_id: str
) -> dict[str, Any]:
    properties: dict[str, Any] = {"vehicleTypeId": vehicle}
    if node.theta is not None:
        properties["theta"] = math.remainder(node.theta, math.tau)
    if actions:
        properties["actions"] = [
            {"actionType": action, "requirementType": "OPTIONAL", "blockingType": "HARD"}
            for action in dict.fromkeys(actions)
        ]
    return {
        "nodeId": node.id,
        **({"nodeDescription": PARKING} if parking else {}),
        "mapId": map_id,
        "nodePosition": {"x": node.x, "y": node.y},
        "vehicleTypeNodeProperties": [properties],
    }


def _lif_edges(layout: Layout, vehicle: str) -> Iterator[dict[str, Any]]:
    for arc in Graph(layout).all_arcs():
        limit = {} if arc.speed_mps is None else {"maxSpeed": arc.speed_mps}
        properties = {"vehicleTypeId": vehicle, "rotationAllowed": False, **limit}
        yield {
            "edgeId": arc.id,
            "startNodeId": arc.start,
            "endNodeId": arc.end,
            "vehicleTypeEdgeProperties": [properties],
        }


def _lif_station(station: Station) -> dict[str, Any]:
    place = station.place
    return {
        "stationId": station.id,
        "interactionNodeIds": [station.node],
        **({} if place is None else {"stationPosition": place.model_dump()}),
    }
