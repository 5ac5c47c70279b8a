"""The fleet page: map and table of many robots, selection in step, actions on many."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from browser.test_accessibility import CONTROLS, LOOK, SIZES, assert_axe, judge_all, overflow

TROLLEY = Path(__file__).resolve().parents[1] / "panel/trolley"
COUNT = 60
PHONE = {"width": 390, "height": 844}
# Where a robot is on the map, in pixels of the page.
AT = """(name) => { const map = rigless.fleet.map();
  const spot = map.spots.find((one) => one.name === name);
  const [x, y] = map.view.toCanvas(spot.x, spot.y);
  const box = map.canvas.getBoundingClientRect();
  return [box.x + x, box.y + y]; }"""


@pytest.fixture(scope="module")
def fleet_server(serve, tmp_path_factory):
    path = tmp_path_factory.mktemp("fleet") / "fleet.toml"
    path.write_text(
        "".join(
            f'[[robots]]\nname = "cart-{n}"\nkind = "{TROLLEY}"\nports = {{ box = "memory/{n}" }}\n'
            for n in range(1, COUNT + 1)
        )
    )
    return serve(path, "--no-auth")


@pytest.fixture(scope="module")
def tab(shared_window, fleet_server):
    return Panel(shared_window, fleet_server.reset_and_run()).open()


@pytest.fixture
def fleet(tab, shared_window):
    """The fleet page at rest, with cart-2 and cart-3 apart from the others."""
    server = tab.server.reset_and_run()
    tab.page.bring_to_front()
    server.post("/api/pause")
    for name, forward, left in (("cart-2", 1.0, 0.0), ("cart-3", 0.0, 1.0)):
        go = {"type": "Go", "forward": forward, "left": left, "turn": 0.0}
        server.post(f"/api/robots/{name}/messages", port="box", message=go)
    server.post("/api/step", ms=2000)
    tab.page.goto(f"{server.url}/#/")
    tab.page.get_by_role("searchbox", name="Find robots").fill("")
    expect(rows(tab).first).to_be_visible()
    tab.until(lambda: abs(spot(tab, "cart-2")["x"] - 2.0) < 0.05, "cart-2 is not there")
    tab.page.locator(".fleet-grid").focus()
    tab.page.keyboard.press("Escape")
    yield tab
    assert shared_window.complaints() == []


def rows(panel):
    return panel.page.locator(".fleet-rows .fleet-row")


def row(panel, name):
    return panel.page.locator(f'[id="fleet-row-{name}"]')


def spot(panel, name):
    script = "(name) => rigless.fleet.map()?.spots.find((one) => one.name === name) ?? {x: NaN}"
    return panel.page.evaluate(script, name)


def selected(panel):
    return sorted(panel.page.evaluate("() => [...rigless.fleet.map().selected]"))


def until_selected(panel, *names):
    panel.until(lambda: selected(panel) == sorted(names), f"{names} are not selected on the map")


def test_many_robots_open_on_the_fleet_page_with_few_rows_in_the_document(fleet):
    expect(fleet.page.get_by_role("grid", name="Robots")).to_have_attribute(
        "aria-rowcount", str(COUNT + 1)
    )
    assert rows(fleet).count() < COUNT / 2
    assert rows(fleet).first.get_attribute("id") == "fleet-row-cart-1"
    fleet.page.get_by_role("button", name="Robot", exact=True).click()
    expect(rows(fleet).first).to_have_id(f"fleet-row-cart-{COUNT}")  # not cart-9: natural order
    fleet.page.get_by_role("button", name="Robot", exact=True).click()
    fleet.page.locator(".fleet-grid").focus()
    fleet.page.keyboard.press("End")
    expect(row(fleet, f"cart-{COUNT}")).to_be_in_viewport()
    fleet.page.keyboard.press("Enter")
    expect(fleet.page.locator("nav a[aria-current=page]")).to_contain_text(f"cart-{COUNT}")


def test_map_and_table_select_in_step(fleet):
    row(fleet, "cart-5").click()
    until_selected(fleet, "cart-5")
    x, y = fleet.page.evaluate(AT, "cart-2")
    fleet.page.mouse.click(x, y)
    until_selected(fleet, "cart-2")
    expect(row(fleet, "cart-2")).to_have_attribute("aria-selected", "true")
    expect(row(fleet, "cart-5")).to_have_attribute("aria-selected", "false")
    row(fleet, "cart-4").click(modifiers=["Shift"])  # from the robot that was clicked last
    until_selected(fleet, "cart-4", "cart-5")
    (x, y), (tx, ty) = (fleet.page.evaluate(AT, name) for name in ("cart-2", "cart-3"))
    fleet.page.keyboard.down("Shift")
    fleet.page.mouse.move(max(x, tx) + 20, max(y, ty) + 6)
    fleet.page.mouse.down()
    fleet.page.mouse.move(x - 12, y - 12, steps=3)
    fleet.page.mouse.up()
    fleet.page.keyboard.up("Shift")
    until_selected(fleet, "cart-2")


def test_the_search_and_a_status_leave_out_robots(fleet):
    find = fleet.page.get_by_role("searchbox", name="Find robots")
    find.fill("cart-5")
    expect(rows(fleet)).to_have_count(11)  # cart-5 and cart-50 to 59
    fleet.until(lambda: spot(fleet, "cart-2")["faint"] and not spot(fleet, "cart-5")["faint"])
    find.fill("nobody")
    expect(fleet.page.locator(".fleet-none")).to_have_text("no robot matches")
    find.fill("")
    fleet.server.post("/api/estop", on=True, robot="cart-7")
    fleet.page.get_by_role("button", name="Only e-stop, 1 robot").click()
    expect(rows(fleet)).to_have_count(1)
    fleet.server.post("/api/estop", on=False, robot="cart-7")
    fleet.until(lambda: rows(fleet).count() > 10, "a status without robots leaves all out")


def test_many_are_stopped_released_and_given_faults(fleet):
    row(fleet, "cart-2").get_by_role("checkbox").click()
    row(fleet, "cart-4").get_by_role("checkbox").click()
    until_selected(fleet, "cart-2", "cart-4")
    card = fleet.card("Selected robots")
    expect(card).to_contain_text("2 of 60", ignore_case=True)

    def stops():
        return [n for n in (1, 2, 3, 4) if fleet.server.robot(f"cart-{n}")["inputs"]["estop"]]

    card.get_by_role(
        "button", name="E-stop: Emergency stop of the selected robots", exact=True
    ).click()
    fleet.until(lambda: stops() == [2, 4], "the others are stopped too, or these are not")
    expect(row(fleet, "cart-4").locator(".of-status")).to_have_text("e-stop")
    assert_axe(fleet.page)  # with abnormal rows that are selected
    header = fleet.page.locator("header > .bar")
    before = fleet.page.viewport_size
    for width in (1260, 1440):  # Release and E-STOP side by side cover no other button
        fleet.resize({"width": width, "height": 900})
        assert header.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    fleet.resize(before)
    card.get_by_role("button", name="Release the emergency stop").click()
    fleet.until(lambda: stops() == [], "they are not released")
    card.get_by_role("button", name="Beep", exact=True).click()
    fleet.server.post("/api/step", ms=100)

    def turning(n):
        return fleet.server.truth(f"cart-{n}")["pose"][2] > 0.05

    fleet.until(lambda: turning(2) and turning(4) and not turning(3), "the action is not done")
    card.get_by_label("Kind of fault").select_option("drop")
    card.get_by_role("button", name="Inject the fault").click()
    fleet.until(lambda: {one["robot"] for one in fleet.server.faults()} == {"cart-2", "cart-4"})
    expect(row(fleet, "cart-2").locator(".of-error")).to_have_text("1 fault injected")
    card.get_by_role("button", name="Clear all faults of the selected robots").click()
    fleet.until(lambda: fleet.server.faults() == [], "the faults stay")


def test_everything_on_the_fleet_page_can_be_reached(fleet):
    before = fleet.page.viewport_size
    row(fleet, "cart-2").click()
    for size in (*SIZES[:2], PHONE):
        fleet.resize(size)
        judge_all(fleet.page.locator(CONTROLS).evaluate_all(LOOK))
        assert overflow(fleet) == []
    assert_axe(fleet.page)
    fleet.resize(before)


def test_the_rate_of_pictures_is_shown_while_robots_move(fleet):
    rate = fleet.page.locator(".fleet-rate")
    expect(rate).to_have_text("no robot moves")
    fleet.server.post("/api/resume")  # cart-2 and cart-3 are on their way
    expect(rate).to_have_text(re.compile("[1-9][0-9]*/s"))
    fleet.server.post("/api/pause")
    expect(rate).to_have_text("no robot moves")


def test_the_stream_ends_with_the_page(fleet):
    count = "() => rigless.fleet.fleet.blocks"
    fleet.server.post("/api/resume")
    before = fleet.page.evaluate(count)
    fleet.until(lambda: fleet.page.evaluate(count) > before + 20, "no pictures come")
    fleet.page.evaluate("location.hash = '#/robot/cart-1'")
    fleet.until(lambda: fleet.count(), "no picture of the robot came")
    after = fleet.page.evaluate(count)
    fleet.running_for(1.0)
    assert fleet.page.evaluate(count) <= after + 2
