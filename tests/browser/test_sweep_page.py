"""The page of a sweep in the panel: updates while runs end, and a failure opened at its instant."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from rigless.sweeps.api import sweep
from rigless.sweeps.page import LiveSweep, serve_page
from rigless.sweeps.row import Row
from rigless.sweeps.statistics.decision import decide
from rigless.sweeps.statistics.goal import Goal
from rigless.sweeps.table import read_table

COLD = Path(__file__).resolve().parents[1] / "sweeps" / "cold_room.toml"


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("sweep") / "cold.csv"
    list(sweep(COLD, {"hall.heater_w": [600, 1500]}, seeds=3, workers=1, out=file))
    return file


def row(number: int) -> Row:
    verdict = "fail" if number % 2 else "pass"
    return Row(f"{number:08x}", {"x": number}, number, verdict=verdict, failed="it arrives")


def test_the_page_follows_a_sweep_and_keeps_what_is_open(window):
    live = LiveSweep("nav", 40, Goal(0.4))
    for number in range(10):
        live.add(row(number))
    with serve_page(live, "127.0.0.1:0") as url:
        page = window.tab(url.partition("/sweep")[0])
        page.goto(url)
        assert "token" not in page.url
        expect(page.locator(".progress")).to_contain_text("10 of 40 runs")
        expect(page.locator(".counts")).to_have_text("5 passed5 failed")
        page.locator(".failures summary").nth(2).click()
        for number in range(10, 40):
            live.add(row(number))
        expect(page.locator(".counts")).to_have_text("20 passed20 failed")
        expect(page.locator(".failures li[data-key]")).to_have_count(20)
        expect(page.locator(".failures details[open]")).to_have_count(1)
        expect(page.locator(".verdict .badge")).to_have_text("RUNNING")
        expect(page.locator(".why")).to_contain_text("20 of 40 runs passed so far (50.0 %)")
        live.finish(decide([row(number) for number in range(40)], 0.4))
        expect(page.locator(".progress")).to_contain_text(re.compile(r"nav *40 runs"))
        expect(page.locator(".verdict .badge")).to_have_text("UNDECIDED")
        page.close()


def test_an_open_page_gets_the_end_before_the_server_closes(window):
    live = LiveSweep("nav", 10, Goal(0.4))
    with serve_page(live, "127.0.0.1:0") as url:
        page = window.tab(url.partition("/sweep")[0])
        page.goto(url)
        expect(page.locator(".progress")).to_contain_text("0 of 10 runs")
        for number in range(10):
            live.add(row(number))
    expect(page.locator(".verdict .badge")).to_have_text("UNDECIDED")
    expect(page.locator(".progress")).to_contain_text(re.compile(r"nav *10 runs"))
    page.close()


def test_a_failure_opens_in_the_panel_before_its_instant(window, serve, table):
    server = serve(table, verb="open")
    panel = Panel(window, server)
    page = panel.page
    page.goto(server.entrance)
    expect(page.locator(".verdict")).to_contain_text("3 of 6 runs failed")
    page.locator(".failures summary").first.click()
    page.get_by_role("button", name="Open in the panel").first.click()
    expect(page.locator(".badge")).to_have_text("Recording")
    worst = min(read_table(table), key=lambda row: row.margin or 0.0)
    assert worst.broke_at_s is not None
    panel.until(lambda: abs(panel.time_s() - worst.broke_at_s + 1.0) < 0.01, "another instant")
    answer = server.http.post("/api/sweep/runs/00000000/open")
    assert answer.status_code == 422
    assert "no run '00000000'" in answer.text
