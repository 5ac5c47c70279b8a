"""Every field of the messages of a master: present, wrong and missing."""

import copy
import json

import pytest
from tests.robots.agv.scene import over

from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.vda5050.wire import vda5050_port
from rigless.robots.agv.vda5050_model.received import (
    Action,
    Ellipse,
    InstantActions,
    Node,
    NodePosition,
    Order,
    Unreadable,
)

from .scene import NAMES_3, Scene, graph
from .schemas import BOUND, lines

VERSIONS = ("2.0.0", "2.1.0", "3.0.0")
HEAD = {"headerId": 1, "timestamp": "2026-01-01T00:00:00.00Z", "manufacturer": "rigless",
        "serialNumber": "agv"}  # fmt: skip
WRONG = {
    "string": [5, True, [], {}],
    "integer": ["x", 1.5, True, -1, 2**32],
    "number": ["x", True, []],
    "boolean": ["true", 1],
    "array": ["x", 5, {}],
    "object": ["x", 5, []],
}
NAMES = {
    "corridorRefPoint": "corridorReferencePoint",
    **{f"{part}Description": f"{part}Descriptor" for part in ("node", "edge", "action")},
    **NAMES_3,
}
ONLY_3 = ("retriable", "reachOrientationBeforeEntering", "orderDescription", "releaseRequired",
          "releaseLossBehavior")  # fmt: skip
FOREIGN = {
    "2.0.0": (*ONLY_3, "corridor"),
    "2.1.0": ONLY_3,
    "3.0.0": ("startNodeId", "endNodeId", "rotationAllowed", "mapDescription"),
}
NOT_READ = ("nodes[].nodePosition.mapDescription",)


def whole(version):
    """Return messages with all fields of a version."""
    act = {"actionType": "logReport", "actionId": "a", "blockingType": "NONE",
           "actionDescription": "d", "retriable": True,
           "actionParameters": [{"key": "reason", "value": "r"}]}  # fmt: skip
    radius = {"a": 1.0, "b": 1.0, "theta": 0.0} if version == "3.0.0" else 0.5
    place = {"x": 0.0, "y": 0.0, "theta": 0.0, "mapId": "map", "mapDescription": "m",
             "allowedDeviationXY": radius, "allowedDeviationTheta": 0.5}  # fmt: skip
    node = {"nodeId": "n", "sequenceId": 0, "released": True, "nodeDescription": "d",
            "nodePosition": place, "actions": [act]}  # fmt: skip
    corridor = {"leftWidth": 1.0, "rightWidth": 1.0, "corridorRefPoint": "CONTOUR",
                "releaseRequired": True, "releaseLossBehavior": "STOP"}  # fmt: skip
    points = [{"x": 0.0, "y": 0.0, "weight": 1.0}, {"x": 1.0, "y": 0.0}]
    edge = {"edgeId": "e", "sequenceId": 1, "released": True, "edgeDescription": "d",
            "startNodeId": "n", "endNodeId": "n", "maxSpeed": 1.0, "maxHeight": 2.0,
            "minHeight": 0.0, "orientation": 0.0, "orientationType": "TANGENTIAL",
            "direction": "left", "rotationAllowed": True, "maxRotationSpeed": 1.0, "length": 1.0,
            "reachOrientationBeforeEntering": True, "corridor": corridor, "actions": [act],
            "trajectory": {"degree": 1, "knotVector": [0.0, 0.0, 1.0, 1.0],
                           "controlPoints": points}}  # fmt: skip
    order = {"orderId": "o", "orderUpdateId": 0, "orderDescription": "d",
             "nodes": [node, {**node, "sequenceId": 2}], "edges": [edge]}  # fmt: skip
    corners = [{"x": x, "y": y} for x, y in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))]
    zone = {"zoneId": "z", "zoneType": "BLOCKED", "zoneDescriptor": "d", "vertices": corners}
    zones = {"mapId": "map", "zoneSetId": "s", "zoneSetDescriptor": "d", "zones": [zone]}
    answer = {"requestId": "r", "grantType": "GRANTED", "leaseExpiry": "2027-01-01T00:00:00.000Z"}
    found = {"order": order, "instantActions": {"actions": [act]}}
    if version != "3.0.0":
        order["zoneSetId"] = "z"
    else:
        found |= {"responses": {"responses": [answer]}, "zoneSet": {"zoneSet": zones}}
    return {
        name: {**HEAD, "version": version, **in_version(body, version)}
        for name, body in found.items()
    }


