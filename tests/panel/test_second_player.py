"""The second recording of a comparison follows the first to every time that it has."""

import asyncio

import pytest

from host.driving import THERMOSTAT, on_loop
from panel.test_player import Wall, turn_until
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.panel.player import Player
from rigless.panel.recordings.second_player import SecondPlayer
from rigless.recordings.seekable import SeekableRecording
from rigless.scenario.load import open_target


def room(path, seconds, seed=1):
    sim = open_target(THERMOSTAT, seed=seed, collect=False).simulation
    path.write_bytes(record_to_bytes(sim, seconds, truth_hz=0))
    return path


@on_loop
async def test_it_shows_the_time_of_the_player_as_far_as_it_reaches(tmp_path):
    wall = Wall()
    player, second = Player(wall.clock, wall.sleep), None
    second = SecondPlayer(player, wall.clock, wall.sleep)
    await player.open(room(tmp_path / "a.mcap", 60.0))
    await second.open(room(tmp_path / "b.mcap", 40.0, seed=2))
    for at_s, shown_s in ((30.0, 30.0), (12.5, 12.5), (13.0, 13.0), (55.0, 40.0), (0.0, 0.0)):
        epoch = second.epoch
        player.seek(at_s)
        assert second.describe()["level"] is (shown_s == second.describe()["time_s"])
        await turn_until(
            lambda: player.describe()["seeking"] is None and second.describe()["level"]
        )
        assert second.describe()["time_s"] == shown_s
        assert (second.epoch > epoch) is (abs(at_s - 13.0) > 0.1)  # a short way is run through
    player.play(10.0)
    await turn_until(lambda: not player.describe()["playing"] and second.describe()["level"])
    assert second.describe()["time_s"] == 40.0
    straight = SeekableRecording.open(tmp_path / "b.mcap")
    straight.seek(40_000_000_000)
    assert second.sim.snapshot() == straight.simulation.snapshot()
    epoch = second.epoch
    await second.close()
    await second.close()
    assert (second.sim, second.describe()["file"]) == (None, None)
    assert second.epoch > epoch
    await player.close()


@on_loop
async def test_it_needs_a_first_recording_and_a_good_file(tmp_path):
    player = Player()
    second = SecondPlayer(player)
    path = room(tmp_path / "a.mcap", 5.0)
    with pytest.raises(InputError, match="no recording is open to compare with"):
        await second.open(path)
    await player.open(path)
    await second.open(path)
    bad = tmp_path / "bad.mcap"
    bad.write_bytes(b"not a recording")
    with pytest.raises(InputError, match="not a readable MCAP file"):
        await second.open(bad)
    assert second.path == path  # the one before stays
    await second.close()
    await player.close()


@on_loop
async def test_a_view_that_fails_is_reported_and_the_next_time_is_tried(tmp_path):
    player = Player()
    second = SecondPlayer(player)
    path = room(tmp_path / "a.mcap", 5.0)
    await player.open(path)
    await second.open(path)
    sampled = second.sim.core.sample(10, lambda: 1 / 0)
    player.seek(0.5)
    await turn_until(lambda: second.describe()["failure"])
    assert "ZeroDivisionError" in second.describe()["failure"]
    del sampled
    await asyncio.gather(second.close(), player.close())
