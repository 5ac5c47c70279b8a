"""`rigless run agv --processes 2`: one fleet in several processes on a real NATS server."""

import asyncio
import json
import os
import signal
import urllib.error
import urllib.request
from contextlib import asynccontextmanager, suppress

import pytest

import reserved
from nats_servers import Server
from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.host.shards import exchange
from rigless.kernel.inputs import PlaceRobot
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target

from .agv_backend import Backend
from .agv_scenes import on_loop, until

SEES = "runtime.simulationProfile.robotsAreObstacles=true"


def status(url):
    with urllib.request.urlopen(f"{url}/api/status") as reply:
        return json.load(reply)


def door_1(url):
    with urllib.request.urlopen(f"{url}/api/world/devices") as reply:
        return next(one for one in json.load(reply) if one["name"] == "door-1")


def post(url, body):
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return [int(word) for word in children.read().split()]


def command_of(pid):
    with open(f"/proc/{pid}/cmdline") as line:
        return line.read().split("\0")


def shard_process(parent, shard):
    """Return the process of a shard, or None while there is none."""
    for pid in children_of(parent):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            if shard in command_of(pid):
                return pid
    return None


def pose_of(backend):
    states = backend.of("state")
    return states[-1].payload["pose"] if states else None


@on_loop
async def test_a_fleet_in_two_processes_one_of_which_dies(tmp_path, rigless_process):
    panel = reserved.port()
    with Server(tmp_path) as server:
        words = ["run", "agv", "--count", 4, "--processes", 2, "--set", f"ports.nats={server.port}"]
        words += ["--panel", f"127.0.0.1:{panel}", "--no-auth", "--set", SEES]
        words += ["--record", tmp_path / "fleet.mcap", "--state", tmp_path / "state"]
        running = await asyncio.to_thread(rigless_process, *words, fresh=True)
        url = f"http://127.0.0.1:{panel}"
        async with await Backend.connect(server.url, robot="agv-2") as backend:
            await backend.until(lambda: backend.of("state"), "a state of agv-2")
            start = pose_of(backend)
            await backend.command("MOVE", x=start["x"] + 0.5, y=start["y"])
            opened = await backend.command("OPEN_DOOR", doorId="door-1")
            await backend.until_ended()
            await backend.until(
                lambda: abs(pose_of(backend)["x"] - start["x"] - 0.5) < 0.01, "a state at the goal"
            )
            # the panel of the parent, which steps no robot, shows all of them
            found = await asyncio.to_thread(status, url)
            assert [robot["name"] for robot in found["robots"]] == [f"agv-{n}" for n in range(1, 5)]
            assert backend.ended(opened)[0]["status"] == "SUCCEEDED"
            assert (await asyncio.to_thread(door_1, url))["open"]
            # and passes on what it is given for them; it cannot pause them
            await asyncio.to_thread(
                post, f"{url}/api/robots/agv-2/inputs", {"inputs": {"estop": True}}
            )
            await backend.until(
                lambda: backend.of("state")[-1].payload["safety"]["estop"] == "MANUAL", "a stop"
            )
            # a state that was published after the end of the move: here the robot stands
            there = pose_of(backend)
            with pytest.raises(urllib.error.HTTPError, match="422"):
                await asyncio.to_thread(post, f"{url}/api/pause", {})
            dead = shard_process(running.popen.pid, "2/2")
            os.kill(dead, signal.SIGKILL)
            boots = {one.envelope["bootId"] for one in backend.of("state")}
            await backend.until(
                lambda: backend.of("state")[-1].envelope["bootId"] not in boots, "another boot"
            )
            again = backend.of("state")[-1]
            assert again.payload["pose"] == there  # where the other shard last saw it
            others = await backend.stream.get_last_msg("ROBOT_STATE", "robot.agv-1.state")
            here_s = json.loads(others.data)["sim"]["simTimeS"]
            assert abs(again.envelope["sim"]["simTimeS"] - here_s) < 30.0  # the same time zero
            assert again.envelope["sim"]["simTimeS"] > 1.0
        process = shard_process(running.popen.pid, "2/2")
        assert process != dead
        shards = [shard_process(running.popen.pid, f"{n}/2") for n in (1, 2)]
        running.popen.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(running.popen.wait, 60) == 0
        for pid in shards:
            assert not os.path.exists(f"/proc/{pid}")
    assert verify(tmp_path / "fleet-1-of-2.mcap").difference is None
    killed, rejoined = (
        verify(tmp_path / name) for name in ("fleet-2-of-2.mcap", "fleet-2-of-2.2.mcap")
    )
    assert killed.difference is None
    assert rejoined.difference is None
    assert rejoined.records > 10


