"""The WebSocket over a real socket: look, drive, and bad messages, which affect no other client."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
import websockets
from websockets.asyncio.client import connect

from host.driving import make_host, on_loop, until, with_api
from rigless.panel.stream import messages
from rigless.panel.websocket import MAX_LENGTH, MAX_ROBOTS

from .harness import TROLLEY

LOOK = {"type": "look", "robots": {"trolley": 60}}


@asynccontextmanager
async def stream(query="?truth_hz=0", target=TROLLEY, **options):
    host = make_host(target, "lockstep", settings=())
    async with with_api(host) as server:
        url = server.address.replace("http", "ws") + "/ws" + query
        async with connect(url, **options) as socket:
            yield host, server.hub, socket


async def say(socket, message):
    await socket.send(json.dumps(message))


async def first(socket, kind):
    """Return the next message of a kind; binary ones are 'frame' and 'history'."""
    while True:
        data = await asyncio.wait_for(socket.recv(), 60)
        if isinstance(data, bytes):
            found = messages.unpack(data)
            if {messages.FRAME: "frame", messages.HISTORY: "history", messages.MORE: "more"}[
                found[0]
            ] == kind:
                return found
        elif (message := json.loads(data))["type"] == kind:
            return message


async def problem(socket):
    return (await first(socket, "error"))["problems"][0]


@on_loop
async def test_a_subscriber_gets_the_page_the_history_and_frames():
    async with stream() as (host, _, socket):
        await host.step(500)
        await say(socket, LOOK)
        page = await first(socket, "page")
        history, frame = await first(socket, "history"), await first(socket, "frame")
        assert (page["robot"], page["stage"], page["id"]) == ("trolley", "live", frame[1])
        assert (history[4], frame[4], sorted(frame[5])) == (0.5, 0.5, [0, 1, 2, 3, 4])
        await host.step(500)
        assert (await first(socket, "frame"))[4] > 0.5
        await say(socket, {"type": "look", "robots": {}})
        await until(lambda: len(host.sim.core.samples) == 1)  # that of the signals


@on_loop
async def test_driving_over_the_socket_ends_with_it():
    async with stream() as (host, hub, socket):
        robot = host.sim.robots["trolley"]
        await say(socket, {"type": "drive", "robot": "trolley", "axes": [1, 0, -0.5]})
        await until(lambda: robot.state.speed == (1.0, 0.0, -0.5))
        await socket.close()
        await until(lambda: robot.state.speed == (0.0, 0.0, 0.0))
        await until(lambda: not hub.clients)


@pytest.mark.parametrize(
    "axes",
    [[1.001, 0, 0], [0, -2, 0], [0, 0], [0, 0, 0, 0], ["1", 0, 0], [None] * 3, [1e308, 0, 0]],
)
@on_loop
async def test_driving_beyond_the_axes_is_refused(axes):
    async with stream() as (host, _, socket):
        await say(socket, {"type": "drive", "robot": "trolley", "axes": axes})
        assert (await problem(socket))["where"] == "message"
        assert host.sim.robots["trolley"].state.speed == (0.0, 0.0, 0.0)


REFUSED = [
    "",
    "hello",
    "{",
    "[]",
    "null",
    "7",
    '{"type": "sing"}',
    '{"type": "look"}',
    b"\x00\xff" * 100,
    b'{"type": "drive", "robot": "\xff", "axes": [0, 0, 0]}',
    "[" * 100_000,
    '"\\ud800"',
    '{"type": "look", "robots": {"trolley": 61}}',
    '{"type": "look", "robots": {"trolley": 60.0}}',
    '{"type": "look", "robots": {"trolley": true}}',
    '{"type": "look", "robots": ["trolley"]}',
    '{"type": "look", "robots": {}, "more": 1}',
    '{"type": "look", "robots": {"troley": 60}}',
    '{"type": "look", "robots": {"trolley": 60}, "stage": "opera"}',
    '{"type": "look", "robots": {"trolley": 60}, "stage": "recording"}',
    '{"type": "drive", "robot": "nobody", "axes": [0, 0, 0]}',
    '{"type": "drive", "robot": "trolley", "axes": [NaN, 0, 0]}',
    json.dumps({"type": "look", "robots": {f"r{n}": 60 for n in range(MAX_ROBOTS + 1)}}),
    json.dumps({"type": "look", "robots": {f"r{n}": 60 for n in range(30_000)}}),
    json.dumps({"type": "look", "robots": {"x" * 900_000: 60}}),
    json.dumps({"type": "x" * 900_000}),
    json.dumps({"type": "look", "robots": {}, "y" * 900_000: 1}),
    '{"type": "look", "robots": ' + '{"a":' * 50_000,
]


@on_loop
async def test_bad_messages_get_a_short_error_and_change_nothing():
    async with stream() as (_, hub, socket):
        await say(socket, LOOK)
        await first(socket, "frame")
        (client,) = hub.clients
        before = dict(client.streams)
        for message in REFUSED:
            await socket.send(message)
            told = await problem(socket)
            assert told["what"], message[:80]
            assert "its view failed" not in told["what"], message[:80]
            assert len(told["what"]) <= 2 * MAX_LENGTH, message[:80]
        assert client.streams == before
        assert await first(socket, "status")


@on_loop
async def test_an_unknown_robot_is_reported_with_a_suggestion():
    async with stream() as (_, _hub, socket):
        await say(socket, {"type": "look", "robots": {"troley": 60}})
        assert (await problem(socket))["fix"] == "did you mean 'trolley'?"
        await say(socket, {"type": "look", "robots": {"trolley": 60}, "stage": "opera"})
        assert "live, recording" in (await problem(socket))["fix"]
        await say(socket, {"type": "look", "robots": {"trolley": 60}, "stage": "recording"})
        told = await problem(socket)
        assert (told["where"], told["what"], told["fix"]) == (
            "recording",
            "no recording is open",
            "open one first",
        )


@on_loop
async def test_a_message_that_is_too_large_ends_only_its_own_connection():
    async with stream() as (_, hub, socket):
        async with connect(
            f"ws://{socket.remote_address[0]}:{socket.remote_address[1]}/ws"
        ) as other:
            await other.send("x" * (2 << 20))
            with pytest.raises(websockets.ConnectionClosed):
                await first(other, "what never comes")
        await until(lambda: len(hub.clients) == 1)
        assert await first(socket, "status")


@on_loop
async def test_a_view_that_fails_when_it_is_driven_is_answered():
    async with stream() as (host, hub, socket):
        hub.view("trolley").drive = lambda *axes: 1 // 0
        await say(socket, {"type": "drive", "robot": "trolley", "axes": [1, 0, 0]})
        assert "ZeroDivisionError" in (await problem(socket))["what"]
        await say(socket, LOOK)
        assert await first(socket, "frame")
        assert host.state == "lockstep"


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("?status=false&truth_hz=50", "status"),
        ("?truth_hz=0", "truth"),
        ("?events=false&truth_hz=0", "event"),
    ],
)
@on_loop
async def test_a_client_gets_what_its_url_asks_for(query, missing):
    async with stream(query) as (host, _, socket):
        await say(socket, LOOK)
        await first(socket, "page")
        seen = set()
        for _ in range(20):
            host.sim.robots["trolley"].event("test", "a test")
            await host.step(20)
            data = await asyncio.wait_for(socket.recv(), 60)
            seen.add("picture" if isinstance(data, bytes) else json.loads(data)["type"])
        assert missing not in seen
        assert {"status", "truth", "event"} & seen
