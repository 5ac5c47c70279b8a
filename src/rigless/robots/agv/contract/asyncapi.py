"""The AsyncAPI 3 document of the AGV: channels are subjects, and the application is the robot."""

from typing import Any

from rigless.robots.agv import wire
from rigless.robots.agv.contract.schemas import Schema, definitions, kinds, message_name
from rigless.robots.agv.fields import ID

VERSION = "3.0.0"
REF = "#/components/schemas/{name}"
HEADERS: Schema = {
    "type": "object",
    "properties": {
        "Nats-Msg-Id": {"type": "string", "description": "The messageId; it prevents duplicates."}
    },
}
ABOUT = (
    "An AGV behind NATS JetStream. Each message is one JSON object, an envelope with a payload, of "
    "at most 64 KiB. Optional fields are left out. Ignore fields that you do not know. Messages to "
    "robots are kept in the stream ROBOT_IN, durable messages of robots in ROBOT_OUT; of messages "
    "in ROBOT_STATE only the latest counts."
)
REPLIES = {
    "command.request": ("command.ack",),
    "settings.desired": ("settings.reported",),
    "task.assign": ("task.progress", "task.done", "task.failed"),
    "task.cancel": ("task.failed",),
    "teach.record": ("teach.point",),
    "teach.stop": ("teach.result",),
}


def document() -> dict[str, Any]:
    """Return the document as data."""
    return {
        "asyncapi": VERSION,
        "id": "urn:rigless:agv",
        "info": {"title": "AGV", "version": f"{wire.VERSION}.0.0", "description": ABOUT},
        "defaultContentType": "application/json",
        "servers": {
            "nats": {
                "host": "127.0.0.1:4222",
                "protocol": "nats",
                "description": "nats.servers of the robot's config; JetStream is required.",
            }
        },
        "channels": {_camel(kind): _channel(kind) for kind in kinds()},
        "operations": {_operation_name(kind): _operation(kind) for kind in kinds()},
        "components": {
            "parameters": {"robotId": {"description": f"identity.robotId, which matches {ID}"}},
            "messages": {message_name(kind): _message(kind) for kind in kinds()},
            "schemas": definitions(REF),
        },
    }


def _camel(kind: str) -> str:
    first, *rest = kind.split(".")
    return first + "".join(word.capitalize() for word in rest)


def _operation_name(kind: str) -> str:
    name = _camel(kind)
    return f"{_action(kind)}{name[0].upper()}{name[1:]}"


def _action(kind: str) -> str:
    return "receive" if kind in wire.IN else "send"


def _stream(kind: str) -> str:
    if kind in wire.IN:
        return "ROBOT_IN"
    return "ROBOT_STATE" if kind in wire.LATEST_WINS else "ROBOT_OUT"


def _channel(kind: str) -> Schema:
    name = message_name(kind)
    return {
        "address": wire.subject("{robotId}", kind),
        "description": f"Stored in the stream {_stream(kind)}.",
        "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        "parameters": {"robotId": {"$ref": "#/components/parameters/robotId"}},
    }


def _operation(kind: str) -> Schema:
    found: Schema = {
        "action": _action(kind),
        "channel": {"$ref": f"#/channels/{_camel(kind)}"},
        "messages": [_message_ref(kind)],
    }
    replies = REPLIES.get(kind, ())
    if len(replies) == 1:
        [reply] = replies
        found["reply"] = {
            "channel": {"$ref": f"#/channels/{_camel(reply)}"},
            "messages": [_message_ref(reply)],
        }
    elif replies:
        found["description"] = f"It is answered on {', '.join(replies)}."
    return found


def _message_ref(kind: str) -> Schema:
    return {"$ref": f"#/channels/{_camel(kind)}/messages/{message_name(kind)}"}


def _message(kind: str) -> Schema:
    return {
        "name": kind,
        "title": message_name(kind),
        "contentType": "application/json",
        "headers": HEADERS,
        "correlationId": {"location": "$message.payload#/correlationId"},
        "payload": {"$ref": REF.format(name=message_name(kind))},
    }
