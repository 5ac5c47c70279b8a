"""The tools of the map: goals, obstacles, robots that are dragged, zones, distances."""

import math

import pytest
from playwright.sync_api import expect


@pytest.fixture(autouse=True)
def clean(vacuum):
    vacuum.tab("control")
    vacuum.press_on_page("0")
    vacuum.wait_map()
    yield
    for _ in range(3):
        vacuum.press_on_page("Escape")
    expect(vacuum.page.locator(".tool-strip")).to_have_count(0)
    for zone in vacuum.server.get("/api/zones"):
        vacuum.server.delete(f"/api/zones?name={zone['name']}")
    vacuum.server.delete("/api/robots/vacuum/goal")


def at(panel, x, y):
    """Return the place of a point of the world on the page."""
    box = panel.map.bounding_box()
    spot = panel.page.evaluate("([x, y]) => rigless.surface().view.toCanvas(x, y)", [x, y])
    return box["x"] + spot[0], box["y"] + spot[1]


def click(panel, x, y):
    panel.page.mouse.click(*at(panel, x, y))


def drag(panel, start, end):
    panel.page.mouse.move(*at(panel, *start))
    panel.page.mouse.down()
    panel.page.mouse.move(*at(panel, *end), steps=4)
    panel.page.mouse.up()


def objects(panel):
    things = panel.server.get("/api/world?robot=vacuum")["things"]
    return {one["name"]: one["pose"] for one in things}


def place(panel):
    """Return the pose of the first obstacle, far away if there is none."""
    return objects(panel).get("obstacle-1", (math.inf, math.inf))


def near(pose, x, y, tolerance=0.02):
    return math.dist(pose[:2], (x, y)) < tolerance


def goal(panel):
    return panel.server.get("/api/robots/vacuum/goal")


def test_a_click_sends_the_robot_and_a_drag_sets_its_heading(vacuum):
    vacuum.server.post("/api/speed", speed=2)  # quicker, commands come late on a busy machine
    flag = vacuum.button("Goal (g)")
    flag.click()
    expect(flag).to_have_attribute("aria-pressed", "true")
    drag(vacuum, (1.2, -1.2), (1.2, -0.6))
    vacuum.until(lambda: goal(vacuum)["state"] == "arrived", "it does not arrive")
    pose = vacuum.server.truth()["pose"]
    assert near(pose, 1.2, -1.2, 0.07)
    assert abs(pose[2] - math.pi / 2) < 0.1
    expect(vacuum.fact("goal")).to_contain_text("arrived at (1.2")
    rows = vacuum.page.evaluate("() => rigless.surface().tool !== null")
    assert rows, "the tool stays active"
    # the driver was a client on the robot's own port
    texts = [event["text"] for event in vacuum.server.get("/api/events")]
    assert any(text.startswith("127.0.0.1:") and "connected" in text for text in texts)


def test_a_goal_in_a_wall_is_refused_and_the_nearest_place_is_offered(vacuum):
    vacuum.window.expected.append("status of 422")
    vacuum.server.post("/api/speed", speed=0.2)  # it must not arrive before it is stopped
    vacuum.press_on_page("g")
    click(vacuum, 1.97, 1.0)
    refusal = vacuum.page.locator(".tool-refusal")
    expect(refusal).to_contain_text("it overlaps a wall: the nearest place: x = ")
    assert goal(vacuum)["state"] in ("idle", "arrived", "stopped")
    vacuum.button("Use the nearest place").click()
    vacuum.until(lambda: goal(vacuum)["state"] in ("starting", "driving"), "it does not start")
    expect(refusal).to_have_count(0)
    vacuum.button("Stop and forget the goal").click()
    vacuum.until(lambda: goal(vacuum)["state"] == "stopped", "it does not stop")


def test_a_typed_goal(vacuum):
    vacuum.server.post("/api/speed", speed=2)  # as above
    form = vacuum.page.get_by_role("group", name="Typed goal")
    form.get_by_label("x in m").fill("0.6")
    form.get_by_label("y in m").fill("-0.4")
    form.get_by_role("button", name="Send the robot there").click()
    vacuum.until(lambda: near(vacuum.server.truth()["pose"], 0.6, -0.4, 0.07), "it does not come")


