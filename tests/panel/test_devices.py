"""The routes of doors, lifts and conveyors."""

from contextlib import asynccontextmanager

import httpx
import pytest

from host.driving import bad, good, make_host, on_loop
from rigless.host.api.control import create_app
from rigless.panel.places.devices import add_device_routes
from robots.agv.test_devices import opened

DEVICES = "/api/world/devices"


@asynccontextmanager
async def api(target, settings=()):
    host = make_host(target, "lockstep", settings=settings)
    app = create_app(host)
    add_device_routes(app, host)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
    ) as http:
        yield host, http


async def states(http):
    return {one["name"]: one["state"] for one in await good(http.get(DEVICES))}


@on_loop
async def test_doors_lifts_and_conveyors_are_listed_and_set(tmp_path):
    opened(tmp_path)  # writes the scenario and its layout
    async with api(tmp_path / "scenario.toml") as (host, http):
        found = await states(http)
        assert found["gate"] == "closed"
        assert found["lift-1"] == "at floor 0"
        belt = next(name for name in found if host.sim.world.conveyors.get(name))
        assert (await good(http.post(DEVICES, json={"name": "gate", "open": True})))[
            "state"
        ] == "opens"
        sent = await good(http.post(DEVICES, json={"name": "lift-1", "floor": "1"}))
        assert (sent["state"], sent["floor"]) == ("goes from floor 0 to 1", None)
        stopped = await good(http.post(DEVICES, json={"name": belt, "running": False}))
        assert (stopped["running"], stopped["state"][:7]) == (False, "stopped")
        host.sim.run(20.0)
        found = await states(http)
        assert (found["gate"], found["lift-1"]) == ("open", "at floor 1")
        lift = host.sim.world.state.lifts["lift-1"]
        lift.target, lift.end_ns = 0, host.sim.now_ns  # nothing has looked at it since
        assert (await states(http))["lift-1"] == "at floor 0"
        assert lift.end_ns == host.sim.now_ns
        lift.end_ns = 0
        broken = await good(http.post(DEVICES, json={"name": "lift-1", "running": False}))
        assert broken["state"] == "at floor 1, out of order"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ({"name": "gte", "open": True}, "unknown device 'gte'"),
        ({"name": "gate", "running": True}, "cannot set running"),
        ({"name": "gate"}, "cannot set nothing"),
        ({"name": "lift-1", "floor": "7"}, "unknown floor '7'"),
        ({"name": "lift-1", "open": True}, "cannot set open"),
        ({"name": "lift-1", "floor": "1", "running": True}, "cannot set floor, running"),
    ],
)
@on_loop
async def test_what_a_device_cannot_do_is_refused(body, what, tmp_path):
    opened(tmp_path)
    async with api(tmp_path / "scenario.toml") as (_, http):
        assert (await bad(http.post(DEVICES, json=body)))["what"] == what


@on_loop
async def test_a_world_without_a_layout_has_no_devices():
    async with api("vacuum") as (_, http):
        assert await good(http.get(DEVICES)) == []
        refused = await bad(http.post(DEVICES, json={"name": "gate", "open": True}))
        assert refused["what"] == "the world has no devices"
