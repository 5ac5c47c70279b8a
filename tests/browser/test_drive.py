"""Driving by keyboard: locked by default, and stopped when the page loses the keys."""

import contextlib

import pytest
from playwright.sync_api import Error, expect

from browser.panel import Panel


def speed(panel):
    """Return the speed of turning on the spot, where no wall interferes."""
    return abs(panel.server.truth()["velocity"][1])


def unlock(panel, on=True):
    switch = panel.switch("Unlock keyboard driving")
    if switch.is_checked() != on:
        panel.card("Drive").get_by_text("Unlock keyboard driving").click()
    expect(panel.card("Drive").locator(".tag")).to_have_text("unlocked" if on else "locked")
    panel.press_on_page()


def drive(panel, key="a"):
    panel.page.keyboard.down(key)
    panel.until(lambda: speed(panel) > 0.1, "it does not move")


def stands(panel):
    panel.until(lambda: speed(panel) < 1e-3, "it does not stop")


def test_keys_do_nothing_while_driving_is_locked(own_vacuum):
    vacuum = own_vacuum
    expect(vacuum.card("Drive").locator(".tag")).to_have_text("locked")  # the default
    vacuum.press_on_page()
    vacuum.page.keyboard.down("w")
    vacuum.running_for(0.4)
    vacuum.page.keyboard.up("w")
    assert vacuum.server.truth()["distance_m"] == 0
    expect(vacuum.button("Forward (W)")).to_be_disabled()


def test_it_moves_while_a_key_is_held_and_no_longer(vacuum):
    unlock(vacuum)
    vacuum.page.keyboard.down("ArrowUp")
    vacuum.until(lambda: vacuum.server.truth()["distance_m"] > 0.1, "it does not go ahead")
    vacuum.page.keyboard.up("ArrowUp")
    vacuum.until(lambda: abs(vacuum.server.truth()["velocity"][0]) < 1e-3, "it goes on")
    before_m = vacuum.server.truth()["distance_m"]
    drive(vacuum)
    expect(vacuum.button("Turn left (A)")).to_have_attribute("aria-pressed", "true")
    vacuum.running_for(1.5)  # longer than the timeout of a command
    vacuum.until(lambda: speed(vacuum) > 0.1, "it does not go on")
    vacuum.page.keyboard.up("a")
    stands(vacuum)
    assert vacuum.server.truth()["distance_m"] < before_m + 0.01


def test_the_keys_on_the_page_are_held_by_pointer(vacuum):
    unlock(vacuum)
    vacuum.button("Turn right (D)").hover()
    vacuum.page.mouse.down()
    vacuum.until(lambda: speed(vacuum) > 0.1, "it does not move")
    vacuum.page.mouse.move(400, 400)
    vacuum.page.mouse.up()
    stands(vacuum)


def test_it_stops_when_the_window_loses_the_keys_or_driving_is_locked(vacuum):
    unlock(vacuum)
    drive(vacuum)
    vacuum.page.evaluate("() => window.dispatchEvent(new Event('blur'))")
    stands(vacuum)
    vacuum.page.keyboard.up("a")
    drive(vacuum)
    unlock(vacuum, False)
    stands(vacuum)
    vacuum.page.keyboard.up("a")


@pytest.mark.parametrize("crash", [False, True], ids=["closed", "crashed"])
def test_it_stops_when_the_tab_is_gone(own_vacuum, crash):
    watcher = Panel(own_vacuum.window, own_vacuum.server).open()
    own_vacuum.page.bring_to_front()
    unlock(own_vacuum)
    drive(own_vacuum)
    if crash:
        own_vacuum.page.on("crash", lambda: None)
        with contextlib.suppress(Error):
            own_vacuum.page.goto("chrome://crash")
    else:
        own_vacuum.page.close()
    stands(watcher)


def test_driving_is_locked_again_on_another_page(pair):
    pair.page.locator("nav a", has_text="runner").click()
    unlock(pair)
    pair.page.locator("nav a", has_text="blocker").click()
    expect(pair.card("Drive").locator(".tag")).to_have_text("locked")
