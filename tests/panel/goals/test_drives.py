"""Robots of each kind are sent to a place over their own wire, and the driver yields to clients."""

import asyncio
import math

import pytest

from host.driving import bad, good, on_loop, until
from rigless.recordings.replay import verify

from .scenes import ended, scene


@pytest.mark.parametrize(
    ("kind", "goal", "near_m"),
    [
        ("vacuum", (-2.0, 2.0, 1.0), 0.06),
        ("pacbot", (0.44, 0.44, None), 0.03),
        ("rover", (-2.0, 2.0, 1.0), 0.1),
        ("agv", (1.5, 1.0, 1.0), 0.001),
    ],
)
def test_a_robot_goes_to_a_place_over_its_own_wire(kind, goal, near_m, tmp_path):
    @on_loop
    async def drive():
        async with scene(kind, tmp_path) as (host, http):
            peers = []
            inputs = host.sim.core.listeners.input
            inputs.append(lambda time_ns, given, source: peers.append(given))
            x, y, theta = goal
            path = f"/api/robots/{kind}/goal"
            body = {"x_m": x, "y_m": y, "theta_rad": theta}
            given = await good(http.post(path, json=body))
            assert given["state"] in ("starting", "driving")
            assert given["route"][-1] == [x, y]
            found = await ended(http, kind)
            assert (found["state"], found["text"][:3]) == ("arrived", "at "), found
            px, py, heading = host.sim.truth(kind).pose
            assert math.dist((px, py), (x, y)) < near_m
            if theta is not None:
                assert abs(math.remainder(heading - theta, math.tau)) < 0.1
            kinds = {type(given).__name__ for given in peers if getattr(given, "robot", "") == kind}
            assert "Arrive" in kinds  # on the wire
            assert "Send" not in kinds  # and not past it

    drive()


