"""Valid payloads with any content, in any order, on any subject: the robot survives them."""

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.agv.params import STEPS
from rigless.robots.agv.wire import IN

from .scene import BACKEND, Scene

NUMBERS = st.sampled_from(
    [0, 1, 2, 3, -1, 0.5, 1e6, -1e300, 2**63, 2**64 - 1, -(2**63)]
) | st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.sampled_from(
    ["a", "b", "", "gripper", "hoist", "drive_left", "GRIPPER", "buzzer", "x" * 300, "ü\u0000"]
)
TIMES = st.sampled_from(
    [
        "2026-01-01T00:00:05Z",
        "2026-06-01T00:00:00.5+02:00",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z",
        "soon",
    ]
)
ANY = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS | TIMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)
KINDS = st.sampled_from([*STEPS, "DANCE"])
PARAMS = st.dictionaries(
    st.sampled_from(
        [
            "x",
            "y",
            "theta",
            "motorId",
            "functionKey",
            "motorIds",
            "target",
            "ioId",
            "value",
            "seconds",
            "code",
            "to",
            "routeId",
        ]
    ),
    ANY,
    max_size=3,
)
STEP = st.fixed_dictionaries(
    {
        "stepId": WORDS,
        "type": KINDS,
        "params": PARAMS | st.just({"seconds": 0.1}) | st.just({"x": 0.2, "y": 0}),
    },
    optional={
        "requires": st.lists(WORDS, max_size=2),
        "onFail": st.sampled_from(["ABORT", "SKIP", "RETRY"]),
    },
)
NODE = st.fixed_dictionaries(
    {
        "nodeId": WORDS,
        "sequenceId": st.sampled_from([0, 2, 4]),
        "x": NUMBERS,
        "y": NUMBERS,
        "released": st.booleans(),
        "actions": st.lists(
            st.fixed_dictionaries({"type": KINDS, "params": PARAMS}) | st.dictionaries(WORDS, ANY),
            max_size=2,
        ),
    }
)
EDGE = st.fixed_dictionaries(
    {
        "edgeId": WORDS,
        "sequenceId": st.sampled_from([1, 3]),
        "startNodeId": WORDS,
        "endNodeId": WORDS,
        "maxSpeed": NUMBERS,
    }
)
ZONES = (
    st.sampled_from([{"x": 1.0, "y": 0.0, "radius": 0.3}, {"polygon": [[1, 1], [1, 1], [1, 1]]}])
    | ANY
)
PAYLOADS = {
    "command.request": {
        "commandId": WORDS,
        "commandType": KINDS,
        "params": PARAMS,
        "issuedAt": TIMES,
        "expiresAt": TIMES,
    },
    "settings.desired": {
        "version": NUMBERS,
        "settings": st.dictionaries(
            st.sampled_from(
                [
                    "streams.stateHz",
                    "streams",
                    "safety.stopOnObstacle",
                    "motors.hoist.limits.maxSpeed.value",
                    "io",
                    "",
                ]
            ),
            ANY,
            max_size=3,
        ),
    },
    "task.assign": {
        "taskId": WORDS,
        "revision": NUMBERS,
        "steps": st.lists(STEP, max_size=4),
        "priority": NUMBERS,
        "deadline": TIMES,
    },
    "task.cancel": {"taskId": WORDS, "mode": WORDS},
    "traffic.control": {
        "controlId": WORDS,
        "kind": st.sampled_from(["HOLD", "RELEASE", "SPEED_LIMIT", "ZONE_BLOCK", "GRANT"]),
        "seq": NUMBERS,
        "validUntil": TIMES,
        "value": ANY,
        "zone": ZONES,
    },
    "route.response": {
        "requestId": WORDS,
        "status": st.sampled_from(["OK", "NO_ROUTE"]),
        "routeId": WORDS,
        "revision": NUMBERS,
        "nodes": st.lists(NODE, max_size=3),
        "edges": st.lists(EDGE, max_size=2),
    },
    "teach.start": {"sessionId": WORDS},
    "teach.record": {
        "sessionId": WORDS,
        "pointId": WORDS,
        "actions": st.lists(st.dictionaries(WORDS, ANY, max_size=2), max_size=2),
    },
    "teach.stop": {"sessionId": WORDS, "cancel": st.booleans()},
}
MESSAGES = st.sampled_from(sorted(PAYLOADS)).flatmap(
    lambda kind: st.fixed_dictionaries(PAYLOADS[kind]).map(lambda payload: (kind, payload))
)


