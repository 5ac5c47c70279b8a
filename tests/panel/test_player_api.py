"""The HTTP routes of the player and of the list of recordings."""

import asyncio
import os
import re
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from host.driving import THERMOSTAT, bad, good, make_host, on_air, on_loop, until
from rigless.host.api.control import create_app
from rigless.kernel.recording import record_to_bytes
from rigless.panel.player import Player
from rigless.panel.recordings.player_api import MAX_LISTED, add_player_routes
from rigless.panel.recordings.second_player import SecondPlayer
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target

DEFAULT_NAME = r"thermostat-\d{8}-\d{6}(-\d)?\.mcap"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@asynccontextmanager
async def api():
    host, player = make_host(speed="lockstep", recordings=Path.cwd()), Player()
    second = SecondPlayer(player)
    app = create_app(host)
    add_player_routes(app, host, player, second)
    async with (
        on_air(host),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
        ) as http,
    ):
        yield host, http
        await second.close()
        await player.close()


def room(path, seconds=20.0):
    path.write_bytes(
        record_to_bytes(
            open_target(THERMOSTAT, seed=1, collect=False).simulation, seconds, truth_hz=0
        )
    )
    return path


@on_loop
async def test_the_recordings_of_this_folder_and_of_this_run_are_listed_newest_first(
    folder, tmp_path
):
    for age, name in enumerate(("new.mcap", "old.mcap", "older.mcap")):
        (folder / name).write_bytes(b"x" * (age + 1))
        os.utime(folder / name, (1_000_000_000 - age, 1_000_000_000 - age))
    (folder / "notes.txt").write_text("no recording")
    (folder / "folder.mcap").mkdir()
    async with api() as (host, http):
        host.recording_file.start(tmp_path / "elsewhere.mcap")
        host.recording_file.stop()
        host.recording_file.start(folder / "now.mcap")
        found = await good(http.get("/api/recordings"))
        assert {entry["name"] for entry in found[:2]} == {"elsewhere.mcap", "now.mcap"}
        assert [entry["name"] for entry in found if entry["writing"]] == ["now.mcap"]
        assert found[2:] == [
            {
                "name": "new.mcap",
                "path": str(folder / "new.mcap"),
                "bytes": 1,
                "modified": "2001-09-09T01:46:40+00:00",
                "writing": False,
            },
            {
                "name": "old.mcap",
                "path": str(folder / "old.mcap"),
                "bytes": 2,
                "modified": "2001-09-09T01:46:39+00:00",
                "writing": False,
            },
            {
                "name": "older.mcap",
                "path": str(folder / "older.mcap"),
                "bytes": 3,
                "modified": "2001-09-09T01:46:38+00:00",
                "writing": False,
            },
        ]
        host.recording_file.stop()
        (tmp_path / "elsewhere.mcap").unlink()
        found = await good(http.get("/api/recordings"))
        assert [entry["name"] for entry in found] == [
            "now.mcap",
            "new.mcap",
            "old.mcap",
            "older.mcap",
        ]
        assert not any(entry["writing"] for entry in found)
        for number in range(MAX_LISTED + 10):
            (folder / f"{number}.mcap").touch()
        assert len(await good(http.get("/api/recordings"))) == MAX_LISTED


@on_loop
async def test_a_recording_without_a_name_gets_one_that_is_new(folder):
    async with api() as (host, http):
        names = []
        for body in ({"json": {}}, {}, {"json": {"file": None}}):
            status = await good(http.post("/api/recording", **body))
            await host.step(500)
            assert await good(http.delete("/api/recording")) == {"file": status["recording"]}
            names.append(os.path.basename(status["recording"]))
        assert sorted(path.name for path in folder.iterdir()) == sorted(names)
        assert len(set(names)) == 3
        assert all(re.fullmatch(DEFAULT_NAME, name) for name in names)
        await good(http.post("/api/recording"))
        assert "already recording" in (await bad(http.post("/api/recording")))["what"]
        assert len(list(folder.iterdir())) == 4
        await host.step(500)
    assert all(verify(path).difference is None for path in folder.iterdir())


@on_loop
async def test_a_recording_is_opened_sought_stepped_played_and_closed(folder):
    room(folder / "a.mcap")
    async with api() as (_, http):
        player = await good(http.post("/api/deck", json={"file": "a.mcap"}))
        assert (player["file"], player["time_s"], player["end_s"], player["seeking"]) == (
            str(folder / "a.mcap"),
            0,
            20,
            None,
        )
        assert (await good(http.post("/api/deck/seek", json={"time_s": 12.5})))["seeking"] == 0
        assert (await good(http.post("/api/deck/step", json={"ms": -500})))["time_s"] == 12
        assert (await good(http.post("/api/deck/step", json={})))["time_s"] == 12.01
        player = await good(http.post("/api/deck/play", json={"speed": "fast"}))
        assert (player["playing"], player["speed"]) == (True, "fast")
        while (player := await good(http.get("/api/deck")))["playing"]:
            await asyncio.sleep(0.001)
        assert player["time_s"] == 20
        assert (await good(http.post("/api/deck/play", json={"speed": 0.5})))["speed"] == 0.5
        assert not (await good(http.post("/api/deck/pause")))["playing"]
        events = await good(http.get("/api/deck/events"))
        assert (len(events), events[0]["code"], events[0]["time_ns"]) == (
            player["events"],
            "heater",
            100_000_000,
        )
        assert (await good(http.delete("/api/deck")))["file"] is None
        assert await good(http.get("/api/deck/events")) == []


