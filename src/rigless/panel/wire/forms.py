"""The messages that a port receives, as JSON Schemas from which the panel makes forms."""

from typing import Any

import msgspec

from rigless.clients.port_client import EXCHANGES
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
        "types": {name: schema_of(kind) for name, kind in accepted(host, robot, codec).items()},
    }


def is_reachable(port: Port, url: str) -> bool:
    """Return True if a client in this process can send to the port's real transport."""
    return bool(url) and port.transport in EXCHANGES and not url.startswith("memory")


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
