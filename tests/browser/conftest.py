"""Fixtures of the browser tests.

One browser serves all tests, with a context for each, and `rigless` processes that are started when
first needed and reset before each test. A test fails if the page logs an error, makes a request to
another server, or violates its content security policy.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from browser.panel import Panel
from browser.server import Server
from browser.window import Window

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    *(
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
    ),
    *("--disable-component-update", "--disable-sync"),
    *("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
]
PATIENCE_MS = 60_000

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The browser of all tests. While it runs, no other event loop can run in this thread."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail(
            "the panel's tests need a browser: install the Debian package chromium", pytrace=False
        )
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def window(browser: Browser) -> Iterator[Window]:
    """A new browser context. Errors in it fail the test."""
    opened = Window(browser, PATIENCE_MS)
    yield opened
    opened.close()
    assert opened.complaints() == []


@pytest.fixture(scope="package")
def shared_window(browser: Browser) -> Iterator[Window]:
    """A context for tests that leave a tab as they found it: opening a page is slow."""
    opened = Window(browser, PATIENCE_MS).stay_flat()
    yield opened
    opened.close()
    assert opened.complaints() == []


@pytest.fixture(scope="package")
def tabs(shared_window: Window) -> dict[str, Panel]:
    return {}


@pytest.fixture
def shared(
    shared_window: Window, tabs: dict[str, Panel]
) -> Iterator[Callable[[str, Server], Panel]]:
    """Return a function that gives the shared tab of a server, after a reset."""

    def give(name: str, server: Server) -> Panel:
        if name in tabs:  # requests about a recording that is closed
            tabs[name].wake().page.evaluate("async () => { await globalThis.rigless?.loaded(); }")
        server.reset_and_run()
        if name not in tabs:
            tabs[name] = Panel(shared_window, server).open()
        return tabs[name].wait_reset()

    yield give
    for tab in tabs.values():  # otherwise it draws what tests with tabs of their own do
        tab.freeze()
    assert shared_window.complaints() == []
    shared_window.expected.clear()


@pytest.fixture(scope="package")
def started() -> Iterator[list[Server]]:
    """All running servers; they are stopped after the tests."""
    servers: list[Server] = []
    yield servers
    for server in servers:
        server.end()


@pytest.fixture(scope="package")
def serve(tmp_path_factory: pytest.TempPathFactory, started: list[Server]) -> Callable[..., Server]:
    """Return a function that starts `rigless run` in a folder of its own, on a fixed port."""

    def start(
        *words: object, folder: Path | None = None, port: int = 0, verb: str = "run"
    ) -> Server:
        started.append(
            Server(tuple(map(str, words)), folder or tmp_path_factory.mktemp("rigless"), port, verb)
        )
        return started[-1]

    return start


@pytest.fixture(autouse=True)
def at_rest(started: list[Server]) -> Iterator[None]:
    """Pause the servers and tabs that no test uses any more."""
    yield
    for server in started:
        server.rest()


@pytest.fixture(scope="package")
def vacuum_server(serve: Callable[..., Server]) -> Server:
    return serve("vacuum", "--set", "ports.commands=0", "--seed", "7")


@pytest.fixture(scope="package")
def pair_server(serve: Callable[..., Server]) -> Server:
    ports = ("--set", "blocker.ports.commands=0", "--set", "runner.ports.commands=0")
    return serve(
        ROOT / "scenarios" / "vacuum_pair.toml", *ports, "--duration", 1_000_000, "--no-auth"
    )


@pytest.fixture(scope="package")
def thermostat_server(serve: Callable[..., Server]) -> Server:
    return serve(ROOT / "examples" / "thermostat", "--set", "ports.line=0", "--no-auth")


@pytest.fixture(scope="package")
def arm_server(serve: Callable[..., Server]) -> Server:
    return serve(HERE / "robots" / "arm", "--no-auth")


@pytest.fixture(scope="package")
def shouter_server(serve: Callable[..., Server]) -> Server:
    return serve(HERE / "robots" / "shouter", "--no-auth")


# Panels that tests share, and others with a context of their own


@pytest.fixture
def vacuum(shared: Callable[[str, Server], Panel], vacuum_server: Server) -> Panel:
    return shared("vacuum", vacuum_server)


@pytest.fixture
def arm(shared: Callable[[str, Server], Panel], arm_server: Server) -> Panel:
    """The arm on the 2-D map; its page opens in 3-D by default."""
    return shared("arm", arm_server)


@pytest.fixture
def own_vacuum(window: Window, vacuum_server: Server) -> Panel:
    return Panel(window, vacuum_server.reset_and_run()).open()


@pytest.fixture
def own_arm(window: Window, arm_server: Server) -> Panel:
    return Panel(window, arm_server.reset_and_run()).open()


@pytest.fixture
def pair(window: Window, pair_server: Server) -> Panel:
    return Panel(window, pair_server.reset_and_run()).open()


@pytest.fixture
def thermostat(window: Window, thermostat_server: Server) -> Panel:
    return Panel(window, thermostat_server.reset_and_run()).open()


@pytest.fixture
def shouter(window: Window, shouter_server: Server) -> Panel:
    return Panel(window, shouter_server.reset_and_run()).open()
