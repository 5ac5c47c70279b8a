"""The stream of all robots for the fleet page, and actions on many robots."""

from contextlib import asynccontextmanager

import httpx
import numpy as np
import pytest

from host.driving import bad, good, make_host, on_loop
from rigless.host.api.control import create_app
from rigless.kernel.drawing import Summary
from rigless.kernel.inputs import Send
from rigless.panel import hub as hub_module
from rigless.panel.fleet import feed as feed_module
from rigless.panel.fleet.routes import add_fleet_routes
from rigless.panel.hub import Hub
from rigless.panel.stream import messages

from .harness import THERMOSTAT, TROLLEY, harness

NUMBERS = 1


@pytest.fixture
def mixed(tmp_path):
    """Two robots that share a plane, and one without a place."""
    path = tmp_path / "mixed.toml"
    robots = [("one", TROLLEY), ("two", TROLLEY), ("warm", THERMOSTAT)]
    path.write_text(
        "".join(f'[[robots]]\nname = "{name}"\nkind = "{kind}"\n' for name, kind in robots)
    )
    return str(path)


def blocks(client):
    return [
        messages.unpack(block) for block in client.socket.blocks if block[0] == feed_module.KIND
    ]


def drive(here, robot, speed=1.0):
    fields = {"forward": speed, "left": 0.0, "turn": 0.0}
    here.host.apply(Send(robot, "box", "Go", fields))


@on_loop
async def test_all_robots_come_in_one_block_and_words_only_after_a_change(mixed):
    async with harness(mixed) as here:
        client = here.come()
        here.hub.fleet.subscribe(client, "live", 30)
        drive(here, "two")
        await here.wall.go(2)
        first, *others = client.socket.of("fleet")
        assert first["first"]
        assert [row["name"] for row in first["rows"]] == ["one", "two", "warm"]
        assert [row["world"] for row in first["rows"]] == [0, 0, 1]
        assert not any(row for other in others for row in other["rows"])
        found = blocks(client)
        assert 55 <= len(found) <= 62
        places = found[-1][5][0].reshape(3, 3)
        assert places[0].tolist() == [0, 0, 0]
        assert places[1][0] > 0.5
        assert np.isnan(places[2]).all()  # a thermostat has no place
        assert 2 in found[0][5]
        assert not any(2 in block[5] for block in found[1:])
        assert sum(NUMBERS in block[5] for block in found) < 15  # five times per second
        here.host.sim.robots["one"].input["estop"] = True
        client.socket.clear()
        await here.wall.go(0.5)
        assert [(r["name"], r["stop"]) for f in client.socket.of("fleet") for r in f["rows"]] == [
            ("one", True)
        ]


@on_loop
async def test_nothing_is_sent_twice_while_all_stand_still(mixed):
    async with harness(mixed) as here:
        client = here.come()
        here.still = True
        here.hub.fleet.subscribe(client, "live", 30)
        await here.wall.go(1)
        client.socket.clear()
        await here.wall.go(2)
        assert len(blocks(client)) <= 11  # the table alone
        here.hub.fleet.subscribe(client, "live", 0)
        client.socket.clear()
        await here.wall.go(1)
        assert client.socket.blocks == []
        assert not here.hub.fleet.active


@on_loop
async def test_pictures_thin_out_when_reading_is_dear_and_the_message_says_so(mixed, monkeypatch):
    spent = iter(range(1_000_000))  # each reading takes 0.019 s of computing time
    monkeypatch.setattr(feed_module.time, "thread_time", lambda: 0.019 * next(spent))
    async with harness(mixed) as here:
        client = here.come()
        here.hub.fleet.subscribe(client, "live", 30)
        drive(here, "two")
        await here.wall.go(3)
        told = client.socket.of("fleet")[-1]
        assert told["hz"] == 60 / 8
        assert told["asked_hz"] == 30
        assert told["cost_ms"] == pytest.approx(19)
        assert len({b[2] for b in blocks(client) if b[4] > 1.0}) == pytest.approx(15, abs=3)


