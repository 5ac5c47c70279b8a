"""The emergency stop acts on pointer down, and only a deliberate click releases it."""

import pytest
from playwright.sync_api import expect

from browser.test_accessibility import LOOK

STOP, RELEASE = "E-STOP", "Release"


@pytest.fixture
def clock(arm):
    """Return a function that sets the time stamp of following events, in milliseconds."""
    script = """(ms) => Object.defineProperty(
      Event.prototype, 'timeStamp', { configurable: true, get: () => ms })"""
    arm.page.evaluate(
        "() => (globalThis.stamp = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp'))"
    )
    yield lambda ms: arm.page.evaluate(script, ms)
    arm.page.evaluate("() => Object.defineProperty(Event.prototype, 'timeStamp', stamp)")


def stopped(panel):
    return panel.server.robot("arm")["inputs"]["estop"]


def test_it_acts_on_pointer_down_and_stays_until_released(arm, clock):
    clock(10_000)
    arm.button(STOP).hover()
    arm.page.mouse.down()
    arm.until(lambda: stopped(arm), "it waits for the finger to go up")
    arm.page.mouse.up()
    expect(arm.button(RELEASE)).to_be_visible()
    angle = arm.server.truth("arm")["angle_rad"]
    arm.running_for(0.2)
    assert arm.server.truth("arm")["angle_rad"] == angle
    clock(11_500)
    arm.button(RELEASE).click()
    arm.until(lambda: not stopped(arm), "it cannot be released")
    expect(arm.button(STOP)).to_be_visible()


def test_a_second_blow_does_not_release_it(arm, clock):
    clock(10_000)
    arm.button(STOP).dblclick()
    expect(arm.button(RELEASE)).to_be_visible()
    clock(10_500)
    arm.button(RELEASE).click()
    arm.running_for(0.2)
    assert stopped(arm)


def test_it_is_pressed_by_keyboard_too(arm):
    arm.button(STOP).focus()
    arm.page.keyboard.press("Enter")
    expect(arm.button(RELEASE)).to_be_visible()
    assert stopped(arm)


def test_it_stops_a_vacuum_that_drives(vacuum):
    command = {
        "type": "Control",
        "id": "drive",
        "action": "configure",
        "config": {"linear": 0.2, "angular": 0.0},
    }
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=command)
    vacuum.step(1.0)
    assert vacuum.server.truth()["velocity"][0] > 0.1
    with vacuum.page.expect_response("**/api/estop"):
        vacuum.button(STOP).click()
    vacuum.step(1.0)
    assert vacuum.server.truth()["velocity"][0] == 0


def test_where_nothing_can_be_stopped_there_is_no_button(thermostat):
    expect(thermostat.page.locator(".estop")).to_have_count(0)


def test_the_header_has_room_for_everything_at_once(pair):
    pair.server.post("/api/recording")
    pair.server.post("/api/step", ms=200)
    pair.server.post("/api/deck", file=pair.server.delete("/api/recording")["file"])
    pair.server.post("/api/recording")
    pair.server.post("/api/faults", robot="runner", target="lidar", kind="off")
    pair.server.post("/api/estop", on=True, robot="blocker")
    pair.page.goto(f"{pair.server.url}/#/robot/runner")
    pair.resize({"width": 1024, "height": 768})
    expect(pair.button("1 active fault: show")).to_be_visible()
    expect(pair.button("Show the recording")).to_be_visible()
    expect(pair.button(RELEASE)).to_be_visible()
    controls = pair.page.locator("header button").evaluate_all(LOOK)
    assert len(controls) >= 11
    assert [one["what"] for one in controls if not (one["inside"] and one["hit"])] == []