def test_obstacles_are_placed_dragged_undone_and_deleted(vacuum):
    vacuum.press_on_page("o")
    click(vacuum, 1.0, -1.2)
    vacuum.until(lambda: "obstacle-1" in objects(vacuum), "there is none")
    expect(vacuum.page.locator(".tool-strip")).to_contain_text("obstacle-1")
    drag(vacuum, (1.0, -1.2), (0.0, -1.5))
    vacuum.until(lambda: near(place(vacuum), 0.0, -1.5), "it was not moved")
    vacuum.page.keyboard.press("Control+z")
    vacuum.until(lambda: near(place(vacuum), 1.0, -1.2), "it was not moved back")
    field = vacuum.page.locator(".tool-strip").get_by_label("x in m")
    vacuum.until(lambda: abs(float(field.input_value()) - 1.0) < 0.02, "the strip has the old x")
    field.fill("0.5")
    vacuum.page.keyboard.press("Enter")
    vacuum.until(lambda: near(place(vacuum), 0.5, -1.2), "no typed place")
    vacuum.button("Delete obstacle-1 (Del)").click()
    vacuum.until(lambda: "obstacle-1" not in objects(vacuum), "it is still there")
    vacuum.button("Undo: delete obstacle-1 (Ctrl+Z)").click()
    vacuum.until(lambda: near(place(vacuum), 0.5, -1.2), "it does not come back")


def test_a_robot_is_dragged_while_time_stands(vacuum):
    vacuum.press_on_page("v")
    vacuum.button("Pause, to move robots").click()
    expect(vacuum.fact("state")).to_have_text("paused")
    x, y, _ = vacuum.server.truth()["pose"]
    drag(vacuum, (x, y), (1.0, -1.0))
    vacuum.until(lambda: near(vacuum.server.truth()["pose"], 1.0, -1.0), "it was not moved")
    vacuum.until(lambda: near(vacuum.rows("body"), 1.0, -1.0), "it is not drawn there")
    vacuum.page.locator(".tool-strip").get_by_label("Heading in °").fill("90")
    vacuum.page.keyboard.press("Enter")
    vacuum.until(lambda: abs(vacuum.server.truth()["pose"][2] - math.pi / 2) < 0.01, "no heading")
    vacuum.window.expected.append("status of 422")
    drag(vacuum, (1.0, -1.0), (1.97, 1.0))
    expect(vacuum.page.locator(".tool-refusal")).to_contain_text("it overlaps a wall")
    assert near(vacuum.server.truth()["pose"], 1.0, -1.0)


def test_a_zone_is_drawn_and_copied_as_an_expectation(vacuum):
    vacuum.press_on_page("z")
    drag(vacuum, (-1.0, -1.0), (0.0, 0.5))
    vacuum.until(lambda: len(vacuum.server.get("/api/zones")) == 1, "there is no zone")
    [zone] = vacuum.server.get("/api/zones")
    assert zone["x"] == pytest.approx([-1.0, 0.0], abs=0.02)
    assert zone["y"] == pytest.approx([-1.0, 0.5], abs=0.02)
    copy = vacuum.page.locator(".tool-strip").get_by_role("button", name="Copy the expectation")
    expect(copy).to_contain_text("reaches = { x = [-")
    assert vacuum.page.get_by_role("button", name="Forbid").count() == 0  # there is no AGV
    vacuum.button("Delete zone-1 (Del)").click()
    vacuum.until(lambda: not vacuum.server.get("/api/zones"), "it is still there")


def test_distances_and_bearings_between_points(vacuum):
    vacuum.press_on_page("m")
    for x, y in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.5)):
        click(vacuum, x, y)
    text = vacuum.fact("measured")
    expect(text).to_contain_text("in all 2.5")
    parts = text.inner_text().split(" · ")
    legs = [[float(word.strip("m°")) for word in part.split(", ")] for part in parts[:2]]
    assert legs[0] == pytest.approx([1.0, 0.0], abs=1.0)
    assert legs[0][0] == pytest.approx(1.0, abs=0.02)
    assert legs[1] == [pytest.approx(1.5, abs=0.02), pytest.approx(90.0, abs=1.0)]
    vacuum.press_on_page("Escape")
    expect(text).to_have_count(0)


def test_the_keyboard_places_an_obstacle(vacuum):
    vacuum.press_on_page("o")
    view = vacuum.view()
    vacuum.map.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        vacuum.page.keyboard.press(key)
    x, y = view["x"] + 20 / view["scale"], view["y"] - 10 / view["scale"]
    vacuum.until(lambda: "obstacle-1" in objects(vacuum), "there is none")
    assert near(place(vacuum), x, y)
    expect(vacuum.page.locator(".tool-strip")).to_contain_text("obstacle-1")
    vacuum.page.keyboard.press("Delete")
    vacuum.until(lambda: "obstacle-1" not in objects(vacuum), "it is still there")


def test_the_wheel_still_zooms_with_a_tool_and_targets_are_large(vacuum):
    vacuum.press_on_page("g")
    scale = vacuum.view()["scale"]
    vacuum.page.mouse.move(*at(vacuum, 0.0, 0.0))
    vacuum.page.mouse.wheel(0, -300)
    vacuum.until(lambda: vacuum.view()["scale"] > 1.3 * scale, "it does not zoom")
    for button in vacuum.page.locator(".map-tools button, .tool-strip button").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 44
    assert goal(vacuum)["state"] != "starting"
