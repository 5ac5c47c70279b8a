"""A real browser on the panel: time to the first map, frames a second, and the Plots tab."""

import shutil
import time
from typing import Any

from ._panel_clients import cpu_seconds
from ._panel_wire import telemetry

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_S = 60.0


def _wait(page: Any) -> None:
    """Wait until the map has been drawn with beams on it.

    It polls, because the page's security policy forbids wait_for_function.
    """
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(
        "globalThis.rigless?.frames()?.rows.get('beams')?.length > 0 && rigless.drawn() > 0"
    ):
        assert time.monotonic() < end, "the browser draws nothing"
        time.sleep(0.005)


def _wire_rows(page: Any, url: str, seconds: float) -> float:
    """Return the messages a second that reach the list of the Wire tab."""
    with telemetry(url):
        page.goto(f"{url}/#/robot/vacuum/wire")
        listed = page.locator(".wire-list")
        page.locator(".wire-space .wire-row").first.wait_for()
        begin, before = time.perf_counter(), int(listed.get_attribute("aria-rowcount"))
        after = before
        while after == before:
            page.wait_for_timeout(seconds * 1000)
            after = int(listed.get_attribute("aria-rowcount"))
        return (after - before) / (time.perf_counter() - begin)


def find_browser() -> str | None:
    """Return the path of Chromium or Chrome; None if there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def measure_browser(pid: int, url: str, seconds: float) -> dict[str, Any]:
    found = find_browser()
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        return {"left_out": "playwright is not installed"}
    if found is None:
        return {"left_out": "no Chromium on PATH"}
    with sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=found, args=list(FLAGS), timeout=PATIENCE_S * 1e3
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE_S * 1e3)
        page.goto(url)  # warm-up: the browser starts
        _wait(page)
        begin = time.perf_counter()
        page.goto(f"{url}/?again")
        _wait(page)
        first_s = time.perf_counter() - begin
        loaded_ms = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        page.wait_for_timeout(1000)
        count = "[rigless.drawn(), rigless.frames().count, performance.now()]"
        before, cpu = page.evaluate(count), cpu_seconds(pid)
        after = before
        while after[0] == before[0] or after[1] == before[1]:  # busy machine: no frame yet
            page.wait_for_timeout(seconds * 1000)
            after = page.evaluate(count)
        wall_s = (after[2] - before[2]) / 1e3
        beams = page.evaluate("rigless.frames().rows.get('beams').length / 4")
        share = (cpu_seconds(pid) - cpu) / wall_s
        wire = _wire_rows(page, url, seconds)
        plots = _measure_plots(page, pid, url, seconds)
        browser.close()
    return {
        "loaded_ms": loaded_ms,
        "first_picture_ms": first_s * 1e3,
        "beams": int(beams),
        "drawn_per_s": (after[0] - before[0]) / wall_s,
        "pictures_per_s": (after[1] - before[1]) / wall_s,
        "server_cpu_share": share,
        "wire_messages_per_s": wire,
        **plots,
    }


def _measure_plots(page: Any, pid: int, url: str, seconds: float) -> dict[str, float]:
    """Return the server's CPU share and the new points per second with the Plots tab open."""
    count = """async (since_s) => { const { points } = await import("/web/plots/signal_store.js");
      const all = [...points.values()].map(({ times }) => Array.from(times));
      const newer = all.map((times) => times.filter((time) => time > since_s).length);
      const newest = Math.max(...all.map((times) => times.at(-1) ?? since_s));
      return [newer.reduce((a, b) => a + b, 0), performance.now(), newest]; }"""
    page.goto(f"{url}/#/robot/vacuum/plots")
    end = time.monotonic() + PATIENCE_S
    while page.evaluate(count, -1)[0] == 0:
        assert time.monotonic() < end, "the Plots tab has no points"
        time.sleep(0.02)
    before, cpu = page.evaluate(count, -1), cpu_seconds(pid)
    after = [0, before[1]]
    while after[0] == 0:  # busy machine: no new point yet
        page.wait_for_timeout(seconds * 1000)
        after = page.evaluate(count, before[2])  # a reload with fewer points does not count
    wall_s = (after[1] - before[1]) / 1e3
    return {
        "plots_cpu_share": (cpu_seconds(pid) - cpu) / wall_s,
        "plot_points_per_s": after[0] / wall_s,
    }
