"""Signals of a live run and of a recording: complete, bounded, and without an effect on the run."""

import asyncio
import csv
import io
from contextlib import asynccontextmanager
from typing import Any

import httpx
import numpy as np
import pytest

from host.driving import THERMOSTAT, bad, good, make_host, on_loop
from rigless.kernel import inputs as inp
from rigless.kernel.recording import record_to_bytes
from rigless.kernel.simulation import Simulation
from rigless.panel.history import sampler
from rigless.panel.history.points import unpack_block
from rigless.panel.history.signals import Signals
from rigless.panel.hub import Hub
from rigless.panel.player import Player
from rigless.panel.recordings.second_player import SecondPlayer
from rigless.panel.server import create_panel_app
from rigless.panel.stream.client import Client
from rigless.scenario.load import open_target

Thermostat: Any = type(next(iter(open_target(THERMOSTAT).simulation.robots.values())))
ROOM = "thermostat/truth/temperature_c"
SETPOINT = "thermostat/in/line/Set.celsius"
SCENARIO = THERMOSTAT / "winter.toml"


class Api:
    """The panel's API on a host in lockstep, without a network."""

    def __init__(self, http, hub, player):
        self.http, self.hub, self.host, self.player = http, hub, hub.host, player

    def run(self, seconds):
        self.host.sim.run(seconds)

    async def points(self, *signals, **query):
        answer = await self.http.get("/api/signals/data", params={"signal": signals, **query})
        assert answer.status_code == 200, answer.text
        _, _, _, found = unpack_block(answer.content)
        return [found[n] for n in range(len(signals))]


async def turn_until(true):
    while not true():
        await asyncio.sleep(0)


@asynccontextmanager
async def api(target=THERMOSTAT, settings=("ports.line=0",)):
    host, player = make_host(target, "lockstep", settings=settings), Player()
    hub = Hub(host, [player])
    hub.feed.start()
    app = create_panel_app(host, hub, player, SecondPlayer(player))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield Api(http, hub, player)
    await player.close()
    await hub.close()


@on_loop
async def test_history_is_complete_from_the_start_and_equals_the_truth():
    async with api() as here:
        true = []
        state = here.host.sim.truth("thermostat")
        here.host.sim.core.sample(10.0, lambda: true.append(state.temperature_c))
        here.run(30.0)  # nobody has asked for a signal
        (found,) = await here.points(ROOM, points=4000)
        assert found.times_s.tolist() == [n / 10 for n in range(301)]
        assert found.values[1:].tolist() == true
        text = (await here.http.get("/api/signals/csv", params={"signal": ROOM, "from_s": 9})).text
        rows = list(csv.reader(io.StringIO(text)))
        assert rows[0] == ["time_s", ROOM]
        assert [float(value) for _, value in rows[1:]] == found.values[90:].tolist()
        (thin,) = await here.points(ROOM, points=10)
        assert thin.times_s.size <= 42
        assert (thin.values.min(), thin.values.max()) == (found.values.min(), found.values.max())


@on_loop
async def test_signals_are_listed_with_labels_and_units():
    async with api() as here:
        found = await good(here.http.get("/api/signals", params={"robot": "thermostat"}))
        by_name = {
            one["name"]: (one["section"], one["label"], one["unit"]) for one in found["signals"]
        }
        assert by_name[ROOM] == ("truth", "Temperature", "°C")
        assert by_name["thermostat/input/outside_c"] == ("input", "Outside", "°C")
        report = by_name["thermostat/out/reports/Report.temperature_c"]
        assert report == ("out", "Report.temperature_c", "°C")
        assert by_name[SETPOINT] == ("in", "Set.celsius", "")
        few = await good(here.http.get("/api/signals", params={"text": "TEMP °c", "limit": 1}))
        assert few["signals"][0]["name"] == ROOM
        assert few["left_out"] > 0


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("nobody/truth/x", "unknown robot 'nobody'"),
        ("thermostat/trut/x", "not the name of a signal"),
        ("thermostat/out/line", "incomplete"),
        ("thermostat/out/line/Answer.", "incomplete"),
        ("", "not the name of a signal"),
    ],
)
@on_loop
async def test_a_wrong_name_is_refused_with_a_sentence(name, what):
    async with api() as here:
        problem = await bad(here.http.get("/api/signals/data", params={"signal": name}))
        assert what in problem["what"]
        client = Client(None)
        with pytest.raises(Exception, match=what):
            here.hub.plot(client, 1, "live", [name])


