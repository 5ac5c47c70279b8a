"""The 2-D map: objects are in their places; panning, zooming, following."""

import math

import pytest
from playwright.sync_api import expect


@pytest.fixture(autouse=True)
def fitted(vacuum):
    vacuum.press_on_page("0")
    vacuum.wait_map()


def drag(panel, dx, dy):
    box = panel.map.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    panel.page.mouse.move(x, y)
    panel.page.mouse.down()
    panel.page.mouse.move(x + dx, y + dy, steps=3)
    panel.page.mouse.up()


def near(a, b, tolerance=1e-5):
    return all(abs(x - y) < tolerance for x, y in zip(a, b, strict=True))


def test_the_pose_on_the_map_is_the_true_one(vacuum):
    command = {
        "type": "Control",
        "id": "drive",
        "action": "configure",
        "config": {"linear": 0.2, "angular": 0.5},
    }
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=command)
    vacuum.step(1.0)
    truth = vacuum.server.truth()
    assert math.hypot(*truth["pose"][:2]) > 0.05
    assert near(vacuum.rows("body")[:3], truth["pose"])
    assert near(vacuum.rows("odometry")[:3], truth["odometry"])
    assert near(vacuum.trail()[-2:], truth["pose"][:2], 0.011)
    expect(vacuum.card("Readouts")).to_contain_text(f"{truth['velocity'][0]:.2f} m/s")


def test_dragging_moves_the_map_with_the_pointer(vacuum):
    before = vacuum.view()
    drag(vacuum, 90, -60)
    after = vacuum.view()
    assert near(
        (after["x"], after["y"]),
        (before["x"] - 90 / before["scale"], before["y"] - 60 / before["scale"]),
        1e-6,
    )
    assert after["scale"] == before["scale"]


def test_the_wheel_zooms_about_the_pointer(vacuum):
    box = vacuum.map.bounding_box()
    here = (box["x"] + 100, box["y"] + 100)
    script = "() => rigless.surface().view.toWorld(100, 100)"
    before, scale = vacuum.page.evaluate(script), vacuum.view()["scale"]
    vacuum.page.mouse.move(*here)
    vacuum.page.mouse.wheel(0, -300)
    vacuum.until(lambda: vacuum.view()["scale"] > 1.3 * scale, "it does not zoom")
    assert near(vacuum.page.evaluate(script), before, 1e-6)


def test_zoom_by_button_and_key_and_everything_again(vacuum):
    fitted = vacuum.view()
    vacuum.button("Zoom in (+)").click()
    vacuum.press_on_page("+")
    assert math.isclose(vacuum.view()["scale"], fitted["scale"] * 1.4**2)
    vacuum.button("Zoom out (-)").click()
    vacuum.press_on_page("-")
    assert math.isclose(vacuum.view()["scale"], fitted["scale"])
    drag(vacuum, 200, 100)
    vacuum.button("Fit the view (0)").click()
    assert vacuum.view() == fitted
    drag(vacuum, 200, 100)
    vacuum.press_on_page("0")
    assert vacuum.view() == fitted


def test_the_whole_map_is_seen_at_first(vacuum):
    grid = vacuum.server.get("/api/world")["grid"]
    x, y, _ = grid["origin"]
    far = (x + grid["width"] * grid["resolution_m"], y + grid["height"] * grid["resolution_m"])
    corners = vacuum.page.evaluate(
        """([x, y, right, top]) => { const { view } = rigless.surface();
          return [view.toCanvas(x, y), view.toCanvas(right, top)]; }""",
        [x, y, *far],
    )
    box = vacuum.map.bounding_box()
    (left, bottom), (right, top) = corners
    assert 0 <= left < right <= box["width"]
    assert 0 <= top < bottom <= box["height"]


def test_following_keeps_the_robot_in_the_middle(vacuum):
    vacuum.button("Follow the robot (f)").click()
    command = {
        "type": "Control",
        "id": "drive",
        "action": "configure",
        "config": {"linear": 0.2, "angular": 0.0},
    }
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=command)
    vacuum.step(0.5)
    x, y, _ = vacuum.server.truth()["pose"]
    vacuum.until(
        lambda: near((vacuum.view()["x"], vacuum.view()["y"]), (x, y)), "it is not in the middle"
    )
    assert x > 0.02
    vacuum.button("Zoom in (+)").click()
    scale = vacuum.view()["scale"]
    vacuum.press_on_page("f")
    expect(vacuum.button("Follow the robot (f)")).to_have_attribute("aria-pressed", "false")
    assert vacuum.view()["scale"] == scale


def test_layers_are_hidden_and_stay_hidden(own_vacuum):
    vacuum = own_vacuum
    vacuum.button("Lidar on").click()
    expect(vacuum.lamp("Lidar on", True)).to_be_visible()
    vacuum.step(0.5)
    assert vacuum.rows("points")
    red = colours_of(vacuum)
    assert red > 20
    vacuum.page.locator(".legend summary").click()
    layer = vacuum.button("Show Lidar points")
    layer.click()
    expect(layer).to_have_attribute("aria-pressed", "false")
    vacuum.until(lambda: colours_of(vacuum) < red / 4, "the points are still there")
    vacuum.reload()
    expect(layer).to_have_attribute("aria-pressed", "false")
    layer.click()
    vacuum.until(lambda: colours_of(vacuum) > red / 2, "the points do not come back")


def colours_of(panel):
    """Return the number of pixels in the colour of sensor data."""
    return panel.map.evaluate(
        """async (canvas) => {
          await rigless.settled();
          const style = getComputedStyle(document.documentElement);
          const want = style.getPropertyValue("--map-sense").trim();
          const [r, g, b] = [1, 3, 5].map((at) => parseInt(want.slice(at, at + 2), 16));
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let found = 0;
          for (let n = 0; n < data.length; n += 4)
            if (Math.abs(data[n] - r) + Math.abs(data[n + 1] - g)
                + Math.abs(data[n + 2] - b) < 12) found++;
          return found;
        }"""
    )


def test_names_of_robots_do_not_cover_each_other(vacuum):
    script = """async () => {
      const { drawObjects } = await import("/web/map2d/parts.js");
      const names = [], known = { measureText: () => ({ width: 40 }) };
      known.fillText = (name) => names.push(name);
      const pen = new Proxy({}, { get: (_, name) => known[name] ?? (() => {}), set: () => true });
      const view = { toCanvas: (x, y) => [x, y], px: (n) => n, scale: 1 };
      const at = (name, x, y, status) =>
        ({ name, pose: [x, y, 0], robot: true, radius_m: 1, status });
      const robots = [at("a", 0, 0, "ok"), at("b", 30, 5, "ok"), at("c", 30, 25, "e-stop")];
      drawObjects(pen, view, robots, {}, true);
      drawObjects(pen, view, robots, {}, false);
      return names;
    }"""
    assert vacuum.page.evaluate(script) == ["a", "c", "c"]
