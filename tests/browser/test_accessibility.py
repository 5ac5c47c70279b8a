"""Every control is reachable, named and large enough, at every size; dialogs keep the focus."""

import pytest
from playwright.sync_api import expect

SIZES = [
    {"width": 1024, "height": 768},
    {"width": 1440, "height": 900},
    {"width": 2560, "height": 1440},
]
FINGER_PX = 44
CONTROLS = "button, input, select, summary, nav a, a.readout"
LOOK = """(found) => found.filter((one) => one.checkVisibility()).map((one) => {
  one.scrollIntoView({ block: "center" });
  const hit = one.closest("label.toggle") ?? one;
  const { x, y, width, height } = hit.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  const name = one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent;
  return {
    what: one.outerHTML.slice(0, 120), name: name.trim(), height, width,
    inside: x >= 0 && y >= 0 && x + width <= innerWidth + 1 && y + height <= innerHeight + 1,
    hit: top !== null && (hit.contains(top) || top.contains(hit) && top.closest("label") === hit),
  };
})"""


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
        found += panel.page.locator(f"[popover] :is({CONTROLS})").evaluate_all(LOOK)
        button.click()
    judge_all(found)


def judge_all(found):
    assert len(found) > 15
    assert [one["what"] for one in found if not one["name"]] == []
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
def test_every_control_is_seen_named_and_large_enough_at_every_size(robot, request):
    panel = request.getfixturevalue(robot)
    panel.server.post("/api/pause")
    if panel.page.locator(".legend summary").count():
        panel.page.locator(".legend summary").click()
    for size in SIZES:
        panel.resize(size)
        judge(panel)


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