@on_loop
async def test_time_that_goes_back_drops_the_samples_of_another_past():
    async with api() as here:
        here.run(10.0)
        saved = here.host.sim.snapshot()
        here.host.sim.set_input("thermostat", "window_open", True)
        here.host.sim.inject("thermostat", "heater", "stall")
        here.run(10.0)
        here.host.sim.restore(saved)
        here.run(5.0)
        (found,) = await here.points(ROOM)
        assert found.times_s[-1] == 15.0
        assert np.diff(found.values[100:]).min() > -0.01  # it was never cold
        marks = await good(here.http.get("/api/signals/marks"))
        assert marks["faults"] == []
        assert here.hub.feed.generation("live") == 1


@on_loop
async def test_faults_events_and_limits_are_marks():
    async with api(SCENARIO, ()) as here:
        here.run(3.0)
        here.host.sim.inject("hall", "heater", "stall")
        here.run(1.0)
        here.host.sim.clear("hall")
        marks = await good(here.http.get("/api/signals/marks"))
        mine = next(fault for fault in marks["faults"] if fault["begin_s"] == 3.0)
        assert (mine["target"], mine["kind"], mine["end_s"]) == ("heater", "stall", 4.0)
        assert any(limit["signal"].startswith("hall/truth/") for limit in marks["limits"])


@on_loop
async def test_new_points_of_numbers_and_messages_follow():
    async with api() as here:
        client = Client(None)
        here.hub.plot(client, 5, "live", [ROOM, SETPOINT])
        here.run(1.0)
        here.host.sim.send("thermostat", "line", b"SET 21.5\n")
        here.run(1.0)
        number, _, time_s, found = unpack_block(here.hub.feed.block(client))
        assert (number, time_s) == (5, 2.0)
        assert found[0].times_s.tolist() == [n / 10 for n in range(1, 21)]
        assert (found[1].times_s.tolist(), found[1].values.tolist()) == ([1.0], [21.5])
        assert here.hub.feed.block(client) == b""
        here.hub.plot(client, 5, "live", [])
        assert here.hub.feed.live.sampler.watched == set()
        here.host.sim.reset()
        here.host.sim.send("thermostat", "line", b"SET 19\n")  # a picked field is kept
        assert [one.values.tolist() for one in await here.points(SETPOINT)] == [[19.0]]


@on_loop
async def test_a_recording_is_read_to_its_end_while_the_player_stands(tmp_path):
    file = tmp_path / "room.mcap"
    sim = open_target(THERMOSTAT, seed=1, collect=False).simulation
    sim.schedule(2_000_000_000, inp.Inject("thermostat", "heater", "stall", {}, None))
    sim.schedule(5_000_000_000, inp.Send("thermostat", "line", "Set", {"celsius": 22.0}))
    file.write_bytes(record_to_bytes(sim, 20.0, truth_hz=0))
    async with api() as here:
        problem = await bad(here.http.get("/api/signals", params={"stage": "recording"}))
        assert "no recording is open" in problem["what"]
        await here.player.open(file)
        await good(here.http.get("/api/signals", params={"stage": "recording"}))
        await here.hub.feed.scan.wait()
        (found,) = await here.points(ROOM, stage="recording", points=4000)
        assert here.player.describe()["time_s"] == 0.0
        assert found.times_s.tolist() == [n / 10 for n in range(201)]
        marks = await good(here.http.get("/api/signals/marks", params={"stage": "recording"}))
        assert [fault["begin_s"] for fault in marks["faults"]] == [2.0]
        before = here.hub.feed.generation("recording")
        await here.points(SETPOINT, stage="recording")  # picked later: it is read again
        await turn_until(lambda: here.hub.feed.generation("recording") > before)
        await here.hub.feed.scan.wait()
        (setpoint,) = await here.points(SETPOINT, stage="recording")
        assert (setpoint.times_s.tolist(), setpoint.values.tolist()) == ([5.0], [22.0])
        (again,) = await here.points(ROOM, stage="recording", points=4000)
        assert again.times_s.tolist() == found.times_s.tolist()


