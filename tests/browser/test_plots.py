"""The Plots tab and the strip of plots: pick, zoom, read, keep, export, and survive a restore."""

import csv
import io
import json

from playwright.sync_api import expect

from browser.test_accessibility import assert_axe

GYRO, SPEED = "vacuum/view/gyro_z", "vacuum/truth/velocity.0"
SERIES = """async () => { const { points } = await import("/web/plots/signal_store.js");
  return [...points].map(([name, { times }]) => [name, times.length, times.at(-1)]); }"""
WINDOW = """async () => (await import("/web/plots/time_window.js")).shownWindow.value"""


def charts(panel):
    return panel.page.locator(".chart")


def pick(panel, text, name):
    panel.field("Search signals").fill(text)
    panel.page.locator(f'.signal[title="{name}"]').click()


def value_of(panel, name):
    return panel.page.locator(f'.cursor-table td[data-signal="{name}"]').last


def test_signals_are_picked_zoomed_read_kept_and_exported(own_vacuum):
    panel, page = own_vacuum, own_vacuum.page
    panel.stand_still()
    panel.server.post("/api/step", ms=8000)  # before anybody plots
    panel.server.post("/api/faults", robot="vacuum", target="gyro", kind="wrong", for_s=2)
    panel.step(12.0)
    page.get_by_role("link", name="Plots", exact=True).click()
    expect(charts(panel)).to_have_count(2)  # those of the robot's page
    panel.field("Search signals").fill("nothing like this")
    expect(page.get_by_text("No signal matches")).to_be_visible()
    panel.button("Add a chart").click()
    expect(charts(panel)).to_have_count(3)
    pick(panel, "gyro_z", GYRO)
    pick(panel, "truth velocity.0", SPEED)
    expect(charts(panel).nth(2).locator(".legend-item")).to_have_count(2)
    found = panel.until(
        lambda: {name: rest for name, *rest in page.evaluate(SERIES)}.get(SPEED), "no points"
    )
    assert found[0] >= 200  # from the start of the run
    assert found[1] == 20.0

    # the cursor reads the value at its time
    over = charts(panel).nth(2).locator(".u-over")
    panel.button("All: Show the whole run").click()
    panel.until(lambda: page.evaluate(WINDOW) == [0, 20], "not the whole run")
    panel.wait_layout()
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    first = charts(panel).first.locator(".u-over").bounding_box()  # with fewer axes
    assert (box["x"], box["width"]) == (first["x"], first["width"])
    page.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + 30)  # 9 s: the fault is active
    expect(panel.fact("cursor")).to_contain_text("s")
    expect(page.locator(".cursor-table caption")).to_contain_text("fault: vacuum gyro wrong")
    expect(value_of(panel, GYRO)).not_to_have_text("–")
    assert_axe(page)

    # dragging zooms all charts, a double click follows again
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 30, steps=4)
    page.mouse.up()
    begin, end = panel.until(
        lambda: (now := page.evaluate(WINDOW))[1] - now[0] < 5 and now, "not zoomed"
    )
    assert 8.5 < begin < 9.5
    assert 11.5 < end < 12.5
    page.mouse.wheel(0, 100)
    panel.until(lambda: page.evaluate(WINDOW)[1] - page.evaluate(WINDOW)[0] > end - begin)
    expect(panel.button("Follow the newest samples")).to_be_visible()
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 30, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    panel.until(lambda: page.evaluate(WINDOW)[0] > begin, "not moved")
    page.mouse.dblclick(box["x"] + 50, box["y"] + 30)
    expect(panel.button("Follow the newest samples")).to_have_count(0)

    # a reload keeps the layout, and the history is complete again
    page.reload()
    panel.wait_live()
    expect(charts(panel)).to_have_count(3)
    panel.until(
        lambda: {name: rest for name, *rest in page.evaluate(SERIES)}.get(SPEED) == found,
        "the history is not complete after a reload",
    )

    # exports
    panel.button("Export and layouts").click()
    with page.expect_download() as csv_file:
        page.get_by_text("Save CSV").click()
    rows = list(csv.reader(io.StringIO(csv_file.value.path().read_text())))
    assert {GYRO, SPEED} < set(rows[0])
    truth = panel.server.get("/api/robots/vacuum/truth")["truth"]["velocity"][0]
    assert float(rows[-1][rows[0].index(SPEED)]) == truth
    with page.expect_download() as picture:
        page.get_by_text("Save PNG").click()
    assert picture.value.path().read_bytes().startswith(b"\x89PNG")
    with page.expect_download() as saved:
        page.get_by_text("Save layout").click()
    layout = json.loads(saved.value.path().read_text())
    assert layout["charts"][2]["signals"] == [GYRO, SPEED]
    page.get_by_text("Remove all charts").click()
    expect(charts(panel)).to_have_count(0)
    panel.field("Open layout").set_input_files(saved.value.path())
    expect(charts(panel)).to_have_count(3)
    panel.field("Open layout").set_input_files(
        {"name": "x.json", "mimeType": "application/json", "buffer": b"[1]"}
    )
    panel.notice("is not a layout of plots")


