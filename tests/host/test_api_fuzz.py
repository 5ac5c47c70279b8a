"""Random bodies, half of them nearly valid, on every POST endpoint of openapi.json: never a 5xx."""

import json
import random

import httpx

from .driving import make_host, on_loop, with_api

WORDS = [
    "",
    "thermostat",
    "line",
    "reports",
    "temperature",
    "heater",
    "relay",
    "welded",
    "bias",
    "drop",
    "Set",
    "Get",
    "type",
    "window_open",
    "outside_c",
    "fast",
    "nan",
    "inf",
    "\x00",
    "é",
    "\ud800",
    "true",
    "x" * 2000,
    "/",
    "..",
    "0",
]
NUMBERS = [
    0,
    -1,
    1,
    0.1,
    1e-300,
    1e308,
    2**31,
    2**63,
    2**64,
    -(2**70),
    10**400,
    float("nan"),
    float("inf"),
    float("-inf"),
]


def anything(rng, depth=0):
    match rng.randrange(8 if depth < 4 else 5):
        case 0:
            return rng.choice(NUMBERS)
        case 1:
            return rng.choice([None, True, False])
        case 2 | 3 | 4:
            return rng.choice(WORDS)
        case 5:
            return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
        case _:
            return {rng.choice(WORDS): anything(rng, depth + 1) for _ in range(rng.randrange(4))}


def like(schema, schemas, rng):
    """Return a value that mostly satisfies the schema."""
    schema = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if rng.random() < 0.15:
        return anything(rng)
    if "anyOf" in schema:
        return like(rng.choice(schema["anyOf"]), schemas, rng)
    match schema.get("type"):
        case "object":
            fields = {
                name: like(one, schemas, rng)
                for name, one in schema.get("properties", {}).items()
                if rng.random() < 0.9
            }
            if not schema.get("properties"):
                fields = {rng.choice(WORDS): anything(rng) for _ in range(rng.randrange(3))}
            return fields | ({rng.choice(WORDS): 1} if rng.random() < 0.1 else {})
        case "number" | "integer":
            return rng.choice([rng.uniform(0.1, 50), *NUMBERS])
        case "string":
            return rng.choice(WORDS)
        case _:
            return anything(rng)


def bodies(operation, schemas, rng, count):
    schema = (
        operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema")
    )
    for _ in range(count):
        text = json.dumps(like(schema, schemas, rng) if schema else anything(rng))
        if rng.random() < 0.1:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice('{}[]",:\x00') + text[at + 1 :]
        yield text.encode("utf-8", "replace")


@on_loop
async def test_no_body_on_any_endpoint_makes_a_server_error(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")  # some bodies name files
    rng, broken = random.Random(20240607), set()
    host = make_host(speed="lockstep", recordings=tmp_path / "kept")
    async with (
        with_api(host) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        document = (await http.get("/openapi.json")).json()
        for path, methods in document["paths"].items():
            if "post" not in methods:
                continue
            for body in bodies(methods["post"], document["components"]["schemas"], rng, 30):
                answer = await http.post(
                    path.replace("{robot}", "thermostat"),
                    content=body,
                    headers={"Content-Type": "application/json"},
                )
                if answer.status_code >= 500:
                    broken.add((path, body[:200]))
                host.sim.clear("thermostat")
                host.set_speed("lockstep")
                host.recording_file.stop()
        for path in ("/api/status", "/api/events", "/api/metrics", "/api/snapshots", "/api/faults"):
            if (await http.get(path)).status_code != 200:
                broken.add((path, b"afterwards"))
    assert broken == set()
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in made} == {tmp_path / "kept"}
    assert {path.suffix for path in made} <= {".mcap", ".snapshot"}
