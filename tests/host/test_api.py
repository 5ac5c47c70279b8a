"""The control API over real HTTP: every endpoint, and its entry in openapi.json."""

import asyncio
import socket
from contextlib import asynccontextmanager

import httpx
import jsonschema
import pytest

from rigless.recordings.replay import verify

from .driving import bad, client_of, good, make_host, on_loop, until, with_api


@asynccontextmanager
async def api(speed="lockstep", recordings=None):
    host = make_host(speed=speed, recordings=recordings)
    async with (
        with_api(host) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        yield host, http


PATHS = """\
/api/deck delete get post
/api/deck/events get
/api/deck/overview get
/api/deck/pause post
/api/deck/play post
/api/deck/second delete get post
/api/deck/seek post
/api/deck/step post
/api/estop post
/api/events get
/api/faults delete get post
/api/fleet/actions post
/api/fleet/clear post
/api/fleet/estop post
/api/fleet/faults post
/api/metrics get
/api/pause post
/api/recording delete post
/api/recordings get
/api/recordings/compare get
/api/recordings/file get post
/api/recordings/link post
/api/recordings/trim post
/api/reset post
/api/restore post
/api/resume post
/api/robots/{robot} get
/api/robots/{robot}/actions post
/api/robots/{robot}/goal delete get post
/api/robots/{robot}/inputs post
/api/robots/{robot}/messages post
/api/robots/{robot}/page get
/api/robots/{robot}/place post
/api/robots/{robot}/program get post
/api/robots/{robot}/program/hold post
/api/robots/{robot}/program/resume post
/api/robots/{robot}/program/run post
/api/robots/{robot}/program/stop post
/api/robots/{robot}/reach post
/api/robots/{robot}/schemas get
/api/robots/{robot}/sliders post
/api/robots/{robot}/truth get
/api/robots/{robot}/wire post
/api/signals get
/api/signals/csv get
/api/signals/data get
/api/signals/marks get
/api/snapshots get post
/api/snapshots/{name} get
/api/speed post
/api/status get
/api/step post
/api/stop post
/api/wire/{number} get
/api/world get
/api/world/cells get
/api/world/devices get post
/api/world/obstacles delete post
/api/zones delete get post
/api/zones/block post"""


@on_loop
async def test_status_tells_all_there_is_to_know():
    async with api() as (host, http), client_of(host) as client:
        await client.ask("GET")
        status = await good(http.get("/api/status"))
        assert (status["name"], status["state"], status["time_s"], status["pace"]) == (
            "thermostat",
            "lockstep",
            0,
            "lockstep",
        )
        (robot,) = status["robots"]
        assert robot["inputs"] == {"window_open": False, "outside_c": 5.0}
        assert robot["ports"][0] == {
            "name": "line",
            "url": host.address("thermostat", "line"),
            "links": 1,
            "dropped": 0,
            "problem": "",
            "transport": "tcp",
            "example_label": "",
            "direction": "both",
            "example": "rigless send thermostat line GET",
        }


@on_loop
async def test_time_is_paused_resumed_stepped_and_paced():
    async with api(1.0) as (host, http):
        assert (await good(http.post("/api/pause")))["state"] == "paused"
        before = host.sim.now_ns
        status = await good(http.post("/api/step", json={"ms": 250}))
        assert (status["state"], host.sim.now_ns - before) == ("paused", 250_000_000)
        assert (await good(http.post("/api/step", json={})))["time_s"] == pytest.approx(
            (before + 260_000_000) / 1e9
        )
        assert (await good(http.post("/api/resume")))["state"] == "running"
        assert (await good(http.post("/api/speed", json={"speed": 2.5})))["speed"] == 2.5
        assert (await good(http.post("/api/speed", json={"speed": "fast"})))["pace"] == "fast"
        assert (await good(http.post("/api/speed", json={"speed": "lockstep"})))[
            "state"
        ] == "lockstep"
        assert (await good(http.post("/api/reset")))["time_s"] == 0


@on_loop
async def test_a_robot_tells_its_inputs_fault_targets_and_truth():
    async with api() as (_, http):
        robot = await good(http.get("/api/robots/thermostat"))
        assert robot["declared_inputs"] == {
            "window_open": {
                "default": False,
                "help": "an open window loses heat",
                "label": "Window open",
                "by_host": False,
                "low": None,
                "high": None,
                "choices": [],
            },
            "outside_c": {
                "default": 5.0,
                "help": "temperature outside",
                "label": "Outside °C",
                "by_host": False,
                "low": None,
                "high": None,
                "choices": [],
            },
        }
        assert robot["fault_targets"]["temperature"]["bias"] == {"value": 1.0}
        assert robot["fault_targets"]["relay"] == {"welded": {}}
        told = await good(http.get("/api/robots/thermostat/truth"))
        assert told["time_s"] == 0
        assert (
            told["truth"].items()
            >= {"temperature_c": 18.0, "measured_c": None, "heating": False}.items()
        )
        assert (
            "did you mean 'thermostat'" in (await bad(http.get("/api/robots/thermostatt")))["fix"]
        )


@on_loop
async def test_inputs_are_set_all_or_none():
    async with api() as (host, http):
        robot = await good(
            http.post(
                "/api/robots/thermostat/inputs",
                json={"inputs": {"window_open": True, "outside_c": -5}},
            )
        )
        assert robot["inputs"] == {"window_open": True, "outside_c": -5.0}
        body = {"inputs": {"outside_c": 30, "window_open": "ajar"}}
        assert (
            "window_open"
            in (await bad(http.post("/api/robots/thermostat/inputs", json=body)))["where"]
        )
        assert host.sim.robot("thermostat").input["outside_c"] == -5.0


@on_loop
async def test_messages_reach_the_robot():
    async with api() as (host, http):
        await good(
            http.post(
                "/api/robots/thermostat/messages",
                json={"port": "line", "message": {"type": "Set", "celsius": 23}},
            )
        )
        assert host.sim.truth("thermostat").setpoint_c == 23.0
        problem = await bad(
            http.post(
                "/api/robots/thermostat/messages",
                json={"port": "line", "message": {"type": "Sett"}},
            )
        )
        assert "did you mean 'Set'" in problem["fix"]


@on_loop
async def test_faults_are_injected_listed_and_cleared_and_end_by_themselves():
    async with api() as (host, http):
        bias = {
            "robot": "thermostat",
            "target": "temperature",
            "kind": "bias",
            "params": {"value": 3},
        }
        (fault,) = await good(http.post("/api/faults", json=bias))
        assert (fault["kind"], fault["seam"], fault["params"]) == ("bias", "sensor", {"value": 3.0})
        short = {"robot": "thermostat", "target": "heater", "kind": "stall", "for_s": 1.5}
        assert len(await good(http.post("/api/faults", json=short))) == 2
        await host.step(1500)
        assert [fault["kind"] for fault in await good(http.get("/api/faults"))] == ["bias"]
        assert (
            await good(
                http.delete("/api/faults", params={"robot": "thermostat", "target": "heater"})
            )
            != []
        )
        assert await good(http.delete("/api/faults", params={"robot": "thermostat"})) == []
        assert (await bad(http.post("/api/faults", json={**bias, "kind": "bia"})))[
            "fix"
        ] == "did you mean 'bias'?"


@on_loop
async def test_snapshots_are_kept_by_name_and_in_files(tmp_path):
    file = str(tmp_path / "kept" / "a.snapshot")
    async with api(recordings=tmp_path / "kept") as (host, http):
        await host.step(1000)
        body = {"name": "one", "file": "a"}
        assert await good(http.post("/api/snapshots", json=body)) == {
            "name": "one",
            "time_s": 1,
            "file": file,
        }
        await host.step(1000)
        await good(http.post("/api/snapshots", json={}))
        assert [kept["time_s"] for kept in await good(http.get("/api/snapshots"))] == [1, 2]
        assert (await good(http.post("/api/restore", json={"name": "one"})))["time_s"] == 1
        data = (await good(http.get("/api/snapshots/one")))["data"]
        assert "unknown snapshot" in (await bad(http.get("/api/snapshots/two")))["what"]
        assert "exists already" in (await bad(http.post("/api/snapshots", json=body)))["what"]
        await good(http.post("/api/snapshots", json={**body, "force": True}))
    async with api(recordings=tmp_path / "kept") as (_, http):
        for body in ({"file": "a.snapshot"}, {"file": file}, {"data": data}):
            assert (await good(http.post("/api/restore", json=body)))["time_s"] == 1
        for body in ({"file": "none"}, {"data": "%"}, {"data": data[:-8]}):
            assert (await bad(http.post("/api/restore", json=body)))["what"]


@on_loop
async def test_a_recording_is_started_and_stopped(tmp_path):
    file = tmp_path / "f.mcap"
    async with api(recordings=tmp_path) as (host, http):
        await host.step(500)
        assert (await good(http.post("/api/recording", json={"file": "f"})))["recording"] == str(
            file
        )
        await good(
            http.post("/api/robots/thermostat/inputs", json={"inputs": {"window_open": True}})
        )
        await host.step(510)
        assert (await good(http.get("/api/metrics")))["recorded_messages"] > 10
        assert (
            "already recording"
            in (await bad(http.post("/api/recording", json={"file": "g.mcap"})))["what"]
        )
        assert await good(http.delete("/api/recording")) == {"file": str(file)}
        assert (await bad(http.delete("/api/recording")))["what"] == "nothing is being recorded"
    assert verify(file).difference is None


OUTSIDE = [
    *("../x.mcap", "/tmp/x.mcap", "a/b.mcap", "..", ".", ".hidden.mcap", "-rf.mcap"),
    *("a\\b.mcap", "a\nb.mcap", "a\0b.mcap", "\x1b[31m.mcap", "\u202egnp.mcap", " a.mcap", ""),
    *("x" * 300 + ".mcap", "é" * 120 + ".mcap", "link.mcap", "loop.mcap", "folder.mcap"),
]


@on_loop
async def test_the_api_neither_writes_nor_opens_files_outside_its_folder(tmp_path, monkeypatch):
    folder, elsewhere = tmp_path / "kept", tmp_path / "elsewhere"
    for place in (folder, elsewhere, folder / "folder.mcap", folder / "folder.mcap.snapshot"):
        place.mkdir()
    monkeypatch.chdir(elsewhere)
    (tmp_path / "secret.mcap").write_bytes(b"secret")
    for name in ("link.mcap", "link.mcap.snapshot"):
        (folder / name).symlink_to(tmp_path / "secret.mcap")
    for name in ("loop.mcap", "loop.mcap.snapshot"):
        (folder / name).symlink_to(folder / name)
    before = sorted(tmp_path.rglob("*"))
    async with api(recordings=folder) as (host, http):
        for name in OUTSIDE:
            for force in (False, True):
                body = {"file": name, "force": force}
                await bad(http.post("/api/recording", json=body))
                if name:
                    await bad(http.post("/api/snapshots", json=body))
            for path in ("/api/deck", *(["/api/restore"] if name else [])):
                assert "secret" not in (await bad(http.post(path, json={"file": name})))["what"]
        assert host.recording_file.path is None
        assert [one["name"] for one in await good(http.get("/api/recordings"))] == []
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "secret.mcap").read_bytes() == b"secret"


