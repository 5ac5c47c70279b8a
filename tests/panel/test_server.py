"""Authentication: every page needs the token.

Cookies survive a restart, but not another port or key.
"""

import asyncio
import socket
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie

import httpx
import pytest
import websockets
from websockets.asyncio.client import connect

import reserved
from host.driving import make_host, on_loop, with_api
from rigless.panel.server import ControlServer

OPEN_TO_ALL = {
    "/nothing",
    "/web/",
    "/docs",
    "/redoc",
}  # it does not exist, and that is not revealed


@pytest.fixture(autouse=True)
def own_secret(tmp_path, monkeypatch):
    """Sign the cookies of these tests with a key of their own."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "rigless" / "cookie.key"


@asynccontextmanager
async def panel(port=0, host_address="127.0.0.1"):
    """A server on a port, just started, and a client without a cookie."""
    host = make_host(speed="lockstep")
    server = ControlServer(host, f"{host_address}:{port}")
    await server.open()
    try:
        async with httpx.AsyncClient(base_url=server.address, timeout=60) as http:
            yield server, http
    finally:
        await server.close()
        await host.close()


async def sign_in(server, http):
    """Return the cookie that a browser gets for the token."""
    answer = await http.get(server.url)
    assert answer.status_code == 303
    http.cookies.clear()
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    return f"{morsel.key}={morsel.value}"


@on_loop
async def test_a_panel_on_all_interfaces_has_a_url_that_can_be_opened():
    async with panel(host_address="0.0.0.0") as (server, http):
        assert server.address.startswith("http://127.0.0.1:")
        assert (await http.get(server.url)).status_code == 303
        (note,) = server.notes
        assert note.startswith("the panel is open to the whole network")


@on_loop
async def test_a_request_in_flight_ends_with_the_server_without_a_traceback(capsys):
    reached = asyncio.Event()

    async def slow():
        reached.set()
        await asyncio.Event().wait()

    async with panel() as (server, http):
        server._server.config.app._app.add_api_route("/api/slow", slow)
        server._server.config.timeout_graceful_shutdown = 0
        bearer = {"Authorization": f"Bearer {server.token}"}
        request = asyncio.create_task(http.get("/api/slow", headers=bearer))
        await reached.wait()
        await server.close()
        answer = await asyncio.gather(request, return_exceptions=True)
    assert getattr(answer[0], "status_code", 500) == 500
    assert capsys.readouterr().err == ""


@on_loop
async def test_without_a_token_no_path_and_no_file_tells_anything():
    async with (
        with_api(make_host(speed="lockstep"), auth=True) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        bearer = {"Authorization": f"Bearer {server.token}"}
        document = (await http.get("/openapi.json", headers=bearer)).json()
        paths = {path.replace("{robot}", "thermostat") for path in document["paths"]}
        files = {
            "/",
            "/openapi.json",
            "/web/main.js",
            "/web/style.css",
            "/web/vendor/three/three.module.js",
            "/web/../x",
        }
        assert len(paths) > 20
        for path in paths | files | OPEN_TO_ALL:
            for method in ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"):
                answer = await http.request(method, path)
                assert answer.status_code == 401, (method, path)
                assert len(answer.content) < 300
        assert (await http.get("/web/main.js", headers=bearer)).status_code == 200


@on_loop
async def test_a_browser_outlives_a_restart_on_the_same_port(own_secret):
    port = reserved.port()
    async with panel(port) as (server, http):
        cookie, token = await sign_in(server, http), server.token
    async with panel(port) as (server, http):
        assert server.token != token
        for path in ("/", "/api/status", "/web/main.js"):
            assert (await http.get(path, headers={"Cookie": cookie})).status_code == 200
            assert (
                await http.get(path, headers={"Authorization": f"Bearer {token}"})
            ).status_code == 401
        url = server.address.replace("http", "ws") + "/ws"
        async with connect(
            url, origin=server.address, additional_headers={"Cookie": cookie}
        ) as stream:
            assert await stream.recv()
        own_secret.unlink()
    async with panel(port) as (_, http):
        assert (await http.get("/", headers={"Cookie": cookie})).status_code == 401


@on_loop
async def test_a_cookie_of_another_port_does_not_work():
    async with panel() as (one, http):
        cookie = await sign_in(one, http)
    name, _, value = cookie.partition("=")
    async with panel() as (two, http):
        port = two.address.rpartition(":")[2]
        assert name != f"rigless_{port}"
        for given in (cookie, f"rigless_{port}={value}", f"{cookie}; rigless_{port}={value}"):
            assert (await http.get("/", headers={"Cookie": given})).status_code == 401


@on_loop
async def test_a_cookie_with_another_word_or_signature_does_not_work():
    async with panel() as (server, http):
        cookie = await sign_in(server, http)
        name, _, value = cookie.partition("=")
        nonce, _, signature = value.partition(".")
        wrong = [
            f"{nonce}x.{signature}",
            f"{nonce}.{signature[:-1]}",
            f"{nonce}.{signature[::-1]}",
            f".{signature}",
            f"{nonce}.",
            nonce,
            signature,
            f"{signature}.{nonce}",
            f"{nonce}.{'0' * 64}",
            f"{nonce}.é",
        ]
        for given in wrong:
            header = {"Cookie": f"{name}={given}".encode()}
            assert (await http.get("/", headers=header)).status_code == 401, given
        assert (await http.get("/", headers={"Cookie": cookie})).status_code == 200


@on_loop
async def test_a_foreign_page_with_the_cookie_may_neither_look_nor_act():
    async with panel() as (server, http):
        cookie = await sign_in(server, http)
        url = server.address.replace("http", "ws") + "/ws"
        for origin in (
            "http://evil.example",
            "null",
            "http://127.0.0.1:1",
            server.address.replace("127.0.0.1", "localhost"),
        ):
            with pytest.raises(websockets.InvalidStatus) as caught:
                await connect(url, origin=origin, additional_headers={"Cookie": cookie})
            assert caught.value.response.status_code == 403
            for path in (
                "/api/estop",
                "/api/stop",
                "/api/deck",
                "/api/robots/thermostat/actions",
                "/api/deck/play",
            ):
                answer = await http.post(
                    path, json={}, headers={"Cookie": cookie, "Origin": origin}
                )
                assert answer.status_code == 403, path


@pytest.mark.parametrize("length", ["many", "-1", "1e3", "²", "9" * 5000])
@on_loop
async def test_a_length_that_is_no_number_is_refused_on_the_stream_too(length):
    async with panel() as (server, _):
        host, port = server.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), 60) as raw:
            raw.setblocking(False)
            head = f"GET /ws?token={server.token} HTTP/1.1\r\nHost: {host}:{port}\r\n"
            head += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            head += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            head += f"Content-Length: {length}\r\n\r\n"
            raw.sendall(head.encode("latin-1"))
            answer = await asyncio.get_running_loop().sock_recv(raw, 1000)
        assert int(answer.split()[1]) in (101, 400, 413), answer