@on_loop
async def test_the_recording_that_is_being_made_can_be_opened(folder, monkeypatch):
    monkeypatch.setattr(
        "rigless.host.storage.recording_file.FLUSH_WALL_NS", 10**18
    )  # the file holds what the test has flushed
    async with api() as (host, http):
        file = (await good(http.post("/api/recording")))["recording"]
        await good(http.post("/api/robots/thermostat/inputs", json={"inputs": {"outside_c": -20}}))
        await host.step(2000)
        host.recording_file._recorder.flush()
        truth = (await good(http.get("/api/robots/thermostat/truth")))["truth"]
        await host.step(1000)
        player = await good(http.post("/api/deck", json={"file": file}))
        assert (player["cut"], player["end_s"]) == (True, 2)
        await good(http.post("/api/deck/step", json={"ms": 2000}))
        assert host.sim.now_s == 3
        answer = await good(http.get("/api/deck"))
        assert answer["time_s"] == 2
        assert truth["setpoint_c"] == 20


@on_loop
async def test_impossible_requests_are_reported(folder):
    room(folder / "a.mcap", 1)
    (folder / "b.mcap").write_bytes(b"nothing of the kind")
    async with api() as (_, http):
        assert (await bad(http.post("/api/deck/play", json={})))["what"] == "no recording is open"
        problem = await bad(http.post("/api/deck", json={"file": "none.mcap"}))
        assert problem["what"] == f"there is no file 'none.mcap' in {folder}"
        assert (
            "not a readable MCAP"
            in (await bad(http.post("/api/deck", json={"file": "b.mcap"})))["what"]
        )
        damaged = bytearray((folder / "a.mcap").read_bytes())
        damaged[damaged.index(b"zstd") + 50] ^= 1
        (folder / "c.mcap").write_bytes(damaged)
        assert "damaged at byte" in (await bad(http.post("/api/deck", json={"file": "c"})))["what"]
        await good(http.post("/api/deck", json={"file": "a.mcap"}))
        for path, text in (
            ("seek", '{"time_s": NaN}'),
            ("seek", '{"time_s": 1e999}'),
            ("seek", "{}"),
            ("step", '{"ms": 1e9}'),
            ("step", '{"ms": NaN}'),
            ("play", '{"speed": 11}'),
            ("play", '{"speed": "lockstep"}'),
            ("play", '{"speed": []}'),
        ):
            await bad(
                http.post(
                    f"/api/deck/{path}", content=text, headers={"Content-Type": "application/json"}
                )
            )
        assert (await good(http.get("/api/deck")))["time_s"] == 0


@on_loop
async def test_the_live_simulation_goes_its_own_way(folder):
    room(folder / "a.mcap", 600)
    async with api() as (host, http):
        host.set_speed(10)
        await good(http.post("/api/deck", json={"file": "a.mcap"}))
        await good(http.post("/api/deck/play", json={"speed": "fast"}))
        before_ns = host.sim.now_ns
        await until(
            lambda: host.sim.now_ns > before_ns + 500_000_000,
            "time that passes in the live simulation",
        )
        assert host.state == "running"
        while (player := await good(http.get("/api/deck")))["playing"]:
            await asyncio.sleep(0.001)
        assert player["time_s"] == 600


@on_loop
async def test_a_second_recording_is_opened_next_to_the_first_and_closed_with_it(folder):
    room(folder / "a.mcap")
    room(folder / "b.mcap", 10.0)
    async with api() as (_, http):
        second = {"file": "b.mcap"}
        assert (
            "no recording is open"
            in (await bad(http.post("/api/deck/second", json=second)))["what"]
        )
        assert (await good(http.get("/api/deck/overview")))["file"] is None
        await good(http.post("/api/deck", json={"file": "a.mcap"}))
        found = await good(http.post("/api/deck/second", json=second))
        assert (found["file"], found["end_s"]) == (str(folder / "b.mcap"), 10.0)
        await good(http.post("/api/deck/seek", json={"time_s": 7.5}))

        async def level():
            status = await good(http.get("/api/deck/second"))
            return status["level"] and status["time_s"] == 7.5

        while not await level():
            await asyncio.sleep(0.01)
        overview = await good(http.get("/api/deck/overview"))
        assert (overview["file"], overview["end_s"]) == (str(folder / "a.mcap"), 20.0)
        assert sum(overview["counts"]["info"]) > 0
        for close in (
            http.delete("/api/deck/second"),
            http.post("/api/deck", json={"file": "a.mcap"}),
            http.delete("/api/deck"),
        ):
            await good(close)
            assert (await good(http.get("/api/deck/second")))["file"] is None
            await good(http.post("/api/deck", json={"file": "a.mcap"}))
            await good(http.post("/api/deck/second", json=second))
