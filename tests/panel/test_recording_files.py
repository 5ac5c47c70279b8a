"""Files of recordings over the API: download, upload, trim and compare."""

from contextlib import asynccontextmanager

import httpx
import pytest

from host.driving import THERMOSTAT, bad, good, make_host, on_air, on_loop
from rigless.host.api.control import create_app
from rigless.kernel.inputs import Send
from rigless.kernel.recording import record_to_bytes
from rigless.panel.recordings import recording_files
from rigless.panel.recordings.recording_files import add_recording_file_routes
from rigless.recordings.reader import Recording
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target


@asynccontextmanager
async def api(folder):
    host = make_host(speed="lockstep", recordings=folder)
    app = create_app(host)
    add_recording_file_routes(app, host)
    async with (
        on_air(host),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60
        ) as http,
    ):
        yield http


def room(path, seed=1, warm=False):
    sim = open_target(THERMOSTAT, seed=seed, collect=False).simulation
    if warm:
        sim.schedule(12_000_000_000, Send("thermostat", "line", "Set", {"celsius": 25.0}))
    path.write_bytes(record_to_bytes(sim, 20.0))
    return path


async def refused(request, sentence):
    assert sentence in (await bad(request))["what"]


@on_loop
async def test_a_recording_can_be_downloaded_and_uploaded(tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    data = room(folder / "a.mcap").read_bytes()
    async with api(folder) as http:
        response = await http.get("/api/recordings/file", params={"file": "a.mcap"})
        assert response.content == data
        assert 'filename="a.mcap"' in response.headers["content-disposition"]
        await refused(
            http.get("/api/recordings/file", params={"file": "../a.mcap"}), "names a folder"
        )
        send = {"params": {"file": "a.mcap"}, "content": data}
        found = await good(http.post("/api/recordings/file", **send))
        assert (found["name"], found["end_s"], found["missing"]) == ("a-2.mcap", 20.0, "")
        assert (folder / "a-2.mcap").read_bytes() == data
        outside = {"params": {"file": "../../out.mcap"}, "content": data}
        assert (await good(http.post("/api/recordings/file", **outside)))["name"] == "out.mcap"

        broken = bytearray(data)
        broken[len(data) // 2] ^= 0xFF
        for content, sentence in (
            (bytes(broken), "damaged at byte"),
            (b"hello", "not a readable MCAP file"),
            (b"", "no rigless recording"),
        ):
            upload = {"params": {"file": "x.mcap"}, "content": content}
            await refused(http.post("/api/recordings/file", **upload), sentence)
        cut = {"params": {"file": "cut.mcap"}, "content": data[: len(data) // 2]}
        assert (await good(http.post("/api/recordings/file", **cut)))["missing"]
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["a-2.mcap", "a.mcap", "cut.mcap", "out.mcap"]


@on_loop
async def test_an_upload_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(recording_files, "LARGEST_UPLOAD", 1 << 20)
    async with api(tmp_path) as http:
        upload = {"params": {"file": "x.mcap"}, "content": bytes((1 << 20) + 1)}
        await refused(http.post("/api/recordings/file", **upload), "is larger than 1 MiB")
        assert not list(tmp_path.glob("*.mcap"))


@on_loop
async def test_a_part_of_a_recording_can_be_replayed(tmp_path):
    room(tmp_path / "a.mcap", warm=True)
    async with api(tmp_path) as http:
        body = {"file": "a.mcap", "begin_s": 5.0, "end_s": 15.5}
        found = await good(http.post("/api/recordings/trim", json=body))
        assert found["name"] == "a-5s-15.5s.mcap"
        assert (found["begin_s"], found["end_s"]) == (5.0, 15.5)
        part = Recording.open(found["path"])
        assert part.snapshot is not None
        assert any(record.direction == "in" for record in part)
        assert verify(found["path"]).difference is None
        whole = [r for r in Recording.open(tmp_path / "a.mcap") if 5e9 < r.time_ns <= 15.5e9]
        assert [r for r in part if r.time_ns > 5e9] == whole

        again = {"file": found["path"], "begin_s": 10.0, "end_s": 1e6}  # a part of a part
        found = await good(http.post("/api/recordings/trim", json=again))
        assert (found["begin_s"], found["end_s"]) == (10.0, 15.5)
        empty = {"file": "a.mcap", "begin_s": 30.0, "end_s": 40.0}
        await refused(http.post("/api/recordings/trim", json=empty), "is empty")
        assert len(list(tmp_path.glob("*.mcap"))) == 3


@on_loop
async def test_two_recordings_are_compared_side_by_side(tmp_path):
    for name, warm in (("a", False), ("b", True), ("c", False)):
        room(tmp_path / f"{name}.mcap", warm=warm)
    async with api(tmp_path) as http:
        query = {"left": "a.mcap", "right": "c.mcap"}
        assert (await good(http.get("/api/recordings/compare", params=query)))["equal"]
        query = {"left": "a.mcap", "right": "b.mcap"}
        found = await good(http.get("/api/recordings/compare", params=query))
        assert not found["equal"]
        assert found["time_s"] == pytest.approx(12.0, abs=1.1)
        assert found["text"].startswith("robot thermostat")
        row = found["rows"][found["first"]]
        assert row["different"] or row["left_s"] is None
        assert not any(row["different"] for row in found["rows"][: found["first"]])
        query = {"left": "a.mcap", "right": "nope.mcap"}
        await refused(http.get("/api/recordings/compare", params=query), "there is no file")
