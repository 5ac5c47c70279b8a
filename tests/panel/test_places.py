"""The routes that put obstacles and robots on the map and draw zones."""

import tomllib
from contextlib import asynccontextmanager

import httpx
import pytest

from host.driving import bad, good, make_host, on_loop
from rigless.host.api.control import create_app
from rigless.panel.hub import Hub
from rigless.panel.places.routes import add_place_routes
from rigless.scenario.model.expectation import Expectation

OBSTACLES = "/api/world/obstacles"


@asynccontextmanager
async def api(target="vacuum", settings=("map_file=room_with_box",)):
    host = make_host(target, "lockstep", settings=settings)
    app, hub = create_app(host), Hub(host)
    add_place_routes(app, host, hub.zones)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
    ) as http:
        yield host, http


def obstacles(host):
    return host.sim.world.state.obstacles


@on_loop
async def test_obstacles_get_names_and_keep_their_shape():
    async with api() as (host, http):
        for number in (1, 2):
            found = await good(http.post(OBSTACLES, json={"x_m": number, "y_m": 2.0}))
            assert found == {
                "name": f"obstacle-{number}",
                "x_m": float(number),
                "y_m": 2.0,
                "theta_rad": 0.0,
            }
        box = {"name": "box", "x_m": -2.0, "y_m": 2.0, "theta_rad": 7.0, "size_m": [0.5, 0.2]}
        assert (await good(http.post(OBSTACLES, json=box)))["theta_rad"] == pytest.approx(0.7168147)
        await good(http.post(OBSTACLES, json={"name": "box", "x_m": -2.0, "y_m": 1.0}))
        assert obstacles(host)["box"].size_m == (0.5, 0.2)
        assert obstacles(host)["obstacle-1"].radius_m == 0.15
        removed = await good(http.delete(f"{OBSTACLES}?name=box"))
        assert (removed["x_m"], removed["y_m"]) == (-2.0, 1.0)
        assert list(obstacles(host)) == ["obstacle-1", "obstacle-2"]
        missing = await bad(http.delete(f"{OBSTACLES}?name=bocks"))
        assert missing["what"] == "unknown obstacle 'bocks'"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ({"x_m": 0.1, "y_m": 0.0}, "at (0.1, 0) this obstacle overlaps vacuum"),
        ({"x_m": 9.0, "y_m": 0.0}, "(9, 0) is off the map, which has x from -3.1 to 3.1"),
        ({"x_m": 3.05, "y_m": 0.0}, "at (3.05, 0) this obstacle overlaps a wall"),
    ],
)
def test_an_obstacle_that_does_not_fit_names_the_nearest_place_and_can_go_there(body, what):
    @on_loop
    async def place():
        async with api() as (host, http):
            found = await bad(http.post(OBSTACLES, json=body))
            assert found["what"].startswith(what)
            assert found["fix"].startswith("the nearest free place: x = ")
            assert not obstacles(host)
            near = await good(http.post(OBSTACLES, json={**body, "nearest": True}))
            assert found["fix"].endswith(f"x = {near['x_m']:g}, y = {near['y_m']:g}")
            assert list(obstacles(host)) == ["obstacle-1"]

    place()


@on_loop
async def test_a_robot_is_put_elsewhere_only_while_time_stands():
    async with api() as (host, http):
        path = "/api/robots/vacuum/place"
        moved = await good(http.post(path, json={"x_m": 1.5, "y_m": 2.0, "theta_rad": 1.0}))
        assert moved == {"name": "vacuum", "x_m": 1.5, "y_m": 2.0, "theta_rad": 1.0}
        await good(http.post(path, json={"x_m": -1.5, "y_m": 2.0}))  # it keeps its heading
        truth = host.sim.truth("vacuum")
        assert truth.pose == (-1.5, 2.0, 1.0)
        assert truth.odometry == (0.0, 0.0, 0.0)  # the wheels did not turn
        found = await bad(http.post(path, json={"x_m": 3.0, "y_m": 2.0}))
        assert found["what"] == "at (3, 2) it overlaps a wall"
        await good(http.post("/api/speed", json={"speed": 1}))
        found = await bad(http.post(path, json={"x_m": 1.5, "y_m": 2.0}))
        assert (found["what"], found["fix"]) == (
            "cannot be moved by hand while time runs",
            "pause",
        )


@on_loop
async def test_a_welder_has_no_other_place():
    async with api("welder", ()) as (_, http):
        found = await bad(http.post("/api/robots/welder/place", json={"x_m": 1.0, "y_m": 0.0}))
        assert found["what"] == "has no place that can be changed"


@on_loop
async def test_a_zone_is_an_expectation_of_a_scenario():
    async with api() as (_, http):
        first = await good(http.post("/api/zones", json={"x": [2.0, 1.0], "y": [0, 1.5]}))
        assert (first["name"], first["x"], first["blockable"]) == ("zone-1", [1.0, 2.0], False)
        circle = {"name": "dock", "center": [1.0, 2.0], "radius_m": 0.5, "robot": "vacuum"}
        second = await good(http.post("/api/zones", json=circle))
        reaches = []
        for zone in (first, second):
            document = tomllib.loads(zone["toml"])
            reaches.append(Expectation(**document["expect"][0]).reaches)
        assert (reaches[0].x, reaches[0].y) == ((1.0, 2.0), (0.0, 1.5))
        assert (reaches[1].center, reaches[1].radius_m) == ((1.0, 2.0), 0.5)
        found = await bad(http.post("/api/zones/block", json={"name": "dock", "on": True}))
        assert found["what"] == "no robot on this map knows forbidden zones"
        assert [zone["name"] for zone in await good(http.get("/api/zones"))] == ["zone-1", "dock"]
        left = await good(http.delete("/api/zones?name=zone-1"))
        assert [zone["name"] for zone in left] == ["dock"]
        for body in ({}, {**circle, "x": [0, 1], "y": [0, 1]}, {"x": [0, 1]}):
            assert (await bad(http.post("/api/zones", json=body)))["fix"].startswith("give x and y")
        assert (
            "no area"
            in (await bad(http.post("/api/zones", json={"x": [1, 1], "y": [0, 1]})))["what"]
        )
        assert "unknown zone" in (await bad(http.delete("/api/zones?name=bay")))["what"]
