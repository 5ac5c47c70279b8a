"""Two tabs show the same, a reload keeps it, and a restart of the server is shown."""

import re
from math import isnan
from pathlib import Path

import pytest
from playwright.sync_api import expect

import reserved
from browser.panel import Panel

ARM = Path(__file__).resolve().parent / "robots" / "arm"
ON_THE_WAY = [
    "ERR_CONNECTION_REFUSED",
    "WebSocket connection",
    "ERR_CONNECTION_RESET",
    "ERR_EMPTY_RESPONSE",
    "Failed to load resource",
]
NO_ANSWER = re.compile("does not answer: this button has no effect")
DRIVE = {
    "type": "Control",
    "id": "drive",
    "action": "configure",
    "config": {"linear": 0.25, "angular": 0.4},
}


def test_two_tabs_agree(own_vacuum):
    vacuum = own_vacuum
    other = Panel(vacuum.window, vacuum.server).open()
    other.button("Pause (space)").click()
    vacuum.page.bring_to_front()
    expect(vacuum.fact("state")).to_have_text("paused")
    vacuum.card("Virtual I/O").get_by_text("Dust box in place").click()
    expect(other.switch("Dust box in place")).not_to_be_checked()
    begin_s = vacuum.server.status()["time_s"]
    vacuum.button("Step 10 ms (.)").click()
    vacuum.until(lambda: vacuum.server.status()["time_s"] > begin_s, "no step")
    time_s = vacuum.pause()["time_s"]
    expect(other.fact("time")).to_have_text(f"{time_s:.2f} s")
    expect(vacuum.fact("time")).to_have_text(f"{time_s:.2f} s")
    other.until(lambda: other.rows("body") == vacuum.rows("body"), "they show different robots")


def test_a_reload_keeps_the_trail_and_the_plots(own_vacuum):
    vacuum = own_vacuum
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=DRIVE)
    vacuum.step(3.0)
    before, times = vacuum.trail(), vacuum.page.evaluate("() => rigless.frames().times")
    assert len(before) > 20
    vacuum.reload()
    vacuum.until(lambda: len(vacuum.trail()) > 10, "no trail after a reload")
    after = vacuum.trail()
    assert distance(before[-2:], after[-2:]) < 0.02
    points = list(zip(before[::2], before[1::2], strict=True))
    for point in zip(after[::2], after[1::2], strict=True):
        assert isnan(point[0]) or min(distance(point, known) for known in points) < 0.05
    again = vacuum.page.evaluate("() => rigless.frames().times")
    assert abs(again[0] - times[0]) < 0.3
    assert abs(again[-1] - times[-1]) < 0.3
    expect(vacuum.fact("state")).to_have_text("paused")


def distance(a, b):
    return ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5


def test_the_trail_restarts_after_a_reset(vacuum):
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=DRIVE)
    vacuum.step(3.0)
    assert len(vacuum.trail()) > 20
    vacuum.server.post("/api/reset")
    vacuum.wait_epoch()
    assert len(vacuum.trail()) <= 4
    assert vacuum.page.evaluate("() => rigless.frames().times[0]") < 1.0


def test_the_trail_has_the_path_from_before_the_page_was_opened(vacuum):
    vacuum.page.goto(f"{vacuum.server.url}/#/recordings")  # no robot is subscribed
    vacuum.server.post("/api/pause")
    vacuum.server.post("/api/reset")
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=DRIVE)
    vacuum.server.post("/api/step", ms=6000)
    vacuum.page.goto(f"{vacuum.server.url}/#/robot/vacuum")
    vacuum.until(lambda: len(vacuum.trail()) > 20, "the trail is empty")
    trail = vacuum.trail()
    assert distance(trail[:2], (0.0, 0.0)) < 0.05
    assert not any(map(isnan, trail))


@pytest.mark.parametrize("words", [("--no-auth",), ()], ids=["without token", "with token"])
def test_the_servers_restart_is_shown_and_survived(window, serve, words, tmp_path):
    server = serve(ARM, *words, folder=tmp_path, port=reserved.port())
    panel = Panel(window, server).open()
    panel.running_for(0.3)
    window.expected += ON_THE_WAY
    address = server.leave()
    expect(panel.page.locator(".connection")).to_contain_text("connection lost")
    expect(panel.page.locator(".estop")).to_be_disabled()
    expect(panel.page.locator(".estop")).to_have_attribute("title", NO_ANSWER)
    server.come_back(address)
    expect(panel.page.locator(".connection")).to_contain_text("live")
    seen = panel.count()
    panel.until(
        lambda: panel.count() != seen and panel.count() > 2, "no pictures after the restart"
    )
    panel.button("Pause (space)").click()
    expect(panel.fact("state")).to_have_text("paused")
    assert server.status()["state"] == "paused"
    panel.until(
        lambda: abs(panel.time_s() - server.status()["time_s"]) < 1e-6, "it shows another time"
    )
    panel.reload()
    expect(panel.fact("state")).to_have_text("paused")


def test_a_browser_with_an_unknown_cookie_gets_instructions(window, serve, tmp_path):
    server = serve(ARM, folder=tmp_path, port=reserved.port())
    panel = Panel(window, server).open()
    window.expected += ON_THE_WAY
    address = server.leave()
    (tmp_path / "runtime" / "rigless" / "cookie.key").unlink()
    server.come_back(address)
    expect(panel.page.locator(".connection")).to_contain_text("open the URL that it printed")
    panel.open()
    expect(panel.fact("state")).to_have_text("running")
