"""Robots that send dates start at the present in a run at 1x, and only there."""

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
