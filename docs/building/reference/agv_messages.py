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


def pages() -> Iterator[tuple[str, str]]:
    from rigless.robots.agv.contract.asyncapi import document

    whole = document()
    rows = [
        (f"`{one['address']}`", _messages(one), one.get("description", ""))
        for one in whole["channels"].values()
    ]
    parts = [INTRO, whole["info"]["description"], "\n\n## Subjects\n\n"]
    parts += [table(("subject", "message", ""), rows), "\n"]
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
