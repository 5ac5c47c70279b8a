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
            await backend.until_ended()
            await backend.until(
                lambda: abs(pose_of(backend)["x"] - start["x"] - 0.5) < 0.01, "a state at the goal"
            )
            # the panel of the parent, which steps no robot, shows all of them
            found = await asyncio.to_thread(status, url)
            assert [robot["name"] for robot in found["robots"]] == [f"agv-{n}" for n in range(1, 5)]
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
async def part(server, folder, shard):
    """Return the running host of one part of a fleet of two robots."""
    settings = [f"ports.nats={server.address}", "count=2", f"shard={shard}"]
    built = open_target("agv", settings, seed=1, collect=False)
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


@on_loop
async def test_a_part_whose_question_is_answered_late_joins_the_running_fleet(
    tmp_path, monkeypatch
):
    def pose(host):
        return host.sim.robots["agv-2"].truth().pose

    with Server(tmp_path) as server:
        opened = part(server, tmp_path / "1", "1/2"), part(server, tmp_path / "2", "2/2")
        hosts = await asyncio.gather(*(one.__aenter__() for one in opened))
        start = pose(hosts[1])
        hosts[1].apply(PlaceRobot("agv-2", 12.0, 3.0, 1.0))
        await until(lambda: pose(hosts[0])[:2] == (12.0, 3.0), "the pose in the other part")
        await opened[1].__aexit__(None, None, None)
        monkeypatch.setattr(exchange, "ASK_S", 0.0)
        async with part(server, tmp_path / "2", "2/2") as again:
            assert again.exchange.rejoined
            assert pose(again) == (12.0, 3.0, 1.0) != start
            assert abs(again.sim.now_s - hosts[0].sim.now_s) < 30.0
        await opened[0].__aexit__(None, None, None)
