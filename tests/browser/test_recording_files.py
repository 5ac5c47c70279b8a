"""Recordings in the panel: trim, download, Foxglove, files from disk, and two side by side."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from browser.test_accessibility import CONTROLS, LOOK, assert_axe, judge_all
from rigless.kernel.inputs import Inject, Send
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target

THERMOSTAT = Path(__file__).resolve().parents[2] / "examples" / "thermostat"
SIZES = [
    {"width": 1440, "height": 900},
    {"width": 1024, "height": 768},
    {"width": 390, "height": 844},
]
DROP = """async ([name, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name));
  const over = new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true });
  const body = document.querySelector("main");
  body.dispatchEvent(over);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const shown = document.querySelector(".drop-overlay")?.textContent ?? "";
  const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  body.dispatchEvent(drop);
  return [over.defaultPrevented && drop.defaultPrevented, shown]; }"""


def order(sim, linear):
    fields = {"id": "drive", "action": "configure", "config": {"linear": linear, "angular": 0.0}}
    sim.apply(Send("vacuum", "commands", "Control", fields))


def drive(path, linear):
    """Record four seconds of a vacuum whose gyro sticks at 2 s; it drives on from 3 s."""
    sim = open_target("vacuum", seed=3, collect=False).simulation
    with path.open("wb") as stream:
        recorder = Recorder(sim, stream)
        order(sim, 0.2)
        sim.run(2.0)
        sim.apply(Inject("vacuum", "gyro", "stuck", {}))
        sim.run(1.0)
        order(sim, linear)
        sim.run(1.0)
        recorder.close()
    return path


@pytest.fixture(scope="module")
def recordings(vacuum_server, tmp_path_factory):
    """Two recordings in the server's folder that differ from 3 s on, and one outside."""
    folder = vacuum_server.folder
    other = tmp_path_factory.mktemp("disk") / "from disk.mcap"
    return drive(folder / "slow.mcap", 0.1), drive(folder / "quick.mcap", 0.3), drive(other, 0.3)


@pytest.fixture
def listed(vacuum, recordings):
    vacuum.page.evaluate("() => (location.hash = '#/recordings')")
    expect(vacuum.page.locator(".recordings-list")).to_contain_text("slow.mcap")
    yield vacuum
    vacuum.page.evaluate("() => (location.hash = '#/')")


def deck(panel):
    return panel.server.get("/api/deck")


def test_a_part_is_cut_out_and_opened(listed, recordings):
    panel = listed
    panel.button("Open slow.mcap").click()
    expect(panel.page.locator(".badge")).to_have_text("Recording")
    panel.server.post("/api/deck/seek", time_s=2.5)
    panel.until(lambda: deck(panel)["time_s"] == 2.5, "it does not seek")
    expect(panel.fact("time")).to_have_text("2.50 s")
    panel.button("Trim: cut out a part of the recording").click()
    panel.button("Begin here: at the shown time").click()
    expect(panel.field("Begin of the part in seconds")).to_have_value("2.500")
    panel.field("End of the part in seconds").fill("3.4")
    panel.field("End of the part in seconds").press("Enter")
    handle = panel.field("Begin of the part")
    handle.focus()
    handle.press("End")  # the begin stays before the end
    expect(panel.field("Begin of the part in seconds")).to_have_value("3.399")
    panel.field("Begin of the part in seconds").fill("1")
    panel.field("Begin of the part in seconds").press("Enter")
    panel.button("Save 2.40 s as a new recording").click()
    saved = recordings[0].with_name("slow-1s-3.4s.mcap")
    panel.notice(f"saved {saved}")
    assert verify(saved).difference is None
    panel.button(f"Open it: {saved.name}").click()
    panel.until(lambda: deck(panel)["file"] == str(saved), "it is not opened")
    assert (deck(panel)["begin_s"], deck(panel)["end_s"]) == (1.0, 3.4)
    expect(panel.page.get_by_role("group", name="Cut out a part")).to_have_count(0)


