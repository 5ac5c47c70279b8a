"""`rigless open`: the printed URL leads to the recording at an instant, with its events."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from rigless.kernel.events import Event
from rigless.kernel.inputs import SetInput
from rigless.kernel.recording import Recorder
from rigless.scenario.load import open_target

THERMOSTAT = Path(__file__).resolve().parents[2] / "examples" / "thermostat"


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Record ten seconds, with an event of the host at 4 s and a window that opens at 8 s."""
    file = tmp_path_factory.mktemp("open") / "run.mcap"
    sim = open_target(str(THERMOSTAT), seed=1, collect=False).simulation
    with file.open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.run(seconds=4)
        sim.core.log(Event(sim.now_ns, "", "program-output", "info", "nav: hello", {}))
        sim.run(seconds=4)
        sim.apply(SetInput("thermostat", "window_open", True))
        sim.run(seconds=2)
        recorder.close()
    return file


@pytest.fixture(scope="module")
def opened(serve, recording):
    return serve(recording, "--at", "6.5", verb="open")


def test_the_url_leads_to_the_recording_at_the_instant(window, opened):
    panel = Panel(window, opened)
    panel.page.goto(opened.entrance)
    expect(panel.page.locator(".badge")).to_have_text("Recording")
    expect(panel.fact("time")).to_have_text("6.50 s")
    panel.until(lambda: abs(panel.time_s() - 6.5) < 1e-6, "the picture is of another time")
    hello = panel.card("Events").locator("li", has_text="nav: hello")
    expect(hello).not_to_have_class("later")
    for name in ("Show the live simulation", "Close the recording"):
        expect(panel.button(name)).to_have_count(0)
    assert opened.status()["time_s"] == 0.0
    panel.button("Step back 0.1 s (,)").click()
    expect(panel.fact("time")).to_have_text("6.40 s")
    opened.post("/api/deck/seek", time_s=3)
    expect(hello).to_have_class("later")
    panel.page.reload()
    expect(panel.page.locator(".badge")).to_have_text("Recording")
    expect(panel.fact("time")).to_have_text("3.00 s")