def test_the_strip_is_no_block_after_leaving_and_after_a_restore(own_vacuum):
    panel, page = own_vacuum, own_vacuum.page
    panel.stand_still()
    panel.step(5.0)
    panel.server.post("/api/snapshots", name="here")
    panel.step(5.0)
    expect(page.locator(".plots figure")).to_have_count(3)  # of four
    page.goto(f"{panel.server.url}/#/robot/vacuum/plots")
    panel.server.post("/api/step", ms=10_000)
    page.goto(f"{panel.server.url}/#/robot/vacuum")
    panel.until(lambda: shares(page), "no plot")
    assert max(shares(page)) < 0.2
    panel.server.post("/api/restore", name="here")
    panel.wait_epoch()
    panel.step(3.0)
    assert max(shares(page)) < 0.2
    before = page.locator(".plots").bounding_box()["height"]
    page.get_by_role("separator", name="Height of the plots").press("ArrowUp")
    panel.until(
        lambda: page.locator(".plots").bounding_box()["height"] > before, "the strip has not grown"
    )


def test_the_strip_shows_the_time_when_another_page_was_open(own_vacuum):
    panel, page = own_vacuum, own_vacuum.page
    panel.stand_still()
    panel.step(2.0)
    page.goto(f"{panel.server.url}/#/robot/nope")
    expect(page.get_by_role("heading", name="There is no robot named")).to_be_visible()
    for linear in (0.25, 0.0):  # it moves only while nobody looks
        config = {"linear": linear, "angular": 0.0}
        command = {"type": "Control", "id": "drive", "action": "configure", "config": config}
        panel.server.post("/api/robots/vacuum/messages", port="commands", message=command)
        panel.server.post("/api/step", ms=3000)
    page.goto(f"{panel.server.url}/#/robot/vacuum")
    panel.until(lambda: extents(page)[:1] > [0.5], "the speed looks constant")


def extents(page):
    """Return the share of each plot's height that its first line covers."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".plots canvas")].map((canvas) => {
          const { width, height } = canvas;
          const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
          const rows = [...Array(height).keys()].filter((row) => {
            for (let at = 4 * row * width; at < 4 * (row + 1) * width; at += 4)
              if (data[at + 3] > 200 && Math.max(...data.slice(at, at + 3)) -
                Math.min(...data.slice(at, at + 3)) > 40) return true;
            return false; });
          return rows.length ? (rows.at(-1) - rows[0]) / height : 0; })"""
    )


def test_titles_and_values_of_the_strip_are_whole_in_a_small_window(own_vacuum):
    own_vacuum.resize({"width": 1024, "height": 768})
    cut = """() => [...document.querySelectorAll(".plots figure")].flatMap((figure) => {
      const inside = figure.getBoundingClientRect();
      return [...figure.querySelectorAll("figcaption b > span, canvas")].filter((one) => {
        const { left, right, bottom } = one.getBoundingClientRect();
        const legend = one.closest("b")?.getBoundingClientRect() ?? inside;
        return left < inside.left || right > inside.right + 1 || bottom > legend.bottom + 2;
      }).map((one) => one.outerHTML.slice(0, 80)); })"""
    own_vacuum.until(lambda: own_vacuum.page.locator(".plots b > span").count() >= 8)
    own_vacuum.until(lambda: own_vacuum.page.evaluate(cut) == [], "something is cut off")
    assert own_vacuum.page.locator(".plots b small").first.is_visible()


def shares(page):
    """Return the coloured share of each plot's canvas. Lines are thin; a block is not."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".plots canvas")].map((canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let at = 0; at < data.length; at += 4)
            if (data[at + 3] > 200 && Math.max(...data.slice(at, at + 3)) -
              Math.min(...data.slice(at, at + 3)) > 40) count++;
          return count / (data.length / 4); })"""
    )
