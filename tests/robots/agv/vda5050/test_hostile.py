"""Orders, instant actions, zone sets and responses with any content: the robot survives them.

Scene checks every message of the robot against the schemas.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.agv.vda5050.zones import SUPPORTED
from rigless.robots.agv.vda5050_model.catalogue import STANDARD

from .scene import Scene

WORDS = st.sampled_from(["a", "b", "", "map", "1", "i0", "x" * 300, "ü\u0000", "o", "o2"])
NUMBERS = st.sampled_from([0, 1, 2, -1, 0.5, 3.14159265, 1e-9, 1e6, -1e300, 2**63])
TIMES = st.sampled_from(["2026-01-01T00:00:05Z", "9999-12-31T23:59:59Z", "soon"])
LINKS = st.sampled_from(["http://127.0.0.1:1/x", "file:///etc/passwd", "x"])
ANY = st.recursive(
    st.booleans() | NUMBERS | WORDS | TIMES | LINKS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
PLACE = st.sampled_from([0, 0.5, 1, 1.0000001, -2])
KEYS = sorted({key for kind in STANDARD for key in kind.parameters})
ACTION = st.fixed_dictionaries(
    {
        "actionType": st.sampled_from([*{kind.name for kind in STANDARD}, "dance"]),
        "actionId": st.sampled_from("abcdefgh"),
        "blockingType": st.sampled_from(["NONE", "SOFT", "HARD", "SINGLE", "x"]),
        "actionParameters": st.lists(
            st.fixed_dictionaries({"key": st.sampled_from(KEYS), "value": ANY}), max_size=5
        ),
    },
    optional={"retriable": st.booleans()},
)
ACTIONS = st.lists(ACTION, max_size=3)
POINT = st.fixed_dictionaries({"x": PLACE, "y": PLACE}, optional={"weight": NUMBERS})
SHAPE = st.fixed_dictionaries(
    {
        "degree": st.integers(1, 3),
        "knotVector": st.lists(st.sampled_from([0, 0.5, 1]), max_size=8).map(sorted),
        "controlPoints": st.lists(POINT, max_size=5),
    }
)
CORRIDOR = st.fixed_dictionaries(
    {"leftWidth": st.sampled_from([0, 1]), "rightWidth": st.sampled_from([0, 0.3, 1])},
    optional={"releaseRequired": st.booleans(), "corridorRefPoint": st.just("CONTOUR")},
)
EDGE = st.fixed_dictionaries(
    {"actions": ACTIONS},
    optional={
        "trajectory": SHAPE,
        "corridor": CORRIDOR,
        "orientation": st.sampled_from([0, 3.14159265, -3.14159265, 1]),
        "orientationType": st.sampled_from(["GLOBAL", "TANGENTIAL"]),
        "maxSpeed": NUMBERS,
        "maximumSpeed": NUMBERS,
        "maxRotationSpeed": NUMBERS,
        "maxHeight": NUMBERS,
        "length": NUMBERS,
    },
)
NODE = st.fixed_dictionaries(
    {"actions": ACTIONS, "x": PLACE, "y": PLACE},
    optional={"theta": st.sampled_from([0, 3, -1]), "allowedDeviationTheta": st.just(0.5)},
)
GRAPH = st.lists(st.tuples(NODE, EDGE, st.booleans()), min_size=1, max_size=4)
VERTICES = st.lists(st.fixed_dictionaries({"x": PLACE, "y": PLACE}), min_size=2, max_size=4)
ZONE = st.fixed_dictionaries(
    {
        "zoneId": WORDS,
        "zoneType": st.sampled_from([*SUPPORTED, "RELEASE", "COORDINATED_REPLANNING", "x"]),
        "vertices": VERTICES,
    },
    optional={
        "maximumSpeed": NUMBERS,
        "priorityFactor": NUMBERS,
        "penaltyFactor": NUMBERS,
        "direction": NUMBERS,
        "directedLimitation": st.sampled_from(["SOFT", "RESTRICTED", "STRICT"]),
        "bidirectedLimitation": st.sampled_from(["SOFT", "RESTRICTED"]),
        "entryActions": ACTIONS,
        "duringActions": ACTIONS,
    },
)
BUTTONS = [("operating_mode", name) for name in ("MANUAL", "AUTOMATIC", "INTERVENED", "TEACHIN")]
BUTTONS += [(name, on) for name in ("estop", "acknowledge") for on in (True, False)]
MESSAGES = st.one_of(
    st.tuples(st.just("order"), st.sampled_from(["o", "o2"]), st.integers(0, 3), GRAPH),
    st.tuples(st.just("instantActions"), ACTIONS),
    st.tuples(st.just("zoneSet"), st.sampled_from("ab"), st.lists(ZONE, max_size=3)),
    st.tuples(st.just("responses"), st.sampled_from(["GRANTED", "REVOKED", "x"]), TIMES),
    st.tuples(st.just("input"), st.sampled_from(BUTTONS)),
)


def order(name, update, parts):
    nodes, edges = [], []
    for k, (node, edge, released) in enumerate(parts):
        place = {key: value for key, value in node.items() if key != "actions"}
        nodes.append(
            {
                "nodeId": f"n{k}",
                "sequenceId": 2 * k,
                "released": k == 0 or (released and nodes[-1]["released"]),
                "nodePosition": {"mapId": "map", **place},
                "actions": node["actions"],
            }
        )
        if k:
            ends = {"startNodeId": f"n{k - 1}", "endNodeId": f"n{k}"}
            head = {"edgeId": f"e{k}", "sequenceId": 2 * k - 1, "released": nodes[-1]["released"]}
            edges.append({**head, **ends, **edge})
    return {"orderId": name, "orderUpdateId": update, "nodes": nodes, "edges": edges}


@pytest.mark.parametrize("version", ["2.0.0", "2.1.0", "3.0.0"])
@settings(max_examples=25)
@given(messages=st.lists(MESSAGES, max_size=6))
def test_the_robot_survives_any_content(version, messages):
    scene = Scene(version).run(0.05)
    for kind, *given_ in messages:
        if kind == "input":
            scene.sim.set_input("agv", *given_[0])
        elif kind == "order":
            scene.publish("order", order(*given_))
        elif kind == "instantActions":
            scene.publish("instantActions", {"actions": given_[0]})
        elif version == "3.0.0" and kind == "zoneSet":
            name, zones = given_
            whole = {"mapId": "map", "zoneSetId": name, "zones": zones}
            scene.publish("zoneSet", {"zoneSet": whole})
            enable = {"key": "zoneSetId", "value": name}
            act = {"actionType": "enableZoneSet", "actionId": f"z{name}", "blockingType": "NONE"}
            scene.publish("instantActions", {"actions": [{**act, "actionParameters": [enable]}]})
        elif version == "3.0.0":
            requests = scene.sent["state"][-1]
            for one in requests["zoneRequests"] + requests["edgeRequests"]:
                answer = {"requestId": one["requestId"], "grantType": given_[0]}
                answer["leaseExpiry"] = given_[1]
                scene.publish("responses", {"responses": [answer]})
        scene.run(1.5)
    scene.robot.view().lines()
    scene.robot.view().draw()
    scene.sim.snapshot()