@on_loop
async def test_a_shard_waits_for_the_others_and_ctrl_c_ends_it(tmp_path, rigless_process):
    with Server(tmp_path) as server:
        words = ["run", "agv", "--count", 2, "--shard", "1/2", "--no-panel"]
        words += ["--set", f"ports.nats={server.port}", "--state", tmp_path / "state"]
        waiting = rigless_process(*words, ready=False)
        await until(lambda: "waiting for shards of 2: 2" in waiting.errors, "the note")
        waiting.popen.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(waiting.popen.wait, 60) == 0


def test_wrong_parts_are_sentences(rigless_command, tmp_path):
    for words, what in (
        (["agv", "--shard", "3/2"], "is not a part of a fleet"),
        (["agv", "--shard", "0/2"], "parts count from 1"),
        (["agv", "--shard", "1/2", "--processes", "2"], "exclude each other"),
        (["agv", "--shard", "1/2", "--fast"], "share real time"),
        (["vacuum", "--shard", "1/2"], "no robot of this scenario has a NATS server"),
    ):
        result = rigless_command("run", *words, "--no-panel", "--state", tmp_path)
        assert result.returncode == 2
        assert what in " ".join(result.stderr.replace("│", " ").split())
        assert "Traceback" not in result.stderr


@asynccontextmanager
async def part(server, folder, shard, target):
    """Return the running host of one part of a fleet of two robots."""
    ports = [f"agv-{n}.ports.nats={server.address}" for n in (1, 2)]
    built = open_target(target, [*ports, f"shard={shard}"], seed=1, collect=False)
    host = Host(built, environment=Environment(folder))
    await host.open()
    running = asyncio.create_task(host.run())
    try:
        yield host
        assert not host.failure, host.failure
    finally:
        host.stop()
        await asyncio.wait([running])
        await host.close()


STATIONS = {"A": (0.0, 0.0), "B": (0.0, 3.0), "C": (0.0, 6.0)}
LOADS = {"A": ["L1"], "B": ["L2"], "C": ["L3"]}


def warehouse(folder):
    """Write a scenario with two robots that stand at stations with a load each."""
    layout = {
        "nodes": [{"id": name, "x": x, "y": y} for name, (x, y) in STATIONS.items()],
        "edges": [{"nodes": list(STATIONS), "direction": "both"}],
        "stations": [{"id": name, "node": name, "slots": 2, "loads": 1} for name in STATIONS],
    }
    (folder / "site.json").write_text(json.dumps(layout))
    robots = "".join(
        f'[[robots]]\nkind = "agv"\nname = "agv-{n}"\nstart = {{ x = {x}, y = {y} }}\n'
        for n, (x, y) in enumerate([STATIONS["A"], STATIONS["B"]], 1)
    )
    (folder / "fleet.toml").write_text(f'speed = 4.0\n[world]\nlayout = "site.json"\n{robots}')
    return folder / "fleet.toml"


def loads(host):
    stocks = host.sim.world.state.stocks
    return {name: [load.id for load in stocks[name].loads] for name in STATIONS}


@pytest.mark.parametrize("returns", [1, 2])
@on_loop
async def test_a_part_whose_question_is_answered_late_joins_the_running_fleet(
    tmp_path, monkeypatch, returns
):
    def pose(host, robot):
        return host.sim.robots[robot].truth().pose

    def opened(n):
        return part(server, tmp_path / str(n), f"{n}/2", warehouse(tmp_path))

    stays, robot = 3 - returns, f"agv-{returns}"
    with Server(tmp_path) as server:
        parts = {n: opened(n) for n in (1, 2)}
        begun = await asyncio.gather(*(one.__aenter__() for one in parts.values()))
        hosts = dict(zip(parts, begun, strict=True))
        # each robot takes a load away, also at a station that the other part keeps
        for n, host in hosts.items():
            assert loads(host) == LOADS
            request = {"type": "CommandRequest", "commandId": "c1", "commandType": "PICK"}
            host.send(f"agv-{n}", "nats", {**request, "params": {}})
        await until(
            lambda: all(loads(host) == {**LOADS, "A": [], "B": []} for host in hosts.values()),
            "the same loads in both parts",
        )
        start = pose(hosts[returns], robot)
        hosts[returns].apply(PlaceRobot(robot, 2.0, 5.0, 1.0))
        await until(lambda: pose(hosts[stays], robot)[:2] == (2.0, 5.0), "the other part's pose")
        await parts[returns].__aexit__(None, None, None)
        monkeypatch.setattr(exchange, "ASK_S", 0.0)
        async with opened(returns) as again:
            assert again.exchange.rejoined
            assert pose(again, robot) == (2.0, 5.0, 1.0) != start
            assert abs(again.sim.now_s - hosts[stays].sim.now_s) < 120.0
            await until(lambda: again.sim.now_s > 2.0 and loads(again)["A"] == [], "its loads")
            assert loads(again) == loads(hosts[stays]) == {**LOADS, "A": [], "B": []}
        await parts[stays].__aexit__(None, None, None)
