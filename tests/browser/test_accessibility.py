"""Every control is reachable, named and large enough, at every size; dialogs keep the focus.

`assert_axe` runs axe-core on a page. The tests of each page call it.
"""

from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import expect

SIZES = [
    {"width": 1024, "height": 768},
    {"width": 1440, "height": 900},
    {"width": 2560, "height": 1440},
]
FINGER_PX = 44
AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
CONTROLS = "button, input, select, summary, nav a, a.readout"
LOOK = """(found) => found.filter((one) => one.checkVisibility()).map((one) => {
  one.scrollIntoView({ block: "center" });
  const hit = one.closest("label.toggle") ?? one;
  const { x, y, width, height } = hit.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  const name = one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent;
  const plain = (text) => text.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, "");
  const label = one.getAttribute("aria-label");
  const text = one.matches("button, summary, a") ? one.innerText ?? "" : "";
  return {
    named: !label || plain(label).includes(plain(text)),
    what: one.outerHTML.slice(0, 120), name: name.trim(), height, width,
    inside: x >= 0 && y >= 0 && x + width <= innerWidth + 1 && y + height <= innerHeight + 1,
    hit: top !== null && (hit.contains(top) || top.contains(hit) && top.closest("label") === hit),
  };
})"""


FAINT = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].map((one) => one / 255);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((one, n) => one * a + below[n] * (1 - a));
  const light = (rgb) => rgb.map((one) =>
    one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, n) => sum + one * [0.2126, 0.7152, 0.0722][n], 0);
  const style = (one) => getComputedStyle(one);
  const below = (one) => {
    if (!one) return rgba(style(document.body).backgroundColor).slice(0, 3);
    const fill = rgba(style(one).backgroundColor);
    return fill[3] === 1 ? fill.slice(0, 3) : over(fill, below(one.parentElement));
  };
  const opacity = (one) => one ? Number(style(one).opacity) * opacity(one.parentElement) : 1;
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    const text = [...one.childNodes].filter(({ nodeType }) => nodeType === 3)
      .map(({ data }) => data.trim()).join("");
    if (!text || !one.checkVisibility() || one.closest(":disabled, .canvas-host")) continue;
    const [r, g, b, a] = rgba(style(one).color);
    const ground = below(one);
    const pair = [light(over([r, g, b, a * opacity(one)], ground)), light(ground)].sort();
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) found.push(`${text.slice(0, 30)} in ${one.className}: ${ratio.toFixed(2)}`);
  }
  return found;
}"""


RUN_AXE = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}"""


@cache
def axe_source():
    return AXE.read_text(encoding="utf-8")


def assert_axe(page):
    """Check that axe-core finds no violation on a page as it is shown."""
    if not page.evaluate("() => 'axe' in globalThis"):
        page.evaluate(axe_source())
    assert page.evaluate(RUN_AXE) == []


def judge(panel):
    """Check that all controls of a page are reachable, large enough and named, on every tab."""
    found = []
    tabs = panel.page.locator(".side-tabs [role=tab]")
    for tab in tabs.evaluate_all("(all) => all.map((one) => one.id)"):
        panel.page.locator(f"#{tab}").click()
        if tab == "tab-faults":  # the robot's details come in a separate response
            expect(panel.button("Inject the fault")).to_be_visible()
        expect(panel.page.locator("aside [data-card]").first).to_be_visible()
        found += panel.page.locator(CONTROLS).evaluate_all(LOOK)
        assert overflow(panel) == []
    for button in panel.page.locator("header [popovertarget]").all():
        button.click()
        panel.wait_layout()  # the menu is placed after it is shown
        found += panel.page.locator(f"[popover] :is({CONTROLS})").evaluate_all(LOOK)
        button.click()
    judge_all(found)


def judge_all(found):
    assert len(found) > 15
    assert [one["what"] for one in found if not one["name"]] == []
    assert [one["what"] for one in found if not one["named"]] == []  # its visible text
    assert [(one["what"], one["height"]) for one in found if one["height"] < FINGER_PX - 0.5] == []
    assert [(one["what"], one["width"]) for one in found if one["width"] < 24] == []
    assert [one["what"] for one in found if not one["inside"]] == []
    assert [one["what"] for one in found if not one["hit"]] == []


def overflow(panel):
    return panel.page.evaluate(
        """() => [...document.querySelectorAll("html, body, header, nav, main, aside, .card"
            + ", .player, .row, .io, .pairs, .faults, .readouts, .slider, .squares, .jog")]
          .filter((one) => one.checkVisibility()
            && one.scrollWidth > one.clientWidth + 1
            && !["auto", "scroll"].includes(getComputedStyle(one).overflowX))
          .map((one) => `${one.tagName}.${one.className} `
            + `${one.scrollWidth} > ${one.clientWidth}`)"""
    )


@pytest.mark.parametrize("robot", ["own_vacuum", "own_arm", "pair", "thermostat"])
def test_every_control_is_seen_named_and_large_enough_and_every_text_has_contrast(robot, request):
    panel = request.getfixturevalue(robot)
    panel.server.post("/api/pause")
    if panel.page.locator(".legend summary").count():
        panel.page.locator(".legend summary").click()
    for size in SIZES:
        panel.resize(size)
        judge(panel)
    assert_axe(panel.page)
    if robot in ("own_arm", "pair"):
        assert_contrast(panel)


def assert_contrast(panel):
    """Check the contrast of every text, on every tab, in both themes."""
    for button in ("Light (t)", "Dark (t)"):
        panel.button(button).click()
        tabs = panel.page.locator(".side-tabs [role=tab]")
        for tab in tabs.evaluate_all("(all) => all.map((one) => one.id)"):
            panel.page.locator(f"#{tab}").click()
            panel.wait_layout()
            assert panel.page.evaluate(FAINT) == [], (button, tab)


def test_all_tabs_of_the_column_are_seen_at_once(vacuum):
    before = vacuum.page.viewport_size
    vacuum.server.post("/api/faults", robot="vacuum", target="lidar", kind="off")
    expect(vacuum.page.locator("#tab-faults i")).to_be_visible()
    for size in SIZES[:2]:
        vacuum.resize(size)
        tabs = vacuum.page.locator(".side-tabs")
        assert tabs.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    vacuum.resize(before)


@pytest.mark.parametrize("key", ["?", "r"])
def test_dialogs_keep_the_focus_and_give_it_back(vacuum, key):
    vacuum.button("Plots (p)").focus()
    vacuum.page.keyboard.press(key)
    expect(vacuum.page.locator("dialog[open]")).to_be_visible()
    for _ in range(5):
        vacuum.page.keyboard.press("Tab")
        focus = """() => document.activeElement === document.body
          || Boolean(document.activeElement.closest('dialog'))"""
        assert vacuum.page.evaluate(focus)
    vacuum.page.keyboard.press("Escape")
    expect(vacuum.page.locator("dialog[open]")).to_have_count(0)
    expect(vacuum.button("Plots (p)")).to_be_focused()


def test_tab_goes_through_the_header_to_the_cards(vacuum):
    names = []
    for _ in range(12):
        vacuum.page.keyboard.press("Tab")
        names.append(
            vacuum.page.evaluate(
                "() => document.activeElement.getAttribute('aria-label')"
                " ?? document.activeElement.textContent"
            )
        )
    assert "Light (t)" in names
    assert len(set(names)) == len(names)
    outline = vacuum.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
