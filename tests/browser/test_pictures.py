"""Screenshots of every page in both themes, for people: out/panel/NAME-THEME.png."""

import struct
import time
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import PATIENCE_MS
from browser.panel import Panel
from browser.window import Window

OUT = Path(__file__).resolve().parents[2] / "out" / "panel"
DRIVE = {
    "type": "Control",
    "id": "drive",
    "action": "configure",
    "config": {"linear": 0.25, "angular": 0.35},
}


@pytest.fixture
def window(browser):
    """A context in full resolution."""
    opened = Window(browser, PATIENCE_MS, scale=1)
    yield opened
    opened.close()
    assert opened.complaints() == []


def colours(png: bytes) -> int:
    """Return the number of different pixel rows in an image; a blank one has few."""
    assert png.startswith(b"\x89PNG")
    at, width, data = 8, 0, b""
    while at < len(png):
        (size,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        if kind == b"IHDR":
            width = (
                struct.unpack(">I", png[at + 8 : at + 12])[0] * (4 if png[at + 17] == 6 else 3) + 1
            )
        if kind == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += 12 + size
    rows = zlib.decompress(data)
    return len({rows[n : n + width] for n in range(0, len(rows), width)})


def take(panel, name):
    """Take one screenshot in each theme."""
    OUT.mkdir(parents=True, exist_ok=True)
    panel.resize({"width": 1440, "height": 900})
    for theme in ("dark", "light"):
        if panel.page.locator("html").get_attribute("data-theme") != theme:
            panel.press_on_page("t")
        expect(panel.page.locator("html")).to_have_attribute("data-theme", theme)
        seen = panel.page.evaluate("() => rigless.drawn()")
        panel.page.evaluate("() => rigless.surface()?.onview()")
        panel.until(
            lambda seen=seen: (
                panel.page.evaluate("() => rigless.drawn()") > seen or not panel.map.count()
            ),
            "not drawn",
        )
        panel.page.mouse.move(3, 3)
        shot = panel.page.screenshot(path=OUT / f"{name}-{theme}.png")
        middle = panel.page.locator("main").screenshot()
        assert colours(shot) > 300
        assert colours(middle) > 100


def on_the_way(panel, robot="vacuum"):
    """Drive a curve with the lidar on for some seconds."""
    panel.server.post(f"/api/robots/{robot}/actions", name="lidar on")
    panel.server.post(f"/api/robots/{robot}/messages", port="commands", message=DRIVE)
    panel.step(9.0)


@pytest.fixture
def under_way(own_vacuum):
    vacuum = own_vacuum
    on_the_way(vacuum)
    vacuum.server.post(
        "/api/faults", robot="vacuum", target="gyro", kind="noise", params={"stddev": 50}
    )
    vacuum.step(1.0)
    return vacuum


def test_the_vacuum_from_above_and_in_space(under_way):
    take(under_way, "vacuum")
    under_way.button("3D: 3-D scene").click()
    under_way.until(lambda: under_way.poses("body"), "nothing is drawn in space")
    take(under_way, "vacuum-space")


def test_the_thermostat(thermostat):
    thermostat.step(60.0)
    take(thermostat, "thermostat")


def test_all_robots(pair):
    pair.server.post("/api/step", ms=8000)
    take(pair, "overview")
    pair.page.locator("nav a", has_text="runner").click()
    pair.until(lambda: pair.count(), "no picture")
    take(pair, "runner")


def test_the_arm(own_arm):
    arm = own_arm
    arm.step(8.0)
    arm.until(lambda: len(arm.poses("links")) == 3, "no arm is drawn")
    take(arm, "arm")


def test_a_recording(own_vacuum):
    vacuum = own_vacuum
    vacuum.server.post("/api/recording")
    on_the_way(vacuum)
    vacuum.server.post("/api/faults", robot="vacuum", target="wheel_left", kind="stall")
    vacuum.step(0.5)
    path = vacuum.server.delete("/api/recording")["file"]
    vacuum.server.post("/api/deck", file=path)
    vacuum.server.post("/api/deck/seek", time_s=8.0)
    vacuum.button("Show the recording").click()
    vacuum.until(
        lambda: vacuum.count() and abs(vacuum.time_s() - 8.0) < 0.01, "it does not go there"
    )
    take(vacuum, "recording")


def test_a_picture_is_drawn_when_the_page_is_opened(window, vacuum_server, record_property):
    panel = Panel(window, vacuum_server.reset_and_run())
    begin_s = time.monotonic()
    panel.page.goto(vacuum_server.entrance)
    panel.until(
        lambda: panel.count() and panel.page.evaluate("() => rigless.drawn()"), "nothing is drawn"
    )
    record_property("seconds to the first picture", round(time.monotonic() - begin_s, 2))
    expect(panel.page.locator(".connection")).to_contain_text("live")
