"""The content of recordings: inputs, outputs, truth and events as topics, schemas and bytes.

The recorder writes them to a file; the Foxglove server sends them to its clients.
"""

from typing import Any, NamedTuple

import msgspec

from rigless.kernel import inputs as inp
from rigless.kernel.events import SEVERITIES, Event
from rigless.kernel.loop.listeners import Output
from rigless.kernel.plain import to_builtins, to_json
from rigless.kernel.ports import Channel
from rigless.kernel.recording.foxglove.primitives import stamp
from rigless.kernel.recording.foxglove.schemas import SCHEMAS as FOXGLOVE_SCHEMAS
from rigless.kernel.recording.foxglove.schemas import definition
from rigless.kernel.simulation import Simulation

CONTROL = "/rigless/control"
HOST_EVENTS = "/rigless/events"  # events of the host: lost time, a failure

_ANY = {"type": "object"}
_BYTES = {"type": "string", "contentEncoding": "base64"}
_NUMBER = {"type": "integer"}
_TEXT = {"type": "string"}
SCHEMAS: dict[str, dict[str, Any]] = {
    "rigless.Input": {
        "input": _TEXT,
        "source": _TEXT,
        "robot": _TEXT,
        "port": _TEXT,
        "link": _NUMBER,
        "data": _BYTES,
        "subject": _TEXT,
    },
    "rigless.Output": {"link": _NUMBER, "subject": _TEXT, "wire": _BYTES, "message": _ANY},
    "rigless.Truth": {},
    "rigless.Control": {"input": _TEXT, "source": _TEXT},
}


def json_schema(name: str) -> bytes:
    """Return the definition of one of the schemas of JSON messages."""
    if name in FOXGLOVE_SCHEMAS:
        return definition(name)
    return msgspec.json.encode({"type": "object", "title": name, "properties": SCHEMAS[name]})


def event_topic(event: Event) -> str:
    """Return the topic of an event."""
    return f"/{event.robot}/events" if event.robot else HOST_EVENTS


def log_entry(time_ns: int, event: Event) -> bytes:
    """Return an event as foxglove.Log, with its code and data."""
    entry = {
        "timestamp": stamp(time_ns),
        "level": SEVERITIES.index(event.severity) + 1,
        "message": event.text,
        "name": event.robot,
        "file": "",
        "line": 0,
        "code": event.code,
        "data": event.data,
    }
    return to_json(entry)


class OutputRecord(msgspec.Struct):
    """An output in a recording. Link −1 means all links, 0 a local one."""

    link: int
    subject: str
    wire: bytes
    message: Any = None


class Entry(NamedTuple):
    """One JSON message of a recording."""

    topic: str
    schema: str
    data: bytes


def input_topic(given: inp.AnyInput) -> str:
    """Return the topic of an input: of its port, or of control."""
    if isinstance(given, inp.Connect | inp.Disconnect | inp.Arrive | inp.Send):
        return f"/{given.robot}/{given.port}/in"
    return CONTROL


def input_entry(given: inp.AnyInput, source: str) -> Entry:
    """Return an input with its source."""
    topic = input_topic(given)
    schema = "rigless.Control" if topic == CONTROL else "rigless.Input"
    return Entry(topic, schema, to_json({"source": source, **to_builtins(given)}))


def output_topic(output: Output) -> str:
    """Return the topic of an output that has no channel of its own."""
    return f"/{output.robot}/{output.port}/out"


def output_entry(output: Output) -> Entry:
    """Return an output as bytes and as the message that they encode."""
    data = output_data(output.link, output.subject, output.data, output.message)
    return Entry(output_topic(output), "rigless.Output", data)


def output_data(link: int, subject: str, wire: bytes, message: Any) -> bytes:
    """Return the content of an output's entry."""
    return to_json(OutputRecord(link, subject, wire, message))


def has_one_topic(sim: Simulation, output: Output) -> bool:
    """Return True if all outputs of the port have the port's own topic."""
    return not hasattr(sim.core.links.encoders.get((output.robot, output.port)), "channel")


def truth_topic(robot: str) -> str:
    """Return the topic of the ground truth of a robot."""
    return f"/{robot}/truth"


def foreign_channel(sim: Simulation, robot: str, port: str, subject: str) -> Channel | None:
    """Return the channel of a subject in a format of its own, such as a ROS topic."""
    describe = getattr(sim.core.links.encoders.get((robot, port)), "channel", None)
    found: Channel | None = describe(subject) if describe and subject else None
    return found
