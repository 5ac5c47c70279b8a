"""Recording to a file: a kill loses almost nothing, a full disk ends the recording, not the run."""

from pathlib import Path

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.recordings.reader import Recording

from .driving import make_host, on_air, on_loop, until


def on_disk(path):
    """Return the number of records on disk."""
    return sum(1 for _ in Recording.open(path))


@on_loop
async def test_what_was_recorded_reaches_the_disk_while_it_runs(tmp_path):
    async with on_air(make_host()) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        await until(lambda: on_disk(tmp_path / "f.mcap") >= 5)
        assert host.recording_file.path is not None


@on_loop
async def test_what_was_recorded_reaches_the_disk_while_it_is_paused(tmp_path):
    async with on_air(make_host()) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        host.pause()
        for on in (True, False, True):
            host.apply(inp.SetInput("thermostat", "window_open", on))
        written = host.recording_file.messages
        assert written >= 3
        await until(lambda: on_disk(tmp_path / "f.mcap") == written)


@on_loop
async def test_a_paused_recording_does_not_grow(tmp_path):
    async with on_air(make_host()) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        host.pause()
        host.apply(inp.SetInput("thermostat", "window_open", True))
        await until(lambda: on_disk(tmp_path / "f.mcap") == host.recording_file.messages)
        size = (tmp_path / "f.mcap").stat().st_size
        flushed_ns = host.recording_file._flushed_ns
        await until(lambda: host.recording_file._flushed_ns > flushed_ns)
        assert (tmp_path / "f.mcap").stat().st_size == size


@on_loop
async def test_a_fast_run_that_is_slowed_down_reaches_the_disk_too(tmp_path):
    async with on_air(make_host(speed="fast")) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        host.set_speed(10)
        before = on_disk(tmp_path / "f.mcap")
        await until(lambda: host.recording_file.messages > before + 10)
        host.pause()
        await until(lambda: on_disk(tmp_path / "f.mcap") == host.recording_file.messages, "a flush")


@on_loop
async def test_one_recording_at_a_time(tmp_path):
    async with on_air(make_host(speed="lockstep")) as host:
        host.recording_file.start(tmp_path / "f.mcap")
        with pytest.raises(InputError, match="already recording"):
            host.recording_file.start(tmp_path / "g.mcap")
        assert not (tmp_path / "g.mcap").exists()
        assert host.recording_file.stop() == tmp_path / "f.mcap"
        assert host.recording_file.stop() is None


@on_loop
async def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    async with on_air(make_host(speed="lockstep")) as host:
        with pytest.raises(InputError, match="cannot write"):
            host.recording_file.start(tmp_path / "no" / "such" / "folder.mcap")
        assert host.recording_file.path is None
        host.recording_file.start(tmp_path / "f.mcap")


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="only Linux has a disk that is always full"
)
@on_loop
async def test_a_full_disk_stops_the_tape_and_says_so_but_not_the_robot():
    async with on_air(make_host(speed=100)) as host:
        host.recording_file.start(Path("/dev/full"))
        await until(lambda: host.recording_file.failed)
        assert "No space left" in host.recording_file.failed
        assert "recording-failed" in [event.code for event in host.sim.events]
        before_ns = host.sim.now_ns
        await until(lambda: host.sim.now_ns > before_ns + 1_000_000_000)
