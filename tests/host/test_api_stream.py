"""The WebSocket: status, truth and events; a slow client gets the number of lost events."""

import asyncio
import json
from contextlib import asynccontextmanager

import httpx
import pytest
import websockets
from websockets.asyncio.client import connect

from rigless.kernel.events import Event
from rigless.panel.stream.client import MAX_QUEUED

from .driving import DEADLINE_S, make_host, on_loop, until, with_api


@asynccontextmanager
async def streaming(query="", speed="lockstep", **options):
    host = make_host(speed=speed)
    async with with_api(host) as server:
        url = server.address.replace("http", "ws") + "/ws" + query
        listening = len(host.sim.core.listeners.event)  # the history of plots
        async with connect(url, open_timeout=DEADLINE_S, **options) as stream:
            yield host, stream, server
        await until(
            lambda: len(host.sim.core.listeners.event) == listening, "the feed to be taken down"
        )


async def first(stream, kind):
    while True:
        message = json.loads(await asyncio.wait_for(stream.recv(), DEADLINE_S))
        if message["type"] == kind:
            return message


@on_loop
async def test_status_comes_at_once_and_again():
    async with streaming("?truth_hz=0") as (host, stream, _):
        assert (await first(stream, "status"))["state"] == "lockstep"
        await host.step(1234)
        while (await first(stream, "status"))["time_s"] != 1.234:
            pass


@on_loop
async def test_truth_comes_at_the_rate_asked_for():
    async with streaming("?truth_hz=50&status=false&events=false") as (host, stream, _):
        await host.step(500)
        truth = await first(stream, "truth")
        while truth["time_s"] != 0.5:
            truth = await first(stream, "truth")
        assert truth["robots"]["thermostat"]["heating"] is True


@on_loop
async def test_events_come_as_they_happen():
    async with streaming("?truth_hz=0&status=false") as (host, stream, _):
        await until(lambda: host.sim.core.listeners.event)
        await host.step(200)
        event = await first(stream, "event")
        assert (event["code"], event["robot"], event["time_s"], event["data"]) == (
            "heater",
            "thermostat",
            0.1,
            {"on": True},
        )


@pytest.mark.parametrize(
    "query", ["?truth_hz=-1", "?truth_hz=1000", "?truth_hz=nan", "?truth_hz=x", "?events=maybe"]
)
@on_loop
async def test_a_stream_that_makes_no_sense_is_refused(query):
    with pytest.raises((websockets.InvalidStatus, websockets.ConnectionClosed)):
        async with streaming(query) as (_, stream, _server):
            await stream.recv()


@on_loop
async def test_a_client_that_does_not_read_is_told_how_much_it_lost_and_stalls_nobody():
    async with streaming("?truth_hz=0&status=false", max_queue=1, compression=None) as (
        host,
        stream,
        server,
    ):
        await until(lambda: host.sim.core.listeners.event)
        sent = 0
        for _ in range(100):  # some ten megabytes: more than the sockets hold
            for _ in range(10):
                host.sim.core.log(Event(host.sim.now_ns, "", "test", "info", "x" * 20_000))
                sent += 1
            await host.step(10)
        assert host.sim.now_ns == 1_000_000_000
        async with httpx.AsyncClient(base_url=server.address, timeout=60) as http:
            assert (await http.get("/api/status")).status_code == 200
        got = lost = 0
        while got + lost < sent:
            message = json.loads(await asyncio.wait_for(stream.recv(), DEADLINE_S))
            got += message["type"] == "event" and message["code"] == "test"
            lost += message.get("count", 0) if message["type"] == "dropped" else 0
        assert lost > 0
        assert got >= MAX_QUEUED - 5  # a busy machine's notes on its pace take places too


@on_loop
async def test_what_a_client_says_is_ignored():
    async with streaming() as (_, stream, _server):
        for noise in ("hello", b"\x00\xff" * 100, "{" * 1000):
            await stream.send(noise)
        assert await first(stream, "truth")


@on_loop
async def test_the_server_closes_with_a_client_on_the_line():
    host = make_host(speed="lockstep")
    async with with_api(host) as server:
        stream = await connect(
            server.address.replace("http", "ws") + "/ws", open_timeout=DEADLINE_S
        )
        await first(stream, "status")
    await stream.wait_closed()
    assert stream.close_code == websockets.CloseCode.SERVICE_RESTART
