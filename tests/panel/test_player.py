"""The player of recordings: seek, step and play on a loop whose clock moves only when the deck sleeps."""

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
    """A clock for the deck; it also counts how often the deck gave way."""

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
    deck = Player(wall.clock, wall.sleep)
    await deck.open(path)
    return deck


async def turn_until(true):
    """Give the deck one turn after the other, each of which is one slice or one frame, until something holds."""
    for _ in range(100_000):
        if true():
            return
        await asyncio.sleep(0)
    raise AssertionError("waited in vain")


def time_s(deck):
    return deck.describe()["time_s"]


@on_loop
async def test_an_open_recording_stands_at_its_beginning_and_tells_of_itself(file):
    deck = await loaded(file, Wall())
    assert deck.describe() == {
        "file": str(file), "time_s": 0.0, "begin_s": 0.0, "end_s": LENGTH_S, "playing": False, "speed": 1.0,
        "seeking": None, "cut": False, "note": "", "failure": "", "events": len(deck.events),
    }  # fmt: skip
    assert deck.events[0].code == "heater"
    assert list(deck.sim.robots) == ["thermostat"]
    await deck.close()


@on_loop
async def test_an_empty_deck_says_what_to_do():
    deck = Player()
    assert (deck.sim, deck.events, deck.describe()["file"]) == (None, [], None)
    for act in (deck.play, deck.pause, lambda: deck.seek(1), lambda: deck.step(1)):
        with pytest.raises(InputError, match="no recording is in it"):
            act()
    await deck.close()


@on_loop
async def test_seeking_ends_where_a_straight_run_does(file):
    deck = await loaded(file, Wall())
    for at_s in (300.25, 12.5, LENGTH_S, 0.0, 1e300, -1e300, 77):
        before = deck.epoch
        deck.seek(at_s)
        assert deck.describe()["seeking"] == 0.0
        await deck.settled()
        assert deck.epoch > before
        assert (time_s(deck), deck.describe()["seeking"]) == (min(max(at_s, 0), LENGTH_S), None)
    straight = SeekableRecording.open(file)
    straight.seek(77_000_000_000)
    assert deck.sim.snapshot() == straight.simulation.snapshot()
    await deck.close()


@on_loop
async def test_of_many_seeks_only_the_newest_matters(file):
    wall = Wall()
    deck = await loaded(file, wall)
    seen = []
    deck.sim.core.sample(1, lambda: seen.append(deck.sim.now_s))
    deck.seek(LENGTH_S)
    await turn_until(lambda: time_s(deck) > 100)
    assert deck.describe()["seeking"] == pytest.approx(time_s(deck) / LENGTH_S, abs=0.001)
    for at_s in range(400, 5, -1):
        deck.seek(at_s)
    deck.seek(5)
    await deck.settled()
    assert time_s(deck) == 5
    assert max(seen) < LENGTH_S
    assert deck.epoch > 1
    await deck.close()


@on_loop
async def test_a_long_seek_gives_way_to_others_again_and_again(file):
    wall = Wall()
    deck = await loaded(file, wall)
    turns = 0

    async def live():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(live())
    deck.seek(LENGTH_S)
    await deck.settled()
    other.cancel()
    assert wall.turns > 20
    assert turns >= wall.turns
    await deck.close()


@on_loop
async def test_whoever_looks_sees_what_led_there(file):
    deck = await loaded(file, Wall())
    deck.seek(50)
    await deck.settled()
    seen = []
    deck.sim.core.sample(1, lambda: seen.append(deck.sim.now_s))
    deck.fill_history(0)
    await deck.settled()
    assert (time_s(deck), seen) == (50, [float(n) for n in range(1, 51)])
    deck.seek(120)
    await deck.settled()
    assert seen == [float(n) for n in range(1, 121)]
    deck.seek(LENGTH_S)
    deck.seek(10)
    await deck.settled()
    del seen[:]
    deck.seek(100)  # known ground: a jump will do
    await deck.settled()
    assert len(seen) < 50
    await deck.close()