def in_version(value, version):
    """Return a part of a message with the fields of a version, under their names."""
    if isinstance(value, list):
        return [in_version(one, version) for one in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, inner in value.items():
        if key in FOREIGN[version]:
            continue
        new = NAMES.get(key, key) if version == "3.0.0" else key
        found[new] = in_version(inner, version)
    return found


def holder(message, keys):
    """Return the first object or list with the field of a path, and its key."""
    if len(keys) == 1:
        key = 0 if keys[0] == "[]" else keys[0]
        return message, key
    inner = message[0] if keys[0] == "[]" else message[keys[0]]
    return holder(inner, keys[1:])


@pytest.mark.parametrize("version", VERSIONS)
def test_every_field_is_read_and_checked(version):
    config = RobotConfig.model_validate(over(own(), {"vda5050": {"version": version}}))
    codec = vda5050_port(config).codec()

    def refused(name, message):
        [found] = codec.decode(json.dumps(message).encode(), codec.topics[name])
        return isinstance(found, Unreadable)

    tried = 0
    for name, message in whole(version).items():
        assert not refused(name, message), codec.decode(
            json.dumps(message).encode(), codec.topics[name]
        )
        for line in lines(version, name):
            kind, rest = line["type"], line["rest"]
            keys = line["path"].replace("[]", ".[]").split(".")
            if line["path"] in NOT_READ:
                continue
            wrong = [] if kind.startswith("[") else [*WRONG[kind]]
            wrong += ["NOPE"] if "enum=" in rest else []
            for bound, value in BOUND.findall(rest):
                step = {"minimum": -0.01, "maximum": 0.01}.get(bound)
                wrong.append([{"x": 0.0, "y": 0.0}] if step is None else float(value) + step)
            if version != "3.0.0" and keys[-1] == "allowedDeviationTheta":
                wrong.remove(-3.151592654)  # the text has 0 to π, the schema -π to π
                wrong.append(-3.3)
            for value in wrong:
                changed = copy.deepcopy(message)
                place, key = holder(changed, keys)
                place[key] = value
                assert refused(name, changed), (name, line["path"], value)
                tried += 1
            if line["required"] and line["path"] != "edges[].trajectory.degree":
                changed = copy.deepcopy(message)  # the text of 2.x has a default degree
                place, key = holder(changed, keys)
                del place[key]
                assert refused(name, changed), (name, line["path"], "left out")
    assert tried > 250


def test_a_message_with_the_names_of_2_1_is_translated_to_3_0():
    config = RobotConfig.model_validate(over(own(), {"vda5050": {"version": "3.0.0"}}))
    codec = vda5050_port(config).codec()
    place = NodePosition(x=0.0, y=0.0, mapId="map", allowedDeviationXY=0.5)
    node = Node(nodeId="n", sequenceId=0, released=True, actions=[], nodePosition=place)
    action = Action(actionType="stateRequest", actionId="a", blockingType="HARD")
    order = Order(orderId="o", orderUpdateId=0, nodes=[node], edges=[])
    for given in (order, InstantActions(actions=[action])):
        topic, data = codec.encode_request(given)
        [found] = codec.decode(data, topic)
        if isinstance(found, Order):
            assert found.nodes[0].nodePosition.allowedDeviationXY == Ellipse(0.5, 0.5, 0.0)
        else:
            assert found.actions[0].blockingType == "NONE"


@pytest.mark.parametrize("version", ["2.0.0", "2.1.0", "3.0.0"])
def test_a_whole_number_may_be_written_as_a_float(version):
    scene = Scene(version).run(0.05)
    given = graph((0, 0), (2, 0))
    for part in (*given["nodes"], *given["edges"]):
        part["sequenceId"] = float(part["sequenceId"])
    scene.order(given, update=0.0)
    assert scene.errors == []
    assert [node["sequenceId"] for node in scene.state["nodeStates"]] == [2]
    scene.until(lambda: scene.done)
    given["nodes"][1]["sequenceId"] = 2.5
    scene.order(given, "o2")
    assert len(scene.errors) == 1
