"""Links to recordings for programs without a token: Foxglove reads parts from another origin."""

from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import httpx

from host.driving import bad, good, make_host, on_loop, with_api

DATA = bytes(range(256)) * 40


@asynccontextmanager
async def linked(folder):
    folder.mkdir(exist_ok=True)
    (folder / "a run.mcap").write_bytes(DATA)
    async with (
        with_api(make_host(speed="lockstep", recordings=folder), auth=True) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        headers = {"Authorization": f"Bearer {server.token}"}
        body = {"file": "a run.mcap"}
        yield http, await good(http.post("/api/recordings/link", json=body, headers=headers))


@on_loop
async def test_foxglove_reads_a_linked_recording_in_parts(tmp_path):
    async with linked(tmp_path) as (http, link):
        deep = urlsplit(link["foxglove"])
        assert (deep.scheme, deep.netloc) == ("foxglove", "open")
        assert parse_qs(deep.query) == {"ds": ["remote-file"], "ds.url": [link["url"]]}
        assert urlsplit(link["url"]).path.endswith("/a%20run.mcap")  # it goes by the ending
        origin = {"Origin": "https://app.foxglove.dev"}
        head = await http.head(link["url"], headers=origin)
        assert head.headers["content-length"] == str(len(DATA))
        assert head.headers["accept-ranges"] == "bytes"
        part = await http.get(link["url"], headers={**origin, "Range": "bytes=1000-1099"})
        assert (part.status_code, part.content) == (206, DATA[1000:1100])
        for answer in (head, part):
            assert answer.headers["access-control-allow-origin"] == "*"
            assert "content-range" in answer.headers["access-control-expose-headers"]
        asked = {**origin, "Access-Control-Request-Headers": "range"}
        preflight = await http.options(link["url"], headers=asked)
        assert preflight.is_success
        assert "range" in preflight.headers["access-control-allow-headers"]


@on_loop
async def test_a_link_opens_one_file_and_nothing_else(tmp_path):
    async with linked(tmp_path) as (http, link):
        path = urlsplit(link["url"]).path
        key = path.split("/")[2]
        (tmp_path / "other.mcap").write_bytes(b"secret")
        other = await http.get(f"/shared/{key}/other.mcap")
        assert other.content == DATA  # the name does not choose the file
        assert "not valid" in (await bad(http.get(f"/shared/{key}x/a.mcap")))["what"]
        for method, where in (
            ("GET", "/api/status"),
            ("GET", f"/shared/{key}/../../api/status"),
            ("GET", "/api/recordings/file?file=a%20run.mcap"),
            ("POST", path),
            ("DELETE", path),
            ("POST", "/api/recordings/link"),
        ):
            assert (await http.request(method, where)).status_code in (401, 405), where
        assert (await http.get(path, headers={"Host": "evil.example"})).status_code == 403
        (tmp_path / "a run.mcap").unlink()
        assert "its file is gone" in (await bad(http.get(path)))["what"]
