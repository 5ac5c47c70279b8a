"""The HTML report: its structure, hostile text, and its size."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.runs.reports import render_html
from rigless.runs.reports.html.map import map_data, render_maps
from rigless.runs.reports.html.map_view import view_of
from rigless.runs.reports.html.markup import Axis, nice_step
from rigless.runs.reports.html.output import choose_lines
from rigless.runs.reports.html.plot import render_plot, stepped, thinned
from rigless.runs.reports.html.timeline import merged, rates, render_timeline
from rigless.runs.trace import MessageLane, OutputLine, Trace, WorldPicture
from rigless.scenario.verdict import Series
from runs import made

VOID = {"meta", "link", "input", "img"}


class Page(HTMLParser):
    """The elements of a page: (tag, attributes), and the text of data scripts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.data, self.words = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.data.append(data)
        elif self.open and self.open[-1] != "style":
            self.words.append(data)

    def of(self, name):
        return [attrs for _, attrs in self.elements if name in attrs.get("class", "").split()]


def test_a_failed_run_has_all_its_parts():
    page = Page(render_html([made.result(lines=30)]))
    assert page.open == []
    for name in ("banner", "commands", "map", "expectation", "lane", "output-log", "program"):
        assert page.of(name), name
    assert len(page.of("copy")) == 3
    assert page.of("broken")
    assert len(page.of("failure")) == 1  # on the map
    (mark, key) = page.of("fault-begin")
    assert mark["data-jump"] == "10.0000"
    assert mark["title"] == "rob gyro bias: from 10 s to 15 s"
    assert key["class"] == "key fault-begin"
    assert [one["data-jump"] for one in page.of("hit") if "data-jump" in one] == ["12.0000"]
    assert any("during" in one["class"] for one in page.of("path"))
    words = "".join(page.words)
    assert "“it keeps going” failed at 12 s" in words
    assert "rob gyro bias" in words
    assert "exit code 3" in words


def test_a_page_asks_no_server_for_anything():
    page = Page(render_html([made.result(lines=30)]))
    for tag, attrs in page.elements:
        for name in ("src", "href", "action", "data", "srcset"):
            assert attrs.get(name, "#").startswith(("#", "data:")), tag
    assert "@import" not in render_html([made.result()])


def test_several_runs_have_an_index_with_links():
    results = [made.result(), made.result(made.verdict(passed=True))]
    page = Page(render_html([*results, replace(made.result(), invalid="machine too slow")]))
    targets = [attrs["id"] for _, attrs in page.elements if attrs.get("id", "").startswith("run-")]
    links = [attrs["href"] for tag, attrs in page.elements if tag == "a"]
    assert links == ["#run-0", "#run-1", "#run-2"]
    assert {f"#{one}" for one in targets if "map" not in one} == set(links)
    opened = ["open" in attrs for _, attrs in page.elements if "data-run" in attrs]
    assert opened == [True, False, True]


@pytest.mark.parametrize("trace", [True, False])
def test_results_without_a_trace_or_expectations_have_a_page(trace):
    bare = replace(made.result(), verdicts=[], trace=made.trace() if trace else None, faults=[])
    assert "There are no expectations" in "".join(Page(render_html([bare])).words)
    assert Page(render_html([])).open == []


@settings(max_examples=40)
@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_is_only_text(text):
    hostile = f'{text}</script><img src=x onerror=alert(1)>" onclick="x" <!--'
    result = made.result(made.verdict(text=hostile), lines=3, text=hostile)
    result = replace(result, name=hostile, repeat=hostile, recording=hostile)
    page = Page(render_html([result]))
    assert page.open == []
    assert not [tag for tag, _ in page.elements if tag == "img"]
    assert not [attrs for _, attrs in page.elements if {"onclick", "onerror"} & set(attrs)]
    assert json.loads(page.data[0])["duration"] == made.DURATION_S


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e300, 1e300])
def test_odd_numbers_make_no_broken_drawing(value):
    odd = replace(made.verdict(), margin=value, series=Series([0.0, 1.0, value], [value, 1.0, 2.0]))
    page = render_html([made.result(odd)])
    drawings = [attrs["d"] for tag, attrs in Page(page).elements if tag == "path"]
    assert not [one for one in drawings if "nan" in one or "inf" in one]