def test_a_recording_is_downloaded_whole(listed, recordings):
    with listed.page.expect_download() as found:
        listed.page.get_by_role("link", name="Download quick.mcap").click()
    assert found.value.suggested_filename == "quick.mcap"
    assert Path(found.value.path()).read_bytes() == recordings[1].read_bytes()


def test_foxglove_gets_a_link_that_opens_this_recording_without_a_token(listed, recordings):
    panel = listed
    panel.button("Open quick.mcap in Foxglove").click()
    link = panel.page.get_by_role("link", name="Open the desktop program")
    expect(link).to_have_attribute(
        "href", re.compile("^foxglove://open.ds=remote-file&ds.url=http")
    )
    url = httpx.URL(link.get_attribute("href")).params["ds.url"]
    answer = httpx.get(url, headers={"Origin": "https://app.foxglove.dev"}, timeout=60)
    assert answer.content == recordings[1].read_bytes()
    assert answer.headers["access-control-allow-origin"] == "*"
    panel.page.keyboard.press("Escape")


def test_a_file_from_disk_is_dropped_and_opened(vacuum, recordings):
    panel, path = vacuum, recordings[2]
    taken, shown = panel.page.evaluate(DROP, [path.name, list(path.read_bytes())])
    assert taken
    assert "Drop a recording" in shown
    expect(panel.page.locator(".badge")).to_have_text("Recording")
    kept = panel.server.folder / path.name
    panel.until(lambda: deck(panel)["file"] == str(kept), "it is not opened")
    assert kept.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["broken.mcap", "../../up.mcap", "notes.txt"])
