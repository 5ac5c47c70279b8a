"""Authentication of the control API: token, session cookie, Origin and Host."""

from contextlib import asynccontextmanager

import httpx
import pytest
import websockets
from websockets.asyncio.client import connect

from rigless.host.api.auth import LARGEST_BODY
from rigless.kernel.problems import InputError
from rigless.panel.server import ControlServer

from .driving import make_host, on_loop, with_api

COOKIES = [
    "",
    "=",
    "rigless_0=x",
    "rigless={token}",
    "{name}={token}",
    '"\\',
    "{name}=",
    "a=b; {name}=x",
]
ORIGINS = [
    "http://evil.example",
    "https://127.0.0.1",
    "http://127.0.0.1:1",
    "null",
    "",
    "http://[",
    "garbage",
]
NAMES = [
    "evil.example",
    "evil.example:8080",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "[",
    "",
]


@asynccontextmanager
async def guarded(auth=True):
    async with (
        with_api(make_host(speed="lockstep"), auth) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        yield server, http, {"Authorization": f"Bearer {server.token}"}


def refused(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.json()["problems"][0]["what"]


@on_loop
async def test_without_a_token_nothing_is_told():
    async with guarded() as (_, http, _bearer):
        for path in ("/", "/api/status", "/openapi.json", "/web/main.js", "/no/such/path"):
            refused(await http.get(path), 401)
            refused(await http.get(path, headers={"Authorization": "Bearer wrong"}), 401)
            refused(await http.get(path, params={"token": "wrong"}), 401)
            refused(await http.get(path, headers={"Authorization": "Basic Ym9iOmJvYg=="}), 401)


@on_loop
async def test_without_a_token_nothing_is_changed():
    async with guarded() as (_, http, bearer):
        for path in ("/api/pause", "/api/reset", "/api/step"):
            refused(await http.post(path), 401)
        assert (await http.get("/api/status", headers=bearer)).json()["state"] == "lockstep"


@on_loop
async def test_bearer_works():
    async with guarded() as (_, http, bearer):
        assert (await http.get("/api/status", headers=bearer)).status_code == 200
        assert (await http.post("/api/pause", headers=bearer)).status_code == 200


@on_loop
async def test_a_browser_shows_the_token_once_and_gets_a_cookie_that_is_not_the_token():
    async with guarded() as (server, http, _bearer):
        answer = await http.get(server.url)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert server.token not in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert (await http.get("/")).status_code == 200
        assert (await http.get("/api/status")).status_code == 200
        assert (
            await http.post("/api/pause", headers={"Origin": server.address})
        ).status_code == 200


@on_loop
async def test_a_made_up_cookie_does_not_work():
    async with guarded() as (server, http, _bearer):
        name = f"rigless_{server.address.rpartition(':')[2]}"
        for cookie in COOKIES:
            given = cookie.format(token=server.token, name=name)
            refused(await http.get("/api/status", headers={"Cookie": given}), 401)


@on_loop
async def test_a_foreign_page_may_not_change_anything():
    async with guarded() as (_, http, bearer):
        for origin in ORIGINS:
            refused(await http.post("/api/pause", headers={**bearer, "Origin": origin}), 403)
            refused(await http.delete("/api/recording", headers={**bearer, "Origin": origin}), 403)
        assert (await http.get("/api/status", headers=bearer)).json()["state"] == "lockstep"


@pytest.mark.parametrize("auth", [True, False])
@on_loop
async def test_a_foreign_page_may_not_open_the_stream(auth):
    async with guarded(auth) as (server, _, bearer):
        url = server.address.replace("http", "ws") + "/ws"
        for origin in ("http://evil.example", "null", "http://["):
            with pytest.raises(websockets.InvalidStatus) as caught:
                await connect(
                    url, origin=origin, additional_headers=bearer if auth else {}, open_timeout=60
                )
            assert caught.value.response.status_code == 403
        allowed = {
            "origin": server.address,
            "additional_headers": bearer if auth else {},
            "open_timeout": 60,
        }
        async with connect(url, **allowed) as stream:
            assert await stream.recv()


@on_loop
async def test_the_stream_needs_the_token_too():
    async with guarded() as (server, _, _bearer):
        with pytest.raises(websockets.InvalidStatus) as caught:
            await connect(server.address.replace("http", "ws") + "/ws", open_timeout=60)
        assert caught.value.response.status_code == 401


@pytest.mark.parametrize("auth", [True, False])
@on_loop
async def test_a_foreign_name_that_points_here_is_refused(auth):
    async with guarded(auth) as (_, http, bearer):
        for name in NAMES:
            refused(await http.get("/api/status", headers={**bearer, "Host": name}), 403)
        for name in ("127.0.0.1", "localhost:1234", "[::1]:8080"):
            assert (
                await http.get("/api/status", headers={**bearer, "Host": name})
            ).status_code == 200


@on_loop
async def test_no_auth_lets_everybody_on_this_machine_in():
    async with guarded(False) as (server, http, _bearer):
        assert (server.token, server.url) == (None, server.address + "/")
        assert (await http.get("/api/status")).status_code == 200
        assert (await http.get("/?token=anything")).status_code == 200


@on_loop
async def test_no_auth_on_an_address_of_the_network_is_refused():
    with pytest.raises(InputError, match="--no-auth"):
        ControlServer(make_host(), "0.0.0.0:0", auth=False)


@on_loop
async def test_a_body_that_is_too_large_is_refused_before_it_is_read():
    async with guarded() as (_, http, bearer):
        refused(
            await http.post("/api/step", content=b" " * (LARGEST_BODY + 1), headers=bearer), 413
        )

        async def endless():
            yield b"{}"

        refused(await http.post("/api/step", content=endless(), headers=bearer), 413)


@on_loop
async def test_answers_tell_browsers_to_be_careful():
    async with guarded() as (_, http, bearer):
        for answer in (
            await http.get("/api/status", headers=bearer),
            await http.get("/api/status"),
        ):
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["cache-control"] == "no-store"
