"""The player: seek, step and play on a loop whose clock moves only when the player sleeps."""

import asyncio

import pytest

from host.driving import BRITTLE, THERMOSTAT, on_loop
from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.kernel.simulation import RobotError
from rigless.panel.player import FRAME_S, Player
from rigless.recordings.seekable import SeekableRecording
from rigless.scenario.load import open_target

LENGTH_S = 600.0


class Wall:
    """A clock for the player; it also counts how often the player yields."""

    def __init__(self):
        self.now_ns = 0
        self.turns = 0

    def clock(self):
        return self.now_ns

    async def sleep(self, seconds):
        self.now_ns += round(seconds * 1e9)
        self.turns += 1
        await asyncio.sleep(0)

    @property
    def now_s(self):
        return self.now_ns / 1e9


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("deck") / "room.mcap"
    path.write_bytes(
        record_to_bytes(
            open_target(THERMOSTAT, seed=1, collect=False).simulation, LENGTH_S, truth_hz=0
        )
    )
    return path


async def loaded(path, wall):
    player = Player(wall.clock, wall.sleep)
    await player.open(path)
    return player


async def turn_until(true):
    """Let the player run slice by slice until a condition holds."""
    for _ in range(100_000):
        if true():
            return
        await asyncio.sleep(0)
    raise AssertionError("waited in vain")


def time_s(player):
    return player.describe()["time_s"]


@on_loop
async def test_an_open_recording_stands_at_its_beginning_and_tells_of_itself(file):
    player = await loaded(file, Wall())
    assert player.describe() == {
        "file": str(file),
        "time_s": 0.0,
        "begin_s": 0.0,
        "end_s": LENGTH_S,
        "playing": False,
        "speed": 1.0,
        "seeking": None,
        "cut": False,
        "note": "",
        "failure": "",
        "events": len(player.events),
    }
    assert player.events[0].code == "heater"
    assert list(player.sim.robots) == ["thermostat"]
    await player.close()


@on_loop
async def test_a_player_without_a_recording_says_what_to_do():
    player = Player()
    assert (player.sim, player.events, player.describe()["file"]) == (None, [], None)
    for act in (player.play, player.pause, lambda: player.seek(1), lambda: player.step(1)):
        with pytest.raises(InputError, match="no recording is open"):
            act()
    await player.close()


@on_loop
async def test_seeking_ends_where_a_straight_run_does(file):
    player = await loaded(file, Wall())
    for at_s in (300.25, 12.5, LENGTH_S, 0.0, 1e300, -1e300, 77):
        before = player.epoch
        player.seek(at_s)
        assert player.describe()["seeking"] == 0.0
        await player.settled()
        assert player.epoch > before
        assert (time_s(player), player.describe()["seeking"]) == (min(max(at_s, 0), LENGTH_S), None)
    straight = SeekableRecording.open(file)
    straight.seek(77_000_000_000)
    assert player.sim.snapshot() == straight.simulation.snapshot()
    await player.close()


@on_loop
async def test_of_many_seeks_only_the_newest_matters(file):
    wall = Wall()
    player = await loaded(file, wall)
    seen = []
    player.sim.core.sample(1, lambda: seen.append(player.sim.now_s))
    player.seek(LENGTH_S)
    await turn_until(lambda: time_s(player) > 100)
    assert player.describe()["seeking"] == pytest.approx(time_s(player) / LENGTH_S, abs=0.001)
    for at_s in range(400, 5, -1):
        player.seek(at_s)
    player.seek(5)
    await player.settled()
    assert time_s(player) == 5
    assert max(seen) < LENGTH_S
    assert player.epoch > 1
    await player.close()


@on_loop
async def test_a_long_seek_gives_way_to_others_again_and_again(file):
    wall = Wall()
    player = await loaded(file, wall)
    turns = 0

    async def live():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(live())
    player.seek(LENGTH_S)
    await player.settled()
    other.cancel()
    assert wall.turns > 20
    assert turns >= wall.turns
    await player.close()


