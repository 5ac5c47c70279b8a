"""The contract for other languages: its schemas are valid, and robots send what they say."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from jsonschema import Draft202012Validator

from rigless.robots.agv import messages as m
from rigless.robots.agv import wire
from rigless.robots.agv.contract import asyncapi, schemas
from rigless.robots.agv.contract.descriptions import DESCRIPTIONS
from rigless.robots.agv.contract.files import contract_files
from rigless.robots.agv.params import COMMANDS
from rigless.scenario.load import open_target

from .contract_check import check_bytes, check_envelopes, errors
from .scene import Scene

ROOT = Path(__file__).parents[3]
GOLDEN = sorted((Path(__file__).parent / "golden" / "nats").glob("robot.agv.*.in"))
SCENARIOS = sorted(path.stem for path in (ROOT / "scenarios").glob("agv_*.toml"))


def test_every_message_has_a_schema_and_every_description_a_field():
    files = contract_files()
    assert {f"schemas/{kind}.schema.json" for kind in (*wire.IN, *wire.OUT)} < files.keys()
    for name, text in files.items():
        if name != "asyncapi.json":
            Draft202012Validator.check_schema(json.loads(text))
    made = schemas.definitions()
    fields = {f"{name}.{key}" for name, part in made.items() for key in part.get("properties", ())}
    split = {f"{name}.{key}" for name in ("CommandRequest", "Step") for key in _fields(name)}
    assert DESCRIPTIONS.keys() - fields - split == set()
    assert contract_files() == files


def _fields(name):
    return getattr(m, name).__struct_fields__


def test_the_asyncapi_document_has_a_channel_for_every_message():
    made = asyncapi.document()
    channels = {channel["address"] for channel in made["channels"].values()}
    assert channels == {f"robot.{{robotId}}.{kind}" for kind in (*wire.IN, *wire.OUT)}
    assert len(made["operations"]) == len(channels)
    assert all(_resolves(made, ref) for ref in _refs(made))


def _refs(part):
    if isinstance(part, dict):
        yield from [part["$ref"]] if isinstance(part.get("$ref"), str) else []
    for value in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        yield from _refs(value)


def _resolves(document, ref):
    place = document
    for part in ref.removeprefix("#/").split("/"):
        place = place.get(part) if isinstance(place, dict) else None
    return place is not None


@pytest.mark.parametrize("name", SCENARIOS)
def test_robots_of_the_scenarios_send_what_the_schemas_say(name):
    built = open_target(name)
    simulation, kinds = built.simulation, set()
    simulation.run(seconds=min(built.scenario.duration_s, 40.0))
    for robot in simulation.robots:
        sent = simulation.take(robot, "nats")
        kinds |= {envelope.type for envelope in sent}
        check_envelopes(sent)
    assert set(wire.LATEST_WINS) <= kinds


def test_every_type_of_message_is_compared_somewhere():
    """The scene sends the types that others of this file do not."""
    scene = Scene().run(0.2).assign(("WAIT", {"seconds": 0.1})).run(1)
    scene.assign(("GRIP", {"motorId": "nothing"}), id="t")
    scene.send(m.TeachStart(sessionId="s")).send(m.TeachRecord(pointId="p"))
    scene.send(m.TeachStop()).command("FOLLOW_ROUTE", to={"x": 1.0, "y": 0.0})
    scene.send(m.SettingsDesired(version=1, settings={"streams.stateHz": 5.0}))
    scene.send(m.Malformed("task.cancel", "it is empty", "MALFORMED_ENVELOPE")).run(0.2)
    assert {envelope.type for envelope in scene.received} == set(wire.OUT)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_recorded_messages_are_as_the_schemas_say(path):
    kind = path.stem.removeprefix("robot.agv.")
    check_bytes(kind, path.read_bytes().rpartition(b"\r\n\r\n")[2])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"status": "FINE"}, "'FINE' is not one of"),
        ({"pose": {"x": 1.0, "y": 2.0, "theta": "north", "mapId": "m"}}, "'north' is not of type"),
        ({"colour": "red"}, "'colour' was unexpected"),
        ({"commandId": None}, "None is not of type 'string'"),
    ],
)
def test_a_message_that_differs_is_found(change, text):
    [state, *_] = [sent for sent in Scene().run(0.5).received if sent.type == "state"]
    message = json.loads(wire.codec_of("agv")().encode(state)[1])
    assert errors("state", message) == []
    message["payload"] |= change
    assert text in "\n".join(errors("state", message))


@pytest.mark.parametrize("kind", COMMANDS)
def test_commands_that_the_schema_allows_are_decoded(kind):
    """And with an unknown parameter they are invalid for both."""
    params = {
        "MOVE": {"x": 1, "y": 2.5},
        "FOLLOW_ROUTE": {"to": {"x": 1, "y": 1}},
        "MOVE_AXIS": {"motorId": "a", "target": {"unit": "mm", "value": 1}},
        "RESET_MOTOR": {"motorIds": ["a"]},
        "SET_OUTPUT": {"ioId": "a", "value": True},
        "INIT_POSE": {"x": 1, "y": 2, "theta": 0},
        "RIDE_LIFT": {"floor": "1"},
    }.get(kind, {})
    stamp = "2026-01-01T00:00:00.000Z"
    payload = {"commandId": "c", "commandType": kind, "params": params}
    payload |= {"issuedAt": stamp, "expiresAt": stamp}
    message = {"v": 1, "messageId": "m", "type": "command.request", "robotId": "agv"}
    message |= {"bootId": "b", "seq": 1, "ts": stamp, "payload": payload}
    assert errors("command.request", message) == []
    data = msgspec.json.encode(message)
    [found] = wire.codec_of("agv")().decode(data, "robot.agv.command.request")
    assert isinstance(found, m.CommandRequest)
    msgspec.convert(found.params, COMMANDS[kind])
    payload["params"] = {**params, "colour": "red"}
    assert errors("command.request", message) != []
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(payload["params"], COMMANDS[kind])


def test_a_message_matches_exactly_one_schema_of_all():
    everything = Draft202012Validator(schemas.all_messages())
    path = next(path for path in GOLDEN if path.stem.endswith("command.request"))
    message = json.loads(path.read_bytes().rpartition(b"\r\n\r\n")[2])
    everything.validate(message)
    with pytest.raises(jsonschema.ValidationError):
        everything.validate({**message, "type": "command.ack"})