def test_a_dropped_file_that_is_no_recording_is_refused_in_a_sentence(vacuum, recordings, name):
    data = bytearray(recordings[0].read_bytes())
    data[len(data) // 2] ^= 0xFF
    before = sorted(vacuum.server.folder.iterdir())
    if name.endswith(".mcap"):
        vacuum.window.expected.append("status of 422")
    vacuum.page.evaluate(DROP, [name, list(data)])
    vacuum.notice("is no recording" if name == "notes.txt" else "damaged at byte")
    expect(vacuum.page.locator(".drop-overlay")).to_have_count(0)
    expect(vacuum.page.locator(".badge")).to_have_text("Simulation mode")
    assert sorted(vacuum.server.folder.iterdir()) == before


@pytest.fixture
def compared(listed):
    """The comparison of both recordings."""
    panel = listed
    panel.field("First recording").select_option(label="slow.mcap")
    panel.field("Second recording").select_option(label="quick.mcap")
    panel.page.get_by_role("button", name="Compare", exact=True).click()
    expect(panel.page.get_by_label("First difference", exact=True)).to_be_visible()
    panel.page.locator(".compare-panes .canvas-host").nth(1).hover()
    return panel


def both_at(panel, time_s):
    panel.until(
        lambda: (
            [round(at or -1, 6) for at in panel.page.evaluate("() => rigless.compared()")]
            == [time_s, time_s]
        ),
        f"not both at {time_s}",
    )


def test_two_recordings_are_shown_at_their_first_difference(compared, recordings, rigless_command):
    panel = compared
    verdict = panel.page.get_by_label("First difference", exact=True)
    done = rigless_command("diff", *recordings[:2])
    assert done.returncode == 1
    found = panel.server.get(
        f"/api/recordings/compare?left={recordings[0].name}&right={recordings[1].name}"
    )
    assert found["text"] in done.stdout
    expect(verdict).to_contain_text(f"{found['time_s']:.6f} s")
    for part in ("vacuum", found["field_name"]):
        expect(verdict).to_contain_text(part)
    both_at(panel, found["time_s"])
    first = panel.page.locator('.record-row[data-first="true"]')
    expect(first).to_be_in_viewport()
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(panel.page.locator('.record-fields tr[data-differs="true"]').first).to_be_visible()
    expect(panel.page.get_by_label("Marks on the timeline")).to_contain_text("first difference")

    panel.server.post("/api/deck/seek", time_s=1.0)
    both_at(panel, 1.0)
    left, right = panel.page.evaluate("() => rigless.comparedPose('body')")
    assert left == right
    panel.page.get_by_role("button", name="Go to it, the first difference").click()
    both_at(panel, found["time_s"])
    panel.server.post("/api/deck/seek", time_s=4.0)
    both_at(panel, 4.0)
    left, right = panel.page.evaluate("() => rigless.comparedPose('body')")
    assert right[0] - left[0] > 0.05  # B drove on faster

    panel.wait_layout()
    left, right = panel.page.evaluate("() => rigless.comparedViews()")
    assert left == right

    panel.button("Close the comparison").click()
    expect(panel.page.locator(".compare-view")).to_have_count(0)
    assert panel.server.get("/api/deck/second")["file"] is None
    assert deck(panel)["file"] == str(recordings[0])


def test_equal_recordings_have_no_difference(listed, recordings):
    panel = listed
    twin = recordings[0].with_name("twin.mcap")
    twin.write_bytes(recordings[0].read_bytes())
    panel.page.evaluate("() => (location.hash = '#/')")
    panel.page.evaluate("() => (location.hash = '#/recordings')")
    expect(panel.page.locator(".recordings-list")).to_contain_text("twin.mcap")
    panel.field("First recording").select_option(label="slow.mcap")
    panel.field("Second recording").select_option(label="twin.mcap")
    panel.page.get_by_role("button", name="Compare", exact=True).click()
    expect(panel.page.locator(".verdict")).to_contain_text("No difference")
    assert panel.page.locator(".compare-records").count() == 0


def test_every_control_is_reachable_and_nothing_overflows_at_any_size(compared):
    panel = compared
    before = panel.page.viewport_size
    for size in SIZES:
        panel.resize(size)
        found = []
        for view in ("compare", "recordings"):
            panel.page.evaluate("(view) => (location.hash = `#/${view}`)", view)
            panel.wait_layout()
            wide = panel.page.evaluate(
                """() => [...document.querySelectorAll(
                  "html, main, .player, .player-tools, .verdict, .compare-pane, .recordings-view")]
                  .filter((one) => one.scrollWidth > one.clientWidth + 1)
                  .map((one) => `${one.className} ${one.scrollWidth} > ${one.clientWidth}`)"""
            )
            assert wide == [], (size, view)
            found += panel.page.locator(f"main :is({CONTROLS})").evaluate_all(LOOK)
            if size == SIZES[-1]:
                assert_axe(panel.page)
        judge_all(found)
    panel.resize(before)


def test_rigless_open_reads_its_own_file_and_dropped_ones(window, serve, tmp_path, monkeypatch):
    """`rigless open` has no live run; its file is wherever the user put it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    paths = [tmp_path / "first.mcap", tmp_path / "second.mcap"]
    for seed, path in enumerate(paths):
        sim = open_target(str(THERMOSTAT), seed=seed, collect=False).simulation
        path.write_bytes(record_to_bytes(sim, 5.0))
    server = serve(paths[0], verb="open", folder=tmp_path)
    panel = Panel(window, server)
    panel.page.goto(server.entrance)
    expect(panel.page.get_by_label("Marks on the timeline")).to_be_visible()
    with panel.page.expect_download() as found:
        panel.page.get_by_role("link", name="Download the recording").click()
    assert Path(found.value.path()).read_bytes() == paths[0].read_bytes()
    panel.page.evaluate(DROP, [paths[1].name, list(paths[1].read_bytes())])
    kept = tmp_path / "state" / "rigless" / "recordings" / "second.mcap"
    panel.until(lambda: deck(panel)["file"] == str(kept), "it is not opened")
    assert kept.read_bytes() == paths[1].read_bytes()
