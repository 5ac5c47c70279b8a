"""The panel's HTTP routes: pages, actions, emergency stop, and the map."""

from contextlib import asynccontextmanager

import httpx
import numpy as np
import pytest

from host.driving import bad, good, make_host, on_loop
from rigless.host.api.control import create_app
from rigless.panel.actions import add_action_routes
from rigless.panel.hub import Hub

from .harness import THERMOSTAT, TROLLEY


@asynccontextmanager
async def api(target=TROLLEY, settings=()):
    host = make_host(target, "lockstep", settings=settings)
    app = create_app(host)
    add_action_routes(app, Hub(host))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
    ) as http:
        yield host, http


@on_loop
async def test_the_page_of_a_robot_is_data():
    async with api() as (_, http):
        page = await good(http.get("/api/robots/trolley/page"))
        assert [part["kind"] for part in page["parts"]][:4] == ["Disc", "Points", "Path", "Trail"]
        assert (page["measures"], page["traces"]) == (["x", "stopped", "y"], ["trail"])
        assert "did you mean 'trolley'" in (await bad(http.get("/api/robots/troley/page")))["fix"]


@on_loop
async def test_a_robot_without_a_view_has_a_page():
    async with api(THERMOSTAT) as (_, http):
        page = await good(http.get("/api/robots/thermostat/page"))
        assert {"temperature_c", "heating"} <= set(page["measures"])


@on_loop
async def test_an_action_is_done_and_an_unknown_one_is_reported():
    async with api() as (host, http):
        assert (await good(http.post("/api/robots/trolley/actions", json={"name": "beep"})))[
            "name"
        ] == "trolley"
        assert host.sim.robots["trolley"].state.speed == (0.0, 0.0, 1.0)
        for name in ("bep", "drive", "estop", ""):
            assert (await bad(http.post("/api/robots/trolley/actions", json={"name": name})))["fix"]
        assert (await bad(http.post("/api/robots/nobody/actions", json={"name": "beep"})))["what"]


@on_loop
async def test_a_slider_is_set_within_its_range():
    async with api() as (host, http):
        for name, value in (("x", 0), ("x", 100), ("x", 37), ("y", 3)):
            assert (
                await good(
                    http.post("/api/robots/trolley/sliders", json={"name": name, "value": value})
                )
            )["name"]
            assert host.sim.robots["trolley"].input["horn"] == value
        for name, value in (("x", -1), ("x", 100.5), ("y", 2), ("z", 5), ("beep", 5), ("x", "far")):
            wrong = await bad(
                http.post("/api/robots/trolley/sliders", json={"name": name, "value": value})
            )
            assert wrong["what"]
        assert host.sim.robots["trolley"].input["horn"] == 3


@on_loop
async def test_the_emergency_stop_of_all_or_one():
    async with api() as (host, http):
        assert await good(http.post("/api/estop", json={})) == {"on": True, "robots": ["trolley"]}
        assert host.sim.robots["trolley"].input["estop"] is True
        body = {"on": False, "robot": "trolley"}
        assert await good(http.post("/api/estop", json=body)) == {
            "on": False,
            "robots": ["trolley"],
        }
        assert host.sim.robots["trolley"].input["estop"] is False
        for wrong in ({"on": 0}, {"on": "so"}, {"robot": "troley"}, {"robot": 5}, {"of": True}):
            assert (await bad(http.post("/api/estop", json=wrong)))["what"]


@on_loop
async def test_without_an_emergency_stop_there_is_something_else_to_do():
    async with api(THERMOSTAT) as (_, http):
        assert (await bad(http.post("/api/estop", json={})))["fix"] == "pause instead"


@on_loop
async def test_an_open_plane_has_things_but_no_cells():
    async with api() as (_, http):
        world = await good(http.get("/api/world"))
        assert world["grid"] is None
        assert [thing["name"] for thing in world["things"]] == ["trolley"]
        assert "open plane" in (await bad(http.get("/api/world/cells")))["what"]


@on_loop
async def test_the_map_has_its_size_and_cells():
    async with api("vacuum", ["ports.commands=0"]) as (host, http):
        grid = (await good(http.get("/api/world")))["grid"]
        cells = await http.get("/api/world/cells")
        assert cells.headers["content-type"] == "application/octet-stream"
        marks = np.frombuffer(cells.content, np.uint8).reshape(grid["height"], grid["width"])
        found = host.sim.world.grid
        assert (grid["resolution_m"], grid["origin"]) == (found.resolution_m, list(found.origin))
        for mark, layer in ((1, found.occupied), (2, found.unknown), (4, found.cliff)):
            assert np.array_equal(marks & mark > 0, layer)
        assert marks.max() < 8


@pytest.mark.parametrize("path", ["/api/world", "/api/world/cells"])
@on_loop
async def test_a_recording_that_is_not_open_has_no_world(path):
    async with api() as (_, http):
        assert (
            "no recording is open"
            in (await bad(http.get(path, params={"stage": "recording"})))["what"]
        )
        await bad(http.get(path, params={"stage": "opera"}))


@on_loop
async def test_obstacles_are_things_that_are_no_robots(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(
        f'[world]\n[[world.obstacles]]\nname = "box"\nradius_m = 0.5\nx = 2.0\ny = 1.0\n'
        f'[[robots]]\nname = "a"\nkind = "{TROLLEY}"\n[[robots]]\nname = "b"\nkind = "{TROLLEY}"\n'
    )
    async with api(scene) as (_, http):
        things = {thing["name"]: thing for thing in (await good(http.get("/api/world")))["things"]}
        assert {name: thing["robot"] for name, thing in things.items()} == {
            "box": False,
            "a": True,
            "b": True,
        }
        assert (things["box"]["radius_m"], things["box"]["pose"][:2]) == (0.5, [2, 1])


@on_loop
async def test_the_map_of_a_warehouse_has_its_lanes_and_places():
    settings = ["world.map=warehouse_100", "ports.nats=0"]
    async with api("agv", settings) as (host, http):
        layout = (await good(http.get("/api/world")))["grid"]["layout"]
        first = host.sim.world.layout.edges[0].nodes
        nodes = {node.id: [node.x, node.y] for node in host.sim.world.layout.nodes}
        assert layout["lanes"][0] == {"points": [nodes[node] for node in first], "both": False}
        kinds = {place["kind"] for place in layout["places"]}
        assert kinds == {"parking", "charger", "station", "lift"}
        assert {"id": "P001", "kind": "parking", "pose": [0.0, -2.0, 1.5708]} in layout["places"]