def test_a_page_with_much_output_stays_small_and_says_what_is_left_out():
    page = render_html([made.result(lines=100_000, text="x" * 200)])
    assert len(page) < 2_000_000
    assert "3,000 of 100,000 lines are on this page" in page
    assert Page(page).of("gap")


def test_the_lines_around_a_failure_and_the_last_are_kept():
    lines = [(OutputLine(n / 100, "out", str(n)), "nav") for n in range(50_000)]
    kept = choose_lines(lines, [250.0], 3000)
    texts = {line.text for line in kept if not line.left_out}
    assert len(texts) == 3000
    assert {"0", "24900", "25000", "25300", "49999"} <= texts
    assert sum(line.left_out for line in kept) == 47_000


def test_thinning_keeps_peaks():
    values = [0.0] * 10_000
    values[7777] = 5.0
    points = thinned(Series([n / 10 for n in range(10_000)], values))
    assert len(points) <= 601
    assert (777.7, 5.0) in points


def test_counts_are_drawn_as_stairs_and_measurements_as_lines():
    assert stepped([(0.0, 0.0), (5.0, 1.0), (6.0, 1.0), (9.0, 2.0)]) == [
        (0.0, 0.0), (5.0, 0.0), (5.0, 1.0), (6.0, 1.0), (9.0, 1.0), (9.0, 2.0),
    ]  # fmt: skip
    assert stepped([(0.0, 0.0), (5.0, 1.5)]) == [(0.0, 0.0), (5.0, 1.5)]


@pytest.mark.parametrize(("high", "labels"), [(220.0, ["205 – 220"]), (900.0, ["205", "900"])])
def test_labels_of_close_limits_are_one(high, labels):
    series = Series([0.0, 20.0], [0.5, 85.5])
    verdict = replace(made.verdict(), low=205.0, high=high, series=series)
    shown = render_plot(verdict, Axis(20.0), [])
    assert [label.split("</b>")[0].split(">")[1] for label in shown.split("<b ")[1:]] == labels


@pytest.mark.parametrize(
    ("failed", "flat", "left"),
    [(1, False, ["maps"]), (5, False, ["maps", "programs"]), (1, True, ["maps", "programs"])],
)
def test_programs_are_where_there_is_room(failed, flat, left):
    result = replace(made.result(lines=3), verdicts=[made.verdict()] * failed)
    if flat:
        (robot,) = result.trace.robots
        robot = replace(robot, y_m=[0.0] * len(robot.y_m))
        worlds = [WorldPicture("")]
        result.trace = replace(result.trace, robots=[robot], worlds=worlds, regions=[])
    page = render_html([result])
    begin, end = page.index('class="picture"'), page.index('class="expectations"')
    assert [name for name in ("maps", "programs") if begin < page.find(f'"{name}"') < end] == left


def test_axes_have_round_ticks():
    assert Axis(40.0).ticks() == [0, 5, 10, 15, 20, 25, 30, 35, 40]
    assert [nice_step(least) for least in (0.03, 1.0, 1.1, 6.0)] == [0.05, 1.0, 2.0, 10.0]


@pytest.mark.parametrize(
    ("duration_s", "wanted"),
    [(3.0, [20, 40, 60]), (2.75, [20, 40, 80]), (2.25, [20, 80, 80])],
)
def test_the_rate_in_a_last_bin_that_was_cut_off(duration_s, wanted):
    lane = MessageLane("rob", "commands", "in", [20, 40, 60])
    trace = Trace(duration_s, bin_s=1.0, lanes=[lane])
    assert rates(lane, trace) == wanted
    drawn = render_timeline(replace(made.result(), trace=trace), Axis(duration_s))
    ends = [float(part.partition("H")[2]) for part in drawn.partition('"M0 100')[2].split("V")[1:4]]
    assert max(ends) <= 1000.0


