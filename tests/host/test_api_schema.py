"""/openapi.json describes every response, and real responses match their schemas."""

from contextlib import asynccontextmanager

import httpx
import jsonschema
import pytest

from rigless.host.api.control import create_app

from .driving import make_host, on_loop

ROBOT = "thermostat"


@asynccontextmanager
async def api(recordings=None):
    host = make_host(speed="lockstep", recordings=recordings)
    app = create_app(host)
    transport = httpx.ASGITransport(app)
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            yield host, http, app.openapi()
    finally:
        await host.close()


def response_schema(document, path, method, status="200"):
    content = document["paths"][path][method]["responses"][status]["content"]
    return content["application/json"]["schema"]


def check(document, path, answer):
    """Validate a response, and find fields that its schema does not name."""
    schema = response_schema(document, path, answer.request.method.lower(), str(answer.status_code))
    whole = {**schema, "components": document["components"]}
    jsonschema.Draft202012Validator(whole).validate(answer.json())
    assert unknown(document, schema, answer.json()) == []


def unknown(document, schema, value, at=""):
    """The paths of fields that are in the value and not in the schema."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        items = schema.get("items", {})
        return [
            u for n, item in enumerate(value) for u in unknown(document, items, item, f"{at}[{n}]")
        ]
    if not isinstance(value, dict) or not schema:
        return []
    more = schema.get("additionalProperties", "properties" not in schema)
    found = []
    for name, item in value.items():
        if name in schema.get("properties", {}):
            found += unknown(document, schema["properties"][name], item, f"{at}.{name}")
        elif isinstance(more, dict):
            found += unknown(document, more, item, f"{at}.{name}")
        elif not more:
            found.append(f"{at}.{name}")
    return found


@on_loop
async def test_every_route_describes_its_response_and_its_mistakes():
    async with api() as (_, _, document):
        for path, methods in document["paths"].items():
            for method in methods:
                schema = response_schema(document, path, method)
                schema = schema["items"] if schema.get("type") == "array" else schema
                name = schema.get("$ref", "").rpartition("/")[2]
                model = document["components"]["schemas"].get(name, {})
                assert model.get("properties"), f"{method} {path} has the schema {schema}"
                assert model.get("description"), f"{name} has no docstring"
                mistakes = response_schema(document, path, method, "422")
                assert mistakes == {"$ref": "#/components/schemas/Problems"}


@on_loop
async def test_every_request_body_is_described():
    async with api() as (_, _, document):
        for path, methods in document["paths"].items():
            for method, route in methods.items():
                if "requestBody" in route:
                    schema = route["requestBody"]["content"]["application/json"]["schema"]
                    assert "$ref" in str(schema), f"{method} {path}"


@on_loop
async def test_real_responses_match_their_schemas(tmp_path):
    fault = {"robot": ROBOT, "target": "temperature", "kind": "stuck", "for_s": 5}
    drop = {"robot": ROBOT, "target": "line", "kind": "drop"}
    message = {"port": "line", "message": {"type": "Set", "celsius": 23}}
    requests = [
        ("POST", "/api/faults", {"json": drop}),
        ("POST", "/api/faults", {"json": fault}),
        ("POST", "/api/step", {"json": {"ms": 250}}),
        ("POST", "/api/robots/{robot}/inputs", {"json": {"inputs": {"outside_c": -5}}}),
        ("POST", "/api/robots/{robot}/messages", {"json": message}),
        ("GET", "/api/robots/{robot}", {}),
        ("GET", "/api/robots/{robot}/truth", {}),
        ("POST", "/api/recording", {"json": {"file": "f.mcap"}}),
        ("GET", "/api/status", {}),
        ("GET", "/api/faults", {}),
        ("GET", "/api/metrics", {}),
        ("GET", "/api/events", {}),
        ("POST", "/api/snapshots", {"json": {"name": "a"}}),
        ("GET", "/api/snapshots", {}),
        ("GET", "/api/snapshots/{name}", {}),
        ("DELETE", "/api/recording", {}),
        ("POST", "/api/restore", {"json": {"name": "a"}}),
        ("DELETE", "/api/faults", {"params": {"robot": ROBOT}}),
        ("POST", "/api/pause", {}),
        ("POST", "/api/resume", {}),
        ("POST", "/api/speed", {"json": {"speed": "fast"}}),
        ("POST", "/api/stop", {}),
        ("POST", "/api/reset", {}),
    ]
    async with api(tmp_path) as (_, http, document):
        for method, path, arguments in requests:
            url = path.replace("{robot}", ROBOT).replace("{name}", "a")
            answer = await http.request(method, url, **arguments)
            assert answer.status_code == 200, answer.text
            check(document, path, answer)
        missing = {
            (method.upper(), path)
            for path, methods in document["paths"].items()
            for method in methods
        } - {(method, path) for method, path, _ in requests}
        assert missing == set(), "every route is tried"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/step", {"ms": -1}),
        ("/api/restore", {"name": "none"}),
        ("/api/faults", {"robot": "x", "target": "y"}),
    ],
)
@on_loop
async def test_mistakes_match_their_schema(path, body):
    async with api() as (_, http, document):
        answer = await http.post(path, json=body)
        assert answer.status_code == 422
        check(document, path, answer)


@on_loop
async def test_a_body_that_is_not_utf_8_is_a_described_mistake():
    async with api() as (_, http, document):
        headers = {"Content-Type": "application/json"}
        answer = await http.post("/api/snapshots", content=b"\x80\x81", headers=headers)
        assert answer.status_code == 422
        check(document, "/api/snapshots", answer)
        assert answer.json()["problems"][0]["fix"] == "send JSON in UTF-8"


@on_loop
async def test_another_method_is_answered_with_the_allowed_ones():
    async with api() as (_, http, _):
        for path, methods in (("/api/pause", "POST"), ("/api/faults", "DELETE, GET, POST")):
            answer = await http.request("TRACE", path)
            assert (answer.status_code, answer.headers.get("allow")) == (405, methods)