@cache
def ready():
    """Return a robot and a snapshot of its start; made once."""
    scene = Scene().run(0.1)
    return scene, scene.sim.snapshot()


LONG = "k" * 60_000
WAIT = {"stepId": "s", "type": "WAIT", "params": {"seconds": 1}}
PLACE = {"nodeId": "a", "sequenceId": 0, "x": 0, "y": 0, "released": True}
WORDY = [
    (
        "command.request",
        {
            "commandId": "c",
            "commandType": "MOVE",
            "params": {LONG: 1},
            "issuedAt": "2026-01-01T00:00:00Z",
            "expiresAt": "2030-01-01T00:00:00Z",
        },
    ),
    (
        "command.request",
        {
            "commandId": LONG,
            "commandType": LONG,
            "params": {},
            "issuedAt": "2026-01-01T00:00:00Z",
            "expiresAt": "2030-01-01T00:00:00Z",
        },
    ),
    ("task.assign", {"taskId": "t", "revision": 1, "steps": [{**WAIT, "stepId": LONG}]}),
    ("task.assign", {"taskId": "t", "revision": 1, "steps": [{**WAIT, "requires": [LONG]}]}),
    ("task.assign", {"taskId": LONG, "revision": 1, "steps": [{**WAIT, "type": LONG}]}),
    ("route.response", {"requestId": "r", "nodes": [{**PLACE, "nodeId": LONG}]}),
    ("route.response", {"requestId": "r", "nodes": [{**PLACE, "actions": [{"type": LONG}]}]}),
    ("route.response", {"requestId": LONG, "nodes": [PLACE]}),
    ("settings.desired", {"version": 1, "settings": {LONG: 1}}),
    (
        "settings.desired",
        {"version": 1, "settings": {"identity.name": LONG, "streams.stateHz": LONG}},
    ),
    (
        "traffic.control",
        {
            "controlId": "z",
            "kind": "ZONE_BLOCK",
            "seq": 1,
            "validUntil": "2030-01-01T00:00:00Z",
            "zone": {"x": LONG},
        },
    ),
    ("teach.record", {"sessionId": LONG, "pointId": LONG}),
]


@pytest.mark.parametrize("correlation", ["", LONG])
@pytest.mark.parametrize(("kind", "payload"), WORDY)
def test_nothing_long_comes_back(kind, payload, correlation):
    scene, fresh = ready()
    scene.sim.restore(fresh)
    scene.received.clear()
    if correlation:  # fits into a message, but not into its replies
        payload = json.loads(json.dumps(payload).replace(LONG, "k"))
    envelope = {
        "v": 1,
        "messageId": "m",
        "type": kind,
        "robotId": "agv",
        "bootId": BACKEND,
        "seq": 1,
        "ts": "2026-01-01T00:00:00Z",
        "correlationId": correlation,
        "payload": payload,
    }
    scene.wire(kind, json.dumps(envelope).encode())
    scene.command("FOLLOW_ROUTE", routeId="r")
    scene.run(0.3)
    for said in scene.received:
        assert len(scene.robot.ports[0].codec().encode(said)[1]) < 5000


def test_every_subject_is_tried():
    assert set(PAYLOADS) == set(IN)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(MESSAGES, min_size=1, max_size=6))
def test_anything_is_survived(messages):
    scene, fresh = ready()
    scene.sim.restore(fresh)
    for number, (kind, payload) in enumerate(messages):
        envelope = {
            "v": 1,
            "messageId": f"m{number}",
            "type": kind,
            "robotId": "agv",
            "bootId": BACKEND,
            "seq": number,
            "ts": "2026-01-01T00:00:00Z",
            "payload": payload,
        }
        scene.wire(kind, json.dumps(envelope).encode())
        scene.run(0.07)
    scene.sim.snapshot().to_bytes()
    for envelope in scene.received:
        assert len(scene.robot.ports[0].codec().encode(envelope)[1]) <= 64 * 1024
    scene.received.clear()
    stop = scene.command("STOP", id=f"stop {len(messages)}")
    scene.run(1.5)
    assert scene.acks(stop)[-1] == "SUCCEEDED"
    assert not scene.truth.driving
