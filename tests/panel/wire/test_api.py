"""The Wire tab's subscription and routes on a running host, and in a recording."""

import asyncio
import json
from base64 import b64decode

import httpx
from websockets.asyncio.client import connect

from host.driving import bad, good, make_host, on_loop, with_api


async def wire(socket, wanted, rows=None):
    """Receive until the rows so far satisfy a condition; return them."""
    rows = [] if rows is None else rows
    while not wanted(rows):
        message = json.loads(await asyncio.wait_for(socket.recv(), 60))
        if message["type"] == "wire":
            rows[:] = message["rows"] if message["reset"] else [*rows, *message["rows"]]
    return rows


def received(rows):
    """Return the rows without messages that had no receiver: these are in recordings only."""
    return [(row["kind"], row["text"], row["t"]) for row in rows if row["what"] != "unsent"]


def kinds(rows):
    return [row["kind"] for row in rows]


@on_loop
async def test_the_tab_on_a_running_host_and_in_a_recording(tmp_path):
    host = make_host(recordings=tmp_path)
    async with with_api(host) as server, httpx.AsyncClient(base_url=server.address) as web:
        url = server.address.replace("http", "ws") + "/ws?truth_hz=0&status=false&events=false"
        await good(web.post("/api/recording", json={"file": "run.mcap"}))
        async with connect(url) as socket:
            assert host.sim.core.listeners.wire == []
            await socket.send(json.dumps({"type": "wire", "robot": "thermostat", "serial": 4}))
            await wire(socket, lambda rows: host.sim.core.listeners.wire)
            [port] = await good(web.get("/api/robots/thermostat/schemas"))
            assert (port["port"], port["raw"], "Set" in port["types"]) == ("line", True, True)
            target = "/api/robots/thermostat/wire"
            sent = await good(web.post(target, json={"port": "line", "text": "GET"}))
            assert (sent["way"], sent["url"], len(sent["answers"])) == ("port", port["url"], 1)
            fields = {"celsius": 25.0}
            body = {"port": "line", "kind": "Set", "fields": fields}
            assert (await good(web.post(target, json=body)))["way"] == "api"
            await good(web.post(target, json={"port": "line", "hex": "ff 0a"}))
            rows = await wire(socket, lambda rows: kinds(rows).count("disconnected") == 2)
            assert kinds(rows)[:4] == ["connected", "Get", "Answer", "disconnected"]
            detail = await good(web.get(f"/api/wire/{rows[2]['n']}"))
            [answer] = detail["fields"].values()
            assert b64decode(detail["data"]).decode().strip() == answer
            asked = await good(web.get(f"/api/wire/{rows[1]['n']}"))
            assert asked["lines"]["rigless send"] == "rigless send thermostat line GET"
            past = [row for row in rows if row["what"] == "local"]
            assert [(row["kind"], row["text"]) for row in past] == [("Set", "celsius 25")]
            for request, what in (
                (web.post(target, json={"port": "line", "hex": "x"}), "hexadecimal"),
                (web.post(target, json={"port": "line"}), "one of text"),
                (web.post(target, json={"port": "no", "text": "x"}), "no"),
                (web.post(target, json={"port": "line", "kind": "No"}), "message type"),
                (web.get("/api/wire/123456"), "not there any more"),
                (web.get(f"/api/wire/{10**22}"), "not there any more"),
                (web.get(f"/api/wire/{-(10**22)}"), "not there any more"),
                (web.get("/api/wire/1?stage=recording"), "not there any more"),
            ):
                assert what in (await bad(request))["what"]
            live = received(rows)
            await good(web.delete("/api/recording"))
            await good(web.post("/api/deck", json={"file": "run.mcap"}))
            await socket.send(json.dumps({"type": "wire", "stage": "recording", "serial": 5}))
            rows = await wire(socket, lambda rows: len(received(rows)) == len(live))
            assert received(rows) == live
            assert host.sim.core.listeners.wire == []
            await socket.send(json.dumps({"type": "wire", "on": False}))
            await socket.send(json.dumps({"type": "wire", "robot": "nobody"}))
            error = json.loads(await asyncio.wait_for(socket.recv(), 60))
            while error["type"] != "error":
                error = json.loads(await asyncio.wait_for(socket.recv(), 60))
            assert "nobody" in error["problems"][0]["what"]
