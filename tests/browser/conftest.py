"""One browser for all tests of the panel, a window of its own for each, and the `rigless` commands that they look at, which
are started when first needed and set back to time zero for each test. A test fails if the page complained, reached out to
anybody but its own server, or broke its content security policy."""

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
    """It lives as long as these tests: while it does, no other event loop can be started in this thread."""
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
    """A browser with nothing in its memory; its tabs share what they keep. What went wrong in it fails the test."""
    opened = Window(browser, PATIENCE_MS)
    yield opened
    opened.close()
    assert opened.complaints() == []


@pytest.fixture(scope="package")
def shared_window(browser: Browser) -> Iterator[Window]:
    """For tests that leave a tab as they found it: to open a page costs more than most of them."""
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
    """A function that gives the tab of a server that tests share, with the simulation begun anew."""

    def give(name: str, server: Server) -> Panel:
        if name in tabs:  # of a recording that it still asks about
            tabs[name].page.evaluate("async () => { await globalThis.rigless?.loaded(); }")
        server.begin_anew()
        if name not in tabs:
            tabs[name] = Panel(shared_window, server).open()
        return tabs[name].wait_anew()

    yield give
    assert shared_window.complaints() == []
    shared_window.expected.clear()


@pytest.fixture(scope="package")
def started() -> Iterator[list[Server]]:
    """All servers that run, until these tests are over."""
    servers: list[Server] = []
    yield servers
    for server in servers:
        server.end()


@pytest.fixture(scope="package")
def serve(tmp_path_factory: pytest.TempPathFactory, started: list[Server]) -> Callable[..., Server]:
    """A function that starts `rigless run` with these words, in a folder of its own, and on a port that it may come back to."""

    def start(*words: object, folder: Path | None = None, port: int = 0) -> Server:
        started.append(
            Server(tuple(map(str, words)), folder or tmp_path_factory.mktemp("rigless"), port)
        )
        return started[-1]

    return start


@pytest.fixture(autouse=True)
def at_rest(started: list[Server]) -> Iterator[None]:
    """What no test looks at any more stands still, and so do the tabs that show it."""
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


# Panels that tests share, and others with a window of their own


@pytest.fixture
def vacuum(shared: Callable[[str, Server], Panel], vacuum_server: Server) -> Panel:
    return shared("vacuum", vacuum_server)


@pytest.fixture
def arm(shared: Callable[[str, Server], Panel], arm_server: Server) -> Panel:
    """Seen from above; its page as it is opens in space."""
    return shared("arm", arm_server)


@pytest.fixture
def own_vacuum(window: Window, vacuum_server: Server) -> Panel:
    return Panel(window, vacuum_server.begin_anew()).open()


@pytest.fixture
def own_arm(window: Window, arm_server: Server) -> Panel:
    return Panel(window, arm_server.begin_anew()).open()


@pytest.fixture
def pair(window: Window, pair_server: Server) -> Panel:
    return Panel(window, pair_server.begin_anew()).open()


@pytest.fixture
def thermostat(window: Window, thermostat_server: Server) -> Panel:
    return Panel(window, thermostat_server.begin_anew()).open()


@pytest.fixture
def shouter(window: Window, shouter_server: Server) -> Panel:
    return Panel(window, shouter_server.begin_anew()).open()
