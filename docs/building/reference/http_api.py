"""The page of the control API: every endpoint, from the same document as /openapi.json."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from building.places import ROOT
from building.reference.tables import code, table

THERMOSTAT = ROOT / "examples" / "thermostat"
INTRO = """# HTTP endpoints

Every endpoint of the control API and of the panel, from the document that a running instance serves
at `/openapi.json`. [Control API](../control-api.md) explains tokens, lockstep and the WebSocket.
Each may also answer 413 (the request is too large) or 422 (it has mistakes) with
[Problems](#problems).

The control API is stable. The endpoints of [the panel](#the-panel) serve its pages, and may change
with any version.

## The control API

"""
PANEL = "\n## The panel\n\n"


def pages() -> Iterator[tuple[str, str]]:
    from rigless.host.api.control import create_app
    from rigless.host.host import Host
    from rigless.panel.hub import Hub
    from rigless.panel.player import Player
    from rigless.panel.recordings.second_player import SecondPlayer
    from rigless.panel.server import create_panel_app
    from rigless.scenario.load import open_target

    # The folder is not made: no request is answered.
    host = Host(open_target(THERMOSTAT, collect=False), "lockstep", recordings=Path("recordings"))
    control, player = create_app(host).openapi()["paths"], Player()
    app = create_panel_app(host, Hub(host, [player]), player, SecondPlayer(player))
    document = app.openapi()
    schemas = document.get("components", {}).get("schemas", {})
    parts: dict[bool, list[str]] = {True: [], False: []}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            section = endpoint(path, method, operation, schemas)
            parts[path in control].append(section)
    models = [
        f"### {name}\n\n{schema.get('description', '')}\n\n{fields(schema, schemas)}"
        for name, schema in sorted(schemas.items())
        if schema.get("properties")
    ]
    texts = [INTRO, "\n".join(parts[True]), PANEL, "\n".join(parts[False])]
    yield "http-api", "".join(texts) + "\n## Objects\n\n" + "\n".join(models)


def endpoint(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Return the section of one endpoint."""
    rows = [
        (f"`{one['name']}`", one["in"], kind(one["schema"]), one.get("description", ""))
        for one in operation.get("parameters", [])
    ]
    body = operation.get("requestBody", {}).get("content", {})
    text = operation.get("description", "")
    lines = [f"### {method.upper()} {path}\n", text, table(("parameter", "in", "type", ""), rows)]
    lines += [f"Body: {kind(one['schema'])} (`{media}`)\n" for media, one in body.items()]
    answers = []
    for status, answer in operation["responses"].items():
        if status in ("413", "422"):
            continue
        content = answer.get("content", {})
        kinds = ", ".join(f"{kind(one.get('schema', {}))}" for one in content.values())
        answers.append((status, kinds, answer.get("description", "")))
    return "\n".join([*lines, table(("status", "body", ""), answers)])


def fields(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Return the table of the fields of an object."""
    required = schema.get("required", ())
    rows = [
        (
            f"`{name}`",
            kind(one),
            "required" if name in required else code(one["default"]) if "default" in one else "",
            one.get("description", ""),
        )
        for name, one in schema["properties"].items()
    ]
    return table(("field", "type", "default", ""), rows)


def kind(schema: dict[str, Any]) -> str:
    """Return a JSON schema in words, with a link to the object that it names."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema or "const" in schema:
        return " or ".join(code(one) for one in schema.get("enum", [schema.get("const")]))
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(kind(one) for one in schema[word]))
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {kind(schema['additionalProperties'])}"
    given = schema.get("type", "anything")
    bounds = [
        f"{text} {schema[key]:g}"
        for key, text in (("minimum", "at least"), ("maximum", "at most"))
        if isinstance(schema.get(key), int | float)
    ]
    return ", ".join([given if isinstance(given, str) else " or ".join(given), *bounds])
