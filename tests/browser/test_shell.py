"""Header, navigation, and the settings that the browser stores."""

from playwright.sync_api import expect

from browser.panel import Panel
from browser.robots.arm.view import BREAK


def test_it_says_that_this_is_a_simulation(vacuum):
    expect(vacuum.page.locator(".badge")).to_have_text("Simulation mode")
    expect(vacuum.page.locator(".badge")).to_have_css("text-transform", "uppercase")


def test_navigation_between_robots_and_overview(pair):
    links = pair.page.get_by_role("navigation", name="Robots").get_by_role("link")
    expect(links).to_have_text(["All robots", "blocker", "runner"])
    expect(links.first).to_have_attribute("aria-current", "page")
    expect(pair.card("Robots")).to_contain_text("blocker")
    links.filter(has_text="runner").click()
    pair.until(lambda: pair.card("Virtual I/O").is_visible(), "its controls are not shown")
    pair.until(lambda: pair.count(), "no picture of the runner")
    pair.pause()
    assert near(pair.rows("body")[:3], pair.server.truth("runner")["pose"])
    links.filter(has_text="blocker").click()
    expect(links.filter(has_text="blocker")).to_have_attribute("aria-current", "page")
    pair.until(
        lambda: near(pair.rows("body")[:3], pair.server.truth("blocker")["pose"]),
        "still the other one",
    )
    pair.reload()
    expect(links.filter(has_text="blocker")).to_have_attribute("aria-current", "page")
    pair.page.go_back()
    expect(links.filter(has_text="runner")).to_have_attribute("aria-current", "page")
    links.first.click()
    expect(pair.card("Robots")).to_be_visible()


def near(a, b):
    return len(a) == len(b) and all(abs(x - y) < 1e-5 for x, y in zip(a, b, strict=True))


def test_a_robot_on_the_map_of_all_is_opened_by_a_click(pair):
    pair.server.post("/api/pause")
    x, y, _ = pair.server.truth("blocker")["pose"]
    script = "([x, y]) => rigless.surface()?.view?.toCanvas(x, y)"
    pair.wait_map()
    expect(pair.page.locator(".tile")).to_have_count(0)
    there = """([x, y]) => rigless.surface().picture?.obstacles.some(({name, pose}) =>
      name === "blocker" && Math.hypot(pose[0] - x, pose[1] - y) < 1e-3)"""
    pair.until(lambda: pair.page.evaluate(there, [x, y]), "it is not on the map")
    px, py = pair.page.evaluate(script, [x, y])
    pair.map.click(position={"x": px, "y": py})
    expect(pair.page.locator("nav a", has_text="blocker")).to_have_attribute("aria-current", "page")


def test_light_or_dark_is_kept(own_vacuum):
    vacuum = own_vacuum
    html = vacuum.page.locator("html")
    expect(html).to_have_attribute("data-theme", "dark")
    vacuum.button("Light (t)").click()
    expect(html).to_have_attribute("data-theme", "light")
    vacuum.reload()
    expect(html).to_have_attribute("data-theme", "light")
    vacuum.press_on_page("t")
    expect(html).to_have_attribute("data-theme", "dark")


def test_the_tab_and_folded_cards_are_kept(own_vacuum):
    vacuum = own_vacuum
    tabs = vacuum.page.get_by_role("tablist", name="Controls").get_by_role("tab")
    expect(tabs).to_have_text(["Control", "I/O", "Faults", "Events", "Wire", "Ports"])
    fold = vacuum.card("Readouts").get_by_role("button", name="Readouts")
    fold.click()
    tabs.first.press("ArrowLeft")
    expect(tabs.last).to_be_focused()
    tabs.last.press("Home")
    tabs.first.press("ArrowRight")
    expect(vacuum.page.get_by_role("tabpanel", name="I/O")).to_contain_text("Dust box in place")
    vacuum.reload()
    expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
    vacuum.tab("control")
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(vacuum.card("Readouts")).to_contain_text("Battery")


def test_the_controls_go_away_for_a_larger_map_and_come_back(vacuum):
    width = vacuum.map.bounding_box()["width"]
    vacuum.press_on_page("c")
    expect(vacuum.page.locator("aside")).to_have_count(0)
    vacuum.until(lambda: vacuum.map.bounding_box()["width"] > width + 200, "the map stays as it is")
    vacuum.press_on_page("c")
    expect(vacuum.page.locator("aside")).to_be_visible()


def test_a_robot_without_a_view_has_a_page(thermostat):
    known = thermostat.server.robot("thermostat")["declared_inputs"]
    window = thermostat.switch(known["window_open"]["label"])
    expect(window).not_to_be_checked()
    window.press("Space")
    expect(window).to_be_checked()
    assert thermostat.server.robot("thermostat")["inputs"]["window_open"] is True
    thermostat.field(known["outside_c"]["label"]).fill("-12")
    thermostat.field(known["outside_c"]["label"]).press("Enter")
    thermostat.until(
        lambda: thermostat.server.robot("thermostat")["inputs"]["outside_c"] == -12, "it is not set"
    )
    thermostat.pause()
    expect(thermostat.card("Readouts")).to_contain_text(
        f"{thermostat.server.truth('thermostat')['temperature_c']:.2f}"[:4]
    )
    expect(thermostat.card("Connections")).to_contain_text("tcp://127.0.0.1:")


def test_zero_has_no_sign(vacuum):
    script = """async () => { const { fixed } = await import("/web/cards/widgets.js");
      return [fixed(-0.004, 2), fixed(-0.006, 2), fixed(0, 1)]; }"""
    assert vacuum.page.evaluate(script) == ["0.00", "-0.01", "0.0"]


def test_on_a_phone_pages_begin_at_their_top_and_nothing_overlaps(own_arm):
    arm, page = own_arm, own_arm.page
    arm.resize({"width": 390, "height": 844})
    expect(page.get_by_role("group", name="Camera")).to_be_visible()
    boxes = [
        page.get_by_role("group", name=name).bounding_box()
        for name in ("Camera", "Time span of the plots")
    ]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 1
    stop = arm.button("E-STOP")
    shell = page.locator(".shell")
    shell.evaluate("(one) => one.scrollTo(0, 1e4)")
    arm.until(lambda: shell.evaluate("(one) => one.scrollTop") > 100, "it cannot be scrolled")
    box = stop.bounding_box()
    assert box["y"] + box["height"] <= 844
    assert box["y"] > 750
    lowest = page.locator("aside [data-card]").last.bounding_box()
    assert lowest["y"] + lowest["height"] <= box["y"], "the button covers the last card"
    page.goto(f"{arm.server.url}/#/robot/arm/wire")
    arm.until(lambda: shell.evaluate("(one) => one.scrollTop") == 0, "it begins in the middle")


def test_a_view_that_fails_says_so_and_the_rest_goes_on(window, arm_server):
    arm = Panel(window.stay_flat(), arm_server.reset_and_run()).open()
    arm.server.post("/api/robots/arm/inputs", inputs={"program": BREAK})
    expect(arm.page.locator(".trouble")).to_contain_text(
        "the view of arm failed: RuntimeError: <b>told to</b>"
    )
    arm.button("Pause (space)").click()
    expect(arm.fact("state")).to_have_text("paused")
    arm.server.reset_and_run()
    arm.reload()
    expect(arm.page.locator(".trouble")).to_have_count(0)
