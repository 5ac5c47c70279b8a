"""LIF files: import, and export for master controls."""

import json

import pytest

from rigless.kernel.problems import InputError
from rigless.worlds.bundled import find_map
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.layout_file import read_layout
from rigless.worlds.layout.lif import lif_of_layout
from rigless.worlds.layout.world_files import load_world

VEHICLE = {"vehicleTypeId": "maker.type"}


def node(name, x, y, *actions, **more):
    properties = {
        **VEHICLE,
        "actions": [{"actionType": a, "blockingType": "HARD"} for a in actions],
    }
    return {
        "nodeId": name,
        "nodePosition": {"x": x, "y": y},
        "vehicleTypeNodeProperties": [properties],
        **more,
    }


def edge(start, end, **more):
    return {
        "edgeId": f"{start}{end}",
        "startNodeId": start,
        "endNodeId": end,
        "vehicleTypeEdgeProperties": [{**VEHICLE, "rotationAllowed": False, **more}],
    }


def lif(*layouts, version="1.0.0"):
    meta = {"projectIdentification": "p", "creator": "c", "exportTimestamp": "2024-03-01T00:00:00Z"}
    return {"metaInformation": {**meta, "lifVersion": version}, "layouts": list(layouts)}


def layout(level="0", **more):
    return {
        "layoutId": f"ground-{level}",
        "layoutVersion": "1",
        "layoutLevelId": level,
        "nodes": [
            node("N 1", 0, 0),
            node("N2", 5, 0, "startCharging", "stopCharging"),
            node("N3", 5, 5, "pick"),
            node("N4", 0, 5, nodeDescription="Parking"),
        ],
        "edges": [
            edge("N 1", "N2", maxSpeed=0.7),
            edge("N2", "N3"),
            edge("N3", "N4"),
            edge("N4", "N 1"),
        ],
        "stations": [
            {
                "stationId": "dock",
                "interactionNodeIds": ["N3"],
                "stationPosition": {"x": 6, "y": 5},
            },
            {"stationId": "N2", "interactionNodeIds": ["N2"]},
        ],
        **more,
    }


def read(tmp_path, data):
    path = tmp_path / "site.json"
    path.write_text(json.dumps(data, indent=1))
    return read_layout(path)


def test_a_lif_file_is_a_layout(tmp_path):
    found = read(tmp_path, lif(layout()))
    assert found.warnings == ()
    site = found.layout
    assert [(one.id, one.x, one.y) for one in site.nodes][2] == ("N3", 5.0, 5.0)
    assert Graph(site).route("N 1", "N4") == ["N 1", "N2", "N3", "N4"]
    assert site.edges[0].speed_mps == 0.7
    assert [(one.id, one.node, one.kind) for one in site.stations] == [("dock", "N3", "source")]
    assert site.stations[0].place.x == 6.0
    assert [one.node for one in site.chargers] == ["N2"]
    assert site.parking == ("N4",)


def test_what_lif_has_and_a_layout_does_not_is_a_warning(tmp_path):
    ground, upper = layout(), layout("1")
    properties = ground["edges"][0]["vehicleTypeEdgeProperties"][0]
    properties |= {"vehicleOrientation": 3.14159, "trajectory": {"knotVector": []}}
    ground["stations"][0]["interactionNodeIds"].append("N4")
    for one in upper["nodes"]:
        one["nodeId"] += "u"
    texts = [str(warning) for warning in read(tmp_path, lif(ground, upper)).warnings]
    for text, expected in zip(
        texts,
        [
            "layouts: other levels are left out: ground-1 (make a file for each level)",
            "edges[0]: 1 edges have a trajectory (it is a straight line here)",
            "edges have an orientation other than forwards (robots drive forwards here)",
            "stations[0]: 1 stations have several nodes (the first one is used)",
        ],
        strict=True,
    ):
        assert text.endswith(expected)


MISTAKES = {
    "edges[1]: unknown node 'N9' (choose from: N 1, N2, N3, N4)": (
        lambda one: one["edges"][1].update(endNodeId="N9")
    ),
    "nodes[3].nodePosition: this key is required": (
        lambda one: one["nodes"][3].pop("nodePosition")
    ),
    "nodes[3]: the id 'N3' is given twice (give each its own id)": (
        lambda one: one["nodes"][3].update(nodeId="N3")
    ),
}


@pytest.mark.parametrize("expected", MISTAKES)
def test_mistakes_in_a_lif_file_have_its_path_and_line(tmp_path, expected):
    one = layout()
    MISTAKES[expected](one)
    with pytest.raises(InputError) as caught:
        read(tmp_path, lif(one))
    first = caught.value.problems[0]
    assert str(first).partition(": ")[2] == f"layouts[0].{expected}"
    assert first.line > 10


def test_the_draft_of_lif_2_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"LIF 2 is a draft that is not supported \(export it as"):
        read(tmp_path, {"metaInformation": {"lifId": "x"}, "origins": []})


def test_an_exported_layout_is_read_again(tmp_path):
    site = load_world(find_map("warehouse_100"))[0].layout
    exported = lif_of_layout(site, "2026-01-01T00:00:00.00Z")
    again = read(tmp_path, exported).layout
    assert {one.id: (one.x, one.y) for one in again.nodes} == {
        one.id: (one.x, one.y) for one in site.nodes
    }
    assert {arc[:4] for arc in Graph(again).all_arcs()} == {
        arc[:4] for arc in Graph(site).all_arcs()
    }
    assert set(again.parking) == set(site.parking)
    assert {one.node for one in again.chargers} == {one.node for one in site.chargers}
    assert [(one.id, one.node, one.kind) for one in again.stations] == [
        (one.id, one.node, one.kind) for one in site.stations
    ]
