"""Robots with a boot_id get one before ports open, and a new one when time jumps."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from rigless.cli.live import Options, serve_host
from rigless.host.environment import Environment, state_folder
from rigless.host.host import Host
from rigless.recordings.replay import verify
from rigless.recordings.seekable import SeekableRecording
from rigless.scenario.load import open_target

from .driving import on_air, on_loop, until
from .mortal import Line

MORTAL = Path(__file__).resolve().parent / "mortal"


def mortal(speed, nats=False, around=None):
    """Return a host of the robot.

    With `nats` its port is declared as one of a broker, never opened.
    """
    host = Host(open_target(str(MORTAL), [], 1, collect=False), speed, 0.02, around)
    if nats:
        robot = host.sim.robots["mortal"]
        robot.ports = tuple(replace(port, transport="nats") for port in robot.ports)
    return host


def robot_of(host):
    return host.sim.robots["mortal"]


@pytest.mark.parametrize("speed", [1.0, 10.0, 0.5, "lockstep"])
@on_loop
async def test_it_is_told_before_anybody_comes(speed):
    host = mortal(speed)
    begin = time.time()
    await host.open()
    try:
        told = robot_of(host).input
        assert UUID(told["boot_id"]).version == 4
        assert begin <= told["epoch_s"] <= time.time()
        host.transports["mortal", "line"].connect()
        assert robot_of(host).state.greeted == [told["boot_id"]]
    finally:
        await host.close()


@on_loop
async def test_each_run_has_its_own():
    boots = set()
    for _ in range(2):
        host = mortal(1.0)
        await host.open()
        boots.add(robot_of(host).input["boot_id"])
        await host.close()
    assert len(boots) == 2


@on_loop
async def test_it_is_told_how_much_time_was_lost():
    host = mortal(1.0)
    host.end_ns = None
    async with on_air(host):
        await until(lambda: host.sim.now_ns > 0)
        time.sleep(0.6)  # the whole process is held up
        await until(lambda: host.lost_ns > 0)
        assert robot_of(host).input["lost_s"] == host.lost_ns / 1e9 > 0.5


@on_loop
async def test_after_a_reset_it_is_another_life_from_the_first_peer_on():
    host = mortal(1.0)
    await host.open()
    host.transports["mortal", "line"].connect()
    first = robot_of(host).input["boot_id"]
    await host.run()
    begin = time.time()
    host.reset()
    told = robot_of(host).input
    assert told["boot_id"] != first
    assert robot_of(host).state.greeted == [told["boot_id"]]
    assert begin <= told["epoch_s"] <= time.time()
    await host.close()


@on_loop
async def test_after_a_restore_too_and_the_date_is_that_of_the_present():
    host = mortal("lockstep")
    await host.open()
    await host.step(15)
    saved = host.take_snapshot()
    first = robot_of(host).input["boot_id"]
    host.restore(saved)
    told = robot_of(host).input
    assert told["boot_id"] != first
    assert told["epoch_s"] + host.sim.now_s <= time.time()
    assert told["epoch_s"] + 3600 > time.time()
    await host.close()


@on_loop
async def test_transports_hear_that_time_has_jumped():
    host = mortal("lockstep")
    await host.open()
    heard = []
    host.transports["mortal", "line"].restarted = lambda: heard.append(
        robot_of(host).input["boot_id"]
    )
    host.reset()
    host.restore(host.take_snapshot())
    assert len(heard) == 2
    assert heard[-1] == robot_of(host).input["boot_id"]
    await host.close()


def test_a_recording_of_it_replays_and_holds_the_events_of_the_start(tmp_path):
    async def run():
        host = mortal(1.0)
        await host.open()
        host.recording_file.start(tmp_path / "run.mcap")  # after the inputs of the boot
        await host.run()
        host.reset()  # the recording continues in another file
        await host.close()

    asyncio.run(run())
    for name in ("run.mcap", "run.2.mcap"):
        recorded = SeekableRecording.open(tmp_path / name).events
        assert [event.code for event in recorded if event.robot] == ["no-name"]
        assert verify(tmp_path / name).difference is None


def test_a_terminal_shows_the_events_of_the_start(capfd):
    asyncio.run(serve_host(mortal("fast"), Options(with_panel=False, quiet=True)))
    assert capfd.readouterr().err.count("mortal: give the robot a name") == 1


@on_loop
async def test_a_link_that_a_robot_opens_at_the_start_is_opened_on_the_network():
    host = mortal("lockstep")
    await host.open()
    (link,) = robot_of(host).links("radio")
    robot_of(host).emit("radio", Line("hello"))
    assert host.transports["mortal", "radio"].peers[link.id].read() == b"hello"
    host.reset()
    (link,) = robot_of(host).links("radio")
    assert list(host.transports["mortal", "radio"].peers) == [link.id]
    await host.close()


@on_loop
async def test_in_a_fast_run_a_broker_is_not_there_and_nothing_is_told(tmp_path):
    host = mortal("fast", nats=True)
    await host.open()
    assert robot_of(host).input == {"boot_id": "", "epoch_s": 0.0, "lost_s": 0.0}
    assert host.address("mortal", "line") == "memory://line"
    await host.close()


def test_in_a_fast_run_with_a_server_of_our_own_it_is():
    host = mortal("fast", nats=True, around=Environment(embedded_nats=True))
    host.host_inputs.boot()
    assert robot_of(host).input["boot_id"]


@on_loop
async def test_what_comes_before_it_runs_comes_at_time_zero():
    host = mortal(1.0)
    await host.open()
    await asyncio.sleep(0.01)
    host.transports["mortal", "line"].connect()
    assert host.sim.now_ns == 0
    await host.run()
    assert host.sim.now_s == pytest.approx(0.02)
    await host.close()


def test_where_things_outlive_a_run(monkeypatch):
    monkeypatch.setenv("HOME", "/home/she")
    monkeypatch.delenv("RIGLESS_STATE", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert state_folder() == Path("/home/she/.local/state/rigless")
    monkeypatch.setenv("XDG_STATE_HOME", "/var/she")
    assert state_folder() == Path("/var/she/rigless")
    monkeypatch.setenv("RIGLESS_STATE", "/srv/robots")
    assert state_folder() == Path("/srv/robots")
    assert state_folder(Path("here")) == Path("here")


@on_loop
async def test_what_a_transport_tells_people_is_not_said_by_the_robot():
    host = mortal(1.0)
    await host.open()
    try:
        host.transports["mortal", "line"].inbox.log("the line hums", "warning")
        event = host.sim.events[-1]
        assert (event.robot, event.severity, event.text) == ("", "warning", "mortal: the line hums")
    finally:
        await host.close()


@pytest.mark.parametrize("hours", [1, -1])
@on_loop
async def test_a_date_that_is_set_while_it_runs_is_followed(monkeypatch, hours):
    real = time.time
    monkeypatch.setattr("rigless.host.host_inputs.DATE_WALL_NS", 1_000_000)
    host = mortal(1.0)
    host.end_ns = None
    async with on_air(host):
        await until(lambda: host.sim.now_ns > 0)
        monkeypatch.setattr(time, "time", lambda: real() + hours * 3600)
        begin = time.time() - host.sim.now_s
        await until(lambda: abs(robot_of(host).input["epoch_s"] - begin) < 600)
    told = [event.data["moved_s"] for event in host.sim.events if event.code == "date"]
    (moved_s,) = [
        moved_s for moved_s in told if abs(moved_s) > 600
    ]  # less is what a slow machine loses
    assert moved_s == pytest.approx(hours * 3600, abs=600)
