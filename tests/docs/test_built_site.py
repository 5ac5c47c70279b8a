"""The built site in a browser: it makes no request, and search, copying and themes work."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import sync_playwright

from building.places import ROOT, SITE

BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
pytestmark = pytest.mark.timeout(900)


class Page(HTMLParser):
    """Collects the ids of a page, and the addresses that it loads or leads to."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids: set[str] = set()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {given["id"] or ""} if "id" in given else set()
        if tag == "a":
            self.links += [given["href"] or ""] if "href" in given else []
        elif tag in ("link", "script", "img", "source", "iframe"):
            self.loaded += [value for key in ("src", "href") if (value := given.get(key))]


@pytest.fixture(scope="module")
def site() -> dict[Path, Page]:
    command = [sys.executable, "docs/build.py", "site"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return {path: Page(path) for path in SITE.rglob("*.html")}


def test_every_link_and_picture_of_the_site_exists(site):
    broken = []
    for path, page in site.items():
        for address in page.links + page.loaded:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = site.get(target)
            anchor = known is not None and parts.fragment and parts.fragment not in known.ids
            if not target.exists() or anchor:
                broken.append(f"{path.relative_to(SITE)}: {address}")
    assert broken == []


def test_no_page_loads_anything_from_elsewhere(site):
    outside = {one for page in site.values() for one in page.loaded if urlsplit(one).netloc}
    assert outside == set()


@pytest.fixture(scope="module")
def browser(site) -> Iterator[Any]:
    path = next((one for one in BROWSERS if Path(one).exists()), None)
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


def opened(browser: Any, name: str, width: int = 1280, scheme: str = "light") -> Any:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        permissions=["clipboard-read", "clipboard-write"],
    )
    page = context.new_page()
    page.requests, page.errors = [], []
    page.on("request", lambda one: page.requests.append(one.url))
    page.on("pageerror", lambda one: page.errors.append(str(one)))
    page.goto(f"file://{SITE / name}")
    return page


def test_search_finds_a_section_without_any_request(browser):
    page = opened(browser, "index.html")
    page.keyboard.press("/")
    page.keyboard.type("lockstep")
    page.locator(".search-dialog li a").first.wait_for()
    assert "ockstep" in page.locator(".search-dialog li").first.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/*.html*")
    assert {urlsplit(url).scheme for url in page.requests} <= {"file", "data"}
    assert page.errors == []


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("outbox_depth", "Truth · agv: all names"),  # at the end of a table
        ("how do I inject a fault", "nject"),  # words that every page has count nothing
        ("lockstep zyzzyva", "ockstep"),  # no section has both
    ],
)
def test_search_finds_keys_questions_and_parts_of_a_query(browser, query, page):
    opener = opened(browser, "index.html")
    opener.keyboard.press("/")
    opener.keyboard.type(query)
    first = opener.locator(".search-dialog li a").first
    first.wait_for()
    assert page in first.inner_text()
    few = opener.locator(".search-dialog li.none").count()
    assert few == (1 if "zyzzyva" in query else 0)
    assert opener.errors == []
    opener.context.close()


class Server(SimpleHTTPRequestHandler):
    """Serves the site below /docs/, and 404.html for what it does not have, as hosts do."""

    def translate_path(self, path: str) -> str:
        found = SITE / urlsplit(path).path.removeprefix("/docs/")
        return str(found if found.is_file() else SITE / "404.html")

    def log_message(self, *words: Any) -> None:
        return


def test_a_page_that_does_not_exist_leads_to_those_that_do(browser):
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/docs/"
        page = browser.new_page()
        page.goto(f"{root}how-to/2.0/sweep.html")
        page.locator("#list a").first.wait_for(timeout=60_000)
        near = page.locator("#list a").evaluate_all("all => all.map(one => one.href)")
        assert f"{root}tutorials/sweep.html" in near
        page.get_by_text("Front page of rigless").click()
        page.get_by_role("heading", name="rigless", exact=True).first.wait_for()
        assert page.url == f"{root}index.html"
        page.close()
        server.shutdown()


def test_a_command_is_copied(browser):
    page = opened(browser, "tutorials/ci.html")
    button = page.locator(".highlight-sh .copy").nth(1)
    button.hover()
    button.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    blocks = re.findall(r"(?ms)^```sh\n(.*?)\n```$", (ROOT / "docs/tutorials/ci.md").read_text())
    assert copied == blocks[1]


@pytest.mark.parametrize("name", ["index.html", "tutorials/slam.html", "gallery.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_fits_on_a_phone(browser, name, scheme):
    page = opened(browser, name, width=390, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, colour[4:-1].split(","))) > 380) == (scheme == "light")
    assert "rigless 0." in page.locator(".site-version").inner_text()
