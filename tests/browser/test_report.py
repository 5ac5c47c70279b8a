"""The HTML report in a browser: the cursor, the filter, the keyboard and a narrow window."""

import re

import pytest
from playwright.sync_api import expect

from rigless.runs.reports import render_html
from rigless.runs.result import ProgramResult, Result
from rigless.runs.trace import OutputLine, ProgramTrace
from rigless.runs.tracer import Tracer
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target
from rigless.scenario.verdict import Series

SCENARIO = """
name = "cart"
seed = 7
duration_s = 20
[world]
map = "empty_room"
[[world.obstacles]]
name = "cart"
radius_m = 0.3
x = 0.0
y = 0.3
[[robots]]
kind = "vacuum"
start = { x = -2.0, y = 0.0 }
[[timeline]]
at_s = 1.0
port = "commands"
message.type = "Control"
message.id = "drive"
message.action = "configure"
message.config = { linear = 0.2, angular = 0.0 }
[[faults]]
at_s = 5
until_s = 12
target = "gyro"
kind = "stuck"
[[expect]]
name = "it touches nothing"
event = "collision"
seen = false
[[expect]]
name = "it keeps going"
value = "truth.velocity.0"
from_s = 2
min = 0.1
[[expect]]
name = "it gets across"
region = { center = [1.5, 0.0], radius_m = 0.3 }
"""
LINES = [
    OutputLine(n / 50, "err" if n % 10 == 0 else "out", f"<b>line</b> number {n} of the program")
    for n in range(1000)
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The file of a report of a run that fails."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "cart.toml").write_text(SCENARIO)
    built = open_target(str(folder / "cart.toml"), [], None, collect=False)
    monitor, tracer = ExpectationMonitor(built, 20), Tracer(built, 20)
    built.simulation.run(seconds=20)
    result = Result("cart", "cart.toml", 7, 20, monitor.verdicts(), faults=monitor.faults)
    result.trace = tracer.finish()
    assert [one.passed for one in result.verdicts] == [False, False, False]
    collision = next(one for one in result.trace.events if one.code == "collision")
    for verdict in result.verdicts:
        verdict.broke_at_s = collision.time_ns / 1e9
    times = [n / 10 for n in range(20, 200)]
    result.verdicts[1].series = Series(times, [0.2 if one < 9.3 else 0.0 for one in times])
    result.trace.programs = [ProgramTrace("nav", LINES, periods=[(0.0, 20.0)])]
    result.programs = [ProgramResult("nav", ["./nav"], 1)]
    result.repeat, result.recording = "rigless check cart.toml --seed 7", "cart.mcap"
    (folder / "report.html").write_text(render_html([result]))
    return folder / "report.html"


@pytest.fixture
def page(window, report):
    tab = window.tab("")
    tab.goto(report.as_uri())
    return tab


def where(page):
    """Return the place of the robot's dot on the map, in pixels."""
    box = page.locator(".ground .here").bounding_box()
    return box["x"], box["y"]


def now(page):
    return float(page.locator(".lane .now").inner_text().removesuffix(" s"))


def test_it_opens_at_the_moment_of_failure(page):
    expect(page.locator(".why")).to_contain_text("“it touches nothing” failed at 9.2")
    assert now(page) == pytest.approx(9.25, abs=0.1)
    mark = page.locator(".mark.failure").bounding_box()
    x, y = where(page)
    assert mark["x"] < x < mark["x"] + mark["width"]
    assert mark["y"] < y < mark["y"] + mark["height"]


def test_a_count_is_a_whole_number_between_two_events(page):
    counts = page.locator("output.value").first
    chart = page.locator(".expectation .plot .chart").first
    expect(counts).to_have_text(re.compile(r"1 at 9\.\d\d s"))  # at the collision
    box = chart.bounding_box()
    chart.hover(position={"x": box["width"] * 0.2, "y": 5})
    expect(counts).to_have_text(re.compile(r"0 at \d\.\d\d s"))


def test_the_cursor_moves_in_all_drawings(page):
    chart = page.locator(".lane.events .chart")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    before, body = where(page), page.locator(".ground .robot")
    stood = body.get_attribute("transform")
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + 5)
    expect(page.locator(".lane .now")).to_have_text("5.00 s")
    assert where(page)[0] < before[0] - 20
    assert (body.get_attribute("transform") or "").startswith("translate(")
    assert body.get_attribute("transform") != stood
    expect(page.locator("output[data-plot='1']")).to_have_text("0.200 at 5.00 s")
    expect(page.locator(".output-log li.now")).to_contain_text("number 250 of")
    lefts = page.evaluate(
        "[...document.querySelectorAll('.lane .cursor')]"
        ".map((one) => Math.round(one.getBoundingClientRect().left))"
    )
    assert len(set(lefts)) == 1


def test_arrow_keys_move_the_cursor(page):
    page.locator(".lanes").focus()
    page.keyboard.press("Home")
    expect(page.locator(".lane .now")).to_have_text("0.00 s")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".lanes")).to_have_attribute("aria-valuenow", "1.00")


def test_the_filter_finds_lines(page):
    rows = page.locator(".output-log li:visible")
    page.get_by_label("Filter lines").fill("NUMBER 99")
    expect(page.locator(".found")).to_have_text("11 found")
    assert rows.count() == 11
    expect(rows.locator("mark").first).to_have_text("number 99")
    page.get_by_label("stdout").uncheck()
    expect(page.locator(".found")).to_have_text("1 found")
    expect(rows).to_contain_text(["<b>line</b> number 990 of the program"])


def test_a_command_is_copied(page):
    button = page.get_by_role("button", name="Copy the command: Repeat")
    button.click()
    expect(button).to_have_text("Copied")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_a_phone(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    wide = page.evaluate(
        """[...document.querySelectorAll("main *")].filter((one) => !one.closest("svg, .sr")
        && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML)"""
    )
    assert wide == []
