"""Robots that send dates start at the present in a run at 1x, and follow the clock there."""

import asyncio
import time

import pytest

from rigless.host.host import Host
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target


def epoch_after(speed, play=lambda host: None, record=None):
    async def run():
        host = Host(open_target("rover", ["ports.dds=231"], 1, collect=False), speed, 0.02)
        await host.open()
        if record:
            host.recording_file.start(record)
        try:
            await host.run()
            play(host)
            return host.sim.robots["rover"].input["epoch_s"]
        finally:
            await host.close()

    return asyncio.run(run())


def test_at_the_pace_of_the_clock_it_is_the_date(tmp_path):
    begin = time.time()
    file = tmp_path / "run.mcap"
    assert begin <= epoch_after(1.0, record=file) <= time.time()
    assert verify(file).difference is None  # the date is an input like any other


@pytest.mark.parametrize("speed", ["fast", 2.0])
def test_at_others_stamps_are_simulated_time(speed):
    assert epoch_after(speed) == 0.0


def test_a_reset_begins_a_new_day():
    begin = time.time()
    assert epoch_after(1.0, Host.reset) >= begin


def stamp_error_s(host, robot="rover"):
    """Return how far stamps are from the wall clock, without the time until the next tick."""
    now_s = host.pace.sim_at(time.monotonic_ns()) / 1e9
    return time.time() - (host.sim.robots[robot].input["epoch_s"] + now_s)


def controlled(play, *settings, target="rover", speed=1.0):
    """Run a host while `play`, which is given it, controls it; return its events."""
    ports = {"rover": ["dds=231"], "pacbot": ["ros=231", "commands=0", "sensors=0"]}[target]

    async def run():
        words = [*(f"ports.{port}" for port in ports), *settings]
        host = Host(open_target(target, words, 1, collect=False), speed)
        await host.open()
        running = asyncio.create_task(host.run())
        try:
            while not host.sim.now_ns:
                await asyncio.sleep(0)
            play(host)
        finally:
            host.stop()
            await running
            await host.close()
        return [(event.code, event.text) for event in host.sim.events]

    return asyncio.run(run())


def jump(monkeypatch, seconds):
    """Let time pass for everyone, without sleeping."""
    for clock in ("time", "monotonic_ns"):
        real = getattr(time, clock)
        step = seconds if clock == "time" else round(seconds * 1e9)
        monkeypatch.setattr(time, clock, lambda real=real, step=step: real() + step)


@pytest.mark.parametrize("how", ["pause", "hiccup", "speed"])
def test_stamps_follow_the_clock_after(how, monkeypatch):
    def play(host):
        if how == "pause":
            host.pause()
        if how == "speed":
            host.set_speed(2.0)
        jump(monkeypatch, 0.45 if how == "speed" else 7.0)
        host.catch_up()
        if how == "pause":
            host.resume()
        if how == "speed":
            host.set_speed(1.0)
        assert abs(stamp_error_s(host)) < 0.05

    codes = [code for code, _ in controlled(play)]
    assert "date" in codes
    assert ("stamps" in codes) == (how == "speed")


def test_simulated_stamps_are_left_alone(monkeypatch):
    def play(host):
        before = host.sim.robots["rover"].input["epoch_s"]
        host.pause()
        jump(monkeypatch, 7.0)
        host.resume()
        assert host.sim.robots["rover"].input["epoch_s"] == before

    assert controlled(play, "publish_clock=true") == []


def test_another_speed_names_the_key_that_publishes_the_clock_once():
    def play(host):
        host.set_speed(3.0)

    events = controlled(play, "ros=true", target="pacbot", speed=2.0)
    assert [text for code, text in events if code == "stamps"] == [
        "pacbot: stamps do not follow the wall clock at 2×; publish the clock "
        "(--set ros.clock=true) and give your nodes use_sim_time"
    ]
    assert controlled(play, "ros.clock=true", target="pacbot", speed=2.0) == []
