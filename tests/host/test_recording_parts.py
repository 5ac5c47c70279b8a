"""A live recording replays byte for byte, and continues in a new file when time jumps."""

import time

import pytest

from rigless.host.storage.recording_file import next_parts
from rigless.kernel.problems import InputError
from rigless.recordings.reader import Recording
from rigless.recordings.replay import verify

from .driving import BRITTLE, THERMOSTAT, client_of, make_host, on_air, on_loop, until


def same(path):
    found = verify(path)
    assert found.difference is None
    assert not found.cut
    return found


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("f.mcap", "f.2.mcap"),
        ("f.2.mcap", "f.3.mcap"),
        ("f.9.mcap", "f.10.mcap"),
        ("run.v1.mcap", "run.v1.2.mcap"),
    ],
)
def test_parts_are_numbered_from_two(tmp_path, name, after):
    assert next(next_parts(tmp_path / name)) == tmp_path / after


@on_loop
async def test_live_traffic_replays(tmp_path):
    async with on_air(make_host(speed=10)) as host, client_of(host) as client:
        host.recording_file.start(tmp_path / "f.mcap")
        for celsius in range(15, 25):
            assert await client.ask(f"SET {celsius}") == "OK"
        await until(lambda: host.sim.now_ns > 1_000_000_000)
    found = same(tmp_path / "f.mcap")
    inputs = [
        record
        for record in Recording.open(tmp_path / "f.mcap")
        if record.topic == "/thermostat/line/in"
    ]
    assert len(inputs) >= 10
    assert found.records > 20


@on_loop
async def test_an_input_at_the_instant_of_a_truth_sample_replays(tmp_path):
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        host.recording_file.start(tmp_path / "f.mcap")
        for celsius in (21, 22, 23):
            await host.step(50)  # truth is sampled at 20 Hz: each step ends on a sample
            assert await client.ask(f"SET {celsius}") == "OK"
        await host.step(1000)
    same(tmp_path / "f.mcap")


@on_loop
async def test_every_part_replays_after_reset_and_restore(tmp_path):
    async with on_air(make_host(speed="lockstep")) as host, client_of(host) as client:
        host.recording_file.start(tmp_path / "f.mcap")
        await host.step(1010)
        assert await client.ask("SET 25") == "OK"
        host.take_snapshot("later")
        await host.step(1010)
        host.reset()
        assert host.recording_file.path == tmp_path / "f.2.mcap"
        await host.step(510)
        assert await client.ask("SET 22") == "OK"
        await host.step(510)
        host.restore("later")
        assert host.recording_file.path == tmp_path / "f.3.mcap"
        assert await client.ask("SET 18") == "OK"
        await host.step(1010)
    ends = [same(tmp_path / name).end_ns for name in ("f.mcap", "f.2.mcap", "f.3.mcap")]
    assert ends == [2_020_000_000, 1_020_000_000, 2_020_000_000]


@on_loop
async def test_a_part_replaces_no_file_of_another_recording(tmp_path):
    (tmp_path / "f.2.mcap").write_bytes(b"another")
    async with on_air(make_host(speed="lockstep")) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        host.reset()
        assert host.recording_file.path == tmp_path / "f.3.mcap"
    assert (tmp_path / "f.2.mcap").read_bytes() == b"another"


@on_loop
async def test_a_part_after_a_restore_to_time_zero_replays(tmp_path):
    async with on_air(make_host(speed="lockstep")) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        host.take_snapshot("start")
        await host.step(1000)
        assert [event.code for event in host.sim.events] == ["heater"]
        host.restore("start")
        await host.step(500)
    same(tmp_path / "f.mcap")
    same(tmp_path / "f.2.mcap")


@on_loop
async def test_a_part_after_a_reset_with_a_robot_that_greets_its_peers_replays(tmp_path):
    async with (
        on_air(make_host(BRITTLE, "lockstep", settings=())) as host,
        client_of(host, "brittle") as client,
    ):
        assert await client.ask("hello") == "hello"
        host.recording_file.start(tmp_path / "f.mcap")
        await host.step(110)
        host.reset()
        await host.step(110)
        assert await client.ask("hello") == "hello"
    same(tmp_path / "f.mcap")
    same(tmp_path / "f.2.mcap")


@on_loop
async def test_a_recording_of_a_machine_that_lost_time_replays(tmp_path):
    async with on_air(make_host()) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        await until(lambda: host.sim.now_ns > 0)
        time.sleep(0.6)  # the whole process is held up, as by a suspend
        await until(lambda: host.lost_ns > 0)
        assert "pace-lost" in [event.code for event in host.sim.events]
        await until(lambda: host.recording_file.messages > 1, "a record after it")
    same(tmp_path / "f.mcap")


@on_loop
async def test_a_restore_that_is_refused_leaves_the_recording_going(tmp_path):
    other = make_host(settings=("ports.line=0", "start_c=5")).sim.snapshot()
    async with on_air(make_host(speed="lockstep")) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        await host.step(100)
        with pytest.raises(InputError, match="another config"):
            host.restore(other)
        assert host.recording_file.path == tmp_path / "f.mcap"
        await host.step(900)
    assert same(tmp_path / "f.mcap").end_ns == 1_000_000_000


@on_loop
async def test_a_recording_begun_in_the_middle_replays(tmp_path):
    async with on_air(make_host(THERMOSTAT, "lockstep")) as host, client_of(host) as client:
        await client.ask("SET 24")
        client.send("GE")
        await host.step(777)
        host.recording_file.start(tmp_path / "f.mcap")
        await host.step(100)
        assert (await client.ask("T")).startswith("TEMP")
        await host.step(100)
        assert host.recording_file.stop() == tmp_path / "f.mcap"
        await host.step(100)
    assert same(tmp_path / "f.mcap").end_ns == 977_000_000
