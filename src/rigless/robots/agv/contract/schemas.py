"""JSON Schemas of all messages, generated from the message types and the wire.

They describe the bytes on the subjects: the envelope with its payload. Optional fields are left
out, never null. Messages may get further fields in later versions, so no schema forbids them.
"""

import copy
import inspect
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from rigless.robots.agv import messages as m
from rigless.robots.agv import params as p
from rigless.robots.agv import wire
from rigless.robots.agv.contract.descriptions import DESCRIPTIONS
from rigless.robots.agv.fields import ID
from rigless.robots.agv.params import ACTIONS, COMMANDS, STEPS

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REF = "#/$defs/{name}"
TIMES = frozenset(
    ("ts", "issuedAt", "expiresAt", "validUntil", "deadline", "raisedAt", "clearedAt")
) | {"startedAt", "finishedAt"}
VARIANTS = {"CommandRequest": ("commandType", COMMANDS), "Step": ("type", STEPS)}
ENUMS = {"CommandAck.code": sorted(m.ACK_CODES), "Step.type": sorted(STEPS)}
ADDED = frozenset(m.Inbound.ADDED)


def message_name(kind: str) -> str:
    """Return the name of the schema of a message: CommandAckMessage for command.ack."""
    return f"{_payload(kind).__name__}Message"


def kinds() -> list[str]:
    """Return all message types, those to robots first."""
    return [*wire.IN, *wire.OUT]


def definitions(ref: str = REF) -> dict[str, Schema]:
    """Return the schemas of all messages, payloads and their parts by name.

    `ref` is the template of references among them.
    """
    payloads = [_payload(kind) for kind in kinds()]
    params = {params for params in STEPS.values() if params.__struct_fields__}
    _, found = msgspec.json.schema_components([*payloads, *params, wire.Sim], ref_template=ref)
    structs = {name: struct for part in (m, p, wire) for name, struct in vars(part).items()}
    made = {name: _plain(name, part, structs[name]) for name, part in found.items()}
    for kind, renamed in wire.RENAMED.items():
        _rename(made[_payload(kind).__name__], renamed)
    for kind, required in wire.REQUIRED.items():
        part = made[_payload(kind).__name__]
        part["required"] += [key for key in required if key not in part["required"]]
    made["Node"]["properties"]["actions"]["items"] = _action()
    for name, (key, variants) in VARIANTS.items():
        made |= _split(made, name, key, variants, ref)
    for kind in kinds():
        made[message_name(kind)] = _envelope(kind, ref)
    return dict(sorted(made.items()))


def message_schema(kind: str) -> Schema:
    """Return the schema of one message with everything that it refers to."""
    everything = definitions()
    wanted, found = [message_name(kind)], dict[str, Schema]()
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = everything[name]
            wanted += _references(everything[name])
    top = found.pop(message_name(kind))
    return {**_head(kind), **top, "$defs": dict(sorted(found.items()))}


def all_messages() -> Schema:
    """Return one schema that holds all messages; a message matches exactly one of them."""
    of_all = [{"$ref": REF.format(name=message_name(kind))} for kind in kinds()]
    head = {**_head("messages"), "title": "AgvMessage"}
    what = "Any message between an AGV and its backend, by its type."
    return {**head, "description": what, "oneOf": of_all, "$defs": definitions()}


def _head(name: str) -> Schema:
    return {"$schema": DIALECT, "$id": f"urn:rigless:agv:{wire.VERSION}:{name}"}


def _payload(kind: str) -> type[Struct]:
    return wire.IN[kind] if kind in wire.IN else wire.OUT[kind]