@on_loop
async def test_a_new_subscriber_gets_the_samples_that_led_there(file):
    player = await loaded(file, Wall())
    player.seek(50)
    await player.settled()
    seen = []
    player.sim.core.sample(1, lambda: seen.append(player.sim.now_s))
    player.fill_history(0)
    await player.settled()
    assert (time_s(player), seen) == (50, [float(n) for n in range(1, 51)])
    player.seek(120)
    await player.settled()
    assert seen == [float(n) for n in range(1, 121)]
    player.seek(LENGTH_S)
    player.seek(10)
    await player.settled()
    del seen[:]
    player.seek(100)  # already sampled: it jumps
    await player.settled()
    assert len(seen) < 50
    await player.close()


@on_loop
async def test_steps_go_both_ways_add_up_and_stop_playing(file):
    player = await loaded(file, Wall())
    player.play()
    player.step(1500)
    player.step(250)
    player.step(-0.5)
    await player.settled()
    assert (time_s(player), player.describe()["playing"]) == (1.7495, False)
    for ms, at_s in ((-749.5, 1.0), (-1e9, 0.0), (1e12, LENGTH_S), (-10, LENGTH_S - 0.01)):
        player.step(ms)
        await player.settled()
        assert time_s(player) == at_s
    await player.close()


@on_loop
async def test_a_step_forward_passes_over_nothing(file):
    player = await loaded(file, Wall())
    player.seek(60)
    await player.settled()
    player.seek(0)
    await player.settled()
    heard = []
    player.sim.core.sample(1, lambda: heard.append(round(player.sim.now_s)))
    player.step(50_000)
    await player.settled()
    assert heard == list(range(1, 51))
    await player.close()