@on_loop
async def _yields(folder):
    async with scene("vacuum", folder) as (host, http):
        path = "/api/robots/vacuum/goal"
        await good(http.post(path, json={"x_m": -2.0, "y_m": 2.0}))
        await until(lambda: bool(host.live), "the driver is connected")
        shown = await good(http.get(path))
        await until(lambda: host.sim.truth("vacuum").velocity[0] > 0.05, "it drives")
        await good(http.post("/api/pause"))  # so that it does not arrive meanwhile
        url = host.urls["vacuum", "commands"].removeprefix("tcp://").rpartition(":")
        other = await asyncio.create_subprocess_exec(
            "python3", "-c", f"import socket; s = socket.create_connection(('{url[0]}', {url[2]}));"
            "print(s.getsockname()[1], flush=True); s.setblocking(False); input()\n"
            "try: print(repr(s.recv(1)))\nexcept BlockingIOError: print('still connected')",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            number = (await other.stdout.readline()).decode().strip()
            found = await ended(http, "vacuum")
            assert found["state"] == "stopped"
            assert found["text"] == f"yields: 127.0.0.1:{number} uses vacuum/commands"
            assert shown["client"].startswith("127.0.0.1:")
            assert [link[2] for link in host.live.values()] == [f"127.0.0.1:{number}"]
            assert "another client is connected" not in str(list(host.sim.events))
        finally:
            out, _ = await other.communicate(b"\n")
        assert out.decode().strip() == "still connected"  # the driver left before it came


def test_the_driver_yields_to_a_client_of_another_process(tmp_path):
    _yields(tmp_path)


@on_loop
async def _refusals(folder):
    async with scene("vacuum", folder) as (host, http):
        path = "/api/robots/vacuum/goal"
        found = await bad(http.post(path, json={"x_m": 99.0, "y_m": 0.0}))
        assert found["where"] == "vacuum"
        assert found["what"].startswith("(99, 0) is off the map, which has x from -3.1 to 3.1")
        assert found["fix"].startswith("the nearest place: x = ")
        assert (await good(http.get(path)))["state"] == "idle"
        await good(http.post("/api/robots/vacuum/inputs", json={"inputs": {"estop": True}}))
        found = await bad(http.post(path, json={"x_m": -2.0, "y_m": 0.0}))
        assert found["what"] == "its emergency stop is on"
        await good(http.post("/api/robots/vacuum/inputs", json={"inputs": {"estop": False}}))
        near = await good(http.post(path, json={"x_m": 99.0, "y_m": 0.0, "nearest": True}))
        assert near["x_m"] < 3.0
        await until(lambda: bool(host.live), "the driver is connected")
        await good(http.post("/api/robots/vacuum/inputs", json={"inputs": {"estop": True}}))
        assert (await ended(http, "vacuum"))["text"] == "the emergency stop is on"
        await good(http.post("/api/robots/vacuum/inputs", json={"inputs": {"estop": False}}))
        await good(http.post(path, json={"x_m": -2.0, "y_m": 0.0}))
        assert (await good(http.delete(path)))["state"] == "stopped"
        await until(lambda: not host.live, "the driver is still connected")
        await good(http.post("/api/speed", json={"speed": "fast"}))
        assert "fast time" in (await bad(http.post(path, json={"x_m": -2.0, "y_m": 0.0})))["what"]


def test_a_goal_that_cannot_be_is_refused_with_a_sentence(tmp_path):
    _refusals(tmp_path)


@on_loop
async def _blocked(folder):
    async with scene("vacuum", folder) as (host, http):
        await good(http.post("/api/robots/vacuum/goal", json={"x_m": -2.5, "y_m": 0.0}))
        await until(lambda: host.sim.truth("vacuum").velocity[0] > 0.05, "it drives")
        await good(http.post("/api/pause"))  # so that it does not arrive meanwhile
        wall = {"x_m": -1.6, "y_m": 0.0, "size_m": [0.2, 5.99], "robot": "vacuum"}
        await good(http.post("/api/world/obstacles", json=wall))
        await good(http.post("/api/resume"))
        found = {"state": ""}
        while found["state"] != "blocked":
            found = await good(http.get("/api/robots/vacuum/goal"))
            await asyncio.sleep(0.02)
        assert found["text"].startswith("there is no way for a robot 0.34 m wide")
        await good(http.delete("/api/world/obstacles?name=obstacle-1&robot=vacuum"))
        assert (await ended(http, "vacuum"))["state"] == "arrived"
        pose = host.sim.truth("vacuum").pose
        assert math.dist(pose[:2], (-2.5, 0.0)) < 0.06


def test_the_way_is_planned_again_when_an_obstacle_was_moved(tmp_path):
    _blocked(tmp_path)


@on_loop
async def _recorded(folder):
    async with scene("vacuum", folder) as (host, http):
        await good(http.post("/api/recording", json={"file": "goals"}))
        await good(http.post("/api/robots/vacuum/goal", json={"x_m": -1.5, "y_m": 0.5}))
        crate = {"x_m": 1.0, "y_m": -2.0, "size_m": [0.3, 0.4], "robot": "vacuum"}
        await good(http.post("/api/world/obstacles", json=crate))
        assert (await ended(http, "vacuum"))["state"] == "arrived"
        await good(http.post("/api/pause"))
        await good(http.post("/api/robots/vacuum/place", json={"x_m": 2.0, "y_m": -2.0}))
        await good(http.post("/api/resume"))
        crate = {"name": "obstacle-1", "x_m": 1.2, "y_m": -2.3, "robot": "vacuum"}
        await good(http.post("/api/world/obstacles", json=crate))
        saved = await good(http.post("/api/snapshots", json={"name": "crate"}))
        assert saved["name"] == "crate"
        now_ns = host.sim.now_ns
        await until(lambda: host.sim.now_ns > now_ns + 10**9, "time stands still")
        await good(http.delete("/api/recording"))
        # A snapshot has the robot and the obstacle where they were put.
        await good(http.delete("/api/world/obstacles?name=obstacle-1&robot=vacuum"))
        await good(http.post("/api/restore", json={"name": "crate"}))
        things = (await good(http.get("/api/world?robot=vacuum")))["things"]
        assert things[0]["pose"] == [1.2, -2.3, 0.0]
        assert math.dist(things[1]["pose"][:2], (2.0, -2.0)) < 0.05


def test_goals_and_placed_things_replay_with_the_same_bytes(tmp_path):
    _recorded(tmp_path)
    found = verify(tmp_path / "goals.mcap")
    assert found.difference is None, found.difference
    assert found.records > 1000


@on_loop
async def _zone(folder):
    async with scene("agv", folder) as (host, http):
        zone = {"name": "gate", "robot": "agv", "x": [2.0, 3.0], "y": [-1.0, 1.0]}
        drawn = await good(http.post("/api/zones", json=zone))
        assert (drawn["blockable"], drawn["blocked"]) == (True, [])
        found = await good(http.post("/api/zones/block", json={"name": "gate", "on": True}))
        assert found["blocked"] == ["agv"]
        state = host.sim.robots["agv"].state.traffic
        await until(lambda: "panel-gate" in state.zones, "the zone is not blocked")
        await good(http.post("/api/robots/agv/goal", json={"x_m": 5.0, "y_m": 0.0}))
        await until(lambda: bool(state.blocked), "it does not stop")
        text = (await good(http.get("/api/robots/agv/goal")))["text"]
        assert text == "waits before the forbidden zone panel-gate"
        await good(http.delete("/api/zones?name=gate"))
        assert (await ended(http, "agv"))["state"] == "arrived"
        assert not state.zones


def test_a_zone_is_forbidden_to_an_agv_over_its_wire(tmp_path):
    _zone(tmp_path)