def _envelope(kind: str, ref: str) -> Schema:
    payload = _payload(kind)
    properties: Schema = {
        "v": {"const": wire.VERSION, "description": "Version of this contract."},
        "messageId": {"type": "string", "minLength": 1, "maxLength": wire.LONGEST_ID},
        "type": {"const": kind, "description": "The subject after robot.{robotId}."},
        "robotId": {"type": "string", "pattern": ID},
        "bootId": {"type": "string", "minLength": 1, "description": "New at each start."},
        "seq": {"type": "integer", "minimum": 0, "description": "By type and boot, without gaps."},
        "ts": {"type": "string", "format": "date-time", "description": "When it was sent, in UTC."},
        "correlationId": {
            "type": "string",
            "maxLength": wire.LONGEST_CORRELATION,
            "description": "Of the request: its correlationId, or else its messageId.",
        },
        "sim": {"$ref": ref.format(name="Sim")},
        "payload": {"$ref": ref.format(name=payload.__name__)},
    }
    if kind in wire.IN:
        properties["correlationId"]["description"] = "Repeated in replies."
        properties["seq"]["description"] = "A counter of the backend."
        del properties["sim"]
    required = [name for name in properties if name not in ("correlationId", "sim")]
    return {
        "title": message_name(kind),
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _plain(name: str, given: Schema, struct: type[Struct]) -> Schema:
    """Return the schema of a struct as it is on the wire."""
    part = copy.deepcopy(given)
    part.pop("description", None)
    if struct.__doc__:
        text = inspect.cleandoc(struct.__doc__)
        part["description"] = text.partition("\n\n")[0].replace("\n", " ")
    properties, required = part["properties"], part.get("required", ())
    for key in ADDED if issubclass(struct, m.Inbound) else ():
        del properties[key]
    for key, entry in properties.items():
        made = _pair(entry if key in required else _optional(entry))
        if key in TIMES:
            made = {**made, "format": "date-time"}
        if f"{name}.{key}" in ENUMS:
            made = {**made, "enum": ENUMS[f"{name}.{key}"]}
        if f"{name}.{key}" in DESCRIPTIONS:
            made = {**made, "description": DESCRIPTIONS[f"{name}.{key}"]}
        properties[key] = made
    return {key: value for key, value in part.items() if key != "required" or value}


def _optional(entry: Schema) -> Schema:
    """Return the schema of an optional field: if there is no value, the field is left out."""
    rest = [one for one in entry.get("anyOf", ()) if one != {"type": "null"}]
    kept = {key: value for key, value in entry.items() if key not in ("anyOf", "default")}
    return {**kept, **rest[0]} if len(rest) == 1 else kept


def _pair(entry: Schema) -> Schema:
    """Return a list of tuples in terms that all versions of JSON Schema have."""
    items = entry.get("items")
    if isinstance(items, dict) and "prefixItems" in items:
        inner = {
            "type": "array",
            "items": items["prefixItems"][0],
            "minItems": len(items["prefixItems"]),
            "maxItems": len(items["prefixItems"]),
        }
        return {**entry, "items": inner}
    return entry


def _rename(part: Schema, renamed: dict[str, str]) -> None:
    for key in ("properties", "required"):
        if isinstance(part[key], dict):
            part[key] = {renamed.get(name, name): value for name, value in part[key].items()}
        else:
            part[key] = [renamed.get(name, name) for name in part[key]]


def _split(
    made: dict[str, Schema],
    name: str,
    key: str,
    variants: Mapping[str, type[Struct]],
    ref: str,
) -> dict[str, Schema]:
    """Return a schema for each kind of a command or step, and their union."""
    base, found = made[name], dict[str, Schema]()
    for kind, params in variants.items():
        title = name + "".join(word.capitalize() for word in kind.split("_"))
        part = copy.deepcopy(base)
        part["title"] = title
        part["properties"][key] = {"const": kind}
        if params.__struct_fields__:
            part["properties"]["params"] = {"$ref": ref.format(name=params.__name__)}
            part["required"] = list(dict.fromkeys([*part["required"], "params"]))
        else:
            part["properties"]["params"] = {"type": "object", "maxProperties": 0}
        found[title] = part
    union = {"title": name, "oneOf": [{"$ref": ref.format(name=title)} for title in found]}
    if "description" in base:
        union["description"] = base["description"]
    return {**found, name: union}


def _action() -> Schema:
    return {
        "type": "object",
        "description": "Carried out while the robot stands at the node.",
        "properties": {"type": {"enum": sorted(ACTIONS)}, "params": {"type": "object"}},
        "required": ["type"],
    }


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        own = [part["$ref"].rpartition("/")[2]] if "$ref" in part else []
        return own + [name for value in part.values() for name in _references(value)]
    if isinstance(part, list):
        return [name for value in part for name in _references(value)]
    return []