def test_lanes_show_a_steady_rate_and_single_messages():
    steady = MessageLane("rob", "telemetry", "out", [7, 6] * 100)
    rare = MessageLane("rob", "commands", "in", [0, 0, 1, 0] * 10 + [0] * 160)
    trace = Trace(10.0, bin_s=0.05, lanes=[steady, rare])
    coarse, bins = merged(steady, trace)
    assert bins.bin_s == pytest.approx(0.2)
    assert rates(coarse, bins) == pytest.approx([130.0] * 50)
    drawn = render_timeline(replace(made.result(), trace=trace), Axis(10.0))
    assert drawn.count("92V30") == 10  # an upright line for each message


def test_single_measurements_are_not_joined():
    series = Series([2.0, 4.0], [170.0, 2040.0], single=True)
    verdict = replace(made.verdict(), low=None, high=900.0, series=series)
    shown = render_plot(verdict, Axis(10.0), [])
    assert 'class="line" d="M200 100V' in shown
    assert 'class="line bad" d="M400 100V' in shown
    assert "L" not in "".join(re.findall(r'class="line[^"]*" d="([^"]*)"', shown))
    assert re.findall(r">([^<>]+)</(?:b|span)>", shown) == ["900", "2040", "0"]


def test_regions_on_the_map_have_names_and_small_ones_a_ring():
    region = made.trace().regions[0]
    for radius_m, rings in ((1.0, 0), (0.05, 1)):
        trace = replace(made.trace(), regions=[replace(region, radius_m=radius_m)])
        page = Page(render_html([replace(made.result(), trace=trace)]))
        (tag,) = page.of("of-goal")
        assert "failed" in tag["class"]
        assert len(page.of("aim")) == rings


def test_a_region_outside_of_the_map_is_shown():
    trace = made.trace()
    world = replace(trace.worlds[0], png="x", width_m=12.0, height_m=8.0)
    trace = replace(trace, worlds=[world])
    view = view_of(trace, 0)
    assert view.holds(20.9, 10.0)
    assert view.holds(0.1, 0.1)


def test_a_map_shows_what_is_around_a_robot_that_stands_still():
    trace = made.trace()
    robot = replace(trace.robots[0], x_m=[1.0, 1.0], y_m=[2.0, 2.0], times_s=[0.0, 1.0])
    room = WorldPicture("", png="x", width_m=8.0, height_m=6.0)
    for size_m, whole in ((8.0, True), (80.0, False)):
        world = replace(room, width_m=size_m)
        view = view_of(replace(trace, robots=[robot], worlds=[world], regions=[]), 0)
        assert view.holds(0.1, 0.1)
        assert view.holds(2.9, 3.9)  # five robots away
        assert view.holds(size_m - 0.1, 5.9) == whole


def test_a_robot_on_the_map_has_its_shape_and_heading():
    trace = made.trace()
    headings = [0.0] * 10 + [3.0, 3.1, -3.1] + [-math.pi / 2] * 8  # past half a turn
    corners = [(0.4, 0.3), (-0.4, 0.3), (-0.4, -0.3), (0.4, -0.3)]
    robot = replace(trace.robots[0], theta_rad=headings, corners_m=corners)
    result = replace(made.result(), trace=replace(trace, robots=[robot]))
    assert 'class="robot"' in (page := render_maps(result, "run"))
    assert '<polygon points="0.4,-0.3 -0.4,-0.3 -0.4,0.3 0.4,0.3"/>' in page
    assert "rotate(-270)" in page  # turned on to the left: clockwise is positive in a drawing
    turns = map_data(result.trace)[0]["robots"][0]["turn"]
    assert max(abs(b - a) for a, b in pairwise(turns)) < 180
    disc = render_maps(made.result(), "run")
    assert '<circle r="0.2000"/></g>' in disc
