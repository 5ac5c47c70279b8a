"""Bad bodies get a 4xx that names the problems, and the API keeps working."""

from contextlib import asynccontextmanager

import httpx
import pytest

from rigless.recordings.replay import verify

from .driving import make_host, on_loop, with_api

DEEP = "[" * 300 + "]" * 300
RELAY = '{"robot":"thermostat","target":"relay","kind":"welded","params":%s}'
BIAS = '{"robot":"thermostat","target":"temperature","kind":"bias","params":{"value":%s}}'
INPUT = '{"inputs":{"outside_c":%s}}'
SET = '{"port":"line","message":{"type":"Set","celsius":%s}}'
DIGITS = "9" * 400

REFUSED = [
    ("/api/step", "{bad"),
    ("/api/step", ""),
    ("/api/step", "[]"),
    ("/api/step", "null"),
    ("/api/step", b"\x80\xff"),
    ("/api/step", "[" * 100_000),
    ("/api/step", '{"ms":' + DEEP + "}"),
    ("/api/step", '{"ms":NaN}'),
    ("/api/step", '{"ms":Infinity}'),
    ("/api/step", '{"ms":0}'),
    ("/api/step", '{"ms":-1}'),
    ("/api/step", '{"ms":1e9}'),
    ("/api/step", '{"ms":"soon"}'),
    ("/api/step", '{"ms":' + DIGITS + "}"),
    ("/api/step", '{"milliseconds":10}'),
    ("/api/speed", '{"speed":0}'),
    ("/api/speed", '{"speed":NaN}'),
    ("/api/speed", '{"speed":-Infinity}'),
    ("/api/speed", '{"speed":"warp"}'),
    ("/api/speed", '{"speed":null}'),
    ("/api/speed", '{"speed":' + DIGITS + "}"),
    ("/api/speed", '{"speed":1,"mode":"x"}'),
    ("/api/robots/thermostat/inputs", '{"inputs":{"no such":1}}'),
    ("/api/robots/thermostat/inputs", '{"inputs":[]}'),
    ("/api/robots/thermostat/inputs", '{"inputs":{"window_open":{"deep":1}}}'),
    ("/api/robots/thermostat/inputs", INPUT % "NaN"),
    ("/api/robots/thermostat/inputs", INPUT % "1e999"),
    ("/api/robots/thermostat/inputs", INPUT % DIGITS),
    ("/api/robots/thermostat/inputs", '{"inputs":{"\\ud800":1}}'),
    ("/api/robots/nobody/inputs", INPUT % "1"),
    ("/api/robots/thermostat/messages", SET % "NaN"),
    ("/api/robots/thermostat/messages", SET % "-Infinity"),
    ("/api/robots/thermostat/messages", SET % "1e999"),
    ("/api/robots/thermostat/messages", SET % "[]"),
    ("/api/robots/thermostat/messages", '{"port":"line","message":{"celsius":1}}'),
    ("/api/robots/thermostat/messages", '{"port":"nowhere","message":{"type":"Get"}}'),
    (
        "/api/robots/thermostat/messages",
        '{"port":"line","message":{"type":"Unknown","text":' + DEEP + "}}",
    ),
    ("/api/faults", "{}"),
    ("/api/faults", BIAS % "NaN"),
    ("/api/faults", BIAS % "Infinity"),
    ("/api/faults", BIAS % '"inf"'),
    ("/api/faults", BIAS % DIGITS),
    ("/api/faults", BIAS % DEEP),
    ("/api/faults", RELAY % '{"x":NaN}'),
    ("/api/faults", RELAY % '{"x":%s}' % DEEP),
    ("/api/faults", RELAY % '{"x":"\\ud800"}'),
    ("/api/faults", RELAY % '{"\\ud800":1}'),
    ("/api/faults", RELAY % '{"x":%s}' % DIGITS),
    ("/api/faults", '{"robot":"thermostat","target":"relay","for_s":1e300}'),
    ("/api/faults", '{"robot":"thermostat","target":"relay","for_s":0}'),
    ("/api/faults", '{"robot":"thermostat","target":"relay","for_s":NaN}'),
    ("/api/faults", '{"robot":"\\ud800","target":"relay"}'),
    ("/api/snapshots", '{"file":"a\\u0000b"}'),
    ("/api/snapshots", '{"file":"\\ud800"}'),
    ("/api/snapshots", '{"name":"\\ud800"}'),
    ("/api/snapshots", '{"file":5}'),
    ("/api/restore", "{}"),
    ("/api/restore", '{"name":"no such"}'),
    ("/api/restore", '{"file":"a\\u0000b"}'),
    ("/api/restore", '{"file":"/"}'),
    ("/api/restore", '{"file":"/dev/null"}'),
    ("/api/recording", '{"file":""}'),
    ("/api/recording", '{"file":"a\\u0000b"}'),
    ("/api/recording", '{"file":"\\ud800"}'),
    ("/api/recording", '{"file":"/no/such/folder/f.mcap"}'),
]