def test_a_recording_is_the_same_with_and_without_plots():
    def recorded(plotted):
        built = open_target(THERMOSTAT, seed=3, collect=False)
        if plotted:
            signals = Signals(built.simulation)
            names = [signals.check(name) for name in (ROOM, SETPOINT)]
            signals.pick(names)
            signals.watch(names, listed=True)
        return record_to_bytes(built.simulation, 20.0)

    assert recorded(True) == recorded(False)


def test_many_robots_are_sampled_in_turns_and_those_of_a_plot_at_the_full_rate(monkeypatch):
    monkeypatch.setattr(sampler, "ROBOTS_PER_S", 10.0)
    monkeypatch.setattr(sampler, "MAX_ROBOTS", 4)
    rooms = [Thermostat(f"room{n}", Thermostat.Config()) for n in range(5)]
    sim = Simulation(rooms, collect=False)
    signals = Signals(sim)
    signals.watch([signals.check("room2/truth/temperature_c")], listed=False)
    sim.run(10.0)
    counts = {name: len(track.pyramid) for name, track in signals.sampler.tracks.items()}
    assert counts == {"room0": 26, "room1": 26, "room2": 101, "room3": 26}
    assert ["each is sampled 2.5 times" in note for note in signals.notes()] == [True, False]
    signals.watch([signals.check("room4/truth/temperature_c")], listed=False)
    sim.run(1.0)
    assert len(signals.sampler.tracks["room4"].pyramid) == 10


def test_fast_time_without_a_plot_is_sampled_by_the_wall_clock(monkeypatch):
    wall = [0.0]
    monkeypatch.setattr(sampler.time, "monotonic", lambda: wall[0])
    sim = open_target(THERMOSTAT, collect=False).simulation
    signals = Signals(sim, slow=lambda: True)
    sim.run(1000.0)
    assert len(signals.sampler.tracks["thermostat"].pyramid) == 1
    for _ in range(10):
        wall[0] += 1.0
        sim.run(10.0)
    assert len(signals.sampler.tracks["thermostat"].pyramid) == 11
    assert "fast time" in signals.notes()[0]


def test_code_of_a_robot_that_fails_is_named_and_left_out():
    sim = open_target(THERMOSTAT, collect=False).simulation
    sim.robots["thermostat"].truth = lambda: 1 / 0
    signals = Signals(sim)
    sim.run(1.0)
    names = [entry["name"] for entry in signals.entries()]
    assert "thermostat/input/outside_c" in names
    assert signals.notes()[0] == (
        "truth of thermostat is not sampled: ZeroDivisionError: division by zero"
    )


@on_loop
async def test_a_recording_that_was_closed_has_no_samples_and_no_marks():
    async with api() as here:
        data = await here.http.get(
            "/api/signals/data", params={"stage": "recording", "signal": "a/b"}
        )
        assert (data.status_code, len(data.content) > 0) == (200, True)
        marks = await good(here.http.get("/api/signals/marks", params={"stage": "recording"}))
        assert (marks["faults"], marks["events"], marks["limits"]) == ([], [], [])
