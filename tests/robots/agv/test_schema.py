"""robot_config.schema.json: generated from the model, and equivalent to the shape pass."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from rigless.robots.agv.checks.examine import examine_config
from rigless.robots.agv.config import OWN, own
from rigless.robots.agv.schema import FILE, schema, schema_text

from .configs import SEED_TEXT, changed, seed

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "agv").glob("*.json"))
VALIDATOR = Draft202012Validator(schema())
PROFILE = {
    "initialPose": {"x": 1, "y": 2.5, "theta": 0, "mapId": "hall"},
    "kinematics": "TRACK",
    "faultInjectionRules": [
        {"target": "gripper", "atS": 5, "durationS": 2},
        {"target": "hoist", "chancePerS": 0.1},
    ],
    "obstacleScript": [{"atS": 1, "untilS": 2, "distanceM": 0.5}, {"x": 1, "y": 2}],
    "barcodeScript": [{"atS": 1, "code": "A"}],
    "markers": [{"code": "B", "x": 0, "y": 1}],
    "battery": {"capacityWh": 500, "initialSoc": 0.5},
    "map": "apartment",
}
RICH = changed(
    {
        "runtime.simulationProfile": PROFILE,
        "capabilities.supportedCommands": ["STOP"],
        "capabilities.supportedModules": {"teach": False},
        "nats.timeouts": {"connectTimeoutMs": 5},
        "extensions": {"a": {"b": [1]}},
    }
)
VALUES = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        -1,
        1.0,
        2.5,
        1e-9,
        1e10,
        "",
        "x",
        "a b",
        "10",
        "MOCK",
        "STOP",
        "x" * 300,
        [],
        {},
        [1],
        ["x"],
        {"x": 1},
    ]
)


def test_the_committed_file_is_what_the_model_makes():
    assert FILE.read_text("utf-8") == schema_text(), (
        "run: rigless agv schema --out src/rigless/robots/agv/robot_config.schema.json"
    )


def test_it_is_a_schema_and_every_key_is_described():
    made = schema()
    Draft202012Validator.check_schema(made)
    assert made["$schema"].endswith("2020-12/schema")
    assert made["$id"].startswith("urn:rigless:")
    parts = [made, *made["$defs"].values()]
    silent = [
        (part["title"], key)
        for part in parts
        for key, entry in part["properties"].items()
        if "description" not in entry and "$ref" not in str(entry)
    ]
    assert silent == []
    assert all(part["description"] and part["additionalProperties"] is False for part in parts)


@pytest.mark.parametrize("path", [OWN, SEED_TEXT, *EXAMPLES], ids=lambda path: path.name)
def test_files_that_are_right(path):
    assert list(VALIDATOR.iter_errors(json.loads(path.read_text("utf-8")))) == []


def places(value, at=()):
    """Yield every key and element of a config, outside free-form tables."""
    for key in (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    ):
        yield (*at, key)
        if key not in ("extensions", "metadata", "config", "settings", "params"):
            yield from places(value[key], (*at, key))


def inside(config, path):
    for part in path[:-1]:
        config = config[part]
    return config


BASES = [RICH, seed(), own()]
CHANGES = st.one_of(
    st.tuples(st.just("set"), VALUES),
    st.tuples(st.just("drop"), st.none()),
    st.tuples(st.just("add"), VALUES),
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.data())
def test_the_schema_and_the_shape_pass_agree(data):
    config = copy.deepcopy(data.draw(st.sampled_from(BASES)))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(list(places(config))))
        what, value = data.draw(CHANGES)
        table = inside(config, path)
        if what == "set":
            table[path[-1]] = copy.deepcopy(value)
        elif what == "drop":
            del table[path[-1]]
        elif isinstance(table, dict):
            table[data.draw(st.sampled_from(["x", "y", "distanceM", "onCommand", "vendor"]))] = (
                copy.deepcopy(value)
            )
    config.setdefault("schemaVersion", None)  # as for a file: nothing is taken from the own robot
    valid = VALIDATOR.is_valid(config)
    made, found = examine_config(config)
    shape = [problem for problem in found if problem.stage == "shape"]
    assert valid == (made is not None) == (not shape), (
        shape,
        [error.message for error in VALIDATOR.iter_errors(config)],
    )