@asynccontextmanager
async def api():
    host = make_host(speed="lockstep")
    async with (
        with_api(host) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        yield host, http


async def still_well(host, http):
    """Assert that status, snapshot and recording still work."""
    await host.step(110)
    for path in (
        "/api/status",
        "/api/robots/thermostat/truth",
        "/api/faults",
        "/api/events",
        "/api/metrics",
    ):
        assert (await http.get(path)).status_code == 200, path
    assert (await http.post("/api/snapshots", json={"name": "well"})).status_code == 200
    assert host.state == "lockstep"


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        ("recording", {"fle": "a"}, ("body.fle", "unknown key 'fle'", "did you mean 'file'?")),
        ("step", {"ms": [1]}, ("body.ms", "[1] is not right: input should be a valid number", "")),
        ("speed", {}, ("body.speed", "this key is required", "")),
    ],
)
@on_loop
async def test_a_mistake_in_a_body_is_explained(path, body, problem):
    async with (
        with_api(make_host(speed="lockstep")) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        problems = (await http.post(f"/api/{path}", json=body)).json()["problems"]
    assert [(one["where"], one["what"], one["fix"]) for one in problems] == [problem]


@on_loop
async def test_bad_bodies_are_refused_with_their_problems_and_do_no_harm():
    wrong = []
    async with api() as (host, http):
        for path, body in REFUSED:
            answer = await http.post(
                path, content=body, headers={"Content-Type": "application/json"}
            )
            problems = answer.json().get("problems") if answer.status_code != 500 else None
            if not (
                400 <= answer.status_code < 500
                and problems
                and all(problem["what"] for problem in problems)
            ):
                wrong.append((path, body[:80], answer.status_code, answer.text[:80]))
            host.sim.clear("thermostat")
        assert wrong == []
        await still_well(host, http)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/faults", RELAY % '{"x":%s}' % DEEP),
        ("/api/faults", RELAY % '{"x":"\\ud800"}'),
        ("/api/faults", RELAY % f'{{"x":{2**70}}}'),
        ("/api/faults", BIAS % "1e308"),
        ("/api/faults", '{"robot":"thermostat","target":"relay","for_s":1e300}'),
        (
            "/api/robots/thermostat/messages",
            '{"port":"line","message":{"type":"Unknown","text":"\\ud800"}}',
        ),
        (
            "/api/robots/thermostat/messages",
            '{"port":"line","message":{"type":"Subscribe","port":99999999}}',
        ),
        ("/api/robots/thermostat/inputs", INPUT % "-1e308"),
    ],
)
@on_loop
async def test_no_request_can_break_those_that_follow(path, body):
    async with api() as (host, http):
        await http.post(path, content=body, headers={"Content-Type": "application/json"})
        await still_well(host, http)


@on_loop
async def test_unknown_paths_and_methods_are_told_in_the_same_words():
    async with api() as (_, http):
        for answer, status in (
            (await http.get("/no/such"), 404),
            (await http.put("/api/pause"), 405),
        ):
            assert (answer.status_code, len(answer.json()["problems"])) == (status, 1)
        for query in ("limit=0", "limit=x", "since_s=x"):
            assert (await http.get(f"/api/events?{query}")).json()["problems"]
        assert (await http.delete("/api/faults")).json()["problems"]


@pytest.mark.parametrize(
    ("path", "body"),
    [("/api/faults", BIAS % "Infinity"), ("/api/robots/thermostat/messages", SET % "NaN")],
)
@on_loop
async def test_whatever_is_let_in_can_be_replayed(tmp_path, path, body):
    async with api() as (host, http):
        host.recording_file.start(tmp_path / "f.mcap")
        await http.post(path, content=body, headers={"Content-Type": "application/json"})
        await host.step(510)
    assert verify(tmp_path / "f.mcap").difference is None