@on_loop
async def test_steps_go_both_ways_add_up_and_stop_playing(file):
    deck = await loaded(file, Wall())
    deck.play()
    deck.step(1500)
    deck.step(250)
    deck.step(-0.5)
    await deck.settled()
    assert (time_s(deck), deck.describe()["playing"]) == (1.7495, False)
    for ms, at_s in ((-749.5, 1.0), (-1e9, 0.0), (1e12, LENGTH_S), (-10, LENGTH_S - 0.01)):
        deck.step(ms)
        await deck.settled()
        assert time_s(deck) == at_s
    await deck.close()


@on_loop
async def test_a_step_forward_passes_over_nothing(file):
    deck = await loaded(file, Wall())
    deck.seek(60)
    await deck.settled()
    deck.seek(0)
    await deck.settled()
    heard = []
    deck.sim.core.sample(1, lambda: heard.append(round(deck.sim.now_s)))
    deck.step(50_000)
    await deck.settled()
    assert heard == list(range(1, 51))
    await deck.close()


@pytest.mark.parametrize("speed", [0.1, 1.0, 10.0])
@on_loop
async def test_playing_follows_the_clock(file, speed):
    wall = Wall()
    deck = await loaded(file, wall)
    heard = []
    deck.sim.core.sample(2, lambda: heard.append(round(deck.sim.now_s, 9)))
    deck.play(speed)
    assert (deck.describe()["playing"], deck.describe()["speed"]) == (True, speed)
    for wall_s in (1, 2, 5):
        await turn_until(lambda wall_s=wall_s: wall.now_s >= wall_s)
        assert time_s(deck) == pytest.approx(wall.now_s * speed, abs=1.01 * FRAME_S * speed)
    deck.pause()
    stood = time_s(deck)
    assert heard == [0.5 * n for n in range(1, int(2 * stood) + 1)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert time_s(deck) == stood
    await deck.close()


@on_loop
async def test_playing_goes_on_from_where_one_seeks_to_and_at_another_speed(file):
    wall = Wall()
    deck = await loaded(file, wall)
    deck.play(1.0)
    await turn_until(lambda: wall.now_s >= 1)
    deck.seek(100)
    await deck.settled()
    began = wall.now_s
    await turn_until(lambda: wall.now_s >= began + 1)
    assert time_s(deck) == pytest.approx(100 + wall.now_s - began, abs=2 * FRAME_S)
    began, at_s = wall.now_s, time_s(deck)
    deck.play(4.0)
    await turn_until(lambda: wall.now_s >= began + 1)
    assert time_s(deck) == pytest.approx(at_s + 4 * (wall.now_s - began), abs=8 * FRAME_S)
    await deck.close()


@on_loop
async def test_what_comes_too_late_to_be_played_in_time_is_not_caught_up(file):
    wall = Wall()
    deck = await loaded(file, wall)
    deck.play(1.0)
    await turn_until(lambda: wall.now_s >= 1)
    move = SeekableRecording.seek_in_slices
    try:
        SeekableRecording.seek_in_slices = lambda self, target_ns, through=False: iter(
            ()
        )  # the machine gets nothing done
        await turn_until(lambda: wall.now_s >= 60)
    finally:
        SeekableRecording.seek_in_slices = move
    began, stood = wall.now_s, time_s(deck)
    await turn_until(lambda: wall.now_s >= began + 1)
    assert time_s(deck) == pytest.approx(stood + wall.now_s - began, abs=0.5)
    await deck.close()


@on_loop
async def test_playing_stops_at_the_end_and_then_starts_over(file):
    deck = await loaded(file, Wall())
    deck.seek(LENGTH_S - 1)
    deck.play(10)
    await turn_until(lambda: not deck.describe()["playing"])
    assert time_s(deck) == LENGTH_S
    deck.play("fast")
    assert deck.describe()["speed"] == "fast"
    await turn_until(lambda: 0 < time_s(deck) < LENGTH_S)
    await turn_until(lambda: not deck.describe()["playing"])
    assert time_s(deck) == LENGTH_S
    await deck.close()


@on_loop
async def test_fast_can_be_paused(file):
    deck = await loaded(file, Wall())
    deck.play("fast")
    await turn_until(lambda: time_s(deck) > 0)
    deck.pause()
    stood = time_s(deck)
    for _ in range(10):
        await asyncio.sleep(0)
    assert time_s(deck) == stood < LENGTH_S
    await deck.close()


@pytest.mark.parametrize("speed", [0, 0.05, 11, -1, "slow", "lockstep", float("nan")])
@on_loop
async def test_other_speeds_are_refused(file, speed):
    deck = await loaded(file, Wall())
    with pytest.raises(
        InputError, match=r"is not a speed of playing \(a factor from 0.1 to 10, or 'fast'\)"
    ):
        deck.play(speed)
    assert not deck.describe()["playing"]
    await deck.close()


@on_loop
async def test_another_recording_replaces_the_one_before_and_a_bad_one_does_not(file, tmp_path):
    other = tmp_path / "other.mcap"
    other.write_bytes(record_to_bytes(open_target(THERMOSTAT, seed=2, collect=False).simulation, 2))
    deck = await loaded(file, Wall())
    deck.seek(10)
    await deck.settled()
    deck.seek(1)
    await deck.settled()
    epoch = deck.epoch
    with pytest.raises(InputError, match="no such recording"):
        await deck.open(tmp_path / "none.mcap")
    assert (deck.describe()["file"], time_s(deck), deck.epoch) == (str(file), 1, epoch)
    deck.play(1)
    await deck.open(other)
    assert (deck.describe()["file"], deck.describe()["end_s"], deck.describe()["playing"]) == (
        str(other),
        2,
        False,
    )
    assert deck.epoch > epoch
    epoch = deck.epoch
    await deck.close()
    await deck.close()
    assert (deck.sim, deck.describe()["file"]) == (None, None)
    assert deck.epoch > epoch


@on_loop
async def test_of_two_that_are_opened_at_once_the_later_is_in(file, tmp_path):
    other = tmp_path / "other.mcap"
    other.write_bytes(record_to_bytes(open_target(THERMOSTAT, seed=2, collect=False).simulation, 2))
    deck = Player()
    first, second = await asyncio.gather(deck.open(file), deck.open(other), return_exceptions=True)
    assert "something else to do" in str(first)
    assert (second, deck.describe()["file"]) == (None, str(other))
    await deck.close()


@on_loop
async def test_who_waits_for_a_seek_is_let_go_when_the_deck_is_emptied(file):
    deck = await loaded(file, Wall())
    deck.seek(LENGTH_S)
    waiting = asyncio.create_task(deck.settled())
    await asyncio.sleep(0)
    await deck.close()
    await waiting
    assert deck.describe()["seeking"] is None


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
    deck = await loaded(tmp_path / "f.mcap", Wall())
    deck.play()
    await turn_until(lambda: not deck.describe()["playing"])
    assert (time_s(deck), deck.describe()["end_s"]) == (0.4, 0.4)
    assert "ZeroDivisionError: told to" in deck.describe()["failure"]
    deck.seek(0.1)
    await deck.settled()
    assert deck.describe()["failure"] == ""
    await deck.close()


@on_loop
async def test_trouble_of_our_own_is_told_and_the_deck_goes_on(file):
    deck = await loaded(file, Wall())
    snapshot = deck.sim.snapshot
    deck.sim.snapshot = lambda: 1 // 0
    deck.seek(50)
    await deck.settled()
    assert deck.describe()["failure"].startswith("ZeroDivisionError")
    deck.sim.snapshot = snapshot
    deck.seek(60)
    await deck.settled()
    assert (time_s(deck), deck.describe()["failure"]) == (60, "")
    await deck.close()
