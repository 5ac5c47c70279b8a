"""Static files: only those of web/, with a policy that allows the page's one inline script."""

import base64
import hashlib
import re
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from host.driving import Client, make_host, on_loop, with_api
from rigless.panel import assets
from rigless.panel.assets import WEB

TRAVERSALS = [
    "/web/../server.py",
    "/web/../../host/auth.py",
    "/web/%2e%2e/server.py",
    "/web/..%2fserver.py",
    "/web/%2e%2e%2fserver.py",
    "/web/vendor/../../server.py",
    "/web/..\\server.py",
    "/web/..%5cserver.py",
    "/web//etc/passwd",
    "/web/%2fetc%2fpasswd",
    "/web/....//server.py",
    "/web/%252e%252e/server.py",
    "/web/..;/server.py",
    "/web/index.html%00.js",
    "/web/%c0%ae%c0%ae/server.py",
    "/../../../../etc/passwd",
    "//etc/passwd",
    "/web/./../server.py",
    "/web/" + "../" * 20 + "etc/passwd",
    "/web/" + "a" * 5000,
]


@asynccontextmanager
async def panel():
    async with (
        with_api(make_host(speed="lockstep")) as server,
        httpx.AsyncClient(base_url=server.address, timeout=60) as http,
    ):
        yield server, http


def policy(answer):
    """Return the content security policy as directive → words."""
    rules = answer.headers["content-security-policy"].split(";")
    return {words[0]: words[1:] for words in (rule.split() for rule in rules)}


@on_loop
async def test_the_one_inline_script_of_the_page_is_the_one_that_may_run():
    async with panel() as (_, http):
        page = await http.get("/")
        assert page.headers["content-type"].startswith("text/html")
        inline = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page.text, re.DOTALL)
        hashes = [
            "'sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() + "'"
            for one in inline
        ]
        assert policy(page)["script-src"] == ["'self'", *hashes]
        assert len(hashes) == 1
        assert not re.search(r"\bon[a-z]+\s*=|javascript:", page.text)  # the policy would block it


@on_loop
async def test_no_other_place_is_allowed_anything():
    async with panel() as (_, http):
        rules = policy(await http.get("/"))
        assert (rules["default-src"], rules["frame-ancestors"]) == (["'self'"], ["'none'"])
        allowed = {word for words in rules.values() for word in words}
        assert not {
            word
            for word in allowed
            if "//" in word or word in ("*", "'unsafe-eval'", "http:", "https:")
        }
        assert "'unsafe-inline'" not in rules["script-src"]


@on_loop
async def test_every_file_of_ours_is_served_as_what_it_is():
    kinds = {
        ".js": "text/javascript",
        ".css": "text/css",
        ".svg": "image/svg+xml",
        ".html": "text/html",
    }
    async with panel() as (_, http):
        for path in [
            path for path in WEB.rglob("*") if path.suffix in kinds and "vendor" not in path.parts
        ]:
            answer = await http.get(f"/web/{path.relative_to(WEB)}")
            assert answer.content == path.read_bytes()
            assert answer.headers["content-type"].partition(";")[0] == kinds[path.suffix]
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "content-security-policy" in answer.headers


@on_loop
async def test_no_path_leads_out_of_the_folder():
    async with panel() as (server, _):
        for path in TRAVERSALS:
            client = await Client.connect(server.address)  # httpx would normalise the path
            client.send(
                f"GET {path} HTTP/1.1\r\nHost: {urlsplit(server.address).netloc}\r\n"
                "Connection: close\r\n\r\n"
            )
            answer = await client.reader.read()
            await client.close()
            assert int(answer.split()[1]) in (400, 404, 405), (path, answer[:200])
            assert b"import" not in answer
            assert b"root:" not in answer


@on_loop
async def test_folders_are_not_listed_and_nothing_is_written():
    async with panel() as (_, http):
        for path in ("/web", "/web/", "/web/vendor/", "/web/vendor", "/web/nothing.js"):
            assert (await http.get(path, follow_redirects=True)).status_code == 404
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            assert (await http.request(method, "/web/main.js")).status_code == 405


@on_loop
async def test_without_its_libraries_the_page_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(assets, "VENDOR", tmp_path / "none")
    async with panel() as (_, http):
        page = await http.get("/")
        assert (page.status_code, "scripts/build-web" in page.text) == (503, True)
        assert (await http.get("/api/status")).status_code == 200


def test_a_page_without_an_import_map_is_noticed_at_once(monkeypatch, tmp_path):
    (tmp_path / "index.html").write_text("<html>")
    monkeypatch.setattr(assets, "WEB", tmp_path)
    with pytest.raises(AssertionError, match="import map"):
        assets.import_map_hash()
