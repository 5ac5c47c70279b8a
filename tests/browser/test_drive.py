"""Driving by keyboard: locked until unlocked, and stopped by everything that takes the keys away."""

from playwright.sync_api import expect

from browser.panel import Panel


def speed(panel):
    return abs(panel.server.truth()["velocity"][0])


def unlock(panel):
    panel.card("Drive").get_by_text("Unlock keyboard driving").click()
    expect(panel.card("Drive")).to_contain_text("unlocked")
    panel.to_bed()


def drive(panel, key="w"):
    panel.page.keyboard.down(key)
    panel.until(lambda: speed(panel) > 0.1, "it does not move")


def stands(panel):
    panel.until(lambda: speed(panel) < 1e-3, "it does not stop")


def test_keys_do_nothing_while_driving_is_locked(vacuum):
    vacuum.to_bed()
    vacuum.page.keyboard.down("w")
    vacuum.running_for(0.4)
    vacuum.page.keyboard.up("w")
    assert vacuum.server.truth()["distance_m"] == 0
    expect(vacuum.button("Forward")).to_be_disabled()


def test_it_moves_while_a_key_is_held_and_no_longer(vacuum):
    unlock(vacuum)
    drive(vacuum)
    expect(vacuum.button("Forward")).to_have_attribute("aria-pressed", "true")
    vacuum.running_for(1.5)  # longer than a driver may be silent
    assert speed(vacuum) > 0.1
    vacuum.page.keyboard.up("w")
    stands(vacuum)
    assert vacuum.server.truth()["pose"][0] > 0.1
    vacuum.page.keyboard.down("ArrowLeft")
    vacuum.until(lambda: vacuum.server.truth()["velocity"][1] > 0.1, "it does not turn")
    vacuum.page.keyboard.up("ArrowLeft")
    vacuum.until(lambda: abs(vacuum.server.truth()["velocity"][1]) < 1e-3, "it turns on")


def test_the_keys_on_the_page_are_held_by_pointer(vacuum):
    unlock(vacuum)
    vacuum.button("Forward").hover()
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
    vacuum.page.keyboard.up("w")
    drive(vacuum)
    vacuum.card("Drive").get_by_text("Unlock keyboard driving").click()
    stands(vacuum)


def test_it_stops_when_the_tab_is_closed(own_vacuum):
    vacuum = own_vacuum
    watcher = Panel(vacuum.window, vacuum.server).open()
    vacuum.page.bring_to_front()
    unlock(vacuum)
    drive(vacuum)
    vacuum.page.close()
    stands(watcher)


def test_driving_is_locked_again_on_another_page(pair):
    pair.page.locator("nav a", has_text="runner").click()
    pair.card("Drive").get_by_text("Unlock keyboard driving").click()
    expect(pair.card("Drive")).to_contain_text("unlocked")
    pair.page.locator("nav a", has_text="blocker").click()
    expect(pair.card("Drive").locator(".tag")).to_have_text("locked")