@on_loop
async def test_the_age_of_the_last_message_and_the_summary_are_numbers(monkeypatch):
    async with harness() as here:
        client = here.come()
        here.hub.fleet.subscribe(client, "live", 30)
        drive(here, "trolley")
        view = here.hub.view("trolley")
        monkeypatch.setattr(type(view), "summary", lambda self: Summary(0.5, 81.0, "carry"))
        await here.wall.go(0.5)
        speed, battery, age = next(b[5][NUMBERS] for b in blocks(client)[::-1] if NUMBERS in b[5])
        assert (speed, battery) == (0.5, 81.0)
        assert np.isnan(age)
        reading = here.hub.fleet._readings["live"]
        reading.rows._sent_ns["trolley"] = here.host.sim.now_ns
        await here.wall.go(1.0)
        age = next(b[5][NUMBERS][2] for b in blocks(client)[::-1] if NUMBERS in b[5])
        assert age == pytest.approx(0.9, abs=0.15)
        assert [r["task"] for f in client.socket.of("fleet") for r in f["rows"]][-1] == "carry"


@on_loop
async def test_a_view_that_fails_is_told_in_its_line(monkeypatch, mixed):
    async with harness(mixed) as here:
        client = here.come()
        view = type(here.hub.view("one"))
        monkeypatch.setattr(view, "summary", lambda self: 1 / 0)
        monkeypatch.setattr(view, "place", lambda self: 1 / 0)
        here.hub.fleet.subscribe(client, "live", 30)
        await here.wall.go(0.3)
        rows = client.socket.of("fleet")[0]["rows"]
        assert "ZeroDivisionError" in rows[0]["error"]
        assert rows[2]["error"] == ""


@on_loop
async def test_of_many_robots_only_some_statuses_list_them(mixed, monkeypatch):
    monkeypatch.setattr(hub_module, "MANY_ROBOTS", 2)
    async with harness(mixed) as here:
        client = here.come()
        await here.wall.go(3)
        found = client.socket.of("status")
        listed = [one for one in found if "robots" in one]
        assert len(found) == pytest.approx(30, abs=2)
        assert 3 <= len(listed) <= 5
        assert "robots" in found[0]
        client.socket.clear()
        here.hub.emergency_stop(True)
        await here.wall.go(0.2)
        assert any(r["stop"] for s in client.socket.of("status") for r in s.get("robots", ()))


@asynccontextmanager
async def api(target):
    host = make_host(target, "lockstep", settings=["warm.ports.line=0"])
    app, hub = create_app(host), Hub(host)
    add_fleet_routes(app, hub)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
    ) as http:
        yield host, http


@on_loop
async def test_many_are_stopped_and_the_others_named(mixed):
    async with api(mixed) as (host, http):
        names = ["one", "two", "warm", "two", "nobody"]
        found = await good(http.post("/api/fleet/estop", json={"robots": names}))
        assert found["done"] == ["one", "two"]
        assert [one["robot"] for one in found["failed"]] == ["warm", "nobody"]
        assert all(one["problem"] for one in found["failed"])
        assert host.sim.robots["one"].input["estop"]
        assert host.sim.robots["two"].input["estop"]
        await good(http.post("/api/fleet/estop", json={"robots": ["two"], "on": False}))
        assert host.sim.robots["one"].input["estop"]
        assert not host.sim.robots["two"].input["estop"]
        assert (await bad(http.post("/api/fleet/estop", json={"robots": []})))["what"]


@on_loop
async def test_actions_and_faults_go_to_many(mixed):
    async with api(mixed) as (host, http):
        body = {"robots": ["one", "two", "warm"], "name": "beep"}
        found = await good(http.post("/api/fleet/actions", json=body))
        assert found["done"] == ["one", "two"]
        assert found["failed"][0]["robot"] == "warm"
        assert host.sim.robots["two"].state.speed == (0.0, 0.0, 1.0)
        fault = {"target": "box", "kind": "drop", "for_s": 2.0}
        body = {"robots": ["one", "two"], **fault}
        host.sim.run(5)
        assert len((await good(http.post("/api/fleet/faults", json=body)))["done"]) == 2
        assert host.sim.robots["one"].faults
        host.sim.run(1.5)
        assert host.sim.robots["one"].faults
        host.sim.run(1.0)
        assert not host.sim.robots["one"].faults
        await good(http.post("/api/fleet/faults", json={**body, "for_s": None}))
        await good(http.post("/api/fleet/clear", json={"robots": ["one"]}))
        assert not host.sim.robots["one"].faults
        assert host.sim.robots["two"].faults