@on_loop
async def test_a_recording_replaces_a_file_only_by_force(tmp_path):
    (tmp_path / "f.mcap").write_bytes(b"old")
    (tmp_path / "elsewhere").hardlink_to(tmp_path / "f.mcap")
    async with api(recordings=tmp_path) as (host, http):
        problem = await bad(http.post("/api/recording", json={"file": "f.mcap"}))
        assert "f.mcap exists already" in problem["what"]
        assert "force" in problem["fix"]
        assert (tmp_path / "f.mcap").read_bytes() == b"old"
        await good(http.post("/api/recording", json={"file": "f.mcap", "force": True}))
        await host.step(100)
    assert verify(tmp_path / "f.mcap").difference is None
    assert (tmp_path / "elsewhere").read_bytes() == b"old"


@on_loop
async def test_metrics_and_events_are_told():
    async with api() as (host, http):
        await host.step(1000)
        metrics = await good(http.get("/api/metrics"))
        assert (metrics["time_s"], metrics["robots"]) == (1, {"thermostat": {"switched": 1}})
        assert metrics["events_processed"] >= 11
        (event,) = await good(http.get("/api/events"))
        assert (event["code"], event["time_ns"], event["data"]) == (
            "heater",
            100_000_000,
            {"on": True},
        )
        assert await good(http.get("/api/events", params={"since_s": 0.2})) == []