@pytest.mark.parametrize("speed", [0.1, 1.0, 10.0])
@on_loop
async def test_playing_follows_the_clock(file, speed):
    wall = Wall()
    player = await loaded(file, wall)
    heard = []
    player.sim.core.sample(2, lambda: heard.append(round(player.sim.now_s, 9)))
    player.play(speed)
    assert (player.describe()["playing"], player.describe()["speed"]) == (True, speed)
    for wall_s in (1, 2, 5):
        await turn_until(lambda wall_s=wall_s: wall.now_s >= wall_s)
        assert time_s(player) == pytest.approx(wall.now_s * speed, abs=1.01 * FRAME_S * speed)
    player.pause()
    stood = time_s(player)
    assert heard == [0.5 * n for n in range(1, int(2 * stood) + 1)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert time_s(player) == stood
    await player.close()


@on_loop
async def test_playing_continues_after_a_seek_and_at_another_speed(file):
    wall = Wall()
    player = await loaded(file, wall)
    player.play(1.0)
    await turn_until(lambda: wall.now_s >= 1)
    player.seek(100)
    await player.settled()
    began = wall.now_s
    await turn_until(lambda: wall.now_s >= began + 1)
    assert time_s(player) == pytest.approx(100 + wall.now_s - began, abs=2 * FRAME_S)
    began, at_s = wall.now_s, time_s(player)
    player.play(4.0)
    await turn_until(lambda: wall.now_s >= began + 1)
    assert time_s(player) == pytest.approx(at_s + 4 * (wall.now_s - began), abs=8 * FRAME_S)
    await player.close()


@on_loop
async def test_a_player_that_is_too_late_does_not_catch_up(file):
    wall = Wall()
    player = await loaded(file, wall)
    player.play(1.0)
    await turn_until(lambda: wall.now_s >= 1)
    move = SeekableRecording.seek_in_slices
    try:
        SeekableRecording.seek_in_slices = lambda self, target_ns, through=False: iter(
            ()
        )  # the machine is too busy to advance
        await turn_until(lambda: wall.now_s >= 60)
    finally:
        SeekableRecording.seek_in_slices = move
    began, stood = wall.now_s, time_s(player)
    await turn_until(lambda: wall.now_s >= began + 1)
    assert time_s(player) == pytest.approx(stood + wall.now_s - began, abs=0.5)
    await player.close()


@on_loop
async def test_playing_stops_at_the_end_and_then_starts_over(file):
    player = await loaded(file, Wall())
    player.seek(LENGTH_S - 1)
    player.play(10)
    await turn_until(lambda: not player.describe()["playing"])
    assert time_s(player) == LENGTH_S
    player.play("fast")
    assert player.describe()["speed"] == "fast"
    await turn_until(lambda: 0 < time_s(player) < LENGTH_S)
    await turn_until(lambda: not player.describe()["playing"])
    assert time_s(player) == LENGTH_S
    await player.close()


@on_loop
async def test_fast_can_be_paused(file):
    player = await loaded(file, Wall())
    player.play("fast")
    await turn_until(lambda: time_s(player) > 0)
    player.pause()
    stood = time_s(player)
    for _ in range(10):
        await asyncio.sleep(0)
    assert time_s(player) == stood < LENGTH_S
    await player.close()


@pytest.mark.parametrize("speed", [0, 0.05, 11, -1, "slow", "lockstep", float("nan")])
@on_loop
async def test_other_speeds_are_refused(file, speed):
    player = await loaded(file, Wall())
    with pytest.raises(
        InputError, match=r"is not a playing speed \(a factor from 0.1 to 10, or 'fast'\)"
    ):
        player.play(speed)
    assert not player.describe()["playing"]
    await player.close()


@on_loop
async def test_another_recording_replaces_the_one_before_and_a_bad_one_does_not(file, tmp_path):
    other = tmp_path / "other.mcap"
    other.write_bytes(record_to_bytes(open_target(THERMOSTAT, seed=2, collect=False).simulation, 2))
    player = await loaded(file, Wall())
    player.seek(10)
    await player.settled()
    player.seek(1)
    await player.settled()
    epoch = player.epoch
    with pytest.raises(InputError, match="no such recording"):
        await player.open(tmp_path / "none.mcap")
    assert (player.describe()["file"], time_s(player), player.epoch) == (str(file), 1, epoch)
    player.play(1)
    await player.open(other)
    assert (
        player.describe()["file"],
        player.describe()["end_s"],
        player.describe()["playing"],
    ) == (
        str(other),
        2,
        False,
    )
    assert player.epoch > epoch
    epoch = player.epoch
    await player.close()
    await player.close()
    assert (player.sim, player.describe()["file"]) == (None, None)
    assert player.epoch > epoch


@on_loop
async def test_of_two_that_are_opened_at_once_the_later_is_in(file, tmp_path):
    other = tmp_path / "other.mcap"
    other.write_bytes(record_to_bytes(open_target(THERMOSTAT, seed=2, collect=False).simulation, 2))
    player = Player()
    first, second = await asyncio.gather(
        player.open(file), player.open(other), return_exceptions=True
    )
    assert "was opened or closed meanwhile" in str(first)
    assert (second, player.describe()["file"]) == (None, str(other))
    await player.close()


@on_loop
async def test_waiting_for_a_seek_ends_when_the_recording_is_closed(file):
    player = await loaded(file, Wall())
    player.seek(LENGTH_S)
    waiting = asyncio.create_task(player.settled())
    await asyncio.sleep(0)
    await player.close()
    await waiting
    assert player.describe()["seeking"] is None


@on_loop
async def test_a_run_that_failed_plays_up_to_there_and_says_why(tmp_path):
    sim = open_target(BRITTLE, collect=False).simulation
    with (tmp_path / "f.mcap").open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.schedule(400_000_000, inp.Connect("brittle", "line", 1))
        sim.schedule(400_000_000, inp.Arrive("brittle", "line", 1, b"fail\n"))
        with pytest.raises(RobotError):
            sim.run(1)
        recorder.close()
    player = await loaded(tmp_path / "f.mcap", Wall())
    player.play()
    await turn_until(lambda: not player.describe()["playing"])
    assert (time_s(player), player.describe()["end_s"]) == (0.4, 0.4)
    assert "ZeroDivisionError: told to" in player.describe()["failure"]
    player.seek(0.1)
    await player.settled()
    assert player.describe()["failure"] == ""
    await player.close()


@on_loop
async def test_an_internal_error_is_reported_and_the_player_stays_usable(file):
    player = await loaded(file, Wall())
    snapshot = player.sim.snapshot
    player.sim.snapshot = lambda: 1 // 0
    player.seek(50)
    await player.settled()
    assert player.describe()["failure"].startswith("ZeroDivisionError")
    player.sim.snapshot = snapshot
    player.seek(60)
    await player.settled()
    assert (time_s(player), player.describe()["failure"]) == (60, "")
    await player.close()
