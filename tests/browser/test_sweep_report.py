"""The report of a sweep in a browser: choice of axes, the picked cell, the filter, and a phone."""

import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from rigless.sweeps.report import render_report, summarize
from rigless.sweeps.row import Row
from rigless.sweeps.statistics.goal import Goal

WIDE_PARTS = """[...document.querySelectorAll("main *")].filter((one) => !one.closest("svg, .sr")
  && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML)"""
FAILING = "div.heat rect.cell.bad"
LOWEST_TICKS = """(svg) => {
  const ticks = [...svg.querySelectorAll("text.tick")].map((one) => one.getBoundingClientRect());
  const lowest = Math.max(...ticks.map((one) => one.bottom));
  return ticks.filter((one) => one.bottom > lowest - 1).map((one) => [one.left, one.right]);
}"""


def sweep_rows():
    """A sweep whose runs fail in one corner of x and y, each for one of two reasons."""
    random = np.random.default_rng(8)
    found = []
    for seed in range(400):
        x, y, slip = (float(one) for one in random.random(3))
        bad = x > 0.5 and y > 0.5
        reason = ("it stays away" if slip < 0.5 else "it arrives") if bad else ""
        margin = min(0.5 - x, 0.5 - y) if bad else max(0.5 - x, 0.5 - y)
        settings = {"start.x": x, "start.y": y, "wheels.slip": slip, "mode": "ab"[seed % 2]}
        found.append(
            Row(
                f"{seed:04d}abcdef",
                settings,
                seed,
                verdict="fail" if bad else "pass",
                margin=margin,
                failed=reason,
                note="came too close" if bad else "",
                margins={"it stays away": margin, "it arrives": margin + 0.01},
                metrics={"vacuum.distance_m": 3 + x},
                scenario="room.toml",
            )
        )
    return found


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "report.html"
    path.write_text(render_report(summarize(sweep_rows(), Goal(0.9)), "runs.parquet"))
    return path


@pytest.fixture
def page(window, report):
    tab = window.tab("")
    tab.goto(report.as_uri())
    expect(tab.locator(".lines svg")).to_be_visible()
    return tab


def shown_failures(page):
    return page.locator(".failures ol > li:visible")


def test_it_opens_with_the_verdict_and_the_axes_that_matter(page):
    expect(page.locator(".verdict .badge")).to_have_text("FAIL")
    expect(page.locator(".verdict")).to_contain_text("below the wanted 90.0 %")
    chosen = page.evaluate(
        "[...document.querySelectorAll('select[name=x], select[name=y]')]"
        ".map((one) => one.selectedOptions[0].textContent)"
    )
    assert sorted(chosen) == ["start.x", "start.y"]
    assert page.locator("div.heat rect.cell").count() == 144
    assert 25 <= page.locator(FAILING).count() <= 49  # a quarter of the cells
    assert page.locator("[data-histogram] svg").count() == 3
    assert page.locator("[data-axis] svg").count() == 4


def test_a_cell_selects_its_failures(page):
    total = shown_failures(page).count()
    cell = page.locator(FAILING).first
    told = cell.get_attribute("data-tip")
    cell.click()
    failed = int(re.search(r"(\d+) of \d+ failed", told)[1])
    expect(page.locator(".failures .found")).to_have_text(f"{failed} shown")
    assert shown_failures(page).count() == failed < total
    assert page.locator(".run-line.faded").count() > 10
    page.get_by_role("button", name="Show all runs").click()
    expect(shown_failures(page)).to_have_count(total)
    assert page.locator(".run-line.faded").count() == 0


def test_other_axes_can_be_chosen(page):
    before = page.locator("div.heat").inner_html()
    page.get_by_label("Axis x").select_option("mode")
    expect(page.locator("div.heat svg")).to_have_attribute("aria-label", re.compile(r"mode"))
    assert page.locator("div.heat rect.cell").count() == 24
    x, y = page.get_by_label("Axis x"), page.get_by_label("Axis y")
    kept = y.input_value()
    x.select_option(kept)  # the axes change places
    assert y.locator("option:checked").inner_text() == "mode"
    assert before != page.locator("div.heat").inner_html()
    page.get_by_label("Colour").select_option("worst")
    expect(page.locator(".legend")).to_contain_text("worst scaled margin")


def test_failures_are_filtered_and_their_commands_copied(page):
    page.get_by_label("Expectation").select_option("it arrives")
    first = shown_failures(page).first
    expect(first.locator(".name")).to_have_text("it arrives")
    first.locator("summary").click()
    expect(first.locator("code").nth(0)).to_contain_text("rigless sweep show runs.parquet")
    expect(first.locator("code").nth(1)).to_contain_text("rigless shrink runs.parquet")
    expect(first.locator("code").nth(2)).to_contain_text("rigless check room.toml --seed")
    button = first.get_by_role("button", name="Copy the command: Check")
    button.click()
    expect(button).to_have_text("Copied")
    page.get_by_label("Filter failures").fill("no such text")
    expect(page.locator(".failures .found")).to_have_text("0 shown")


def test_the_labels_of_few_long_values_do_not_overlap(window, tmp_path):
    values = [-0.02303591234, 0.000266309542, 0.00346782911, 0.00708307881, 0.0120357423]
    values += [one + 1e-3 for one in values]
    rows = [
        Row(f"{n:08x}", {"start.y": one, "slip": -one}, n, verdict=("pass", "fail")[n % 2])
        for n, one in enumerate(values)
    ]
    path = tmp_path / "report.html"
    path.write_text(render_report(summarize(rows), "runs.parquet"))
    tab = window.tab("")
    tab.goto(path.as_uri())
    for picture in ("div.heat svg", "[data-axis] svg"):
        svg = tab.locator(picture).first
        expect(svg).to_be_visible()
        boxes = svg.evaluate(LOWEST_TICKS)
        assert len(boxes) >= 3
        for (_, right), (left, _) in itertools.pairwise(sorted(boxes)):
            assert right < left, boxes
        assert boxes[-1][1] <= svg.evaluate("(one) => one.getBoundingClientRect().right"), boxes
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_a_phone(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.querySelector('div.heat svg').clientWidth < 390")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(WIDE_PARTS) == []