@on_loop
async def test_openapi_is_valid_and_lists_every_path():
    async with api() as (_, http):
        document = await good(http.get("/openapi.json"))
        assert document["openapi"].startswith("3.")
        found = [
            f"{path} {' '.join(sorted(methods))}"
            for path, methods in sorted(document["paths"].items())
        ]
        assert found == PATHS.split("\n")
        for schema in document["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)


@on_loop
async def test_a_stop_finishes_the_recording_and_a_resume_begins_again(tmp_path):
    async with api(1.0, tmp_path) as (host, http):
        await good(http.post("/api/recording", json={"file": "f.mcap"}))
        await until(lambda: host.recording_file.messages)
        status = await good(http.post("/api/stop"))
        assert (status["state"], status["recording"]) == ("stopped", None)
        at_ns, wall_s = host.sim.now_ns, status["wall_s"]
        assert verify(tmp_path / "f.mcap").difference is None
        assert (await good(http.post("/api/stop")))["wall_s"] == wall_s > 0
        assert host.sim.now_ns == at_ns
        assert (await good(http.post("/api/resume")))["state"] == "running"
        await until(lambda: host.sim.now_ns > at_ns)


@on_loop
async def test_wall_time_starts_over_with_simulated_time():
    async with api(1.0) as (host, http):
        await until(lambda: host.wall_s > 0.05)
        host.pause()
        assert (await good(http.get("/api/status")))["wall_s"] == host.wall_s > 0.05
        assert (await good(http.post("/api/reset")))["wall_s"] == 0


@on_loop
async def test_a_long_step_does_not_keep_others_waiting():
    async with api() as (host, http), client_of(host) as client:
        done = []
        request = http.build_request("POST", "/api/step", json={"ms": 3.6e6})
        stepping = asyncio.create_task(http.send(request))
        stepping.add_done_callback(lambda task: done.append(host.sim.now_ns))
        await until(lambda: host.sim.now_ns > 0)
        assert await client.ask("SET 21") == "OK"
        assert not done
        await stepping
        assert done == [3_600_000_000_000]


@on_loop
async def test_answers_are_not_held_back_to_be_sent_with_others():
    host = make_host(speed="lockstep")
    async with (
        with_api(host) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        await good(http.get("/api/status"))
        (connection,) = server._server.server_state.connections
        accepted = connection.transport.get_extra_info("socket")
        assert accepted.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY
        )  # else each answer takes 40 ms
