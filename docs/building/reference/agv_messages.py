"""The messages between an AGV and its backend, from the schemas of `rigless agv schema`."""

from collections.abc import Iterator
from typing import Any

from building.reference.http_api import fields
from building.reference.tables import table

INTRO = """# AGV messages

All messages between an AGV and its backend, from the document that
`rigless agv schema --messages` prints. [NATS](../nats.md) explains streams, subjects and
acknowledgement.

"""
REQUEST = """{
  "v": 1,
  "messageId": "0d8f3b1c-7a52-4f0e-9a51-2f0f6f1f5b11",
  "type": "command.request",
  "robotId": "agv",
  "bootId": "6c0f8f0e-30a5-4a6c-8b3f-9a2f3a7c9d20",
  "seq": 1,
  "ts": "2026-11-19T12:00:00.000Z",
  "payload": {
    "commandId": "move-1",
    "commandType": "MOVE",
    "params": {"x": 3.0, "y": 1.0},
    "issuedAt": "2026-11-19T12:00:00.000Z",
    "expiresAt": "2026-11-19T12:02:00.000Z"
  }
}
"""
EXAMPLE = f"""## A whole message

This command, published on `robot.agv.command.request`, drives the robot `agv` to x = 3 m, y = 1 m:

```json
{REQUEST}```

`messageId` is new for each message, `bootId` for each start of your backend, and `seq` counts the
messages of a type. The times are those of the robot's clock, which is the date of this machine. The
robot answers on `robot.agv.command.ack`, in `payload` with the same `commandId` and the `status`
ACCEPTED, RUNNING and at last SUCCEEDED. A message that it cannot read is answered with REJECTED,
whose `message` names the field; its event is `malformed-envelope`. A whole backend is in
[examples/under_test](../../../examples/under_test/agv/backend.py).

"""


def pages() -> Iterator[tuple[str, str]]:
    from rigless.robots.agv.contract.asyncapi import document

    whole = document()
    rows = [
        (f"`{one['address']}`", _messages(one), one.get("description", ""))
        for one in whole["channels"].values()
    ]
    parts = [INTRO, whole["info"]["description"], "\n\n## Subjects\n\n"]
    parts += [table(("subject", "message", ""), rows), "\n", EXAMPLE]
    schemas = whole["components"]["schemas"]
    for name, schema in schemas.items():
        parts.append(_described(name, schema, schemas))
    yield "agv-messages", "".join(parts)


def _messages(channel: dict[str, Any]) -> str:
    return ", ".join(f"[{name}](#{name.lower()})" for name in channel["messages"])


def _described(name: str, schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    text = schema.get("description", "")
    if schema.get("properties"):
        return f"## {name}\n\n{text}\n\n{fields(schema, schemas)}\n"
    words = ", ".join(f"`{one}`" for one in schema.get("enum", ()))
    return f"## {name}\n\n{text} {words}\n\n"
