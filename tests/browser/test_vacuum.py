"""The vacuum's page: a lidar that is off, and the floor that is covered."""

from playwright.sync_api import expect


def test_a_click_turns_on_a_lidar_that_is_off(vacuum):
    hint = vacuum.page.locator(".hint")
    expect(hint).to_contain_text("The lidar is off")
    hint.get_by_role("button", name="Turn on").click()
    vacuum.lamp("Lidar on", True)
    expect(hint).to_have_count(0)
    vacuum.until(lambda: vacuum.rows("points"), "no scan comes")


def test_the_covered_floor_grows_while_it_drives(vacuum):
    vacuum.stand_still()
    before = vacuum.measure("coverage")
    assert before > 0
    go = {"id": "drive", "action": "enable", "config": {}}
    for message in (go, {**go, "action": "configure", "config": {"linear": 0.3, "angular": 0.0}}):
        vacuum.server.post(
            "/api/robots/vacuum/messages", port="commands", message={"type": "Control", **message}
        )
    vacuum.step(3.0)
    assert vacuum.measure("coverage") > 2 * before
    expect(vacuum.card("Raw counts")).to_contain_text("ticks")
