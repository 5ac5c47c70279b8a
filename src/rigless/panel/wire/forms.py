"""The messages that a port receives, as JSON Schemas from which the panel makes forms."""

import copy
from collections.abc import Mapping
from typing import Any

import msgspec

from rigless.clients.port_client import TRANSPORTS
from rigless.host.host import Host
from rigless.kernel.ports import Port
from rigless.kernel.robot import Robot
from rigless.panel.wire.models import SchemaOfPort
from rigless.transports.capabilities import capabilities

ANY: dict[str, Any] = {"type": "object"}  # a type without a schema: its fields are typed as JSON


def describe_ports(host: Host, robot: Robot) -> list[SchemaOfPort]:
    """Return the ports of a robot that receive messages."""
    return [_describe(host, robot, port) for port in robot.ports if port.direction != "out"]


def _describe(host: Host, robot: Robot, port: Port) -> SchemaOfPort:
    codec = host.sim.core.links.encoders[robot.name, port.name]
    url = host.urls.get((robot.name, port.name), "")
    subjects = getattr(codec, "request_subjects", None)
    return {
        "port": port.name,
        "transport": port.transport,
        "direction": port.direction,
        "url": url,
        "raw": is_reachable(port, url),
        "needs_subject": port.kind == "message"
        and not capabilities(port.transport).without_subjects,
        "subjects": [] if subjects is None else subjects(),
        "way": "port" if hasattr(codec, "encode_request") and is_reachable(port, url) else "api",
        "types": {
            name: with_variants(schema_of(kind), getattr(codec, "VARIANTS", {}))
            for name, kind in accepted(host, robot, codec).items()
        },
    }


def is_reachable(port: Port, url: str) -> bool:
    """Return True if a client in this process can send to the port's real transport."""
    return bool(url) and port.transport in TRANSPORTS and not url.startswith("memory")


def accepted(host: Host, robot: Robot, codec: Any) -> dict[str, type]:
    """Return the types of messages that a port receives, by name."""
    if requests := getattr(codec, "REQUESTS", ()):
        return {kind.__name__: kind for kind in requests}
    if accepted_types := getattr(codec, "accepted_types", None):
        own: dict[str, type] = accepted_types()
        return own
    return host.sim.core.behaviours[robot.name].accepted_types


def schema_of(kind: type) -> dict[str, Any]:
    """Return the JSON Schema of a message type, without the fields that its codec adds."""
    try:
        found: dict[str, Any] = (
            kind.model_json_schema()
            if hasattr(kind, "model_json_schema")
            else msgspec.json.schema(kind)
        )
    except Exception:  # a type of a robot's author that has no schema
        return ANY
    if "$ref" in found:
        name = found["$ref"].rpartition("/")[2]
        found = {**found.get("$defs", {}).get(name, ANY), "$defs": found.get("$defs", {})}
    added = getattr(kind, "ADDED", ())
    properties = {
        name: schema for name, schema in found.get("properties", {}).items() if name not in added
    }
    return {**found, "properties": properties}


def with_variants(
    schema: dict[str, Any], variants: Mapping[str, tuple[str, str, Mapping[str, type]]]
) -> dict[str, Any]:
    """Return a schema with the fields that depend on a type in the message.

    `variants` has, by the name of a structure, the field with parameters, the field that names
    their type, and the types. The field with parameters gets a key `x-variants`.
    """
    found: dict[str, Any] = copy.deepcopy(schema)
    defs: dict[str, Any] = found.setdefault("$defs", {})
    named = {**defs, found.get("title", ""): found}
    for name, (params, by, types) in variants.items():
        properties = named.get(name, {}).get("properties", {})
        if params not in properties or by not in properties:
            continue
        schemas = {kind: schema_of(of_kind) for kind, of_kind in types.items()}
        for one in schemas.values():
            defs |= one.pop("$defs", {})
        properties[by] = {"enum": list(types)}
        properties[params] = {"x-variants": {"by": by, "schemas": schemas}}
    return found
